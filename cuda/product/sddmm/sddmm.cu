// Products of two blocks of vectors at the entries of a matrix. Two to eight threads compute an
// entry. Each thread has the lanes that fit in 16 bytes of a row of Y. A group of threads has some
// consecutive entries: about as many as a row or several rows have on average. Neighbouring groups
// are therefore at the same place of neighbouring rows, which share most rows of Y through the
// first-level cache. Up to four entries of a row are loaded at once, and the row of X is read once
// for them. The columns of the next four are loaded at the same time. Long rows are distributed
// like all others. After Gale, Zaharia, Young and Elsen 2020 (Sputnik), but the work is divided by
// entries instead of rows.
//
// Bytes an entry and k columns: k entries for its row of Y, a column and a value (two with beta).
// Bytes a row: an offset and k entries of X, which the first-level cache serves again for every
// four entries. 2 k flops an entry.
#include "spmm.cuh"

#define BLOCK 256
#define ALL_LANES 0xffffffffu
// Entries of a row whose rows of Y are read together, and the most entries of a group.
#define TOGETHER 4
#define MAX_ENTRIES 32
// Blocks wanted on each multiprocessor before groups get more entries.
#define BLOCKS_WANTED 8

namespace
{

// The lanes of a thread, the threads of an entry, and the groups of a block.
template <class Value> constexpr int lanes_each = fur_piece<Value>::entries;
template <class Value> constexpr int group_threads = FUR_SDDMM_LANES / lanes_each<Value>;
template <class Value> constexpr int groups_a_block = BLOCK / group_threads<Value>;
// Number of the TOGETHER entries that a thread finishes.
template <class Value>
constexpr int entries_each = group_threads<Value> < TOGETHER ? TOGETHER / group_threads<Value> : 1;

// C = alpha X Y^H + beta A on the pattern of A.
template <class Value> struct sampling {
    int64_t rows;
    int64_t entries;
    int64_t cols; // columns of X and Y
    fur_row_starts starts;
    const int32_t *columns;
    const Value *old; // A's values; the array may be C's
    Value *values;
    const Value *x;
    int64_t x_row;
    const Value *y;
    int64_t y_row;
    fur_finish<Value> finish;

    explicit sampling(const fur_sddmm_call *call)
        : rows(call->a->rows), entries(call->a->entries),
          cols(call->x->cols), starts{call->a->offsets, call->a->offset_type == FUR_I64},
          columns(call->a->columns), old(static_cast<const Value *>(call->a->values)),
          values(static_cast<Value *>(call->values)), x(static_cast<const Value *>(call->x->data)),
          x_row(call->x->stride), y(static_cast<const Value *>(call->y->data)),
          y_row(call->y->stride), finish(call)
    {
    }
};

// Returns the row of an entry: the last row that begins at or before it. All lanes of a warp search
// together and test 32 rows at a time.
__device__ int64_t find_row_by_warp(const fur_row_starts &starts, int64_t rows, int64_t entry)
{
    int lane = threadIdx.x % FUR_WARP;
    int64_t low = 0;
    int64_t count = rows;
    while (count > 1) {
        int64_t step = (count + FUR_WARP - 1) / FUR_WARP;
        bool not_behind = lane * step < count && starts[low + lane * step] <= entry;
        int last = __popc(__ballot_sync(ALL_LANES, not_behind)) - 1;
        low += last * step;
        count = min(step, count - last * step);
    }
    return low;
}

// As above, among rows low .. high, by one thread.
__device__ int64_t find_row(const fur_row_starts &starts, int64_t low, int64_t high, int64_t entry)
{
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (starts[middle] <= entry)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// As above, starting from the row of an earlier entry. Usually it is this row or the next.
__device__ int64_t advance(const fur_row_starts &starts, int64_t row, int64_t high, int64_t entry)
{
    if (row == high || starts[row + 1] > entry)
        return row;
    row++;
    return row == high || starts[row + 1] > entry ? row : find_row(starts, row + 1, high, entry);
}

template <class Value> __device__ Value from_across(Value value, int distance)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_xor_sync(ALL_LANES, value.re, distance),
                __shfl_xor_sync(ALL_LANES, value.im, distance)};
    else
        return __shfl_xor_sync(ALL_LANES, value, distance);
}

