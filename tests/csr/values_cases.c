#include "values_cases.h"

#include <math.h>
#include <string.h>

#define PLANS_MAX 128
#define OPS 3
/* Matrices with at least this many entries are tested with one width of offsets per value type. */
#define MANY_ENTRIES 8000

static int64_t calls(const values_subject *s)
{
    int64_t sum = 0;
    for (int i = 0; i < COUNT_OF(s->calls); i++)
        sum += s->calls[i] ? *s->calls[i] : 0;
    return sum;
}

void *values_random(values_subject *s, const fur_csr *a)
{
    fur_csr_view v = *fur_csr_get(a);
    return entries_random(&s->random, v.value_type, v.entries);
}

/* Returns the matrix's values in memory of malloc. */
static void *values_of(const fur_csr *a)
{
    fur_csr *near = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, fur_context_host(fur_csr_context(a)), &near));
    fur_csr_view v = *fur_csr_get(near);
    void *values = entries_make(v.value_type, v.entries);
    if (v.entries > 0)
        memcpy(values, v.values, (size_t)v.entries * fur_value_size(v.value_type));
    fur_csr_destroy(near);
    return values;
}

/* Returns whether the matrix's own array holds these values. */
static bool holds(const fur_csr *a, const void *values)
{
    fur_csr_view v = *fur_csr_get(a);
    void *own = values_of(a);
    bool same = first_difference(v.value_type, v.entries, own, values) < 0;
    free(own);
    return same;
}

void values_set(values_subject *s, fur_csr *a, const void *values, bool allocates)
{
    int64_t before = calls(s);
    ck_ok(s->context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    ck_assert_msg(allocates || calls(s) == before, "new values took %lld allocations",
                  (long long)(calls(s) - before));
    ck_assert(holds(a, values));
}

/* Returns 0.7 op(A) x - 0.3 y, computed by a plan, in memory of malloc. y starts with `start`. */
static void *product(values_subject *s, const fur_spmv *plan, const fur_vector *x,
                     const void *start)
{
    fur_csr_view v = *fur_csr_get(fur_spmv_matrix(plan));
    int64_t rows = fur_spmv_op(plan) == FUR_OP_N ? v.rows : v.cols;
    fur_vector *y = vector_from(s->context, v.value_type, rows, start);
    ck_ok(s->context, fur_spmv_apply(plan, fur_real(0.7), x, fur_real(-0.3), y));
    void *entries = vector_entries(y);
    fur_vector_destroy(y);
    return entries;
}

/* Returns whether two products agree. Products of cuSPARSE may differ by rounding; all others must
 * agree bit for bit. */
static bool agree(const char *kernel, fur_value_type value, int64_t n, const void *a, const void *b)
{
    if (strncmp(kernel, "cusparse", 8) != 0)
        return first_difference(value, n, a, b) < 0;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar p = entry_get(value, a, i);
        fur_scalar q = entry_get(value, b, i);
        if (!(hypot(p.re - q.re, p.im - q.im) <= 1e-3 * (1 + hypot(p.re, p.im))))
            return false;
    }
    return true;
}

void values_check_plan(values_subject *s, const fur_spmv *plan)
{
    fur_csr_view v = *fur_csr_get(fur_spmv_matrix(plan));
    fur_op op = fur_spmv_op(plan);
    const char *kernel = fur_spmv_describe(plan)->kernel;
    const fur_spmv_options options = {.size = sizeof options, .op = op, .kernel = kernel};
    int64_t rows = op == FUR_OP_N ? v.rows : v.cols;
    fur_vector *x =
        vector_random(s->context, &s->random, v.value_type, op == FUR_OP_N ? v.cols : v.rows);
    void *start = entries_random(&s->random, v.value_type, rows);
    fur_csr *again = NULL;
    fur_spmv *fresh = NULL;
    ck_ok(s->context, fur_csr_transfer(fur_spmv_matrix(plan), s->context, &again));
    ck_ok(s->context, fur_spmv_plan(again, &options, &fresh));
    void *expected = product(s, fresh, x, start);
    void *found = product(s, plan, x, start);
    ck_assert_msg(agree(kernel, v.value_type, rows, expected, found), "%s, op %d, %s, %s offsets",
                  kernel, (int)op, fur_value_name(v.value_type), fur_offset_name(v.offset_type));
    free(found);
    free(expected);
    fur_spmv_destroy(fresh);
    fur_csr_destroy(again);
    free(start);
    fur_vector_destroy(x);
}

