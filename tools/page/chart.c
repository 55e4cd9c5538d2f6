/* Common parts of charts. */
#include "chart.h"

#include <math.h>

#include "page_style.h"
#include "words.h"

const char chart_style[] =
    "svg text{font-size:13px;fill:" PAGE_INK ";font-variant-numeric:tabular-nums}\n"
    "svg .soft{fill:" PAGE_SOFT "}\n"
    ".grid{stroke:" PAGE_LINE "}\n"
    "@media(prefers-color-scheme:dark){svg text{fill:" PAGE_INK_DARK
    "}svg .soft{fill:" PAGE_SOFT_DARK "}.grid{stroke:" PAGE_LINE_DARK "}}\n";

static double place(const chart_axis *axis, double value)
{
    return axis->logarithmic ? log10(value) : value;
}

double chart_at(const chart_axis *axis, double value)
{
    double low = place(axis, axis->low);
    return axis->from +
           (axis->to - axis->from) * (place(axis, value) - low) / (place(axis, axis->high) - low);
}

void chart_begin(FILE *stream, int width, int height, const char *label)
{
    fprintf(stream, "<svg viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"", width, height);
    words_put(stream, label);
    fputs("\">\n", stream);
}

void chart_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

void chart_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(stream, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}

void chart_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (class)
        fprintf(stream, " class=\"%s\"", class);
    fputc('>', stream);
    words_put(stream, text);
    fputs("</text>\n", stream);
}

void chart_tick_x(const chart *c, double value, bool line, const char *number)
{
    double x = chart_at(&c->x, value);
    if (line)
        chart_line(c->stream, "grid", x, c->y.to, x, c->y.from);
    chart_text(c->stream, x, c->y.from + 20, "middle", "soft", number);
}

void chart_tick_y(const chart *c, double value, const char *number)
{
    double y = chart_at(&c->y, value);
    chart_line(c->stream, "grid", c->x.from, y, c->x.to, y);
    chart_text(c->stream, c->x.from - 8, y + 4.5, "end", "soft", number);
}

void chart_name_x(const chart *c, const char *name)
{
    chart_text(c->stream, (c->x.from + c->x.to) / 2, c->y.from + 40, "middle", "soft", name);
}

double chart_step(double range, int most)
{
    double step = pow(10, floor(log10(range / most)));
    while (range / step > most)
        step *= range / (2 * step) <= most ? 2 : range / (5 * step) <= most ? 5 : 10;
    return step;
}
