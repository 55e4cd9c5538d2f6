/* Writing a subcommand's matrices and vectors, as Matrix Market or binary files by their names. */
#ifndef FURROW_SAVE_H
#define FURROW_SAVE_H

#include <stdbool.h>

#include <furrow/furrow.h>

/* Whether a file of this name is to be binary. */
bool save_is_binary(const char *path);

/* Both write to standard output if the path is "-"; what the command prints from then on goes to
 * standard error. Field and symmetry are those of
 * origin; a vector may have NULL, which stands for its value type's field. */
fur_status save_matrix(const fur_csr *a, const char *path, const fur_mtx_header *origin);
fur_status save_vector(const fur_vector *x, const char *path, const fur_mtx_header *origin);

#endif
