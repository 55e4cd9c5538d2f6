/* cuSPARSE's SpGEMM and SpGEMMreuse. */
#include "peer_spgemm.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdlib.h>

/* The data of one product. */
typedef struct product {
    cusparseSpGEMMDescr_t state;
    cusparseSpMatDescr_t c;
    void *offsets;
    void *columns;
    void *values;
    void *buffers[6];
    size_t sizes[6];
} product;

struct peer_spgemm {
    cudaStream_t stream;
    cusparseHandle_t handle;
    int64_t rows;
    int64_t cols;
    cusparseSpMatDescr_t a;
    cusparseSpMatDescr_t b;
    product kept; /* of SpGEMMreuse */
};

#define NONE CUSPARSE_OPERATION_NON_TRANSPOSE
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
    return m->value_type == FUR_F64 && m->offset_type == FUR_I32 &&
           cusparseCreateCsr(out, m->rows, m->cols, m->entries, offsets, columns, values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS;
}

/* Allocates from the device's pool, which keeps released memory. */
static bool take(const peer_spgemm *p, size_t bytes, void **out)
{
    return cudaMallocAsync(out, bytes > 0 ? bytes : 1, p->stream) == cudaSuccess;
}

static void give(const peer_spgemm *p, void **memory)
{
    if (*memory)
        cudaFreeAsync(*memory, p->stream);
    *memory = NULL;
}

