/* What the operations on matrices share: results made in two passes over their rows, operands that
 * the host reaches, checks of shapes. */
#ifndef FURROW_ALGEBRA_ALGEBRA_H
#define FURROW_ALGEBRA_ALGEBRA_H

#include <furrow/algebra.h>

#include "csr.h"

/* Entries below which a further thread costs more than it brings. */
#define FUR_ENTRY_GRAIN 16384

/* How a matrix is made, row by row. Both functions are called for ranges of rows, by several
 * threads at once. */
typedef struct fur_recipe {
    int64_t rows;
    int64_t cols;
    fur_value_type value_type;
    int64_t work; /* entries that are looked at */
    /* Returns how many entries rows begin .. end-1 have together. */
    int64_t (*count)(const void *job, int64_t begin, int64_t end);
    /* Writes them, one row after the other, from position `at` on, with the rows' ends. */
    void (*fill)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out);
    const void *job;
} fur_recipe;

/* The matrix of a recipe, in a context on the CPU. */
fur_status fur_recipe_follow(fur_context *context, const fur_recipe *recipe, fur_csr **out);

/* Row `row` of a matrix that is being made ends before position `end`. */
static inline void fur_csr_end_row(fur_csr *out, int64_t row, int64_t end)
{
    fur_offsets_set(out->view.offset_type, fur_csr_offsets(out), row + 1, end);
}

/* `count` entries of A from position `from` on, to those of a matrix that is being made from `to`
 * on; every column gets `shift` added. */
void fur_csr_copy_entries(const fur_csr_view *a, int64_t from, int64_t count, int64_t shift,
                          int64_t to, fur_csr *out);

/* Rows begin .. end-1 of A, whole, to a matrix that is being made: as its rows from `row` on, whose
 * entries begin at position `at`. */
void fur_csr_copy_rows(const fur_csr_view *a, int64_t begin, int64_t end, int64_t shift,
                       int64_t row, int64_t at, fur_csr *out);

/* The first position of begin .. end-1, a row of A, at or behind the column; end without one. A
 * short row is counted: no branch has to be guessed. */
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

/* An algorithm of the host over matrices of one context, of which some may be NULL. */
typedef fur_status fur_algebra_algorithm(fur_context *context, const fur_csr *const *operands,
                                         const void *arguments, fur_csr **out);
/* Runs it. Matrices that lie elsewhere are copied to their context's companion, and what it makes
 * is moved back. */
fur_status fur_algebra_on_host(fur_context *context, int64_t count, const fur_csr *const *operands,
                               fur_algebra_algorithm *algorithm, const void *arguments,
                               fur_csr **out);

/* The services of a context's device for these operations; NULL where the host computes them. */
const fur_algebra_services *fur_algebra_device(const fur_context *context);
/* The matrix made so, in a context with such services. */
fur_status fur_making_follow(fur_context *context, const fur_making *m, fur_csr **out);

/* FUR_INVALID unless A and B have the same context and value type; for the second also the same
 * shape. */
fur_status fur_csr_match(const fur_csr *a, const fur_csr *b);
fur_status fur_csr_match_shape(const fur_csr *a, const fur_csr *b);

/* FUR_INVALID for a tolerance of this name that is negative or NaN. */
fur_status fur_tolerance_check(fur_context *context, const char *name, double tolerance);

/* FUR_OVERFLOW unless a matrix may have so many rows and columns. */
fur_status fur_csr_check_size(fur_context *context, int64_t rows, int64_t cols);

#endif
