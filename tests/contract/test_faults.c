/* Tests failing allocations. Every function that creates something is called with an allocator that
 * fails at its first call, then at its second, and so on until the function succeeds. Each failure
 * must be FUR_OUT_OF_MEMORY, change nothing and leak nothing. The same holds for a caller who
 * cancels the call: FUR_CANCELLED. */
#include "support.h"

#include <string.h>

/* The object that a function creates. */
typedef union object {
    void *any;
    fur_context *context;
    fur_vector *vector;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_trsv *trsv;
    fur_spgemm *spgemm;
    fur_triple *triple;
    fur_operator *op;
    fur_permutation *permutation;
    fur_solver *solver;
    fur_stencil *stencil;
    fur_recognised *recognised;
    fur_product *product;
    fur_precond *precond;
} object;

/* The arguments of the functions. */
typedef struct fixture {
    memory m;
    int64_t asked;   /* number of calls of interrupted() */
    int64_t stop_at; /* the call of interrupted() that returns yes; 0: none */
    fur_context *context;
    fur_csr *a;      /* square, diagonal in every row */
    fur_csr *narrow; /* of another shape and type */
    fur_csr *skew;   /* square, its pattern unsymmetric */
    fur_coo_view sorted;
    fur_coo_view unsorted;
    fur_coo_view repeated;
    fur_vector *x;
    fur_permutation *order;
    fur_permutation *long_order; /* of the columns of `narrow` */
    fur_spmv *plan;
    fur_spgemm *spgemm; /* for the product a a */
    fur_operator *op;
    fur_operator *jacobi;
    fur_stencil *stencil;
    fur_csr *constant; /* the stencil's matrix with one changed value */
    fur_csr *variable;
    fur_recognised *recognised;
    fur_spmv_options options; /* of the plan that is created */
} fixture;

static fur_stencil_definition stencil_definition(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {5, 6, 7}};
    ck_assert(fur_stencil_named(7, &d));
    return d;
}

/* In `constant`, a value of the first row differs from the stencil. In `variable`, a column
 * does. */
static void set_recognisable(fixture *f, rng *r)
{
    ck_ok(f->context, fur_stencil_assemble(f->stencil, &f->constant));
    fur_csr_view view = *fur_csr_get(f->constant);
    double *values = (double *)(uintptr_t)view.values;
    int32_t *columns = (int32_t *)(uintptr_t)view.columns;
    for (int64_t k = 0; k < view.entries; k++)
        values[k] = rng_unit(r);
    columns[3]++;
    ck_ok(f->context, fur_csr_create(f->context, &view, FUR_OWNERSHIP_COPY, &f->variable));
    fur_csr_destroy(f->constant);
    ck_ok(f->context, fur_stencil_assemble(f->stencil, &f->constant));
    view = *fur_csr_get(f->constant);
    values = (double *)(uintptr_t)view.values;
    values[0] = 2;
    ck_ok(f->context, fur_stencil_recognise(f->constant, NULL, NULL, &f->recognised));
    ck_assert_ptr_nonnull(f->recognised);
}

static void set_coordinates(fixture *f, rng *r)
{
    static int32_t rows[200];
    static int32_t ordered[200];
    static int32_t shuffled[200];
    static int32_t few[200];
    static double values[200];
    for (int e = 0; e < COUNT_OF(rows); e++) {
        rows[e] = e / 10;
        ordered[e] = e % 10;
        shuffled[e] = 9 - e % 10;
        few[e] = (int32_t)rng_below(r, 3);
    }
    f->sorted = (fur_coo_view){
        sizeof(fur_coo_view), 20, 10, COUNT_OF(rows), FUR_F64, rows, ordered, values};
    f->unsorted = (fur_coo_view){
        sizeof(fur_coo_view), 20, 10, COUNT_OF(rows), FUR_F64, rows, shuffled, values};
    f->repeated =
        (fur_coo_view){sizeof(fur_coo_view), 20, 10, COUNT_OF(rows), FUR_F64, rows, few, values};
}

static int interrupted(void *user)
{
    fixture *f = user;
    return ++f->asked == f->stop_at;
}

static fur_context *open_context(fixture *f)
{
    fur_context *context = NULL;
    fur_context_options options = {.size = sizeof options,
                                   .threads = 3,
                                   .allocator = memory_allocator(&f->m),
                                   .interrupted = interrupted,
                                   .interrupted_user = f};
    ck_ok(NULL, fur_context_create(&options, &context));
    return context;
}

