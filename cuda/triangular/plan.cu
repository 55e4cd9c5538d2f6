// The copy of a triangle that a solve uses. Levels are found in the same way as the solve itself: a
// row waits for the levels of the rows that it needs. Then rows are sorted by level, with CUB's
// stable radix sort, and their entries are copied in the order of the additions.
#include "csr.cuh"
#include "arrange.cuh"
#include "triangular.cuh"

#define BLOCK 256
// Marks that there is no row; greater than all row numbers.
#define NO_ROW INT64_MAX

namespace
{

// A strict triangle of a matrix, by rows in their natural order.
template <class Offset> struct strict {
    int64_t rows;
    bool upper;
    const Offset *offsets;
    const int32_t *columns;

    __device__ int64_t row(int64_t place) const
    {
        return upper ? rows - 1 - place : place;
    }

    // Returns the first entry of a row whose column is at least `column`.
    __device__ int64_t find(int64_t i, int64_t column) const
    {
        return fur_find_column(columns, offsets[i], offsets[i + 1], column);
    }

    // Returns the first entry on the diagonal, or -1.
    __device__ int64_t diagonal(int64_t i) const
    {
        int64_t k = find(i, i);
        return k < offsets[i + 1] && columns[k] == i ? k : -1;
    }

    // Returns the number of a row's entries in the strict triangle.
    __device__ int64_t count(int64_t i) const
    {
        return upper ? offsets[i + 1] - find(i, i + 1) : find(i, i) - offsets[i];
    }

    // Entry k of these entries; the first is the farthest from the diagonal.
    __device__ int64_t entry(int64_t i, int64_t k) const
    {
        return upper ? offsets[i + 1] - 1 - k : offsets[i] + k;
    }
};

template <class Offset> strict<Offset> strict_of(const fur_csr_view *a, bool upper)
{
    return {a->rows, upper, static_cast<const Offset *>(a->offsets), a->columns};
}

// Sets level[i], which was -1, and the first row without an entry on the diagonal. As in solve.cu,
// blocks number themselves, and the lanes of a warp advance in turn.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    find_levels(strict<Offset> t, int32_t *level, unsigned *ticket, unsigned long long *missing)
{
    int64_t place = fur_begin_block(ticket) * BLOCK + threadIdx.x;
    bool done = place >= t.rows;
    int64_t i = done ? 0 : t.row(place);
    int64_t count = done ? 0 : t.count(i);
    int64_t k = 0;
    int32_t own = 0;
    if (!done && t.diagonal(i) < 0)
        atomicMin(missing, static_cast<unsigned long long>(i));
    while (!__all_sync(0xffffffffu, done)) {
        while (k < count) {
            int32_t needed = __ldcv(&level[t.columns[t.entry(i, k)]]);
            if (needed < 0)
                break;
            own = max(own, needed + 1);
            k++;
        }
        if (!done && k == count) {
            __stcg(&level[i], own);
            done = true;
        }
    }
}

// Sets at[i], if it is not null, and the first row without an entry on the diagonal.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    find_diagonals(strict<Offset> t, int64_t *at, unsigned long long *missing)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= t.rows)
        return;
    int64_t k = t.diagonal(i);
    if (k < 0)
        atomicMin(missing, static_cast<unsigned long long>(i));
    if (at)
        at[i] = k;
}

// Lists the keys and rows that are sorted. Bytes a row: 12.
__global__ void __launch_bounds__(BLOCK)
    list_rows(int64_t rows, bool upper, const int32_t *level, int32_t *key, int32_t *row)
{
    int64_t place = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (place >= rows)
        return;
    int32_t i = static_cast<int32_t>(upper ? rows - 1 - place : place);
    key[place] = level[i];
    row[place] = i;
}

// position[order[place]] = place, and the lengths of the rows by places, followed by a 0.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    place_rows(strict<Offset> t, const int32_t *order, int32_t *position, int64_t *lengths)
{
    int64_t place = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (place > t.rows)
        return;
    int64_t length = 0;
    if (place < t.rows) {
        position[order[place]] = static_cast<int32_t>(place);
        length = t.count(order[place]);
    }
    lengths[place] = length;
}

