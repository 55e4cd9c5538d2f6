/* Writes the page about a reordering. */
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "draw.h"
#include "new_file.h"
#include "page.h"

/* Pixels on a picture's longer side. A picture with fewer is enlarged without blur. */
#define PIXELS 800
#define PIXELS_SHARP 480
#define NUMBERS 6 /* largest count along an axis */

typedef struct page {
    const report_facts *facts;
    fur_context *context;
    FILE *stream;
    raster before;
    raster after;
    double densest;
} page;

/* Returns whether the order leaves every component unchanged. */
static bool is_identity(const report_facts *r)
{
    return r->found.components_kept == r->found.components;
}

double report_pays_after(const report_facts *facts)
{
    double gain = facts->products[0] - facts->products[1];
    return gain > 0 && !is_identity(facts) ? (facts->seconds_order + facts->seconds_permute) / gain
                                           : INFINITY;
}

/* Formats a change, such as "170 × smaller". */
static void format_change(double before, double after, const char *less, const char *more,
                          char out[WORDS_BYTES])
{
    double ratio = after < before ? before / after : after / before;
    const char *word = after < before ? less : more;
    if (before == after || (isfinite(ratio) && ratio < 1.005)) {
        snprintf(out, WORDS_BYTES, "unchanged");
    } else if (!isfinite(ratio)) {
        snprintf(out, WORDS_BYTES, after < before ? "down to 0" : "up from 0");
    } else {
        snprintf(out, WORDS_BYTES, "%.*f × %s",
                 ratio < 10.0    ? 2
                 : ratio < 100.0 ? 1
                                 : 0,
                 ratio, word);
    }
}

static void put_head(const page *p)
{
    char title[WORDS_BYTES + 256];
    snprintf(title, sizeof title, "%.250s reordered", words_file(p->facts->path));
    page_begin(p->stream, title, "");
}

static void put_header(const page *p)
{
    fur_csr_view a = *fur_csr_get(p->facts->original);
    char rows[WORDS_BYTES];
    char entries[WORDS_BYTES];
    char facts[4 * WORDS_BYTES];
    page_count((double)a.rows, rows);
    page_count((double)a.entries, entries);
    snprintf(facts, sizeof facts, "%s rows and columns · %s entries · %s", rows, entries,
             fur_value_name(a.value_type));
    page_header(p->stream, "Sparse matrix, reordered", words_file(p->facts->path), facts);
}

static void put_verdict(const page *p)
{
    const report_facts *r = p->facts;
    double products = report_pays_after(r);
    char text[WORDS_BYTES];
    fputs("<p class=\"verdict\">", p->stream);
    if (is_identity(r)) {
        fputs("The order of the file was kept: the method found none that is better.", p->stream);
    } else if (isfinite(products)) {
        page_count(ceil(products), text);
        fprintf(p->stream, "Reordering has paid back after <b>%s</b> %s with a vector.", text,
                ceil(products) == 1.0 ? "product" : "products");
    } else {
        fputs("Products with a vector are no faster in the new order: it does not pay back for "
              "them.",
              p->stream);
    }
    fputs("</p>\n", p->stream);
}

static void put_card(FILE *stream, const char *title, const char *change, const char *before,
                     const char *after)
{
    char note[3 * WORDS_BYTES];
    snprintf(note, sizeof note, "%s → %s", before, after);
    page_card(stream, title, change, note);
}

static void put_count_card(FILE *stream, const char *title, double before, double after)
{
    char change[WORDS_BYTES];
    char texts[2][WORDS_BYTES];
    format_change(before, after, "smaller", "larger", change);
    page_count(before, texts[0]);
    page_count(after, texts[1]);
    put_card(stream, title, change, texts[0], texts[1]);
}

static void put_cards(const page *p)
{
    const report_facts *r = p->facts;
    char change[WORDS_BYTES];
    char texts[2][WORDS_BYTES];
    format_change(r->products[0], r->products[1], "faster", "slower", change);
    page_time(r->products[0], texts[0]);
    page_time(r->products[1], texts[1]);
    fputs("<div class=\"cards\">\n", p->stream);
    put_count_card(p->stream, "Bandwidth", (double)p->facts->before.bandwidth,
                   (double)p->facts->after.bandwidth);
    put_count_card(p->stream, "Profile", (double)p->facts->before.profile,
                   (double)p->facts->after.profile);
    put_card(p->stream, "Matrix times vector", change, texts[0], texts[1]);
    fputs("</div>\n", p->stream);
}

