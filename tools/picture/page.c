/* What pages for browsers share. */
#include "page.h"

#include "report_style.h"

void page_begin(FILE *stream, const char *title, const char *style)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; img-src data:\">\n<title>",
          stream);
    words_put(stream, title);
    fprintf(stream, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n", report_style,
            style);
}

void page_end(FILE *stream)
{
    fputs("</main>\n</body>\n</html>\n", stream);
}

void page_time(double seconds, char out[WORDS_BYTES])
{
    double scale = seconds >= 1.0 ? 1.0 : seconds >= 1e-3 ? 1e3 : 1e6;
    const char *unit = seconds >= 1.0 ? "s" : seconds >= 1e-3 ? "ms" : "µs";
    double number = scale * seconds;
    int decimals = number >= 100.0 ? 0 : number >= 10.0 ? 1 : 2;
    snprintf(out, WORDS_BYTES, "%.*f %s", decimals, number, unit);
}

void page_count(double count, char out[WORDS_BYTES])
{
    words_number(count, 0, out);
}

void page_row(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, text);
}

void page_time_row(FILE *stream, const char *name, double seconds)
{
    char text[WORDS_BYTES];
    page_time(seconds, text);
    page_row(stream, name, text);
}

void page_put_origin(FILE *stream, fur_context *context)
{
    int threads = fur_context_threads(context);
    fprintf(stream, "Measured on %s (%s) with %d %s by furrow %s", fur_context_device(context),
            fur_context_isa(context), threads, threads == 1 ? "thread" : "threads", fur_version());
}
