// Stencils of radius 1 whose slices are copied by Hopper's copy engine, planes ahead of their use,
// while all threads compute. Everything else is as in registers.cu. The part of a slice beyond the
// grid arrives as zeros, and its terms are left out. NVIDIA, CUDA C++ Programming Guide 2022,
// tensor memory access; Micikevicius 2009; Volkov 2010.
//
// Bytes a point: two entries for x and y; from the second-level cache 1.2 for x and one for y,
// because tiles of 64 x 32 points (f64) share their edges. 2 flops a term.
#include "near.cuh"

#include <cudaTypedefs.h>

extern "C" const fur_stencil_kernel fur_cuda_stencil_registers;

// Bytes of a line of a tile of `registers`, and the part of its tiles that lines must fill.
#define TILE_LINE 512
#define TILE_FILLED 0.97
// The bytes from which a grid is large, and the points below which it is small, for yields().
#define LARGE (INT64_C(128) << 20)
#define MANY_LARGE 4
#define SMALL_ANY (INT64_C(2) << 20)

namespace
{

// Initialises a barrier to which one thread announces the expected bytes. The block must
// synchronise before it is used.
__device__ void arrival_init(uint64_t *arrival)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;"
                 :
                 : "r"(fur_shared_address(arrival))
                 : "memory");
}

// Returns when all bytes of the barrier's phase have arrived. Phases alternate between 0 and 1.
__device__ void arrival_wait(uint64_t *arrival, unsigned phase)
{
    uint32_t arrived = 0;
    while (arrived == 0)
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(arrived)
                     : "r"(fur_shared_address(arrival)), "r"(phase)
                     : "memory");
}

// Starts to copy a box of the tensor, `bytes` in all, to an address that is a multiple of 128. The
// part of the box outside the tensor is filled with zeros.
__device__ void copy_box(void *to, const CUtensorMap *map, int x, int y, int z, unsigned bytes,
                         uint64_t *arrival)
{
    uint32_t at = fur_shared_address(arrival);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(at), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(fur_shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(at)
                 : "memory");
}

// An entry of 16 bytes is two elements of the copied tensor.
template <class Value> constexpr int words = sizeof(Value) > 8 ? 2 : 1;

// As in registers.cu. A box has at most 256 elements of f32 along x.
template <class Shape>
using form = std::conditional_t<Shape::work == FUR_NEAR_FEW || Shape::work == FUR_NEAR_MANY,
                                fur_near_form<512, 1, 2, 3, 0, 1, false>,
                                fur_near_form<256, 1, 2, 4, 0, 0, false>>;

// The lines of a box begin at a sector.
template <class Value, class Shape>
using tile_of = fur_near_tile<Value, Shape, form<Shape>, FUR_SECTOR, 2 * FUR_SECTOR>;

template <class tile>
constexpr unsigned box_bytes = tile::pitch *tile::lines * sizeof(typename tile::Value);

template <class tile>
constexpr size_t shared_bytes = tile::Form::slices *(tile::bytes + sizeof(uint64_t));

// One block computes one tile in a share of the planes. Bytes and flops a point: above.
template <class tile, fur_near_kind kind, class Value, class Form = typename tile::Form>
__global__ void __launch_bounds__(Form::threads, Form::resident)
    multiply(const __grid_constant__ CUtensorMap map, fur_march m, fur_near<Value> near, Value *y,
             fur_stencil_finish<Value> finish)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    constexpr int slices = Form::slices;
    extern __shared__ __align__(128) unsigned char memory[];
    auto ring = reinterpret_cast<Value *>(memory);
    auto arrivals = reinterpret_cast<uint64_t *>(memory + slices * tile::bytes);
    fur_place place = fur_march_place(m, tile::width, tile::height);
    fur_near_planes planes(m, place);
    if (threadIdx.x < slices)
        arrival_init(&arrivals[threadIdx.x]);
    __syncthreads();
    // Every slice is copied, so that phases alternate. A slice outside the grid is copied as zeros.
    auto begin = [&](int n, unsigned turn) {
        if (threadIdx.x > 0 || n > place.planes)
            return;
        unsigned at = turn % slices;
        copy_box(ring + at * tile::entries, &map,
                 static_cast<int>(place.x - tile::first) * words<Value>,
                 static_cast<int>(place.y - 1), planes.at(n), box_bytes<tile>, &arrivals[at]);
    };
    auto wait = [&](unsigned turn) { arrival_wait(&arrivals[turn % slices], turn / slices % 2); };
    auto ask = [](int) {};
    fur_near_march<tile, kind>(m, place, near, finish, ring, y, begin, ask, wait);
#endif
}

// Returns whether points at the ends of this axis have neighbours beyond them.
bool is_open(const fur_stencil_view *s, int axis)
{
    return s->boundary[axis] != FUR_BOUNDARY_DIRICHLET && s->radius[axis] > 0;
}

// Calls f with a tile, and the kernel for the stencil on grids of a kind.
template <class F> fur_status with_kernel(const fur_stencil_view *s, fur_near_kind kind, F f)
{
    return fur_with_near(s, [&](auto value, auto shape) {
        using Value = decltype(value);
        using tile = tile_of<Value, decltype(shape)>;
        return kind == FUR_NEAR_PIECES ? f(tile(), multiply<tile, FUR_NEAR_PIECES, Value>)
                                       : f(tile(), multiply<tile, FUR_NEAR_PIECES_Z, Value>);
    });
}

