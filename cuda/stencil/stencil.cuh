// Stencils: products and repeated sweeps, one kernel in each file (stencils.def and sweeps.def list
// them), their matrix, and the proof that a matrix is a stencil's. The shared parts are the terms
// on the device and the sum of a point's terms in the order of docs/numerics.md.
#ifndef FURROW_CUDA_STENCIL_CUH
#define FURROW_CUDA_STENCIL_CUH

#include "device.cuh"
#include "long_sum.cuh"

// Bytes of shared memory that a block can have on every supported device.
#define FUR_SHARED_MAX (96 << 10)

// A term. Lists are in the order of addition: the lines along x one after the other.
template <class Value> struct fur_stencil_term {
    fur_stencil_offset offset;
    int next;           // the first term of the next line
    int64_t step;       // distance from a point to this neighbour, if it is inside the grid
    const Value *field; // null: the coefficient is constant
    Value constant;

    // Returns the term's coefficient at point p.
    __device__ Value coefficient(int64_t p) const
    {
        return field ? field[p] : constant;
    }
};

// Returns whether both neighbours are on the same line of the grid.
static inline bool fur_same_line(fur_stencil_offset a, fur_stencil_offset b)
{
    return a.y == b.y && a.z == b.z;
}

// Lists the stencil's terms, one for each point.
template <class Value>
void fur_list_terms(const fur_stencil_view *s, fur_stencil_term<Value> *terms)
{
    auto constants = static_cast<const Value *>(s->coefficients);
    for (int k = s->points - 1; k >= 0; k--) {
        fur_stencil_term<Value> *t = &terms[k];
        bool last = k + 1 == s->points || !fur_same_line(s->offsets[k], s->offsets[k + 1]);
        t->offset = s->offsets[k];
        t->next = last ? k + 1 : terms[k + 1].next;
        t->step = t->offset.x + s->extent[0] * (t->offset.y + s->extent[1] * t->offset.z);
        t->field = constants ? nullptr : static_cast<const Value *>(s->fields[k]);
        t->constant = constants ? constants[k] : fur_zero<Value>();
    }
}

extern "C" {
// *list = the stencil's terms on the device, as fur_stencil_term of its value type. Kernels that
// need nothing else use the list as their plan. fur_cuda_release frees it.
fur_status fur_cuda_stencil_terms(fur_env *env, const fur_stencil_view *s, void **list);

// The stencil functions of fur_remote.
fur_status fur_cuda_stencil_starts(fur_env *env, const fur_stencil_view *s, int64_t *starts);
fur_status fur_cuda_stencil_fill(fur_env *env, const fur_stencil_view *s, const int64_t *starts,
                                 const fur_csr_view *a);
fur_status fur_cuda_stencil_diagonal(fur_env *env, const fur_stencil_view *s, void *d);
fur_status fur_cuda_passes_plan(fur_env *env, const fur_stencil_view *s, void **state);
fur_status fur_cuda_stencil_turn(fur_env *env, const fur_stencil_turn *t);
fur_status fur_cuda_stencil_descend(fur_env *env, const fur_stencil_descent *d);
void fur_cuda_passes_release(fur_env *env, void *state);
fur_stencil_block fur_cuda_stencil_block;
fur_status fur_cuda_stencil_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                                  int64_t most, int32_t **numbers, int64_t *count);
}

// The sum of the terms of a point that are inside the grid, added like the entries of a row. Long:
// there may be more terms than one segment.
template <class Value, bool Long> struct fur_term_sum {
    Value sum = fur_zero<Value>();

    __device__ void add(Value coefficient, Value x)
    {
        sum = fur_fma(coefficient, x, sum);
    }
    __device__ Value result()
    {
        return sum;
    }
};

