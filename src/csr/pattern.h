/* A pattern that several matrices of a context share. */
#ifndef FURROW_CSR_PATTERN_H
#define FURROW_CSR_PATTERN_H

#include "csr.h"

/* It is released with its last holder. */
struct fur_csr_pattern {
    fur_context *context;
    int64_t holders;
    fur_csr_view view; /* without values */
};

/* A pattern with uninitialised arrays and one holder. */
fur_status fur_csr_pattern_create(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                                  fur_value_type value, fur_csr_pattern **out);
/* Removes a holder. NULL is ignored. */
void fur_csr_pattern_release(fur_csr_pattern *pattern);

/* Makes a matrix that holds the pattern, with its own uninitialised values. */
fur_status fur_csr_of_pattern(fur_csr_pattern *pattern, fur_csr **out);

#endif
