/* furrow bench spmm: products with blocks of vectors, compared with the plain loop over rows and
 * with a product for each column. */
#include "bench_spmm_case.h"

#include "plain.h"

static void run_plain(void *self)
{
    const spmm_case *c = self;
    const fur_csr_view *a = fur_csr_get(c->a);
    plain_spmm(c->b->context, a->rows, c->cols, a, fur_vectors_get(c->x[FUR_LAYOUT_ROWS])->data,
               fur_vectors_get(c->y[FUR_LAYOUT_ROWS])->data);
}

static void run_product(void *self)
{
    spmm_run(self);
}

static fur_status race_all(spmm_case *c)
{
    race r = {.rounds = c->b->rounds};
    race_about *plain = race_add(&r, "plain loop", run_plain, c);
    *plain = spmm_about(&c->products[0]);
    plain->role = RACE_PEER;
    for (int i = 0; i < c->count; i++)
        *race_add(&r, c->products[i].name, run_product, &c->products[i]) =
            spmm_about(&c->products[i]);
    race_run(&r, c->b->seconds, &c->b->timing->reader);
    bench_report(c->b, spmm_record(c), &r);
    return FUR_OK;
}

fur_status bench_spmm(bench *b, const char *name)
{
    static const int64_t counts[] = {1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 64, 0};
    return spmm_each(b, name, counts, race_all);
}
