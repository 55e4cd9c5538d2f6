/* Finds whether a pattern is symmetric, and other figures, in one pass over its entries.
 *
 * Each entry (i, j) off the diagonal gets a number f(i, j) = f(j, i). It counts as positive right
 * of the diagonal and as negative left of it. If the pattern is symmetric, the sum is 0 modulo
 * 2^64. Otherwise the sum is 0 with a chance of about 2^-60 (after Freivalds 1977 and Carter and
 * Wegman 1979). f is computed from hashes of i and j with a seed. Nothing is looked up, and no
 * pattern can be constructed that seems symmetric.
 *
 * Rows are short. The loops therefore run over batches of entries, with the row number of each
 * entry. */
#include "atomic.h"
#include "isa.h"
#include "kernel.h"
#include "split.h"
#include "team.h"

#define BATCH 1024
/* Places of a batch that are written together. They may extend beyond a row's end. */
#define LANES 8

/* Rows that are scanned at a time, and the blocks that justify one more thread. */
#define BLOCK_ROWS 2048
#define BLOCK_GRAIN 2

typedef struct batch {
    int64_t row; /* of the next entry */
    int64_t entry;
    int count;
    int32_t rows[BATCH + LANES];
    uint32_t hashes[BATCH + LANES]; /* of the rows */
} batch;

typedef struct figures {
    uint64_t asymmetry;
    int64_t bandwidth;
    int64_t diagonal;
    int64_t repeated;
} figures;

static inline uint32_t hash(int32_t index, uint64_t seed)
{
    uint64_t h = (uint64_t)((uint32_t)index ^ (uint32_t)seed) * UINT32_C(0x9e3779b1);
    return (uint32_t)(h ^ h >> 32) ^ (uint32_t)(seed >> 32);
}

static inline void add_row(batch *b, int32_t row, uint32_t h, int count)
{
    for (int k = 0; k < count; k += LANES) {
        for (int lane = 0; lane < LANES; lane++)
            b->rows[b->count + k + lane] = row;
        for (int lane = 0; lane < LANES; lane++)
            b->hashes[b->count + k + lane] = h;
    }
    b->count += count;
}

/* Loads the next entries before `end` into the batch. */
static void next_batch(const fur_csr_view *a, uint64_t seed, int64_t end, batch *b)
{
    int64_t stop = fur_smaller(b->entry + BATCH, end);
    b->count = 0;
    while (b->entry < stop) {
        int64_t row_end = fur_offset_at(a, b->row + 1);
        int64_t to = fur_smaller(row_end, stop);
        add_row(b, (int32_t)b->row, hash((int32_t)b->row, seed), (int)(to - b->entry));
        b->entry = to;
        b->row += to == row_end;
    }
}

static void scan_entries(const batch *b, const int32_t *columns, uint64_t seed, figures *out)
{
    uint64_t asymmetry = 0;
    int32_t diagonal = 0;
    int32_t bandwidth = 0;
    for (int k = 0; k < b->count; k++) {
        int32_t distance = columns[k] - b->rows[k];
        int32_t reach = distance < 0 ? -distance : distance;
        uint32_t beside = 0 - (uint32_t)(distance != 0);
        uint64_t pair = (uint64_t)b->hashes[k] * (hash(columns[k], seed) & beside);
        pair = (pair >> 32) * (uint32_t)pair;
        asymmetry += distance < 0 ? 0 - pair : pair;
        diagonal += distance == 0;
        bandwidth = reach > bandwidth ? reach : bandwidth;
    }
    out->asymmetry += asymmetry;
    out->diagonal += diagonal;
    out->bandwidth = bandwidth > out->bandwidth ? bandwidth : out->bandwidth;
}

/* The number of entries of the batch that have the row and column of the entry before. */
static int32_t count_repeated(const batch *b, const int32_t *columns)
{
    int32_t count = 0;
    for (int k = 1; k < b->count; k++)
        count += (columns[k] == columns[k - 1]) & (b->rows[k] == b->rows[k - 1]);
    return count;
}

static figures scan_rows(const fur_csr_view *a, uint64_t seed, int64_t begin, int64_t end)
{
    figures found = {0, 0, 0, 0};
    batch b = {.row = begin, .entry = fur_offset_at(a, begin)};
    int64_t last = fur_offset_at(a, end);
    int32_t row_before = -1;
    for (int64_t at = b.entry; at < last; at = b.entry) {
        const int32_t *columns = a->columns + at;
        next_batch(a, seed, last, &b);
        scan_entries(&b, columns, seed, &found);
        found.repeated += count_repeated(&b, columns);
        found.repeated += row_before == b.rows[0] && columns[-1] == columns[0];
        row_before = b.rows[b.count - 1];
    }
    return found;
}

/* Figures that the threads add up. */
typedef struct scan {
    const fur_csr_view *a;
    uint64_t seed;
    fur_shared asymmetry; /* modulo 2^64 */
    fur_shared bandwidth;
    fur_shared diagonal;
    fur_shared repeated;
} scan;

static void scan_blocks(void *job, int64_t begin, int64_t end)
{
    scan *s = job;
    int64_t rows = fur_smaller(end * BLOCK_ROWS, s->a->rows);
    figures found = scan_rows(s->a, s->seed, begin * BLOCK_ROWS, rows);
    fur_shared_add(&s->asymmetry, (int64_t)found.asymmetry);
    fur_shared_largest(&s->bandwidth, found.bandwidth);
    fur_shared_add(&s->diagonal, found.diagonal);
    fur_shared_add(&s->repeated, found.repeated);
}

extern void ISA(pattern_scan)(const fur_env *env, const fur_csr_view *a, uint64_t seed,
                              fur_pattern_scan *out);

void ISA(pattern_scan)(const fur_env *env, const fur_csr_view *a, uint64_t seed,
                       fur_pattern_scan *out)
{
    scan s = {.a = a, .seed = seed};
    int64_t blocks = a->entries > 0 ? (a->rows + BLOCK_ROWS - 1) / BLOCK_ROWS : 0;
    fur_parallel(env, blocks / BLOCK_GRAIN, blocks, scan_blocks, &s);
    *out = (fur_pattern_scan){s.bandwidth, s.diagonal, s.repeated > 0, s.asymmetry == 0};
}