static bool open_product(const peer_spgemm *p, product *x)
{
    CHECK(cusparseSpGEMM_createDescr(&x->state));
    if (!take(p, (size_t)(p->rows + 1) * 4, &x->offsets))
        return false;
    CHECK(cusparseCreateCsr(&x->c, p->rows, p->cols, 0, x->offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return true;
}

static void close_product(const peer_spgemm *p, product *x)
{
    for (int i = 0; i < 6; i++)
        give(p, &x->buffers[i]);
    give(p, &x->offsets);
    give(p, &x->columns);
    give(p, &x->values);
    if (x->c)
        cusparseDestroySpMat(x->c);
    if (x->state)
        cusparseSpGEMM_destroyDescr(x->state);
    *x = (product){0};
}

/* Allocates columns and values when the number of entries is known. */
static bool take_result(const peer_spgemm *p, product *x)
{
    int64_t rows = 0;
    int64_t cols = 0;
    int64_t entries = 0;
    CHECK(cusparseSpMatGetSize(x->c, &rows, &cols, &entries));
    if (!take(p, (size_t)entries * 4, &x->columns) || !take(p, (size_t)entries * 8, &x->values))
        return false;
    return cusparseCsrSetPointers(x->c, x->offsets, x->columns, x->values) == 0;
}

static size_t sum(const size_t *sizes)
{
    size_t all = 0;
    for (int i = 0; i < 6; i++)
        all += sizes[i];
    return all;
}

static bool estimate(const peer_spgemm *p, product *x, cusparseSpGEMMAlg_t algorithm, bool asks)
{
    return cusparseSpGEMM_workEstimation(p->handle, NONE, NONE, &one, p->a, p->b, &zero, x->c,
                                         CUDA_R_64F, algorithm, x->state, &x->sizes[0],
                                         asks ? NULL : x->buffers[0]) == 0;
}

static bool estimate_memory(const peer_spgemm *p, product *x, cusparseSpGEMMAlg_t algorithm,
                            bool asks)
{
    return cusparseSpGEMM_estimateMemory(p->handle, NONE, NONE, &one, p->a, p->b, &zero, x->c,
                                         CUDA_R_64F, algorithm, x->state, 0.2F, &x->sizes[2],
                                         asks ? NULL : x->buffers[2],
                                         asks ? NULL : &x->sizes[1]) == 0;
}

static bool compute(const peer_spgemm *p, product *x, cusparseSpGEMMAlg_t algorithm, bool asks)
{
    return cusparseSpGEMM_compute(p->handle, NONE, NONE, &one, p->a, p->b, &zero, x->c, CUDA_R_64F,
                                  algorithm, x->state, &x->sizes[1],
                                  asks ? NULL : x->buffers[1]) == 0;
}

static bool multiply(const peer_spgemm *p, product *x, cusparseSpGEMMAlg_t algorithm)
{
    if (!open_product(p, x) || !estimate(p, x, algorithm, true) ||
        !take(p, x->sizes[0], &x->buffers[0]) || !estimate(p, x, algorithm, false))
        return false;
    bool in_chunks = algorithm == CUSPARSE_SPGEMM_ALG2 || algorithm == CUSPARSE_SPGEMM_ALG3;
    if (in_chunks) {
        if (!estimate_memory(p, x, algorithm, true) || !take(p, x->sizes[2], &x->buffers[2]) ||
            !estimate_memory(p, x, algorithm, false))
            return false;
    } else if (!compute(p, x, algorithm, true)) {
        return false;
    }
    return take(p, x->sizes[1], &x->buffers[1]) && compute(p, x, algorithm, false) &&
           take_result(p, x) &&
           cusparseSpGEMM_copy(p->handle, NONE, NONE, &one, p->a, p->b, &zero, x->c, CUDA_R_64F,
                               algorithm, x->state) == 0;
}

bool peer_spgemm_multiply(peer_spgemm *p, int algorithm, size_t *workspace)
{
    static const cusparseSpGEMMAlg_t algorithms[] = {CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2,
                                                     CUSPARSE_SPGEMM_ALG3};
    product x = {0};
    bool done = multiply(p, &x, algorithms[algorithm - 1]);
    *workspace = sum(x.sizes);
    close_product(p, &x);
    return cudaStreamSynchronize(p->stream) == cudaSuccess && done;
}

static bool reuse_estimate(const peer_spgemm *p, product *x, bool asks)
{
    return cusparseSpGEMMreuse_workEstimation(p->handle, NONE, NONE, p->a, p->b, x->c,
                                              CUSPARSE_SPGEMM_DEFAULT, x->state, &x->sizes[0],
                                              asks ? NULL : x->buffers[0]) == 0;
}

static bool reuse_count(const peer_spgemm *p, product *x, bool asks)
{
    void **of = x->buffers;
    return cusparseSpGEMMreuse_nnz(p->handle, NONE, NONE, p->a, p->b, x->c, CUSPARSE_SPGEMM_DEFAULT,
                                   x->state, &x->sizes[1], asks ? NULL : of[1], &x->sizes[2],
                                   asks ? NULL : of[2], &x->sizes[3], asks ? NULL : of[3]) == 0;
}

static bool reuse_copy(const peer_spgemm *p, product *x, bool asks)
{
    return cusparseSpGEMMreuse_copy(p->handle, NONE, NONE, p->a, p->b, x->c,
                                    CUSPARSE_SPGEMM_DEFAULT, x->state, &x->sizes[4],
                                    asks ? NULL : x->buffers[4]) == 0;
}

bool peer_spgemm_prepare(peer_spgemm *p, size_t *workspace)
{
    product *x = &p->kept;
    bool done = open_product(p, x) && reuse_estimate(p, x, true) &&
                take(p, x->sizes[0], &x->buffers[0]) && reuse_estimate(p, x, false) &&
                reuse_count(p, x, true) && take(p, x->sizes[1], &x->buffers[1]) &&
                take(p, x->sizes[2], &x->buffers[2]) && take(p, x->sizes[3], &x->buffers[3]) &&
                reuse_count(p, x, false) && take_result(p, x) && reuse_copy(p, x, true) &&
                take(p, x->sizes[4], &x->buffers[4]) && reuse_copy(p, x, false);
    *workspace = sum(x->sizes);
    return done && peer_spgemm_again(p);
}

bool peer_spgemm_again(peer_spgemm *p)
{
    return cusparseSpGEMMreuse_compute(p->handle, NONE, NONE, &one, p->a, p->b, &zero, p->kept.c,
                                       CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, p->kept.state) == 0 &&
           cudaStreamSynchronize(p->stream) == cudaSuccess;
}

static bool open_peer(peer_spgemm *p, const fur_csr_view *a, const fur_csr_view *b)
{
    int device = 0;
    cudaMemPool_t pool = NULL;
    uint64_t keep = UINT64_MAX;
    p->rows = a->rows;
    p->cols = b->cols;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cusparseCreate(&p->handle));
    CHECK(cusparseSetStream(p->handle, p->stream));
    return describe(a, &p->a) && describe(b, &p->b);
}

peer_spgemm *peer_spgemm_open(void *stream, const fur_csr_view *a, const fur_csr_view *b)
{
    peer_spgemm *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->stream = stream;
    if (open_peer(p, a, b))
        return p;
    peer_spgemm_close(p);
    return NULL;
}

void peer_spgemm_close(peer_spgemm *p)
{
    if (!p)
        return;
    close_product(p, &p->kept);
    if (p->a)
        cusparseDestroySpMat(p->a);
    if (p->b)
        cusparseDestroySpMat(p->b);
    if (p->handle)
        cusparseDestroy(p->handle);
    free(p);
}