/* Makes plans of all kernels that accept the matrix, for all operations. Returns their number. */
static int plan_all(const fur_csr *a, fur_spmv *plans[PLANS_MAX])
{
    fur_context *context = fur_csr_context(a);
    int count = 0;
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++)
        for (int op = 0; op < OPS; op++) {
            fur_kernel_info info = *fur_spmv_kernel_at(context, kernel);
            fur_spmv_options o = {.size = sizeof o, .op = (fur_op)op, .kernel = info.name};
            fur_status status = fur_spmv_plan(a, &o, &plans[count]);
            ck_assert(status == FUR_OK || (status == FUR_UNSUPPORTED && kernel > 0));
            count += status == FUR_OK;
            ck_assert_int_lt(count, PLANS_MAX);
        }
    return count;
}

static void multiply_by(double factor, fur_value_type value, int64_t n, void *entries)
{
    for (int64_t i = 0; i < n; i++) {
        fur_scalar e = entry_get(value, entries, i);
        entry_set(value, entries, i, fur_complex(factor * e.re, factor * e.im));
    }
}

/* Checks plans after two changes: values times 10, then random values. */
static void check_plans(values_subject *s, fur_csr *a)
{
    fur_spmv *plans[PLANS_MAX];
    fur_csr_view v = *fur_csr_get(a);
    int count = plan_all(a, plans);
    void *values[2] = {values_of(a), values_random(s, a)};
    multiply_by(10, v.value_type, v.entries, values[0]);
    for (int step = 0; step < COUNT_OF(values); step++) {
        values_set(s, a, values[step], false);
        for (int i = 0; i < count; i++)
            values_check_plan(s, plans[i]);
        free(values[step]);
    }
    for (int i = 0; i < count; i++)
        fur_spmv_destroy(plans[i]);
}

void values_reach_plans(values_subject *s, const shape *family, fur_value_type value)
{
    for (int offset = 0; offset < FUR_OFFSET_COUNT; offset++) {
        fur_csr *a = matrix_random(s->context, &s->random, family, value, (fur_offset_type)offset);
        if (fur_csr_get(a)->entries < MANY_ENTRIES || offset == (int)value % FUR_OFFSET_COUNT)
            check_plans(s, a);
        fur_csr_destroy(a);
    }
}

void values_reach_repeated(values_subject *s, fur_value_type value)
{
    enum { ROWS = 60, COLS = 40, ENTRIES = 900 };
    int32_t rows[ENTRIES];
    int32_t cols[ENTRIES];
    fur_csr *a = NULL;
    void *values = entries_random(&s->random, value, ENTRIES);
    for (int e = 0; e < ENTRIES; e++) {
        rows[e] = (int32_t)rng_below(&s->random, ROWS);
        cols[e] = (int32_t)rng_below(&s->random, e % 2 ? COLS : 4);
    }
    fur_coo_view coo = {sizeof coo, ROWS, COLS, ENTRIES, value, rows, cols, values};
    ck_ok(s->context, fur_csr_from_coo(s->context, &coo, FUR_DUPLICATES_KEEP, &a));
    check_plans(s, a);
    fur_csr_destroy(a);
    free(values);
}

