// Stores a matrix in the order of the persistent kernel's threads. Each warp has a slice, which is
// padded to its longest row, so that a warp reads 32 neighbours.
#include "cg_layout.cuh"
#include "lanes.cuh"
#include "sell_layout.cuh"

#include <algorithm>

// If entries with padding exceed this multiple of the entries, other kernels are faster.
#define PADDING_MAX 3
// If A has more entries, most of it would come from memory.
#define ENTRIES_MAX 4000000

namespace
{

// Returns an offset of A in 64 bits.
__device__ inline int64_t offset_at(const fur_csr_view &a, int64_t row)
{
    return a.offset_type == FUR_I32 ? static_cast<const int32_t *>(a.offsets)[row]
                                    : static_cast<const int64_t *>(a.offsets)[row];
}

// The length of each thread's row, and the entries of each slice with padding.
template <int Group, class Value> __global__ void measure(fur_csr_view a, fur_cg_layout s)
{
    constexpr int team = fur_cg_team<Group>;
    int64_t at = blockIdx.x * int64_t(team) + threadIdx.x;
    int64_t row = fur_cg_row<Group, Value>(at / team, at % team);
    int length = row < a.rows ? static_cast<int>(offset_at(a, row + 1) - offset_at(a, row)) : 0;
    int most = __reduce_max_sync(FUR_ALL_LANES, length);
    s.length[at] = length;
    if (at % FUR_WARP == 0)
        s.start[at / FUR_WARP] = int64_t(most) * FUR_WARP;
}

// Copies A's entries to their slices. The padding is 0, in column 0.
template <int Group, class Value> __global__ void spread(fur_csr_view a, fur_cg_layout s)
{
    constexpr int team = fur_cg_team<Group>;
    int64_t at = blockIdx.x * int64_t(team) + threadIdx.x;
    int64_t row = fur_cg_row<Group, Value>(at / team, at % team);
    int64_t slice = at / FUR_WARP;
    int64_t to = s.start[slice] + at % FUR_WARP;
    int width = static_cast<int>(s.start[slice + 1] - s.start[slice]) / FUR_WARP;
    int64_t from = s.length[at] > 0 ? offset_at(a, row) : 0;
    for (int k = 0; k < width; k++) {
        bool there = k < s.length[at];
        s.columns[to + k * FUR_WARP] = there ? a.columns[from + k] : 0;
        static_cast<Value *>(s.values)[to + k * FUR_WARP] =
            there ? static_cast<const Value *>(a.values)[from + k] : fur_zero<Value>();
    }
}

template <int Group, class Value>
fur_status build(fur_env *env, const fur_csr_view *a, fur_cg_layout *s)
{
    constexpr int team = fur_cg_team<Group>;
    auto blocks = static_cast<unsigned>(s->units);
    int64_t slices = s->units * (team / FUR_WARP);
    int64_t padded;
    FUR_TRY(fur_cuda_allocate(env, s->units * team, sizeof *s->length, &s->length));
    FUR_TRY(fur_cuda_allocate(env, slices + 1, sizeof *s->start, &s->start));
    measure<Group, Value><<<blocks, team, 0, fur_cuda_stream(env)>>>(*a, *s);
    FUR_TRY(fur_cuda_launched(env, "cg: measure"));
    FUR_TRY(fur_sell_add_up(env, slices, s->start, &padded));
    if (padded > PADDING_MAX * a->entries)
        return fur_cg_refuse(env, "its rows differ too much in length");
    FUR_TRY(fur_cuda_allocate(env, padded, sizeof *s->columns, &s->columns));
    FUR_TRY(fur_cuda_allocate(env, padded, sizeof(Value), &s->values));
    FUR_TRY(fur_cuda_allocate(env, a->rows, sizeof(fur_cg_pair<Value>), &s->pairs));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *s->arrived, &s->arrived));
    return fur_cuda_allocate(env, 3 * s->lanes, sizeof *s->sums, &s->sums);
}

// Copies columns and values.
template <int Group, class Value>
fur_status refresh(fur_env *env, const fur_csr_view *a, const fur_cg_layout *s)
{
    spread<Group, Value>
        <<<static_cast<unsigned>(s->units), fur_cg_team<Group>, 0, fur_cuda_stream(env)>>>(*a, *s);
    return fur_cuda_launched(env, "cg: spread");
}

// Chooses the numbers of threads and blocks.
template <class Value> fur_status divide(fur_env *env, const fur_csr_view *a, fur_cg_layout *s)
{
    constexpr int lanes = fur_cg_lanes<Value>;
    int64_t leaves = fur_ceil_div(a->rows, DEPTH * lanes);
    s->value = a->value_type;
    s->rows = a->rows;
    s->lanes = leaves * lanes;
    int64_t most = env->device->multiprocessors;
    // If there is less than one leaf, slices of few lanes would be mostly padding.
    bool few = a->rows >= DEPTH * lanes && s->lanes / MANY <= most / 2;
    s->group = few ? FEW : MANY;
    s->units = s->lanes / s->group;
    s->a_team = static_cast<int>(fur_ceil_div(s->units, most * (BLOCK / (DEPTH * s->group))));
    if (a->rows == 0 || s->a_team > fur_cg_units_most<Value> || a->entries > ENTRIES_MAX)
        return fur_cg_refuse(env, "it has no rows, or more than the device holds");
    s->blocks = static_cast<int>(std::min(s->units, most));
    return FUR_OK;
}

} // namespace

fur_status fur_cuda_cg_plan(fur_env *env, const fur_csr_view *a, void **state)
{
    return fur_make_state<fur_cg_layout>(env, fur_cuda_cg_release, state, [&](fur_cg_layout *s) {
        FUR_TRY(fur_cg_with_value(a->value_type, env,
                                  [&](auto value) { return divide<decltype(value)>(env, a, s); }));
        return fur_cg_with(s, env, [&](auto group, auto value) {
            return build<decltype(group)::value, decltype(value)>(env, a, s);
        });
    });
}

fur_status fur_cuda_cg_refresh(fur_env *env, void *state, const fur_csr_view *a)
{
    auto s = static_cast<const fur_cg_layout *>(state);
    return fur_cg_with(s, env, [&](auto group, auto value) {
        return refresh<decltype(group)::value, decltype(value)>(env, a, s);
    });
}

void fur_cuda_cg_release(fur_env *env, void *state)
{
    auto s = static_cast<fur_cg_layout *>(state);
    fur_cuda_release(env, s->start);
    fur_cuda_release(env, s->length);
    fur_cuda_release(env, s->columns);
    fur_cuda_release(env, s->values);
    fur_cuda_release(env, s->pairs);
    fur_cuda_release(env, s->sums);
    fur_cuda_release(env, s->arrived);
    fur_env_release(env, s);
}
