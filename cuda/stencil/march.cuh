// Blocks that march through the grid plane by plane (2.5D blocking). A block has a tile of points
// along x and y and a share of the planes, and reads x slice by slice. A slice is a plane of the
// tile with its neighbours. The last few slices are in a ring in shared memory. Micikevicius, 3D
// finite difference computation on GPUs using CUDA, GPGPU 2009.
#ifndef FURROW_CUDA_MARCH_CUH
#define FURROW_CUDA_MARCH_CUH

#include "ahead.cuh"
#include "lanes.cuh"
#include "stencil.cuh"

// The time until a block's first slices arrive, in planes.
#define FUR_MARCH_FILL 4

// Returns the point that position i of an axis reads, with a halo of `radius` around the grid, or
// -1 if it reads none.
__device__ inline int64_t fur_halo_point(fur_boundary boundary, int64_t n, int radius, int64_t i)
{
    return i < n + radius ? fur_boundary_point(boundary, n, i) : -1;
}

// The grid in tiles, numbered along x, then y, times chunks of planes.
struct fur_march {
    int64_t extent[3];
    fur_boundary boundary[3];
    int radius[3];
    // The points that act as the neighbours before the first and after the last point; -1: none.
    int64_t before[3];
    int64_t behind[3];
    unsigned columns; // tiles along x
    unsigned rows;
    int64_t chunk; // planes of a block; fewer than 2^31
    size_t shared; // bytes of shared memory that a block requests

    // Returns the number of points of a plane.
    __device__ int64_t plane_entries() const
    {
        return extent[0] * extent[1];
    }

    __device__ bool is_dirichlet(int axis) const
    {
        return boundary[axis] == FUR_BOUNDARY_DIRICHLET;
    }

    // Returns the point that position i of an axis reads, for a radius of 1, or -1 if it reads
    // none.
    __device__ int64_t near_point(int axis, int64_t i) const
    {
        if (i < 0)
            return i == -1 ? before[axis] : -1;
        return i < extent[axis] ? i : i == extent[axis] ? behind[axis] : -1;
    }
};

// The block's first point, and its number of planes.
struct fur_place {
    int64_t x;
    int64_t y;
    int64_t z;
    int planes;
};

// Returns the tile and the planes of this block.
__device__ inline fur_place fur_march_place(const fur_march &m, int width, int height)
{
    unsigned line = blockIdx.x / m.columns;
    int64_t z = line / m.rows * m.chunk;
    return {int64_t(blockIdx.x % m.columns) * width, int64_t(line % m.rows) * height, z,
            static_cast<int>(min(m.chunk, m.extent[2] - z))};
}

// Returns the plane of slice n of a block, where n = 0 is its first plane. -1 if the slice has no
// plane, because all terms in it are left out.
__device__ inline int64_t fur_march_plane(const fur_march &m, const fur_place &place, int n)
{
    bool wanted = n >= -m.radius[2] && n < place.planes + m.radius[2];
    return wanted ? fur_boundary_point(m.boundary[2], m.extent[2], place.z + n) : -1;
}

// The points of a thread, which are neighbours along y.
struct fur_march_points {
    int64_t first; // entry of the first point in the block's first plane
    int own;       // number of points inside the grid
    // Bit FUR_STENCIL_RADIUS + d is set if the line or column at distance d from the first point
    // has entries.
    unsigned lines;
    unsigned columns;

    __device__ fur_march_points(const fur_march &m, const fur_place &place, int width, int count)
        : lines(0), columns(0)
    {
        int64_t x = place.x + threadIdx.x % width;
        int64_t y = place.y + threadIdx.x / width * count;
        first = x + m.extent[0] * (y + m.extent[1] * place.z);
        own = x < m.extent[0] ? static_cast<int>(min(m.extent[1] - y, int64_t(count))) : 0;
        for (int bit = 0; bit < count + 2 * FUR_STENCIL_RADIUS; bit++) {
            int64_t column = x + bit - FUR_STENCIL_RADIUS;
            int64_t line = y + bit - FUR_STENCIL_RADIUS;
            bool column_in = column >= 0 && column < m.extent[0];
            bool line_in = line >= 0 && line < m.extent[1];
            columns |= (!m.is_dirichlet(0) || column_in ? 1U : 0U) << bit;
            lines |= (!m.is_dirichlet(1) || line_in ? 1U : 0U) << bit;
        }
    }

    // Returns whether the point at distance (dx, dy) from the thread's first point has an entry.
    __device__ bool is_in(int dx, int dy) const
    {
        return (columns >> (FUR_STENCIL_RADIUS + dx) & lines >> (FUR_STENCIL_RADIUS + dy) & 1) != 0;
    }

    // Returns whether all neighbours of all points of the warp have entries.
    __device__ bool all_in(const fur_march &m, int count) const
    {
        unsigned near_x = ((2U << 2 * m.radius[0]) - 1) << (FUR_STENCIL_RADIUS - m.radius[0]);
        unsigned near_y = ((1U << (2 * m.radius[1] + count)) - 1)
                          << (FUR_STENCIL_RADIUS - m.radius[1]);
        return __all_sync(FUR_ALL_LANES,
                          (columns & near_x) == near_x && (lines & near_y) == near_y);
    }
};