// Copies the columns, as places. Bytes an entry: 8, and a position.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    copy_columns(strict<Offset> t, int64_t entries, const int64_t *starts, const int32_t *order,
                 const int32_t *position, int32_t *columns)
{
    fur_for_entries(t.rows, entries, starts, [&](int64_t place, int64_t k) {
        columns[k] = position[t.columns[t.entry(order[place], k - starts[place])]];
    });
}

// Copies the values. Bytes an entry: twice its size.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    copy_values(strict<Offset> t, int64_t entries, const int64_t *starts, const int32_t *order,
                const Value *from, Value *values)
{
    fur_for_entries(t.rows, entries, starts, [&](int64_t place, int64_t k) {
        values[k] = from[t.entry(order[place], k - starts[place])];
    });
}

// Finds the first row with a zero on the diagonal.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    find_zero(int64_t rows, const Value *diagonal, unsigned long long *first)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < rows && fur_is_zero(diagonal[i]))
        atomicMin(first, static_cast<unsigned long long>(i));
}

// Sets the faulty row to NO_ROW, on the stream.
fur_status clear_fault(fur_env *env, int64_t *fault)
{
    const int64_t none = NO_ROW;
    return fur_cuda_copy(env, fault, &none, sizeof none);
}

// Reads the faulty row, where NO_ROW becomes -1. Waits.
fur_status read_fault(fur_env *env, const int64_t *fault, int64_t *row)
{
    int64_t found;
    FUR_TRY(fur_cuda_copy(env, &found, fault, sizeof found));
    *row = found == NO_ROW ? -1 : found;
    return FUR_OK;
}

// Temporary arrays of the plan, each with a number for every row.
struct plan_arrays {
    int32_t *level;
    int32_t *key;
    int32_t *sorted;
    int32_t *row;
    int32_t *position;
};

void release_arrays(fur_env *env, const plan_arrays *p)
{
    fur_cuda_release(env, p->position);
    fur_cuda_release(env, p->row);
    fur_cuda_release(env, p->sorted);
    fur_cuda_release(env, p->key);
    fur_cuda_release(env, p->level);
}

fur_status allocate_arrays(fur_env *env, int64_t rows, plan_arrays *p)
{
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof(int32_t), &p->level));
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof(int32_t), &p->key));
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof(int32_t), &p->sorted));
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof(int32_t), &p->row));
    return fur_cuda_allocate(env, rows, sizeof(int32_t), &p->position);
}

// order = the rows by level; *levels = the number of levels. fault: the first row without an entry
// on the diagonal.
template <class Offset>
fur_status sort_rows(fur_env *env, strict<Offset> s, const plan_arrays *p, unsigned *ticket,
                     int64_t *fault, int32_t *order, int64_t *levels)
{
    cudaStream_t stream = fur_cuda_stream(env);
    int32_t last;
    FUR_CUDA(env, cudaMemsetAsync(p->level, 0xff, s.rows * sizeof *p->level, stream));
    FUR_CUDA(env, cudaMemsetAsync(ticket, 0xff, sizeof *ticket, stream));
    find_levels<<<fur_blocks(s.rows, BLOCK), BLOCK, 0, stream>>>(
        s, p->level, ticket, reinterpret_cast<unsigned long long *>(fault));
    FUR_TRY(fur_cuda_launched(env, "levels"));
    list_rows<<<fur_blocks(s.rows, BLOCK), BLOCK, 0, stream>>>(s.rows, s.upper, p->level, p->key,
                                                               p->row);
    FUR_TRY(fur_cuda_launched(env, "rows to sort"));
    FUR_TRY(fur_sort_pairs(env, p->key, p->sorted, p->row, order, s.rows, fur_bits(s.rows)));
    FUR_TRY(fur_cuda_copy(env, &last, p->sorted + s.rows - 1, sizeof last));
    *levels = int64_t(last) + 1;
    return FUR_OK;
}

