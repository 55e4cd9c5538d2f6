// SpMM by cuSPARSE, for races only; "auto" never chooses it. Its order of additions is its own.
#include "spmm.cuh"

#include <cusparse.h>

namespace
{

// cuSPARSE's descriptors and the buffer of its product. Its analysis depends on the blocks: a
// product with other blocks than the last one repeats it, and allocates.
struct state {
    cusparseHandle_t handle;
    cusparseSpMMAlg_t algorithm;
    cudaDataType type;
    cusparseSpMatDescr_t matrix;
    fur_vectors_view last_x;
    fur_vectors_view last_y;
    cusparseDnMatDescr_t x;
    cusparseDnMatDescr_t y;
    void *buffer;
};

// Turns the result of a cuSPARSE call into a status.
fur_status check(fur_env *env, const char *call, cusparseStatus_t error)
{
    if (error == CUSPARSE_STATUS_SUCCESS)
        return FUR_OK;
    bool unsupported = error == CUSPARSE_STATUS_NOT_SUPPORTED;
    return fur_env_fail(env, unsupported ? FUR_UNSUPPORTED : FUR_DEVICE_ERROR, "%s failed: %s",
                        call, cusparseGetErrorString(error));
}

cudaDataType type_of(fur_value_type value)
{
    static const cudaDataType types[FUR_VALUE_COUNT] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                                        CUDA_C_64F};
    return types[value];
}

// Casts away const for cuSPARSE, which takes its inputs as writable pointers.
template <class T> void *writable(const T *p)
{
    return const_cast<void *>(static_cast<const void *>(p));
}

fur_status build(fur_env *env, const fur_csr_view *a, state *s)
{
    if (a->entries == 0)
        return fur_env_fail(env, FUR_UNSUPPORTED, "it has no entries");
    cudaStream_t stream = fur_cuda_stream(env);
    s->type = type_of(a->value_type);
    FUR_TRY(check(env, "cusparseCreate", cusparseCreate(&s->handle)));
    FUR_TRY(check(env, "cusparseSetStream", cusparseSetStream(s->handle, stream)));
    return check(
        env, "cusparseCreateCsr",
        cusparseCreateCsr(&s->matrix, a->rows, a->cols, a->entries, writable(a->offsets),
                          writable(a->columns), writable(a->values),
                          a->offset_type == FUR_I32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, s->type));
}

void drop_blocks(fur_env *env, state *s)
{
    if (s->x)
        cusparseDestroyDnMat(s->x);
    if (s->y)
        cusparseDestroyDnMat(s->y);
    fur_cuda_release(env, s->buffer);
    s->x = s->y = nullptr;
    s->buffer = nullptr;
}

// Releases everything that was made. Errors of cuSPARSE are ignored, because no caller is left to
// receive them.
void release(fur_env *env, void *memory)
{
    state *s = static_cast<state *>(memory);
    drop_blocks(env, s);
    if (s->matrix)
        cusparseDestroySpMat(s->matrix);
    if (s->handle)
        cusparseDestroy(s->handle);
    fur_env_release(env, s);
}

template <cusparseSpMMAlg_t Algorithm>
fur_status plan(fur_env *env, const fur_csr_view *a, void **out)
{
    return fur_make_state<state>(env, release, out, [&](state *s) {
        s->algorithm = Algorithm;
        return build(env, a, s);
    });
}

fur_status refresh(fur_env *env, const fur_csr_view *a, void *memory)
{
    state *s = static_cast<state *>(memory);
    fur_cuda_stream(env); // makes the device current
    drop_blocks(env, s);
    return check(env, "cusparseSpMatSetValues",
                 cusparseSpMatSetValues(s->matrix, writable(a->values)));
}

fur_status describe(fur_env *env, const fur_vectors_view *v, cudaDataType type,
                    cusparseDnMatDescr_t *out)
{
    return check(env, "cusparseCreateDnMat",
                 cusparseCreateDnMat(out, v->rows, v->cols, v->stride, v->data, type,
                                     v->layout == FUR_LAYOUT_ROWS ? CUSPARSE_ORDER_ROW
                                                                  : CUSPARSE_ORDER_COL));
}

// Allocates the buffer for these blocks and runs the analysis of the algorithm, if it has one.
template <class Value> fur_status prepare(const fur_spmm_call *call, Value one, state *s)
{
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    fur_env *env = call->env;
    size_t bytes = 0;
    drop_blocks(env, s);
    FUR_TRY(describe(env, call->x, s->type, &s->x));
    FUR_TRY(describe(env, call->y, s->type, &s->y));
    FUR_TRY(check(env, "cusparseSpMM_bufferSize",
                  cusparseSpMM_bufferSize(s->handle, none, none, &one, s->matrix, s->x, &one, s->y,
                                          s->type, s->algorithm, &bytes)));
    FUR_TRY(fur_cuda_allocate(env, static_cast<int64_t>(bytes), 1, &s->buffer));
    cusparseStatus_t prepared = cusparseSpMM_preprocess(
        s->handle, none, none, &one, s->matrix, s->x, &one, s->y, s->type, s->algorithm, s->buffer);
    if (prepared != CUSPARSE_STATUS_NOT_SUPPORTED)
        FUR_TRY(check(env, "cusparseSpMM_preprocess", prepared));
    s->last_x = *call->x;
    s->last_y = *call->y;
    return FUR_OK;
}

bool is_same(const fur_vectors_view *a, const fur_vectors_view *b)
{
    return a->data == b->data && a->rows == b->rows && a->cols == b->cols &&
           a->layout == b->layout && a->stride == b->stride;
}

// Y = alpha A X + beta Y
template <class Value> fur_status multiply(const fur_spmm_call *call)
{
    state *s = static_cast<state *>(const_cast<void *>(call->state));
    Value alpha = fur_from<Value>(call->alpha);
    Value beta = fur_from<Value>(call->beta);
    fur_cuda_stream(call->env); // makes the device current
    if (!s->x || !is_same(&s->last_x, call->x) || !is_same(&s->last_y, call->y))
        FUR_TRY(prepare(call, fur_from<Value>({1, 0}), s));
    return check(call->env, "cusparseSpMM",
                 cusparseSpMM(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                              CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, s->matrix, s->x, &beta,
                              s->y, s->type, s->algorithm, s->buffer));
}

fur_status apply(const fur_spmm_call *call)
{
    return fur_with_value(call->a->value_type,
                          [&](auto value) { return multiply<decltype(value)>(call); });
}

} // namespace

extern "C" const fur_spmm_kernel fur_cuda_spmm_cusparse_alg1 = {
    {"cusparse_alg1", "cuSPARSE, CUSPARSE_SPMM_CSR_ALG1", "NVIDIA cuSPARSE", false, 0},
    plan<CUSPARSE_SPMM_CSR_ALG1>,
    refresh,
    apply,
    release,
};

extern "C" const fur_spmm_kernel fur_cuda_spmm_cusparse_alg2 = {
    {"cusparse_alg2", "cuSPARSE, CUSPARSE_SPMM_CSR_ALG2", "NVIDIA cuSPARSE", false, 0},
    plan<CUSPARSE_SPMM_CSR_ALG2>,
    refresh,
    apply,
    release,
};

extern "C" const fur_spmm_kernel fur_cuda_spmm_cusparse_alg3 = {
    {"cusparse_alg3", "cuSPARSE, CUSPARSE_SPMM_CSR_ALG3", "NVIDIA cuSPARSE", false, 0},
    plan<CUSPARSE_SPMM_CSR_ALG3>,
    refresh,
    apply,
    release,
};
