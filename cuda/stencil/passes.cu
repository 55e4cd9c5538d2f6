// An iteration of conjugate gradients over a stencil in two passes (src/solver/method/cg.c): a turn
// and a descent, by the march of columns.cuh. They store nothing that can be computed again.
//
// Bytes a point, in entries: a turn reads z, p and x and writes p and x, 5. A descent reads p and r
// and writes r, 3. The entries of slices outside their leaves come from the second-level cache. 2
// flops a term, and about 10 more.
//
// Tried on an H200, 256^3 (329 us): one warp for each leaf took 357 us. Blocks of 256 threads that
// add a leaf before the next one took 472. 27 points on 128^3 took 93 us instead of 63.
#include "columns.cuh"
#include "sums.cuh"

namespace
{

struct state {
    layout columns;
    size_t shared;  // shared memory of a block, in bytes
    void *partials; // at most four doubles for each leaf
    unsigned *ticket;
};

template <class Value>
using dot_of =
    std::conditional_t<fur_value_of<Value>::is_complex, complex_dot<Value>, real_dot<Value>>;

// x += alpha p, q = d z + beta p, q.S q. The roundings are the same as in elementwise.cu.
template <class Value> struct turn_pass {
    struct raw {
        Value z;
        Value p;
        Value x;
    };
    const Value *z;
    const Value *p;
    Value *x;
    Value *q;
    Value d;
    // d is 1: complex numbers are not multiplied by it, because that could change the sign of a
    // zero
    bool unit;
    Value alpha;
    Value beta;
    dot_of<Value> dot;

    __device__ raw load(int64_t at, bool own) const
    {
        return {z[at], p[at], own ? fur_stream(x + at) : fur_zero<Value>()};
    }
    __device__ Value finish(int64_t at, const raw &r, bool own) const
    {
        bool scales = !fur_value_of<Value>::is_complex || !unit;
        Value next = scales ? fur_mul(d, r.z) : r.z;
        next = fur_fma(fur_from<Value>({1, 0}), next, fur_mul(beta, r.p));
        if (own) {
            x[at] = fur_fma(alpha, r.p, r.x);
            q[at] = next;
        }
        return next;
    }
    __device__ Value ahead(int64_t) const
    {
        return fur_zero<Value>();
    }
    __device__ Value keep(int64_t, Value product, Value) const
    {
        return product;
    }
    __device__ void add(double *sum, Value own, Value product) const
    {
        dot.take(sum, own, product, own);
    }
};

template <class Value, class Op = dot_of<Value>>
__global__ void __launch_bounds__(ALL_THREADS)
    turn(layout c, fur_near<Value> near, typename Op::partial *partials, unsigned *ticket,
         turn_pass<Value> pass, fur_ratio alpha, fur_ratio beta, fur_slot out)
{
    fur_scalar step;
    fur_scalar share;
    if (!fur_coefficient_read(alpha, &step) || !fur_coefficient_read(beta, &share))
        return;
    pass.alpha = fur_from<Value>(step);
    pass.beta = fur_from<Value>(share);
    march<Op>(c, near, partials, pass);
    typename Op::partial root;
    if (find_root<Op>(c, partials, ticket, &root) && threadIdx.x == 0)
        fur_slot_store(out, pass.dot.end(root));
}

// r += alpha S p, the 2-norm of r, and r.d r.
template <class Value> struct descent_pass {
    using raw = Value;
    const Value *p;
    Value *r;
    axpy_scaled_sums<Value, true> sums;

    __device__ raw load(int64_t at, bool) const
    {
        return p[at];
    }
    __device__ Value finish(int64_t, raw own, bool) const
    {
        return own;
    }
    __device__ Value ahead(int64_t at) const
    {
        return r[at];
    }
    __device__ Value keep(int64_t at, Value product, Value before) const
    {
        return r[at] = fur_fma(sums.norm.alpha, product, before);
    }
    __device__ void add(double *sum, Value, Value rest) const
    {
        sums.add(sum, rest, sums.constant);
    }
};

template <class Value, class Op = axpy_scaled_sums<Value, true>>
__global__ void __launch_bounds__(ALL_THREADS)
    descend(layout c, fur_near<Value> near, typename Op::partial *partials, unsigned *ticket,
            descent_pass<Value> pass, fur_slot out)
{
    if (!pass.sums.begin(out))
        return;
    march<Op>(c, near, partials, pass);
    typename Op::partial root;
    if (!find_root<Op>(c, partials, ticket, &root))
        return;
    fur_scalar norm = end_of(pass.sums, vectors<Value>{c.n, nullptr, pass.r, nullptr, false}, root);
    if (threadIdx.x == 0) {
        fur_slot_store(out, norm);
        pass.sums.store_more(root);
    }
}

// Returns why the passes do not support a stencil, or null if they do.
const char *refusal(const fur_stencil_view *s)
{
    const char *near = fur_near_refusal(s);
    if (near)
        return near;
    if (fur_near_places(s) != FUR_NEAR_STAR3)
        return "they need 7 points";
    for (int axis = 0; axis < 3; axis++)
        if (s->boundary[axis] != FUR_BOUNDARY_DIRICHLET)
            return "they need Dirichlet boundaries";
    return nullptr;
}

// Counts the blocks of a kernel that fit on the device at once.
template <class Kernel>
fur_status count_resident(fur_env *env, Kernel kernel, size_t shared, int *most)
{
    int resident = 0;
    FUR_TRY(fur_allow_shared(env, kernel));
    FUR_CUDA(env,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, ALL_THREADS, shared));
    *most = min(*most, resident * env->device->multiprocessors);
    return FUR_OK;
}

