// Products of two matrices on the device: what the steps hand on.
//
// Most rows of a product on a grid, or of blocks, have the columns of the row before, or each of
// them one further (as in src/cpu/product/spgemm/repeat.h). Only the others, the leaders, are
// formed: a row that follows a leader has its columns plus a shift, and its products go to the same
// places of the row.
#ifndef FURROW_CUDA_SPGEMM_CUH
#define FURROW_CUDA_SPGEMM_CUH

#include "device.cuh"
#include "value.cuh"

// How the columns of leaders are put in order: a product a lane, in registers, by 8 lanes or 32;
// without repetitions, sorted in the registers of a warp; or in a set of bits in shared memory, of
// one of three sizes.
enum fur_spgemm_bin {
    FUR_SPGEMM_FEW,
    FUR_SPGEMM_SOME,
    FUR_SPGEMM_SORT,
    FUR_SPGEMM_NEAR,
    FUR_SPGEMM_WIDE,
    FUR_SPGEMM_ALL
};
#define FUR_SPGEMM_BINS 6
#define FUR_SPGEMM_SORTED_BINS 3

// Products of a row of the first two bins, and entries of A's, at most.
#define FUR_SPGEMM_FEW_LANES 8
#define FUR_SPGEMM_SOME_LANES FUR_WARP
// Products of a row of the third bin, at most.
#define FUR_SPGEMM_SORTED 512
// Columns of the sets, which a row may pass through several times.
#define FUR_SPGEMM_NEAR_COLUMNS (1 << 15)
#define FUR_SPGEMM_WIDE_COLUMNS (1 << 18)
#define FUR_SPGEMM_ALL_COLUMNS (3 << 17)
// Bytes of the sums of a row of C that lie in shared memory, at most.
#define FUR_SPGEMM_SHORT (8 << 10)

// A pattern with offsets of either width.
struct fur_rows {
    const void *offsets;
    bool is_wide;
    const int32_t *columns;

    explicit fur_rows(const fur_csr_view *m)
        : offsets(m->offsets), is_wide(m->offset_type == FUR_I64), columns(m->columns)
    {
    }

    // By words: without a branch.
    __device__ int64_t start(int64_t row) const
    {
        auto word = static_cast<const uint32_t *>(offsets) + (row << is_wide);
        uint32_t high = is_wide ? word[1] : 0;
        return static_cast<int64_t>(uint64_t(high) << 32 | word[0]);
    }
};

// Figures that the host asks for.
struct fur_spgemm_figures {
    unsigned long long products;
    unsigned long long longest;      // row of C
    unsigned long long most;         // products of a leader
    unsigned lists[FUR_SPGEMM_BINS]; // rows of each bin
    unsigned long_rows;              // of more than FUR_SPGEMM_SHORT bytes
    int has_duplicates;              // B
};

// The columns from first to last that a leader may have.
struct fur_spgemm_range {
    int32_t first;
    int32_t last;
};

// All arrays are on the device.
struct fur_spgemm_state {
    int64_t rows;
    int64_t columns;
    fur_spgemm_figures *figures;
    fur_spgemm_figures host; // the same, fetched
    // From the count to the columns.
    uint8_t *repeats_a;
    uint8_t *repeats_b; // repeats_a, where A is B
    int32_t *leader;    // of each row
    int64_t *steps;     // rows + 1: columns by which the rows before are further than the first
    int64_t *starts;    // rows + 1: offsets of C
    int32_t *lists;     // FUR_SPGEMM_BINS times so many leaders as there are rows
    fur_spgemm_range *ranges; // of leaders
    int32_t *formed; // columns of leaders of the sorted bins, each row's where its places begin
    // For the values.
    int64_t *place_start; // rows + 1: the products of each row at first; then where the places of
                          // its products begin, or those of its leader
    void *places;         // of a leader's products in its row: uint16_t, or uint32_t of many
    int32_t *long_rows;

    // A row of C has at most as many columns as products, and as B.
    bool wide_places() const
    {
        return host.most > UINT16_MAX && columns > UINT16_MAX;
    }
};

// Calls f(t, its column) for all products t of a row of C, by a warp, a product a lane.
template <class F>
__device__ inline void fur_for_products(const fur_rows &a, const fur_rows &b, int64_t row, int lane,
                                        F f)
{
    int64_t end = a.start(row + 1);
    int64_t done = 0;
    for (int64_t first = a.start(row); first < end; first += FUR_WARP) {
        int64_t from = 0;
        int64_t count = 0;
        if (first + lane < end) {
            int32_t k = a.columns[first + lane];
            from = b.start(k);
            count = b.start(k + 1) - from;
        }
        int64_t upto = count; // products of this entry and those before
        for (int step = 1; step < FUR_WARP; step *= 2) {
            int64_t other = __shfl_up_sync(~0U, upto, step);
            upto += lane >= step ? other : 0;
        }
        int64_t total = __shfl_sync(~0U, upto, FUR_WARP - 1);
        for (int64_t t = lane; t - lane < total; t += FUR_WARP) {
            int entry = 0;
            for (int step = FUR_WARP / 2; step > 0; step /= 2)
                entry += __shfl_sync(~0U, upto, entry + step - 1) <= t ? step : 0;
            int64_t begin = __shfl_sync(~0U, from, entry);
            int64_t before = __shfl_sync(~0U, upto - count, entry);
            if (t < total)
                f(done + t, b.columns[begin + (t - before)]);
        }
        done += total;
    }
}

extern "C" {
// Forms the leaders' rows. Without `columns`: their lengths into `starts` and, in the sorted bins,
// `formed` and places. Then: their columns to where `starts` says, and the other places.
fur_status fur_cuda_spgemm_form(fur_env *env, const fur_spgemm_state *s, fur_rows a, fur_rows b,
                                int32_t *columns);
// The values of C.
fur_status fur_cuda_spgemm_apply(fur_env *env, const void *state, const fur_csr_view *a,
                                 const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                                 void *values);
// The table of all that.
extern const fur_spgemm_kernels fur_cuda_spgemm;
}

#endif
