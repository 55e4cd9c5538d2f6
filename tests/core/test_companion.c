/* Tests a device that has memory and reference kernels but no service. The library does the rest on
 * the device's companion, with the bits of the host. This file makes the device. Its memory can
 * only be touched while one of its kernels or copies runs: a read from the host kills the
 * process. */
#include "clouds.h"
#include "recognise_matrices.h"
#include "recognise.h"
#include "sddmm_trial.h"
#include "spmm_trial.h"
#include "team.h"

#include <math.h>
#include <sys/mman.h>

#define ARENA ((size_t)1 << 28)

struct fur_device {
    fur_backend backend;
    fur_results results;
    char *memory;
    size_t used;
};

static const fur_backend *cpu;

static void protect(fur_env *env, int access)
{
    ck_assert_int_eq(mprotect(env->device->memory, ARENA, access), 0);
}

static void unlock(fur_env *env)
{
    protect(env, PROT_READ | PROT_WRITE);
}

static fur_status lock(fur_env *env, fur_status status)
{
    protect(env, PROT_NONE);
    return status;
}

static void close_device(fur_env *env)
{
    munmap(env->device->memory, ARENA);
    free(env->device);
    env->device = NULL;
    fur_team_close(env);
}

static fur_status synchronize(fur_env *env)
{
    (void)env;
    return FUR_OK;
}

static fur_results *results(fur_env *env)
{
    return &env->device->results;
}

static fur_status allocate(fur_env *env, int64_t count, size_t size, void *out)
{
    struct fur_device *d = env->device;
    void *place = count > 0 ? d->memory + d->used : NULL;
    d->used += ((size_t)count * size + 63) / 64 * 64;
    ck_assert(d->used <= ARENA);
    memcpy(out, &place, sizeof place);
    return FUR_OK;
}

static void release(fur_env *env, void *place)
{
    ck_assert((char *)place >= env->device->memory &&
              (char *)place < env->device->memory + env->device->used);
}

static bool reaches(fur_env *env, const void *place)
{
    return (uintptr_t)place - (uintptr_t)env->device->memory < ARENA;
}

static fur_status copy(fur_env *env, void *to, const void *from, int64_t bytes)
{
    unlock(env);
    memmove(to, from, (size_t)bytes);
    return lock(env, FUR_OK);
}

static const fur_remote remote = {
    .close = close_device,
    .synchronize = synchronize,
    .results = results,
    .allocate = allocate,
    .release = release,
    .reaches = reaches,
    .copy = copy,
    .copy_async = copy,
};

/* The device's kernels. Each makes the memory accessible and calls the CPU's kernel. */
static fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    (void)a;
    (void)profile;
    return (fur_spmv_cost){.product_ns = 1};
}

static fur_status multiply(const fur_spmv_call *call)
{
    unlock(call->env);
    return lock(call->env, cpu->spmv[0]->apply(call));
}

static fur_status apply_stencil(const fur_stencil_call *call)
{
    unlock(call->env);
    return lock(call->env, cpu->stencil[0]->apply(call));
}

static const char *no_refusal(const fur_stencil_view *s)
{
    (void)s;
    return NULL;
}

#define FILL(type)                                                                                 \
    static fur_status fill_##type(fur_env *env, int64_t n, fur_scalar value, void *x)              \
    {                                                                                              \
        unlock(env);                                                                               \
        return lock(env, cpu->elementwise->fill[FUR_##type](env, n, value, x));                    \
    }
FILL(F32)
FILL(F64)
FILL(C64)
FILL(C128)

static const fur_elementwise_kernels elementwise = {
    .fill = {fill_F32, fill_F64, fill_C64, fill_C128}};
static const fur_spmv_kernel product = {
    .info = {.name = "reference", .exact = true}, .cost = cost, .apply = multiply};
static const fur_spmv_kernel *const products[] = {&product, &product}; /* auto skips the first */
static const fur_stencil_kernel stencil = {.info = {.name = "reference", .exact = true, .depth = 1},
                                           .refusal = no_refusal,
                                           .apply = apply_stencil};
static const fur_stencil_kernel *const stencils[] = {&stencil};

/* Makes a context on the device. The device replaces the CPU's backend. */
static fur_context *context_far(void)
{
    fur_context *c = context_make(NULL, 2);
    struct fur_device *d = calloc(1, sizeof *d);
    cpu = c->backend;
    d->memory = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(d->memory != MAP_FAILED);
    d->backend = *cpu;
    d->backend.device = "far";
    d->backend.elementwise = &elementwise;
    d->backend.spmv = products;
    d->backend.spmv_count = COUNT_OF(products);
    d->backend.block = NULL;
    d->backend.spmm_count = 0;
    d->backend.sddmm = NULL;
    d->backend.stencil = stencils;
    d->backend.stencil_count = COUNT_OF(stencils);
    d->backend.spgemm = NULL;
    d->backend.triple = NULL;
    d->backend.neighbours = NULL;
    d->backend.batch = NULL;
    d->backend.remote = &remote;
    d->results.scalars = fur_scalars_initial();
    c->env.device = d;
    c->backend = &d->backend;
    c->results = &d->results;
    c->host = context_make(NULL, 2);
    c->host->env.end = NULL; /* the device's environment ends it */
    c->host->env.counted = &c->env;
    return c;
}

static void ck_same(const fur_csr *a, const fur_csr *b, const char *what)
{
    int equal = 0;
    ck_ok(fur_csr_context(a), fur_csr_compare(a, b, &equal));
    ck_assert_msg(equal, "%s", what);
}

static void ck_same_vector(const fur_vector *a, const fur_vector *b, const char *what)
{
    void *x = vector_entries(a);
    void *y = vector_entries(b);
    ck_assert_int_eq(fur_vector_size(a), fur_vector_size(b));
    ck_assert_msg(first_difference(fur_vector_value_type(a), fur_vector_size(a), x, y) < 0, "%s",
                  what);
    free(y);
    free(x);
}

/* Returns a copy of the matrix on the device. Tests use the copy and the original as a pair. */
static fur_csr *to_far(const fur_csr *a, fur_context *far)
{
    fur_csr *copy_of_it = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, far, &copy_of_it));
    return copy_of_it;
}

