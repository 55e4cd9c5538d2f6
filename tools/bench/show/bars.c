/* Bars of a race: name, bar, speed-up, time and rate of each contender. */
#include "bars.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "chart.h"
#include "page.h"
#include "shown.h"

#define ROW 24
#define HEAD 26 /* above the first bar */
#define BAR 12
#define BASE 17 /* baseline of a row's text */

/* Positions of the columns: the two ends of the bars, and the right ends of the figures. */
#define BAR_FROM 216
#define BAR_TO 384
#define RATIO_AT 454
#define TIME_AT 530
#define RATE_AT BARS_WIDTH

/* The bars of one case. If there is nothing to compare with, speeds are relative to the fastest. */
typedef struct panel {
    FILE *stream;
    const char *heat;
    const char *taken; /* the kernel that auto has chosen, or "" */
    bool compared;
    double least; /* shortest time in seconds */
    chart_axis speed;
} panel;

int bars_height(const json_t *record)
{
    return HEAD + ROW * (int)json_array_size(record_get(record, "contenders")) + 4;
}

static double speed(const panel *p, const json_t *line)
{
    return p->compared ? shown_ratio(line, p->heat)
                       : p->least / shown_figure(line, p->heat, "seconds");
}

static panel make_panel(FILE *stream, const json_t *record, const char *heat)
{
    const json_t *lines = record_get(record, "contenders");
    panel p = {.stream = stream,
               .heat = heat,
               .taken = record_text(shown_auto(record), "kernel"),
               .compared = *record_text(record, "against"),
               .least = HUGE_VAL,
               .speed = {.high = 1, .from = BAR_FROM, .to = BAR_TO}};
    size_t index;
    const json_t *line;
    json_array_foreach(lines, index, line)
    {
        p.compared = p.compared && shown_ratio(line, heat) > 0;
        p.least = fmin(p.least, shown_figure(line, heat, "seconds"));
    }
    json_array_foreach(lines, index, line)
    {
        p.speed.high = fmax(p.speed.high, speed(&p, line));
    }
    return p;
}

/* Writes the name, and the kernel if it has another name. */
static void put_name(const panel *p, double y, const json_t *line)
{
    const char *name = record_text(line, "name");
    const char *kernel = record_text(line, "kernel");
    char text[WORDS_BYTES];
    bool both = *kernel && strcmp(name, kernel) != 0;
    snprintf(text, sizeof text, "%.40s%s%.20s", name, both ? ": " : "", both ? kernel : "");
    chart_text(p->stream, 0, y + BASE, "start", shown_role(line) == RACE_AUTO ? "bold" : NULL,
               text);
}

static void put_bar(const panel *p, double y, const json_t *line)
{
    double end = chart_at(&p->speed, speed(p, line));
    fprintf(p->stream,
            "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n",
            record_text(line, "role"), BAR_FROM, y + (ROW - BAR) / 2.0, fmax(1, end - BAR_FROM),
            BAR);
    if (*p->taken && strcmp(record_text(line, "kernel"), p->taken) == 0 &&
        shown_role(line) != RACE_PEER)
        fprintf(p->stream, "<path class=\"taken\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", end + 8,
                y + ROW / 2.0 - 5);
}

static void put_figures(const panel *p, double y, const json_t *line)
{
    char text[WORDS_BYTES];
    if (p->compared) {
        snprintf(text, sizeof text, "%.2f ×", speed(p, line));
        chart_text(p->stream, RATIO_AT, y + BASE, "end", NULL, text);
    }
    page_time(shown_figure(line, p->heat, "seconds"), text);
    chart_text(p->stream, TIME_AT, y + BASE, "end", NULL, text);
    snprintf(text, sizeof text, "%.1f", shown_figure(line, p->heat, "gbps"));
    chart_text(p->stream, RATE_AT, y + BASE, "end", NULL, text);
}

static void put_head(const panel *p, int height)
{
    if (p->compared) {
        double x = chart_at(&p->speed, 1);
        chart_line(p->stream, "even", x, HEAD - 4, x, height);
        chart_text(p->stream, x + 2, BASE - 4, "end", "soft", "1 ×");
        chart_text(p->stream, RATIO_AT, BASE - 4, "end", "soft", "speed-up");
    }
    chart_text(p->stream, TIME_AT, BASE - 4, "end", "soft", "time");
    chart_text(p->stream, RATE_AT, BASE - 4, "end", "soft", "GB/s");
}

void bars_put(FILE *stream, const json_t *record, const char *heat)
{
    panel p = make_panel(stream, record, heat);
    size_t index;
    const json_t *line;
    put_head(&p, bars_height(record));
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        double y = HEAD + ROW * (double)index;
        put_name(&p, y, line);
        put_bar(&p, y, line);
        put_figures(&p, y, line);
    }
}