/* Writes the picture as PNG into the page. */
static fur_status put_image(const page *p, const raster *cells)
{
    void *bytes = NULL;
    size_t size = 0;
    FUR_TRY(draw_png_cells(p->context, cells, p->densest, &bytes, &size));
    page_put_base64(p->stream, bytes, size);
    fur_context_release(p->context, bytes);
    return FUR_OK;
}

/* Writes the numbers along an axis, each at its percentage of the picture. */
static void put_axis(FILE *stream, const raster_side *side, const char *class, const char *edge)
{
    draw_tick ticks[DRAW_TICKS_MAX];
    int count = draw_ticks(side, side->cells * side->scale / NUMBERS, ticks);
    for (int i = 0; i < count; i++)
        fprintf(stream, "<span class=\"%s\" style=\"%s:%.2f%%\">%s</span>", class, edge,
                100 * ticks[i].at, ticks[i].number);
}

static fur_status put_figure(const page *p, const char *title, const raster *cells,
                             const fur_order_figures *figures)
{
    char bandwidth[WORDS_BYTES];
    char profile[WORDS_BYTES];
    int width = cells->cols.cells * cells->cols.scale;
    page_count((double)figures->bandwidth, bandwidth);
    page_count((double)figures->profile, profile);
    fprintf(p->stream,
            "<figure class=\"card\"><figcaption><b>%s</b><span>bandwidth %s</span>"
            "<span>profile %s</span></figcaption><div class=\"plot\">",
            title, bandwidth, profile);
    put_axis(p->stream, &cells->cols, "col", "left");
    put_axis(p->stream, &cells->rows, "row", "top");
    fprintf(p->stream,
            "<img%s width=\"%d\" height=\"%d\" alt=\"Where the entries are: %s\" "
            "src=\"data:image/png;base64,",
            width < PIXELS_SHARP ? " class=\"coarse\"" : "", width,
            cells->rows.cells * cells->rows.scale, title);
    fur_status status = put_image(p, cells);
    fputs("\"></div></figure>\n", p->stream);
    return status;
}

/* Writes the meaning of the tones if a cell may have several entries. */
static void put_legend(const page *p)
{
    int64_t block = p->before.rows.block;
    char side[WORDS_BYTES];
    char most[WORDS_BYTES];
    page_count((double)block, side);
    page_count(p->densest * (double)block * (double)block, most);
    if (block == 1)
        return;
    fprintf(p->stream, "<p class=\"note legend\">Entries in a cell of %s × %s: 1 ", side, side);
    for (int tone = 1; tone <= RASTER_TONES; tone++) {
        draw_color color = draw_tone(tone);
        fprintf(p->stream, "<i style=\"background:#%02x%02x%02x\"></i>", color.red, color.green,
                color.blue);
    }
    fprintf(p->stream, " %s</p>\n", most);
}

static fur_status put_figures(const page *p)
{
    fputs("<div class=\"pair\">\n", p->stream);
    FUR_TRY(put_figure(p, "Before", &p->before, &p->facts->before));
    FUR_TRY(put_figure(p, "After", &p->after, &p->facts->after));
    fputs("</div>\n", p->stream);
    put_legend(p);
    return FUR_OK;
}

/* Returns the number in percent of the larger of both, for the length of a bar. */
static double part(double number, double other)
{
    double larger = fmax(number, other);
    return larger > 0.0 ? 100.0 * number / larger : 0.0;
}

static void put_row(FILE *stream, const char *name, const char *meaning, int decimals,
                    double before, double after)
{
    char change[WORDS_BYTES];
    char texts[2][WORDS_BYTES];
    format_change(before, after, "smaller", "larger", change);
    words_number(before, decimals, texts[0]);
    words_number(after, decimals, texts[1]);
    fprintf(stream,
            "<tr><th scope=\"row\">%s<small>%s</small></th>"
            "<td>%s<div class=\"bar\" style=\"width:%.2f%%\"></div></td>"
            "<td>%s<div class=\"bar new\" style=\"width:%.2f%%\"></div></td><td>%s</td></tr>\n",
            name, meaning, texts[0], part(before, after), texts[1], part(after, before), change);
}