static void check_figures(const fur_csr *far, const fur_csr *near)
{
    fur_csr_statistics f = {.size = sizeof f};
    fur_csr_statistics n = {.size = sizeof n};
    fur_vector *d = NULL;
    fur_vector *expected = NULL;
    ck_ok(far->context, fur_csr_measure(far, &f));
    ck_ok(near->context, fur_csr_measure(near, &n));
    ck_assert(f.row_min == n.row_min && f.row_max == n.row_max && f.row_mean == n.row_mean &&
              f.empty_rows == n.empty_rows && f.bandwidth == n.bandwidth && f.profile == n.profile);
    ck_ok(far->context, fur_csr_diagonal(far, &d));
    ck_ok(near->context, fur_csr_diagonal(near, &expected));
    ck_same_vector(d, expected, "diagonal");
    fur_vector_destroy(expected);
    fur_vector_destroy(d);
}

static void check_permuted(const fur_csr *far, const fur_csr *near, rng *r)
{
    fur_permutation *rows = permutation_random(near->context, r, near->view.rows);
    fur_permutation *cols = permutation_random(near->context, r, near->view.cols);
    for (int sides = 1; sides < 4; sides++) {
        fur_permutation *far_rows = NULL;
        fur_permutation *far_cols = NULL;
        fur_csr *a = NULL;
        fur_csr *b = NULL;
        ck_ok(NULL, fur_permutation_transfer(rows, far->context, &far_rows));
        ck_ok(NULL, fur_permutation_transfer(cols, far->context, &far_cols));
        ck_ok(far->context,
              fur_csr_permute(far, sides & 1 ? far_rows : NULL, sides & 2 ? far_cols : NULL, &a));
        ck_ok(near->context,
              fur_csr_permute(near, sides & 1 ? rows : NULL, sides & 2 ? cols : NULL, &b));
        ck_same(a, b, "permuted");
        fur_csr_destroy(b);
        fur_csr_destroy(a);
        fur_permutation_destroy(far_cols);
        fur_permutation_destroy(far_rows);
    }
    fur_permutation_destroy(cols);
    fur_permutation_destroy(rows);
}

/* Checks A^T x or A^H x, before and after the matrix gets new values. */
static void check_new_values(fur_csr *far, fur_csr *near, rng *r)
{
    const fur_csr_view *v = &near->view;
    fur_csr *const of[2] = {far, near};
    fur_spmv *plan[2] = {NULL, NULL};
    const fur_spmv_options options = {.size = sizeof options,
                                      .op = rng_below(r, 2) ? FUR_OP_T : FUR_OP_H};
    void *entries = entries_random(r, v->value_type, v->rows);
    void *values = entries_random(r, v->value_type, v->entries);
    fur_vector *x[2];
    fur_vector *y[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        x[i] = vector_from(of[i]->context, v->value_type, v->rows, entries);
        ck_ok(of[i]->context, fur_vector_create(of[i]->context, v->value_type, v->cols, &y[i]));
        ck_ok(of[i]->context, fur_spmv_plan(of[i], &options, &plan[i]));
        ck_ok(of[i]->context, fur_spmv_apply(plan[i], fur_real(1), x[i], fur_real(0), y[i]));
    }
    ck_same_vector(y[0], y[1], "product by the transpose");
    for (int i = 0; i < 2; i++) {
        if (v->entries > 0)
            ck_ok(of[i]->context, fur_csr_set_values(of[i], values, FUR_OWNERSHIP_COPY));
        ck_ok(of[i]->context, fur_spmv_apply(plan[i], fur_real(1), x[i], fur_real(0), y[i]));
    }
    ck_same_vector(y[0], y[1], "product by the transpose with new values");
    for (int i = 0; i < 2; i++) {
        fur_vector_destroy(y[i]);
        fur_vector_destroy(x[i]);
        fur_spmv_destroy(plan[i]);
    }
    free(values);
    free(entries);
}

/* Checks solves with a triangle that has ones on its diagonal, before and after the matrix gets new
 * values. */
