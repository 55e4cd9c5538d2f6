/* Preconditioners on 1 to 8 ranks. If made from the matrix of all ranks, they have the bits of one
 * context. If made from blocks, they have the bits of one context with the matrix of the blocks,
 * which has no other entries. On a GPU, 1 to 3 ranks on GPUs have the bits of the CPU. */
#include "ranks_support.h"

#include <furrow/author/sharing.h>
#include <furrow/algebra.h>
#include <furrow/ranks_precond.h>

#include <string.h>

static const char *const kinds[] = {"jacobi",  "ssor", "chebyshev", "ic0", "ilu0",    "ilu",
                                    "bjacobi", "fsai", "spai",      "amg", "schwarz", "ilut"};

typedef struct applied {
    const fur_csr *a;
    const int64_t *bounds;
    const char *kind;
    int whole;
    int64_t whole_rows;
    const fur_amg_options *amg;
    const void *r;
    void *z;
    int exact;
} applied;

static fur_precond_options options_of(const applied *c)
{
    return (fur_precond_options){
        .size = sizeof(fur_precond_options), .kind = c->kind, .amg = c->amg};
}

/* Computes z = M r in one context with the block of rows and columns first .. last-1. */
static void apply_alone(const applied *c, int64_t first, int64_t last, void *z)
{
    fur_context *context = fur_csr_context(c->a);
    fur_value_type value = fur_csr_get(c->a)->value_type;
    size_t size = fur_value_size(value);
    int64_t rows = last - first;
    int32_t *numbers = malloc((size_t)(rows + 1) * sizeof *numbers);
    fur_csr *block;
    fur_precond *m;
    for (int64_t i = 0; i < rows; i++)
        numbers[i] = (int32_t)(first + i);
    ck_ok(context, fur_csr_select(c->a, rows, numbers, rows, numbers, &block));
    fur_precond_options options = options_of(c);
    ck_ok(context, fur_precond_create(block, &options, &m));
    fur_vector *r = vector_from(context, value, rows, (char *)c->r + (size_t)first * size);
    fur_vector *to = vector_from(context, value, rows, (char *)c->r + (size_t)first * size);
    ck_ok(context, fur_precond_apply(m, r, to));
    ck_ok(context, fur_vector_download(to, (char *)z + (size_t)first * size));
    fur_vector_destroy(r);
    fur_vector_destroy(to);
    fur_precond_destroy(m);
    fur_csr_destroy(block);
    free(numbers);
}

static fur_status apply_matrix(fur_ranks *group, applied *c, fur_ranks_csr *a)
{
    int rank = fur_ranks_rank(group);
    const int64_t *bounds = fur_ranks_csr_bounds(a);
    fur_value_type value = fur_ranks_csr_describe(a)->value_type;
    char *first = (char *)c->r + (size_t)bounds[rank] * fur_value_size(value);
    fur_precond_options kind = options_of(c);
    fur_ranks_precond_options options = {
        .size = sizeof options, .precond = &kind, .whole = c->whole, .whole_rows = c->whole_rows};
    fur_ranks_precond *m = NULL;
    fur_vector *r = NULL;
    fur_vector *z = NULL;
    fur_status status = fur_ranks_precond_create(a, &options, &m);
    if (status != FUR_OK)
        return status;
    status = fur_vector_wrap(fur_ranks_csr_context(a), value, bounds[rank + 1] - bounds[rank],
                             first, FUR_OWNERSHIP_COPY, &r);
    if (status == FUR_OK)
        status =
            fur_vector_create(fur_ranks_csr_context(a), value, bounds[rank + 1] - bounds[rank], &z);
    if (status == FUR_OK)
        status = fur_operator_apply(fur_ranks_precond_operator(m), r, z);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(a, z, rank == 0 ? c->z : NULL);
    if (rank == 0)
        c->exact = fur_ranks_precond_exact(m);
    fur_vector_destroy(r);
    fur_vector_destroy(z);
    fur_ranks_precond_destroy(m);
    return status;
}

static fur_status apply_on_ranks(fur_ranks *group, void *user)
{
    applied *c = user;
    fur_ranks_csr *a = NULL;
    fur_status status =
        fur_ranks_csr_scatter(group, fur_ranks_rank(group) == 0 ? c->a : NULL, c->bounds, &a);
    if (status == FUR_OK)
        status = apply_matrix(group, c, a);
    fur_ranks_csr_destroy(a);
    return status;
}

static void compare(rng *r, const applied *given, int ranks, int kind)
{
    const fur_csr_view *v = fur_csr_get(given->a);
    size_t bytes = (size_t)v->rows * fur_value_size(v->value_type);
    int64_t bounds[RANKS_MAX + 1];
    void *want = entries_make(v->value_type, v->rows);
    applied c = *given;
    fur_ranks_options options = {.size = sizeof options, .threads = 1 + ranks % 2};
    if (on_gpu() && !options_on_gpus(kind, ranks, &options))
        return;
    bounds_random(r, (ranks + kind) % BOUND_KINDS, ranks, v->rows, bounds);
    c.bounds = bounds;
    c.z = entries_make(v->value_type, v->rows);
    for (int rank = 0; !c.whole && rank < ranks; rank++)
        if (bounds[rank] < bounds[rank + 1])
            apply_alone(&c, bounds[rank], bounds[rank + 1], want);
    if (c.whole)
        apply_alone(&c, 0, v->rows, want);
    fur_status status = fur_ranks_run(ranks, &options, apply_on_ranks, &c);
    ck_assert_msg(status == FUR_OK, "%s: %s", c.kind, fur_context_error(NULL));
    ck_assert_msg(memcmp(c.z, want, bytes) == 0, "%s on %d ranks", c.kind, ranks);
    ck_assert_int_eq(c.exact, c.whole || ranks == 1 || kind == 0);
    free(c.z);
    free(want);
}