static void put_table(const page *p)
{
    const fur_order_figures *before = &p->facts->before;
    const fur_order_figures *after = &p->facts->after;
    fputs("<section class=\"card\">\n<h2>Figures</h2>\n<table class=\"wide\">\n<thead><tr><th></th>"
          "<th scope=\"col\">before</th><th scope=\"col\">after</th><th scope=\"col\">change</th>"
          "</tr></thead>\n<tbody>\n",
          p->stream);
    put_row(p->stream, "Bandwidth", "largest distance of an entry from the diagonal", 0,
            (double)before->bandwidth, (double)after->bandwidth);
    put_row(p->stream, "Profile", "positions from each row's first entry to the diagonal", 0,
            (double)before->profile, (double)after->profile);
    put_row(p->stream, "Largest wavefront", "largest number of active rows", 0,
            (double)before->wavefront_max, (double)after->wavefront_max);
    put_row(p->stream, "RMS wavefront", "root mean square of the active rows", 1,
            before->wavefront_rms, after->wavefront_rms);
    fputs("</tbody>\n</table>\n</section>\n", p->stream);
}

static void put_times(const page *p)
{
    const report_facts *r = p->facts;
    double products = report_pays_after(r);
    char text[WORDS_BYTES] = "never";
    fputs("<section class=\"card\">\n<h2>Times</h2>\n<table>\n<tbody>\n", p->stream);
    page_time_row(p->stream, "Finding the order", r->seconds_order);
    page_time_row(p->stream, "Permuting the matrix", r->seconds_permute);
    page_time_row(p->stream, "One product before", r->products[0]);
    page_time_row(p->stream, "One product after", r->products[1]);
    if (isfinite(products))
        page_count(ceil(products), text);
    page_row(p->stream, "Products to pay back", text);
    fputs("</tbody>\n</table>\n</section>\n", p->stream);
}

static const fur_method_info *find_method(const char *name)
{
    int i = 0;
    while (strcmp(fur_reorder_method_at(i)->name, name) != 0)
        i++;
    return fur_reorder_method_at(i);
}

static void put_method(const page *p)
{
    const fur_reorder_report *found = &p->facts->found;
    const fur_method_info *method = find_method(p->facts->method);
    fprintf(p->stream, "<section class=\"card\">\n<h2>Method: %s</h2>\n<p>", method->name);
    fputc(toupper(method->summary[0]), p->stream);
    words_put(p->stream, method->summary + 1);
    fputs(" (", p->stream);
    words_put(p->stream, method->source);
    fputs(").", p->stream);
    fputs("</p>\n", p->stream);
    if (found->components_kept > 0) {
        char components[WORDS_BYTES];
        char kept[WORDS_BYTES];
        page_count((double)found->components, components);
        page_count((double)found->components_kept, kept);
        fprintf(p->stream,
                "<p>The graph has %s connected components. %s of them keep the order of the file: "
                "the method found none that is better.</p>\n",
                components, kept);
    }
    fputs("</section>\n", p->stream);
}

static void put_footer(const page *p)
{
    page_origin origin = page_origin_of(p->context);
    fputs("<footer>", p->stream);
    page_put_origin(p->stream, &origin);
    fprintf(p->stream,
            ", method %s. Products by the kernel that suits each order; times are the least of "
            "several.</footer>\n",
            p->facts->method);
    page_end(p->stream);
}

static fur_status put_page(const page *p)
{
    put_head(p);
    put_header(p);
    put_verdict(p);
    put_cards(p);
    FUR_TRY(put_figures(p));
    put_table(p);
    fputs("<div class=\"pair\">\n", p->stream);
    put_times(p);
    put_method(p);
    fputs("</div>\n", p->stream);
    put_footer(p);
    return FUR_OK;
}

static fur_status make_pictures(page *p)
{
    FUR_TRY(raster_create(p->facts->original, PIXELS, &p->before));
    FUR_TRY(raster_create(p->facts->reordered, PIXELS, &p->after));
    p->densest = fmax(raster_densest(&p->before), raster_densest(&p->after));
    return FUR_OK;
}

static fur_status save(page *p, const char *path)
{
    new_file file;
    FUR_TRY(make_pictures(p));
    FUR_TRY(new_file_open(p->context, path, &file));
    p->stream = file.stream;
    return new_file_close(&file, put_page(p));
}

fur_status report_save(fur_context *context, const report_facts *facts, const char *path)
{
    page p = {.facts = facts, .context = context};
    fur_status status = save(&p, path);
    raster_destroy(&p.after);
    raster_destroy(&p.before);
    return status;
}
