/* Chooses where the rows of each rank begin. */
#ifndef FURROW_RANKS_BOUNDS_H
#define FURROW_RANKS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* The work of a row, in entries. */
#define ROW_WORK 4

/* The most stretches. Work is counted by stretches of rows of equal length; the last may be
 * shorter. */
#define STRETCHES_MAX 65536

/* Returns the rows of a stretch. */
int64_t stretch_rows(int64_t rows);

/* Sets bounds[0 .. ranks] to ranges of rows with about the same work. entries: the entries of each
 * stretch. cuts_wait: as in halo_link. */
void bounds_balance(int64_t rows, const int64_t *entries, int ranks, bool cuts_wait,
                    int64_t *bounds);

/* As above, if all rows have the same work. */
void bounds_even(int64_t rows, int ranks, int64_t *bounds);

/* Sets almost even bounds, which are rounded like balanced ones. */
void bounds_even_leaves(int64_t rows, int ranks, bool cuts_wait, int64_t *bounds);

/* Returns the rank of a row. */
int bounds_find(const int64_t *bounds, int ranks, int64_t row);

#endif
