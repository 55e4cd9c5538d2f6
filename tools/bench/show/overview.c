/* The speed-ups of all contenders on a logarithmic scale. */
#include "overview.h"

#include <math.h>

#include "chart.h"
#include "mark.h"
#include "shown.h"
#include "words.h"

#define CASES_LEAST 6
#define ROW 22
#define SLOWEST 0.2 /* slower contenders are drawn at the left end */
#define LEFT 270
#define RIGHT 200
#define TOP 14
#define BOTTOM 52

/* Finds the range of speed-ups on the axis. Returns the number of cases that have any. */
static int find_range(const json_t *results, const char *heat, chart_axis *x)
{
    size_t i;
    size_t k;
    const json_t *record;
    const json_t *line;
    int cases = 0;
    *x = (chart_axis){.low = 1, .high = 1, .from = LEFT, .to = OVERVIEW_WIDTH - RIGHT};
    x->logarithmic = true;
    json_array_foreach(results, i, record)
    {
        cases += shown_auto(record) && shown_ratio(shown_auto(record), heat) > 0;
        json_array_foreach(record_get(record, "contenders"), k, line)
        {
            double ratio = shown_ratio(line, heat);
            x->low = ratio > 0 ? fmin(x->low, fmax(SLOWEST, ratio / 1.1)) : x->low;
            x->high = fmax(x->high, ratio * 1.1);
        }
    }
    return cases;
}

bool overview_suits(const json_t *results, const char *heat)
{
    chart_axis x;
    return find_range(results, heat, &x) >= CASES_LEAST;
}

int overview_height(const json_t *results)
{
    return TOP + ROW * (int)json_array_size(results) + BOTTOM;
}

static void put_mark(const chart *c, double y, const json_t *line, double ratio, const char *title)
{
    mark_put(c->stream, chart_at(&c->x, fmax(ratio, c->x.low)), y, shown_role(line), title);
}

/* Draws a case's name, its contenders, and on the right the choice of auto. */
static void put_case(const chart *c, double y, const json_t *record, const char *heat)
{
    char text[256];
    size_t index;
    const json_t *line;
    const json_t *chosen = shown_auto(record);
    shown_title(record, "", text, sizeof text);
    chart_text(c->stream, LEFT - 12, y + 4.5, "end", NULL, text);
    chart_line(c->stream, "grid", c->x.from, y, c->x.to, y);
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        double ratio = shown_ratio(line, heat);
        snprintf(text, sizeof text, "%s: %.2f ×", record_text(line, "name"), ratio);
        if (ratio > 0 && line != chosen)
            put_mark(c, y, line, ratio, text);
    }
    if (shown_ratio(chosen, heat) > 0) {
        snprintf(text, sizeof text, "%.2f × %s", shown_ratio(chosen, heat),
                 record_text(chosen, "kernel"));
        put_mark(c, y, chosen, shown_ratio(chosen, heat), text);
        chart_text(c->stream, c->x.to + 14, y + 4.5, "start", NULL, text);
    }
}

static void put_axis(const chart *c)
{
    static const double ticks[] = {SLOWEST, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100};
    char number[WORDS_BYTES];
    double even = chart_at(&c->x, 1);
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        snprintf(number, sizeof number, "%s%g ×", ticks[i] > SLOWEST ? "" : "≤ ", ticks[i]);
        if (ticks[i] >= c->x.low && ticks[i] <= c->x.high)
            chart_tick_x(c, ticks[i], true, number);
    }
    chart_line(c->stream, "even", even, c->y.to, even, c->y.from);
}

void overview_put(FILE *stream, const json_t *results, const char *heat)
{
    chart c = {.stream = stream};
    size_t index;
    const json_t *record;
    char name[128];
    find_range(results, heat, &c.x);
    c.y = (chart_axis){.from = overview_height(results) - BOTTOM, .to = TOP};
    put_axis(&c);
    snprintf(name, sizeof name, "speed relative to %.80s",
             record_text(json_array_get(results, 0), "against"));
    chart_name_x(&c, name);
    json_array_foreach(results, index, record)
        put_case(&c, TOP + ROW * ((double)index + 0.5), record, heat);
}