template <class Value> fur_status make_layout(fur_env *env, const fur_stencil_view *s, state *st)
{
    layout *c = &st->columns;
    int resident = INT32_MAX;
    if (!lay_out<Value>(s, c))
        return fur_env_fail(env, FUR_UNSUPPORTED, "the planes of the grid are too small");
    FUR_TRY(fur_march_shared(env, (6 * leaf_entries<Value> + 8 * c->halo) * sizeof(Value), 0,
                             &st->shared));
    FUR_TRY(count_resident(env, turn<Value>, st->shared, &resident));
    FUR_TRY(count_resident(env, descend<Value>, st->shared, &resident));
    c->run = fur_march_chunk(c->stride, fur_ceil_div(c->leaves, c->stride), max(resident, 1), 3);
    return FUR_OK;
}

} // namespace

void fur_cuda_passes_release(fur_env *env, void *memory)
{
    auto st = static_cast<state *>(memory);
    fur_cuda_release(env, st->partials);
    fur_cuda_release(env, st->ticket);
    fur_env_release(env, st);
}

fur_status fur_cuda_passes_plan(fur_env *env, const fur_stencil_view *s, void **out)
{
    const char *reason = refusal(s);
    if (reason)
        return fur_env_fail(env, FUR_UNSUPPORTED, "cg has no fused kernels for this stencil: %s",
                            reason);
    return fur_make_state<state>(env, fur_cuda_passes_release, out, [&](state *st) {
        FUR_TRY(fur_with_value(
            s->value_type, [&](auto value) { return make_layout<decltype(value)>(env, s, st); }));
        FUR_TRY(fur_cuda_allocate(env, st->columns.leaves, sizeof(fur_partial<4>), &st->partials));
        FUR_TRY(fur_cuda_allocate(env, 1, sizeof *st->ticket, &st->ticket));
        FUR_CUDA(env, cudaMemsetAsync(st->ticket, 0, sizeof *st->ticket, fur_cuda_stream(env)));
        return FUR_OK;
    });
}

fur_status fur_cuda_stencil_turn(fur_env *env, const fur_stencil_turn *t)
{
    auto st = static_cast<const state *>(t->state);
    return fur_with_value(t->s->value_type, [&](auto value) {
        using Value = decltype(value);
        turn_pass<Value> pass = {};
        pass.z = static_cast<const Value *>(t->z);
        pass.p = static_cast<const Value *>(t->p);
        pass.x = static_cast<Value *>(t->x);
        pass.q = static_cast<Value *>(t->q);
        pass.d = fur_from<Value>(t->d);
        pass.unit = t->d.re == 1 && t->d.im == 0;
        turn<<<blocks_of(st->columns), ALL_THREADS, st->shared, fur_cuda_stream(env)>>>(
            st->columns, fur_near<Value>(t->s),
            static_cast<typename dot_of<Value>::partial *>(st->partials), st->ticket, pass,
            t->alpha, t->beta, t->product);
        return fur_cuda_launched(env, "stencil turn");
    });
}

fur_status fur_cuda_stencil_descend(fur_env *env, const fur_stencil_descent *d)
{
    auto st = static_cast<const state *>(d->state);
    return fur_with_value(d->s->value_type, [&](auto value) {
        using Value = decltype(value);
        descent_pass<Value> pass = {};
        pass.p = static_cast<const Value *>(d->p);
        pass.r = static_cast<Value *>(d->r);
        pass.sums.norm.ratio = d->alpha;
        pass.sums.product = d->product;
        pass.sums.constant = fur_from<Value>(d->d);
        descend<<<blocks_of(st->columns), ALL_THREADS, st->shared, fur_cuda_stream(env)>>>(
            st->columns, fur_near<Value>(d->s), static_cast<fur_partial<4> *>(st->partials),
            st->ticket, pass, d->norm);
        return fur_cuda_launched(env, "stencil descend");
    });
}
