/* Charts as SVG, within a page or in a separate file: axes, grid lines, text. */
#ifndef FURROW_TOOLS_CHART_H
#define FURROW_TOOLS_CHART_H

#include <stdbool.h>
#include <stdio.h>

/* Style rules of the classes "grid" and "soft" of all charts, in light and dark. */
extern const char chart_style[];

/* Values along an edge of a chart, and the pixels at both ends. */
typedef struct chart_axis {
    double low;
    double high;
    double from;
    double to;
    bool logarithmic;
} chart_axis;

double chart_at(const chart_axis *axis, double value);

typedef struct chart {
    FILE *stream;
    chart_axis x;
    chart_axis y;
} chart;

/* Opens <svg> in a page. label: description of the chart in words. */
void chart_begin(FILE *stream, int width, int height, const char *label);
void chart_end(FILE *stream);

void chart_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2);

/* Writes text. anchor: start, middle or end of the text lies at x. class: NULL for none. */
void chart_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                const char *text);

/* Writes the number at a value of an axis, beside the chart. `line`: adds a grid line. */
void chart_tick_x(const chart *c, double value, bool line, const char *number);
void chart_tick_y(const chart *c, double value, const char *number);

/* Writes the name of the x axis below its numbers. */
void chart_name_x(const chart *c, const char *name);

/* Returns 1, 2 or 5 times a power of ten: a step that fits into a range at most `most` times. */
double chart_step(double range, int most);

#endif
