/* Figures of an order, computed from the new places of the rows. Nothing is permuted, and A + A^T
 * is not formed.
 *
 * First columns never lie right of the diagonal. The wavefront of row i is therefore the number of
 * rows that have begun, f_j <= i, minus the i rows above row i. Two running sums of a histogram of
 * f give all wavefronts. */
#include "atomic.h"

#include <furrow/author/options.h>

#include "csr.h"
#include "split.h"
#include "team.h"

#include <math.h>

#define ROW_GRAIN 4096

/* The number of parts in which the histogram is summed. */
#define PARTS 64

typedef _Atomic int32_t shared_count;

typedef struct measuring {
    const fur_csr_view *a;
    const int32_t *position;
    shared_count *first;      /* first column of each row */
    shared_count *begins;     /* number of rows that begin in each column */
    int64_t begun[PARTS + 1]; /* number of rows that begin before each part */
    fur_shared bandwidth;
    fur_shared profile;
    fur_shared widest;
    fur_shared squares_low; /* sum of the squared wavefronts, the lower 32 bits */
    fur_shared squares_high;
} measuring;

static inline int32_t place_of(const int32_t *position, int64_t row)
{
    return position ? position[row] : (int32_t)row;
}

static inline void lower(shared_count *first, int32_t column)
{
    int32_t present = atomic_load_explicit(first, memory_order_relaxed);
    while (column < present &&
           !atomic_compare_exchange_weak_explicit(first, &present, column, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

/* Lowers the first columns of the places in which row i has entries, and of the place of row i. */
static void lower_row(const fur_csr_view *a, const int32_t *position, int64_t i,
                      shared_count *first)
{
    int32_t place = place_of(position, i);
    int32_t least = place;
    int64_t end = fur_offset_at(a, i + 1);
    for (int64_t k = fur_offset_at(a, i); k < end; k++) {
        int32_t column = place_of(position, a->columns[k]);
        if (column > place)
            lower(&first[column], place);
        else if (column < least)
            least = column;
    }
    lower(&first[place], least);
}

static void set_first(void *job, int64_t begin, int64_t end)
{
    const measuring *m = job;
    for (int64_t i = begin; i < end; i++)
        atomic_init(&m->first[i], (int32_t)i);
}

static void lower_first(void *job, int64_t begin, int64_t end)
{
    const measuring *m = job;
    for (int64_t i = begin; i < end; i++)
        lower_row(m->a, m->position, i, m->first);
}

/* Bandwidth, profile, and the number of rows that begin in each column. */
static void sum_widths(void *job, int64_t begin, int64_t end)
{
    measuring *m = job;
    int64_t bandwidth = 0;
    int64_t profile = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t column = atomic_load_explicit(&m->first[i], memory_order_relaxed);
        bandwidth = i - column > bandwidth ? i - column : bandwidth;
        profile += i - column;
        atomic_fetch_add_explicit(&m->begins[column], 1, memory_order_relaxed);
    }
    fur_shared_largest(&m->bandwidth, bandwidth);
    fur_shared_add(&m->profile, profile);
}

/* begun[p + 1] = the number of rows that begin in part p. */
static void sum_parts(void *job, int64_t begin, int64_t end)
{
    measuring *m = job;
    for (int p = (int)begin; p < end; p++) {
        int64_t sum = 0;
        int64_t stop = fur_split(m->a->rows, PARTS, p + 1);
        for (int64_t i = fur_split(m->a->rows, PARTS, p); i < stop; i++)
            sum += atomic_load_explicit(&m->begins[i], memory_order_relaxed);
        m->begun[p + 1] = sum;
    }
}

static void sum_wavefronts(void *job, int64_t begin, int64_t end)
{
    measuring *m = job;
    int64_t widest = 0;
    uint64_t low = 0;
    uint64_t high = 0;
    for (int p = (int)begin; p < end; p++) {
        int64_t rows = m->begun[p];
        int64_t stop = fur_split(m->a->rows, PARTS, p + 1);
        for (int64_t i = fur_split(m->a->rows, PARTS, p); i < stop; i++) {
            rows += atomic_load_explicit(&m->begins[i], memory_order_relaxed);
            int64_t wavefront = rows - i;
            uint64_t square = (uint64_t)wavefront * (uint64_t)wavefront;
            widest = wavefront > widest ? wavefront : widest;
            low += square & UINT32_MAX;
            high += square >> 32;
        }
    }
    fur_shared_largest(&m->widest, widest);
    fur_shared_add(&m->squares_low, (int64_t)low);
    fur_shared_add(&m->squares_high, (int64_t)high);
}

static void measure_rows(const fur_env *env, measuring *m)
{
    int64_t n = m->a->rows;
    int64_t worth = n / ROW_GRAIN;
    fur_parallel(env, worth, n, set_first, m);
    fur_parallel(env, worth, n, lower_first, m);
    fur_parallel(env, worth, n, sum_widths, m);
    fur_parallel(env, worth, PARTS, sum_parts, m);
    for (int p = 0; p < PARTS; p++)
        m->begun[p + 1] += m->begun[p];
    fur_parallel(env, worth, PARTS, sum_wavefronts, m);
}

static fur_order_figures figures_of(const measuring *m)
{
    int64_t n = m->a->rows;
    double squares = ldexp((double)m->squares_high, 32) + (double)(uint64_t)m->squares_low;
    return (fur_order_figures){.bandwidth = m->bandwidth,
                               .profile = m->profile,
                               .wavefront_max = m->widest,
                               .wavefront_rms = n > 0 ? sqrt(squares / (double)n) : 0};
}

static fur_status measure(fur_env *env, const fur_csr_view *a, const int32_t *position,
                          fur_order_figures *out)
{
    measuring m = {.a = a, .position = position};
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *m.first, &m.first));
    fur_status status = fur_env_allocate_zeros(env, a->rows, sizeof *m.begins, &m.begins);
    if (status == FUR_OK) {
        measure_rows(env, &m);
        *out = figures_of(&m);
        fur_env_release(env, m.begins);
    }
    fur_env_release(env, m.first);
    return status;
}

