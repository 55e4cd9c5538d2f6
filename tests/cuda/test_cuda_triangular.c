/* Triangular solves on a GPU have the bits of the CPU. Every shape, triangle, operation, diagonal,
 * value type and offset width is tested, for one and several right-hand sides. Solves run in place,
 * with new values and as a captured graph. Refusals have the CPU's messages. */
#include "cuda_support.h"

#include <string.h>

/* A matrix and its plan on the host, and again on the GPU. */
typedef struct pair {
    counted c;
    fur_context *host;
    fur_csr *near; /* on the host */
    fur_csr *far;
    fur_trsv *near_plan;
    fur_trsv *far_plan;
} pair;

#define MAX 11

/* Returns a matrix of the shape. If `dominant`, it has a full diagonal of entries near 2. */
static fur_csr *make(fur_context *context, rng *r, const shape *s, fur_value_type value,
                     fur_offset_type offset, bool dominant)
{
    fur_csr *a = matrix_random(context, r, s, value, offset);
    if (!dominant)
        return a;
    fur_csr_view v = *fur_csr_get(a);
    int32_t *row = malloc(((size_t)(v.entries + v.rows) + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)(v.entries + v.rows) + 1) * sizeof *col);
    void *values = entries_make(value, v.entries + v.rows);
    int64_t count = 0;
    for (int64_t i = 0; i < v.rows; i++) {
        for (int64_t k = offset_at(&v, i); k < offset_at(&v, i + 1); k++) {
            fur_scalar entry = entry_get(value, v.values, k);
            if (v.columns[k] == i)
                continue;
            row[count] = (int32_t)i;
            col[count] = v.columns[k];
            entry_set(value, values, count++, fur_complex(0.1 * entry.re, 0.1 * entry.im));
        }
        row[count] = col[count] = (int32_t)i;
        entry_set(value, values, count++, fur_complex(2 + 0.5 * rng_unit(r), 0.5 * rng_unit(r)));
    }
    fur_coo_view coo = {sizeof coo, v.rows, v.cols, count, value, row, col, values};
    fur_csr *b = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &b));
    ck_ok(context, fur_csr_convert(b, value, offset, &wide));
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    free(values);
    free(col);
    free(row);
    return wide;
}

/* Compares solves for `count` right-hand sides. If `in_place`, the GPU solves in place. */
static void check_solves(const pair *p, rng *r, fur_scalar alpha, int count, bool in_place)
{
    fur_csr_view v = *fur_csr_get(p->near);
    fur_vector *near[MAX];
    fur_vector *far[MAX];
    fur_vector *out[MAX];
    for (int k = 0; k < count; k++) {
        near[k] = vector_random(p->host, r, v.value_type, v.rows);
        far[k] = vector_from(p->c.context, v.value_type, v.rows, fur_vector_const_data(near[k]));
        ck_ok(p->c.context, fur_vector_create(p->c.context, v.value_type, v.rows, &out[k]));
    }
    ck_ok(p->host,
          fur_trsv_apply_many(p->near_plan, alpha, count, (const fur_vector *const *)near, near));
    ck_ok(p->c.context, fur_trsv_apply_many(p->far_plan, alpha, count,
                                            (const fur_vector *const *)far, in_place ? far : out));
    for (int k = 0; k < count; k++) {
        void *found = vector_entries(in_place ? far[k] : out[k]);
        int64_t first =
            first_difference(v.value_type, v.rows, found, fur_vector_const_data(near[k]));
        ck_assert_msg(first < 0, "%d of %d right-hand sides differs in row %lld", k, count,
                      (long long)first);
        free(found);
        fur_vector_destroy(out[k]);
        fur_vector_destroy(far[k]);
        fur_vector_destroy(near[k]);
    }
}

static void plan_both(pair *p, fur_triangle triangle, fur_op op, fur_triangle_diagonal diagonal,
                      bool many)
{
    fur_trsv_options options = {.size = sizeof options, .many = many};
    ck_ok(p->host, fur_trsv_plan(p->near, triangle, op, diagonal, &options, &p->near_plan));
    ck_ok(p->c.context, fur_trsv_plan(p->far, triangle, op, diagonal, &options, &p->far_plan));
    const fur_trsv_report *near = fur_trsv_describe(p->near_plan);
    const fur_trsv_report *far = fur_trsv_describe(p->far_plan);
    fur_csr_statistics figures = {.size = sizeof figures};
    ck_ok(p->host, fur_csr_measure(p->near, &figures));
    ck_assert(figures.row_max > 4096 || strcmp(far->schedule, "flags") == 0);
    ck_assert_int_eq(far->levels, near->levels);
    ck_assert_int_eq(far->entries, near->entries);
    ck_assert_int_eq(far->bytes, near->bytes);
}

