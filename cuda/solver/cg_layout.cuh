// How the persistent kernel of cg.cu divides rows among threads, and the arguments of a launch.
#ifndef FURROW_CUDA_CG_LAYOUT_CUH
#define FURROW_CUDA_CG_LAYOUT_CUH

#include "solver.cuh"
#include "value.cuh"

#define DEPTH 32 // rows of a lane
#define BLOCK 512
// Lanes of a unit. With MANY, a warp reads neighbouring rows. With FEW, there are enough units for
// all multiprocessors even if there are few rows.
#define MANY 8
#define FEW 2
template <int Group> constexpr int fur_cg_team = DEPTH *Group; // threads for a unit
template <int Group> constexpr int fur_cg_teams = BLOCK / fur_cg_team<Group>;

template <class Value> constexpr int fur_cg_lanes = 512 / sizeof(Value);
// The most units of a team. Each unit needs registers for a row's entries of all vectors.
template <class Value> constexpr int fur_cg_units_most = fur_value_of<Value>::is_complex ? 2 : 4;
// A's rows in the order of the threads: one slice for each warp, padded to its longest row.
struct fur_cg_layout {
    fur_value_type value;
    int64_t rows;
    int64_t units; // the parts into which the rows are divided, one for a team
    int blocks;
    int group;       // lanes of a unit: MANY or FEW
    int a_team;      // units for each team
    int64_t *start;  // where each slice begins
    int32_t *length; // of each thread's row
    int32_t *columns;
    void *values;
    void *pairs;  // z and p of each row
    double *sums; // the lane sums of p.q, r.r and r.z
    int64_t lanes;
    unsigned *arrived; // blocks that have arrived at barriers since the launch
};

template <class Value> struct alignas(2 * sizeof(Value)) fur_cg_pair {
    Value z;
    Value p;
};

// The arguments of a launch.
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
    int capacity; // entries of A that fit in a block's shared memory
    fur_slot rz;
    fur_slot pq;
    fur_slot rr;
    int64_t count;
};

// Returns the row of thread `thread` of a team in a unit.
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
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "persistent execution of conjugate gradients is not possible: %s", why);
}

// Calls f with a value of the type. There are not enough registers for values of 16 bytes.
template <class F> inline fur_status fur_cg_with_value(fur_value_type value, fur_env *env, F f)
{
    return fur_with_value(value, [&](auto entry) {
        if constexpr (sizeof entry > 8)
            return fur_cg_refuse(env, "its values have 16 bytes");
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
