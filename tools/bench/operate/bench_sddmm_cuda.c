/* furrow bench sddmm on a GPU: products of two blocks at the entries of a matrix, compared with
 * cuSPARSE after its preprocessing. */
#include "bench_cuda.h"

#include <furrow/author/context.h>

#include "bench_sddmm.h"

#include <string.h>

#ifdef FURROW_WITH_CUSPARSE
#    include "peer_sddmm.h"
#endif

static fur_status run_rows(void *self)
{
    return sddmm_run(self, FUR_LAYOUT_ROWS);
}

static fur_status run_copied(void *self)
{
    return sddmm_run(self, FUR_LAYOUT_COLUMNS);
}

/* Copies the result to the host. */
static fur_status take_result(const sddmm_case *c, fur_layout layout, fur_csr **out)
{
    FUR_TRY(sddmm_run(c, layout));
    return fur_csr_transfer(c->a, fur_context_host(c->b->context), out);
}

/* Checks that the host computes the same bits from the same numbers. */
static fur_status check(const sddmm_case *c, fur_layout layout)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr *found = NULL;
    fur_csr *expected = NULL;
    sddmm_case near = *c;
    FUR_TRY(take_result(c, layout, &found));
    const fur_csr_view *a = fur_csr_get(found);
    fur_status status = FUR_OK;
    near.x[0] = near.y[0] = NULL;
    status = fur_vectors_create(host, FUR_F64, a->rows, c->cols, FUR_LAYOUT_ROWS, &near.x[0]);
    if (status == FUR_OK)
        status = fur_vectors_create(host, FUR_F64, a->cols, c->cols, FUR_LAYOUT_ROWS, &near.y[0]);
    if (status == FUR_OK)
        status = fur_vectors_copy(c->x[0], near.x[0]);
    if (status == FUR_OK)
        status = fur_vectors_copy(c->y[0], near.y[0]);
    if (status == FUR_OK)
        status =
            fur_sddmm_multiply(fur_real(1), near.x[0], near.y[0], fur_real(0), found, &expected);
    if (status == FUR_OK &&
        memcmp(a->values, fur_csr_get(expected)->values, (size_t)a->entries * sizeof(double)) != 0)
        status =
            fur_context_fail(c->b->context, FUR_INVALID,
                             "%s: the bits of the GPU differ from the bits of the CPU", c->name);
    fur_csr_destroy(expected);
    fur_vectors_destroy(near.y[0]);
    fur_vectors_destroy(near.x[0]);
    fur_csr_destroy(found);
    return status;
}

#ifdef FURROW_WITH_CUSPARSE
static fur_status run_foreign(void *self)
{
    const sddmm_case *c = ((void **)self)[0];
    return peer_sddmm_run(((void **)self)[1])
               ? FUR_OK
               : fur_context_fail(c->b->context, FUR_DEVICE_ERROR, "cuSPARSE's SDDMM failed");
}
#endif

static fur_status race_all(sddmm_case *c)
{
    cuda_race r = {.count = 0};
    cuda_base base = {0};
    FUR_TRY(check(c, FUR_LAYOUT_ROWS));
    FUR_TRY(check(c, FUR_LAYOUT_COLUMNS));
    *cuda_race_add(&r, "sddmm", run_rows, c) = sddmm_about(c, RACE_KERNEL);
    *cuda_race_add(&r, "sddmm, columns copied", run_copied, c) = sddmm_about(c, RACE_KERNEL);
#ifdef FURROW_WITH_CUSPARSE
    peer_sddmm *peer = peer_sddmm_open(c->b->timing->stream, fur_csr_get(c->a),
                                       fur_vectors_get(c->x[0]), fur_vectors_get(c->y[0]));
    void *foreign[] = {c, peer};
    if (peer)
        *cuda_race_add(&r, "cusparse", run_foreign, foreign) = sddmm_about(c, RACE_PEER);
#endif
    fur_status status = cuda_race_run(&r, c->b->timing->gpu);
#ifdef FURROW_WITH_CUSPARSE
    if (peer)
        base = bench_cuda_base(&r, r.count - 1);
    peer_sddmm_close(peer);
#endif
    FUR_TRY(status);
    json_t *record = sddmm_record(c);
    json_object_set_new(record, "against", json_string("cuSPARSE"));
    bench_report_cuda(c->b, record, &r, base);
    return FUR_OK;
}

fur_status bench_sddmm_cuda(bench *b, const char *name)
{
    return sddmm_each(b, name, race_all);
}
