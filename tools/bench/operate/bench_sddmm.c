/* furrow bench sddmm: products of two blocks at the entries of a matrix, compared with the plain
 * loop over its rows. */
#include "bench_sddmm.h"

#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_spmm_case.h"
#include "plain.h"

/* Fills blocks with numbers of both signs, the same in both layouts. */
static fur_status make_blocks(const sddmm_case *c, int64_t rows, int64_t first,
                              fur_vectors *blocks[2])
{
    fur_context *context = c->b->context;
    fur_vector *numbers = NULL;
    for (int layout = 0; layout < 2; layout++)
        FUR_TRY(fur_vectors_create(context, FUR_F64, rows, c->cols, (fur_layout)layout,
                                   &blocks[layout]));
    FUR_TRY(bench_numbers(fur_context_host(context), rows * c->cols, first, 1, &numbers));
    fur_status status = fur_vectors_upload(fur_vector_const_data(numbers), blocks[FUR_LAYOUT_ROWS]);
    fur_vector_destroy(numbers);
    FUR_TRY(status);
    return fur_vectors_copy(blocks[FUR_LAYOUT_ROWS], blocks[FUR_LAYOUT_COLUMNS]);
}

static void drop_blocks(sddmm_case *c)
{
    for (int layout = 0; layout < 2; layout++) {
        fur_vectors_destroy(c->y[layout]);
        fur_vectors_destroy(c->x[layout]);
        c->x[layout] = c->y[layout] = NULL;
    }
}

fur_status sddmm_run(const sddmm_case *c, fur_layout layout)
{
    return fur_sddmm_apply(fur_real(1), c->x[layout], c->y[layout], fur_real(0), c->a);
}

static fur_status run_columns(sddmm_case *c, int64_t cols, fur_status (*contest)(sddmm_case *c))
{
    const fur_csr_view *a = fur_csr_get(c->a);
    c->cols = cols;
    fur_status status = make_blocks(c, a->rows, 1, c->x);
    if (status == FUR_OK)
        status = make_blocks(c, a->cols, 7, c->y);
    if (status == FUR_OK)
        status = contest(c);
    drop_blocks(c);
    return status;
}

fur_status sddmm_each(bench *b, const char *name, fur_status (*contest)(sddmm_case *c))
{
    static const int64_t counts[] = {8, 16, 32, 33, 64, 128, 0};
    sddmm_case c = {.b = b, .name = name};
    int64_t asked = 0;
    fur_status status = spmm_load(b, name, &c.a, &asked);
    if (status == FUR_OK && asked > 0)
        status = run_columns(&c, asked, contest);
    for (int i = 0; status == FUR_OK && asked <= 0 && counts[i] > 0; i++)
        status = run_columns(&c, counts[i], contest);
    fur_csr_destroy(c.a);
    return status;
}

race_about sddmm_about(const sddmm_case *c, race_role role)
{
    const fur_csr_view *a = fur_csr_get(c->a);
    double entries = (double)a->entries;
    double blocks = (double)(a->rows + a->cols) * (double)c->cols * sizeof(double);
    return (race_about){
        .role = role,
        .exact = role != RACE_PEER,
        .bytes = entries * 12 + ((double)a->rows + 1) * 4 + blocks,
        .flops = 2 * entries * (double)c->cols,
    };
}

json_t *sddmm_record(const sddmm_case *c)
{
    char name[4096];
    snprintf(name, sizeof name, "%.*s, %lld columns", (int)strcspn(c->name, "@"), c->name,
             (long long)c->cols);
    json_t *record = bench_matrix(name, c->a);
    json_object_set_new(record, "columns", json_integer(c->cols));
    return record;
}

static void run_plain(void *self)
{
    const sddmm_case *c = self;
    const fur_csr_view *a = fur_csr_get(c->a);
    plain_sddmm(c->b->context, a, c->cols, fur_vectors_get(c->x[FUR_LAYOUT_ROWS])->data,
                fur_vectors_get(c->y[FUR_LAYOUT_ROWS])->data, (double *)(uintptr_t)a->values);
}

static void run_rows(void *self)
{
    sddmm_run(self, FUR_LAYOUT_ROWS);
}

static void run_copied(void *self)
{
    sddmm_run(self, FUR_LAYOUT_COLUMNS);
}

/* Checks the result. Numbers are below 1 / 3, so that both sums have errors of less than this. */
static fur_status check(sddmm_case *c)
{
    const fur_csr_view *a = fur_csr_get(c->a);
    const double bound = 0x1p-53 * (double)c->cols * (double)c->cols / 9 * 2;
    fur_csr *own = NULL;
    run_rows(c);
    FUR_TRY(fur_csr_transfer(c->a, c->b->context, &own));
    run_plain(c);
    const double *plain = a->values;
    const double *found = fur_csr_get(own)->values;
    int64_t e = 0;
    while (e < a->entries && fabs(found[e] - plain[e]) <= bound)
        e++;
    fur_status status = FUR_OK;
    if (e < a->entries)
        status = fur_context_fail(c->b->context, FUR_INVALID,
                                  "%s: entry %lld is %.17g, but the plain loop gives %.17g",
                                  c->name, (long long)e, found[e], plain[e]);
    fur_csr_destroy(own);
    return status;
}

static fur_status race_all(sddmm_case *c)
{
    race r = {.rounds = c->b->rounds};
    FUR_TRY(check(c));
    *race_add(&r, "plain loop", run_plain, c) = sddmm_about(c, RACE_PEER);
    *race_add(&r, "sddmm", run_rows, c) = sddmm_about(c, RACE_KERNEL);
    *race_add(&r, "sddmm, columns copied", run_copied, c) = sddmm_about(c, RACE_KERNEL);
    race_run(&r, c->b->seconds, &c->b->timing->reader);
    bench_report(c->b, sddmm_record(c), &r);
    return FUR_OK;
}

fur_status bench_sddmm(bench *b, const char *name)
{
    return sddmm_each(b, name, race_all);
}