static void check_triangle(fur_csr *far, fur_csr *near, rng *r)
{
    const fur_csr_view *v = &near->view;
    fur_csr *const of[2] = {far, near};
    fur_trsv *plan[2] = {NULL, NULL};
    fur_triangle triangle = rng_below(r, 2) ? FUR_TRIANGLE_LOWER : FUR_TRIANGLE_UPPER;
    fur_op op = (fur_op)rng_below(r, 3);
    void *entries = entries_random(r, v->value_type, v->rows);
    void *values = entries_random(r, v->value_type, v->entries);
    fur_vector *x[2];
    for (int i = 0; i < 2 && v->rows == v->cols; i++) {
        x[i] = vector_from(of[i]->context, v->value_type, v->rows, entries);
        ck_ok(of[i]->context,
              fur_trsv_plan(of[i], triangle, op, FUR_DIAGONAL_UNIT, NULL, &plan[i]));
        ck_ok(of[i]->context, fur_trsv_apply(plan[i], fur_real(0.5), x[i], x[i]));
        if (v->entries > 0)
            ck_ok(of[i]->context, fur_csr_set_values(of[i], values, FUR_OWNERSHIP_COPY));
        ck_ok(of[i]->context, fur_trsv_apply_many(plan[i], fur_real(1), 1,
                                                  (const fur_vector *const *)&x[i], &x[i]));
    }
    if (v->rows == v->cols) {
        ck_same_vector(x[0], x[1], "triangular solve");
        ck_assert_int_eq(fur_trsv_describe(plan[0])->levels, fur_trsv_describe(plan[1])->levels);
    }
    for (int i = 0; i < 2 && v->rows == v->cols; i++) {
        fur_trsv_destroy(plan[i]);
        fur_vector_destroy(x[i]);
    }
    free(values);
    free(entries);
}

/* Checks the entries at 20 positions. About half of the positions are stored. */
static void check_entries(fur_csr *far, fur_csr *near, rng *r)
{
    const fur_csr_view *v = fur_csr_get(near);
    for (int n = 0; n < 20 && v->rows > 0 && v->cols > 0; n++) {
        fur_scalar there = {0, 0};
        fur_scalar here = {1, 1};
        int64_t row = rng_below(r, v->rows);
        int64_t begin = offset_at(v, row);
        int64_t length = offset_at(v, row + 1) - begin;
        int64_t col =
            n % 2 && length > 0 ? v->columns[begin + rng_below(r, length)] : rng_below(r, v->cols);
        ck_ok(far->context, fur_csr_entry(far, row, col, &there));
        ck_ok(near->context, fur_csr_entry(near, row, col, &here));
        ck_assert(there.re == here.re && there.im == here.im);
    }
}

static void check_asymmetry(const fur_csr *far, const fur_csr *near)
{
    for (int symmetry = FUR_SYMMETRY_PATTERN; symmetry <= FUR_SYMMETRY_SKEW; symmetry++) {
        fur_csr_asymmetry there = FUR_DEFAULT(fur_csr_asymmetry);
        fur_csr_asymmetry here = FUR_DEFAULT(fur_csr_asymmetry);
        fur_status status = fur_csr_find_asymmetry(near, (fur_symmetry)symmetry, &here);
        ck_assert_int_eq(fur_csr_find_asymmetry(far, (fur_symmetry)symmetry, &there), status);
        ck_assert(there.found == here.found && there.row == here.row && there.col == here.col &&
                  there.missing == here.missing && there.opposite.re == here.opposite.re);
    }
}

/* Scales one matrix of the pair. If the matrix is square, also eliminates the given unknowns. */
static void rewrite(fur_csr *a, const void *entries, int64_t count, const int32_t *unknowns,
                    void *right)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    fur_vector *r = vector_from(context, v->value_type, v->rows, entries);
    fur_vector *c = vector_from(context, v->value_type, v->cols, entries);
    ck_ok(context, fur_csr_scale(a, r, c));
    if (v->rows == v->cols) {
        ck_ok(context, fur_csr_eliminate(a, count, unknowns, fur_real(2), r, c));
        ck_ok(context, fur_vector_download(c, right));
    }
    fur_vector_destroy(c);
    fur_vector_destroy(r);
}

static void check_rewritten(fur_csr *far, fur_csr *near, rng *r)
{
    const fur_csr_view *v = fur_csr_get(near);
    int64_t n = v->rows > v->cols ? v->rows : v->cols;
    size_t bytes = (size_t)n * fur_value_size(v->value_type) + 1;
    void *entries = entries_random(r, v->value_type, n + 1);
    void *right[2] = {calloc(bytes, 1), calloc(bytes, 1)};
    int32_t *unknowns = malloc(((size_t)n + 1) * sizeof *unknowns);
    int64_t count = 0;
    for (int32_t i = 0; i < v->rows; i += 3)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            if (v->columns[k] == i)
                unknowns[count++] = i;
    rewrite(near, entries, count, unknowns, right[0]);
    rewrite(far, entries, count, unknowns, right[1]);
    ck_same(far, near, "scaling and elimination");
    ck_assert(memcmp(right[0], right[1], bytes) == 0);
    free(unknowns);
    free(right[1]);
    free(right[0]);
    free(entries);
}