static void fixture_open(fixture *f, const char *shape_name)
{
    rng r = rng_stream(1);
    memset(f, 0, sizeof *f);
    f->context = open_context(f);
    f->options.size = sizeof f->options;
    f->a = matrix_random(f->context, &r, &shapes[shape_find(shape_name)], FUR_F64, FUR_I32);
    f->narrow = matrix_random(f->context, &r, &shapes[shape_find("wide")], FUR_C64, FUR_I64);
    f->skew = matrix_random(f->context, &r, &shapes[shape_find("empty rows")], FUR_F32, FUR_I32);
    f->x = vector_random(f->context, &r, FUR_F64, fur_csr_get(f->a)->rows);
    f->order = permutation_random(f->context, &r, fur_csr_get(f->a)->rows);
    f->long_order = permutation_random(f->context, &r, fur_csr_get(f->narrow)->cols);
    ck_ok(f->context, fur_spmv_plan(f->a, NULL, &f->plan));
    ck_ok(f->context, fur_spgemm_plan(f->a, f->a, NULL, &f->spgemm));
    ck_ok(f->context, fur_operator_from_spmv(f->plan, &f->op));
    ck_ok(f->context, fur_operator_jacobi(f->op, &f->jacobi));
    fur_stencil_definition stencil = stencil_definition();
    ck_ok(f->context, fur_stencil_create(f->context, &stencil, &f->stencil));
    set_recognisable(f, &r);
    set_coordinates(f, &r);
}

static void fixture_close(fixture *f)
{
    fur_recognised_destroy(f->recognised);
    fur_csr_destroy(f->variable);
    fur_csr_destroy(f->constant);
    fur_stencil_destroy(f->stencil);
    fur_operator_destroy(f->jacobi);
    fur_operator_destroy(f->op);
    fur_spgemm_destroy(f->spgemm);
    fur_spmv_destroy(f->plan);
    fur_permutation_destroy(f->long_order);
    fur_permutation_destroy(f->order);
    fur_vector_destroy(f->x);
    fur_csr_destroy(f->skew);
    fur_csr_destroy(f->narrow);
    fur_csr_destroy(f->a);
    fur_context_destroy(f->context);
    ck_assert_int_eq(f->m.outstanding, 0);
}

static fur_status make_context(fixture *f, object *out)
{
    fur_context_options options = {.size = sizeof options, .allocator = memory_allocator(&f->m)};
    return fur_context_create(&options, &out->context);
}

static fur_status make_vector(fixture *f, object *out)
{
    return fur_vector_create(f->context, FUR_C64, 1000, &out->vector);
}

