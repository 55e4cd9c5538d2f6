/* The look of pages, for any width, in light and dark mode. */
#ifndef FURROW_TOOLS_PAGE_STYLE_H
#define FURROW_TOOLS_PAGE_STYLE_H

/* Colours of the light mode, and their replacements in dark mode. */
#define PAGE_CARD "#fff"
#define PAGE_INK "#16202e"
#define PAGE_SOFT "#556275"
#define PAGE_LINE "#dde3ea"
#define PAGE_OLD "#a3afbf"
#define PAGE_NEW "#2f66d0"
#define PAGE_WARM "#c2410c"

#define PAGE_CARD_DARK "#16202e"
#define PAGE_INK_DARK "#e8edf4"
#define PAGE_SOFT_DARK "#9cabbe"
#define PAGE_LINE_DARK "#2a384b"
#define PAGE_OLD_DARK "#5b6b80"
#define PAGE_NEW_DARK "#7aa7f7"
#define PAGE_WARM_DARK "#fb923c"

extern const char page_style[];

#endif
