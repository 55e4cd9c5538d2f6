/* Memory that runs out in a GPU context, on either side. Every function that creates something is
 * called with an allocator that fails at its first call, then at its second, and so on until the
 * function succeeds. Each failure must be FUR_OUT_OF_MEMORY, touch nothing, leak nothing, and leave
 * a context that works. */
#include "cuda_support.h"

#include <string.h>

/* The object that a function creates. */
typedef union object {
    void *any;
    fur_context *context;
    fur_vector *vector;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *op;
    fur_permutation *permutation;
    fur_solver *solver;
    fur_scalars *scalars;
    fur_recognised *recognised;
} object;

/* The arguments of the functions under test. */
typedef struct fixture {
    counted c;
    fur_context *context;
    fur_csr *a;      /* square, with all diagonal entries */
    fur_csr *narrow; /* another shape and value type */
    fur_csr *on_host;
    pattern pattern;
    void *values;
    fur_csr_view arrays; /* arrays of a, on the host */
    fur_vector *x;
    fur_permutation *order;
    fur_permutation *long_order; /* an order of the narrow matrix's columns */
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_csr *constant; /* this and `variable`: a stencil except for one row */
    fur_csr *variable;
    fur_spmv_options options; /* for the next plan */
} fixture;

/* Makes two matrices of a stencil of 7 points. In `constant` one value is changed. In `variable`
 * all values are random, and one column of the first row is changed. */
static void set_recognisable(fixture *f, rng *r)
{
    fur_context *host = fur_context_host(f->context);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {5, 6, 7}};
    fur_stencil *stencil = NULL;
    fur_csr *matrix = NULL;
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(host, fur_stencil_create(host, &d, &stencil));
    ck_ok(host, fur_stencil_assemble(stencil, &matrix));
    fur_csr_view view = *fur_csr_get(matrix);
    double *values = (double *)(uintptr_t)view.values;
    values[0] = 2;
    ck_ok(host, fur_csr_transfer(matrix, f->context, &f->constant));
    for (int64_t k = 0; k < view.entries; k++)
        values[k] = rng_unit(r);
    ((int32_t *)(uintptr_t)view.columns)[3]++; /* the last entry of the first row */
    ck_ok(host, fur_csr_transfer(matrix, f->context, &f->variable));
    fur_csr_destroy(matrix);
    fur_stencil_destroy(stencil);
}

static void fixture_open(fixture *f, const char *shape_name)
{
    rng r = rng_stream(1);
    memset(f, 0, sizeof *f);
    counted_open(&f->c);
    f->context = f->c.context;
    f->options.size = sizeof f->options;
    f->pattern = pattern_make(&shapes[shape_find(shape_name)], &r);
    f->values = entries_random(&r, FUR_F64, f->pattern.entries);
    f->arrays = arrays_make(&f->pattern, FUR_F64, FUR_I32, f->values);
    ck_ok(f->context, fur_csr_create(f->context, &f->arrays, FUR_OWNERSHIP_COPY, &f->a));
    f->narrow = matrix_random(f->context, &r, &shapes[shape_find("wide")], FUR_C64, FUR_I64);
    ck_ok(f->context, fur_csr_transfer(f->narrow, fur_context_host(f->context), &f->on_host));
    f->x = vector_random(f->context, &r, FUR_F64, f->arrays.rows);
    f->order = permutation_random(f->context, &r, f->arrays.rows);
    f->long_order = permutation_random(f->context, &r, fur_csr_get(f->narrow)->cols);
    ck_ok(f->context, fur_spmv_plan(f->a, NULL, &f->plan));
    ck_ok(f->context, fur_operator_from_spmv(f->plan, &f->op));
    ck_ok(f->context, fur_operator_jacobi(f->op, &f->jacobi));
    set_recognisable(f, &r);
}

static void fixture_close(fixture *f)
{
    fur_csr_destroy(f->variable);
    fur_csr_destroy(f->constant);
    fur_operator_destroy(f->jacobi);
    fur_operator_destroy(f->op);
    fur_spmv_destroy(f->plan);
    fur_permutation_destroy(f->long_order);
    fur_permutation_destroy(f->order);
    fur_vector_destroy(f->x);
    fur_csr_destroy(f->on_host);
    fur_csr_destroy(f->narrow);
    fur_csr_destroy(f->a);
    arrays_release(&f->arrays);
    free(f->values);
    pattern_release(&f->pattern);
    counted_close(&f->c);
}

