// Algebraic multigrid on a device: the steps of src/precond/amg with its order of additions.
#ifndef FURROW_CUDA_AMG_CUH
#define FURROW_CUDA_AMG_CUH

#include "device.cuh"
#include "lanes.cuh"
#include "value.cuh"

extern "C" {
// The functions of fur_amg_services.
fur_status fur_cuda_amg_scan_rows(fur_env *env, const fur_csr_view *a, bool sums, void *scaling,
                                  double *gershgorin);
fur_status fur_cuda_amg_find_strong(fur_env *env, const fur_csr_view *a, int block, double limit,
                                    double *diagonal, const fur_amg_graph *graph,
                                    int32_t *aggregate, bool *symmetric);
fur_status fur_cuda_amg_aggregate(fur_env *env, const fur_amg_graph *graph, int32_t *aggregate,
                                  int64_t *aggregates);
fur_status fur_cuda_amg_fill_constants(fur_env *env, fur_value_type value, int64_t rows, int block,
                                       void *near);
fur_status fur_cuda_amg_fill_tentative(fur_env *env, fur_value_type value, int block, int modes,
                                       int64_t nodes, const int32_t *aggregate, int64_t aggregates,
                                       const void *fine, void *t, void *coarse);
fur_status fur_cuda_amg_start_prolongation(fur_env *env, const fur_amg_graph *graph,
                                           const int32_t *aggregate, int64_t *starts,
                                           int64_t *total);
fur_status fur_cuda_amg_plan_prolongation(fur_env *env, int block, int modes,
                                          const fur_amg_graph *graph, const int32_t *aggregate,
                                          const int64_t *starts, const fur_csr_view *p);
fur_status fur_cuda_amg_fill_prolongation(fur_env *env, const fur_csr_view *a, int block, int modes,
                                          double omega, const fur_amg_graph *graph,
                                          const int32_t *aggregate, const void *t,
                                          const fur_csr_view *p);
fur_status fur_cuda_amg_narrow(fur_env *env, int64_t n, const double *from, double factor,
                               float *to);
fur_status fur_cuda_amg_widen(fur_env *env, int64_t n, const float *from, double factor,
                              double *to);
fur_status fur_cuda_amg_invert(fur_env *env, const fur_csr_view *a, int64_t order, double *inverse);
fur_status fur_cuda_amg_apply_dense(fur_env *env, int64_t order, const double *inverse, bool single,
                                    const void *b, void *x);
fur_status fur_cuda_amg_run_actions(fur_env *env, fur_value_type value, int64_t count,
                                    const fur_amg_action *actions);
}

#define FUR_AMG_BLOCK 256

// Returns the index of the calling thread's element.
__device__ inline int64_t fur_amg_index()
{
    return blockIdx.x * int64_t(FUR_AMG_BLOCK) + threadIdx.x;
}

// Runs body(i) for i < n, one thread for each i.
template <class Body>
__global__ void __launch_bounds__(FUR_AMG_BLOCK) fur_amg_each(int64_t n, Body body)
{
    int64_t i = fur_amg_index();
    if (i < n)
        body(i);
}

template <class Body> fur_status fur_amg_run(fur_env *env, const char *name, int64_t n, Body body)
{
    if (n == 0)
        return FUR_OK;
    fur_amg_each<<<fur_blocks(n, FUR_AMG_BLOCK), FUR_AMG_BLOCK, 0, fur_cuda_stream(env)>>>(n, body);
    return fur_cuda_launched(env, name);
}

// Lanes that read a long row together, so that their loads are contiguous. If rows have at most
// FUR_AMG_SHORT entries on average, a row has one lane.
#define FUR_AMG_LANES 8
#define FUR_AMG_SHORT 12

// Runs body(row, team) for the rows of a matrix, one team for each row.
template <int lanes, class Body>
__global__ void __launch_bounds__(FUR_AMG_BLOCK) fur_amg_each_row(int64_t rows, Body body)
{
    int64_t row = fur_amg_index() / lanes;
    if (row < rows)
        body(row, fur_lane_team<lanes>());
}

template <class Body>
fur_status fur_amg_run_rows(fur_env *env, const char *name, const fur_csr_view *a, Body body)
{
    bool is_short = a->entries <= FUR_AMG_SHORT * a->rows;
    auto kernel = is_short ? fur_amg_each_row<1, Body> : fur_amg_each_row<FUR_AMG_LANES, Body>;
    if (a->rows == 0)
        return FUR_OK;
    kernel<<<fur_blocks(a->rows * (is_short ? 1 : FUR_AMG_LANES), FUR_AMG_BLOCK), FUR_AMG_BLOCK, 0,
             fur_cuda_stream(env)>>>(a->rows, body);
    return fur_cuda_launched(env, name);
}

// Device memory that is released at the end of a call.
template <class T> struct fur_amg_room {
    fur_env *env;
    T *at = nullptr;

    explicit fur_amg_room(fur_env *e) : env(e)
    {
    }
    fur_amg_room(const fur_amg_room &) = delete;
    fur_amg_room &operator=(const fur_amg_room &) = delete;
    ~fur_amg_room()
    {
        fur_cuda_release(env, at);
    }
    fur_status take(int64_t count)
    {
        return fur_cuda_allocate(env, count, sizeof(T), &at);
    }
};

#endif
