/* furrow bench reduce on a GPU: dot product, 2-norm and the fused update, compared with cuBLAS. The
 * result is fetched to the host, or stays on the device. */
#include "bench_cuda.h"

#include <furrow/author/context.h>
#include <furrow/author/fused.h>
#include <furrow/author/scalars.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer_cuda.h"

/* Small, so that y keeps its size although every round adds alpha x to it. */
static const double ALPHA = 1e-9;

/* The data of a case. `result` is the last fetched result. */
typedef struct reduction {
    bench *b;
    int64_t n;
    fur_vector *x;
    fur_vector *y;
    fur_vector *start; /* initial y, for runs whose results are compared */
    fur_scalars *scalars;
    peer_cublas on_host;
    peer_cublas on_device;
    fur_vector *device_alpha; /* cuBLAS's scalars on the device, of one entry each */
    fur_vector *device_result;
    double result;
} reduction;

static const double *data(const fur_vector *v)
{
    return fur_vector_const_data(v);
}

static fur_status judge(const reduction *r, int status, const char *call)
{
    return status == 0
               ? FUR_OK
               : fur_context_fail(r->b->context, FUR_UNSUPPORTED, "%s fails with %d", call, status);
}

static fur_status run_dot(void *self)
{
    reduction *r = self;
    fur_scalar sum;
    FUR_TRY(fur_dot(r->x, r->y, &sum));
    r->result = sum.re;
    return FUR_OK;
}

static fur_status run_norm2(void *self)
{
    reduction *r = self;
    return fur_norm2(r->x, &r->result);
}

static fur_status run_axpy_norm2(void *self)
{
    reduction *r = self;
    return fur_axpy_norm2(fur_real(ALPHA), r->x, r->y, &r->result);
}

static fur_status run_dot_into(void *self)
{
    reduction *r = self;
    return fur_dot_into(r->x, r->y, r->scalars, 0);
}

static fur_status run_axpy_norm2_into(void *self)
{
    reduction *r = self;
    fur_coefficient alpha = {.factor = fur_real(ALPHA)};
    return fur_axpy_norm2_into(alpha, r->x, r->y, r->scalars, 0);
}

static fur_status fetch(void *self)
{
    reduction *r = self;
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    FUR_TRY(fur_scalars_get(r->scalars, &state));
    r->result = state.value[0].re;
    return FUR_OK;
}

static fur_status peer_dot(const reduction *r, const peer_cublas *p, double *result)
{
    int status = p->dot(p->handle, (int)r->n, data(r->x), 1, data(r->y), 1, result);
    return judge(r, status, "cublasDdot");
}

static fur_status peer_norm2(const reduction *r, const peer_cublas *p, const fur_vector *x,
                             double *result)
{
    return judge(r, p->norm2(p->handle, (int)r->n, data(x), 1, result), "cublasDnrm2");
}

static fur_status peer_axpy_norm2(const reduction *r, const peer_cublas *p, const double *alpha,
                                  double *result)
{
    double *y = fur_vector_data(r->y);
    FUR_TRY(judge(r, p->axpy(p->handle, (int)r->n, alpha, data(r->x), 1, y, 1), "cublasDaxpy"));
    return peer_norm2(r, p, r->y, result);
}

static fur_status run_peer_dot(void *self)
{
    reduction *r = self;
    return peer_dot(r, &r->on_host, &r->result);
}

static fur_status run_peer_norm2(void *self)
{
    reduction *r = self;
    return peer_norm2(r, &r->on_host, r->x, &r->result);
}

static fur_status run_peer_axpy_norm2(void *self)
{
    reduction *r = self;
    return peer_axpy_norm2(r, &r->on_host, &ALPHA, &r->result);
}

static fur_status run_peer_dot_into(void *self)
{
    reduction *r = self;
    return peer_dot(r, &r->on_device, fur_vector_data(r->device_result));
}

static fur_status run_peer_axpy_norm2_into(void *self)
{
    reduction *r = self;
    return peer_axpy_norm2(r, &r->on_device, data(r->device_alpha),
                           fur_vector_data(r->device_result));
}

static fur_status fetch_peer(void *self)
{
    reduction *r = self;
    return fur_vector_download(r->device_result, &r->result);
}

typedef struct line {
    const char *name;
    fur_status (*run)(void *self);
    /* fetches a result that a run has left on the device; NULL: none */
    fur_status (*fetch)(void *self);
} line;

/* One operation in both libraries. The peer runs first. */
typedef struct duel {
    const char *name;
    bool waits;  /* the timed run includes the transfer of the result to the host */
    int vectors; /* number of vectors read and written */
    int flops;   /* per entry */
    line peer;
    line own;
} duel;

static const duel duels[] = {
    {"dot, fetched", true, 2, 2, {"cublasDdot", run_peer_dot, NULL}, {"fur_dot", run_dot, NULL}},
    {"norm 2, fetched",
     true,
     1,
     2,
     {"cublasDnrm2", run_peer_norm2, NULL},
     {"fur_norm2", run_norm2, NULL}},
    {"axpy + norm 2, fetched",
     true,
     3,
     4,
     {"cublasDaxpy + Dnrm2", run_peer_axpy_norm2, NULL},
     {"fur_axpy_norm2", run_axpy_norm2, NULL}},
    {"dot, left there",
     false,
     2,
     2,
     {"cublasDdot", run_peer_dot_into, fetch_peer},
     {"fur_dot_into", run_dot_into, fetch}},
    {"axpy + norm 2, left there",
     false,
     3,
     4,
     {"cublasDaxpy + Dnrm2", run_peer_axpy_norm2_into, fetch_peer},
     {"fur_axpy_norm2_into", run_axpy_norm2_into, fetch}},
};