// Folds the lanes of TOGETHER entries in halves. The entries are divided among the threads at the
// same time: sum[u] becomes the sum of entry part * TOGETHER / threads + u.
template <class Value> __device__ void fold(int part, Value (&sum)[TOGETHER][lanes_each<Value>])
{
    constexpr int each = lanes_each<Value>;
    int live = TOGETHER;
#pragma unroll
    for (int half = FUR_SDDMM_LANES / 2; half >= each; half /= 2) {
        int distance = half / each;
        bool upper = live > 1 && (part & distance) != 0;
        int kept = live > 1 ? live / 2 : 1;
#pragma unroll
        for (int u = 0; u < kept; u++)
#pragma unroll
            for (int i = 0; i < each; i++) {
                Value low = sum[u][i];
                Value high = sum[u + live - kept][i];
                Value other = from_across(upper ? low : high, distance);
                sum[u][i] = fur_add(upper ? high : low, other);
            }
        live = kept;
    }
#pragma unroll
    for (int half = each / 2; half > 0; half /= 2)
#pragma unroll
        for (int u = 0; u < entries_each<Value>; u++)
#pragma unroll
            for (int i = 0; i < half; i++)
                sum[u][i] = fur_add(sum[u][i], sum[u][i + half]);
}

// How rows of X and Y are read. by_entry: entry by entry. by_piece: 16 bytes at once, if rows are
// aligned to 16 bytes. by_line: as by_piece, but the second-level cache fetches whole lines of 128
// bytes, if rows consist of whole lines. DRAM is slow at reading half lines.
enum reading { by_entry, by_piece, by_line };

#define LINE 128

template <class Value, reading how> __device__ fur_piece<Value> read_piece(const Value *p)
{
    fur_piece<Value> piece;
    if constexpr (how == by_line) {
        float4 bits;
        asm("ld.global.nc.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
            : "=f"(bits.x), "=f"(bits.y), "=f"(bits.z), "=f"(bits.w)
            : "l"(p));
        piece = *reinterpret_cast<fur_piece<Value> *>(&bits);
    } else if constexpr (how == by_piece) {
        piece = fur_read(reinterpret_cast<const fur_piece<Value> *>(p));
    } else {
#pragma unroll
        for (int i = 0; i < lanes_each<Value>; i++)
            piece.entry[i] = fur_read(p + i);
    }
    return piece;
}

// The state of TOGETHER entries of a row: where their rows begin for this thread, and its lanes of
// their sums.
template <class Value> struct together {
    const Value *x;
    const Value *y[TOGETHER];
    Value sum[TOGETHER][lanes_each<Value>];
};

// Adds all whole groups of lanes, then the remaining columns.
template <class Value, reading how>
__device__ void add_columns(int64_t cols, int part, together<Value> *t)
{
    constexpr int each = lanes_each<Value>;
    int64_t full = cols - cols % FUR_SDDMM_LANES;
#pragma unroll 2
    for (int64_t k = 0; k < full; k += FUR_SDDMM_LANES) {
        fur_piece<Value> y[TOGETHER];
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
            y[u] = read_piece<Value, how>(t->y[u] + k);
        fur_piece<Value> x = read_piece<Value, how>(t->x + k);
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
#pragma unroll
            for (int i = 0; i < each; i++)
                t->sum[u][i] = fur_fma(fur_conj(x.entry[i]), y[u].entry[i], t->sum[u][i]);
    }
#pragma unroll
    for (int i = 0; i < each; i++)
        if (full + part * each + i < cols)
#pragma unroll
            for (int u = 0; u < TOGETHER; u++)
                t->sum[u][i] = fur_fma(fur_conj(fur_read(t->x + full + i)),
                                       fur_read(t->y[u] + full + i), t->sum[u][i]);
}

// Reads the columns of TOGETHER entries from entry e on.
__device__ void read_columns(const int32_t *columns, int64_t e, int64_t last,
                             int32_t (&out)[TOGETHER])
{
#pragma unroll
    for (int u = 0; u < TOGETHER; u++)
        out[u] = __ldg(columns + min(e + u, last));
}