void values_same(values_subject *s, const fur_operator *a, const fur_operator *b)
{
    fur_value_type value = fur_operator_value_type(a);
    int64_t n = fur_operator_rows(a);
    fur_vector *x = vector_random(s->context, &s->random, value, n);
    fur_vector *y = vector_random(s->context, &s->random, value, n);
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        void *result[2];
        for (int i = 0; i < 2; i++) {
            const fur_operator *op = i ? b : a;
            ck_ok(s->context,
                  diagonal ? fur_operator_diagonal(op, y) : fur_operator_apply(op, x, y));
            result[i] = vector_entries(y);
        }
        ck_assert_int_eq(first_difference(value, n, result[0], result[1]), -1);
        free(result[1]);
        free(result[0]);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

/* Operators that are made from a matrix or from earlier operators of this list. */
enum { PLAIN, JACOBI, PERMUTED, PERMUTED_JACOBI, JACOBI_PERMUTED, INVERTED, CHAIN };

typedef struct chain {
    fur_spmv *plan;
    fur_operator *op[CHAIN];
} chain;

static chain chain_open(const fur_csr *a, fur_op op, const fur_permutation *p)
{
    chain c = {.plan = NULL};
    fur_context *context = fur_csr_context(a);
    const fur_spmv_options options = {.size = sizeof options, .op = op};
    ck_ok(context, fur_spmv_plan(a, &options, &c.plan));
    ck_ok(context, fur_operator_from_spmv(c.plan, &c.op[PLAIN]));
    ck_ok(context, fur_operator_jacobi(c.op[PLAIN], &c.op[JACOBI]));
    ck_ok(context, fur_operator_permute(c.op[PLAIN], p, &c.op[PERMUTED]));
    ck_ok(context, fur_operator_permute(c.op[JACOBI], p, &c.op[PERMUTED_JACOBI]));
    ck_ok(context, fur_operator_jacobi(c.op[PERMUTED], &c.op[JACOBI_PERMUTED]));
    ck_ok(context, fur_operator_jacobi(c.op[PERMUTED_JACOBI], &c.op[INVERTED]));
    return c;
}

static void chain_close(chain *c)
{
    for (int i = CHAIN - 1; i >= 0; i--)
        fur_operator_destroy(c->op[i]);
    fur_spmv_destroy(c->plan);
}

static fur_csr *square(values_subject *s, fur_value_type value)
{
    return matrix_random(s->context, &s->random, &shapes[shape_find("small grid")], value, FUR_I32);
}

void values_reach_operators(values_subject *s, fur_value_type value)
{
    fur_csr *a = square(s, value);
    fur_permutation *p = permutation_random(s->context, &s->random, fur_csr_get(a)->rows);
    for (int op = 0; op < OPS; op++) {
        chain c = chain_open(a, (fur_op)op, p);
        void *values = values_random(s, a);
        fur_csr *again = NULL;
        values_set(s, a, values, false);
        ck_ok(s->context, fur_csr_transfer(a, s->context, &again));
        chain fresh = chain_open(again, (fur_op)op, p);
        for (int i = 0; i < CHAIN; i++)
            values_same(s, c.op[i], fresh.op[i]);
        chain_close(&fresh);
        fur_csr_destroy(again);
        free(values);
        chain_close(&c);
    }
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
}

/* Returns the values with 0 on the diagonal of row 5. */
static void *with_zero(const fur_csr *a, const void *values)
{
    fur_csr *near = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, fur_context_host(fur_csr_context(a)), &near));
    fur_csr_view v = *fur_csr_get(near);
    void *copy = entries_make(v.value_type, v.entries);
    memcpy(copy, values, (size_t)v.entries * fur_value_size(v.value_type));
    for (int64_t k = offset_at(&v, 5); k < offset_at(&v, 6); k++)
        if (v.columns[k] == 5)
            entry_set(v.value_type, copy, k, fur_real(0));
    fur_csr_destroy(near);
    return copy;
}

void values_refused_by_jacobi(values_subject *s)
{
    static const char reason[] =
        "Jacobi's preconditioner could not be updated for new values: the diagonal entry of row 6, "
        "counting from 1, is 0 or has no finite reciprocal; Jacobi's preconditioner divides by it";
    fur_csr *a = square(s, FUR_F64);
    fur_permutation *p = permutation_random(s->context, &s->random, fur_csr_get(a)->rows);
    chain c = chain_open(a, FUR_OP_N, p);
    fur_vector *x = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(a)->rows);
    fur_vector *y = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(a)->rows);
    void *values = values_random(s, a);
    void *singular = with_zero(a, values);
    char before[256];
    fur_context_fail(s->context, FUR_INVALID, "an earlier sentence");
    values_set(s, a, singular, false);
    snprintf(before, sizeof before, "%s", fur_context_error(s->context));
    ck_assert_str_eq(before, "an earlier sentence");
    values_check_plan(s, c.plan);
    ck_ok(s->context, fur_operator_apply(c.op[PERMUTED], x, y));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_apply(c.op[JACOBI], x, y));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_diagonal(c.op[JACOBI], y));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_apply(c.op[PERMUTED_JACOBI], x, y));
    ck_assert_int_eq(fur_operator_apply(c.op[INVERTED], x, y), FUR_INVALID);
    values_set(s, a, values, false);
    chain fresh = chain_open(a, FUR_OP_N, p);
    for (int i = 0; i < CHAIN; i++)
        values_same(s, c.op[i], fresh.op[i]);
    chain_close(&fresh);
    free(singular);
    free(values);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    chain_close(&c);
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
}

