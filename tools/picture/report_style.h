/* How the page about a reordering looks: on any width, in light and dark. */
#ifndef FURROW_TOOLS_REPORT_STYLE_H
#define FURROW_TOOLS_REPORT_STYLE_H

extern const char report_style[];

#endif
