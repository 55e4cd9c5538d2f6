/* Code that operations on matrices share: results made in two passes over their rows, operands that
 * the host can read, and checks of shapes. */
#ifndef FURROW_ALGEBRA_ALGEBRA_H
#define FURROW_ALGEBRA_ALGEBRA_H

#include <furrow/algebra.h>

#include "csr.h"

/* Entries that justify one more thread. */
#define FUR_ENTRY_GRAIN 16384

/* How to make a matrix row by row. Several threads call both functions at once, for ranges of
 * rows. */
typedef struct fur_recipe {
    int64_t rows;
    int64_t cols;
    fur_value_type value_type;
    int64_t work; /* entries that are read */
    /* Returns the total number of entries in rows begin .. end-1. */
    int64_t (*count)(const void *job, int64_t begin, int64_t end);
    /* Writes these entries, row after row, from position `at` on, and the ends of the rows. */
    void (*fill)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out);
    const void *job;
} fur_recipe;

/* Makes the matrix of a recipe in a context on the CPU. */
fur_status fur_recipe_follow(fur_context *context, const fur_recipe *recipe, fur_csr **out);

/* Sets the end of row `row` of a matrix under construction to position `end`. */
static inline void fur_csr_end_row(fur_csr *out, int64_t row, int64_t end)
{
    fur_offsets_set(out->view.offset_type, fur_csr_offsets(out), row + 1, end);
}

/* Copies `count` entries of A, from position `from` on, to a matrix under construction, from
 * position `to` on. `shift` is added to every column. */
void fur_csr_copy_entries(const fur_csr_view *a, int64_t from, int64_t count, int64_t shift,
                          int64_t to, fur_csr *out);

/* Copies the whole rows begin .. end-1 of A to a matrix under construction. There they are the rows
 * from `row` on, and their entries begin at position `at`. */
void fur_csr_copy_rows(const fur_csr_view *a, int64_t begin, int64_t end, int64_t shift,
                       int64_t row, int64_t at, fur_csr *out);

/* The first position of begin .. end-1, in a row of A, whose column is at least `column`; `end` if
 * there is none. A short row is counted, which needs no unpredictable branch. */
#define FUR_SHORT_ROW 32
static inline int64_t fur_csr_find_within(const fur_csr_view *a, int64_t begin, int64_t end,
                                          int64_t column)
{
    int64_t before = 0;
    if (end - begin <= FUR_SHORT_ROW) {
        for (int64_t k = begin; k < end; k++)
            before += a->columns[k] < column;
        return begin + before;
    }
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (a->columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* An algorithm of the host on matrices of one context. Some matrices may be NULL. */
typedef fur_status fur_algebra_algorithm(fur_context *context, const fur_csr *const *operands,
                                         const void *arguments, fur_csr **out);
/* Runs an algorithm of the host. Matrices on a device are copied to their context's companion, and
 * the result is moved back. */
fur_status fur_algebra_on_host(fur_context *context, int64_t count, const fur_csr *const *operands,
                               fur_algebra_algorithm *algorithm, const void *arguments,
                               fur_csr **out);

/* The services of a context's device for these operations, or NULL if the host computes them. */
const fur_algebra_services *fur_algebra_device(const fur_context *context);
/* Makes a matrix as `m` describes, in a context with such services. */
fur_status fur_making_follow(fur_context *context, const fur_making *m, fur_csr **out);

/* fur_csr_match returns FUR_INVALID unless A and B have the same context and value type.
 * fur_csr_match_shape requires the same shape too. */
fur_status fur_csr_match(const fur_csr *a, const fur_csr *b);
fur_status fur_csr_match_shape(const fur_csr *a, const fur_csr *b);

/* Returns FUR_INVALID for a negative or NaN tolerance. Error sentences call it `name`. */
fur_status fur_tolerance_check(fur_context *context, const char *name, double tolerance);

/* Returns FUR_OVERFLOW if a matrix cannot have `rows` rows and `cols` columns. */
fur_status fur_csr_check_size(fur_context *context, int64_t rows, int64_t cols);

#endif
