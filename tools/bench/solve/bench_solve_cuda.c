/* The peers of furrow bench solve on a GPU: conjugate gradients with Jacobi's preconditioner. They
 * use cuSPARSE's preprocessed product, cuBLAS's dot products and a user's own fused updates. All
 * scalars stay on the device, and the host never reads them. In one version the host launches every
 * kernel. In the other, SOLVE_CHUNK iterations are recorded in a CUDA graph and replayed. */
#include "bench_solve.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "cg_updates.h"
#include "peer_cuda.h"
#include "race_cuda.h"

/* Bytes that an iteration moves for each row, besides the matrix: a product reads p and writes q
 * (16), p.q (16), x, r and z are updated (64), r.r (8), r.z (16), p is updated (24). */
#define ROW_BYTES 144

/* The scalars. Iteration k stores r.z at RZ + k % 2. */
enum { RZ, RZ_ODD, PQ, RR, SCALARS };

struct solve_cuda {
    const solve_system *s;
    cudaStream_t stream;
    peer_cublas cublas;
    fur_spmv *plan;
    int n;
    fur_vector *r;
    fur_vector *z;
    fur_vector *p;
    fur_vector *q;
    fur_vector *inverse; /* 1 / d */
    fur_vector *scalars;
    cudaGraphExec_t graph;
};

static double *entries(fur_vector *v)
{
    return fur_vector_data(v);
}

static double *scalar(const solve_cuda *c, int slot)
{
    return entries(c->scalars) + slot;
}

static double *product_of_residual(const solve_cuda *c, int64_t iteration)
{
    return scalar(c, RZ + (int)(iteration % 2));
}

static fur_status judge(const solve_cuda *c, int error, const char *call)
{
    return error == 0 ? FUR_OK
                      : fur_context_fail(c->s->b->context, FUR_UNSUPPORTED, "%s fails with %d",
                                         call, error);
}

#define TRY(c, call) FUR_TRY(judge(c, (int)(call), #call))

static fur_status dot(const solve_cuda *c, fur_vector *x, fur_vector *y, double *result)
{
    return judge(c, c->cublas.dot(c->cublas.handle, c->n, entries(x), 1, entries(y), 1, result),
                 "cublasDdot");
}

/* x = 0, r = b, z = r / d, p = z; r.z */
static fur_status begin(const solve_cuda *c)
{
    FUR_TRY(fur_vector_fill(c->s->x, fur_real(0)));
    FUR_TRY(fur_vector_copy(c->s->rhs, c->r));
    FUR_TRY(fur_multiply_elementwise(c->inverse, c->r, c->z));
    FUR_TRY(fur_vector_copy(c->z, c->p));
    return dot(c, c->r, c->z, product_of_residual(c, 0));
}

static fur_status iterate(const solve_cuda *c, int64_t iteration)
{
    double *rz = product_of_residual(c, iteration);
    double *before = product_of_residual(c, iteration - 1);
    FUR_TRY(fur_spmv_apply(c->plan, fur_real(1), c->p, fur_real(0), c->q));
    FUR_TRY(dot(c, c->p, c->q, scalar(c, PQ)));
    TRY(c, cg_updates_step(c->stream, c->n, before, scalar(c, PQ), entries(c->p), entries(c->q),
                           entries(c->inverse), entries(c->s->x), entries(c->r), entries(c->z)));
    FUR_TRY(dot(c, c->r, c->r, scalar(c, RR)));
    FUR_TRY(dot(c, c->r, c->z, rz));
    TRY(c, cg_updates_turn(c->stream, c->n, rz, before, entries(c->z), entries(c->p)));
    return FUR_OK;
}

static fur_status launch_chunk(const solve_cuda *c)
{
    for (int64_t iteration = 1; iteration <= SOLVE_CHUNK; iteration++)
        FUR_TRY(iterate(c, iteration));
    return FUR_OK;
}

static fur_status replay_chunk(const solve_cuda *c)
{
    TRY(c, cudaGraphLaunch(c->graph, c->stream));
    return FUR_OK;
}

/* Runs chunks of iterations. The first chunk is not timed. */
static fur_status run_chunks(const solve_cuda *c, fur_status (*chunk)(const solve_cuda *c),
                             int64_t iterations, double *seconds)
{
    FUR_TRY(begin(c));
    FUR_TRY(chunk(c));
    TRY(c, cudaStreamSynchronize(c->stream));
    double start = fur_seconds();
    for (int64_t i = SOLVE_CHUNK; i < iterations; i += SOLVE_CHUNK)
        FUR_TRY(chunk(c));
    TRY(c, cudaStreamSynchronize(c->stream));
    *seconds = (fur_seconds() - start) / (double)(iterations - SOLVE_CHUNK);
    return FUR_OK;
}

