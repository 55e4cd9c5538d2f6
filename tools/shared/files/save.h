/* Writes matrices and vectors as Matrix Market or binary files, according to their names. */
#ifndef FURROW_SAVE_H
#define FURROW_SAVE_H

#include "command.h"

typedef enum save_format { SAVE_BY_NAME, SAVE_TEXT, SAVE_BINARY } save_format;

/* The path and the format of a file to write. */
typedef struct save_target {
    const char *path; /* NULL: nowhere; "-": standard output */
    save_format format;
} save_target;

#define SAVE_FORMAT_DOC                                                                            \
    "Format of the written file: mtx or fur (default: by the ending of its name)"

/* Parses the argument of --format, for the line_option of a save_target. */
void save_parse_format(struct argp_state *state, const char *option, const char *text,
                       void *target);

/* Usage error unless the name given to `option` tells a format, or --format was given. */
void save_check(struct argp_state *state, const char *option, const save_target *target);

/* Returns whether the file will be binary. */
bool save_is_binary(const save_target *target);

/* Both write to standard output if the path is "-". The command then prints to standard error.
 * Field and symmetry come from origin. For a vector origin may be NULL, and the field then follows
 * from the value type. */
fur_status save_matrix(const fur_csr *a, const save_target *target, const fur_mtx_header *origin);
fur_status save_vector(const fur_vector *x, const save_target *target,
                       const fur_mtx_header *origin);
/* Writes an array of several columns, always as text. */
fur_status save_vectors(const fur_vectors *x, const save_target *target);

#endif
