/* furrow bench trisolve on a GPU: solves with the lower triangle of a matrix, for one right-hand
 * side and for eight at once, compared with cuSPARSE's SpSV after its analysis. */
#include "bench_cuda.h"

#include <furrow/author/context.h>

#include <stdio.h>
#include <string.h>

#ifdef FURROW_WITH_CUSPARSE
#    include "peer_trisolve.h"
#endif

#define MANY 8

typedef struct solves {
    fur_trsv *plan;
    int count;
    const fur_vector *b[MANY];
    fur_vector *x[MANY];
} solves;

typedef struct trisolve_case {
    bench *b;
    const char *name;
    fur_csr *near; /* on the host */
    fur_csr *a;
    fur_vector *right[MANY];
    fur_vector *left[MANY];
    solves one;
    solves many;
} trisolve_case;

static fur_status run_solves(void *self)
{
    const solves *s = self;
    return fur_trsv_apply_many(s->plan, fur_real(1), s->count, s->b, s->x);
}

static fur_status make_plan(const fur_csr *a, bool many, fur_trsv **out)
{
    fur_trsv_options options = {.size = sizeof options, .many = many};
    return fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, &options, out);
}

/* Makes the plan twice and times the second, because the first loads kernels. */
static fur_status make_solves(trisolve_case *c, int count, solves *s)
{
    s->count = count;
    for (int k = 0; k < count; k++) {
        s->b[k] = c->right[k];
        s->x[k] = c->left[k];
    }
    FUR_TRY(make_plan(c->a, count > 1, &s->plan));
    fur_trsv_destroy(s->plan);
    s->plan = NULL;
    return make_plan(c->a, count > 1, &s->plan);
}

static fur_status make_vectors(trisolve_case *c)
{
    fur_context *context = c->b->context;
    int64_t n = fur_csr_get(c->a)->rows;
    for (int k = 0; k < MANY; k++) {
        fur_vector *near = NULL;
        FUR_TRY(bench_numbers(fur_context_host(context), n, k + 1, 1, &near));
        fur_status status = fur_vector_create(context, FUR_F64, n, &c->right[k]);
        if (status == FUR_OK)
            status = fur_vector_copy(near, c->right[k]);
        fur_vector_destroy(near);
        FUR_TRY(status);
        FUR_TRY(fur_vector_create(context, FUR_F64, n, &c->left[k]));
    }
    return FUR_OK;
}

/* Checks that the last solution has the bits of the host's solution. */
static fur_status compare(const trisolve_case *c, const solves *s, const fur_trsv *plan,
                          fur_vector *b, fur_vector *x, fur_vector *found)
{
    int last = s->count - 1;
    size_t bytes = (size_t)fur_vector_size(x) * sizeof(double);
    FUR_TRY(run_solves((void *)(uintptr_t)s));
    FUR_TRY(fur_vector_copy(c->left[last], found));
    FUR_TRY(fur_vector_copy(c->right[last], b));
    FUR_TRY(fur_trsv_apply(plan, fur_real(1), b, x));
    return memcmp(fur_vector_const_data(x), fur_vector_const_data(found), bytes) == 0
               ? FUR_OK
               : fur_context_fail(c->b->context, FUR_INVALID,
                                  "%s: the bits of the GPU differ from the bits of the CPU",
                                  c->name);
}

static fur_status check(const trisolve_case *c, const solves *s)
{
    fur_context *host = fur_context_host(c->b->context);
    int64_t n = fur_csr_get(c->near)->rows;
    fur_vector *v[3] = {NULL, NULL, NULL};
    fur_trsv *plan = NULL;
    fur_status status = make_plan(c->near, false, &plan);
    for (int i = 0; i < 3 && status == FUR_OK; i++)
        status = fur_vector_create(host, FUR_F64, n, &v[i]);
    if (status == FUR_OK)
        status = compare(c, s, plan, v[0], v[1], v[2]);
    for (int i = 0; i < 3; i++)
        fur_vector_destroy(v[i]);
    fur_trsv_destroy(plan);
    return status;
}

