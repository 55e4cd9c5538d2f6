/* Lines of any length, taken apart word by word. */
#include "mmio_line.h"
#include "mmio.h"
#include "number.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int fur_line_read(FILE *f, fur_line *line)
{
    ssize_t length = getline(&line->text, &line->capacity, f);
    if (length < 0)
        return feof(f) ? MM_PREMATURE_EOF : MM_COULD_NOT_READ_FILE;
    line->at = line->text;
    line->end = line->text + length;
    return 0;
}

/* Blanks and line ends. A CR counts as one only before the line's end, which is why another one
 * makes the word around it unreadable. */
static bool is_blank(const fur_line *line, const char *at)
{
    if (*at == '\r')
        return at + 1 == line->end || at[1] == '\n';
    return *at == ' ' || *at == '\t' || *at == '\n';
}

static void skip_blanks(fur_line *line)
{
    while (line->at < line->end && is_blank(line, line->at))
        line->at++;
}

int fur_line_read_content(FILE *f, fur_line *line)
{
    int error;
    do {
        error = fur_line_read(f, line);
        if (!error)
            skip_blanks(line);
    } while (!error && (line->at == line->end || *line->at == '%'));
    return error;
}

void fur_line_release(fur_line *line)
{
    free(line->text);
}

bool fur_line_word(fur_line *line, const char **begin, const char **end)
{
    skip_blanks(line);
    *begin = line->at;
    while (line->at < line->end && !is_blank(line, line->at))
        line->at++;
    *end = line->at;
    return *begin < *end;
}

bool fur_line_take(fur_line *line, const char *word)
{
    const char *begin, *end, *start = line->at;
    fur_line_word(line, &begin, &end);
    while (begin < end && *word) {
        char lower = *begin >= 'A' && *begin <= 'Z' ? (char)(*begin + 32) : *begin;
        if (lower != *word)
            break;
        begin++;
        word++;
    }
    if (begin == end && !*word)
        return true;
    line->at = start;
    return false;
}

bool fur_line_is_done(fur_line *line)
{
    skip_blanks(line);
    return line->at == line->end;
}

int fur_line_int(fur_line *line, int least, int *out)
{
    const char *begin, *end;
    fur_number number;
    fur_line_word(line, &begin, &end);
    if (!fur_number_scan(begin, end, &number) || !number.integer)
        return MM_NOT_MTX;
    if (number.negative && (number.significand > 0 || !number.exact))
        return MM_NOT_MTX;
    if (!number.exact || number.significand > INT_MAX)
        return MM_UNSUPPORTED_TYPE;
    if ((int)number.significand < least)
        return MM_NOT_MTX;
    *out = (int)number.significand;
    return 0;
}

int fur_line_double(fur_line *line, bool integer, double *out)
{
    const char *begin, *end;
    fur_number number;
    fur_line_word(line, &begin, &end);
    if (!fur_number_scan(begin, end, &number))
        return MM_NOT_MTX;
    if (integer && number.kind == FUR_NUMBER_FINITE && !number.integer)
        return MM_NOT_MTX;
    *out = fur_number_f64(&number);
    return 0;
}