static fur_status copy_vector(fixture *f, object *out)
{
    return fur_vector_wrap(f->context, FUR_F64, 100, fur_vector_data(f->x), FUR_OWNERSHIP_COPY,
                           &out->vector);
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

static fur_status assemble_sorted(fixture *f, object *out)
{
    return fur_csr_from_coo(f->context, &f->sorted, FUR_DUPLICATES_ERROR, &out->matrix);
}

static fur_status assemble_unsorted(fixture *f, object *out)
{
    return fur_csr_from_coo(f->context, &f->unsorted, FUR_DUPLICATES_ERROR, &out->matrix);
}

static fur_status assemble_sum(fixture *f, object *out)
{
    return fur_csr_from_coo(f->context, &f->repeated, FUR_DUPLICATES_SUM, &out->matrix);
}

static fur_status assemble_last(fixture *f, object *out)
{
    return fur_csr_from_coo(f->context, &f->repeated, FUR_DUPLICATES_LAST, &out->matrix);
}

static fur_status assemble_kept(fixture *f, object *out)
{
    return fur_csr_from_coo(f->context, &f->repeated, FUR_DUPLICATES_KEEP, &out->matrix);
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

static fur_status copy_permutation(fixture *f, object *out)
{
    return fur_permutation_transfer(f->order, f->context, &out->permutation);
}

static fur_status diagonal(fixture *f, object *out)
{
    return fur_csr_diagonal(f->narrow, &out->vector);
}

static fur_status convert_matrix(fixture *f, object *out)
{
    return fur_csr_convert(f->narrow, FUR_C128, FUR_I32, &out->matrix);
}

static fur_status add(fixture *f, object *out)
{
    return fur_csr_add(f->a, fur_real(2), f->a, fur_real(1), &out->matrix);
}

static fur_status shift(fixture *f, object *out)
{
    return fur_csr_shift(f->a, fur_real(1), &out->matrix);
}

static fur_status multiply_elementwise(fixture *f, object *out)
{
    return fur_csr_multiply_elementwise(f->a, f->a, &out->matrix);
}

static fur_status kron(fixture *f, object *out)
{
    return fur_csr_kron(f->narrow, f->narrow, &out->matrix);
}

static fur_status band(fixture *f, object *out)
{
    return fur_csr_band(f->a, 0, 2, &out->matrix);
}

static fur_status submatrix(fixture *f, object *out)
{
    return fur_csr_submatrix(f->a, 1, 100, 2, 100, &out->matrix);
}

static fur_status select_lists(fixture *f, object *out)
{
    static const int32_t some[] = {7, 3, 7, 5};
    return fur_csr_select(f->a, 4, some, 4, some, &out->matrix);
}

static fur_status from_blocks(fixture *f, object *out)
{
    const fur_csr *const blocks[] = {f->a, NULL, NULL, f->a};
    return fur_csr_from_blocks(2, 2, blocks, &out->matrix);
}

static fur_status drop(fixture *f, object *out)
{
    return fur_csr_drop(f->a, 0.5, &out->matrix);
}

static fur_status diagonal_matrix(fixture *f, object *out)
{
    return fur_csr_from_diagonal(f->x, &out->matrix);
}

static fur_status norm_of_matrix(fixture *f, object *out)
{
    double norm;
    fur_csr_difference difference = FUR_DEFAULT(fur_csr_difference);
    fur_status status = fur_csr_norm(f->a, FUR_NORM_1, &norm);
    if (status == FUR_OK)
        status = fur_csr_compare_within(f->a, f->a, 0, 0, &difference);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static fur_status plan(fixture *f, object *out)
{
    return fur_spmv_plan(f->a, &f->options, &out->plan);
}

static fur_status plan_rounded(fixture *f, object *out)
{
    fur_spmv_options options = {.size = sizeof options, .values = FUR_STORED_F32};
    return fur_spmv_plan(f->a, &options, &out->plan);
}

/* Makes a batch of two systems and its solver, then destroys both. */
static fur_status batch_cg(fixture *f, object *out)
{
    fur_vectors *values = NULL;
    fur_batch *batch = NULL;
    fur_batch_solver *solver = NULL;
    fur_status status = fur_vectors_create(f->context, FUR_F64, fur_csr_get(f->a)->entries, 2,
                                           FUR_LAYOUT_ROWS, &values);
    if (status == FUR_OK)
        status = fur_batch_create(f->a, values, &batch);
    if (status == FUR_OK)
        status = fur_batch_solver_create(batch, NULL, &solver);
    fur_batch_solver_destroy(solver);
    fur_batch_destroy(batch);
    fur_vectors_destroy(values);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static fur_status trsv_by(fixture *f, const char *schedule, fur_op op, object *out)
{
    fur_trsv_options options = {.size = sizeof options, .schedule = schedule};
    return fur_trsv_plan(f->a, FUR_TRIANGLE_UPPER, op, FUR_DIAGONAL_STORED, &options, &out->trsv);
}

static fur_status trsv(fixture *f, object *out)
{
    return trsv_by(f, NULL, FUR_OP_N, out);
}

static fur_status trsv_by_blocks(fixture *f, object *out)
{
    return trsv_by(f, "blocks", FUR_OP_H, out);
}

static fur_status trsv_by_levels(fixture *f, object *out)
{
    return trsv_by(f, "levels", FUR_OP_N, out);
}

static fur_status plan_operator(fixture *f, object *out)
{
    return fur_operator_from_spmv(f->plan, &out->op);
}

static fur_status plan_product(fixture *f, object *out)
{
    return fur_spgemm_plan(f->a, f->a, NULL, &out->spgemm);
}

static fur_status product_of_plan(fixture *f, object *out)
{
    return fur_spgemm_multiply(f->spgemm, fur_real(1), &out->matrix);
}

static fur_status product_at_once(fixture *f, object *out)
{
    return fur_csr_multiply(f->a, f->a, &out->matrix);
}

static fur_status plan_triple(fixture *f, object *out)
{
    return fur_triple_plan(f->a, f->a, f->a, NULL, &out->triple);
}

static fur_status triple_at_once(fixture *f, object *out)
{
    return fur_csr_triple(f->a, f->a, f->a, &out->matrix);
}

static fur_status reorder(fixture *f, object *out)
{
    return fur_reorder(f->a, "rcm", NULL, NULL, &out->permutation);
}

static fur_status reorder_skew(fixture *f, object *out)
{
    return fur_reorder(f->skew, "cm", NULL, NULL, &out->permutation);
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

static fur_status stencil(fixture *f, object *out)
{
    fur_stencil_definition d = stencil_definition();
    return fur_stencil_create(f->context, &d, &out->stencil);
}

static fur_status stencil_of_fields(fixture *f, object *out)
{
    static const fur_stencil_offset offsets[] = {{-1, 0, 0}, {0, 0, 0}};
    const fur_vector *fields[] = {f->x, f->x};
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .axes = 1, .points = 2};
    d.extent[0] = fur_vector_size(f->x);
    d.offsets = offsets;
    d.fields = fields;
    return fur_stencil_create(f->context, &d, &out->stencil);
}

static fur_status assemble_stencil(fixture *f, object *out)
{
    return fur_stencil_assemble(f->stencil, &out->matrix);
}

static fur_status stencil_operator(fixture *f, object *out)
{
    return fur_operator_from_stencil(f->stencil, &out->op);
}

static fur_status recognise(fixture *f, object *out)
{
    return fur_stencil_recognise(f->constant, NULL, NULL, &out->recognised);
}

static fur_status product(fixture *f, object *out)
{
    fur_product_options options = {.size = sizeof options, .kernel = "rows", .order = "rcm"};
    return fur_product_create(f->skew, &options, &out->product);
}

static fur_status recognise_fields(fixture *f, object *out)
{
    return fur_stencil_recognise(f->variable, NULL, NULL, &out->recognised);
}

static fur_status recognised_operator(fixture *f, object *out)
{
    return fur_operator_from_recognised(f->recognised, &out->op);
}

static fur_status neighbours_by(fixture *f, const char *method, object *out)
{
    fur_vectors *points = NULL;
    fur_neighbours_options options = {.size = sizeof options, .method = method};
    fur_status status = fur_vectors_create(f->context, FUR_F64, 300, 2, FUR_LAYOUT_ROWS, &points);
    if (status == FUR_OK)
        status = fur_neighbours(points, 3, &options, NULL, &out->matrix);
    fur_vectors_destroy(points);
    return status;
}

static fur_status neighbours_brute(fixture *f, object *out)
{
    return neighbours_by(f, "brute", out);
}

static fur_status neighbours_grid(fixture *f, object *out)
{
    return neighbours_by(f, "grid", out);
}

static fur_status precond_by(fixture *f, const char *kind, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = kind};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_jacobi(fixture *f, object *out)
{
    return precond_by(f, "jacobi", out);
}

static fur_status precond_ssor(fixture *f, object *out)
{
    return precond_by(f, "ssor", out);
}

static fur_status precond_ic0(fixture *f, object *out)
{
    return precond_by(f, "ic0", out);
}

static fur_status precond_ilu0(fixture *f, object *out)
{
    return precond_by(f, "ilu0", out);
}

static fur_status precond_ilu(fixture *f, object *out)
{
    return precond_by(f, "ilu", out);
}

static fur_status precond_ilut(fixture *f, object *out)
{
    return precond_by(f, "ilut", out);
}

static fur_status precond_bjacobi(fixture *f, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = "bjacobi:adaptive"};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_spai(fixture *f, object *out)
{
    return precond_by(f, "spai", out);
}

static fur_status precond_schwarz(fixture *f, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = "schwarz:block=50"};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_coloured(fixture *f, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = "ic0:coloured"};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_fsai(fixture *f, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = "fsai:fill=1"};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_fsai_steps(fixture *f, object *out)
{
    fur_precond_options options = {.size = sizeof options, .kind = "fsai:steps=4"};
    return fur_precond_create(f->constant, &options, &out->precond);
}

static fur_status precond_chebyshev(fixture *f, object *out)
{
    return precond_by(f, "chebyshev", out);
}

/* Counts the calls of the user's function release(). */
static int release_calls;

static fur_status no_apply(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    return fur_vector_copy(x, y);
}

static void count_release(void *user)
{
    (void)user;
    release_calls++;
}

/* A call that creates an operator, or fails to, must not call the user's function release(). */
static fur_status user_operator(fixture *f, object *out)
{
    fur_operator_definition definition = {
        .size = sizeof definition, .apply = no_apply, .release = count_release};
    int before = release_calls;
    fur_status status = fur_operator_create(f->context, &definition, &out->op);
    ck_assert_int_eq(release_calls, before);
    return status;
}

static void destroy_nothing(object o)
{
    (void)o;
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

static void destroy_trsv(object o)
{
    fur_trsv_destroy(o.trsv);
}

static void destroy_spgemm(object o)
{
    fur_spgemm_destroy(o.spgemm);
}

static void destroy_triple(object o)
{
    fur_triple_destroy(o.triple);
}

static void destroy_operator(object o)
{
    fur_operator_destroy(o.op);
}

/* Computes eigenvalues with a constraint, then destroys everything. The operator comes from a
 * stencil, because plans for blocks may succeed with less memory. */
static fur_status lobpcg(fixture *f, object *out)
{
    double values[2];
    fur_operator *a = NULL;
    fur_vectors *ones = NULL;
    fur_status status = fur_operator_from_stencil(f->stencil, &a);
    if (status == FUR_OK)
        status = fur_vectors_create(f->context, fur_operator_value_type(a), fur_operator_rows(a), 1,
                                    FUR_LAYOUT_ROWS, &ones);
    if (status == FUR_OK)
        status = fur_vectors_fill(ones, fur_real(1));
    fur_lobpcg_options options = {
        .size = sizeof options, .count = 2, .constraints = ones, .tolerance = 1e-3};
    if (status == FUR_OK)
        status = fur_lobpcg(a, &options, values, NULL, NULL, NULL);
    fur_vectors_destroy(ones);
    fur_operator_destroy(a);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

/* Computes eigenvalues in more steps than the basis has vectors. */
static fur_status lanczos(fixture *f, object *out)
{
    double values[2];
    fur_operator *a = NULL;
    fur_eigs_options options = {.size = sizeof options, .count = 2, .basis = 10, .tolerance = 1e-3};
    fur_status status = fur_operator_from_stencil(f->stencil, &a);
    if (status == FUR_OK)
        status = fur_eigs(a, &options, values, NULL, NULL, NULL);
    fur_operator_destroy(a);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static void destroy_permutation(object o)
{
    fur_permutation_destroy(o.permutation);
}

static void destroy_solver(object o)
{
    fur_solver_destroy(o.solver);
}

/* Makes algebraic multigrid and destroys it. */
static fur_status amg_by(fixture *f, int single, const char *smoother, object *out)
{
    fur_amg *amg = NULL;
    fur_amg_options options = {.size = sizeof options,
                               .coarsest = 4,
                               .single = single,
                               .cycle = FUR_AMG_K,
                               .smoother = smoother,
                               .nonsymmetric = smoother != NULL};
    fur_status status = fur_amg_create(f->a, &options, &amg);
    fur_amg_destroy(amg);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static fur_status amg(fixture *f, object *out)
{
    return amg_by(f, 0, NULL, out);
}

static fur_status amg_single(fixture *f, object *out)
{
    return amg_by(f, 1, NULL, out);
}

static fur_status amg_by_rows(fixture *f, int aggressive, object *out)
{
    fur_amg *amg = NULL;
    fur_amg_options options = {
        .size = sizeof options, .coarsest = 4, .coarsening = "classical", .aggressive = aggressive};
    fur_status status = fur_amg_create(f->a, &options, &amg);
    fur_amg_destroy(amg);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static fur_status amg_classical(fixture *f, object *out)
{
    return amg_by_rows(f, 0, out);
}

static fur_status amg_aggressive(fixture *f, object *out)
{
    return amg_by_rows(f, 1, out);
}

static fur_status amg_coloured(fixture *f, object *out)
{
    return amg_by(f, 0, "gauss-seidel", out);
}

static fur_status rigid_modes(fixture *f, object *out)
{
    fur_vectors *points = NULL;
    fur_vectors *modes = NULL;
    fur_status status = fur_vectors_create(f->context, FUR_F64, 9, 3, FUR_LAYOUT_ROWS, &points);
    if (status == FUR_OK)
        status = fur_amg_rigid_modes(points, &modes);
    fur_vectors_destroy(modes);
    fur_vectors_destroy(points);
    if (status == FUR_OK)
        out->any = NULL;
    return status;
}

static void destroy_stencil(object o)
{
    fur_stencil_destroy(o.stencil);
}

static void destroy_product(object o)
{
    fur_product_destroy(o.product);
}

static void destroy_recognised(object o)
{
    fur_recognised_destroy(o.recognised);
}

static void destroy_precond(object o)
{
    fur_precond_destroy(o.precond);
}

typedef struct creation {
    const char *name;
    fur_status (*create)(fixture *f, object *out);
    void (*destroy)(object o);
    int least; /* fewest allocations that the creation must make, so that some have failed */
} creation;

static const creation creations[] = {
    {"context", make_context, destroy_context, 1},
    {"vector", make_vector, destroy_vector, 2},
    {"vector copied", copy_vector, destroy_vector, 2},
    {"vector borrowed", borrow_vector, destroy_vector, 1},
    {"vector converted", convert_vector, destroy_vector, 2},
    {"matrix copied", copy_matrix, destroy_matrix, 4},
    {"matrix borrowed", borrow_matrix, destroy_matrix, 1},
    {"sorted coordinates", assemble_sorted, destroy_matrix, 6},
    {"unsorted coordinates", assemble_unsorted, destroy_matrix, 10},
    {"repeated coordinates summed", assemble_sum, destroy_matrix, 10},
    {"repeated coordinates, the last kept", assemble_last, destroy_matrix, 10},
    {"repeated coordinates kept", assemble_kept, destroy_matrix, 6},
    {"transpose", transpose, destroy_matrix, 6},
    {"permutation", make_permutation, destroy_permutation, 3},
    {"permutation copied", copy_permutation, destroy_permutation, 3},
    {"permuted matrix", permute, destroy_matrix, 4},
    {"permuted matrix with long rows", permute_long_rows, destroy_matrix, 5},
    {"diagonal", diagonal, destroy_vector, 2},
    {"matrix converted", convert_matrix, destroy_matrix, 4},
    {"sum of matrices", add, destroy_matrix, 5},
    {"shifted matrix", shift, destroy_matrix, 5},
    {"element-wise product of matrices", multiply_elementwise, destroy_matrix, 5},
    {"Kronecker product", kron, destroy_matrix, 5},
    {"band", band, destroy_matrix, 5},
    {"submatrix", submatrix, destroy_matrix, 5},
    {"submatrix by lists", select_lists, destroy_matrix, 11},
    {"matrix of blocks", from_blocks, destroy_matrix, 6},
    {"matrix without small entries", drop, destroy_matrix, 5},
    {"diagonal matrix", diagonal_matrix, destroy_matrix, 4},
    {"norm and difference of matrices", norm_of_matrix, destroy_nothing, 2},
    {"triangular solve", trsv, destroy_trsv, 9},
    {"triangular solve by blocks", trsv_by_blocks, destroy_trsv, 20},
    {"triangular solve by levels", trsv_by_levels, destroy_trsv, 12},
    {"plan of a product of two", plan_product, destroy_spgemm, 10},
    {"product of two by a plan", product_of_plan, destroy_matrix, 2},
    {"product of two", product_at_once, destroy_matrix, 12},
    {"plan of a product of three", plan_triple, destroy_triple, 20},
    {"product of three", triple_at_once, destroy_matrix, 20},
    {"operator of a plan", plan_operator, destroy_operator, 1},
    {"reordering", reorder, destroy_permutation, 9},
    {"reordering with A + A^T", reorder_skew, destroy_permutation, 13},
    {"permuted operator", permuted_operator, destroy_operator, 6},
    {"the user's operator", user_operator, destroy_operator, 1},
    {"Jacobi's preconditioner", jacobi, destroy_operator, 3},
    {"solver", solver, destroy_solver, 10},
    {"stencil", stencil, destroy_stencil, 6},
    {"stencil of fields", stencil_of_fields, destroy_stencil, 6},
    {"stencil's matrix", assemble_stencil, destroy_matrix, 5},
    {"operator of a stencil", stencil_operator, destroy_operator, 1},
    {"recognised stencil", recognise, destroy_recognised, 16},
    {"recognised stencil of fields", recognise_fields, destroy_recognised, 30},
    {"operator of a recognised stencil", recognised_operator, destroy_operator, 1},
    {"product in another order", product, destroy_product, 10},
    {"neighbours by brute force", neighbours_brute, destroy_matrix, 6},
    {"neighbours by a grid", neighbours_grid, destroy_matrix, 13},
    {"plan with rounded values", plan_rounded, destroy_plan, 3},
    {"batch with a solver", batch_cg, destroy_nothing, 6},
    {"eigenvalues by Lanczos", lanczos, destroy_nothing, 10},
    {"eigenvalues by lobpcg", lobpcg, destroy_nothing, 18},
    {"algebraic multigrid", amg, destroy_nothing, 30},
    {"algebraic multigrid in single precision", amg_single, destroy_nothing, 33},
    {"classical multigrid", amg_classical, destroy_nothing, 30},
    {"aggressive multigrid", amg_aggressive, destroy_nothing, 50},
    {"algebraic multigrid with sweeps by colours", amg_coloured, destroy_nothing, 40},
    {"rigid body modes", rigid_modes, destroy_nothing, 4},
    {"preconditioner jacobi", precond_jacobi, destroy_precond, 6},
    {"preconditioner ssor", precond_ssor, destroy_precond, 20},
    {"preconditioner ic0", precond_ic0, destroy_precond, 30},
    {"preconditioner ilu0", precond_ilu0, destroy_precond, 30},
    {"preconditioner ilu", precond_ilu, destroy_precond, 35},
    {"preconditioner ilut", precond_ilut, destroy_precond, 60},
    {"preconditioner bjacobi", precond_bjacobi, destroy_precond, 7},
    {"preconditioner spai", precond_spai, destroy_precond, 8},
    {"preconditioner schwarz", precond_schwarz, destroy_precond, 50},
    {"preconditioner ic0 by colours", precond_coloured, destroy_precond, 35},
    {"preconditioner fsai", precond_fsai, destroy_precond, 20},
    {"preconditioner fsai by steps", precond_fsai_steps, destroy_precond, 20},
    {"preconditioner chebyshev", precond_chebyshev, destroy_precond, 10},
};
static const creation plan_creation = {"plan", plan, destroy_plan, 1};

static const char *error_of(const fixture *f, const creation *c)
{
    return fur_context_error(c->create == make_context ? NULL : f->context);
}

/* Makes the n-th allocation of the creation fail. Returns whether the creation succeeded. */
static bool succeeds(fixture *f, const creation *c, int64_t n)
{
    object out = {f};
    int64_t outstanding = f->m.outstanding;
    f->m.fail_at = f->m.calls + n;
    fur_status status = c->create(f, &out);
    bool failed_one = f->m.calls >= f->m.fail_at;
    f->m.fail_at = 0;
    if (status == FUR_OK) {
        /* "auto" may take a kernel that needs less memory. */
        bool makes_do = (c->create == plan && !f->options.kernel) || c->create == solver ||
                        c->create == recognise || c->create == recognise_fields;
        ck_assert_msg(!failed_one || makes_do, "%s: success without allocation %lld", c->name,
                      (long long)n);
        ck_assert_ptr_ne(out.any, f);
        c->destroy(out);
    } else {
        const char *sentence = error_of(f, c);
        ck_assert_msg(status == FUR_OUT_OF_MEMORY, "%s: %s", c->name, sentence);
        ck_assert_msg(strncmp(sentence, "out of memory: ", 15) == 0, "%s: %s", c->name, sentence);
        ck_assert_ptr_eq(out.any, f);
    }
    ck_assert_msg(f->m.outstanding == outstanding, "%s: allocation %lld leaks", c->name,
                  (long long)n);
    return status == FUR_OK;
}

static void check_creation(fixture *f, const creation *c)
{
    int64_t n = 1;
    while (!succeeds(f, c, n))
        n++;
    ck_assert_msg(n > c->least, "%s: only %lld allocations", c->name, (long long)n - 1);
}

/* A creation can fail at every allocation without side effects. Loops over the creations. */
START_TEST(creation_survives_every_failing_allocation)
{
    fixture f;
    fixture_open(&f, "small grid");
    check_creation(&f, &creations[_i]);
    fixture_close(&f);
}
END_TEST

/* Returns whether the creation succeeded. The n-th call of interrupted() returns yes; if the
 * creation makes this call, it must fail. */
static bool goes_on(fixture *f, const creation *c, int64_t n)
{
    object out = {f};
    int64_t outstanding = f->m.outstanding;
    f->stop_at = f->asked + n;
    fur_status status = c->create(f, &out);
    bool stopped = f->asked >= f->stop_at;
    f->stop_at = 0;
    ck_assert_msg(stopped == (status != FUR_OK), "%s: success in spite of answer %lld", c->name,
                  (long long)n);
    if (status == FUR_OK) {
        c->destroy(out);
    } else {
        ck_assert_msg(status == FUR_CANCELLED, "%s: %s", c->name, error_of(f, c));
        ck_assert_str_eq(error_of(f, c), "stopped by the caller's function interrupted()");
        ck_assert_ptr_eq(out.any, f);
    }
    ck_assert_msg(f->m.outstanding == outstanding, "%s: answer %lld leaks", c->name, (long long)n);
    return status == FUR_OK;
}

/* A creation can be cancelled at every call of interrupted(). Loops over the creations. */
START_TEST(creation_survives_every_interruption)
{
    fixture f;
    fixture_open(&f, "small grid");
    int64_t n = 1;
    while (!goes_on(&f, &creations[_i], n))
        n++;
    ck_assert_msg(n > creations[_i].least || creations[_i].create == make_context,
                  "%s: asked only %lld times", creations[_i].name, (long long)n - 1);
    fixture_close(&f);
}
END_TEST

/* Checks plans of every kernel that accepts the matrix and of "auto" (kernel NULL). If `measure` is
 * set, checks only "auto". */
static void check_plans(const char *shape_name, bool measure)
{
    fixture f;
    fixture_open(&f, shape_name);
    int kernels = kernel_count(fur_spmv_kernel_at, f.context);
    for (int op = FUR_OP_N; op <= FUR_OP_H; op++) {
        f.options.op = (fur_op)op;
        for (int kernel = measure ? kernels : 0; kernel <= kernels; kernel++) {
            const fur_kernel_info *info = fur_spmv_kernel_at(f.context, kernel);
            fur_spmv *trial = NULL;
            f.options.kernel = info ? info->name : NULL;
            f.options.measure = measure;
            if (fur_spmv_plan(f.a, &f.options, &trial) == FUR_OK)
                check_creation(&f, &plan_creation);
            fur_spmv_destroy(trial);
        }
    }
    fixture_close(&f);
}

START_TEST(plans_survive_every_failing_allocation)
{
    check_plans("small grid", false);
    check_plans("grid", false);
}
END_TEST

START_TEST(measured_plans_survive_every_failing_allocation)
{
    check_plans("small grid", true);
}
END_TEST

/* If making a matrix or vector fails, adopted arrays still belong to the caller. */
START_TEST(adopted_arrays_stay_the_callers_on_failure)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    void *offsets = NULL;
    void *data = NULL;
    fur_csr *a = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_context_allocate(context, sizeof(int32_t), &offsets));
    ck_ok(context, fur_context_allocate(context, 8, &data));
    memset(offsets, 0, sizeof(int32_t));
    fur_csr_view view = {
        .size = sizeof view, .value_type = FUR_F64, .offset_type = FUR_I32, .offsets = offsets};
    m.fail_at = m.calls + 1;
    ck_assert_int_eq(fur_csr_create(context, &view, FUR_OWNERSHIP_ADOPT, &a), FUR_OUT_OF_MEMORY);
    m.fail_at = m.calls + 1;
    ck_assert_int_eq(fur_vector_wrap(context, FUR_F64, 1, data, FUR_OWNERSHIP_ADOPT, &x),
                     FUR_OUT_OF_MEMORY);
    ck_assert(!a && !x);
    fur_context_release(context, offsets);
    fur_context_release(context, data);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, creation_survives_every_failing_allocation, 0, COUNT_OF(creations));
    tcase_add_turns(tests, creation_survives_every_interruption, COUNT_OF(creations), 2);
    tcase_add_test(tests, plans_survive_every_failing_allocation);
    tcase_add_test(tests, measured_plans_survive_every_failing_allocation);
    tcase_add_test(tests, adopted_arrays_stay_the_callers_on_failure);
}

int main(void)
{
    return run_tests("faults", add_tests);
}
