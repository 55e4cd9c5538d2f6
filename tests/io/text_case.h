/* A Matrix Market text and the outcome expected when it is read, for tables of such cases. */
#ifndef FURROW_TESTS_TEXT_CASE_H
#define FURROW_TESTS_TEXT_CASE_H

#include "reader.h"
#include "scratch.h"

#define CASE_FILE "a.mtx"

/* Initialises the members text and size from a literal. The text may hold NUL bytes. */
#define TEXT(literal) .text = (literal), .size = sizeof(literal) - 1

typedef struct text_case {
    int number; /* number of the case in the table's own list; 0: none */
    const char *what;
    const char *text;
    size_t size;
    const char *fill; /* replaces a ~ in the text, `times` times; NULL: none */
    int times;
    fur_mtx_read_options options; /* the member `size` is not set */
    fur_status status;
    const char *outcome;  /* text of print_dense, or the sentence after the file's name */
    const char *warnings; /* warnings after the file's name, each with a line end; NULL: none */
} text_case;

static inline void print_entry(fur_scalar entry, bool complex, FILE *out)
{
    fprintf(out, "%.17g", entry.re);
    if (complex)
        fprintf(out, ",%.17g", entry.im);
}

/* Prints the stored entries of a column, from entry k of a row on. Returns the next entry. */
static inline int64_t print_position(const fur_csr_view *view, int64_t k, int64_t end, int64_t col,
                                     FILE *out)
{
    int64_t first = k;
    for (; k < end && view->columns[k] == col; k++) {
        fputs(k > first ? "+" : "", out);
        print_entry(entry_get(view->value_type, view->values, k),
                    value_is_complex(view->value_type), out);
    }
    fputs(k > first ? "" : ".", out);
    return k;
}

/* Prints the matrix as a dense text. ";" separates rows. An entry is "re" or "re,im", "." if none
 * is stored. "+" joins several entries at one position. */
static inline void print_dense(const fur_csr *matrix, char *text, size_t room)
{
    fur_csr_view view = *fur_csr_get(matrix);
    FILE *out = fmemopen(text, room, "w");
    for (int64_t row = 0; row < view.rows; row++) {
        int64_t k = offset_at(&view, row), end = offset_at(&view, row + 1);
        fputs(row > 0 ? "; " : "", out);
        for (int64_t col = 0; col < view.cols; col++) {
            fputs(col > 0 ? " " : "", out);
            k = print_position(&view, k, end, col, out);
        }
    }
    fputc('\0', out);
    fclose(out);
}

/* Returns the part of the sentence after the file's name, or all if the name is not at its
 * beginning. */
static inline const char *behind_name(const char *sentence)
{
    size_t length = strlen(CASE_FILE ":");
    return strncmp(sentence, CASE_FILE ":", length) == 0 ? sentence + length : sentence;
}

/* Appends the sentence to a text of WARNINGS_ROOM bytes. Use it for the option `warn`. */
#define WARNINGS_ROOM 4096
static inline void append_warning(void *user, const char *sentence)
{
    char *text = user;
    size_t length = strlen(text);
    snprintf(text + length, WARNINGS_ROOM - length, "%s\n", behind_name(sentence));
}

static inline void write_case(const text_case *c)
{
    FILE *file = fopen(CASE_FILE, "wb");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < c->size; i++)
        if (c->text[i] != '~' || !c->fill)
            fputc(c->text[i], file);
        else
            for (int k = 0; k < c->times; k++)
                fputs(c->fill, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Reads the file at `path` in blocks of `block` bytes. */
static inline fur_status read_blocks(fur_context *context, const char *path, size_t block,
                                     const fur_mtx_read_options *options, fur_csr **out)
{
    return fur_reader_read(context, &(fur_input_request){.path = path}, block, options, out);
}

/* Reads the file with the given threads and block size, and checks the outcome. */
static inline void read_case(const text_case *c, int threads, size_t block)
{
    char found[1024], warnings[WARNINGS_ROOM] = "";
    fur_context *context = context_make(NULL, threads);
    fur_mtx_read_options options = c->options;
    options.size = sizeof options;
    options.warn = append_warning;
    options.user = warnings;
    fur_csr *matrix = NULL;
    fur_status status = read_blocks(context, CASE_FILE, block, &options, &matrix);
    ck_assert((matrix != NULL) == (status == FUR_OK));
    if (status == FUR_OK)
        print_dense(matrix, found, sizeof found);
    else
        snprintf(found, sizeof found, "%s", behind_name(fur_context_error(context)));
    ck_assert_msg(status == c->status && strcmp(found, c->outcome) == 0,
                  "%d, %s: %d threads, blocks of %zu: %s: %s", c->number, c->what, threads, block,
                  fur_status_name(status), found);
    ck_assert_msg(strcmp(warnings, c->warnings ? c->warnings : "") == 0,
                  "%d, %s: %d threads, blocks of %zu warn: %s", c->number, c->what, threads, block,
                  warnings);
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}

/* Checks that the outcome is right for any number of threads and any block size. */
static inline void check_case(const text_case *c)
{
    static const size_t blocks[] = {0, 1, 50};
    write_case(c);
    for (int threads = 1; threads <= 5; threads += 2)
        for (int i = 0; i < COUNT_OF(blocks); i++)
            read_case(c, threads, blocks[i]);
}

#endif
