/* Preconditioners on a GPU equal the CPU's to the bit: every kind, value type and offset width,
 * with new values, in a solve, and as a captured graph. Refusals have the CPU's words. */
#include "cuda_support.h"
#include "poisson.h"

#include <string.h>

static const fur_precond_options kinds[] = {
    {.size = sizeof kinds[0], .kind = "ssor"},
    {.size = sizeof kinds[0], .kind = "chebyshev:degree=4"},
    {.size = sizeof kinds[0], .kind = "fsai"},
    {.size = sizeof kinds[0], .kind = "fsai:fill=1"},
    {.size = sizeof kinds[0], .kind = "fsai:steps=6,grow=2"},
    {.size = sizeof kinds[0], .kind = "ic0"},
    {.size = sizeof kinds[0], .kind = "ic0:modified"},
    {.size = sizeof kinds[0], .kind = "ic0:coloured"},
    {.size = sizeof kinds[0], .kind = "ilu0"},
    {.size = sizeof kinds[0], .kind = "ilu0:modified,shift=0.01"},
    {.size = sizeof kinds[0], .kind = "ilu0:coloured"},
    {.size = sizeof kinds[0], .kind = "ilu:fill=2"},
    {.size = sizeof kinds[0], .kind = "ilut"},
    {.size = sizeof kinds[0], .kind = "ilut:fill=3,drop=0.01,no_matching"},
    {.size = sizeof kinds[0], .kind = "bjacobi"},
    {.size = sizeof kinds[0], .kind = "bjacobi:block=7"},
    {.size = sizeof kinds[0], .kind = "bjacobi:block=7,adaptive"},
    {.size = sizeof kinds[0], .kind = "spai"},
    {.size = sizeof kinds[0], .kind = "spai:diagonal"},
    {.size = sizeof kinds[0], .kind = "schwarz:block=30"},
    {.size = sizeof kinds[0], .kind = "schwarz:block=30,symmetric"},
};
#define KIND_COUNT ((int)(sizeof kinds / sizeof *kinds))

/* A preconditioner made on the host and again on the GPU. */
typedef struct pair {
    counted c;
    fur_context *host;
    fur_csr *near; /* on the host */
    fur_csr *far;
    fur_precond *near_p;
    fur_precond *far_p;
} pair;

static void pair_open(pair *p)
{
    *p = (pair){.near = NULL};
    counted_open(&p->c);
    p->host = context_cpu(NULL, 2);
}

static void pair_close(pair *p)
{
    fur_precond_destroy(p->far_p);
    fur_precond_destroy(p->near_p);
    fur_csr_destroy(p->far);
    fur_csr_destroy(p->near);
    fur_context_destroy(p->host);
    counted_close(&p->c);
}

/* Returns a Hermitian matrix with a dominant diagonal. Its pattern is a grid with some more
 * neighbours. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, fur_value_type value,
                     fur_offset_type offset)
{
    size_t all = (size_t)(n * n) + 1;
    int32_t *row = malloc(all * sizeof *row);
    int32_t *col = malloc(all * sizeof *col);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            fur_scalar v = rng_scalar(r, value);
            if (i != j && i - j != 1 && i - j != 13 && rng_below(r, 1000) >= 8)
                continue;
            row[count] = (int32_t)i;
            col[count] = (int32_t)j;
            entry_set(value, values, count++, i == j ? fur_real(16 + v.re) : v);
            if (i == j)
                continue;
            row[count] = (int32_t)j;
            col[count] = (int32_t)i;
            entry_set(value, values, count++, fur_complex(v.re, -v.im));
        }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(values);
    free(col);
    free(row);
    return wide;
}

/* Checks that z = M r has the same bits on both devices. */
static void check_application(const pair *p, rng *r)
{
    fur_context *context = p->c.context;
    fur_csr_view v = *fur_csr_get(p->near);
    fur_vector *near = vector_random(p->host, r, v.value_type, v.rows);
    fur_vector *near_z = vector_random(p->host, r, v.value_type, v.rows);
    fur_vector *far = vector_from(context, v.value_type, v.rows, fur_vector_const_data(near));
    fur_vector *far_z = vector_random(context, r, v.value_type, v.rows);
    ck_ok(p->host, fur_precond_apply(p->near_p, near, near_z));
    ck_ok(context, fur_precond_apply(p->far_p, far, far_z));
    void *found = vector_entries(far_z);
    int64_t first = first_difference(v.value_type, v.rows, found, fur_vector_const_data(near_z));
    ck_assert_msg(first < 0, "%s differs in row %lld", fur_precond_describe(p->near_p)->kind,
                  (long long)first);
    free(found);
    fur_vector_destroy(far_z);
    fur_vector_destroy(far);
    fur_vector_destroy(near_z);
    fur_vector_destroy(near);
}