template <class Value> struct fur_term_sum<Value, true> {
    Value sum = fur_zero<Value>(); // of up to FUR_ROW_SEGMENT terms
    Value lane[FUR_ROW_LANES];     // rotated: the first takes the next term
    fur_segment_sums<Value, 1> sums;
    int terms = 0;

    __device__ fur_term_sum()
    {
        clear();
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < FUR_ROW_LANES; i++)
            lane[i] = fur_zero<Value>();
    }

    // Rotates the lanes: the first lane becomes `own` and moves to the end.
    __device__ void turn(Value own)
    {
#pragma unroll
        for (int i = 0; i < FUR_ROW_LANES - 1; i++)
            lane[i] = lane[i + 1];
        lane[FUR_ROW_LANES - 1] = own;
        terms++;
    }

    __device__ void add(Value coefficient, Value x)
    {
        if (terms < FUR_ROW_SEGMENT)
            sum = fur_fma(coefficient, x, sum);
        turn(fur_fma(coefficient, x, lane[0]));
        if (terms % FUR_ROW_SEGMENT == 0) {
            sums.add(fur_fold(lane));
            clear();
        }
    }

    __device__ Value result()
    {
        if (terms <= FUR_ROW_SEGMENT)
            return sum;
        if (terms % FUR_ROW_SEGMENT > 0) {
            while (terms % FUR_ROW_LANES > 0)
                turn(lane[0]);
            sums.add(fur_fold(lane));
        }
        return sums.total();
    }
};

// Returns the index of a grid point.
__device__ inline int64_t fur_stencil_point(const fur_stencil_view &s, const int64_t at[3])
{
    return at[0] + s.extent[0] * (at[1] + s.extent[1] * at[2]);
}

// Returns whether all neighbours of a point are inside the grid.
__device__ inline bool fur_stencil_inside(const fur_stencil_view &s, const int64_t at[3])
{
    bool inside = true;
    for (int axis = 0; axis < 3; axis++)
        inside = inside && at[axis] >= s.radius[axis] && at[axis] < s.extent[axis] - s.radius[axis];
    return inside;
}

// Returns whether a neighbour is inside the grid.
__device__ inline bool fur_stencil_reaches(const fur_stencil_view &s, const int64_t at[3],
                                           fur_stencil_offset o)
{
    auto is_in = [&](int axis, int offset) {
        return static_cast<uint64_t>(at[axis] + offset) < static_cast<uint64_t>(s.extent[axis]);
    };
    return is_in(0, o.x) && is_in(1, o.y) && is_in(2, o.z);
}

// Finishes the product of a point: y = alpha sum + beta z, with z at the same index.
template <class Value> struct fur_stencil_finish : fur_finish<Value> {
    ptrdiff_t apart; // bytes from y to z

    explicit fur_stencil_finish(const fur_stencil_call *call)
        : fur_finish<Value>(call),
          apart(static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(call->z) -
                                       reinterpret_cast<uintptr_t>(call->y)))
    {
    }

    // Returns the address of the z that belongs to y.
    __device__ const Value *other(const Value *y) const
    {
        return reinterpret_cast<const Value *>(reinterpret_cast<const char *>(y) + apart);
    }

    // y = alpha sum + beta z
    __device__ void put(Value sum, Value *y) const
    {
        *y = this->combine(sum, other(y));
    }
};

// Calls f with a value of the stencil's type, and whether its sums are long.
template <class F> fur_status fur_with_terms(const fur_stencil_view *s, F f)
{
    return fur_with_value(s->value_type, [&](auto value) {
        return s->points > FUR_ROW_SEGMENT ? f(value, std::true_type())
                                           : f(value, std::false_type());
    });
}

// Allows a kernel all the shared memory that it leaves. A block gets more than 48 KB only on
// request. The limit is the same for all launches of a kernel, because contexts share its
// attributes.
template <class Kernel> fur_status fur_allow_shared(fur_env *env, Kernel kernel)
{
    int most = 0;
    cudaFuncAttributes own;
    fur_cuda_stream(env);
    FUR_CUDA(env, cudaFuncGetAttributes(&own, kernel));
    FUR_CUDA(env, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         env->device->number));
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       most - static_cast<int>(own.sharedSizeBytes)));
    return FUR_OK;
}

// The most blocks of a launch along y and z. Blocks go over the grid in steps of this size.
#define FUR_GRID_MAX 65535

// Returns the number of blocks along y or z: at most FUR_GRID_MAX. The kernel loops over the
// remaining points.
static inline unsigned fur_grid_blocks(int64_t count)
{
    return static_cast<unsigned>(count < FUR_GRID_MAX ? count : FUR_GRID_MAX);
}

#endif
