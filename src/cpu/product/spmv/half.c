/* y = alpha A x + beta y for a symmetric or Hermitian A whose lower triangle and diagonal are
 * stored.
 *
 * Row i adds its stored entries times x_j. It also adds a_ji x_i to y_j for each entry left of the
 * diagonal. Rows are visited in order, so that each y_j gets its terms in the order of their
 * columns. The bits are therefore the bits of the whole matrix.
 *
 * Rows are cut into parts that do not wait for each other. If the row and the column of an entry
 * lie in different parts, the entry is stored a second time, as a term that is added after its
 * part. After a reordering to a small bandwidth there are few such entries. Rows of more than
 * FUR_ROW_SEGMENT entries have all their terms stored, because their sums consist of sums of
 * segments.
 *
 * Bytes a row of n stored entries: n (entry + 4) + offset for A, three entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"

#    include <string.h>

/* If more than one in RARE entries would be stored twice, and fewer parts are possible, the number
 * of parts is halved. */
#    define RARE 16

typedef struct half {
    bool conjugate; /* A is Hermitian */
    int parts;
    int64_t *bounds; /* rows at which the parts begin */
    /* The listed rows: they have terms after their stored entries, or sums of segments. For each
     * part its first listed row, then the rows' numbers, and the place at which the terms of each
     * row begin. */
    int64_t *firsts;
    int32_t *rows;
    int64_t *starts;
    int32_t *columns;
    void *values;
    int64_t *from; /* the entries of A that the terms mirror */
    int64_t terms;
    void *sums; /* as long as y */
} half;

#    define FUR_TEMPLATE "product/spmv/half.c"
#    include "foreach_type.h"

typedef void multiply_part(const fur_spmv_call *call, int part);
typedef struct half_product {
    const fur_spmv_call *call;
    multiply_part *multiply;
} half_product;

static void multiply_parts(void *job, int64_t begin, int64_t end)
{
    const half_product *p = job;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, (int)part);
}

static fur_status apply(const fur_spmv_call *call)
{
    static multiply_part *const multiply[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(multiply);
    const half *h = call->state;
    half_product p = {call, multiply[call->a->value_type][call->a->offset_type]};
    fur_parallel(call->env, h->parts, h->parts, multiply_parts, &p);
    return FUR_OK;
}

/* Refuses entries above the diagonal. counts[j] = the number of entries in row j of the whole
 * matrix. */
static fur_status count_entries(fur_env *env, const fur_csr_view *a, int64_t *counts)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t end = fur_offset_at(a, i + 1);
        int64_t begin = fur_offset_at(a, i);
        if (end > begin && a->columns[end - 1] > i)
            return fur_env_fail(env, FUR_INVALID,
                                "row %lld has an entry in column %lld, counting from 1, above the "
                                "diagonal; give the lower triangle only, as fur_csr_band makes it",
                                (long long)i + 1, (long long)a->columns[end - 1] + 1);
        counts[i] += end - begin;
        for (int64_t k = begin; k < end && a->columns[k] < i; k++)
            counts[a->columns[k]]++;
    }
    return FUR_OK;
}

/* Returns whether this row of the whole matrix has sums of segments. */
static bool is_long(const int64_t *counts, int64_t row)
{
    return counts[row] > FUR_ROW_SEGMENT;
}

/* Finds the entries left of the diagonal that are stored twice. For each it calls take(job, row,
 * entry, column), in the order of the columns of each row. */
typedef void take_term(void *job, int32_t row, int64_t entry, int32_t column);
static void for_terms(const fur_csr_view *a, const half *h, const int64_t *counts, bool has_long,
                      take_term *take, void *job)
{
    for (int part = 0; part < h->parts; part++)
        for (int64_t i = h->bounds[part]; i < h->bounds[part + 1]; i++) {
            int64_t end = fur_offset_at(a, i + 1);
            for (int64_t k = fur_offset_at(a, i); k < end && a->columns[k] < i; k++) {
                int32_t j = a->columns[k];
                if (j < h->bounds[part] || is_long(counts, j))
                    take(job, j, k, (int32_t)i);
                else if (!has_long)
                    break;
            }
        }
}