static void make_both(pair *p, const fur_precond_options *options)
{
    ck_ok(p->host, fur_csr_transfer(p->near, p->c.context, &p->far));
    ck_ok(p->host, fur_precond_create(p->near, options, &p->near_p));
    ck_ok(p->c.context, fur_precond_create(p->far, options, &p->far_p));
    const fur_precond_report *near = fur_precond_describe(p->near_p);
    const fur_precond_report *far = fur_precond_describe(p->far_p);
    ck_assert_int_eq(far->entries, near->entries);
    ck_assert_int_eq(far->levels, near->levels);
    ck_assert(far->shift == near->shift);
    ck_assert_int_eq(far->raised, near->raised);
}

/* Makes each value a little larger, so that the diagonal remains dominant. */
static void change_values(const pair *p)
{
    fur_csr_view v = *fur_csr_get(p->near);
    void *values = entries_make(v.value_type, v.entries);
    for (int64_t k = 0; k < v.entries; k++) {
        fur_scalar entry = entry_get(v.value_type, v.values, k);
        double factor = 1 + 0.01 * (double)(v.columns[k] % 3);
        entry_set(v.value_type, values, k, fur_complex(factor * entry.re, factor * entry.im));
    }
    ck_ok(p->host, fur_csr_set_values(p->near, values, FUR_OWNERSHIP_COPY));
    ck_ok(p->c.context, fur_csr_set_values(p->far, values, FUR_OWNERSHIP_COPY));
    ck_ok(p->host, fur_precond_update(p->near_p));
    ck_ok(p->c.context, fur_precond_update(p->far_p));
    free(values);
}

/* Applications have the bits of the CPU. The sizes need one warp or several blocks. Loops over
 * kinds and value types. */
START_TEST(applications_have_the_bits_of_the_cpu)
{
    static const int64_t sizes[] = {0, 1, 30, 400};
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    rng r = rng_stream(7300 + (uint64_t)_i);
    for (int s = test_small() ? 2 : 0; s < (test_small() ? 3 : 4); s++) {
        pair p;
        pair_open(&p);
        p.near = make(p.host, &r, sizes[s], value, s % 2 ? FUR_I32 : FUR_I64);
        make_both(&p, &kinds[_i / FUR_VALUE_COUNT]);
        check_application(&p, &r);
        check_application(&p, &r);
        change_values(&p);
        check_application(&p, &r);
        pair_close(&p);
    }
}
END_TEST

/* Solves have the bits of the CPU. The matrix has more rows than run at once, and chains as long as
 * the grid. Loops over kinds. */
START_TEST(solves_have_the_bits_of_the_cpu)
{
    rng r = rng_stream(7400 + (uint64_t)_i);
    double residual[2];
    pair p;
    pair_open(&p);
    p.near = poisson_make(p.host, test_small() ? 6 : 40);
    make_both(&p, &kinds[_i]);
    check_application(&p, &r);
    const char *method = fur_precond_describe(p.near_p)->symmetric ? "cg" : "bicgstab";
    int64_t near = poisson_iterations(p.near, method, &kinds[_i], &residual[0]);
    ck_assert_int_eq(poisson_iterations(p.far, method, &kinds[_i], &residual[1]), near);
    ck_assert(memcmp(&residual[0], &residual[1], sizeof residual[0]) == 0);
    pair_close(&p);
}
END_TEST

