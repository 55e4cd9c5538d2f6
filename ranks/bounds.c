/* Chooses where the rows of each rank begin. */
#include "bounds.h"

/* A multiple of the leaves of every value type (docs/numerics.md): with such bounds, no lanes are
 * sent. */
#define LEAF_MAX 4096
/* At bounds that are multiples of this, a GPU reads vectors fastest: in lines of 128 bytes, which
 * are 32 entries of the smallest type. */
#define PIECE 32
/* If a rank has at least this many leaves or pieces, half of one is a negligible imbalance. */
#define ENOUGH 100
/* As above, for leaves of a link where a cut leaf costs a gather. */
#define ENOUGH_WHERE_CUTS_WAIT 4

int64_t stretch_rows(int64_t rows)
{
    return rows <= STRETCHES_MAX ? 1 : (rows + STRETCHES_MAX - 1) / STRETCHES_MAX;
}

/* Rounds a bound to a leaf if this is a small change, or else in the same way to a piece. */
static int64_t snap(int64_t bound, int64_t rows, int ranks, bool cuts_wait)
{
    int64_t own = rows / ranks;
    int64_t leaves = cuts_wait ? ENOUGH_WHERE_CUTS_WAIT : ENOUGH;
    int64_t grain = own >= leaves * LEAF_MAX ? LEAF_MAX : own >= ENOUGH * PIECE ? PIECE : 1;
    int64_t snapped = (bound + grain / 2) / grain * grain;
    return snapped < rows ? snapped : rows;
}

void bounds_balance(int64_t rows, const int64_t *entries, int ranks, bool cuts_wait,
                    int64_t *bounds)
{
    int64_t length = stretch_rows(rows);
    int64_t stretches = (rows + length - 1) / length;
    double all = (double)ROW_WORK * (double)rows;
    double before = 0;
    int rank = 1;
    for (int64_t i = 0; i < stretches; i++)
        all += (double)entries[i];
    bounds[0] = 0;
    for (int64_t i = 0; i < stretches; i++) {
        int64_t count = i + 1 < stretches ? length : rows - i * length;
        double work = (double)entries[i] + (double)ROW_WORK * (double)count;
        for (; rank < ranks && before + work >= all * rank / ranks; rank++) {
            double share = (all * rank / ranks - before) / work;
            int64_t bound = i * length + (int64_t)(share * (double)count + 0.5);
            bounds[rank] = snap(bound < rows ? bound : rows, rows, ranks, cuts_wait);
        }
        before += work;
    }
    for (; rank <= ranks; rank++)
        bounds[rank] = rows;
}

void bounds_even(int64_t rows, int ranks, int64_t *bounds)
{
    for (int rank = 0; rank <= ranks; rank++)
        bounds[rank] = rows / ranks * rank + (rows % ranks < rank ? rows % ranks : rank);
}

void bounds_even_leaves(int64_t rows, int ranks, bool cuts_wait, int64_t *bounds)
{
    bounds_even(rows, ranks, bounds);
    for (int rank = 1; rank < ranks; rank++)
        bounds[rank] = snap(bounds[rank], rows, ranks, cuts_wait);
}

int bounds_find(const int64_t *bounds, int ranks, int64_t row)
{
    int low = 0;
    int high = ranks - 1; /* the last rank whose rows begin at or before `row` */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (bounds[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