/* Finds the result of a run for the initial x and y. */
static fur_status find_result(reduction *r, const line *l)
{
    FUR_TRY(fur_vector_copy(r->start, r->y));
    FUR_TRY(l->run(r));
    return l->fetch ? l->fetch(r) : FUR_OK;
}

/* Checks that both results agree up to rounding. */
static fur_status check_peer(reduction *r, const duel *d)
{
    FUR_TRY(find_result(r, &d->peer));
    double theirs = r->result;
    FUR_TRY(find_result(r, &d->own));
    /* The terms of a dot product may cancel, so the error is compared with their sizes. */
    double size = d->vectors == 2 ? (double)r->n : fabs(theirs);
    if (!(fabs(r->result - theirs) <= 1e-12 * size)) {
        return fur_context_fail(r->b->context, FUR_INVALID, "%s gives %.17g, %s %.17g", d->own.name,
                                r->result, d->peer.name, theirs);
    }
    return FUR_OK;
}

static fur_status run_duel(reduction *r, const char *name, const duel *d)
{
    cuda_race lanes = {.waits = d->waits};
    race_about about = {.role = RACE_PEER,
                        .bytes = (double)(8 * d->vectors * r->n),
                        .flops = (double)(d->flops * r->n)};
    bool peer = r->on_host.handle && r->on_device.handle && r->n <= INT32_MAX;
    if (!peer && r->b->against) {
        return fur_context_fail(r->b->context, FUR_UNSUPPORTED,
                                "libcublas.so cannot be loaded, or does not support this GPU");
    }
    if (peer) {
        FUR_TRY(check_peer(r, d));
        *cuda_race_add(&lanes, d->peer.name, d->peer.run, r) = about;
    }
    about.role = RACE_KERNEL;
    about.exact = true;
    *cuda_race_add(&lanes, d->own.name, d->own.run, r) = about;
    FUR_TRY(cuda_race_run(&lanes, r->b->timing->gpu));
    char title[96];
    snprintf(title, sizeof title, "%s entries, %s", name, d->name);
    cuda_base none = {0};
    bench_report_cuda(r->b,
                      json_pack("{s:o, s:s}", "case", output_string(title), "against", "cuBLAS"),
                      &lanes, peer ? bench_cuda_base(&lanes, 0) : none);
    return FUR_OK;
}

static fur_status make_vectors(fur_context *context, reduction *r)
{
    FUR_TRY(bench_numbers(context, r->n, 1, 1, &r->x));
    return bench_numbers(context, r->n, 2, 3, &r->y);
}

/* Computes the results on the device of r's context, in the order dot, 2-norm, 2-norm of the
 * update. */
static fur_status reduce(reduction *r, double results[3])
{
    fur_scalar sum;
    FUR_TRY(fur_dot(r->x, r->y, &sum));
    results[0] = sum.re;
    FUR_TRY(fur_norm2(r->x, &results[1]));
    return fur_axpy_norm2(fur_real(ALPHA), r->x, r->y, &results[2]);
}

/* The same three results on the CPU must have the same bits. */
static fur_status check_bits(reduction *r)
{
    double here[3];
    double there[3];
    reduction on_cpu = {.b = r->b, .n = r->n};
    fur_status status = make_vectors(fur_context_host(r->b->context), &on_cpu);
    if (status == FUR_OK)
        status = reduce(&on_cpu, there);
    fur_vector_destroy(on_cpu.y);
    fur_vector_destroy(on_cpu.x);
    FUR_TRY(status);
    FUR_TRY(reduce(r, here));
    if (here[0] == there[0] && here[1] == there[1] && here[2] == there[2])
        return FUR_OK;
    return fur_context_fail(r->b->context, FUR_INVALID,
                            "results differ: the GPU has %a, %a, %a, but the CPU has %a, %a, %a",
                            here[0], here[1], here[2], there[0], there[1], there[2]);
}

static fur_status run_steps(reduction *r, const char *name)
{
    fur_context *context = r->b->context;
    FUR_TRY(make_vectors(context, r));
    FUR_TRY(fur_vector_create(context, FUR_F64, r->n, &r->start));
    FUR_TRY(fur_vector_copy(r->y, r->start));
    FUR_TRY(fur_scalars_create(context, &r->scalars));
    FUR_TRY(fur_vector_create(context, FUR_F64, 1, &r->device_alpha));
    FUR_TRY(fur_vector_create(context, FUR_F64, 1, &r->device_result));
    FUR_TRY(fur_vector_fill(r->device_alpha, fur_real(ALPHA)));
    FUR_TRY(check_bits(r));
    for (size_t i = 0; i < sizeof duels / sizeof *duels; i++)
        FUR_TRY(run_duel(r, name, &duels[i]));
    return FUR_OK;
}

fur_status bench_reduce_cuda(bench *b, const char *name)
{
    char *end = NULL;
    reduction r = {.b = b, .n = strtoll(name, &end, 10)};
    if (*end != '\0' || r.n < 1 || r.n > INT64_C(1) << 33) {
        return fur_context_fail(b->context, FUR_INVALID,
                                "'%s' is not a vector length; use a number from 1 to 2^33", name);
    }
    r.on_host = peer_cublas_open(gpu_stream(b->timing->gpu), false);
    r.on_device = peer_cublas_open(gpu_stream(b->timing->gpu), true);
    fur_status status = run_steps(&r, name);
    peer_cublas_close(&r.on_device);
    peer_cublas_close(&r.on_host);
    fur_vector_destroy(r.device_result);
    fur_vector_destroy(r.device_alpha);
    fur_scalars_destroy(r.scalars);
    fur_vector_destroy(r.start);
    fur_vector_destroy(r.y);
    fur_vector_destroy(r.x);
    return status;
}
