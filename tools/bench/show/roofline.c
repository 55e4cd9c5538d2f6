/* The roofline model: Williams, Waterman and Patterson 2009. The only roof is the memory rate that
 * was measured during the races. */
#include "roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "mark.h"
#include "page_style.h"
#include "race.h"
#include "shown.h"
#include "words.h"

#define LEFT 64
#define RIGHT 24
#define TOP 28
#define BOTTOM 52
#define LABELS 12 /* with more cases, none is labelled */
#define LABEL_HEIGHT 13
#define LETTER_WIDTH 7.2

const char roofline_style[] =
    ".roof{stroke:" PAGE_INK ";stroke-width:2}\n"
    "@media(prefers-color-scheme:dark){.roof{stroke:" PAGE_INK_DARK "}}\n";

/* A contender in the chart. */
typedef struct point {
    double intensity; /* operations a byte */
    double speed;     /* 10^9 operations a second */
} point;

typedef struct box {
    double x, y, width;
} box;

typedef struct plot {
    chart chart;
    double memory; /* GB/s */
    box labels[LABELS];
    int count;
} plot;

/* Returns whether a figure is plausible for a machine. A file can contain any number. */
static bool is_sane(double figure)
{
    return figure > 1e-30 && figure < 1e30;
}

/* Finds a contender's point. Returns false if its bytes or operations are not known. */
static bool find_point(const json_t *line, const char *heat, point *out)
{
    double own = record_number(line, "bytes_own");
    double bytes = own > 0 ? own : record_number(line, "bytes");
    double flops = record_number(line, "flops");
    double seconds = shown_figure(line, heat, "seconds");
    if (!(flops > 0 && bytes > 0 && seconds > 0))
        return false;
    *out = (point){flops / bytes, 1e-9 * flops / seconds};
    return is_sane(out->intensity) && is_sane(out->speed);
}

typedef void visit(void *job, const json_t *record, const json_t *line, point at);

/* Calls see() for every contender that has a point. */
static void visit_points(const json_t *results, const char *heat, visit *see, void *job)
{
    size_t i;
    size_t k;
    const json_t *record;
    const json_t *line;
    json_array_foreach(results, i, record)
    {
        json_array_foreach(record_get(record, "contenders"), k, line)
        {
            point at;
            if (find_point(line, heat, &at))
                see(job, record, line, at);
        }
    }
}

/* Extends both axes to a contender. */
static void widen(void *job, const json_t *record, const json_t *line, point at)
{
    plot *p = job;
    (void)record;
    (void)line;
    p->chart.x.low = fmin(p->chart.x.low, at.intensity);
    p->chart.x.high = fmax(p->chart.x.high, at.intensity);
    p->chart.y.low = fmin(p->chart.y.low, at.speed);
    p->chart.y.high = fmax(p->chart.y.high, at.speed);
}

bool roofline_known(const json_t *results, const char *heat)
{
    plot p = {.chart.x.low = HUGE_VAL};
    visit_points(results, heat, widen, &p);
    return isfinite(p.chart.x.low) && is_sane(shown_memory(results));
}

/* Extends the x axis to powers of two, and leaves room above and below on the y axis, where the
 * roof must be visible. */
static plot make_plot(FILE *stream, const json_t *results, const char *heat)
{
    chart_axis x = {.low = HUGE_VAL, .from = LEFT, .to = ROOFLINE_WIDTH - RIGHT};
    chart_axis y = {.low = HUGE_VAL, .from = ROOFLINE_HEIGHT - BOTTOM, .to = TOP};
    x.logarithmic = y.logarithmic = true;
    plot p = {.chart = {stream, x, y}, .memory = shown_memory(results)};
    visit_points(results, heat, widen, &p);
    p.chart.x.low = exp2(floor(log2(p.chart.x.low / 1.2)));
    p.chart.x.high = exp2(ceil(log2(p.chart.x.high * 1.2)));
    p.chart.y.low = fmin(p.chart.y.low, p.memory * p.chart.x.low) / 1.5;
    p.chart.y.high = fmax(p.chart.y.high, p.memory * p.chart.x.high) * 1.5;
    return p;
}