// Loads slices of at most `size` entries, entry by entry, for any boundary and any alignment.
template <class Value, int threads, int size> struct fur_slice_loader {
    static constexpr int most = (size + threads - 1) / threads; // entries of a thread
    uint32_t from[most]; // offsets from the plane's first entry; UINT32_MAX: none

    // Slices have `height` lines of `pitch` entries. The first entry is at (x, y).
    __device__ fur_slice_loader(const fur_march &m, int64_t x, int64_t y, int pitch, int height)
    {
#pragma unroll
        for (int n = 0; n < most; n++) {
            int entry = threadIdx.x + n * threads;
            int64_t i = fur_halo_point(m.boundary[0], m.extent[0], m.radius[0], x + entry % pitch);
            int64_t j = fur_halo_point(m.boundary[1], m.extent[1], m.radius[1], y + entry / pitch);
            bool there = entry < pitch * height && i >= 0 && j >= 0;
            from[n] = there ? static_cast<uint32_t>(i + m.extent[0] * j) : UINT32_MAX;
        }
    }

    // Starts to copy a slice. Entry n goes to at(n). The caller commits.
    template <class At> __device__ void begin(const Value *plane, At at) const
    {
#pragma unroll
        for (int n = 0; n < most; n++)
            if (from[n] != UINT32_MAX)
                __pipeline_memcpy_async(at(threadIdx.x + n * threads), plane + from[n],
                                        sizeof(Value));
    }
};

// Returns why a march does not support a grid, or null if it does.
static inline const char *fur_march_refusal(const fur_stencil_view *s)
{
    if (s->fields)
        return "it needs constant coefficients";
    if (s->extent[1] == 1)
        return "it needs a grid of two or three axes";
    if (s->extent[0] > UINT32_MAX / s->extent[1])
        return "a plane of the grid has 2^32 points or more";
    return nullptr;
}

// Returns the number of planes of a block with which all blocks finish soonest, if `resident`
// blocks run at a time. extra: the cost of a block besides its planes, in units of planes.
static inline int64_t fur_march_chunk(int64_t tiles, int64_t planes, int64_t resident,
                                      int64_t extra)
{
    int64_t best = planes;
    int64_t least = INT64_MAX;
    for (int64_t chunks = fur_ceil_div(planes, INT32_MAX / 2);
         chunks <= planes && tiles * (chunks - 1) <= 8 * resident; chunks++) {
        int64_t chunk = fur_ceil_div(planes, chunks);
        int64_t waves = fur_ceil_div(tiles * fur_ceil_div(planes, chunk), resident);
        int64_t time = waves * (chunk + extra);
        if (time < least) {
            least = time;
            best = chunk;
        }
    }
    return best;
}

// The bytes of shared memory for a block that needs `bytes`, chosen so that at most `most` blocks
// are on a multiprocessor. If more slices are in flight than keep the memory busy, all of them
// arrive later.
static inline fur_status fur_march_shared(fur_env *env, size_t bytes, int most, size_t *out)
{
    int device = env->device->number;
    int all = 0;
    int room = 0;
    FUR_CUDA(env,
             cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    FUR_CUDA(env, cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (bytes > static_cast<size_t>(room))
        return fur_env_fail(
            env, FUR_UNSUPPORTED,
            "a block of the kernel needs %zu bytes of shared memory, but this device has %d", bytes,
            room);
    *out = most > 0 ? max(bytes, static_cast<size_t>(all / (most + 1))) : bytes;
    return FUR_OK;
}

// A kernel's tile and its resources.
struct fur_march_tile {
    int threads; // threads of a block
    int width;   // points along x
    int height;
    size_t bytes; // bytes of shared memory
    int most;     // most blocks on a multiprocessor at once; 0: as many as fit
    int sweeps;   // sweeps of a pass
};

// Makes *out the march of a kernel.
template <class Kernel>
fur_status fur_march_make(fur_env *env, const fur_stencil_view *s, Kernel kernel,
                          const fur_march_tile &tile, fur_march *out)
{
    int resident = 0;
    FUR_TRY(fur_allow_shared(env, kernel));
    FUR_TRY(fur_march_shared(env, tile.bytes, tile.most, &out->shared));
    FUR_CUDA(env, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, tile.threads,
                                                                out->shared));
    out->columns = fur_blocks(s->extent[0], tile.width);
    out->rows = fur_blocks(s->extent[1], tile.height);
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = s->extent[axis];
        out->extent[axis] = n;
        out->boundary[axis] = s->boundary[axis];
        out->radius[axis] = s->radius[axis];
        out->before[axis] = s->radius[axis] ? fur_boundary_point(s->boundary[axis], n, -1) : -1;
        out->behind[axis] = s->radius[axis] ? fur_boundary_point(s->boundary[axis], n, n) : -1;
    }
    out->chunk = fur_march_chunk(int64_t(out->columns) * out->rows, s->extent[2],
                                 int64_t(resident) * env->device->multiprocessors,
                                 2 * tile.sweeps * s->radius[2] + tile.sweeps - 1 + FUR_MARCH_FILL);
    return FUR_OK;
}

// Returns the number of blocks: tiles times chunks of planes.
static inline unsigned fur_march_blocks(const fur_march &m)
{
    return m.columns * m.rows * fur_blocks(m.extent[2], m.chunk);
}

#endif
