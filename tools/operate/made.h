/* A matrix that a subcommand made of others: timed, written, and described. */
#ifndef FURROW_MADE_H
#define FURROW_MADE_H

#include "command.h"
#include "save.h"

typedef struct made_matrix {
    fur_csr *matrix;
    double seconds_load;  /* of the operands */
    double seconds_apply; /* of the operation */
    int64_t bytes;        /* of the operands */
} made_matrix;

/* Bytes of a matrix's arrays. */
int64_t made_bytes(const fur_csr *a);

/* The field of files with values of this type. */
fur_mtx_field made_field(fur_value_type value);

/* Writes the matrix, if there is somewhere to, and prints what it is. */
fur_status made_print(const command_common *common, const made_matrix *made,
                      const save_target *target, fur_mtx_field field);

#endif
