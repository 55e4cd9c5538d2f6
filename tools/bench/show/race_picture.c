/* Combines charts to a picture. */
#include "race_picture.h"

#include <math.h>

#include "bars.h"
#include "chart.h"
#include "mark.h"
#include "overview.h"
#include "page_style.h"
#include "roofline.h"
#include "shown.h"
#include "words.h"

#define MARGIN 24
#define GAP 40
#define HEAD 76  /* above everything */
#define TITLE 30 /* above a chart */
#define COLUMN (BARS_WIDTH + GAP)
#define WIDTH (2 * MARGIN + COLUMN + BARS_WIDTH)

static const char style[] = ".paper{fill:" PAGE_CARD "}\n"
                            "svg .large{font-size:20px;font-weight:700}\n"
                            "@media(prefers-color-scheme:dark){.paper{fill:" PAGE_CARD_DARK "}}\n";

typedef void draw_chart(FILE *stream, const json_t *json, const char *heat);

/* Draws a chart below its title. If `stream` is NULL, nothing is drawn, and the picture is only
 * measured. */
static void put_chart(FILE *stream, double x, double y, const char *title, draw_chart *draw,
                      const json_t *json, const char *heat)
{
    if (!stream)
        return;
    fprintf(stream, "<g transform=\"translate(%.1f %.1f)\">\n", x, y);
    chart_text(stream, 0, 16, "start", "bold", title);
    fprintf(stream, "<g transform=\"translate(0 %d)\">\n", TITLE);
    draw(stream, json, heat);
    fputs("</g>\n</g>\n", stream);
}

/* Draws the bars of all cases in two columns, the next case always in the shorter column. Each of
 * these functions returns the position where it ends. */
static double put_races(FILE *stream, const json_t *results, const char *heat, double top)
{
    double ends[2] = {top, top};
    size_t index;
    const json_t *record;
    json_array_foreach(results, index, record)
    {
        int column = ends[1] < ends[0];
        char title[256];
        shown_title(record, heat, title, sizeof title);
        put_chart(stream, MARGIN + column * COLUMN, ends[column], title, bars_put, record, heat);
        ends[column] += TITLE + bars_height(record) + GAP / 2.0;
    }
    return fmax(ends[0], ends[1]);
}

static double put_overview(FILE *stream, const json_t *results, const char *heat, double top)
{
    char title[64];
    snprintf(title, sizeof title, "All cases%s%s", *heat ? ", " : "", heat);
    put_chart(stream, (WIDTH - OVERVIEW_WIDTH) / 2.0, top, title, overview_put, results, heat);
    return top + TITLE + overview_height(results);
}

static double put_roofline(FILE *stream, const json_t *results, const char *heat, double top)
{
    char title[64];
    if (!roofline_known(results, heat))
        return top;
    snprintf(title, sizeof title, "Roofline%s%s", *heat ? ", " : "", heat);
    put_chart(stream, (WIDTH - ROOFLINE_WIDTH) / 2.0, top, title, roofline_put, results, heat);
    return top + TITLE + ROOFLINE_HEIGHT;
}

static double put_charts(FILE *stream, const json_t *results)
{
    const char *heats[SHOWN_HEATS];
    double end = HEAD;
    shown_heats(json_array_get(results, 0), heats);
    for (int i = 0; heats[i]; i++) {
        end = overview_suits(results, heats[i]) ? put_overview(stream, results, heats[i], end)
                                                : put_races(stream, results, heats[i], end);
        end = put_roofline(stream, results, heats[i], end);
    }
    return end + MARGIN;
}

void race_picture_put(FILE *stream, const json_t *saved)
{
    const json_t *results = record_get(saved, "results");
    int height = (int)put_charts(NULL, results);
    char text[512];
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n"
            "<style>\n%s%s%s%s</style>\n"
            "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
            WIDTH, height, WIDTH, height, chart_style, mark_style, roofline_style, style, WIDTH,
            height);
    snprintf(text, sizeof text, "furrow bench %s", record_text(saved, "suite"));
    chart_text(stream, MARGIN, 36, "start", "large", text);
    shown_machine(saved, text, sizeof text);
    chart_text(stream, MARGIN, 58, "start", "soft", text);
    mark_legend(stream, WIDTH - MARGIN - MARK_LEGEND_WIDTH, 36);
    put_charts(stream, results);
    fputs("</svg>\n", stream);
}
