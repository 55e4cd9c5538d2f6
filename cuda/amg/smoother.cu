// The scaling of a smoother and the largest radius of Gershgorin, as src/amg/smoother.c. Bytes an
// entry: its column and value; a value a row.
#include "amg.cuh"
#include "magnitude.cuh"

namespace
{

// 1 / d, or 1 / sum: 0 for a row without a diagonal.
template <class Value> __device__ Value scale(Value d, double modulus, double sum, bool sums)
{
    if (modulus == 0)
        return fur_zero<Value>();
    if (sums)
        return fur_from<Value>({1 / sum, 0});
    if constexpr (fur_value_of<Value>::is_complex)
        return fur_from<Value>(
            {double(d.re) / modulus / modulus, -double(d.im) / modulus / modulus});
    else
        return 1 / d;
}

// A team a row.
template <class Value>
__global__ void __launch_bounds__(FUR_AMG_BLOCK)
    scan_rows(fur_row_starts offsets, const int32_t *columns, const Value *values, int64_t rows,
              bool sums, Value *scaling, unsigned long long *largest)
{
    const fur_amg_lanes team;
    int64_t i = fur_amg_index() / FUR_AMG_LANES;
    unsigned long long bits = 0;
    if (i < rows) {
        Value d = fur_zero<Value>();
        double sum = 0;
        int64_t end = offsets[i + 1];
        for (int64_t first = offsets[i]; first < end; first += FUR_AMG_LANES) {
            int64_t k = min(first + team.lane, end - 1);
            Value mine = values[k];
            int there = static_cast<int>(min(int64_t(FUR_AMG_LANES), end - first));
            double modulus = magnitude(mine);
            for (int lane = 0; lane < there; lane++)
                sum += team.from(modulus, lane);
            team.for_those(columns[k] == i && team.lane < there,
                           [&](int lane) { d = fur_add(d, team.from(mine, lane)); });
        }
        double modulus = magnitude(d);
        double radius = modulus == 0 ? (sum < HUGE_VAL ? 0 : sum) : sum / modulus;
        bits = static_cast<unsigned long long>(__double_as_longlong(fabs(radius)));
        if (team.lane == 0)
            scaling[i] = scale(d, modulus, sum, sums);
    }
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        bits = max(bits, __shfl_down_sync(~0U, bits, half));
    if (threadIdx.x % FUR_WARP == 0 && bits > 0)
        atomicMax(largest, bits);
}

} // namespace

// Waits.
fur_status fur_cuda_amg_scan_rows(fur_env *env, const fur_csr_view *a, bool sums, void *scaling,
                                  double *gershgorin)
{
    fur_amg_room<unsigned long long> largest(env);
    unsigned long long bits = 0;
    FUR_TRY(largest.take(1));
    FUR_TRY(fur_cuda_clear(env, largest.at, sizeof bits));
    FUR_TRY(fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        if (a->rows > 0)
            scan_rows<<<fur_blocks(a->rows * FUR_AMG_LANES, FUR_AMG_BLOCK), FUR_AMG_BLOCK, 0,
                        fur_cuda_stream(env)>>>({a->offsets, a->offset_type == FUR_I64}, a->columns,
                                                static_cast<const Value *>(a->values), a->rows,
                                                sums, static_cast<Value *>(scaling), largest.at);
        return fur_cuda_launched(env, "radii of Gershgorin");
    }));
    FUR_TRY(fur_cuda_copy(env, &bits, largest.at, sizeof bits));
    *gershgorin = fur_magnitude_from(static_cast<int64_t>(bits));
    return FUR_OK;
}
