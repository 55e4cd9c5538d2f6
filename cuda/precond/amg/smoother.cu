// The scaling of a smoother and the largest Gershgorin radius, as in src/precond/amg/smoother.c.
// Bytes: a column and value for each entry, and a value for each row.
#include "amg.cuh"
#include "magnitude.cuh"

namespace
{

// 1 / d or 1 / sum, or 0 for a row without a diagonal.
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

// The scaling of a row, and the row's contribution to the largest Gershgorin radius.
template <class Value> struct scan_row {
    fur_row_starts offsets;
    const int32_t *columns;
    const Value *values;
    bool sums;
    Value *scaling;
    unsigned long long *largest;

    template <class Team> __device__ void operator()(int64_t i, const Team &team) const
    {
        Value d = fur_zero<Value>();
        double sum = 0;
        int64_t end = offsets[i + 1];
        for (int64_t first = offsets[i]; first < end; first += Team::size) {
            int64_t k = min(first + team.lane, end - 1);
            Value mine = values[k];
            int there = static_cast<int>(min(int64_t(Team::size), end - first));
            double modulus = magnitude(mine);
            for (int lane = 0; lane < there; lane++)
                sum += team.from(modulus, lane);
            team.for_those(columns[k] == i && team.lane < there,
                           [&](int lane) { d = fur_add(d, team.from(mine, lane)); });
        }
        double modulus = magnitude(d);
        double radius = modulus == 0 ? (sum < HUGE_VAL ? 0 : sum) : sum / modulus;
        if (team.lane == 0)
            scaling[i] = scale(d, modulus, sum, sums);
        keep(static_cast<unsigned long long>(__double_as_longlong(fabs(radius))));
    }

    // Replaces the maximum by the largest value of the active lanes, if that is larger. One lane
    // writes.
    __device__ void keep(unsigned long long bits) const
    {
        unsigned here = __activemask();
        unsigned high = __reduce_max_sync(here, static_cast<unsigned>(bits >> 32));
        bool is_high = static_cast<unsigned>(bits >> 32) == high;
        unsigned low = __reduce_max_sync(here, is_high ? static_cast<unsigned>(bits) : 0u);
        if (threadIdx.x % FUR_WARP == __ffs(static_cast<int>(here)) - 1)
            atomicMax(largest, static_cast<unsigned long long>(high) << 32 | low);
    }
};

} // namespace

// Waits for the radius.
fur_status fur_cuda_amg_scan_rows(fur_env *env, const fur_csr_view *a, bool sums, void *scaling,
                                  double *gershgorin)
{
    fur_amg_room<unsigned long long> largest(env);
    unsigned long long bits = 0;
    FUR_TRY(largest.take(1));
    FUR_TRY(fur_cuda_clear(env, largest.at, sizeof bits));
    FUR_TRY(fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        return fur_amg_run_rows(env, "radii of Gershgorin", a,
                                scan_row<Value>{{a->offsets, a->offset_type == FUR_I64},
                                                a->columns,
                                                static_cast<const Value *>(a->values),
                                                sums,
                                                static_cast<Value *>(scaling),
                                                largest.at});
    }));
    FUR_TRY(fur_cuda_copy(env, &bits, largest.at, sizeof bits));
    *gershgorin = fur_magnitude_from(static_cast<int64_t>(bits));
    return FUR_OK;
}
