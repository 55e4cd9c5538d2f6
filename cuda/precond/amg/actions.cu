// Runs the actions of a cycle on levels of few rows in one launch of a cluster. The blocks of the
// cluster wait for each other before and after each product. Bytes: those of the actions, most of
// them from the caches.
#include "amg.cuh"
#include "cluster.cuh"
#include "inverse.cuh"
#include "long_sum.cuh"

#define THREADS 512
// The lanes of a row, and the entries of a row that a lane loads ahead.
#define LANES FUR_ROW_LANES
#define AHEAD 4

namespace
{

using team = fur_lane_team<LANES>;

// Returns the thread's number in the cluster. Consecutive warps are in different blocks.
__device__ int64_t own_number()
{
    return (threadIdx.x / FUR_WARP * int64_t(FUR_CLUSTER) + fur_cluster_rank()) * FUR_WARP +
           threadIdx.x % FUR_WARP;
}

__device__ constexpr int64_t all_threads()
{
    return THREADS * int64_t(FUR_CLUSTER);
}

// Returns the sum of a short row, one entry after the other. The lanes share the loads, and each
// lane adds all entries.
template <class Value>
__device__ Value add_short(const Value *values, const int32_t *columns, const Value *x,
                           int64_t begin, int64_t end, const team &lanes)
{
    Value sum = fur_zero<Value>();
#pragma unroll 1
    for (int64_t first = begin; first < end; first += LANES * AHEAD) {
        Value a[AHEAD];
        Value b[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            int64_t k = min(first + u * LANES + lanes.lane, end - 1);
            a[u] = values[k];
            b[u] = x[columns[k]];
        }
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                Value next = fur_fma(lanes.from(a[u], lane), lanes.from(b[u], lane), sum);
                sum = first + u * LANES + lane < end ? next : sum;
            }
    }
    return sum;
}

// Folds the lanes of a segment in halves. All lanes of the team get the result.
template <class Value> __device__ Value fold(Value own, const team &lanes)
{
#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2)
        own = fur_add(own, lanes.from(own, (lanes.lane + half) % LANES));
    return lanes.from(own, 0);
}

// Returns the sum of a row of more than one segment. A lane of the team is a lane of the segment.
template <class Value>
__device__ Value add_long(const Value *values, const int32_t *columns, const Value *x,
                          int64_t begin, int64_t end, const team &lanes)
{
    fur_segment_sums<Value, FUR_ROW_LEVELS> sums;
#pragma unroll 1
    for (int64_t from = begin; from < end; from += FUR_ROW_SEGMENT) {
        int64_t stop = min(end, from + FUR_ROW_SEGMENT);
        Value own = fur_zero<Value>();
        for (int64_t k = from + lanes.lane; k < stop; k += LANES)
            own = fur_fma(values[k], x[columns[k]], own);
        sums.add(fold(own, lanes));
    }
    return sums.total();
}

// y = alpha A x (+ y)
template <class Value> __device__ void multiply(const fur_amg_action &a)
{
    const fur_row_starts offsets = {a.offsets, a.wide};
    const auto *values = static_cast<const Value *>(a.values);
    const auto *x = static_cast<const Value *>(a.x);
    auto *y = static_cast<Value *>(a.y);
    const Value alpha = fur_from<Value>({a.alpha, 0});
    const Value beta = fur_from<Value>({a.beta, 0});
    const team lanes;
#pragma unroll 1
    for (int64_t row = own_number() / LANES; row < a.rows; row += all_threads() / LANES) {
        int64_t begin = offsets[row];
        int64_t end = offsets[row + 1];
        Value sum = end - begin <= FUR_ROW_SEGMENT
                        ? add_short(values, a.columns, x, begin, end, lanes)
                        : add_long(values, a.columns, x, begin, end, lanes);
        if (lanes.lane == 0)
            y[row] = a.beta == 0 ? fur_mul(alpha, sum) : fur_fma(alpha, sum, fur_mul(beta, y[row]));
    }
}

// The other actions except a solve, entry by entry. One thread handles an entry in all actions.
template <class Value> __device__ void combine(const fur_amg_action &a)
{
    const auto *scaling = static_cast<const Value *>(a.scaling);
    const auto *x = static_cast<const Value *>(a.x);
    auto *y = static_cast<Value *>(a.y);
    auto *p = static_cast<Value *>(a.p);
    const Value alpha = fur_from<Value>({a.alpha, 0});
    const Value beta = fur_from<Value>({a.beta, 0});
    const Value one = fur_from<Value>({1, 0});
#pragma unroll 1
    for (int64_t i = own_number(); i < a.rows; i += all_threads()) {
        if (a.verb == FUR_AMG_SCALE) {
            y[i] = fur_mul(scaling[i], x[i]);
        } else if (a.verb == FUR_AMG_TURN) {
            y[i] = fur_fma(alpha, p[i], y[i]);
            p[i] = fur_fma(one, fur_mul(scaling[i], x[i]), fur_mul(beta, p[i]));
        } else if (a.verb == FUR_AMG_ADD) {
            y[i] = fur_fma(alpha, x[i], y[i]);
        } else {
            y[i] = a.verb == FUR_AMG_COPY ? x[i] : fur_zero<Value>();
        }
    }
}

// y = G x
template <class Value> __device__ void solve(const fur_amg_action &a, fur_inverse_tile *tile)
{
    using real = typename fur_value_of<Value>::real;
    const int64_t step = FUR_CLUSTER * int64_t(FUR_INVERSE_ROWS);
    for (int64_t top = fur_cluster_rank() * int64_t(FUR_INVERSE_ROWS); top < a.rows; top += step)
        fur_apply_inverse(a.rows, static_cast<const double *>(a.values),
                          static_cast<const real *>(a.x), static_cast<real *>(a.y), top, tile);
}

template <class Value>
__global__ void __launch_bounds__(THREADS) run(int64_t count, const fur_amg_action *actions)
{
    __shared__ fur_inverse_tile tile;
    for (int64_t k = 0; k < count; k++) {
        const fur_amg_action &a = actions[k];
        bool reads_others = a.verb == FUR_AMG_MULTIPLY || a.verb == FUR_AMG_SOLVE;
        if (reads_others)
            fur_cluster_wait();
        if (a.verb == FUR_AMG_MULTIPLY)
            multiply<Value>(a);
        else if (a.verb == FUR_AMG_SOLVE)
            solve<Value>(a, &tile);
        else
            combine<Value>(a);
        if (reads_others)
            fur_cluster_wait();
    }
}

} // namespace

fur_status fur_cuda_amg_run_actions(fur_env *env, fur_value_type value, int64_t count,
                                    const fur_amg_action *actions)
{
    return fur_with_value(value, [&](auto one) {
        return fur_launch_cluster(env, run<decltype(one)>, THREADS, 0, count, actions);
    });
}