static race_about about(const solves *s)
{
    const fur_trsv_report *report = fur_trsv_describe(s->plan);
    double rows = (double)fur_vector_size(s->x[0]);
    race_about made = {.role = RACE_KERNEL,
                       .kernel = report->schedule,
                       .exact = true,
                       .bytes = (double)report->bytes + 16.0 * rows * (s->count - 1),
                       .plan_seconds = report->seconds_plan};
    snprintf(made.note, sizeof made.note, "%lld levels, plan %.3g ms", (long long)report->levels,
             1e3 * report->seconds_plan);
    return made;
}

#ifdef FURROW_WITH_CUSPARSE
static fur_status run_foreign(void *self)
{
    const trisolve_case *c = ((void **)self)[0];
    return peer_trisolve_run(((void **)self)[1])
               ? FUR_OK
               : fur_context_fail(c->b->context, FUR_DEVICE_ERROR, "cuSPARSE's SpSV failed");
}
#endif

static fur_status race_all(trisolve_case *c)
{
    cuda_race r = {.count = 0};
    cuda_base base = {0};
    *cuda_race_add(&r, "trisolve", run_solves, &c->one) = about(&c->one);
    *cuda_race_add(&r, "trisolve, 8 at once", run_solves, &c->many) = about(&c->many);
#ifdef FURROW_WITH_CUSPARSE
    peer_trisolve *peer =
        peer_trisolve_open(c->b->timing->stream, fur_csr_get(c->a),
                           fur_vector_const_data(c->right[0]), fur_vector_data(c->left[0]));
    void *foreign[] = {c, peer};
    if (peer) {
        race_about *told = cuda_race_add(&r, "cusparse", run_foreign, foreign);
        *told = (race_about){.role = RACE_PEER,
                             .bytes = about(&c->one).bytes,
                             .plan_seconds = peer_trisolve_seconds(peer)};
        snprintf(told->note, sizeof told->note, "analysis %.3g ms", 1e3 * told->plan_seconds);
    }
#endif
    fur_status status = cuda_race_run(&r, c->b->timing->gpu);
#ifdef FURROW_WITH_CUSPARSE
    if (peer)
        base = bench_cuda_base(&r, r.count - 1);
    peer_trisolve_close(peer);
#endif
    FUR_TRY(status);
    json_t *record = bench_matrix(c->name, c->near);
    json_object_set_new(record, "against", json_string("cuSPARSE"));
    bench_report_cuda(c->b, record, &r, base);
    return FUR_OK;
}

static fur_status run_steps(trisolve_case *c)
{
    FUR_TRY(bench_load(c->b, fur_context_host(c->b->context), c->name, &c->near));
    fur_csr_view a = *fur_csr_get(c->near);
    if (a.value_type != FUR_F64 || a.offset_type != FUR_I32 || a.entries == 0)
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                "%s: this benchmark needs a real matrix with 1 to 2^31-1 entries",
                                c->name);
    FUR_TRY(fur_csr_transfer(c->near, c->b->context, &c->a));
    FUR_TRY(make_vectors(c));
    FUR_TRY(make_solves(c, 1, &c->one));
    FUR_TRY(make_solves(c, MANY, &c->many));
    FUR_TRY(check(c, &c->one));
    FUR_TRY(check(c, &c->many));
    return race_all(c);
}

fur_status bench_trisolve_cuda(bench *b, const char *name)
{
    trisolve_case c = {.b = b, .name = name};
    fur_status status = run_steps(&c);
    fur_trsv_destroy(c.one.plan);
    fur_trsv_destroy(c.many.plan);
    for (int k = 0; k < MANY; k++) {
        fur_vector_destroy(c.left[k]);
        fur_vector_destroy(c.right[k]);
    }
    fur_csr_destroy(c.a);
    fur_csr_destroy(c.near);
    return status;
}