static void count_term(void *job, int32_t row, int64_t entry, int32_t column)
{
    (void)entry;
    (void)column;
    ((int64_t *)job)[row]++;
}

typedef struct filling {
    half *h;
    int64_t *next; /* for each row: the place of its next term */
} filling;

static void fill_term(void *job, int32_t row, int64_t entry, int32_t column)
{
    filling *f = job;
    int64_t k = f->next[row]++;
    f->h->columns[k] = column;
    f->h->from[k] = entry;
}

/* Cuts the rows into parts of nearly equal work. The number of parts is halved while too many terms
 * would be stored twice. apart[j] = the number of such terms of row j. */
static void cut_rows(const fur_env *env, const fur_csr_view *a, const int64_t *counts, half *h,
                     int64_t *apart)
{
    int64_t worth = (2 * a->entries + a->rows) / FUR_SPMV_GRAIN;
    int fewest = fur_lanes(env->threads, worth);
    bool has_long = false;
    for (int64_t i = 0; i < a->rows; i++)
        has_long = has_long || is_long(counts, i);
    h->parts = fur_parts(env->threads, worth) * 2;
    do {
        h->parts = (int)fur_larger(h->parts / 2, fewest);
        for (int part = 0; part <= h->parts; part++)
            h->bounds[part] = fur_balanced_row(a, h->parts, part);
        memset(apart, 0, (size_t)a->rows * sizeof *apart);
        for_terms(a, h, counts, has_long, count_term, apart);
        h->terms = 0;
        for (int64_t i = 0; i < a->rows; i++)
            h->terms += apart[i];
    } while (h->parts > fewest && h->terms > a->entries / RARE);
}

/* Returns whether a row's sum is incomplete after its part has been visited. */
static bool is_listed(const int64_t *counts, const int64_t *apart, int64_t row)
{
    return apart[row] > 0 || is_long(counts, row);
}

/* Lists these rows. apart[j] becomes the place of the first term of row j. */
static void list_rows(half *h, const int64_t *counts, int64_t *apart)
{
    int64_t count = 0;
    int64_t start = 0;
    for (int part = 0; part < h->parts; part++) {
        h->firsts[part] = count;
        for (int64_t i = h->bounds[part]; i < h->bounds[part + 1]; i++) {
            int64_t terms = apart[i];
            if (is_listed(counts, apart, i)) {
                h->rows[count] = (int32_t)i;
                h->starts[count++] = start;
            }
            apart[i] = start;
            start += terms;
        }
    }
    h->firsts[h->parts] = count;
    h->starts[count] = start;
}

static fur_status arrange(fur_env *env, const fur_csr_view *a, half *h, int64_t *counts,
                          int64_t *apart)
{
    FUR_TRY(count_entries(env, a, counts));
    FUR_TRY(fur_env_allocate(env, 2 * fur_parts(env->threads, INT64_MAX) + 1, sizeof *h->bounds,
                             &h->bounds));
    cut_rows(env, a, counts, h, apart);
    int64_t rows = 0;
    for (int64_t i = 0; i < a->rows; i++)
        rows += is_listed(counts, apart, i);
    FUR_TRY(fur_env_allocate(env, h->parts + 1, sizeof *h->firsts, &h->firsts));
    FUR_TRY(fur_env_allocate(env, rows + 1, sizeof *h->rows, &h->rows));
    FUR_TRY(fur_env_allocate(env, rows + 1, sizeof *h->starts, &h->starts));
    FUR_TRY(fur_env_allocate(env, h->terms + 1, sizeof *h->columns, &h->columns));
    FUR_TRY(fur_env_allocate(env, h->terms + 1, sizeof *h->from, &h->from));
    list_rows(h, counts, apart);
    bool all = h->terms > 0;
    for_terms(a, h, counts, all, fill_term, &(filling){h, apart});
    size_t value = fur_value_size(a->value_type);
    FUR_TRY(fur_env_allocate(env, h->terms + 1, value, &h->values));
    return fur_env_allocate(env, a->rows, value, &h->sums);
}