/* Checks operations with each matrix of the pair. The results for the device's matrix are on the
 * device. */
static void check_algebra(const fur_csr *far, const fur_csr *near)
{
    const fur_csr *const of[2] = {far, near};
    fur_csr *result[2][8] = {{NULL}};
    double norms[2][4];
    fur_csr_difference d[2] = {FUR_DEFAULT(fur_csr_difference), FUR_DEFAULT(fur_csr_difference)};
    const fur_scalar two = fur_real(2);
    static const int32_t list[] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const fur_csr *a = of[i];
        fur_context *c = a->context;
        const fur_csr *const blocks[] = {a, NULL, NULL, a};
        fur_vector *ones = NULL;
        ck_ok(c, fur_csr_band(a, INT64_MIN, 0, &result[i][0]));
        ck_ok(c, fur_csr_add(a, two, result[i][0], two, &result[i][1]));
        ck_ok(c, fur_csr_multiply_elementwise(a, result[i][0], &result[i][2]));
        ck_ok(c, fur_csr_from_blocks(2, 2, blocks, &result[i][3]));
        ck_ok(c, fur_csr_drop(a, 0.5, &result[i][4]));
        ck_ok(c, fur_csr_select(a, a->view.rows > 0 ? 2 : 0, list, 0, NULL, &result[i][5]));
        ck_ok(c, fur_vector_create(c, a->view.value_type, 2, &ones));
        ck_ok(c, fur_csr_from_diagonal(ones, &result[i][6]));
        ck_ok(c, fur_csr_kron(result[i][6], result[i][5], &result[i][7]));
        ck_ok(c, fur_csr_norm(a, FUR_NORM_1, &norms[i][0]));
        ck_ok(c, fur_csr_norm(a, FUR_NORM_INF, &norms[i][1]));
        ck_ok(c, fur_csr_compare_within(a, result[i][0], 0, 0, &d[i]));
        fur_vector_destroy(ones);
    }
    for (int n = 0; n < 8; n++) {
        ck_assert_ptr_eq(result[0][n]->context, far->context);
        ck_same(result[0][n], result[1][n], "operation");
        fur_csr_destroy(result[0][n]);
        fur_csr_destroy(result[1][n]);
    }
    ck_assert(norms[0][0] == norms[1][0] && norms[0][1] == norms[1][1]);
    ck_assert(d[0].beyond == d[1].beyond && d[0].largest == d[1].largest && d[0].row == d[1].row &&
              d[0].col == d[1].col);
}

/* Checks the product of the matrix and its transpose, conjugated or not. The plan computes the
 * product and then updates its values with another factor. */
static void check_multiplied(const fur_csr *far, const fur_csr *far_t, const fur_csr *near,
                             const fur_csr *near_t)
{
    fur_spgemm *plan = NULL;
    fur_csr *c = NULL;
    fur_csr *expected = NULL;
    if (near->view.cols < near->view.rows / 10 || near->view.entries > 20000)
        return;
    ck_ok(far->context, fur_spgemm_plan(far, far_t, NULL, &plan));
    ck_ok(far->context, fur_spgemm_multiply(plan, fur_real(2), &c));
    ck_ok(far->context, fur_spgemm_apply(plan, fur_real(1), c));
    ck_ok(near->context, fur_csr_multiply(near, near_t, &expected));
    ck_same(c, expected, "product of two");
    fur_csr_destroy(expected);
    fur_csr_destroy(c);
    fur_spgemm_destroy(plan);
}

/* Operations on a matrix of the device give the host's results. Loops over the shapes. */
START_TEST(matrices_are_worked_on_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream((uint64_t)_i);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_offset_type offset = rng_below(&r, 2) ? FUR_I32 : FUR_I64;
        fur_csr *near = matrix_random(far->host, &r, &shapes[_i], (fur_value_type)value, offset);
        fur_csr *a = to_far(near, far);
        fur_csr *t = NULL;
        fur_csr *expected = NULL;
        int conjugate = (int)rng_below(&r, 2);
        ck_same(a, near, "transfer");
        ck_ok(far, fur_csr_transpose(a, conjugate, &t));
        ck_ok(far->host, fur_csr_transpose(near, conjugate, &expected));
        ck_same(t, expected, "transpose");
        check_figures(a, near);
        check_permuted(a, near, &r);
        check_new_values(a, near, &r);
        check_triangle(a, near, &r);
        check_entries(a, near, &r);
        check_asymmetry(a, near);
        check_algebra(a, near);
        check_rewritten(a, near, &r);
        check_multiplied(a, t, near, expected);
        fur_csr_destroy(expected);
        fur_csr_destroy(t);
        fur_csr_destroy(a);
        fur_csr_destroy(near);
        far->env.device->used = 0;
    }
    fur_context_destroy(far);
}
END_TEST

