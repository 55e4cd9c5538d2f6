/* The halo: entries of x that rows of one rank need from other ranks. */
#include "bounds.h"

#include <furrow/author/clock.h>

#include "halo_link.h"
#include "matrix.h"

#include <string.h>

/* Finds the ranges of the boundary's columns that other ranks have. needs[rank] = their number. */
static void find_sources(fur_ranks_csr *m, int64_t *needs)
{
    halo *h = &m->halo;
    const fur_ranks *g = m->group;
    memset(needs, 0, (size_t)g->count * sizeof *needs);
    for (int64_t k = h->lead; k < h->columns;) {
        int rank = bounds_find(m->column_bounds, g->count, h->column[k]);
        int64_t end = k;
        while (end < h->columns && h->column[end] < m->column_bounds[rank + 1])
            end++;
        if (rank == g->rank) {
            h->own_at = k;
            h->own_count = end - k;
        } else {
            h->sources[h->source_count++] = (neighbour){rank, end - k, k};
            needs[rank] = end - k;
        }
        k = end;
    }
}

/* all[i * count + j] is the number of entries that rank i needs from rank j. */
static void find_targets(fur_ranks_csr *m, const int64_t *all)
{
    halo *h = &m->halo;
    const fur_ranks *g = m->group;
    for (int rank = 0; rank < g->count; rank++) {
        int64_t count = all[(int64_t)rank * g->count + g->rank];
        if (count == 0)
            continue;
        h->targets[h->target_count++] = (neighbour){rank, count, h->give_count};
        h->give_count += count;
    }
    for (int64_t i = 0; i < (int64_t)g->count * g->count; i++)
        m->report.halo_bytes += all[i];
}

/* Tells the sources which entries are needed. */
static fur_status exchange_requests(fur_ranks_csr *m)
{
    halo *h = &m->halo;
    fur_ranks *g = m->group;
    for (int i = 0; i < h->source_count; i++)
        FUR_TRY(group_send(g, h->sources[i].rank, h->column + h->sources[i].at,
                           (size_t)h->sources[i].count * sizeof *h->column));
    for (int i = 0; i < h->target_count; i++)
        FUR_TRY(group_receive(g, h->targets[i].rank, h->give + h->targets[i].at,
                              (size_t)h->targets[i].count * sizeof *h->give));
    for (int64_t i = 0; i < h->give_count; i++)
        h->give[i] -= m->column_bounds[g->rank];
    return FUR_OK;
}

fur_status halo_plan(fur_ranks_csr *m, size_t value_size)
{
    halo *h = &m->halo;
    fur_ranks *g = m->group;
    int64_t *needs;
    int64_t *all;
    FUR_TRY(group_allocate(g, g->count, sizeof *h->sources, &h->sources));
    FUR_TRY(group_allocate(g, g->count, sizeof *h->targets, &h->targets));
    FUR_TRY(group_allocate(g, (int64_t)g->count * (g->count + 1), sizeof *needs, &needs));
    all = needs + g->count;
    find_sources(m, needs);
    fur_status status = group_gather(g, needs, (size_t)g->count * sizeof *needs, all);
    if (status == FUR_OK)
        find_targets(m, all);
    group_release(g, needs);
    FUR_TRY(status);
    m->report.halo_bytes *= (int64_t)value_size;
    FUR_TRY(group_allocate(g, h->give_count, sizeof *h->give, &h->give));
    FUR_TRY(group_allocate(g, h->give_count, value_size, &h->packed));
    return exchange_requests(m);
}

/* Returns the number of leading consecutive numbers in an ascending list. */
static int64_t run_length(const int64_t *at, int64_t count)
{
    int64_t n = 1;
    while (2 * n <= count && at[2 * n - 1] - at[0] == 2 * n - 1)
        n *= 2;
    int64_t most = 2 * n <= count ? 2 * n : count;
    while (n < most) { /* n numbers are consecutive; the answer is at most `most` */
        int64_t middle = n + (most - n + 1) / 2;
        if (at[middle - 1] - at[0] == middle - 1)
            n = middle;
        else
            most = middle - 1;
    }
    return n;
}

