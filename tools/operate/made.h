/* A matrix that a subcommand made from others: timed, written, and described. */
#ifndef FURROW_MADE_H
#define FURROW_MADE_H

#include "command.h"
#include "save.h"

typedef struct made_matrix {
    fur_csr *matrix;
    double seconds_load;  /* time to load the operands */
    double seconds_apply; /* time of the operation */
    int64_t bytes;        /* bytes of the operands */
} made_matrix;

/* Returns the size of a matrix's arrays in bytes. */
int64_t made_bytes(const fur_csr *a);

/* Returns the field of files with values of this type. */
fur_mtx_field made_field(fur_value_type value);

/* Writes the matrix if an output is given, and prints its properties. */
fur_status made_print(const command_common *common, const made_matrix *made,
                      const save_target *target, fur_mtx_field field);

#endif
