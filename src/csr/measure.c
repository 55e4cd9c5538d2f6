/* Figures of a matrix's pattern. */
#include "atomic.h"

#include <furrow/author/options.h>

#include "csr.h"
#include "split.h"
#include "team.h"

#include <stdlib.h>

#define ROW_GRAIN 4096

/* Figures that are accumulated over rows. */
typedef struct figures {
    const fur_csr_view *a;
    fur_shared least;
    fur_shared most;
    fur_shared empty;
    fur_shared bandwidth;
    fur_shared profile;
} figures;

static void measure_rows(void *job, int64_t first, int64_t last)
{
    figures *f = job;
    const fur_csr_view *a = f->a;
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t empty = 0;
    int64_t bandwidth = 0;
    int64_t profile = 0;
    for (int64_t i = first; i < last; i++) {
        int64_t begin = fur_offset_at(a, i);
        int64_t end = fur_offset_at(a, i + 1);
        least = fur_smaller(least, end - begin);
        most = fur_larger(most, end - begin);
        if (begin == end) {
            empty++;
            continue;
        }
        int64_t left = i - a->columns[begin];
        int64_t right = a->columns[end - 1] - i;
        bandwidth = fur_larger(bandwidth, fur_larger(llabs(left), llabs(right)));
        profile += fur_larger(left, 0);
    }
    fur_shared_least(&f->least, least);
    fur_shared_largest(&f->most, most);
    fur_shared_add(&f->empty, empty);
    fur_shared_largest(&f->bandwidth, bandwidth);
    fur_shared_add(&f->profile, profile);
}

void fur_csr_figures(const fur_env *env, const fur_csr_view *a, fur_csr_statistics *out)
{
    figures f = {.a = a, .least = INT64_MAX};
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, measure_rows, &f);
    *out = (fur_csr_statistics){
        .row_min = a->rows > 0 ? f.least : 0,
        .row_max = f.most,
        .row_mean = a->rows > 0 ? (double)a->entries / (double)a->rows : 0,
        .empty_rows = f.empty,
        .bandwidth = f.bandwidth,
        .profile = f.profile,
    };
}

fur_status fur_csr_measure(const fur_csr *a, fur_csr_statistics *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_CHECK_REPORT(a->context, fur_csr_statistics, out);
    const fur_remote *device = fur_services(a->context);
    fur_csr_statistics own;
    fur_csr *copy = NULL;
    if (device->csr.measure) {
        FUR_TRY(device->csr.measure(&a->context->env, &a->view, &own));
    } else {
        FUR_TRY(fur_csr_to_host(a, &a, &copy));
        fur_csr_figures(&a->context->env, &a->view, &own);
    }
    fur_csr_destroy(copy);
    fur_report_fill(out, &own, sizeof own);
    return FUR_OK;
}