static fur_status check(const fur_csr *a, const fur_permutation *order)
{
    fur_env *env = &a->context->env;
    if (a->view.rows != a->view.cols)
        return fur_env_fail(env, FUR_INVALID,
                            "bandwidth and profile need a square matrix; this one is %lld x %lld",
                            (long long)a->view.rows, (long long)a->view.cols);
    if (order && order->context != a->context)
        return fur_env_fail(env, FUR_INVALID,
                            "the order belongs to another context than the "
                            "matrix");
    if (order && order->size != a->view.rows)
        return fur_env_fail(env, FUR_INVALID,
                            "the order has %lld numbers, but the matrix has %lld rows",
                            (long long)order->size, (long long)a->view.rows);
    return FUR_OK;
}

/* Measures on the host, with copies of data on devices. */
fur_status fur_order_measure(const fur_csr *a, const fur_permutation *order, fur_order_figures *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_CHECK_REPORT(a->context, fur_order_figures, out);
    fur_order_figures own;
    fur_status status = FUR_OK;
    fur_context *host = a->context->host;
    const fur_csr *here;
    fur_csr *copy = NULL;
    fur_permutation *moved = NULL;
    FUR_TRY(check(a, order));
    FUR_TRY_DONE(fur_csr_to_host(a, &here, &copy));
    if (order && fur_is_remote(a->context)) {
        FUR_TRY_DONE(fur_permutation_transfer(order, host, &moved));
        order = moved;
    }
    status = measure(&host->env, &here->view, order ? order->position : NULL, &own);
    if (status == FUR_OK)
        fur_report_fill(out, &own, sizeof own);
    (void)fur_context_pass_on(host, a->context, status);
done:
    fur_permutation_destroy(moved);
    fur_csr_destroy(copy);
    return status;
}
