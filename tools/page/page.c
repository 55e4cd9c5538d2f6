/* Common parts of pages for browsers. */
#include "page.h"

#include <furrow/author/context.h>

#include "page_style.h"
#include "chart.h"

void page_begin(FILE *stream, const char *title, const char *style)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; img-src data:\">\n<title>",
          stream);
    words_put(stream, title);
    fprintf(stream, "</title>\n<style>\n%s%s%s</style>\n</head>\n<body>\n<main>\n", page_style,
            chart_style, style);
}

void page_end(FILE *stream)
{
    fputs("</main>\n</body>\n</html>\n", stream);
}

void page_header(FILE *stream, const char *kind, const char *name, const char *facts)
{
    fprintf(stream, "<header>\n<p>%s</p>\n<h1>", kind);
    words_put(stream, name);
    fputs("</h1>\n<p>", stream);
    words_put(stream, facts);
    fputs("</p>\n</header>\n", stream);
}

void page_card(FILE *stream, const char *title, const char *figure, const char *note)
{
    fputs("<div class=\"card\"><p>", stream);
    words_put(stream, title);
    fputs("</p><p class=\"change\">", stream);
    words_put(stream, figure);
    fputs("</p><p>", stream);
    words_put(stream, note);
    fputs("</p></div>\n", stream);
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

page_origin page_origin_of(fur_context *context)
{
    return (page_origin){fur_context_device(context), fur_context_isa(context),
                         fur_context_threads(context), fur_version()};
}

void page_put_origin(FILE *stream, const page_origin *origin)
{
    fprintf(stream, "Measured on %s (%s) with %d %s by furrow %s", origin->device, origin->isa,
            origin->threads, origin->threads == 1 ? "thread" : "threads", origin->version);
}

void page_put_base64(FILE *stream, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)byte[i] << 16 | (left > 1 ? (uint32_t)byte[i + 1] << 8 : 0U) |
                         (left > 2 ? (uint32_t)byte[i + 2] : 0U);
        fputc(digits[group >> 18], stream);
        fputc(digits[group >> 12 & 63], stream);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', stream);
        fputc(left > 2 ? digits[group & 63] : '=', stream);
    }
}
