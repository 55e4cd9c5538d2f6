/* cuSPARSE's SpSV. */
#include "peer_trisolve.h"

#include <furrow/author/clock.h>

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdlib.h>

struct peer_trisolve {
    cudaStream_t stream;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t b;
    cusparseDnVecDescr_t x;
    cusparseSpSVDescr_t solve;
    void *buffer;
    double seconds;
};

#define NONE CUSPARSE_OPERATION_NON_TRANSPOSE
#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            return false;                                                                          \
    } while (0)

static const double one = 1;

static bool describe(const fur_csr_view *m, cusparseSpMatDescr_t *out)
{
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
    void *offsets = (void *)(uintptr_t)m->offsets;
    void *columns = (void *)(uintptr_t)m->columns;
    void *values = (void *)(uintptr_t)m->values;
    CHECK(cusparseCreateCsr(out, m->rows, m->cols, m->entries, offsets, columns, values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            CUDA_R_64F));
    CHECK(cusparseSpMatSetAttribute(*out, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    CHECK(cusparseSpMatSetAttribute(*out, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof stored));
    return true;
}

static bool analyse(peer_trisolve *p)
{
    double start = fur_seconds();
    CHECK(cusparseSpSV_analysis(p->handle, NONE, &one, p->a, p->b, p->x, CUDA_R_64F,
                                CUSPARSE_SPSV_ALG_DEFAULT, p->solve, p->buffer));
    CHECK(cudaStreamSynchronize(p->stream));
    p->seconds = fur_seconds() - start;
    return true;
}

static bool open_peer(peer_trisolve *p, const fur_csr_view *a, const double *b, double *x)
{
    size_t bytes = 0;
    CHECK(cusparseCreate(&p->handle));
    CHECK(cusparseSetStream(p->handle, p->stream));
    if (!describe(a, &p->a))
        return false;
    CHECK(cusparseCreateDnVec(&p->b, a->rows, (void *)(uintptr_t)b, CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&p->x, a->rows, x, CUDA_R_64F));
    CHECK(cusparseSpSV_createDescr(&p->solve));
    CHECK(cusparseSpSV_bufferSize(p->handle, NONE, &one, p->a, p->b, p->x, CUDA_R_64F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, p->solve, &bytes));
    CHECK(cudaMalloc(&p->buffer, bytes > 0 ? bytes : 1));
    return analyse(p) && peer_trisolve_run(p);
}

peer_trisolve *peer_trisolve_open(void *stream, const fur_csr_view *a, const double *b, double *x)
{
    peer_trisolve *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->stream = stream;
    if (open_peer(p, a, b, x))
        return p;
    peer_trisolve_close(p);
    return NULL;
}

bool peer_trisolve_run(peer_trisolve *p)
{
    return cusparseSpSV_solve(p->handle, NONE, &one, p->a, p->b, p->x, CUDA_R_64F,
                              CUSPARSE_SPSV_ALG_DEFAULT, p->solve) == CUSPARSE_STATUS_SUCCESS;
}

double peer_trisolve_seconds(const peer_trisolve *p)
{
    return p->seconds;
}

void peer_trisolve_close(peer_trisolve *p)
{
    if (!p)
        return;
    if (p->solve)
        cusparseSpSV_destroyDescr(p->solve);
    if (p->buffer)
        cudaFree(p->buffer);
    if (p->x)
        cusparseDestroyDnVec(p->x);
    if (p->b)
        cusparseDestroyDnVec(p->b);
    if (p->a)
        cusparseDestroySpMat(p->a);
    if (p->handle)
        cusparseDestroy(p->handle);
    free(p);
}