static fur_status make_context(fixture *f, object *out)
{
    fur_context_options options = counted_options(&f->c);
    return fur_context_create(&options, &out->context);
}

static fur_status make_vector(fixture *f, object *out)
{
    return fur_vector_create(f->context, FUR_C64, 1000, &out->vector);
}

static fur_status upload_vector(fixture *f, object *out)
{
    return fur_vector_wrap(f->context, FUR_F64, 100, f->values, FUR_OWNERSHIP_COPY, &out->vector);
}

static fur_status borrow_vector(fixture *f, object *out)
{
    return fur_vector_wrap(f->context, FUR_F64, 100, fur_vector_data(f->x), FUR_OWNERSHIP_BORROW,
                           &out->vector);
}

static fur_status convert_vector(fixture *f, object *out)
{
    return fur_vector_convert(f->x, FUR_C64, &out->vector);
}

/* If adoption fails, the caller still owns the memory. */
static fur_status adopt_vector(fixture *f, object *out)
{
    void *data = NULL;
    int64_t fail_at = f->c.host.fail_at;
    f->c.host.fail_at = 0;
    ck_ok(f->context, fur_context_allocate(f->context, 800, &data));
    f->c.host.fail_at = fail_at > 0 ? fail_at + 1 : 0;
    memset(data, 0, 800);
    fur_status status =
        fur_vector_wrap(f->context, FUR_F64, 100, data, FUR_OWNERSHIP_ADOPT, &out->vector);
    if (status != FUR_OK)
        fur_context_release(f->context, data);
    return status;
}

static fur_status upload_matrix(fixture *f, object *out)
{
    return fur_csr_create(f->context, &f->arrays, FUR_OWNERSHIP_COPY, &out->matrix);
}

static fur_status copy_matrix(fixture *f, object *out)
{
    fur_csr_view view = *fur_csr_get(f->a);
    return fur_csr_create(f->context, &view, FUR_OWNERSHIP_COPY, &out->matrix);
}

static fur_status borrow_matrix(fixture *f, object *out)
{
    fur_csr_view view = *fur_csr_get(f->a);
    return fur_csr_create(f->context, &view, FUR_OWNERSHIP_BORROW, &out->matrix);
}

static fur_status fetch_matrix(fixture *f, object *out)
{
    return fur_csr_transfer(f->narrow, fur_context_host(f->context), &out->matrix);
}

/* The host's context has the error message. It is copied to f's context, in which the test reads
 * it. */
static fur_status send_matrix(fixture *f, object *out)
{
    fur_status status = fur_csr_transfer(f->on_host, f->context, &out->matrix);
    const char *sentence = fur_context_error(fur_context_host(f->context));
    return status == FUR_OK ? status : fur_context_fail(f->context, status, "%s", sentence);
}

static fur_status assemble(fixture *f, object *out)
{
    static const int32_t rows[] = {3, 1, 2, 2, 0, 3};
    static const int32_t cols[] = {0, 1, 2, 0, 3, 0};
    const fur_coo_view coo = {sizeof coo, 4, 4, COUNT_OF(rows), FUR_F64, rows, cols, f->values};
    return fur_csr_from_coo(f->context, &coo, FUR_DUPLICATES_SUM, &out->matrix);
}

static fur_status transpose(fixture *f, object *out)
{
    return fur_csr_transpose(f->narrow, 1, &out->matrix);
}

static fur_status permute(fixture *f, object *out)
{
    return fur_csr_permute(f->a, f->order, f->order, &out->matrix);
}

static fur_status permute_long_rows(fixture *f, object *out)
{
    return fur_csr_permute(f->narrow, NULL, f->long_order, &out->matrix);
}

static fur_status make_permutation(fixture *f, object *out)
{
    return fur_permutation_create(f->context, 100, NULL, &out->permutation);
}

static fur_status diagonal(fixture *f, object *out)
{
    return fur_csr_diagonal(f->narrow, &out->vector);
}

static fur_status convert_matrix(fixture *f, object *out)
{
    return fur_csr_convert(f->narrow, FUR_C128, FUR_I32, &out->matrix);
}