static void release(fur_env *env, void *state)
{
    half *h = state;
    if (!h)
        return;
    fur_env_release(env, h->bounds);
    fur_env_release(env, h->firsts);
    fur_env_release(env, h->rows);
    fur_env_release(env, h->starts);
    fur_env_release(env, h->columns);
    fur_env_release(env, h->values);
    fur_env_release(env, h->from);
    fur_env_release(env, h->sums);
    fur_env_release(env, h);
}

static fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    static void (*const mirror[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(const fur_csr_view *, half *) =
        FUR_TYPE_TABLE(mirror);
    (void)env;
    mirror[a->value_type][a->offset_type](a, state);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_csr_view *a, bool conjugate, void **state)
{
    half *h;
    int64_t *counts = NULL;
    int64_t *apart = NULL;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *h, &h));
    h->conjugate = conjugate;
    /* One more element, so that a matrix without rows also has arrays. */
    fur_status status = fur_env_allocate_zeros(env, a->rows + 1, sizeof *counts, &counts);
    if (status == FUR_OK)
        status = fur_env_allocate(env, a->rows + 1, sizeof *apart, &apart);
    if (status == FUR_OK)
        status = arrange(env, a, h, counts, apart);
    fur_env_release(env, counts);
    fur_env_release(env, apart);
    if (status != FUR_OK) {
        release(env, h);
        return status;
    }
    *state = h;
    return refresh(env, a, h);
}

static fur_status plan_symmetric(fur_env *env, const fur_csr_view *a,
                                 const fur_spmv_profile *profile, void **state)
{
    (void)profile;
    return plan(env, a, false, state);
}

static fur_status plan_hermitian(fur_env *env, const fur_csr_view *a,
                                 const fur_spmv_profile *profile, void **state)
{
    (void)profile;
    return plan(env, a, true, state);
}

static int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const half *h = state;
    return fur_csr_bytes(a) +
           h->terms * (int64_t)(sizeof *h->columns + fur_value_size(a->value_type));
}

/* The descriptor for symmetric or Hermitian A. */
#    define HALF(kind)                                                                             \
        {                                                                                          \
            .info.name = "half",                                                                   \
            .info.summary = "the lower triangle of a " #kind " matrix, read once",                 \
            .info.source = "", .info.exact = true, .plan = plan_##kind, .refresh = refresh,        \
            .apply = apply, .release = release, .matrix_bytes = matrix_bytes,                      \
        }

extern const fur_spmv_kernel ISA(spmv_half)[2];
const fur_spmv_kernel ISA(spmv_half)[2] = {HALF(symmetric), HALF(hermitian)};
#else
#    include "finish.h"
#    include "long_row.h"

/* a_ji of the whole matrix, from the stored a_ij. */
static inline VALUE FN(mirrored)(VALUE value, bool conjugate)
{
    return conjugate ? V(conj)(value) : value;
}

static void FN(mirror)(const fur_csr_view *a, half *h)
{
    const VALUE *from = a->values;
    VALUE *values = h->values;
    for (int64_t k = 0; k < h->terms; k++)
        values[k] = FN(mirrored)(from[h->from[k]], h->conjugate);
}

/* The sums of a part's rows, without the terms that are stored twice. */
static inline __attribute__((always_inline)) void
FN(go_down)(const fur_spmv_call *call, int64_t begin, int64_t end, bool conjugate, VALUE *sums)
{
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    const VALUE *x = call->x;
    for (int64_t i = begin; i < end; i++) {
        OFFSET stop = offsets[i + 1];
        OFFSET k = offsets[i];
        VALUE sum = V(from)((fur_scalar){0, 0});
        VALUE own = x[i];
        for (; k < stop && columns[k] < begin; k++)
            sum = V(fma)(values[k], x[columns[k]], sum);
        for (; k < stop && columns[k] < i; k++) {
            VALUE *above = &sums[columns[k]];
            sum = V(fma)(values[k], x[columns[k]], sum);
            *above = V(fma)(FN(mirrored)(values[k], conjugate), own, *above);
        }
        for (; k < stop; k++)
            sum = V(fma)(values[k], own, sum);
        sums[i] = sum;
    }
}

