/* Where the rows of each rank begin. */
#ifndef FURROW_RANKS_BOUNDS_H
#define FURROW_RANKS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* A row counts as so many entries. */
#define ROW_WORK 4

/* Work of stretches of rows of equal length; the last may be shorter. */
#define STRETCHES_MOST 65536

/* The rows of a stretch. */
int64_t stretch_rows(int64_t rows);

/* bounds[0 .. ranks]: ranges of rows with about the same work. entries: of each stretch.
 * cuts_wait: as in halo_link. */
void bounds_balance(int64_t rows, const int64_t *entries, int ranks, bool cuts_wait,
                    int64_t *bounds);

/* The same where rows are alike. */
void bounds_even(int64_t rows, int ranks, int64_t *bounds);

/* Almost even, moved as balanced ones are. */
void bounds_even_leaves(int64_t rows, int ranks, bool cuts_wait, int64_t *bounds);

/* The rank that has a row. */
int bounds_find(const int64_t *bounds, int ranks, int64_t row);

#endif