// Computes the entries e .. end - 1 of a group. Entry e is in `row`, and no entry is after
// last_row. A group that has finished stays in the loop with its warp, and reads nothing.
template <class Value, reading how>
__device__ void sample_run(const sampling<Value> &s, int64_t e, int64_t end, int64_t row,
                           int64_t last_row)
{
    constexpr int threads = group_threads<Value>;
    const int part = threadIdx.x % threads;
    const int64_t offset = part * lanes_each<Value>;
    const int64_t last = s.entries - 1;
    int64_t row_end = s.starts[row + 1];
    int32_t columns[TOGETHER];
    read_columns(s.columns, e, last, columns);
    while (__any_sync(ALL_LANES, e < end)) {
        if (e < end && e == row_end) {
            row = advance(s.starts, row, last_row, e);
            row_end = s.starts[row + 1];
        }
        const int count =
            static_cast<int>(max(int64_t(0), min(min(end, row_end) - e, int64_t(TOGETHER))));
        together<Value> t = {};
        t.x = s.x + row * s.x_row + offset;
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
            t.y[u] = s.y + (u < count ? columns[u] : columns[0]) * s.y_row + offset;
        read_columns(s.columns, e + count, last, columns);
        add_columns<Value, how>(count > 0 ? s.cols : 0, part, &t);
        fold<Value>(part, t.sum);
#pragma unroll
        for (int u = 0; u < entries_each<Value>; u++) {
            const int which = part * TOGETHER / threads + u;
            if (part * TOGETHER % threads == 0 && which < count)
                s.values[e + which] = s.finish.combine(fur_conj(t.sum[u][0]), &s.old[e + which]);
        }
        e += count;
    }
}

// A kernel with `run` entries a group. Bytes and flops: above.
template <class Value, reading how>
__global__ void __launch_bounds__(BLOCK, 2)
    sample(const __grid_constant__ sampling<Value> s, int run)
{
    __shared__ int64_t ends[2]; // the rows of the block's first and last entry
    int64_t first = blockIdx.x * (int64_t(groups_a_block<Value>) * run);
    int64_t last = min(s.entries, first + int64_t(groups_a_block<Value>) * run) - 1;
    int warp = threadIdx.x / FUR_WARP;
    if (warp < 2) {
        int64_t row = find_row_by_warp(s.starts, s.rows, warp == 0 ? first : last);
        if (threadIdx.x % FUR_WARP == 0)
            ends[warp] = row;
    }
    __syncthreads();
    int64_t begin = first + threadIdx.x / group_threads<Value> * int64_t(run);
    int64_t row = find_row(s.starts, ends[0], ends[1], min(begin, last));
    sample_run<Value, how>(s, begin, min(begin + run, last + 1), row, ends[1]);
}

// Returns the number of entries in a group. More entries save searches, because each block searches
// for its rows; but the blocks must fill the device. If rows are short, a group has whole rows of
// the average length, so that groups progress at the same rate.
template <class Value> int entries_a_group(const sampling<Value> &s, const fur_device *device)
{
    int64_t groups = int64_t(groups_a_block<Value>) * BLOCKS_WANTED * device->multiprocessors;
    int64_t fair = fur_ceil_div(fur_ceil_div(s.entries, groups), TOGETHER) * TOGETHER;
    int64_t most = fair < MAX_ENTRIES ? fair : MAX_ENTRIES;
    int64_t row = fur_ceil_div(s.entries, s.rows);
    return static_cast<int>(row < most ? most / row * row : most);
}

// Returns whether rows begin at multiples of `bytes` bytes.
template <class Value> bool in_steps(const fur_vectors_view *v, int bytes)
{
    return v->stride * sizeof(Value) % bytes == 0 &&
           reinterpret_cast<uintptr_t>(v->data) % bytes == 0;
}

template <class Value> reading reading_of(const fur_sddmm_call *call)
{
    if (!in_steps<Value>(call->x, 16) || !in_steps<Value>(call->y, 16))
        return by_entry;
    return call->x->cols * sizeof(Value) % LINE == 0 && in_steps<Value>(call->x, LINE) &&
                   in_steps<Value>(call->y, LINE)
               ? by_line
               : by_piece;
}

template <class Value> fur_status launch(const fur_sddmm_call *call)
{
    const sampling<Value> s(call);
    int run = entries_a_group(s, call->env->device);
    unsigned blocks = fur_blocks(s.entries, int64_t(groups_a_block<Value>) * run);
    cudaStream_t stream = fur_cuda_stream(call->env);
    reading how = reading_of<Value>(call);
    auto kernel = how == by_line    ? sample<Value, by_line>
                  : how == by_piece ? sample<Value, by_piece>
                                    : sample<Value, by_entry>;
    kernel<<<blocks, BLOCK, 0, stream>>>(s, run);
    return fur_cuda_launched(call->env, "sddmm");
}

} // namespace

extern "C" fur_status fur_cuda_sddmm(const fur_sddmm_call *call)
{
    return fur_with_value(call->a->value_type,
                          [&](auto value) { return launch<decltype(value)>(call); });
}