const char *refusal(const fur_stencil_view *s)
{
    int64_t line = s->extent[0] * static_cast<int64_t>(fur_value_size(s->value_type));
    if (is_open(s, 0) || is_open(s, 1))
        return "its copies support only Dirichlet boundaries along x and y";
    if (line % FUR_NEAR_PIECE != 0)
        return "its copies need lines of a multiple of 16 bytes";
    if (s->extent[0] > INT32_MAX / 2 || s->extent[1] > INT32_MAX || s->extent[2] > INT32_MAX ||
        line > (INT64_C(1) << 39) / s->extent[1])
        return "the grid is too large for its copies";
    return fur_near_refusal(s);
}

// Returns true if `registers` is faster on an H200 (docs/results/stencils-h200.md). This is the
// case in a plane, and for terms that are found at run time, except on small grids. It is also the
// case on large grids whose lines fill its tiles. If there are many terms, the grids must be
// larger.
bool yields(const fur_stencil_view *s)
{
    int64_t size = static_cast<int64_t>(fur_value_size(s->value_type));
    int64_t line = s->extent[0] * size;
    int64_t tiles = fur_ceil_div(line, TILE_LINE) * TILE_LINE;
    int64_t points = fur_stencil_rows(s);
    fur_near_work work = FUR_NEAR_ANY;
    fur_with_near(s, [&](auto, auto shape) {
        work = shape.work;
        return FUR_OK;
    });
    switch (work) {
    case FUR_NEAR_FLAT:
        return true;
    case FUR_NEAR_FEW:
    case FUR_NEAR_MANY:
        return size <= 8 && points * size >= LARGE * (work == FUR_NEAR_FEW ? 1 : MANY_LARGE) &&
               line >= TILE_FILLED * tiles;
    case FUR_NEAR_ANY:
        return points >= SMALL_ANY;
    }
    return false;
}

// The state of a plan.
struct state {
    fur_march march;
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    void *unaligned; // the state of `registers`, for vectors that do not consist of whole pieces
};

void release(fur_env *env, void *made)
{
    auto st = static_cast<state *>(made);
    if (!st)
        return;
    fur_cuda_stencil_registers.release(env, st->unaligned);
    fur_env_release(env, st);
}

// Finds the encoding function at run time: the driver is not linked, so that the library loads
// without one.
fur_status find_encode(fur_env *env, PFN_cuTensorMapEncodeTiled_v12000 *encode)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    FUR_CUDA(env, cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                   cudaEnableDefault, &result));
#else
    FUR_CUDA(env,
             cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result));
#endif
    if (result != cudaDriverEntryPointSuccess)
        return fur_env_fail(
            env, FUR_DEVICE_ERROR,
            "the driver has no cuTensorMapEncodeTiled; use a newer driver, or another kernel");
    *encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
    return FUR_OK;
}

// Prepares the march of each kernel, and the plan of "registers" for vectors that bulk copies do
// not support.
fur_status build(fur_env *env, const fur_stencil_view *s, state *st)
{
    FUR_TRY(find_encode(env, &st->encode));
    FUR_TRY(fur_cuda_stencil_registers.plan(env, s, &st->unaligned));
    auto make = [&](auto of, auto kernel) {
        using tile = decltype(of);
        return fur_march_make(env, s, kernel, tile::march(shared_bytes<tile>), &st->march);
    };
    FUR_TRY(with_kernel(s, FUR_NEAR_PIECES_Z, make));
    return with_kernel(s, FUR_NEAR_PIECES, make);
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **out)
{
    return fur_make_state<state>(env, release, out, [&](state *st) { return build(env, s, st); });
}

// Describes x as a tensor, which is copied in boxes of the size of a slice.
template <class tile>
fur_status describe(const fur_stencil_call *call, const state *st, CUtensorMap *map)
{
    using Value = typename tile::Value;
    const int64_t *extent = st->march.extent;
    const cuuint64_t size = sizeof(Value);
    const cuuint64_t n[3] = {static_cast<cuuint64_t>(extent[0]), static_cast<cuuint64_t>(extent[1]),
                             static_cast<cuuint64_t>(extent[2])};
    const cuuint64_t elements[3] = {n[0] * words<Value>, n[1], n[2]};
    const cuuint64_t strides[2] = {n[0] * size, n[0] * n[1] * size};
    const cuuint32_t box[3] = {tile::pitch * words<Value>, tile::lines, 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    CUresult error = st->encode(
        map, size == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3,
        const_cast<void *>(call->x), elements, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return error == CUDA_SUCCESS
               ? FUR_OK
               : fur_env_fail(call->env, FUR_DEVICE_ERROR,
                              "cuTensorMapEncodeTiled failed with error %d", error);
}

// Computes the product by the kernel "registers".
fur_status apply_unaligned(const fur_stencil_call *call, void *state)
{
    fur_stencil_call same = *call;
    same.state = state;
    return fur_cuda_stencil_registers.apply(&same);
}

fur_status apply(const fur_stencil_call *call)
{
    auto st = static_cast<const state *>(call->state);
    fur_near_kind kind = fur_near_kind_of(call);
    if (kind == FUR_NEAR_ENTRIES)
        return apply_unaligned(call, st->unaligned);
    return with_kernel(call->s, kind, [&](auto of, auto kernel) {
        using tile = decltype(of);
        using Value = typename tile::Value;
        CUtensorMap map;
        FUR_TRY(describe<tile>(call, st, &map));
        kernel<<<fur_march_blocks(st->march), tile::Form::threads, st->march.shared,
                 fur_cuda_stream(call->env)>>>(map, st->march, fur_near<Value>(call->s),
                                               static_cast<Value *>(call->y),
                                               fur_stencil_finish<Value>(call));
        return fur_cuda_launched(call->env, "stencil bulk");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_bulk = {
    {"bulk",
     "radius 1: as `registers`, slices brought by the copy engine of compute capability 9.0",
     "NVIDIA 2022; Volkov 2010; Micikevicius 2009", true, 0},
    false, // by_name
    yields,
    refusal,
    plan,
    apply,
    release,
};