/* Labels powers of two. */
static void put_axis_x(const plot *p)
{
    char number[WORDS_BYTES];
    int high = (int)lround(log2(p->chart.x.high));
    for (int power = (int)lround(log2(p->chart.x.low)); power <= high; power++) {
        snprintf(number, sizeof number, power < 0 ? "1/%.0f" : "%.0f", exp2(abs(power)));
        chart_tick_x(&p->chart, exp2(power), true, number);
    }
    chart_name_x(&p->chart, "operations a byte that the kernel moves");
}

/* Labels 1, 2 and 5 times powers of ten. */
static void put_axis_y(const plot *p)
{
    static const int digits[] = {1, 2, 5};
    char number[WORDS_BYTES];
    int first = 3 * (int)floor(log10(p->chart.y.low));
    int last = 3 * (int)ceil(log10(p->chart.y.high));
    for (int i = first; i < last; i++) {
        double y = digits[(i - first) % 3] * pow(10, floor(i / 3.0));
        snprintf(number, sizeof number, "%g", y);
        if (y >= p->chart.y.low && y <= p->chart.y.high)
            chart_tick_y(&p->chart, y, number);
    }
    chart_text(p->chart.stream, LEFT - 8, TOP - 14, "end", "soft", "Gflop/s");
}

static void put_roof(const plot *p)
{
    char text[WORDS_BYTES];
    double low = p->chart.x.low;
    double high = p->chart.x.high;
    double x = chart_at(&p->chart.x, low);
    double y = chart_at(&p->chart.y, p->memory * low);
    double end_x = chart_at(&p->chart.x, high);
    double end_y = chart_at(&p->chart.y, p->memory * high);
    double angle = atan2(end_y - y, end_x - x);
    chart_line(p->chart.stream, "roof", x, y, end_x, end_y);
    snprintf(text, sizeof text, "memory: %.*f GB/s", p->memory < 100 ? 1 : 0, p->memory);
    fprintf(p->chart.stream, "<g transform=\"translate(%.1f %.1f) rotate(%.1f)\">\n", x, y,
            angle * 45 / atan(1));
    chart_text(p->chart.stream, 12, -8, "start", "bold", text);
    fputs("</g>\n", p->chart.stream);
}

static void put_point(void *job, const json_t *record, const json_t *line, point at)
{
    const plot *p = job;
    char name[256];
    char title[512];
    shown_title(record, "", name, sizeof name);
    snprintf(title, sizeof title, "%s, %s: %.3g flop/byte, %.3g Gflop/s", name,
             record_text(line, "name"), at.intensity, at.speed);
    mark_put(p->chart.stream, chart_at(&p->chart.x, at.intensity), chart_at(&p->chart.y, at.speed),
             shown_role(line), title);
}

/* Returns whether a label would overlap another one or the edge. */
static bool is_taken(const plot *p, box b)
{
    if (b.x + b.width > ROOFLINE_WIDTH)
        return true;
    for (int i = 0; i < p->count; i++) {
        const box *other = &p->labels[i];
        if (b.x < other->x + other->width && other->x < b.x + b.width &&
            fabs(b.y - other->y) < LABEL_HEIGHT)
            return true;
    }
    return false;
}

/* Writes the case's name next to the choice of auto, at the first free place of a list. */
static void put_label(void *job, const json_t *record, const json_t *line, point at)
{
    static const struct {
        double side; /* 0: on the right; -1: on the left */
        double below;
    } places[] = {{0, 4.5}, {0, 18}, {0, -9}, {-1, 4.5}, {-1, 18}, {-1, -9}, {0, 32}, {0, -23}};
    plot *p = job;
    char title[256];
    if (line != shown_auto(record))
        return;
    shown_title(record, "", title, sizeof title);
    double x = chart_at(&p->chart.x, at.intensity);
    double width = LETTER_WIDTH * (double)strlen(title);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        box b = {places[i].side < 0 ? x - 11 - width : x + 11,
                 chart_at(&p->chart.y, at.speed) + places[i].below, width};
        if (!is_taken(p, b)) {
            chart_text(p->chart.stream, b.x, b.y, "start", NULL, title);
            p->labels[p->count++] = b;
            return;
        }
    }
}

void roofline_put(FILE *stream, const json_t *results, const char *heat)
{
    plot p = make_plot(stream, results, heat);
    put_axis_x(&p);
    put_axis_y(&p);
    put_roof(&p);
    visit_points(results, heat, put_point, &p);
    if (json_array_size(results) <= LABELS)
        visit_points(results, heat, put_label, &p);
}
