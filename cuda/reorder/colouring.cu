// Colours rows in their order. A row waits for the colours of its neighbours before it, as in a
// triangular solve (../triangular/plan.cu). Also sorts the rows by class, with CUB's stable radix
// sort.
#include "arrange.cuh"
#include "csr.cuh"
#include "reorder.cuh"
#include "ticket.cuh"

#define BLOCK 256
// Colours that a row tests together.
#define WINDOW 64

namespace
{

// The state of a row: the entries it has seen, and which of the first colours are taken.
template <class Offset> struct seen {
    Offset next;
    Offset end;
    unsigned long long taken;
};

// Advances to the first neighbour without a colour. Returns true if there is none.
template <class Offset>
__device__ bool advance(int64_t row, const int32_t *columns, const int32_t *of, seen<Offset> *s)
{
    while (s->next < s->end && columns[s->next] < row) {
        int32_t colour = __ldcv(&of[columns[s->next]]);
        if (colour < 0)
            return false;
        if (colour < WINDOW)
            s->taken |= 1ULL << colour;
        s->next++;
    }
    return true;
}

// Returns the first colour that no previous neighbour of a row has. All these neighbours have their
// colours.
template <class Offset>
__device__ int32_t first_free(int64_t row, const Offset *offsets, const int32_t *columns,
                              const int32_t *of, unsigned long long taken)
{
    int32_t base = 0;
    for (; taken == ~0ULL; base += WINDOW) {
        taken = 0;
        for (Offset k = offsets[row]; k < offsets[row + 1] && columns[k] < row; k++) {
            int32_t colour = __ldcv(&of[columns[k]]) - (base + WINDOW);
            if (colour >= 0 && colour < WINDOW)
                taken |= 1ULL << colour;
        }
    }
    return base + __ffsll(static_cast<long long>(~taken)) - 1;
}

// Sets of[i], which was -1, and the highest colour. Blocks number themselves in their starting
// order, and the lanes of a warp advance in turn. Bytes an entry: 4, and a colour.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    colour_rows(int64_t rows, const Offset *offsets, const int32_t *columns, int32_t *of,
                unsigned *ticket, int32_t *highest)
{
    int64_t row = fur_begin_block(ticket) * BLOCK + threadIdx.x;
    bool done = row >= rows;
    int32_t own = 0;
    seen<Offset> s = {};
    if (!done)
        s = {offsets[row], offsets[row + 1], 0};
    while (!__all_sync(0xffffffffu, done)) {
        if (!done && advance(row, columns, of, &s)) {
            own = first_free(row, offsets, columns, of, s.taken);
            __stcg(&of[row], own);
            done = true;
        }
    }
    own = __reduce_max_sync(0xffffffffu, own);
    if (threadIdx.x % FUR_WARP == 0)
        atomicMax(highest, own);
}

// position[order[i]] = i, and where each class begins. Bytes a row: 12, 4 of them scattered.
__global__ void __launch_bounds__(BLOCK)
    place_rows(int64_t rows, int64_t count, const int32_t *sorted, const int32_t *order,
               int32_t *position, int64_t *begin)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i == 0)
        begin[count] = rows;
    if (i >= rows)
        return;
    position[order[i]] = static_cast<int32_t>(i);
    if (i == 0 || sorted[i] != sorted[i - 1])
        begin[sorted[i]] = i;
}

// Temporary arrays of the sort.
struct room {
    int32_t *rows; // 0, 1, 2, ...
    int32_t *sorted;
    int64_t *begin;
};

fur_status allocate(fur_env *env, int64_t rows, int64_t count, room *r)
{
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof *r->rows, &r->rows));
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof *r->sorted, &r->sorted));
    return fur_cuda_allocate(env, count + 1, sizeof *r->begin, &r->begin);
}

void release(fur_env *env, const room *r)
{
    fur_cuda_release(env, r->begin);
    fur_cuda_release(env, r->sorted);
    fur_cuda_release(env, r->rows);
}

fur_status arrange(fur_env *env, int64_t rows, int64_t count, const int32_t *of, const room *r,
                   int32_t *order, int32_t *position, int64_t *begin)
{
    cudaStream_t stream = fur_cuda_stream(env);
    fur_count_up<<<fur_blocks(rows, FUR_ENTRIES_BLOCK), FUR_ENTRIES_BLOCK, 0, stream>>>(rows,
                                                                                        r->rows);
    FUR_TRY(fur_cuda_launched(env, "count up"));
    FUR_TRY(fur_sort_pairs(env, of, r->sorted, r->rows, order, rows, fur_bits(count)));
    place_rows<<<fur_blocks(rows, BLOCK), BLOCK, 0, stream>>>(rows, count, r->sorted, order,
                                                              position, r->begin);
    FUR_TRY(fur_cuda_launched(env, "places of rows"));
    return fur_cuda_copy(env, begin, r->begin, (count + 1) * int64_t(sizeof *begin));
}

} // namespace

fur_status fur_cuda_colour_rows(fur_env *env, const fur_csr_view *a, int32_t *of, int64_t *count)
{
    int32_t *memory = nullptr; // the highest colour, and a ticket
    int32_t highest = 0;
    FUR_TRY(fur_cuda_allocate(env, 2, sizeof *memory, &memory));
    cudaStream_t stream = fur_cuda_stream(env);
    cudaMemsetAsync(of, 0xff, static_cast<size_t>(a->rows) * sizeof *of, stream);
    cudaMemsetAsync(memory, 0xff, 2 * sizeof *memory, stream);
    fur_status status = fur_with_offset(a, [&](auto offsets) {
        colour_rows<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, stream>>>(
            a->rows, offsets, a->columns, of, reinterpret_cast<unsigned *>(memory + 1), memory);
        return fur_cuda_launched(env, "colours");
    });
    if (status == FUR_OK)
        status = fur_cuda_copy(env, &highest, memory, sizeof highest);
    fur_cuda_release(env, memory);
    *count = int64_t(highest) + 1;
    return status;
}

fur_status fur_cuda_arrange_classes(fur_env *env, int64_t rows, int64_t count, const int32_t *of,
                                    int32_t *order, int32_t *position, int64_t *begin)
{
    room r = {};
    fur_status status = allocate(env, rows, count, &r);
    if (status == FUR_OK)
        status = arrange(env, rows, count, of, &r, order, position, begin);
    release(env, &r);
    return status;
}