static fur_status run_launched(void *self, int64_t iterations, double *seconds)
{
    return run_chunks(self, launch_chunk, iterations, seconds);
}

static fur_status run_replayed(void *self, int64_t iterations, double *seconds)
{
    return run_chunks(self, replay_chunk, iterations, seconds);
}

static fur_status record(solve_cuda *c)
{
    cudaGraph_t graph = NULL;
    TRY(c, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
    fur_status status = launch_chunk(c);
    int ended = cudaStreamEndCapture(c->stream, &graph);
    if (status == FUR_OK)
        status = judge(c, ended, "cudaStreamEndCapture");
    if (status == FUR_OK)
        status = judge(c, cudaGraphInstantiateWithFlags(&c->graph, graph, 0),
                       "cudaGraphInstantiateWithFlags");
    if (graph)
        cudaGraphDestroy(graph);
    return status;
}

/* Computes the inverse of the diagonal: Jacobi's preconditioner applied to ones. */
static fur_status make_inverse(solve_cuda *c)
{
    FUR_TRY(fur_vector_fill(c->r, fur_real(1)));
    return fur_operator_apply(c->s->jacobi, c->r, c->inverse);
}

static fur_status make_vectors(solve_cuda *c)
{
    fur_vector **vectors[] = {&c->r, &c->z, &c->p, &c->q, &c->inverse};
    fur_context *context = c->s->b->context;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        FUR_TRY(fur_vector_create(context, FUR_F64, c->n, vectors[i]));
    FUR_TRY(fur_vector_create(context, FUR_F64, SCALARS, &c->scalars));
    return make_inverse(c);
}

/* Opens cuSPARSE and cuBLAS. FUR_UNSUPPORTED if they are not available. */
static fur_status find_libraries(solve_cuda *c)
{
    fur_spmv_options options = {.size = sizeof options, .kernel = "cusparse_alg1"};
    FUR_TRY(fur_spmv_plan(c->s->matrix, &options, &c->plan));
    c->cublas = peer_cublas_open(c->stream, true);
    return c->cublas.handle
               ? FUR_OK
               : fur_context_fail(c->s->b->context, FUR_UNSUPPORTED,
                                  "cuBLAS was not found; install it, or leave out --against");
}

/* Runs everything once before the recording, so that nothing is loaded during it. */
static fur_status prepare(solve_cuda *c)
{
    double seconds;
    FUR_TRY(make_vectors(c));
    FUR_TRY(run_launched(c, 2 * SOLVE_CHUNK, &seconds));
    return record(c);
}

static void add(solve_cuda *c, solve_race *r, const char *name,
                fur_status (*run)(void *self, int64_t iterations, double *seconds))
{
    fur_csr_view a = *fur_csr_get(c->s->matrix);
    double offset_bytes = a.offset_type == FUR_I32 ? 4 : 8;
    solve_add(r, name, c, run)->about.bytes =
        12.0 * (double)a.entries + (offset_bytes + ROW_BYTES) * (double)a.rows;
}

static fur_status make(const solve_system *s, solve_race *r, solve_cuda *c)
{
    fur_status status = find_libraries(c);
    if (status == FUR_UNSUPPORTED) {
        fprintf(stderr, "%s: no peer: %s\n", s->name, fur_context_error(s->b->context));
        return FUR_OK;
    }
    FUR_TRY(status);
    FUR_TRY(prepare(c));
    r->peer = r->count;
    add(c, r, "cuSPARSE, graph", run_replayed);
    add(c, r, "cuSPARSE, launched", run_launched);
    return FUR_OK;
}

fur_status solve_cuda_add(const solve_system *s, solve_race *r, solve_cuda **out)
{
    solve_cuda *c = calloc(1, sizeof *c);
    if (!c)
        return fur_context_fail(s->b->context, FUR_OUT_OF_MEMORY, "out of memory");
    *out = c;
    c->s = s;
    c->stream = gpu_stream(s->b->timing->gpu);
    c->n = (int)fur_vector_size(s->rhs);
    return make(s, r, c);
}

void solve_cuda_destroy(solve_cuda *c)
{
    if (!c)
        return;
    if (c->graph)
        cudaGraphExecDestroy(c->graph);
    peer_cublas_close(&c->cublas);
    fur_vector_destroy(c->scalars);
    fur_vector_destroy(c->inverse);
    fur_vector_destroy(c->q);
    fur_vector_destroy(c->p);
    fur_vector_destroy(c->z);
    fur_vector_destroy(c->r);
    fur_spmv_destroy(c->plan);
    free(c);
}
