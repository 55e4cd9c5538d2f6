/* The picture of a convergence. */
#include "curve.h"

#include <math.h>

#include "words.h"

#define WIDTH 960
#define HEIGHT 380
#define LEFT 76
#define RIGHT 16
#define TOP 28
#define BOTTOM 44

/* Longer histories are drawn by the largest and least residual of so many groups. */
#define GROUPS 700

#define LINES_ACROSS 8
#define TICKS 8

/* Below what was asked for, residuals are not told apart. */
#define DEEPEST 1e-20

const char curve_style[] =
    "figure svg{display:block;width:100%;height:auto}\n"
    "svg text{font-size:13px;fill:var(--soft)}\n"
    ".grid{stroke:var(--line)}\n"
    ".asked{stroke:var(--soft);stroke-dasharray:5 4}\n"
    ".begin{stroke:var(--old)}\n"
    ".carried{fill:none;stroke:var(--new);stroke-width:2;stroke-linejoin:round}\n"
    ".true{fill:none;stroke:var(--warm);stroke-width:1.5;stroke-dasharray:2 3}\n"
    ".dot{fill:var(--warm)}\n"
    ":root{--warm:#c2410c}\n"
    "@media(prefers-color-scheme:dark){:root{--warm:#fb923c}}\n";

/* Where things are. */
typedef struct plot {
    FILE *stream;
    const watch *w;
    double high; /* log10 at the top */
    double low;
    double last; /* iteration at the right */
} plot;

static double x_of(const plot *p, double iteration)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * iteration / p->last;
}

static double y_of(const plot *p, double residual)
{
    double at = log10(fmax(residual, DEEPEST));
    return TOP + (HEIGHT - TOP - BOTTOM) * (p->high - at) / (p->high - p->low);
}

/* The iteration of a point, counted through all attempts. */
static double place(const watch *w, int64_t i)
{
    double before = 0;
    for (int64_t k = 1; k <= i; k++)
        if (w->points[k].attempt != w->points[k - 1].attempt)
            before += (double)w->points[k - 1].iteration;
    return before + (double)w->points[i].iteration;
}

static void widen(plot *p, double residual)
{
    if (isfinite(residual) && residual > 0) {
        p->high = fmax(p->high, ceil(log10(residual)));
        p->low = fmin(p->low, floor(log10(fmax(residual, DEEPEST))));
    }
}

static plot plot_of(FILE *stream, const watch *w)
{
    plot p = {.stream = stream, .w = w, .high = 0, .low = floor(log10(w->rtol))};
    for (int64_t i = 0; i < w->count; i++) {
        widen(&p, w->points[i].residual);
        widen(&p, w->points[i].true_residual);
    }
    p.last = w->count > 0 ? fmax(1, place(w, w->count - 1)) : 1;
    return p;
}

/* 1, 2 or 5 times a power of ten, of which at most `most` fit. */
static double step_for(double range, int most)
{
    double step = pow(10, floor(log10(range / most)));
    while (range / step > most)
        step *= range / (2 * step) <= most ? 2 : range / (5 * step) <= most ? 5 : 10;
    return step;
}

static void put_axes(const plot *p)
{
    int step = (int)fmax(1, ceil((p->high - p->low) / LINES_ACROSS));
    for (int at = (int)p->high; at >= (int)p->low; at -= step) {
        double y = y_of(p, pow(10, at));
        fprintf(p->stream,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%d</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 8, y + 4.5, at == 0 ? "" : "1e",
                at == 0 ? 1 : at);
    }
    double stride = fmax(1, step_for(p->last, TICKS));
    for (int tick = 0; tick * stride <= p->last; tick++) {
        char number[WORDS_BYTES];
        double at = tick * stride;
        words_number(at, 0, number);
        fprintf(p->stream, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x_of(p, at), HEIGHT - BOTTOM + 20, number);
    }
    fprintf(p->stream, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">iteration</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4);
}

static void put_target(const plot *p)
{
    double y = y_of(p, p->w->rtol);
    fprintf(p->stream,
            "<line class=\"asked\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
            "<text x=\"%d\" y=\"%.1f\">asked for</text>\n",
            LEFT, y, WIDTH - RIGHT, y, LEFT + 6, y - 5);
}

/* Where an attempt begins, and which method it has. */
static void put_begin(const plot *p, double iteration, const char *label)
{
    double x = x_of(p, iteration);
    fprintf(p->stream,
            "<line class=\"begin\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
            "<text x=\"%.1f\" y=\"%d\">",
            x, TOP, x, HEIGHT - BOTTOM, x + 4, TOP - 9);
    words_put(p->stream, label);
    fputs("</text>\n", p->stream);
}

static void put_point(const plot *p, double iteration, double residual, char *command)
{
    if (!isfinite(residual))
        return;
    fprintf(p->stream, "%c%.1f %.1f", *command, x_of(p, iteration), y_of(p, residual));
    *command = 'L';
}

/* The line of an attempt's points from..to-1: of each group the extremes, in their order. */
static void put_carried(const plot *p, int64_t from, int64_t to, double before)
{
    int64_t group = 1 + p->w->count / GROUPS;
    char command = 'M';
    fputs("<path class=\"carried\" d=\"", p->stream);
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
    fputs("\"/>\n", p->stream);
}

/* The true residuals that are known, with a dot each. */
static void put_true(const plot *p, int64_t from, int64_t to, double before)
{
    char command = 'M';
    fputs("<path class=\"true\" d=\"", p->stream);
    for (int64_t i = from; i < to; i++)
        put_point(p, before + (double)p->w->points[i].iteration, p->w->points[i].true_residual,
                  &command);
    fputs("\"/>\n", p->stream);
    for (int64_t i = from; i < to; i++)
        if (isfinite(p->w->points[i].true_residual))
            fprintf(p->stream, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
                    x_of(p, before + (double)p->w->points[i].iteration),
                    y_of(p, p->w->points[i].true_residual));
}

void curve_put(FILE *stream, const watch *w, const char *const labels[])
{
    plot p = plot_of(stream, w);
    fprintf(stream,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Residual by iteration\">\n",
            WIDTH, HEIGHT);
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
    fputs("</svg>\n", stream);
}