/* A matrix, the stencil recognised in it, and operators made from both. */
typedef struct found {
    fur_csr *a;
    fur_recognised *r;
    fur_spmv *plan;
    fur_operator *matrix;
    fur_operator *op;
    fur_operator *jacobi;
} found;

static fur_operator *jacobi_of(fur_context *context, const fur_operator *op)
{
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    return jacobi;
}

static found found_open(values_subject *s, fur_csr *a)
{
    found f = {.a = a};
    ck_ok(s->context, fur_stencil_recognise(a, NULL, NULL, &f.r));
    ck_assert_ptr_nonnull(f.r);
    ck_ok(s->context, fur_spmv_plan(a, NULL, &f.plan));
    ck_ok(s->context, fur_operator_from_spmv(f.plan, &f.matrix));
    ck_ok(s->context, fur_operator_from_recognised(f.r, &f.op));
    f.jacobi = jacobi_of(s->context, f.op);
    return f;
}

static void found_close(found *f)
{
    fur_operator_destroy(f->jacobi);
    fur_operator_destroy(f->op);
    fur_operator_destroy(f->matrix);
    fur_spmv_destroy(f->plan);
    fur_recognised_destroy(f->r);
    fur_csr_destroy(f->a);
}

/* Checks that the recognised stencil and its Jacobi operator equal those of the matrix. */
static void check_found(values_subject *s, const found *f)
{
    fur_operator *expected = jacobi_of(s->context, f->matrix);
    values_same(s, f->matrix, f->op);
    values_same(s, expected, f->jacobi);
    fur_operator_destroy(expected);
}

/* Returns a grid's matrix whose first axis is periodic. The rows at its ends differ from the
 * stencil. */
static fur_csr *grid_matrix(values_subject *s, fur_value_type value)
{
    fur_stencil_definition d = named(7, value, 24, 9, 8);
    d.boundary[0] = FUR_BOUNDARY_PERIODIC;
    return assemble(s->context, &d);
}

void values_reach_recognised(values_subject *s, fur_value_type value)
{
    found constants = found_open(s, grid_matrix(s, value));
    void *values = values_of(constants.a);
    int64_t entries = fur_csr_get(constants.a)->entries;
    for (int step = 0; step < 2; step++) {
        multiply_by(step ? -0.3 : 10, value, entries, values);
        values_set(s, constants.a, values, true);
        check_found(s, &constants);
    }
    free(values);
    found_close(&constants);

    fur_csr *a = grid_matrix(s, value);
    values = values_random(s, a);
    values_set(s, a, values, false);
    found fields = found_open(s, a);
    for (int step = 0; step < 2; step++) {
        free(values);
        values = values_random(s, a);
        values_set(s, a, values, true);
        check_found(s, &fields);
    }
    free(values);
    found_close(&fields);
}

/* Doubles the values of a row of the matrix. */
static void double_row(const fur_csr *a, int64_t row, double *values)
{
    fur_csr *near = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, fur_context_host(fur_csr_context(a)), &near));
    fur_csr_view v = *fur_csr_get(near);
    for (int64_t k = offset_at(&v, row); k < offset_at(&v, row + 1); k++)
        values[k] *= 2;
    fur_csr_destroy(near);
}

/* A row that already differs from the stencil may change again. If another row differs, the
 * recognised stencil refuses to be used. */