static void drop_both(pair *p)
{
    fur_trsv_destroy(p->far_plan);
    fur_trsv_destroy(p->near_plan);
}

/* Checks the solves of one matrix. If the diagonal is not used, also checks them after new values.
 */
static void check_matrix(pair *p, rng *r, fur_triangle_diagonal diagonal)
{
    fur_csr_view v = *fur_csr_get(p->near);
    for (int i = 0; i < 6; i++) {
        plan_both(p, (fur_triangle)(i % 2), (fur_op)(i / 2), diagonal, i % 4 > 1);
        check_solves(p, r, fur_real(1), 1, false);
        check_solves(p, r, fur_complex(-0.7, 0.3), 1, true);
        check_solves(p, r, fur_real(1), 1 + (int)rng_below(r, MAX), i % 2 == 0);
        if (diagonal == FUR_DIAGONAL_UNIT && v.entries > 0) {
            void *values = entries_random(r, v.value_type, v.entries);
            ck_ok(p->host, fur_csr_set_values(p->near, values, FUR_OWNERSHIP_COPY));
            ck_ok(p->c.context, fur_csr_set_values(p->far, values, FUR_OWNERSHIP_COPY));
            check_solves(p, r, fur_real(1), 2, false);
            free(values);
        }
        drop_both(p);
    }
}

static void check_shape(pair *p, rng *r, const shape *s, fur_value_type value, bool dominant)
{
    p->near = make(p->host, r, s, value, rng_below(r, 2) ? FUR_I32 : FUR_I64, dominant);
    ck_ok(p->host, fur_csr_transfer(p->near, p->c.context, &p->far));
    check_matrix(p, r, dominant ? FUR_DIAGONAL_STORED : FUR_DIAGONAL_UNIT);
    fur_csr_destroy(p->far);
    fur_csr_destroy(p->near);
}

static void pair_open(pair *p)
{
    *p = (pair){.near = NULL};
    counted_open(&p->c);
    p->host = context_cpu(NULL, 2);
}

static void pair_close(pair *p)
{
    fur_context_destroy(p->host);
    counted_close(&p->c);
}

/* Solutions have the bits of the CPU. Loops over the shapes. */
START_TEST(solutions_have_the_bits_of_the_cpu)
{
    rng r = rng_stream(7000 + (uint64_t)_i);
    pair p;
    pair_open(&p);
    for (int value = test_small() ? _i % FUR_VALUE_COUNT : 0; value < FUR_VALUE_COUNT; value++) {
        if (shapes[_i].rows == shapes[_i].cols) {
            check_shape(&p, &r, &shapes[_i], (fur_value_type)value, false);
            check_shape(&p, &r, &shapes[_i], (fur_value_type)value, true);
        }
        if (test_small())
            break;
    }
    pair_close(&p);
}
END_TEST