START_TEST(applications)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_cpu(NULL, 1);
    fur_value_type value = _i % 2 ? FUR_F64 : FUR_C128;
    int64_t least = on_gpu() ? 3 * FUR_SHARING_GRAIN : 300;
    fur_csr *a = matrix_definite(context, &r, value, least + rng_below(&r, 500));
    applied c = {.a = a, .kind = kinds[_i]};
    c.r = entries_random(&r, value, fur_csr_get(a)->rows);
    for (int ranks = 1; ranks <= (on_gpu() ? 3 : RANKS_MAX); ranks += ranks < 4 ? 1 : 2)
        for (c.whole = 0; c.whole < 2; c.whole++)
            compare(&r, &c, ranks, _i);
    free((void *)c.r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Multigrid with cycles shared by the ranks has the bits of one context. The coarsest levels have
 * few rows. */
START_TEST(shared_cycles)
{
    static const char *const smoothers[] = {NULL, "jacobi", "gauss-seidel"};
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_cpu(NULL, 1);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    fur_amg_options options = {.size = sizeof options,
                               .coarsest = 5 + rng_below(&r, 20),
                               .smoother = smoothers[_i % 3],
                               .sweeps = 1 + _i % 3,
                               .cycle = _i % 5 == 4   ? FUR_AMG_K
                                        : _i % 5 == 3 ? FUR_AMG_W
                                                      : FUR_AMG_V};
    if ((value == FUR_F32 || value == FUR_F64) && _i % 7 > 4)
        options.coarsening = "classical";
    fur_csr *a = matrix_definite(context, &r, value, 1 + rng_below(&r, 2500));
    applied c = {.a = a, .kind = "amg", .amg = &options, .whole = 1};
    c.r = entries_random(&r, value, fur_csr_get(a)->rows);
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += TEST_SLOW ? 3 : 1) {
        c.whole_rows = 1 + rng_below(&r, 300);
        compare(&r, &c, ranks, 1 + _i);
    }
    free((void *)c.r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Returns upwind differences of u' + u, a matrix that is not symmetric. */
static fur_csr *matrix_upwind(fur_context *context, int32_t rows)
{
    int32_t *row = malloc(2 * (size_t)rows * sizeof *row);
    int32_t *col = malloc(2 * (size_t)rows * sizeof *col);
    double *values = malloc(2 * (size_t)rows * sizeof *values);
    fur_csr *a;
    for (int32_t i = 0; i < rows; i++) {
        row[2 * i] = col[2 * i] = row[2 * i + 1] = i;
        col[2 * i + 1] = i > 0 ? i - 1 : i;
        values[2 * i] = 1.01;
        values[2 * i + 1] = i > 0 ? -1 : 0;
    }
    fur_coo_view coo = {sizeof coo, rows, rows, 2 * (int64_t)rows, FUR_F64, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(row);
    free(col);
    free(values);
    return a;
}

/* For a nonsymmetric matrix, multigrid without options uses its form for nonsymmetric matrices, as
 * in `furrow solve`. */
START_TEST(multigrid_suits_a_nonsymmetric_matrix)
{
    enum { ROWS = 700 };
    static const int64_t bounds[] = {0, 90, 400, ROWS};
    rng r = rng_stream(7);
    fur_context *context = context_cpu(NULL, 1);
    fur_amg_options nonsymmetric = {.size = sizeof nonsymmetric, .nonsymmetric = 1};
    fur_csr *a = matrix_upwind(context, ROWS);
    double *want = entries_make(FUR_F64, ROWS);
    applied c = {.a = a, .bounds = bounds, .kind = "amg", .r = entries_random(&r, FUR_F64, ROWS)};
    c.z = entries_make(FUR_F64, ROWS);
    for (c.whole = 0; c.whole < 2; c.whole++) {
        c.amg = &nonsymmetric;
        for (int rank = 0; rank < 3 && !c.whole; rank++)
            apply_alone(&c, bounds[rank], bounds[rank + 1], want);
        if (c.whole)
            apply_alone(&c, 0, ROWS, want);
        c.amg = NULL;
        fur_status status = fur_ranks_run(3, NULL, apply_on_ranks, &c);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        ck_assert_mem_eq(c.z, want, ROWS * sizeof *want);
    }
    free(c.z);
    free(want);
    free((void *)c.r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(unknown_kinds_are_refused)
{
    rng r = rng_stream(99);
    fur_context *context = context_cpu(NULL, 1);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 50);
    applied c = {.a = a, .kind = "none such", .r = entries_random(&r, FUR_F64, 50)};
    ck_assert_int_eq(fur_ranks_run(3, NULL, apply_on_ranks, &c), FUR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fur_context_error(NULL), "none such"));
    free((void *)c.r);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, applications, 0, COUNT_OF(kinds));
    if (on_gpu())
        return;
    tcase_add_loop_test(tests, shared_cycles, 0, TEST_SLOW ? 21 : 42);
    tcase_add_test(tests, multigrid_suits_a_nonsymmetric_matrix);
    tcase_add_test(tests, unknown_kinds_are_refused);
}

int main(void)
{
    return run_tests("ranks_precond", add);
}
