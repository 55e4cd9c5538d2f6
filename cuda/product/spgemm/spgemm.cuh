// Products of two matrices on the device: the data that the steps share.
//
// In a product on a grid, or of block matrices, most rows have the columns of the row before, or
// these columns plus one (as in src/cpu/product/spgemm/repeat.h). Only the other rows, the leaders,
// are formed. A row that follows a leader has its columns plus a shift, and its products have the
// same places in the row.
#ifndef FURROW_CUDA_SPGEMM_CUH
#define FURROW_CUDA_SPGEMM_CUH

#include "device.cuh"
#include "value.cuh"

// How the columns of a leader are sorted. FEW and SOME: one product for each of 8 or 32 lanes, in
// registers. SORT: duplicates are removed, then the columns are sorted in the registers of a warp.
// The others: a bit set in shared memory, of one of three sizes.
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

// The most products, and entries of A, in a row of the first two bins.
#define FUR_SPGEMM_FEW_LANES 8
#define FUR_SPGEMM_SOME_LANES FUR_WARP
// The most products in a row of the third bin.
#define FUR_SPGEMM_SORTED 512
// Columns of the bit sets. A row may need several passes through a set.
#define FUR_SPGEMM_NEAR_COLUMNS (1 << 15)
#define FUR_SPGEMM_WIDE_COLUMNS (1 << 18)
#define FUR_SPGEMM_ALL_COLUMNS (3 << 17)
// The most bytes of the sums of a row of C that are kept in shared memory.
#define FUR_SPGEMM_SHORT (8 << 10)

// A pattern with offsets of either type.
struct fur_rows {
    const void *offsets;
    bool is_wide;
    const int32_t *columns;

    explicit fur_rows(const fur_csr_view *m)
        : offsets(m->offsets), is_wide(m->offset_type == FUR_I64), columns(m->columns)
    {
    }

    // Reads 32-bit words, so that no branch is needed.
    __device__ int64_t start(int64_t row) const
    {
        auto word = static_cast<const uint32_t *>(offsets) + (row << is_wide);
        uint32_t high = is_wide ? word[1] : 0;
        return static_cast<int64_t>(uint64_t(high) << 32 | word[0]);
    }
};

// Figures that the host reads.
struct fur_spgemm_figures {
    unsigned long long products;
    unsigned long long longest;      // longest row of C
    unsigned long long most;         // most products of a leader
    unsigned lists[FUR_SPGEMM_BINS]; // rows in each bin
    unsigned long_rows;              // rows of more than FUR_SPGEMM_SHORT bytes
    int has_duplicates;              // a row of B has a column twice
};

// The first and the last column that a leader may have.
struct fur_spgemm_range {
    int32_t first;
    int32_t last;
};

// All arrays are on the device.
struct fur_spgemm_state {
    int64_t rows;
    int64_t columns;
    fur_spgemm_figures *figures;
    fur_spgemm_figures host; // the figures above, copied to the host
    // Used from the count to the columns:
    uint8_t *repeats_a;
    uint8_t *repeats_b; // equals repeats_a if A is B
    int32_t *leader;    // of each row
    int64_t *steps;     // rows + 1: the shift of a row's columns, as a sum over the rows before
    int64_t *starts;    // rows + 1: offsets of C
    int32_t *lists;     // FUR_SPGEMM_BINS lists of up to `rows` leaders
    fur_spgemm_range *ranges; // of leaders
    // columns of the leaders in the sorted bins; a row begins where its places begin
    int32_t *formed;
    // Used for the values:
    // rows + 1: first the number of products of each row, then the first place of its products or
    // of its leader's
    int64_t *place_start;
    void *places; // of a leader's products in its row: uint16_t, or uint32_t for many
    int32_t *long_rows;

    // Returns whether places need 32 bits. A row of C has no more columns than products, and no
    // more than B.
    bool wide_places() const
    {
        return host.most > UINT16_MAX && columns > UINT16_MAX;
    }
};

// Calls f(t, its column) for all products t of a row of C, one for each lane of a warp.
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
        int64_t upto = count; // products of this entry and the entries before it
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
// Forms the rows of the leaders. If `columns` is null, writes their lengths to `starts` and, for
// the sorted bins, `formed` and the places. Otherwise writes their columns to the offsets in
// `starts`, and the other places.
fur_status fur_cuda_spgemm_form(fur_env *env, const fur_spgemm_state *s, fur_rows a, fur_rows b,
                                int32_t *columns);
// Computes the values of C.
fur_status fur_cuda_spgemm_apply(fur_env *env, const void *state, const fur_csr_view *a,
                                 const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                                 void *values);
// The table of these functions.
extern const fur_spgemm_kernels fur_cuda_spgemm;
}

#endif
