/* Figures of a matrix's pattern. */
#include "object.h"
#include "split.h"

#include <stdlib.h>

/* Rows below which a further thread costs more than it brings. */
#define ROW_GRAIN 4096

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void fur_csr_figures(const fur_csr_view *a, int threads, fur_csr_statistics *out)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t empty = 0;
    int64_t bandwidth = 0;
    int64_t profile = 0;
    int team = fur_team(threads, a->rows, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1) reduction(min : least)   \
    reduction(max : most, bandwidth) reduction(+ : empty, profile)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t begin = fur_offset_at(a, i);
        int64_t end = fur_offset_at(a, i + 1);
        least = fur_smaller(least, end - begin);
        most = larger(most, end - begin);
        if (begin == end) {
            empty++;
            continue;
        }
        int64_t left = i - a->columns[begin];
        int64_t right = a->columns[end - 1] - i;
        bandwidth = larger(bandwidth, larger(llabs(left), llabs(right)));
        profile += larger(left, 0);
    }
    *out = (fur_csr_statistics){
        .row_min = a->rows > 0 ? least : 0,
        .row_max = most,
        .row_mean = a->rows > 0 ? (double)a->entries / (double)a->rows : 0,
        .empty_rows = empty,
        .bandwidth = bandwidth,
        .profile = profile,
    };
}

fur_status fur_csr_measure(const fur_csr *a, fur_csr_statistics *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_env *env = &a->context->env;
    if (fur_is_remote(a->context))
        return a->context->backend->remote->measure(env, &a->view, out);
    fur_csr_figures(&a->view, env->threads, out);
    return FUR_OK;
}