static fur_status plan(fixture *f, object *out)
{
    return fur_spmv_plan(f->a, &f->options, &out->plan);
}

static fur_status plan_operator(fixture *f, object *out)
{
    return fur_operator_from_spmv(f->plan, &out->op);
}

static fur_status permuted_operator(fixture *f, object *out)
{
    return fur_operator_permute(f->op, f->order, &out->op);
}

static fur_status jacobi(fixture *f, object *out)
{
    return fur_operator_jacobi(f->op, &out->op);
}

static fur_status solver(fixture *f, object *out)
{
    fur_solver_options options = {.size = sizeof options, .preconditioner = f->jacobi};
    return fur_solver_create(f->op, &options, &out->solver);
}

static fur_status scalars(fixture *f, object *out)
{
    return fur_scalars_create(f->context, &out->scalars);
}

static fur_status recognise(fixture *f, object *out)
{
    return fur_stencil_recognise(f->constant, NULL, NULL, &out->recognised);
}

static fur_status recognise_fields(fixture *f, object *out)
{
    return fur_stencil_recognise(f->variable, NULL, NULL, &out->recognised);
}

/* These calls create nothing, but they may need temporary memory. */

static fur_status measure(fixture *f, object *out)
{
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    fur_status status = fur_csr_measure(f->a, &figures);
    out->any = status == FUR_OK ? NULL : out->any;
    return status;
}

static fur_status compare(fixture *f, object *out)
{
    int equal;
    fur_status status = fur_csr_compare(f->a, f->a, &equal);
    out->any = status == FUR_OK ? NULL : out->any;
    return status;
}

static fur_status check(fixture *f, object *out)
{
    fur_csr_view view = *fur_csr_get(f->a);
    fur_status status = fur_csr_check(f->context, &view);
    out->any = status == FUR_OK ? NULL : out->any;
    return status;
}

static void destroy_context(object o)
{
    fur_context_destroy(o.context);
}

static void destroy_vector(object o)
{
    fur_vector_destroy(o.vector);
}

static void destroy_matrix(object o)
{
    fur_csr_destroy(o.matrix);
}

static void destroy_plan(object o)
{
    fur_spmv_destroy(o.plan);
}

static void destroy_operator(object o)
{
    fur_operator_destroy(o.op);
}

static void destroy_permutation(object o)
{
    fur_permutation_destroy(o.permutation);
}

static void destroy_solver(object o)
{
    fur_solver_destroy(o.solver);
}

static void destroy_scalars(object o)
{
    fur_scalars_destroy(o.scalars);
}

static void destroy_recognised(object o)
{
    fur_recognised_destroy(o.recognised);
}

typedef struct creation {
    const char *name;
    fur_status (*create)(fixture *f, object *out);
    void (*destroy)(object o);
    /* Least numbers of allocations on each side, which show that the loop made them fail. */
    int least_host;
    int least_device;
} creation;

static const creation creations[] = {
    {"context", make_context, destroy_context, 2, 1},
    {"vector", make_vector, destroy_vector, 1, 1},
    {"vector uploaded", upload_vector, destroy_vector, 1, 1},
    {"vector adopted", adopt_vector, destroy_vector, 1, 1},
    {"vector borrowed", borrow_vector, destroy_vector, 1, 0},
    {"vector converted", convert_vector, destroy_vector, 3, 1},
    {"matrix uploaded", upload_matrix, destroy_matrix, 1, 3},
    {"matrix copied", copy_matrix, destroy_matrix, 1, 3},
    {"matrix borrowed", borrow_matrix, destroy_matrix, 1, 0},
    {"matrix fetched", fetch_matrix, destroy_matrix, 4, 0},
    {"matrix sent", send_matrix, destroy_matrix, 1, 3},
    {"matrix assembled", assemble, destroy_matrix, 5, 3},
    {"transpose", transpose, destroy_matrix, 1, 3},
    {"permutation", make_permutation, destroy_permutation, 4, 2},
    {"permuted matrix", permute, destroy_matrix, 1, 5},
    {"permuted matrix with long rows", permute_long_rows, destroy_matrix, 1, 10},
    {"diagonal", diagonal, destroy_vector, 1, 1},
    {"matrix converted", convert_matrix, destroy_matrix, 5, 3},
    {"operator of a plan", plan_operator, destroy_operator, 1, 0},
    {"permuted operator", permuted_operator, destroy_operator, 4, 2},
    {"Jacobi's preconditioner", jacobi, destroy_operator, 1, 1},
    {"solver", solver, destroy_solver, 1, 4},
    {"scalars", scalars, destroy_scalars, 1, 1},
    {"recognised stencil", recognise, destroy_recognised, 10, 10},
    {"recognised stencil of fields", recognise_fields, destroy_recognised, 20, 15},
    {"measuring", measure, destroy_vector, 0, 0},
    {"comparing", compare, destroy_vector, 4, 0},
    {"checking", check, destroy_vector, 0, 0},
};
static const creation plan_creation = {"plan", plan, destroy_plan, 1, 0};