void values_refused_by_recognised(values_subject *s)
{
    static const char reason[] =
        "the recognised stencil could not be updated for new values: row 37, counting from 1, now "
        "differs from the stencil's row; recognise the matrix again";
    static const char of_stencil[] =
        "the stencil could not be updated for new values: the recognised stencil could not be "
        "updated for new values: row 37, counting from 1, now differs from the stencil's row; "
        "recognise the matrix again";
    found f = found_open(s, grid_matrix(s, FUR_F64));
    const fur_stencil *stencil = fur_recognised_stencil(f.r);
    fur_vector *x = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(f.a)->rows);
    fur_vector *y = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(f.a)->rows);
    fur_operator *op = NULL;
    fur_csr *a = NULL;
    double *values = values_of(f.a);
    void *random = values_random(s, f.a);
    ck_ok(s->context, fur_operator_from_stencil(stencil, &op));
    double_row(f.a, 24, values);
    values_set(s, f.a, values, true);
    check_found(s, &f);

    double_row(f.a, 36, values);
    values_set(s, f.a, values, true);
    ck_fails(s->context, FUR_INVALID, reason,
             fur_recognised_apply(f.r, fur_real(1), x, fur_real(0), y));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_apply(f.op, x, y));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_diagonal(f.op, y));
    ck_fails(s->context, FUR_INVALID, of_stencil, fur_operator_apply(op, x, y));
    ck_fails(s->context, FUR_INVALID, of_stencil, fur_operator_diagonal(op, y));
    ck_fails(s->context, FUR_INVALID, of_stencil,
             fur_stencil_sweep(stencil, 2, fur_real(0), NULL, x, y));
    ck_fails(s->context, FUR_INVALID, of_stencil, fur_stencil_assemble(stencil, &a));
    ck_assert_int_eq(fur_operator_apply(f.jacobi, x, y), FUR_INVALID);

    values_set(s, f.a, random, true);
    ck_assert_int_eq(fur_operator_apply(f.op, x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(s->context), " of 1728 rows differ "));
    for (int64_t k = 0; k < fur_csr_get(f.a)->entries; k++)
        values[k] = 1;
    values_set(s, f.a, values, true);
    check_found(s, &f);
    fur_operator_destroy(op);
    free(random);
    free(values);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    found_close(&f);
}

/* The levels of multigrid depend on the stencil's coefficients. After these change, it refuses to
 * solve. */
void values_refused_by_multigrid(values_subject *s)
{
    static const char reason[] =
        "the multigrid could not be updated for new values: the coefficients of the multigrid's "
        "stencil have changed; create another multigrid";
    found f = found_open(s, grid(s->context, 7, 20, 9, 8));
    int64_t entries = fur_csr_get(f.a)->entries;
    fur_vector *b = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(f.a)->rows);
    fur_vector *x = vector_random(s->context, &s->random, FUR_F64, fur_csr_get(f.a)->rows);
    fur_multigrid *mg = NULL;
    fur_operator *op = NULL;
    double *values = values_of(f.a);
    ck_ok(s->context, fur_multigrid_create(fur_recognised_stencil(f.r), NULL, &mg));
    ck_ok(s->context, fur_operator_from_multigrid(mg, &op));
    ck_ok(s->context, fur_operator_apply(op, b, x));
    void *expected = vector_entries(x);
    multiply_by(10, FUR_F64, entries, values);
    values_set(s, f.a, values, true);
    ck_fails(s->context, FUR_INVALID, reason, fur_multigrid_cycle(mg, b, x));
    ck_fails(s->context, FUR_INVALID, reason, fur_multigrid_solve(mg, b, x, 0, 0, NULL));
    ck_fails(s->context, FUR_INVALID, reason, fur_operator_apply(op, b, x));
    multiply_by(0.1, FUR_F64, entries, values);
    values_set(s, f.a, values, true);
    ck_ok(s->context, fur_operator_apply(op, b, x));
    void *again = vector_entries(x);
    ck_assert_int_eq(first_difference(FUR_F64, fur_vector_size(x), expected, again), -1);
    free(again);
    free(expected);
    free(values);
    fur_operator_destroy(op);
    fur_multigrid_destroy(mg);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    found_close(&f);
}
