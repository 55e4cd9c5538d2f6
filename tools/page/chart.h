/* Charts as SVG, within a page or as a picture of their own: axes, lines across, text. */
#ifndef FURROW_TOOLS_CHART_H
#define FURROW_TOOLS_CHART_H

#include <stdbool.h>
#include <stdio.h>

/* The rules of the classes "grid" and "soft", which all charts have, in light and dark. */
extern const char chart_style[];

/* Values along one edge of a chart, and the pixels at their ends. */
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

/* <svg> for a page. label: what it shows, in words. */
void chart_begin(FILE *stream, int width, int height, const char *label);
void chart_end(FILE *stream);

void chart_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2);

/* anchor: start, middle or end, which is at x; class: NULL for none. */
void chart_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                const char *text);

/* The number at a value of an axis, beside the chart; `line`: and a line across. */
void chart_tick_x(const chart *c, double value, bool line, const char *number);
void chart_tick_y(const chart *c, double value, const char *number);

/* What the x axis shows, below its numbers. */
void chart_name_x(const chart *c, const char *name);

/* 1, 2 or 5 times a power of ten, of which at most `most` fit into a range. */
double chart_step(double range, int most);

#endif