/* Valid arrays of the device are borrowed. Invalid arrays are refused with the host's message. */
START_TEST(arrays_of_the_device_are_checked)
{
    fur_context *far = context_far();
    rng r = rng_stream(1000);
    fur_csr *near = matrix_random(far->host, &r, &shapes[shape_find("diagonal")], FUR_F64, FUR_I32);
    fur_csr *a = to_far(near, far);
    fur_csr *borrowed = NULL;
    int32_t wrong = -1;
    ck_ok(far, fur_csr_create(far, &a->view, FUR_OWNERSHIP_BORROW, &borrowed));
    ck_same(borrowed, near, "borrowed");
    ck_ok(far, fur_memory_copy(far, fur_csr_columns(a) + 1, &wrong, sizeof wrong));
    fur_csr_columns(near)[1] = wrong;
    ck_assert_int_eq(fur_csr_check(far->host, &near->view), FUR_INVALID);
    ck_fails(far, FUR_INVALID, fur_context_error(far->host), fur_csr_check(far, &a->view));
    fur_csr_destroy(borrowed);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

/* Returns the diagonal of an operator. */
static fur_vector *diagonal_of(const fur_operator *op)
{
    fur_context *context = fur_operator_context(op);
    fur_vector *d = NULL;
    ck_ok(context,
          fur_vector_create(context, fur_operator_value_type(op), fur_operator_rows(op), &d));
    ck_ok(context, fur_operator_diagonal(op, d));
    return d;
}

/* Checks that both operators have equal diagonals. Destroys the operators. */
static void ck_same_diagonal(fur_operator *a, fur_operator *b, const char *what)
{
    fur_vector *d = diagonal_of(a);
    fur_vector *expected = diagonal_of(b);
    ck_same_vector(d, expected, what);
    fur_vector_destroy(expected);
    fur_vector_destroy(d);
    fur_operator_destroy(b);
    fur_operator_destroy(a);
}

/* Checks that both recognised stencils have equal remaining rows, assembled matrices, products and
 * diagonals. */
static void check_recognised(const fur_recognised *const r[2], const fur_vector *const x[2],
                             fur_vector *const y[2])
{
    fur_csr *whole[2] = {NULL, NULL};
    fur_operator *op[2] = {NULL, NULL};
    int32_t *numbers;
    int64_t bytes = r[1]->rows->view.rows * (int64_t)sizeof *numbers;
    ck_same(r[0]->rows, r[1]->rows, "rows that differ");
    ck_ok(r[0]->context, fur_memory_to_host(r[0]->context, r[0]->numbers, bytes, &numbers));
    ck_assert(bytes == 0 || memcmp(numbers, r[1]->numbers, (size_t)bytes) == 0);
    fur_memory_drop(r[0]->context, r[0]->numbers, numbers);
    for (int i = 0; i < 2; i++) {
        fur_context *context = r[i]->context;
        ck_ok(context, fur_stencil_assemble(fur_recognised_stencil(r[i]), &whole[i]));
        ck_ok(context, fur_recognised_apply(r[i], fur_real(2), x[i], fur_real(-1), y[i]));
        ck_ok(context, fur_operator_from_recognised(r[i], &op[i]));
    }
    ck_same(whole[0], whole[1], "the stencil's matrix");
    ck_same_vector(y[0], y[1], "product of a recognised stencil");
    ck_same_diagonal(op[0], op[1], "diagonal of a recognised stencil");
    fur_csr_destroy(whole[1]);
    fur_csr_destroy(whole[0]);
}

/* Recognition on the device gives the host's result. Loops over constant and variable
 * coefficients. */
START_TEST(stencils_are_recognised_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(2000 + (uint64_t)_i);
    const int64_t n = 12 * 11 * 9;
    fur_csr *grid_matrix = grid(far->host, 7, 12, 11, 9);
    fur_csr *of[2];
    fur_recognised *found[2] = {NULL, NULL};
    fur_vector *x[2];
    fur_vector *y[2];
    void *entries = entries_random(&r, FUR_F64, n);
    for (int64_t k = 0; _i && k < grid_matrix->view.entries; k++)
        ((double *)fur_csr_values(grid_matrix))[k] = rng_unit(&r);
    of[1] = altered(far->host, grid_matrix, &r, -1, 5, &(int32_t){0});
    of[0] = to_far(of[1], far);
    double *values = malloc((size_t)of[1]->view.entries * sizeof *values);
    for (int64_t k = 0; k < of[1]->view.entries; k++)
        values[k] = 2 * ((const double *)of[1]->view.values)[k];
    for (int i = 0; i < 2; i++) {
        x[i] = vector_from(of[i]->context, FUR_F64, n, entries);
        y[i] = vector_from(of[i]->context, FUR_F64, n, entries);
        ck_ok(of[i]->context, fur_stencil_recognise(of[i], NULL, NULL, &found[i]));
        ck_assert_ptr_nonnull(found[i]);
    }
    check_recognised((const fur_recognised *const *)found, (const fur_vector *const *)x, y);
    for (int i = 0; i < 2; i++)
        ck_ok(of[i]->context, fur_csr_set_values(of[i], values, FUR_OWNERSHIP_COPY));
    check_recognised((const fur_recognised *const *)found, (const fur_vector *const *)x, y);
    free(values);
    for (int i = 0; i < 2; i++) {
        fur_recognised_destroy(found[i]);
        fur_vector_destroy(y[i]);
        fur_vector_destroy(x[i]);
        fur_csr_destroy(of[i]);
    }
    fur_csr_destroy(grid_matrix);
    free(entries);
    fur_context_destroy(far);
}
END_TEST

/* Permuting a vector and back restores it. Jacobi's reciprocals are the host's. Loops over value
 * types. */
START_TEST(vectors_are_moved_and_inverted_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(3000 + (uint64_t)_i);
    const fur_value_type value = (fur_value_type)_i;
    fur_csr *near = matrix_random(far->host, &r, &shapes[shape_find("diagonal")], value, FUR_I32);
    const int64_t n = near->view.rows;
    fur_csr *of[2] = {to_far(near, far), near};
    fur_operator *inner[2] = {NULL, NULL};
    fur_operator *jacobi[2] = {NULL, NULL};
    fur_spmv *plan[2] = {NULL, NULL};
    fur_permutation *order = permutation_random(far->host, &r, n);
    fur_permutation *far_order = NULL;
    fur_vector *x = vector_random(far, &r, value, n);
    fur_vector *y = NULL;
    fur_vector *z = NULL;
    fur_vector *expected = NULL;
    void *entries = vector_entries(x);
    fur_vector *near_x = vector_from(far->host, value, n, entries);
    ck_ok(far, fur_vector_create(far, value, n, &y));
    ck_ok(far, fur_vector_create(far, value, n, &z));
    ck_ok(far->host, fur_vector_create(far->host, value, n, &expected));
    ck_ok(far->host, fur_permutation_transfer(order, far, &far_order));
    ck_ok(far, fur_vector_permute(far_order, x, y));
    ck_ok(far->host, fur_vector_permute(order, near_x, expected));
    ck_same_vector(y, expected, "permuted vector");
    ck_ok(far, fur_vector_unpermute(far_order, y, z));
    ck_same_vector(z, x, "vector forth and back");
    for (int i = 0; i < 2; i++) {
        ck_ok(of[i]->context, fur_spmv_plan(of[i], NULL, &plan[i]));
        ck_ok(of[i]->context, fur_operator_from_spmv(plan[i], &inner[i]));
        ck_ok(of[i]->context, fur_operator_jacobi(inner[i], &jacobi[i]));
    }
    ck_same_diagonal(jacobi[0], jacobi[1], "Jacobi's preconditioner");
    for (int i = 0; i < 2; i++) {
        fur_operator_destroy(inner[i]);
        fur_spmv_destroy(plan[i]);
        fur_csr_destroy(of[i]);
    }
    free(entries);
    fur_vector_destroy(near_x);
    fur_vector_destroy(expected);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(far_order);
    fur_permutation_destroy(order);
    fur_context_destroy(far);
}
END_TEST

/* A stencil with variable coefficients becomes the host's matrix. Loops over boundaries. */
START_TEST(stencils_become_matrices_on_the_host)
{
    const int64_t n = 6 * 5 * 4;
    fur_context *context[2] = {context_far(), NULL};
    rng r = rng_stream(4000 + (uint64_t)_i);
    fur_stencil *s[2] = {NULL, NULL};
    fur_csr *a[2] = {NULL, NULL};
    fur_operator *op[2] = {NULL, NULL};
    fur_vector *fields[2][7];
    void *entries[7];
    context[1] = context[0]->host;
    for (int k = 0; k < 7; k++)
        entries[k] = entries_random(&r, FUR_C64, n);
    for (int i = 0; i < 2; i++) {
        fur_stencil_definition d = named(7, FUR_C64, 6, 5, 4);
        for (int k = 0; k < 7; k++)
            fields[i][k] = vector_from(context[i], FUR_C64, n, entries[k]);
        d.coefficients = NULL;
        d.fields = (const fur_vector *const *)fields[i];
        set_boundaries(&d, _i);
        ck_ok(context[i], fur_stencil_create(context[i], &d, &s[i]));
        ck_ok(context[i], fur_stencil_assemble(s[i], &a[i]));
        ck_ok(context[i], fur_operator_from_stencil(s[i], &op[i]));
    }
    ck_same(a[0], a[1], "assembled");
    ck_same_diagonal(op[0], op[1], "diagonal of a stencil");
    for (int i = 0; i < 2; i++) {
        fur_csr_destroy(a[i]);
        fur_stencil_destroy(s[i]);
        for (int k = 0; k < 7; k++)
            fur_vector_destroy(fields[i][k]);
    }
    for (int k = 0; k < 7; k++)
        free(entries[k]);
    fur_context_destroy(context[0]);
}
END_TEST

/* Every reordering method finds the host's order. */
START_TEST(orders_are_found_by_the_host)
{
    fur_context *far = context_far();
    fur_csr *near = permuted_grid(far->host);
    fur_csr *a = to_far(near, far);
    for (int i = 0; fur_reorder_method_at(i); i++) {
        const char *method = fur_reorder_method_at(i)->name;
        fur_permutation *found = NULL;
        fur_permutation *expected = NULL;
        fur_csr *b = NULL;
        fur_csr *c = NULL;
        ck_ok(far, fur_reorder(a, method, NULL, NULL, &found));
        ck_ok(far->host, fur_reorder(near, method, NULL, NULL, &expected));
        ck_ok(far, fur_csr_permute(a, found, found, &b));
        ck_ok(far->host, fur_csr_permute(near, expected, expected, &c));
        ck_same(b, c, method);
        fur_csr_destroy(c);
        fur_csr_destroy(b);
        fur_permutation_destroy(expected);
        fur_permutation_destroy(found);
    }
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

/* Products with blocks of all layouts have the host's bits, before and after new values. */
START_TEST(blocks_are_multiplied_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(4000 + (uint64_t)_i);
    fur_csr *near = matrix_random(far->host, &r, &shapes[shape_find("runs")], FUR_C64, FUR_I32);
    fur_csr *a = to_far(near, far);
    void *values = entries_random(&r, FUR_C64, near->view.entries);
    const fur_spmm_options options = {.size = sizeof options, .op = (fur_op)_i};
    fur_spmm *plan = NULL;
    ck_ok(far, fur_spmm_plan(a, &options, &plan));
    for (int round = 0; round < 2; round++) {
        spmm_trial t = spmm_random(near, options.op, 3, &r);
        for (int way = 0; way < SPMM_WAYS; way++)
            spmm_check(far, plan, &t, way, "far");
        spmm_release(&t);
        ck_ok(far, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
        ck_ok(far->host, fur_csr_set_values(near, values, FUR_OWNERSHIP_COPY));
    }
    fur_spmm_destroy(plan);
    free(values);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

/* Sampled products have the host's bits. Loops over value types. */
START_TEST(products_are_sampled_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(4100 + (uint64_t)_i);
    fur_csr *near =
        matrix_random(far->host, &r, &shapes[shape_find("runs")], (fur_value_type)_i, FUR_I32);
    fur_csr *a = to_far(near, far);
    for (int way = 0; way < SDDMM_WAYS; way++) {
        sddmm_trial t = sddmm_random(near, 3 + 4 * way, &r);
        sddmm_check(a, &t, way, "far");
        sddmm_release(&t);
    }
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

/* Plans with values rounded to single precision have the host's bits. Loops over operations. */
START_TEST(values_are_rounded_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(5000 + (uint64_t)_i);
    fur_csr *near = matrix_random(far->host, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
    fur_csr *a = to_far(near, far);
    const fur_spmv_options options = {
        .size = sizeof options, .op = (fur_op)_i, .values = FUR_STORED_F32};
    fur_spmv *plan = NULL;
    fur_spmv *near_plan = NULL;
    ck_ok(far, fur_spmv_plan(a, &options, &plan));
    ck_ok(far->host, fur_spmv_plan(near, &options, &near_plan));
    fur_vector *near_x = vector_random(far->host, &r, FUR_F64, near->view.cols);
    fur_vector *near_y = vector_random(far->host, &r, FUR_F64, near->view.rows);
    void *entries = vector_entries(near_x);
    fur_vector *x = vector_from(far, FUR_F64, near->view.cols, entries);
    fur_vector *y = NULL;
    ck_ok(far, fur_vector_create(far, FUR_F64, near->view.rows, &y));
    ck_ok(far, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    ck_ok(far->host, fur_spmv_apply(near_plan, fur_real(1), near_x, fur_real(0), near_y));
    void *found = vector_entries(y);
    void *expected = vector_entries(near_y);
    ck_assert_int_lt(first_difference(FUR_F64, near->view.rows, found, expected), 0);
    free(expected);
    free(found);
    free(entries);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_vector_destroy(near_y);
    fur_vector_destroy(near_x);
    fur_spmv_destroy(near_plan);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

START_TEST(neighbours_are_found_by_the_host)
{
    fur_context *far = context_far();
    rng r = rng_stream(4200 + (uint64_t)_i);
    fur_neighbours_options options = {.size = sizeof options, .method = _i ? "grid" : "brute"};
    double *points = cloud_make(&cloud_kinds[_i], &r, FUR_F64, 90, 2);
    cloud_answer answer = cloud_solve(FUR_F64, 90, 2, points, 7, false, false);
    fur_neighbours_report report = FUR_DEFAULT(fur_neighbours_report);
    fur_vectors *block = NULL;
    fur_csr *g = NULL;
    ck_ok(far, fur_vectors_create(far, FUR_F64, 90, 2, FUR_LAYOUT_ROWS, &block));
    ck_ok(far, fur_vectors_upload(points, block));
    ck_ok(far, fur_neighbours(block, 7, &options, &report, &g));
    cloud_check("far", &answer, g);
    ck_assert_str_eq(report.method, options.method);
    fur_csr_destroy(g);
    points[20] = NAN;
    ck_ok(far, fur_vectors_upload(points, block));
    ck_fails(far, FUR_INVALID, "point 11, counting from 1, has a coordinate that is not finite",
             fur_neighbours(block, 7, &options, NULL, &g));
    fur_vectors_destroy(block);
    cloud_answer_release(&answer);
    free(points);
    fur_context_destroy(far);
}
END_TEST

/* Preconditioners that need no kernels have the host's bits, also after new values. Loops over
 * kinds. */
START_TEST(preconditioners_are_made_by_the_host)
{
    static const fur_precond_options kinds[] = {
        {.size = sizeof kinds[0], .kind = "spai"},
        {.size = sizeof kinds[0], .kind = "ilut:no_matching"},
    };
    fur_context *far = context_far();
    rng r = rng_stream(5000 + (uint64_t)_i);
    const shape *grid = &shapes[shape_find("small grid")];
    fur_csr *random = matrix_random(far->host, &r, grid, FUR_F64, FUR_I32);
    fur_csr *near = NULL;
    ck_ok(far->host, fur_csr_shift(random, fur_real(9), &near));
    fur_csr *of[2] = {to_far(near, far), near};
    fur_vector *x[2] = {vector_random(far, &r, FUR_F64, near->view.rows), NULL};
    fur_vector *z[2] = {NULL, NULL};
    fur_precond *p[2] = {NULL, NULL};
    void *entries = vector_entries(x[0]);
    x[1] = vector_from(far->host, FUR_F64, near->view.rows, entries);
    for (int i = 0; i < 2; i++) {
        ck_ok(of[i]->context, fur_vector_create(of[i]->context, FUR_F64, near->view.rows, &z[i]));
        ck_ok(of[i]->context, fur_precond_create(of[i], &kinds[_i], &p[i]));
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 2; i++)
            ck_ok(of[i]->context, fur_precond_apply(p[i], x[i], z[i]));
        ck_same_vector(z[0], z[1], kinds[_i].kind);
        for (int i = 0; i < 2; i++) {
            ck_ok(of[i]->context, fur_csr_scale(of[i], x[i], NULL));
            ck_ok(of[i]->context, fur_precond_update(p[i]));
        }
    }
    for (int i = 0; i < 2; i++) {
        fur_precond_destroy(p[i]);
        fur_vector_destroy(z[i]);
        fur_vector_destroy(x[i]);
        fur_csr_destroy(of[i]);
    }
    free(entries);
    fur_csr_destroy(random);
    fur_context_destroy(far);
}
END_TEST

START_TEST(batches_need_kernels)
{
    fur_context *far = context_far();
    rng r = rng_stream(5010);
    fur_csr *near = matrix_random(far->host, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
    fur_csr *a = to_far(near, far);
    fur_vectors *values = NULL;
    fur_batch *batch = NULL;
    ck_ok(far, fur_vectors_create(far, FUR_F64, near->view.entries, 2, FUR_LAYOUT_ROWS, &values));
    ck_fails(far, FUR_UNSUPPORTED,
             "device far has no kernels for batches; create the batch in the context of "
             "fur_context_host",
             fur_batch_create(a, values, &batch));
    fur_vectors_destroy(values);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(far);
}
END_TEST

/* The context lives until its last vector is destroyed. Loops over the vector destroyed first: on
 * the device or on the host. */
START_TEST(objects_on_either_side_keep_the_context)
{
    fur_context *far = context_far();
    fur_vector *x[2] = {NULL, NULL};
    ck_ok(far, fur_vector_create(far, FUR_F64, 5, &x[0]));
    ck_ok(far, fur_vector_create(fur_context_host(far), FUR_F64, 5, &x[1]));
    fur_context_destroy(far);
    ck_ok(far, fur_vector_fill(x[0], fur_real(1)));
    fur_vector_destroy(x[_i]);
    fur_vector *last = x[1 - _i];
    ck_ok(far, fur_vector_fill(last, fur_real(2)));
    ck_assert_ptr_nonnull(fur_context_host(fur_vector_context(last)));
    fur_vector_destroy(last);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, values_are_rounded_by_the_host, 0, 3);
    tcase_add_loop_test(tests, preconditioners_are_made_by_the_host, 0, 2);
    tcase_add_test(tests, batches_need_kernels);
    tcase_add_loop_test(tests, blocks_are_multiplied_by_the_host, 0, 3);
    tcase_add_loop_test(tests, products_are_sampled_by_the_host, 0, FUR_VALUE_COUNT);
    tcase_add_turns(tests, matrices_are_worked_on_by_the_host, shape_count, 3);
    tcase_add_test(tests, arrays_of_the_device_are_checked);
    tcase_add_loop_test(tests, vectors_are_moved_and_inverted_by_the_host, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, stencils_are_recognised_by_the_host, 0, 2);
    tcase_add_loop_test(tests, stencils_become_matrices_on_the_host, 0, BOUNDARIES);
    tcase_add_test(tests, orders_are_found_by_the_host);
    tcase_add_loop_test(tests, neighbours_are_found_by_the_host, 0, 2);
    tcase_add_loop_test(tests, objects_on_either_side_keep_the_context, 0, 2);
}

int main(void)
{
    return run_tests("companion", add_tests);
}