static fur_csr *grid(fur_context *context, int64_t extent)
{
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .extent = {extent, extent, extent}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

/* Large grids have the bits of the CPU. They have more rows than a GPU has threads, and chains as
 * long as the grid. */
START_TEST(large_grids_have_the_bits_of_the_cpu)
{
    rng r = rng_stream(7100);
    pair p;
    pair_open(&p);
    p.near = grid(p.host, test_small() ? 12 : 96);
    ck_ok(p.host, fur_csr_transfer(p.near, p.c.context, &p.far));
    for (int i = 0; i < 3; i++) {
        plan_both(&p, (fur_triangle)(i % 2), i == 2 ? FUR_OP_T : FUR_OP_N, FUR_DIAGONAL_STORED,
                  i == 1);
        for (int round = 0; round < 3; round++)
            check_solves(&p, &r, fur_real(1), 1 + 4 * round, false);
        drop_both(&p);
    }
    fur_csr_destroy(p.far);
    fur_csr_destroy(p.near);
    pair_close(&p);
}
END_TEST

/* A captured solve gives correct results with other numbers in b. */
START_TEST(solves_are_captured)
{
    rng r = rng_stream(7200);
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    p.near = grid(p.host, 9);
    ck_ok(p.host, fur_csr_transfer(p.near, context, &p.far));
    plan_both(&p, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, false);
    fur_vector *b = vector_random(context, &r, FUR_F64, 729);
    fur_vector *x = vector_random(context, &r, FUR_F64, 729);
    ck_ok(context, fur_trsv_apply(p.far_plan, fur_real(1), b, x));
    ck_cuda(cudaStreamBeginCapture(p.c.stream, cudaStreamCaptureModeGlobal));
    ck_ok(context, fur_trsv_apply(p.far_plan, fur_real(1), b, x));
    ck_cuda(cudaStreamEndCapture(p.c.stream, &graph));
    ck_cuda(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    fur_vector *near = vector_random(p.host, &r, FUR_F64, 729);
    ck_ok(context, fur_vector_copy(near, b));
    ck_cuda(cudaGraphLaunch(executable, p.c.stream));
    ck_ok(p.host, fur_trsv_apply(p.near_plan, fur_real(1), near, near));
    void *found = vector_entries(x);
    ck_assert_int_eq(first_difference(FUR_F64, 729, found, fur_vector_const_data(near)), -1);
    free(found);
    ck_cuda(cudaGraphExecDestroy(executable));
    ck_cuda(cudaGraphDestroy(graph));
    fur_vector_destroy(near);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    drop_both(&p);
    fur_csr_destroy(p.far);
    fur_csr_destroy(p.near);
    pair_close(&p);
}
END_TEST

/* A row with a useless diagonal is refused by its number. Loops over value types. */
START_TEST(useless_diagonals_are_refused_by_row)
{
    static const int32_t row[] = {0, 1, 1, 2, 2};
    static const int32_t col[] = {0, 0, 1, 0, 2};
    fur_value_type value = (fur_value_type)_i;
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    void *values = entries_make(value, 5);
    for (int k = 0; k < 5; k++)
        entry_set(value, values, k, fur_real(k == 4 ? 0 : k + 1));
    fur_coo_view coo = {sizeof coo, 3, 3, 5, value, row, col, values};
    fur_trsv *plan = NULL;
    for (int last = 5; last >= 4; last--) {
        fur_csr *a = NULL;
        fur_csr *far = NULL;
        coo.entries = last;
        ck_ok(p.host, fur_csr_from_coo(p.host, &coo, FUR_DUPLICATES_ERROR, &a));
        ck_ok(p.host, fur_csr_transfer(a, context, &far));
        ck_assert_int_eq(
            fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_T, FUR_DIAGONAL_STORED, NULL, &plan),
            FUR_INVALID);
        ck_fails(
            context, FUR_INVALID, fur_context_error(p.host),
            fur_trsv_plan(far, FUR_TRIANGLE_LOWER, FUR_OP_T, FUR_DIAGONAL_STORED, NULL, &plan));
        ck_assert_ptr_null(plan);
        fur_csr_destroy(far);
        fur_csr_destroy(a);
    }
    free(values);
    pair_close(&p);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    fur_trsv *plan = NULL;
    int failures = 0;
    p.near = grid(p.host, 5);
    ck_ok(p.host, fur_csr_transfer(p.near, context, &p.far));
    int64_t before = p.c.device.outstanding;
    for (int64_t n = 1; !plan; n++) {
        p.c.device.fail_at = p.c.device.calls + n;
        fur_status status =
            fur_trsv_plan(p.far, FUR_TRIANGLE_UPPER, FUR_OP_T, FUR_DIAGONAL_STORED, NULL, &plan);
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        ck_assert(status == FUR_OK || p.c.device.outstanding == before);
        failures += status != FUR_OK;
    }
    p.c.device.fail_at = 0;
    ck_assert_int_gt(failures, 8);
    fur_trsv_destroy(plan);
    fur_csr_destroy(p.far);
    fur_csr_destroy(p.near);
    pair_close(&p);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, solutions_have_the_bits_of_the_cpu, 0, shape_count);
    tcase_add_test(tests, large_grids_have_the_bits_of_the_cpu);
    tcase_add_test(tests, solves_are_captured);
    tcase_add_loop_test(tests, useless_diagonals_are_refused_by_row, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, every_failing_allocation_is_survived);
}

int main(void)
{
    return run_gpu_tests("cuda_triangular", add_tests);
}
