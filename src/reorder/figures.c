/* Figures of an order, from where it puts the rows: nothing is permuted, and A + A^T is not formed.
 *
 * As first columns never lie right of the diagonal, row i's wavefront is the number of rows that
 * have begun, f_j <= i, less the i rows above it: two sums of a histogram of f tell them all. */
#include "object.h"
#include "split.h"

#include <math.h>
#include <stdatomic.h>

/* Rows below which a further thread costs more than it brings. */
#define ROW_GRAIN 4096

/* Parts that the histogram's sums are taken in. */
#define PARTS 64

typedef _Atomic int32_t shared_count;

/* What the rows add up to; all of it is whole numbers, so that their order does not matter. */
typedef struct sums {
    int64_t bandwidth;
    int64_t profile;
    int64_t widest;
    uint64_t squares_low; /* of the wavefronts' squares, the lower 32 bits */
    uint64_t squares_high;
} sums;

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

/* Lowers the first columns of the places that row i has entries in, or that have one in row i. */
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

static void find_first(const fur_csr_view *a, int team, const int32_t *position,
                       shared_count *first)
{
#pragma omp parallel num_threads(team) if (team > 1)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < a->rows; i++)
            atomic_init(&first[i], (int32_t)i);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < a->rows; i++)
            lower_row(a, position, i, first);
    }
}

/* Bandwidth, profile, and how many rows begin in each column. */
static void sum_widths(int64_t n, int team, const shared_count *first, shared_count *begins,
                       sums *out)
{
    int64_t bandwidth = 0;
    int64_t profile = 0;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)                          \
    reduction(max : bandwidth) reduction(+ : profile)
    for (int64_t i = 0; i < n; i++) {
        int32_t column = atomic_load_explicit(&first[i], memory_order_relaxed);
        bandwidth = i - column > bandwidth ? i - column : bandwidth;
        profile += i - column;
        atomic_fetch_add_explicit(&begins[column], 1, memory_order_relaxed);
    }
    out->bandwidth = bandwidth;
    out->profile = profile;
}

/* begun[p]: the rows that begin before part p. */
static void sum_parts(int64_t n, int team, const shared_count *begins, int64_t *begun)
{
    begun[0] = 0;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int p = 0; p < PARTS; p++) {
        int64_t sum = 0;
        for (int64_t i = fur_split(n, PARTS, p); i < fur_split(n, PARTS, p + 1); i++)
            sum += atomic_load_explicit(&begins[i], memory_order_relaxed);
        begun[p + 1] = sum;
    }
    for (int p = 0; p < PARTS; p++)
        begun[p + 1] += begun[p];
}

static void sum_wavefronts(int64_t n, int team, const shared_count *begins, const int64_t *begun,
                           sums *out)
{
    int64_t widest = 0;
    uint64_t low = 0;
    uint64_t high = 0;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)                          \
    reduction(max : widest) reduction(+ : low, high)
    for (int p = 0; p < PARTS; p++) {
        int64_t rows = begun[p];
        for (int64_t i = fur_split(n, PARTS, p); i < fur_split(n, PARTS, p + 1); i++) {
            rows += atomic_load_explicit(&begins[i], memory_order_relaxed);
            int64_t wavefront = rows - i;
            uint64_t square = (uint64_t)wavefront * (uint64_t)wavefront;
            widest = wavefront > widest ? wavefront : widest;
            low += square & UINT32_MAX;
            high += square >> 32;
        }
    }
    out->widest = widest;
    out->squares_low = low;
    out->squares_high = high;
}

static fur_order_figures figures_of(int64_t n, const sums *s)
{
    double squares = ldexp((double)s->squares_high, 32) + (double)s->squares_low;
    return (fur_order_figures){.bandwidth = s->bandwidth,
                               .profile = s->profile,
                               .wavefront_max = s->widest,
                               .wavefront_rms = n > 0 ? sqrt(squares / (double)n) : 0};
}

static fur_status measure(fur_env *env, const fur_csr_view *a, const int32_t *position,
                          fur_order_figures *out)
{
    int64_t n = a->rows;
    int team = fur_team(env->threads, n, ROW_GRAIN);
    int64_t begun[PARTS + 1];
    shared_count *first;
    shared_count *begins;
    sums s;
    FUR_TRY(fur_env_allocate(env, n, sizeof *first, &first));
    fur_status status = fur_env_allocate_zeros(env, n, sizeof *begins, &begins);
    if (status == FUR_OK) {
        find_first(a, team, position, first);
        sum_widths(n, team, first, begins, &s);
        sum_parts(n, team, begins, begun);
        sum_wavefronts(n, team, begins, begun, &s);
        *out = figures_of(n, &s);
        fur_env_release(env, begins);
    }
    fur_env_release(env, first);
    return status;
}

static fur_status check(const fur_csr *a, const fur_permutation *order)
{
    fur_env *env = &a->context->env;
    if (a->view.rows != a->view.cols)
        return fur_env_fail(env, FUR_INVALID,
                            "only a square matrix has an order to measure, this one is %lld x %lld",
                            (long long)a->view.rows, (long long)a->view.cols);
    if (order && order->context != a->context)
        return fur_env_fail(env, FUR_INVALID,
                            "the order belongs to another context than the "
                            "matrix");
    if (order && order->size != a->view.rows)
        return fur_env_fail(env, FUR_INVALID, "the order has %lld numbers, the matrix %lld rows",
                            (long long)order->size, (long long)a->view.rows);
    return FUR_OK;
}

/* On the host, with copies of what lies elsewhere. */
fur_status fur_order_measure(const fur_csr *a, const fur_permutation *order, fur_order_figures *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
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
    status = measure(&host->env, &here->view, order ? order->position : NULL, out);
    (void)fur_context_pass_on(host, a->context, status);
done:
    fur_permutation_destroy(moved);
    fur_csr_destroy(copy);
    return status;
}
