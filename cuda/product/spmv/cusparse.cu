// SpMV by cuSPARSE, for races only; "auto" never chooses it. Its order of additions is its own.
#include "spmv.cuh"

#include <cusparse.h>

namespace
{

// cuSPARSE's descriptors and the buffer of its product.
struct state {
    cusparseHandle_t handle;
    cusparseSpMVAlg_t algorithm;
    cudaDataType type;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    void *buffer;
};

// Turns an error of cuSPARSE into a status.
fur_status status_of(cusparseStatus_t error)
{
    switch (error) {
    case CUSPARSE_STATUS_NOT_SUPPORTED:
        return FUR_UNSUPPORTED;
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
        return FUR_OUT_OF_MEMORY;
    default:
        return FUR_DEVICE_ERROR;
    }
}

// Turns the result of a cuSPARSE call into a status.
fur_status check(fur_env *env, const char *call, cusparseStatus_t error)
{
    if (error == CUSPARSE_STATUS_SUCCESS)
        return FUR_OK;
    return fur_env_fail(env, status_of(error), "%s failed: %s", call,
                        cusparseGetErrorString(error));
}

cudaDataType type_of(fur_value_type value)
{
    static const cudaDataType types[FUR_VALUE_COUNT] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                                        CUDA_C_64F};
    return types[value];
}

cusparseIndexType_t index_of(fur_offset_type offset)
{
    return offset == FUR_I32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}

// Casts away const for cuSPARSE, which takes its inputs as writable pointers.
template <class T> void *writable(const T *p)
{
    return const_cast<void *>(static_cast<const void *>(p));
}

// vector: memory for the longer of x and y. It is a placeholder for both until apply().
fur_status describe(fur_env *env, const fur_csr_view *a, void *vector, state *s)
{
    FUR_TRY(
        check(env, "cusparseCreateCsr",
              cusparseCreateCsr(&s->matrix, a->rows, a->cols, a->entries, writable(a->offsets),
                                writable(a->columns), writable(a->values), index_of(a->offset_type),
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, s->type)));
    FUR_TRY(
        check(env, "cusparseCreateDnVec", cusparseCreateDnVec(&s->x, a->cols, vector, s->type)));
    return check(env, "cusparseCreateDnVec", cusparseCreateDnVec(&s->y, a->rows, vector, s->type));
}

// Lets cuSPARSE analyse the matrix.
fur_status prepare(fur_env *env, const void *one, const state *s)
{
    return check(env, "cusparseSpMV_preprocess",
                 cusparseSpMV_preprocess(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one,
                                         s->matrix, s->x, one, s->y, s->type, s->algorithm,
                                         s->buffer));
}

// Allocates the buffer of the algorithm and runs its analysis.
fur_status preprocess(fur_env *env, const void *one, state *s)
{
    size_t bytes = 0;
    FUR_TRY(
        check(env, "cusparseSpMV_bufferSize",
              cusparseSpMV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, s->matrix,
                                      s->x, one, s->y, s->type, s->algorithm, &bytes)));
    FUR_TRY(fur_cuda_allocate(env, static_cast<int64_t>(bytes), 1, &s->buffer));
    return prepare(env, one, s);
}

// Describes A to cuSPARSE, allocates its buffer and runs the analysis.
fur_status build(fur_env *env, const fur_csr_view *a, state *s)
{
    void *vector;
    if (a->entries == 0)
        return fur_env_fail(env, FUR_UNSUPPORTED, "it has no entries");
    cudaStream_t stream = fur_cuda_stream(env);
    s->type = type_of(a->value_type);
    FUR_TRY(check(env, "cusparseCreate", cusparseCreate(&s->handle)));
    FUR_TRY(check(env, "cusparseSetStream", cusparseSetStream(s->handle, stream)));
    FUR_TRY(fur_cuda_allocate(env, a->rows > a->cols ? a->rows : a->cols,
                              fur_value_size(a->value_type), &vector));
    fur_status status = describe(env, a, vector, s);
    if (status == FUR_OK)
        status = fur_with_value(a->value_type, [&](auto value) {
            auto one = fur_from<decltype(value)>({1, 0});
            return preprocess(env, &one, s);
        });
    fur_cuda_release(env, vector);
    return status;
}

// Releases everything that was made. Errors of cuSPARSE are ignored, because no caller is left to
// receive them.
void release(fur_env *env, void *memory)
{
    state *s = static_cast<state *>(memory);
    if (s->y)
        cusparseDestroyDnVec(s->y);
    if (s->x)
        cusparseDestroyDnVec(s->x);
    if (s->matrix)
        cusparseDestroySpMat(s->matrix);
    if (s->handle)
        cusparseDestroy(s->handle);
    fur_cuda_release(env, s->buffer);
    fur_env_release(env, s);
}

template <cusparseSpMVAlg_t Algorithm>
fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *, void **out)
{
    return fur_make_state<state>(env, release, out, [&](state *s) {
        s->algorithm = Algorithm;
        return build(env, a, s);
    });
}

// Repeats the analysis: cuSPARSE does not promise that it depends on the pattern alone.
fur_status refresh(fur_env *env, const fur_csr_view *a, void *memory)
{
    state *s = static_cast<state *>(memory);
    fur_cuda_stream(env); // makes the device current
    FUR_TRY(check(env, "cusparseSpMatSetValues",
                  cusparseSpMatSetValues(s->matrix, writable(a->values))));
    return fur_with_value(a->value_type, [&](auto value) {
        auto one = fur_from<decltype(value)>({1, 0});
        return prepare(env, &one, s);
    });
}

// y = alpha A x + beta y
template <class Value> fur_status multiply(const fur_spmv_call *call)
{
    fur_env *env = call->env;
    const state *s = static_cast<const state *>(call->state);
    Value alpha = fur_from<Value>(call->alpha);
    Value beta = fur_from<Value>(call->beta);
    fur_cuda_stream(env); // makes the device current
    FUR_TRY(check(env, "cusparseDnVecSetValues", cusparseDnVecSetValues(s->x, writable(call->x))));
    FUR_TRY(check(env, "cusparseDnVecSetValues", cusparseDnVecSetValues(s->y, call->y)));
    return check(env, "cusparseSpMV",
                 cusparseSpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, s->matrix, s->x,
                              &beta, s->y, s->type, s->algorithm, s->buffer));
}

fur_status apply(const fur_spmv_call *call)
{
    return fur_with_value(call->a->value_type,
                          [&](auto value) { return multiply<decltype(value)>(call); });
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_cusparse_alg1 = {
    {"cusparse_alg1", "cuSPARSE, CUSPARSE_SPMV_CSR_ALG1", "NVIDIA cuSPARSE", false, 0},
    nullptr, // cost
    nullptr, // work
    plan<CUSPARSE_SPMV_CSR_ALG1>,
    refresh,
    apply,
    release,
    nullptr, // matrix_bytes
};

extern "C" const fur_spmv_kernel fur_cuda_spmv_cusparse_alg2 = {
    {"cusparse_alg2", "cuSPARSE, CUSPARSE_SPMV_CSR_ALG2", "NVIDIA cuSPARSE", false, 0},
    nullptr, // cost
    nullptr, // work
    plan<CUSPARSE_SPMV_CSR_ALG2>,
    refresh,
    apply,
    release,
    nullptr, // matrix_bytes
};