/* Shorter runs are copied element by element. */
#define RUN_LEAST 16

/* Copies elements between a list and their places: to[i] = from[at[i] - first] or, if `back`,
 * to[at[i] - first] = from[i]. `at` is ascending. */
static void pick(size_t size, int64_t count, const int64_t *at, int64_t first, const char *from,
                 char *to, bool back)
{
    for (int64_t i = 0, n; i < count; i += n) {
        n = run_length(at + i, count - i);
        const char *in = from + (size_t)(back ? i : at[i] - first) * size;
        char *out = to + (size_t)(back ? at[i] - first : i) * size;
        if (n < RUN_LEAST && size == 8) /* copied without a call */
            for (int64_t k = 0; k < n; k++)
                memcpy(out + 8 * k, in + 8 * k, 8);
        else
            memcpy(out, in, (size_t)n * size);
    }
}

fur_status halo_receive(fur_ranks_csr *m, int from, void *data, size_t bytes)
{
    double start = fur_seconds();
    fur_status status = group_receive(m->group, from, data, bytes);
    m->report.seconds_halo += fur_seconds() - start;
    return status;
}

/* Sends entries of x, of `size` bytes each, to the ranks that need them. */
static fur_status give(fur_ranks_csr *m, size_t size, const void *x, void *packed)
{
    const halo *h = &m->halo;
    for (int i = 0; i < h->target_count; i++) {
        const neighbour *to = &h->targets[i];
        char *parcel = (char *)packed + (size_t)to->at * size;
        pick(size, to->count, h->give + to->at, 0, x, parcel, false);
        FUR_TRY(group_send(m->group, to->rank, parcel, (size_t)to->count * size));
    }
    return FUR_OK;
}

/* Copies own and received entries into the boundary's x. */
static fur_status fill_outer(fur_ranks_csr *m, size_t size, const void *x, char *outer)
{
    const halo *h = &m->halo;
    int64_t first = m->column_bounds[m->group->rank];
    if (h->lead > 0)
        pick(size, h->lead, h->column, first, x, outer, false);
    if (h->own_count > 0)
        pick(size, h->own_count, h->column + h->own_at, first, x, outer + (size_t)h->own_at * size,
             false);
    for (int i = 0; i < h->source_count; i++)
        FUR_TRY(halo_receive(m, h->sources[i].rank, outer + (size_t)h->sources[i].at * size,
                             (size_t)h->sources[i].count * size));
    return FUR_OK;
}

fur_status halo_exchange(fur_ranks_csr *m, size_t size, const void *x, void *packed, void *outer)
{
    FUR_TRY(give(m, size, x, packed));
    return fill_outer(m, size, x, outer);
}

static fur_status begin(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    (void)y;
    return give(m, fur_value_size(m->report.value_type), fur_vector_const_data(x), m->halo.packed);
}

static fur_status end(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    size_t size = fur_value_size(m->report.value_type);
    FUR_TRY(fill_outer(m, size, fur_vector_const_data(x), fur_vector_data(m->outer_x)));
    if (m->boundary_rows == 0)
        return FUR_OK;
    FUR_TRY(group_pass_on(
        m->group, m->context,
        fur_spmv_apply(m->outer_plan, fur_real(m->factor), m->outer_x, fur_real(0), m->outer_y)));
    pick(size, m->boundary_rows, m->boundary, 0, fur_vector_const_data(m->outer_y),
         fur_vector_data(y), true);
    return FUR_OK;
}

const halo_link link_host = {.name = "", .begin = begin, .end = end};

void halo_release(fur_ranks_csr *m)
{
    halo *h = &m->halo;
    group_release(m->group, h->column);
    group_release(m->group, h->sources);
    group_release(m->group, h->targets);
    group_release(m->group, h->give);
    group_release(m->group, h->packed);
}
