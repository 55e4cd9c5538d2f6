/* Measures how fast all threads read a matrix from where it is between two products, and how fast
 * they get new memory. */
#include "machine.h"

#include <furrow/author/clock.h>

#include "atomic.h"
#include "split.h"
#include "team.h"

#include <math.h>

/* The array is read in blocks. Only the first MAX_BYTES of a larger array are read. */
#define BLOCK_BYTES (64 << 10)
#define BLOCK_GRAIN 4
#define MAX_BYTES (64 << 20)
/* The first reads wake threads and bring the array near. There are at least READS_LEAST reads, and
 * more if they are short. */
#define READS_LEAST 3
#define READS_MAX 16
#define READS_SECONDS 0.0005
/* Bytes of new memory. One word of each page is written. */
#define FRESH_BYTES (4 << 20)
#define PAGE_BYTES 4096
#define PAGE_GRAIN 16

/* Sums that do not wait for each other. */
#define SUMS 16

typedef struct reading {
    const uint64_t *words;
    fur_shared sum; /* prevents the compiler from removing the loads */
} reading;

static void read_blocks(void *job, int64_t begin, int64_t end)
{
    reading *r = job;
    int64_t words = BLOCK_BYTES / (int64_t)sizeof *r->words;
    uint64_t sum[SUMS] = {0};
    for (int64_t i = begin * words; i < end * words; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            sum[j] += r->words[i + j];
    for (int j = 0; j < SUMS; j++)
        fur_shared_add(&r->sum, (int64_t)sum[j]);
}

double fur_machine_rate(const fur_env *env, const void *array, int64_t bytes)
{
    reading r = {.words = array};
    int64_t blocks = fur_smaller(bytes, MAX_BYTES) / BLOCK_BYTES;
    double least = INFINITY;
    double spent = 0;
    for (int i = 0; i < READS_LEAST || (i < READS_MAX && spent < READS_SECONDS); i++) {
        double start = fur_seconds();
        fur_parallel(env, blocks / BLOCK_GRAIN, blocks, read_blocks, &r);
        double seconds = fur_seconds() - start;
        least = fmin(least, seconds);
        spent += seconds;
    }
    return 1e-9 * (double)(blocks * BLOCK_BYTES) / least;
}

static void touch_pages(void *job, int64_t begin, int64_t end)
{
    volatile char *pages = job;
    for (int64_t i = begin; i < end; i++)
        pages[i * PAGE_BYTES] = 0;
}

fur_status fur_machine_fresh(fur_env *env, double *ns)
{
    const int64_t pages = FRESH_BYTES / PAGE_BYTES;
    char *memory;
    FUR_TRY(fur_env_allocate(env, FRESH_BYTES, 1, &memory));
    double start = fur_seconds();
    fur_parallel(env, pages / PAGE_GRAIN, pages, touch_pages, memory);
    *ns = 1e9 * (fur_seconds() - start) / FRESH_BYTES;
    fur_env_release(env, memory);
    return FUR_OK;
}