/* "amg" works as a kind of preconditioner; its other tests are separate. */
START_TEST(multigrid_is_a_kind_too)
{
    static const fur_precond_options options = {.size = sizeof options, .kind = "amg"};
    rng r = rng_stream(7450);
    double residual[2];
    pair p;
    pair_open(&p);
    p.near = poisson_make(p.host, test_small() ? 8 : 24);
    make_both(&p, &options);
    check_application(&p, &r);
    int64_t near = poisson_iterations(p.near, "cg", &options, &residual[0]);
    ck_assert_int_eq(poisson_iterations(p.far, "cg", &options, &residual[1]), near);
    ck_assert(memcmp(&residual[0], &residual[1], sizeof residual[0]) == 0);
    pair_close(&p);
}
END_TEST

/* Geometric multigrid works as a kind of preconditioner. The Laplacian is scaled on both sides, so
 * its coefficients vary. */
START_TEST(geometric_multigrid_is_a_kind_too)
{
    static const fur_precond_options grid = {.size = sizeof grid, .kind = "grid"};
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = _i ? FUR_F64 : FUR_F32, .extent = {23, 17, 12}};
    pair p;
    fur_stencil *stencil = NULL;
    rng r = rng_stream(7700 + (uint64_t)_i);
    pair_open(&p);
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(p.host, fur_stencil_create(p.host, &d, &stencil));
    ck_ok(p.host, fur_stencil_assemble(stencil, &p.near));
    fur_stencil_destroy(stencil);
    int64_t n = fur_csr_get(p.near)->rows;
    void *entries = entries_make(d.value_type, n);
    for (int64_t i = 0; i < n; i++)
        entry_set(d.value_type, entries, i, fur_real(1 + rng_unit(&r)));
    fur_vector *scale = vector_from(p.host, d.value_type, n, entries);
    free(entries);
    ck_ok(p.host, fur_csr_scale(p.near, scale, scale));
    make_both(&p, &grid);
    check_application(&p, &r);
    fur_vector_destroy(scale);
    pair_close(&p);
}
END_TEST