static void ck_usable(fixture *f)
{
    double norm;
    ck_ok(f->context, fur_norm1(f->x, &norm));
}

/* Makes the n-th allocation on one side fail. Returns whether the creation succeeded nevertheless.
 */
static bool succeeds(fixture *f, const creation *c, memory *side, int64_t n)
{
    object out = {f};
    int64_t host = f->c.host.outstanding;
    int64_t device = f->c.device.outstanding;
    side->fail_at = side->calls + n;
    fur_status status = c->create(f, &out);
    bool failed_one = side->calls >= side->fail_at;
    side->fail_at = 0;
    if (status == FUR_OK) {
        /* "auto" may choose a kernel that needs less memory, also for a solver's plan. */
        bool makes_do = (c->create == plan && !f->options.kernel) || c->create == recognise ||
                        c->create == recognise_fields || c->create == solver;
        ck_assert_msg(!failed_one || makes_do, "%s: success without allocation %lld", c->name,
                      (long long)n);
        ck_assert_ptr_ne(out.any, f);
        c->destroy(out);
    } else {
        const char *sentence = fur_context_error(c->create == make_context ? NULL : f->context);
        ck_assert_msg(status == FUR_OUT_OF_MEMORY && strlen(sentence) > 16, "%s: %s", c->name,
                      sentence);
        ck_assert_ptr_eq(out.any, f);
        ck_usable(f);
    }
    ck_assert_msg(f->c.host.outstanding == host && f->c.device.outstanding == device,
                  "%s: allocation %lld leaks", c->name, (long long)n);
    return status == FUR_OK;
}

static void check_side(fixture *f, const creation *c, memory *side, int least)
{
    int64_t n = 1;
    while (!succeeds(f, c, side, n))
        n++;
    ck_assert_msg(n > least, "%s: only %lld allocations", c->name, (long long)n - 1);
}

static void check_creation(fixture *f, const creation *c)
{
    check_side(f, c, &f->c.host, c->least_host);
    check_side(f, c, &f->c.device, c->least_device);
}

START_TEST(creation_survives_every_failing_allocation)
{
    fixture f;
    fixture_open(&f, "small grid");
    for (int i = 0; i < COUNT_OF(creations); i++)
        check_creation(&f, &creations[i]);
    fixture_close(&f);
}
END_TEST

/* Checks plans for every kernel that accepts the matrix, and for auto with an estimate and with
 * measurements. */
static void check_plans(const char *shape_name)
{
    fixture f;
    fixture_open(&f, shape_name);
    int kernels = kernel_count(fur_spmv_kernel_at, f.context);
    for (int i = 0; i < 3 * (kernels + 2); i++) {
        fur_spmv *trial = NULL;
        int kernel = i / 3;
        f.options.op = (fur_op)(i % 3);
        f.options.kernel = kernel < kernels ? kernel_info(f.context, kernel).name : NULL;
        f.options.measure = kernel > kernels;
        if (fur_spmv_plan(f.a, &f.options, &trial) == FUR_OK && !(test_small() && i % 3))
            check_creation(&f, &plan_creation);
        fur_spmv_destroy(trial);
    }
    fixture_close(&f);
}

START_TEST(plans_survive_every_failing_allocation)
{
    check_plans("small grid");
    if (!test_small())
        check_plans("grid");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, creation_survives_every_failing_allocation);
    tcase_add_test(tests, plans_survive_every_failing_allocation);
}

int main(void)
{
    return run_gpu_tests("cuda_faults", add_tests);
}
