/* Whether a pattern is symmetric, and what else shows in one pass over its entries.
 *
 * Let U be the entries right of the diagonal and L those left of it, as matrices of ones. The
 * pattern is symmetric if D = U - L^T is zero. Otherwise, for a random vector x of 64-bit numbers,
 * x^T D x = sum over rows of x_i (sum of x_j right - sum of x_j left) is zero modulo 2^64 with a
 * chance below 2^-50 (after Freivalds 1977). x_j is a hash of j and a seed: nothing is looked up,
 * and no pattern can be made to pass for symmetric. */
#include "graph.h"
#include "seed.h"
#include "split.h"

/* Rows scanned at a time, and blocks below which a further thread costs more than it brings. */
#define BLOCK_ROWS 512
#define BLOCK_GRAIN 8

typedef struct block_scan {
    uint64_t asymmetry;
    int64_t bandwidth;
    int64_t diagonal;
    int64_t repeated;
} block_scan;

static inline uint64_t hash(int64_t index, uint64_t seed)
{
    uint64_t h = ((uint64_t)index + seed) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static void scan_row(int32_t i, const int32_t *columns, int64_t count, uint64_t seed,
                     block_scan *block)
{
    uint64_t sum = 0;
    int64_t diagonal = 0;
    for (int64_t k = 0; k < count; k++) {
        uint64_t left = 0 - (uint64_t)(columns[k] < i);
        sum += (hash(columns[k], seed) ^ left) - left;
        diagonal += columns[k] == i;
    }
    uint64_t x = hash(i, seed);
    block->asymmetry += x * (sum - (uint64_t)diagonal * x);
    block->diagonal += diagonal;
    if (count > 0) {
        int64_t left = i - columns[0];
        int64_t right = columns[count - 1] - i;
        int64_t reach = left > right ? left : right;
        block->bandwidth = reach > block->bandwidth ? reach : block->bandwidth;
    }
}

/* Entries with the column of the one before. */
static int64_t count_repeated(const int32_t *columns, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t k = begin + 1; k < end; k++)
        count += columns[k] == columns[k - 1];
    return count;
}

/* Row by row only if there seems to be one: the first entry of a row may look so. */
static int64_t count_duplicates(const fur_csr_view *a, int64_t begin, int64_t end)
{
    int64_t count = count_repeated(a->columns, fur_offset_at(a, begin), fur_offset_at(a, end));
    if (count == 0)
        return 0;
    count = 0;
    for (int64_t i = begin; i < end; i++)
        count += count_repeated(a->columns, fur_offset_at(a, i), fur_offset_at(a, i + 1));
    return count;
}

static block_scan scan_block(const fur_csr_view *a, int64_t begin, int64_t end, uint64_t seed)
{
    block_scan block = {.repeated = count_duplicates(a, begin, end)};
    for (int64_t i = begin; i < end; i++) {
        int64_t at = fur_offset_at(a, i);
        scan_row((int32_t)i, a->columns + at, fur_offset_at(a, i + 1) - at, seed, &block);
    }
    return block;
}

void fur_pattern_scan(const fur_csr_view *a, int threads, fur_scan *out)
{
    uint64_t asymmetry = 0;
    int64_t bandwidth = 0;
    int64_t diagonal = 0;
    int64_t repeated = 0;
    uint64_t seed = fur_seed();
    int64_t blocks = a->entries > 0 ? (a->rows + BLOCK_ROWS - 1) / BLOCK_ROWS : 0;
    int team = fur_team(threads, blocks, BLOCK_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)                          \
    reduction(max : bandwidth) reduction(+ : asymmetry, diagonal, repeated)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t begin = b * BLOCK_ROWS;
        block_scan block = scan_block(a, begin, fur_smaller(begin + BLOCK_ROWS, a->rows), seed);
        asymmetry += block.asymmetry;
        bandwidth = block.bandwidth > bandwidth ? block.bandwidth : bandwidth;
        diagonal += block.diagonal;
        repeated += block.repeated;
    }
    *out = (fur_scan){bandwidth, diagonal, repeated > 0, asymmetry == 0};
}