// Sets starts and columns, and allocates the values. *entries = the number of entries.
template <class Offset>
fur_status copy_pattern(fur_env *env, strict<Offset> s, fur_cuda_triangle *t, const plan_arrays *p,
                        int64_t *entries)
{
    cudaStream_t stream = fur_cuda_stream(env);
    place_rows<<<fur_blocks(s.rows + 1, BLOCK), BLOCK, 0, stream>>>(s, t->order, p->position,
                                                                    t->starts);
    FUR_TRY(fur_cuda_launched(env, "places of rows"));
    FUR_TRY(fur_exclusive_scan(env, t->starts, s.rows + 1));
    FUR_TRY(fur_cuda_copy(env, entries, t->starts + s.rows, sizeof *entries));
    FUR_TRY(fur_cuda_allocate(env, *entries, sizeof *t->columns, &t->columns));
    FUR_TRY(fur_cuda_allocate(env, *entries, fur_value_size(t->value), &t->values));
    if (*entries == 0)
        return FUR_OK;
    copy_columns<<<fur_entries_blocks(*entries), FUR_ENTRIES_BLOCK, 0, stream>>>(
        s, *entries, t->starts, t->order, p->position, t->columns);
    return fur_cuda_launched(env, "columns of a triangle");
}

// Allocates everything whose size does not depend on the entries.
fur_status allocate(fur_env *env, fur_cuda_triangle *t)
{
    size_t size = fur_value_size(t->value);
    int64_t values = t->rows * (t->many ? FUR_CUDA_MANY : 1);
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *t->fault, &t->fault));
    FUR_TRY(fur_cuda_allocate(env, t->rows + 1, sizeof *t->starts, &t->starts));
    FUR_TRY(fur_cuda_allocate(env, t->rows, sizeof *t->order, &t->order));
    if (!t->unit) {
        FUR_TRY(fur_cuda_allocate(env, t->rows, size, &t->divisors));
        FUR_TRY(fur_cuda_allocate(env, t->rows, size, &t->diagonal));
    }
    // The ticket is in the value after the last one.
    FUR_TRY(fur_cuda_allocate(env, values + 1, size, &t->work));
    t->work_bytes = (values + 1) * static_cast<int64_t>(size);
    t->ticket = reinterpret_cast<unsigned *>(static_cast<char *>(t->work) + values * size);
    return FUR_OK;
}

fur_status make(fur_env *env, const fur_csr_view *a, fur_cuda_triangle *t,
                fur_trsv_figures *figures)
{
    plan_arrays p = {};
    FUR_TRY(allocate(env, t));
    FUR_TRY(clear_fault(env, t->fault));
    if (t->rows == 0)
        return fur_cuda_clear(env, t->starts, sizeof *t->starts);
    fur_status status = allocate_arrays(env, t->rows, &p);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) {
            using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
            auto s = strict_of<Offset>(a, t->upper);
            FUR_TRY(sort_rows(env, s, &p, t->ticket, t->fault, t->order, &figures->levels));
            return copy_pattern(env, s, t, &p, &figures->entries);
        });
    release_arrays(env, &p);
    t->entries = figures->entries;
    return status == FUR_OK ? read_fault(env, t->fault, &figures->missing) : status;
}

// Sets the divisors from A's diagonal. *useless = the first row whose diagonal cannot be a divisor,
// or -1.
fur_status set_divisors(fur_env *env, const fur_csr_view *a, fur_cuda_triangle *t, int64_t *useless)
{
    FUR_TRY(fur_cuda_csr_diagonal(env, a, nullptr, t->diagonal));
    if (t->value == FUR_C64 || t->value == FUR_C128) {
        FUR_TRY(
            env->device->remote.vector.reciprocals(env, t->value, t->rows, t->diagonal, useless));
    } else {
        FUR_TRY(clear_fault(env, t->fault));
        FUR_TRY(fur_with_value(t->value, [&](auto zero) {
            using Value = decltype(zero);
            find_zero<<<fur_blocks(t->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
                t->rows, static_cast<const Value *>(t->diagonal),
                reinterpret_cast<unsigned long long *>(t->fault));
            return fur_cuda_launched(env, "zeros of a diagonal");
        }));
        FUR_TRY(read_fault(env, t->fault, useless));
    }
    return env->device->remote.vector.gather(env, t->value, t->rows, t->order, t->diagonal,
                                             t->divisors);
}

} // namespace

