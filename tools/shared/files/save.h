/* Writing a subcommand's matrices and vectors, as Matrix Market or binary files by their names. */
#ifndef FURROW_SAVE_H
#define FURROW_SAVE_H

#include "command.h"

typedef enum save_format { SAVE_BY_NAME, SAVE_TEXT, SAVE_BINARY } save_format;

/* Where to, and in what form. */
typedef struct save_target {
    const char *path; /* NULL: nowhere; "-": standard output */
    save_format format;
} save_target;

#define SAVE_FORMAT_DOC "Write this format whatever the name ends in: mtx or fur"

/* The argument of --format, for the line_option of a save_target. */
void save_parse_format(struct argp_state *state, const char *option, const char *text,
                       void *target);

/* A usage error unless the name that `option` took tells a format, or one was given. */
void save_check(struct argp_state *state, const char *option, const save_target *target);

/* Whether the file is to be binary. */
bool save_is_binary(const save_target *target);

/* Both write to standard output if the path is "-"; what the command prints from then on goes to
 * standard error. Field and symmetry are those of origin; a vector may have NULL, which stands for
 * its value type's field. */
fur_status save_matrix(const fur_csr *a, const save_target *target, const fur_mtx_header *origin);
fur_status save_vector(const fur_vector *x, const save_target *target,
                       const fur_mtx_header *origin);
/* An array of several columns, as text alone. */
fur_status save_vectors(const fur_vectors *x, const save_target *target);

#endif
