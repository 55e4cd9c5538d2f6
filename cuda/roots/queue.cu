// Stencils from slices in shared memory. A block marches through the planes. A circular queue holds
// the slices that its points read, from before to after their plane. Micikevicius, 3D finite
// difference computation on GPUs using CUDA, GPGPU 2009. Later beaten by `registers` for radius 1
// (2 to 7 times on an H200). It is still the fastest for larger radii.
//
// Bytes a point: two entries for x and y. From the second-level cache, for tiles of w x h points
// and radius r: (1 + 2 r / w) (1 + 2 r / h) entries of x, and one of y. 2 flops a term.
#include "march.cuh"

// Slices that are loaded ahead, in addition to the slices in use.
#define AHEAD 2
// Threads of a block, and the blocks on a multiprocessor for which there are registers.
#define THREADS 256
#define RESIDENT 2

namespace
{

// The points of a block in a plane.
template <class Value> struct tile {
    static constexpr int width = sizeof(Value) == 4 ? 128 : 64;
    static constexpr int outputs = 32 / sizeof(Value); // points of a thread along y
    static constexpr int height = THREADS / width * outputs;
    static constexpr int most =
        (width + 2 * FUR_STENCIL_RADIUS) * (height + 2 * FUR_STENCIL_RADIUS);
};

// The queue for a stencil.
struct shape {
    int pitch; // distance of a slice's lines, in entries
    int lines;
    int slice; // entries
    int slices;
};

// Returns the queue for a stencil of this radius. Its slices extend past the tile's edges.
template <class Value> shape shape_of(const int radius[3])
{
    shape q = {tile<Value>::width + 2 * radius[0], tile<Value>::height + 2 * radius[1], 0,
               2 * radius[2] + 1 + AHEAD};
    q.slice = q.pitch * q.lines;
    return q;
}

// Returns the bytes of the queue in shared memory.
template <class Value> size_t queue_bytes(const int radius[3])
{
    shape q = shape_of<Value>(radius);
    return sizeof(Value) * static_cast<size_t>(q.slice) * static_cast<size_t>(q.slices);
}

// The arguments of a product.
template <class Value, bool Long> struct product {
    fur_march m;
    shape q;
    int count; // number of terms
    const fur_stencil_term<Value> *terms;
    const Value *x;
    Value *y;
    fur_stencil_finish<Value> finish;

    product(const fur_stencil_call *call, const fur_march &march, const void *list)
        : m(march), q(shape_of<Value>(march.radius)), count(call->s->points),
          terms(static_cast<const fur_stencil_term<Value> *>(list)),
          x(static_cast<const Value *>(call->x)), y(static_cast<Value *>(call->y)), finish(call)
    {
    }
};

// A block with its queue, from the view of one thread.
template <class Value, bool Long> struct block {
    static constexpr int outputs = tile<Value>::outputs;
    const product<Value, Long> &p;
    Value *queue;
    fur_place place;
    fur_slice_loader<Value, THREADS, tile<Value>::most> loader;
    fur_march_points points;
    bool all_in;
    const Value *own; // the thread's first point in the queue's first slice
    int next;         // the slice of the queue that is loaded next
    int middle;       // the slice with the points themselves

    __device__ block(const product<Value, Long> &of, Value *memory)
        : p(of), queue(memory),
          place(fur_march_place(of.m, tile<Value>::width, tile<Value>::height)),
          loader(of.m, place.x - of.m.radius[0], place.y - of.m.radius[1], of.q.pitch, of.q.lines),
          points(of.m, place, tile<Value>::width, outputs), all_in(points.all_in(of.m, outputs)),
          next(0), middle(of.m.radius[2])
    {
        int line = threadIdx.x / tile<Value>::width * outputs + p.m.radius[1];
        own = queue + line * p.q.pitch + threadIdx.x % tile<Value>::width + p.m.radius[0];
    }

    // Returns the slice after `slice` in the ring.
    __device__ int after(int slice) const
    {
        return slice + 1 < p.q.slices ? slice + 1 : 0;
    }

    // Starts to load slice n.
    __device__ void fetch(int n)
    {
        int64_t plane = fur_march_plane(p.m, place, n);
        if (plane >= 0)
            loader.begin(p.x + plane * p.m.plane_entries(),
                         [&](int entry) { return queue + next * p.q.slice + entry; });
        __pipeline_commit();
        next = after(next);
    }

    // Returns a mask: bit FUR_STENCIL_RADIUS + d is set if plane n + d has entries.
    __device__ unsigned planes_in(int n) const
    {
        unsigned planes = 0;
        for (int dz = -p.m.radius[2]; dz <= p.m.radius[2]; dz++)
            if (fur_march_plane(p.m, place, n + dz) >= 0)
                planes |= 1U << (FUR_STENCIL_RADIUS + dz);
        return planes;
    }

    // Adds the terms in these planes to the thread's points. AllIn: no neighbour is beyond a
    // boundary.
    template <bool AllIn>
    __device__ void add(unsigned planes, fur_term_sum<Value, Long> (&sum)[outputs]) const
    {
#pragma unroll 2
        for (int t = 0; t < p.count; t++) {
            fur_stencil_offset o = p.terms[t].offset;
            int slice = middle + o.z;
            slice += slice < 0 ? p.q.slices : slice >= p.q.slices ? -p.q.slices : 0;
            const Value *from = own + slice * p.q.slice + o.y * p.q.pitch + o.x;
            if ((planes >> (FUR_STENCIL_RADIUS + o.z) & 1) == 0)
                continue;
#pragma unroll
            for (int i = 0; i < outputs; i++)
                if (AllIn || points.is_in(o.x, i + o.y))
                    sum[i].add(p.terms[t].constant, from[i * p.q.pitch]);
        }
    }

    // Computes the thread's points in plane n of the block.
    __device__ void multiply(int n)
    {
        fur_term_sum<Value, Long> sum[outputs];
        if (all_in)
            add<true>(planes_in(n), sum);
        else
            add<false>(planes_in(n), sum);
        Value *to = p.y + points.first + n * p.m.plane_entries();
#pragma unroll
        for (int i = 0; i < outputs; i++)
            if (i < points.own)
                p.finish.put(sum[i].result(), to + i * p.m.extent[0]);
        middle = after(middle);
    }
};

// One block computes one tile in a share of the planes. Bytes and flops a point: above.
template <class Value, bool Long>
__global__ void __launch_bounds__(THREADS, RESIDENT) multiply(product<Value, Long> p)
{
    extern __shared__ __align__(16) unsigned char memory[];
    block<Value, Long> b(p, reinterpret_cast<Value *>(memory));
    for (int n = -p.m.radius[2]; n < p.m.radius[2] + AHEAD; n++)
        b.fetch(n);
#pragma unroll 1
    for (int n = 0; n < b.place.planes; n++) {
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads(); // all threads have read the oldest slice
        b.fetch(n + p.m.radius[2] + AHEAD);
        b.multiply(n);
    }
}

const char *refusal(const fur_stencil_view *s)
{
    const char *reason = fur_march_refusal(s);
    size_t bytes = 0;
    fur_with_value(s->value_type, [&](auto value) {
        bytes = queue_bytes<decltype(value)>(s->radius);
        return FUR_OK;
    });
    return reason == nullptr && bytes > FUR_SHARED_MAX
               ? "the slices that it reaches do not fit in shared memory"
               : reason;
}

// The state of a plan.
struct state {
    fur_march march;
    void *terms;
};

void release(fur_env *env, void *made)
{
    auto st = static_cast<state *>(made);
    if (!st)
        return;
    fur_cuda_release(env, st->terms);
    fur_env_release(env, st);
}

// Copies the terms to the device, and prepares the march.
fur_status build(fur_env *env, const fur_stencil_view *s, state *st)
{
    FUR_TRY(fur_cuda_stencil_terms(env, s, &st->terms));
    return fur_with_terms(s, [&](auto value, auto is_long) {
        using Value = decltype(value);
        fur_march_tile t = {
            THREADS, tile<Value>::width, tile<Value>::height, queue_bytes<Value>(s->radius), 0, 1};
        return fur_march_make(env, s, multiply<Value, is_long>, t, &st->march);
    });
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **out)
{
    return fur_make_state<state>(env, release, out, [&](state *st) { return build(env, s, st); });
}

fur_status apply(const fur_stencil_call *call)
{
    auto st = static_cast<const state *>(call->state);
    return fur_with_terms(call->s, [&](auto value, auto is_long) {
        using Value = decltype(value);
        multiply<<<fur_march_blocks(st->march), THREADS, st->march.shared,
                   fur_cuda_stream(call->env)>>>(
            product<Value, is_long>(call, st->march, st->terms));
        return fur_cuda_launched(call->env, "stencil queue");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_queue = {
    {"queue", "the slices of a tile in shared memory, as a circular queue along z",
     "Micikevicius 2009", true, 0},
    false,   // by_name
    nullptr, // yields
    refusal,
    plan,
    apply,
    release,
};
