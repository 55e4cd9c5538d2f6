/* Draws the picture of a convergence. */
#include "curve.h"

#include <math.h>

#include "chart.h"
#include "words.h"

#define WIDTH 960
#define HEIGHT 380
#define LEFT 76
#define RIGHT 16
#define TOP 28
#define BOTTOM 48

/* A longer history is drawn as the largest and smallest residual of this number of groups. */
#define GROUPS 700

#define LINES_ACROSS 8
#define TICKS 8

/* Smaller residuals are drawn at this value. */
#define DEEPEST 1e-20

const char curve_style[] =
    ".asked{stroke:var(--soft);stroke-dasharray:5 4}\n"
    ".begin{stroke:var(--old)}\n"
    ".carried{fill:none;stroke:var(--new);stroke-width:2;stroke-linejoin:round}\n"
    ".dot{fill:var(--warm)}\n";

typedef struct plot {
    chart chart;
    const watch *w;
} plot;

static double x_of(const plot *p, double iteration)
{
    return chart_at(&p->chart.x, iteration);
}

static double y_of(const plot *p, double residual)
{
    return chart_at(&p->chart.y, fmax(residual, DEEPEST));
}

/* Returns the iteration of a point, counted through all attempts. */
static double place(const watch *w, int64_t i)
{
    double before = 0;
    for (int64_t k = 1; k <= i; k++)
        if (w->points[k].attempt != w->points[k - 1].attempt)
            before += (double)w->points[k - 1].iteration;
    return before + (double)w->points[i].iteration;
}

/* Extends the axis to the powers of ten around a residual. */
static void widen(chart_axis *y, double residual)
{
    if (isfinite(residual) && residual > 0) {
        y->high = fmax(y->high, pow(10, ceil(log10(residual))));
        y->low = fmin(y->low, pow(10, floor(log10(fmax(residual, DEEPEST)))));
    }
}

static plot plot_of(FILE *stream, const watch *w)
{
    chart_axis x = {.high = 1, .from = LEFT, .to = WIDTH - RIGHT};
    chart_axis y = {.low = 1, .high = 1, .from = HEIGHT - BOTTOM, .to = TOP, .logarithmic = true};
    widen(&y, w->rtol);
    for (int64_t i = 0; i < w->count; i++) {
        widen(&y, w->points[i].residual);
        widen(&y, w->points[i].true_residual);
    }
    if (w->count > 0)
        x.high = fmax(1, place(w, w->count - 1));
    return (plot){{stream, x, y}, w};
}

static void put_axes(const plot *p)
{
    char number[WORDS_BYTES];
    int high = (int)lround(log10(p->chart.y.high));
    int low = (int)lround(log10(p->chart.y.low));
    int step = (int)fmax(1, ceil((double)(high - low) / LINES_ACROSS));
    for (int at = high; at >= low; at -= step) {
        snprintf(number, sizeof number, at == 0 ? "1" : "1e%d", at);
        chart_tick_y(&p->chart, pow(10, at), number);
    }
    double stride = fmax(1, chart_step(p->chart.x.high, TICKS));
    for (int tick = 0; tick * stride <= p->chart.x.high; tick++) {
        words_number(tick * stride, 0, number);
        chart_tick_x(&p->chart, tick * stride, false, number);
    }
    chart_name_x(&p->chart, "iteration");
}

static void put_target(const plot *p)
{
    double y = y_of(p, p->w->rtol);
    chart_line(p->chart.stream, "asked", LEFT, y, WIDTH - RIGHT, y);
    chart_text(p->chart.stream, LEFT + 6, y - 5, "start", "soft", "asked for");
}

/* Marks the start of an attempt with the name of its method. */
static void put_begin(const plot *p, double iteration, const char *label)
{
    double x = x_of(p, iteration);
    chart_line(p->chart.stream, "begin", x, TOP, x, HEIGHT - BOTTOM);
    chart_text(p->chart.stream, x + 4, TOP - 9, "start", "soft", label);
}

static void put_point(const plot *p, double iteration, double residual, char *command)
{
    if (!isfinite(residual))
        return;
    fprintf(p->chart.stream, "%c%.1f %.1f", *command, x_of(p, iteration), y_of(p, residual));
    *command = 'L';
}

/* Draws points from..to-1 of an attempt as a line: the extremes of each group, in their order. */
static void put_carried(const plot *p, int64_t from, int64_t to, double before)
{
    int64_t group = 1 + p->w->count / GROUPS;
    char command = 'M';
    fputs("<path class=\"carried\" d=\"", p->chart.stream);
    for (int64_t i = from; i < to; i += group) {
        int64_t least = i;
        int64_t most = i;
        for (int64_t k = i; k < to && k < i + group; k++) {
            least = p->w->points[k].residual < p->w->points[least].residual ? k : least;
            most = p->w->points[k].residual > p->w->points[most].residual ? k : most;
        }
        int64_t first = least < most ? least : most;
        int64_t second = least < most ? most : least;
        put_point(p, before + (double)p->w->points[first].iteration, p->w->points[first].residual,
                  &command);
        if (second != first)
            put_point(p, before + (double)p->w->points[second].iteration,
                      p->w->points[second].residual, &command);
    }
    fputs("\"/>\n", p->chart.stream);
}

/* Draws a dot for each true residual. Nothing is known between them. */
static void put_true(const plot *p, int64_t from, int64_t to, double before)
{
    for (int64_t i = from; i < to; i++)
        if (isfinite(p->w->points[i].true_residual))
            fprintf(p->chart.stream, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                    x_of(p, before + (double)p->w->points[i].iteration),
                    y_of(p, p->w->points[i].true_residual));
}

void curve_put(FILE *stream, const watch *w, const char *const labels[])
{
    plot p = plot_of(stream, w);
    chart_begin(stream, WIDTH, HEIGHT, "Residual by iteration");
    put_axes(&p);
    put_target(&p);
    double before = 0;
    for (int64_t from = 0, to; from < w->count; from = to) {
        int attempt = w->points[from].attempt;
        for (to = from; to < w->count && w->points[to].attempt == attempt; to++)
            ;
        put_begin(&p, before, labels[attempt - 1]);
        put_carried(&p, from, to, before);
        put_true(&p, from, to, before);
        before += (double)w->points[to - 1].iteration;
    }
    chart_end(stream);
}