/* A captured application gives correct results with other numbers in r. Loops over kinds. */
START_TEST(applications_are_captured)
{
    rng r = rng_stream(7500 + (uint64_t)_i);
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    p.near = poisson_make(p.host, 6);
    make_both(&p, &kinds[_i]);
    fur_vector *far = vector_random(context, &r, FUR_F64, 216);
    fur_vector *far_z = vector_random(context, &r, FUR_F64, 216);
    ck_ok(context, fur_precond_apply(p.far_p, far, far_z));
    ck_cuda(cudaStreamBeginCapture(p.c.stream, cudaStreamCaptureModeGlobal));
    ck_ok(context, fur_precond_apply(p.far_p, far, far_z));
    ck_cuda(cudaStreamEndCapture(p.c.stream, &graph));
    ck_cuda(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    fur_vector *near = vector_random(p.host, &r, FUR_F64, 216);
    fur_vector *near_z = vector_random(p.host, &r, FUR_F64, 216);
    ck_ok(context, fur_vector_copy(near, far));
    ck_cuda(cudaGraphLaunch(executable, p.c.stream));
    ck_ok(p.host, fur_precond_apply(p.near_p, near, near_z));
    void *found = vector_entries(far_z);
    ck_assert_int_eq(first_difference(FUR_F64, 216, found, fur_vector_const_data(near_z)), -1);
    free(found);
    ck_cuda(cudaGraphExecDestroy(executable));
    ck_cuda(cudaGraphDestroy(graph));
    fur_vector_destroy(near_z);
    fur_vector_destroy(near);
    fur_vector_destroy(far_z);
    fur_vector_destroy(far);
    pair_close(&p);
}
END_TEST

/* Both devices refuse a matrix with the same message. Row 3 has a pivot that no kind can use, then
 * no diagonal entry. "ilut" in A's own order raises the pivot. For an indefinite matrix, both
 * devices use the same shift or name the same row in the refusal. Loops over kinds. */
START_TEST(refusals_have_the_words_of_the_cpu)
{
    static const int32_t row[] = {0, 0, 1, 1, 2, 3, 3};
    static const int32_t col[] = {0, 1, 0, 1, 2, 3, 2};
    static const double entry[3][7] = {
        {2, 1, 1, 2, 0, 1, 0.5}, {2, 1, 1, 2, 1, 0.5, 0}, {1, 3, 3, 1, 1, 1, 1}};
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    for (int i = 0; i < 3; i++) {
        /* The second matrix lacks the entry (2, 2). */
        int32_t columns[7];
        memcpy(columns, col, sizeof columns);
        columns[4] = i == 1 ? 3 : 2;
        fur_coo_view coo = {sizeof coo, 4, 4, 7, FUR_F64, row, columns, entry[i]};
        fur_csr *near = NULL;
        fur_csr *far = NULL;
        fur_precond *near_p = NULL;
        fur_precond *far_p = NULL;
        ck_ok(p.host, fur_csr_from_coo(p.host, &coo, FUR_DUPLICATES_ERROR, &near));
        ck_ok(p.host, fur_csr_transfer(near, context, &far));
        fur_status status = fur_precond_create(near, &kinds[_i], &near_p);
        ck_assert(i == 2 || strstr(kinds[_i].kind, "no_matching") || status == FUR_INVALID);
        if (status == FUR_OK) {
            ck_ok(context, fur_precond_create(far, &kinds[_i], &far_p));
            ck_assert(fur_precond_describe(far_p)->shift == fur_precond_describe(near_p)->shift);
        } else {
            ck_fails(context, status, fur_context_error(p.host),
                     fur_precond_create(far, &kinds[_i], &far_p));
        }
        fur_precond_destroy(far_p);
        fur_precond_destroy(near_p);
        fur_csr_destroy(far);
        fur_csr_destroy(near);
    }
    pair_close(&p);
}
END_TEST

/* Every failing allocation is survived. A plan may succeed although an allocation fails. Blocks of
 * one row are a scaling, which allocates once. Loops over kinds. */
START_TEST(every_failing_allocation_is_survived)
{
    pair p;
    pair_open(&p);
    fur_context *context = p.c.context;
    int failures = 0;
    p.near = poisson_make(p.host, 4);
    ck_ok(p.host, fur_csr_transfer(p.near, context, &p.far));
    int64_t before = p.c.device.outstanding;
    bool failed = true;
    for (int64_t n = 1; failed; n++) {
        p.c.device.fail_at = p.c.device.calls + n;
        fur_status status = fur_precond_create(p.far, &kinds[_i], &p.far_p);
        failed = p.c.device.calls >= p.c.device.fail_at;
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        failures += status != FUR_OK;
        fur_precond_destroy(p.far_p);
        p.far_p = NULL;
        ck_assert_int_eq(p.c.device.outstanding, before);
    }
    p.c.device.fail_at = 0;
    ck_assert_int_gt(failures, 0);
    pair_close(&p);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, applications_have_the_bits_of_the_cpu, 0,
                        KIND_COUNT * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, solves_have_the_bits_of_the_cpu, 0, KIND_COUNT);
    tcase_add_test(tests, multigrid_is_a_kind_too);
    tcase_add_loop_test(tests, geometric_multigrid_is_a_kind_too, 0, 2);
    tcase_add_loop_test(tests, applications_are_captured, 0, KIND_COUNT);
    tcase_add_loop_test(tests, refusals_have_the_words_of_the_cpu, 0, KIND_COUNT);
    tcase_add_loop_test(tests, every_failing_allocation_is_survived, 0, KIND_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_precond", add_tests);
}
