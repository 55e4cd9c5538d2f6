// How the persistent kernel of cg.cu divides rows among threads, and what a launch of it works on.
#ifndef FURROW_CUDA_CG_LAYOUT_CUH
#define FURROW_CUDA_CG_LAYOUT_CUH

#include "solver.cuh"
#include "value.cuh"

#define DEPTH 32 // rows of a lane
#define BLOCK 512
// Lanes of a unit. Of MANY a warp gathers from neighbouring rows; of FEW there are units for all
// multiprocessors where there are few rows.
#define MANY 8
#define FEW 2
template <int Group> constexpr int fur_cg_team = DEPTH *Group; // threads for a unit
template <int Group> constexpr int fur_cg_teams = BLOCK / fur_cg_team<Group>;

template <class Value> constexpr int fur_cg_lanes = 512 / sizeof(Value);
// Units that a team may have, each with registers for a row's entries of all vectors.
template <class Value> constexpr int fur_cg_units_most = fur_value_of<Value>::is_complex ? 2 : 4;
// A's rows in the order of the threads: slices of a warp's, padded to the longest.
struct fur_cg_layout {
    fur_value_type value;
    int64_t rows;
    int64_t units; // teams' shares of the rows
    int blocks;
    int group;       // lanes of a unit: MANY or FEW
    int a_team;      // units of a team
    int64_t *start;  // of a slice
    int32_t *length; // of a thread's row
    int32_t *columns;
    void *values;
    void *pairs;  // z and p by row
    double *sums; // of the lanes: of p.q, r.r, r.z
    int64_t lanes;
    unsigned *arrived; // blocks at barriers, since the launch
};

template <class Value> struct alignas(2 * sizeof(Value)) fur_cg_pair {
    Value z;
    Value p;
};

// What a launch works on.
template <class Value> struct fur_cg_job {
    int64_t n;
    int64_t units;
    int64_t lanes;
    int64_t leaves;
    const int64_t *start;
    const int32_t *length;
    const int32_t *columns;
    const Value *values;
    const Value *d; // null: constant
    Value constant;
    Value *r;
    Value *p;
    Value *q;
    Value *x;
    fur_cg_pair<Value> *pairs;
    double *sums;
    unsigned *arrived;
    int capacity; // entries of A that a block has room for
    fur_slot rz;
    fur_slot pq;
    fur_slot rr;
    int64_t count;
};

// The row of a thread of a team in a unit.
template <int Group, class Value>
__host__ __device__ inline int64_t fur_cg_row(int64_t unit, int thread)
{
    constexpr int lanes = fur_cg_lanes<Value>;
    constexpr int groups = lanes / Group;
    return unit / groups * (DEPTH * lanes) + thread / Group * lanes + unit % groups * Group +
           thread % Group;
}

static inline fur_status fur_cg_refuse(fur_env *env, const char *why)
{
    return fur_env_fail(env, FUR_UNSUPPORTED, "no persistent conjugate gradients: %s", why);
}

// Calls f with a value of the type; those of 16 bytes have no registers.
template <class F> inline fur_status fur_cg_with_value(fur_value_type value, fur_env *env, F f)
{
    return fur_with_value(value, [&](auto entry) {
        if constexpr (sizeof entry > 8)
            return fur_cg_refuse(env, "its values take 16 bytes");
        else
            return f(entry);
    });
}

// Calls f with the lanes of a unit, as std::integral_constant, and a value of the type.
template <class F> inline fur_status fur_cg_with(const fur_cg_layout *s, fur_env *env, F f)
{
    return fur_cg_with_value(s->value, env, [&](auto entry) {
        return s->group == FEW ? f(std::integral_constant<int, FEW>(), entry)
                               : f(std::integral_constant<int, MANY>(), entry);
    });
}

#endif