/* The sum of a segment of `n` entries. The segment has the last `stored` stored entries of a row,
 * and then terms of the row. */
static VALUE FN(sum_across)(const VALUE *values, const int32_t *columns, int64_t stored,
                            const VALUE *term_values, const int32_t *term_columns, int64_t n,
                            const VALUE *x)
{
    VALUE value[FUR_ROW_SEGMENT];
    int32_t column[FUR_ROW_SEGMENT];
    for (int64_t k = 0; k < n; k++) {
        value[k] = k < stored ? values[k] : term_values[k - stored];
        column[k] = k < stored ? columns[k] : term_columns[k - stored];
    }
    return FN(folded_sum)(value, column, 0, n, x);
}

/* The sum of a row that has sums of segments: first `count` stored entries, then the terms. */
static VALUE FN(sum_long_row)(const VALUE *values, const int32_t *columns, int64_t count,
                              const VALUE *term_values, const int32_t *term_columns, int64_t terms,
                              const VALUE *x)
{
    FN(long_sum) s;
    VALUE sum;
    FN(long_start)(&s, 1);
    for (int64_t k = 0; k < count + terms; k += FUR_ROW_SEGMENT) {
        int64_t n = fur_smaller(FUR_ROW_SEGMENT, count + terms - k);
        if (k + n <= count)
            sum = FN(folded_sum)(values, columns, k, k + n, x);
        else if (k >= count)
            sum = FN(folded_sum)(term_values, term_columns, k - count, k - count + n, x);
        else
            sum =
                FN(sum_across)(values + k, columns + k, count - k, term_values, term_columns, n, x);
        FN(add_sum)(&s, 1, &sum);
    }
    FN(long_total)(&s, &sum);
    return sum;
}

/* Completes the sums of the listed rows. */
static void FN(add_terms)(const fur_spmv_call *call, int part, VALUE *sums)
{
    const half *h = call->state;
    const OFFSET *offsets = call->a->offsets;
    const VALUE *values = h->values;
    const VALUE *x = call->x;
    for (int64_t r = h->firsts[part]; r < h->firsts[part + 1]; r++) {
        int64_t i = h->rows[r];
        int64_t terms = h->starts[r + 1] - h->starts[r];
        const VALUE *term = values + h->starts[r];
        const int32_t *column = h->columns + h->starts[r];
        OFFSET begin = offsets[i];
        OFFSET count = offsets[i + 1] - begin;
        if (count + terms > FUR_ROW_SEGMENT) {
            sums[i] = FN(sum_long_row)((const VALUE *)call->a->values + begin,
                                       call->a->columns + begin, count, term, column, terms, x);
            continue;
        }
        VALUE sum = sums[i];
        for (int64_t k = 0; k < terms; k++)
            sum = V(fma)(term[k], x[column[k]], sum);
        sums[i] = sum;
    }
}

static void FN(multiply)(const fur_spmv_call *call, int part)
{
    const half *h = call->state;
    const bool overwrite = FN(overwrites)(call);
    const VALUE alpha = V(from)(call->alpha);
    const VALUE beta = V(from)(call->beta);
    const int64_t begin = h->bounds[part];
    const int64_t end = h->bounds[part + 1];
    VALUE *y = call->y;
    VALUE *sums = overwrite ? y : h->sums;
    if (h->conjugate)
        FN(go_down)(call, begin, end, true, sums);
    else
        FN(go_down)(call, begin, end, false, sums);
    FN(add_terms)(call, part, sums);
    if (overwrite && !COMPLEX && call->alpha.re == 1)
        return;
    for (int64_t i = begin; i < end; i++)
        FN(finish)(alpha, sums[i], beta, overwrite, &y[i]);
}

#endif
