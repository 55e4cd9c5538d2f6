/* furrow bench spmm on a GPU: products with blocks of vectors in both layouts, compared with
 * cuSPARSE after its preprocessing. */
#include "bench_cuda.h"
#include "bench_spmm_case.h"

#include <math.h>

static fur_status run_product(void *self)
{
    return spmm_run(self);
}

/* Returns the best of cuSPARSE's algorithms for the same layout. */
static cuda_base find_base(const cuda_race *r, fur_layout layout)
{
    cuda_base best = {0};
    for (int i = 0; i < r->count; i++) {
        const spmm_product *p = r->contenders[i].self;
        if (r->contenders[i].about.role != RACE_PEER || p->layout != layout)
            continue;
        cuda_base base = bench_cuda_base(r, i);
        best.cold = best.cold > 0 ? fmin(best.cold, base.cold) : base.cold;
        best.warm = best.warm > 0 ? fmin(best.warm, base.warm) : base.warm;
    }
    return best;
}

/* Runs one race for each layout, because cuSPARSE's plan depends on the last blocks that it has
 * seen. */
static fur_status race_layout(spmm_case *c, fur_layout layout)
{
    cuda_race r = {.count = 0};
    for (int i = 0; i < c->count; i++) {
        spmm_product *p = &c->products[i];
        bool single = !p->plan;
        if (p->layout == layout || single)
            *cuda_race_add(&r, p->name, run_product, p) = spmm_about(p);
    }
    FUR_TRY(cuda_race_run(&r, c->b->timing->gpu));
    json_t *record = spmm_record(c);
    json_object_set_new(record, "layout",
                        json_string(layout == FUR_LAYOUT_ROWS ? "rows" : "columns"));
    json_object_set_new(record, "against", json_string("cuSPARSE"));
    bench_report_cuda(c->b, record, &r, find_base(&r, layout));
    return FUR_OK;
}

static fur_status race_all(spmm_case *c)
{
    FUR_TRY(race_layout(c, FUR_LAYOUT_ROWS));
    return race_layout(c, FUR_LAYOUT_COLUMNS);
}

fur_status bench_spmm_cuda(bench *b, const char *name)
{
    static const int64_t counts[] = {2, 3, 4, 8, 9, 16, 17, 31, 32, 33, 64, 100, 128, 256, 0};
    return spmm_each(b, name, counts, race_all);
}