fur_status fur_cuda_trsv_plan(fur_env *env, const fur_csr_view *a, const fur_trsv_form *form,
                              fur_trsv_figures *figures, void **state)
{
    *figures = {0, 0, -1};
    return fur_make_state<fur_cuda_triangle>(env, fur_cuda_trsv_release, state,
                                             [&](fur_cuda_triangle *t) {
                                                 t->rows = a->rows;
                                                 t->value = a->value_type;
                                                 t->upper = form->upper;
                                                 t->unit = form->unit;
                                                 t->many = form->many;
                                                 return make(env, a, t, figures);
                                             });
}

fur_status fur_cuda_trsv_refresh(fur_env *env, const fur_csr_view *a, void *state, int64_t *useless)
{
    auto t = static_cast<fur_cuda_triangle *>(state);
    *useless = -1;
    if (t->rows == 0)
        return FUR_OK;
    if (t->entries > 0)
        FUR_TRY(fur_with_types(a, [&](auto value, auto offset) {
            using Value = decltype(value);
            using Offset = decltype(offset);
            copy_values<<<fur_entries_blocks(t->entries), FUR_ENTRIES_BLOCK, 0,
                          fur_cuda_stream(env)>>>(
                strict_of<Offset>(a, t->upper), t->entries, t->starts, t->order,
                static_cast<const Value *>(a->values), static_cast<Value *>(t->values));
            return fur_cuda_launched(env, "values of a triangle");
        }));
    return t->unit ? FUR_OK : set_divisors(env, a, t, useless);
}

fur_status fur_cuda_find_diagonal(fur_env *env, const fur_csr_view *a, int64_t *at,
                                  int64_t *missing)
{
    int64_t *fault;
    *missing = -1;
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *fault, &fault));
    fur_status status = clear_fault(env, fault);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) {
            using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
            find_diagonals<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
                strict_of<Offset>(a, false), at, reinterpret_cast<unsigned long long *>(fault));
            return fur_cuda_launched(env, "entries on a diagonal");
        });
    if (status == FUR_OK)
        status = read_fault(env, fault, missing);
    fur_cuda_release(env, fault);
    return status;
}

fur_status fur_cuda_order_rows(fur_env *env, const fur_csr_view *a, int32_t *order)
{
    plan_arrays p = {};
    int64_t *memory = nullptr; // the faulty row, and a ticket
    int64_t levels;
    if (a->rows == 0)
        return FUR_OK;
    fur_status status = allocate_arrays(env, a->rows, &p);
    if (status == FUR_OK)
        status = fur_cuda_allocate(env, 2, sizeof *memory, &memory);
    if (status == FUR_OK)
        status = clear_fault(env, memory);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) {
            using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
            return sort_rows(env, strict_of<Offset>(a, false), &p,
                             reinterpret_cast<unsigned *>(memory + 1), memory, order, &levels);
        });
    fur_cuda_release(env, memory);
    release_arrays(env, &p);
    return status;
}

void fur_cuda_trsv_release(fur_env *env, void *state)
{
    auto t = static_cast<fur_cuda_triangle *>(state);
    if (!t)
        return;
    fur_cuda_release(env, t->work);
    fur_cuda_release(env, t->diagonal);
    fur_cuda_release(env, t->divisors);
    fur_cuda_release(env, t->values);
    fur_cuda_release(env, t->columns);
    fur_cuda_release(env, t->order);
    fur_cuda_release(env, t->starts);
    fur_cuda_release(env, t->fault);
    fur_env_release(env, t);
}
