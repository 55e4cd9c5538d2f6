/* cuSPARSE's SDDMM. */
#include "peer_sddmm.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdlib.h>

struct peer_sddmm {
    cudaStream_t stream;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t x;
    cusparseDnMatDescr_t y;
    void *buffer;
};

#define NONE CUSPARSE_OPERATION_NON_TRANSPOSE
#define TRANSPOSED CUSPARSE_OPERATION_TRANSPOSE
#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            return false;                                                                          \
    } while (0)

static const double one = 1;
static const double zero = 0;

static bool describe(const fur_csr_view *m, cusparseSpMatDescr_t *out)
{
    void *offsets = (void *)(uintptr_t)m->offsets;
    void *columns = (void *)(uintptr_t)m->columns;
    void *values = (void *)(uintptr_t)m->values;
    return cusparseCreateCsr(out, m->rows, m->cols, m->entries, offsets, columns, values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS;
}

static bool describe_block(const fur_vectors_view *v, cusparseDnMatDescr_t *out)
{
    return cusparseCreateDnMat(out, v->rows, v->cols, v->stride, v->data, CUDA_R_64F,
                               CUSPARSE_ORDER_ROW) == CUSPARSE_STATUS_SUCCESS;
}

static bool open_peer(peer_sddmm *p, const fur_csr_view *a, const fur_vectors_view *x,
                      const fur_vectors_view *y)
{
    size_t bytes = 0;
    CHECK(cusparseCreate(&p->handle));
    CHECK(cusparseSetStream(p->handle, p->stream));
    if (!describe(a, &p->a) || !describe_block(x, &p->x) || !describe_block(y, &p->y))
        return false;
    CHECK(cusparseSDDMM_bufferSize(p->handle, NONE, TRANSPOSED, &one, p->x, p->y, &zero, p->a,
                                   CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    CHECK(cudaMalloc(&p->buffer, bytes > 0 ? bytes : 1));
    CHECK(cusparseSDDMM_preprocess(p->handle, NONE, TRANSPOSED, &one, p->x, p->y, &zero, p->a,
                                   CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, p->buffer));
    return peer_sddmm_run(p);
}

peer_sddmm *peer_sddmm_open(void *stream, const fur_csr_view *a, const fur_vectors_view *x,
                            const fur_vectors_view *y)
{
    peer_sddmm *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->stream = stream;
    if (open_peer(p, a, x, y))
        return p;
    peer_sddmm_close(p);
    return NULL;
}

bool peer_sddmm_run(peer_sddmm *p)
{
    return cusparseSDDMM(p->handle, NONE, TRANSPOSED, &one, p->x, p->y, &zero, p->a, CUDA_R_64F,
                         CUSPARSE_SDDMM_ALG_DEFAULT, p->buffer) == CUSPARSE_STATUS_SUCCESS;
}

void peer_sddmm_close(peer_sddmm *p)
{
    if (!p)
        return;
    if (p->buffer)
        cudaFree(p->buffer);
    if (p->y)
        cusparseDestroyDnMat(p->y);
    if (p->x)
        cusparseDestroyDnMat(p->x);
    if (p->a)
        cusparseDestroySpMat(p->a);
    if (p->handle)
        cusparseDestroy(p->handle);
    free(p);
}
