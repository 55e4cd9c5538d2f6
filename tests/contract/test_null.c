/* Tests NULL in every function of the interface (docs/contract.md). A function that needs a pointer
 * refuses NULL: the message names the function and the parameter, and results are unchanged. A
 * function that queries an object returns a neutral value. A function that destroys an object does
 * nothing. check_null.sh finds functions that are missing here. */
#include "support.h"

#include <math.h>
#include <string.h>

/* Number of grid points. A smaller stencil is not recognised. */
#define POINTS 64

/* This path does not exist and is never read or written. */
#define PATH "/nonexistent/furrow-null"

/* Results that calls must leave unchanged. All their bytes are 0x5a. */
typedef struct results {
    fur_context *context;
    fur_vector *vector;
    fur_vectors *vectors;
    fur_permutation *permutation;
    fur_csr *csr;
    fur_spmv *spmv;
    fur_trsv *trsv;
    fur_classes *classes;
    fur_spgemm *spgemm;
    fur_spmm *spmm;
    fur_triple *triple;
    fur_stencil *stencil;
    fur_recognised *recognised;
    fur_product *product;
    fur_operator *op;
    fur_multigrid *multigrid;
    fur_solver *solver;
    fur_batch *batch;
    fur_batch_solver *batch_solver;
    fur_amg *amg;
    fur_precond *precond;
    fur_scalars *scalars;
    fur_output *output;
    void *memory;
    double number;
    double numbers[2];
    fur_scalar scalar;
    int equal;
    fur_scalars_state state;
    fur_csr_statistics statistics;
    fur_spmv_estimate estimate;
    fur_csr_asymmetry asymmetry;
    fur_csr_difference difference;
    fur_csr_traits traits;
    fur_choice choice;
    fur_order_figures figures;
    fur_mtx_header header;
} results;

/* One object of every kind, and the objects from which it was made. */
typedef struct world {
    fur_context *context;
    fur_vector *x;
    fur_vector *y;
    fur_vector *z;
    fur_vectors *block;
    fur_vectors *other_block;
    fur_vectors_view block_array;
    fur_permutation *p;
    fur_csr *a;
    fur_spmv *plan;
    fur_trsv *trsv;
    fur_classes *classes;
    fur_spgemm *spgemm;
    fur_spmm *block_plan;
    fur_triple *triple;
    fur_stencil *stencil;
    fur_recognised *r;
    fur_operator *op;
    fur_multigrid *mg;
    fur_solver *solver;
    fur_scalars *scalars;
    fur_output *output;
    fur_vectors *batch_values;
    fur_batch *batch;
    fur_batch_solver *batch_solver;
    fur_amg *amg;
    fur_precond *precond;
    fur_csr_view arrays;
    fur_coo_view coo;
    fur_stencil_definition stencil_definition;
    fur_operator_definition operator_definition;
    fur_scalars_state state;
    double entries[POINTS];
    results out;
} world;

static world w;
static const fur_scalar one = {1, 0};
static const int32_t first = 0;
static const fur_coefficient by = {.factor = {1, 0}};

static void ignore(void *user)
{
    (void)user;
}

static void ignore_range(void *user, int64_t begin, int64_t end)
{
    (void)user, (void)begin, (void)end;
}

static fur_status do_nothing(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    return fur_vector_copy(x, y);
}

static void make_world(void)
{
    static const int32_t index = 0;
    static const double entry = 1;
    w.context = context_make(NULL, 1);
    w.stencil_definition = (fur_stencil_definition){
        .size = sizeof w.stencil_definition, .value_type = FUR_F64, .extent = {POINTS}};
    w.operator_definition = (fur_operator_definition){.size = sizeof w.operator_definition,
                                                      .rows = POINTS,
                                                      .cols = POINTS,
                                                      .value_type = FUR_F64,
                                                      .apply = do_nothing};
    w.coo = (fur_coo_view){sizeof(fur_coo_view), 1, 1, 1, FUR_F64, &index, &index, &entry};
    w.state = fur_scalars_initial();
    w.out.state = w.state;
    ck_assert_int_eq(fur_stencil_named(3, &w.stencil_definition), 1);
    ck_ok(w.context, fur_vector_create(w.context, FUR_F64, POINTS, &w.x));
    ck_ok(w.context, fur_vector_create(w.context, FUR_F64, POINTS, &w.y));
    ck_ok(w.context, fur_vector_create(w.context, FUR_F64, POINTS, &w.z));
    ck_ok(w.context, fur_permutation_create(w.context, POINTS, NULL, &w.p));
    ck_ok(w.context, fur_stencil_create(w.context, &w.stencil_definition, &w.stencil));
    ck_ok(w.context, fur_stencil_assemble(w.stencil, &w.a));
    ck_ok(w.context, fur_spmv_plan(w.a, NULL, &w.plan));
    ck_ok(w.context, fur_classes_from_components(w.a, &w.classes));
    ck_ok(w.context,
          fur_trsv_plan(w.a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &w.trsv));
    ck_ok(w.context, fur_spgemm_plan(w.a, w.a, NULL, &w.spgemm));
    ck_ok(w.context, fur_vectors_create(w.context, FUR_F64, POINTS, 2, FUR_LAYOUT_ROWS, &w.block));
    ck_ok(w.context,
          fur_vectors_create(w.context, FUR_F64, POINTS, 2, FUR_LAYOUT_ROWS, &w.other_block));
    ck_ok(w.context, fur_spmm_plan(w.a, NULL, &w.block_plan));
    w.block_array = *fur_vectors_get(w.block);
    ck_ok(w.context, fur_triple_plan(w.a, w.a, w.a, NULL, &w.triple));
    ck_ok(w.context, fur_stencil_recognise(w.a, NULL, NULL, &w.r));
    ck_ok(w.context, fur_operator_from_stencil(w.stencil, &w.op));
    ck_ok(w.context, fur_multigrid_create(w.stencil, NULL, &w.mg));
    ck_ok(w.context, fur_solver_create(w.op, NULL, &w.solver));
    ck_ok(w.context, fur_scalars_create(w.context, &w.scalars));
    ck_ok(w.context, fur_output_create(w.context, "/dev/null", &w.output));
    w.arrays = *fur_csr_get(w.a);
    ck_ok(w.context, fur_vectors_create(w.context, FUR_F64, w.arrays.entries, 2, FUR_LAYOUT_ROWS,
                                        &w.batch_values));
    ck_ok(w.context, fur_batch_create(w.a, w.batch_values, &w.batch));
    ck_ok(w.context, fur_batch_solver_create(w.batch, NULL, &w.batch_solver));
    ck_ok(w.context, fur_amg_create(w.a, NULL, &w.amg));
    ck_ok(w.context, fur_precond_create(w.a, NULL, &w.precond));
    memset(&w.out, 0x5a, sizeof w.out);
}

static void destroy_world(void)
{
    fur_amg_destroy(w.amg);
    fur_precond_destroy(w.precond);
    fur_batch_solver_destroy(w.batch_solver);
    fur_batch_destroy(w.batch);
    fur_vectors_destroy(w.batch_values);
    fur_output_abandon(w.output);
    fur_scalars_destroy(w.scalars);
    fur_solver_destroy(w.solver);
    fur_multigrid_destroy(w.mg);
    fur_operator_destroy(w.op);
    fur_recognised_destroy(w.r);
    fur_classes_destroy(w.classes);
    fur_trsv_destroy(w.trsv);
    fur_triple_destroy(w.triple);
    fur_spgemm_destroy(w.spgemm);
    fur_spmm_destroy(w.block_plan);
    fur_vectors_destroy(w.other_block);
    fur_vectors_destroy(w.block);
    fur_spmv_destroy(w.plan);
    fur_csr_destroy(w.a);
    fur_stencil_destroy(w.stencil);
    fur_permutation_destroy(w.p);
    fur_vector_destroy(w.z);
    fur_vector_destroy(w.y);
    fur_vector_destroy(w.x);
    fur_context_destroy(w.context);
}

/* Checks that a call refused NULL. `call` is the text of the call. The message belongs to the
 * context, or to the thread if `context` is NULL. */
static void check_refused(const fur_context *context, const char *call, const char *parameter,
                          fur_status status)
{
    char expected[128];
    results untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    snprintf(expected, sizeof expected, "%.*s was given NULL for %s", (int)strcspn(call, "("), call,
             parameter);
    ck_assert_msg(status == FUR_INVALID, "%s: %s", call, fur_status_name(status));
    ck_assert_str_eq(fur_context_error(context), expected);
    ck_assert_msg(memcmp(&w.out, &untouched, sizeof untouched) == 0, "%s changed a result", call);
}

/* Checks the call of a row of the tables below, if it is the wanted row. */
#define REFUSED(context, parameter, call)                                                          \
    do {                                                                                           \
        if (wanted == rows++)                                                                      \
            check_refused(context, #call, parameter, call);                                        \
    } while (0)

static int refuse_blocks(int wanted, int rows)
{
    REFUSED(NULL, "context",
            fur_vectors_create(NULL, FUR_F64, 4, 2, FUR_LAYOUT_ROWS, &w.out.vectors));
    REFUSED(w.context, "out", fur_vectors_create(w.context, FUR_F64, 4, 2, FUR_LAYOUT_ROWS, NULL));
    REFUSED(NULL, "context",
            fur_vectors_wrap(NULL, &w.block_array, FUR_OWNERSHIP_COPY, &w.out.vectors));
    REFUSED(w.context, "array",
            fur_vectors_wrap(w.context, NULL, FUR_OWNERSHIP_COPY, &w.out.vectors));
    REFUSED(w.context, "out",
            fur_vectors_wrap(w.context, &w.block_array, FUR_OWNERSHIP_COPY, NULL));
    REFUSED(NULL, "x", fur_vectors_columns(NULL, 0, 1, &w.out.vectors));
    REFUSED(w.context, "out", fur_vectors_columns(w.block, 0, 1, NULL));
    REFUSED(NULL, "x", fur_vectors_rows(NULL, 0, 1, &w.out.vectors));
    REFUSED(w.context, "out", fur_vectors_rows(w.block, 0, 1, NULL));
    REFUSED(NULL, "x", fur_vectors_column(NULL, 0, &w.out.vector));
    REFUSED(w.context, "out", fur_vectors_column(w.block, 0, NULL));
    REFUSED(NULL, "x", fur_vectors_from_vector(NULL, &w.out.vectors));
    REFUSED(w.context, "out", fur_vectors_from_vector(w.x, NULL));
    REFUSED(w.context, "entries", fur_vectors_upload(NULL, w.block));
    REFUSED(NULL, "x", fur_vectors_upload(w.entries, NULL));
    REFUSED(NULL, "x", fur_vectors_download(NULL, w.entries));
    REFUSED(w.context, "entries", fur_vectors_download(w.block, NULL));
    REFUSED(NULL, "x", fur_vectors_fill(NULL, one));
    REFUSED(NULL, "x", fur_vectors_copy(NULL, w.block));
    REFUSED(w.context, "y", fur_vectors_copy(w.block, NULL));
    REFUSED(NULL, "x", fur_vectors_axpby(one, NULL, one, w.block));
    REFUSED(w.context, "y", fur_vectors_axpby(one, w.block, one, NULL));
    REFUSED(NULL, "x", fur_vectors_multiply(one, NULL, &one, one, w.block));
    REFUSED(w.context, "c", fur_vectors_multiply(one, w.block, NULL, one, w.other_block));
    REFUSED(w.context, "y", fur_vectors_multiply(one, w.block, &one, one, NULL));
    REFUSED(NULL, "x", fur_vectors_gram(NULL, w.block, &w.out.scalar));
    REFUSED(w.context, "y", fur_vectors_gram(w.block, NULL, &w.out.scalar));
    REFUSED(w.context, "out", fur_vectors_gram(w.block, w.block, NULL));
    REFUSED(NULL, "x", fur_vectors_norms(NULL, FUR_NORM_1, w.out.numbers));
    REFUSED(w.context, "out", fur_vectors_norms(w.block, FUR_NORM_1, NULL));
    REFUSED(NULL, "points", fur_neighbours(NULL, 1, NULL, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_neighbours(w.block, 1, NULL, NULL, NULL));
    REFUSED(NULL, "x", fur_mtx_write_vectors(NULL, PATH, NULL));
    REFUSED(w.context, "path", fur_mtx_write_vectors(w.block, NULL, NULL));
    REFUSED(NULL, "a", fur_spmm_plan(NULL, NULL, &w.out.spmm));
    REFUSED(w.context, "out", fur_spmm_plan(w.a, NULL, NULL));
    REFUSED(NULL, "plan", fur_spmm_apply(NULL, one, w.block, one, w.other_block));
    REFUSED(w.context, "x", fur_spmm_apply(w.block_plan, one, NULL, one, w.other_block));
    REFUSED(w.context, "y", fur_spmm_apply(w.block_plan, one, w.block, one, NULL));
    REFUSED(w.context, "x", fur_sddmm_multiply(one, NULL, w.block, one, w.a, &w.out.csr));
    REFUSED(w.context, "y", fur_sddmm_multiply(one, w.block, NULL, one, w.a, &w.out.csr));
    REFUSED(NULL, "a", fur_sddmm_multiply(one, w.block, w.block, one, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_sddmm_multiply(one, w.block, w.block, one, w.a, NULL));
    REFUSED(w.context, "x", fur_sddmm_apply(one, NULL, w.block, one, w.a));
    REFUSED(w.context, "y", fur_sddmm_apply(one, w.block, NULL, one, w.a));
    REFUSED(NULL, "a", fur_sddmm_apply(one, w.block, w.block, one, NULL));
    return rows;
}

static int refuse_vectors(int wanted, int rows)
{
    REFUSED(NULL, "out", fur_context_create(NULL, NULL));
    REFUSED(NULL, "context", fur_context_synchronize(NULL));
    REFUSED(NULL, "context", fur_context_allocate(NULL, 4, &w.out.memory));
    REFUSED(w.context, "out", fur_context_allocate(w.context, 4, NULL));
    REFUSED(NULL, "context", fur_context_parallel(NULL, 4, 1, ignore_range, NULL));
    REFUSED(w.context, "work", fur_context_parallel(w.context, 4, 1, NULL, NULL));
    REFUSED(NULL, "context", fur_vector_create(NULL, FUR_F64, 4, &w.out.vector));
    REFUSED(w.context, "out", fur_vector_create(w.context, FUR_F64, 4, NULL));
    REFUSED(NULL, "context",
            fur_vector_wrap(NULL, FUR_F64, 4, w.entries, FUR_OWNERSHIP_COPY, &w.out.vector));
    REFUSED(w.context, "out",
            fur_vector_wrap(w.context, FUR_F64, 4, w.entries, FUR_OWNERSHIP_COPY, NULL));
    REFUSED(w.context, "entries", fur_vector_upload(NULL, w.x));
    REFUSED(NULL, "x", fur_vector_upload(w.entries, NULL));
    REFUSED(NULL, "x", fur_vector_download(NULL, w.entries));
    REFUSED(w.context, "entries", fur_vector_download(w.x, NULL));
    REFUSED(NULL, "x", fur_vector_fill(NULL, one));
    REFUSED(NULL, "x", fur_vector_scale(NULL, one));
    REFUSED(NULL, "x", fur_vector_copy(NULL, w.y));
    REFUSED(w.context, "y", fur_vector_copy(w.x, NULL));
    REFUSED(NULL, "x", fur_vector_convert(NULL, FUR_F64, &w.out.vector));
    REFUSED(w.context, "out", fur_vector_convert(w.x, FUR_F64, NULL));
    REFUSED(NULL, "x", fur_axpby(one, NULL, one, w.y));
    REFUSED(w.context, "y", fur_axpby(one, w.x, one, NULL));
    REFUSED(NULL, "x", fur_multiply_elementwise(NULL, w.y, w.z));
    REFUSED(w.context, "y", fur_multiply_elementwise(w.x, NULL, w.z));
    REFUSED(w.context, "z", fur_multiply_elementwise(w.x, w.y, NULL));
    REFUSED(NULL, "permutation", fur_vector_permute(NULL, w.x, w.y));
    REFUSED(w.context, "x", fur_vector_permute(w.p, NULL, w.y));
    REFUSED(w.context, "y", fur_vector_permute(w.p, w.x, NULL));
    REFUSED(NULL, "permutation", fur_vector_unpermute(NULL, w.x, w.y));
    REFUSED(w.context, "x", fur_vector_unpermute(w.p, NULL, w.y));
    REFUSED(w.context, "y", fur_vector_unpermute(w.p, w.x, NULL));
    REFUSED(NULL, "x", fur_dot(NULL, w.y, &w.out.scalar));
    REFUSED(w.context, "y", fur_dot(w.x, NULL, &w.out.scalar));
    REFUSED(w.context, "out", fur_dot(w.x, w.y, NULL));
    const fur_vector *const many[] = {w.x};
    REFUSED(w.context, "x", fur_dot_many(1, NULL, w.y, &w.out.scalar));
    REFUSED(NULL, "y", fur_dot_many(1, many, NULL, &w.out.scalar));
    REFUSED(w.context, "out", fur_dot_many(1, many, w.y, NULL));
    REFUSED(w.context, "alpha", fur_axpy_many(1, NULL, many, w.y));
    REFUSED(w.context, "x", fur_axpy_many(1, &one, NULL, w.y));
    REFUSED(NULL, "y", fur_axpy_many(1, &one, many, NULL));
    REFUSED(w.context, "alpha", fur_axpy_many_norm2(1, NULL, many, w.y, &w.out.number));
    REFUSED(w.context, "x", fur_axpy_many_norm2(1, &one, NULL, w.y, &w.out.number));
    REFUSED(NULL, "y", fur_axpy_many_norm2(1, &one, many, NULL, &w.out.number));
    REFUSED(w.context, "norm", fur_axpy_many_norm2(1, &one, many, w.y, NULL));
    REFUSED(w.context, "alpha", fur_axpy_many_dots(1, NULL, many, w.y, &w.out.scalar));
    REFUSED(w.context, "x", fur_axpy_many_dots(1, &one, NULL, w.y, &w.out.scalar));
    REFUSED(NULL, "y", fur_axpy_many_dots(1, &one, many, NULL, &w.out.scalar));
    REFUSED(w.context, "out", fur_axpy_many_dots(1, &one, many, w.y, NULL));
    REFUSED(NULL, "x", fur_norm1(NULL, &w.out.number));
    REFUSED(w.context, "out", fur_norm1(w.x, NULL));
    REFUSED(NULL, "x", fur_norm2(NULL, &w.out.number));
    REFUSED(w.context, "out", fur_norm2(w.x, NULL));
    REFUSED(NULL, "x", fur_norm_max(NULL, &w.out.number));
    REFUSED(w.context, "out", fur_norm_max(w.x, NULL));
    REFUSED(NULL, "x", fur_axpy_norm2(one, NULL, w.y, &w.out.number));
    REFUSED(w.context, "y", fur_axpy_norm2(one, w.x, NULL, &w.out.number));
    REFUSED(w.context, "norm", fur_axpy_norm2(one, w.x, w.y, NULL));
    return rows;
}

static int refuse_results(int wanted, int rows)
{
    REFUSED(NULL, "context", fur_scalars_create(NULL, &w.out.scalars));
    REFUSED(w.context, "out", fur_scalars_create(w.context, NULL));
    REFUSED(NULL, "scalars", fur_scalars_set(NULL, &w.state));
    REFUSED(w.context, "state", fur_scalars_set(w.scalars, NULL));
    REFUSED(NULL, "scalars", fur_scalars_get(NULL, &w.out.state));
    REFUSED(w.context, "out", fur_scalars_get(w.scalars, NULL));
    REFUSED(NULL, "x", fur_dot_into(NULL, w.y, w.scalars, 0));
    REFUSED(w.context, "y", fur_dot_into(w.x, NULL, w.scalars, 0));
    REFUSED(w.context, "scalars", fur_dot_into(w.x, w.y, NULL, 0));
    REFUSED(NULL, "x", fur_axpby_from(by, NULL, by, w.y));
    REFUSED(w.context, "y", fur_axpby_from(by, w.x, by, NULL));
    REFUSED(NULL, "x", fur_axpy_norm2_into(by, NULL, w.y, w.scalars, 0));
    REFUSED(w.context, "y", fur_axpy_norm2_into(by, w.x, NULL, w.scalars, 0));
    REFUSED(w.context, "scalars", fur_axpy_norm2_into(by, w.x, w.y, NULL, 0));
    REFUSED(NULL, "q", fur_axpy_norms_into(by, NULL, w.x, one, w.y, w.scalars, 0, 1));
    REFUSED(w.context, "r", fur_axpy_norms_into(by, w.x, NULL, one, NULL, w.scalars, 0, 1));
    REFUSED(w.context, "scalars", fur_axpy_norms_into(by, w.x, NULL, one, w.y, NULL, 0, 1));
    REFUSED(NULL, "z", fur_axpy_direction(by, by, w.x, one, NULL, w.x, w.y));
    REFUSED(w.context, "p", fur_axpy_direction(by, by, NULL, one, w.x, NULL, w.y));
    REFUSED(w.context, "x", fur_axpy_direction(by, by, NULL, one, w.x, w.y, NULL));
    REFUSED(NULL, "scalars", fur_scalars_keep(NULL, 1, 1));
    REFUSED(NULL, "context", fur_recording_create(NULL, &(fur_recording *){NULL}));
    REFUSED(w.context, "out", fur_recording_create(w.context, NULL));
    REFUSED(NULL, "recording", fur_recording_begin(NULL));
    REFUSED(NULL, "recording", fur_recording_end(NULL));
    REFUSED(NULL, "recording", fur_recording_replay(NULL, 1));
    fur_recording_destroy(NULL);
    REFUSED(NULL, "scalars", fur_scalars_kept(NULL, 0, 0, &w.out.number));
    REFUSED(w.context, "out", fur_scalars_kept(w.scalars, 0, 0, NULL));
    REFUSED(NULL, "context", fur_permutation_create(NULL, 4, NULL, &w.out.permutation));
    REFUSED(w.context, "out", fur_permutation_create(w.context, 4, NULL, NULL));
    REFUSED(NULL, "permutation", fur_permutation_transfer(NULL, w.context, &w.out.permutation));
    REFUSED(w.context, "context", fur_permutation_transfer(w.p, NULL, &w.out.permutation));
    REFUSED(w.context, "out", fur_permutation_transfer(w.p, w.context, NULL));
    return rows;
}

static int refuse_matrices(int wanted, int rows)
{
    REFUSED(NULL, "context", fur_csr_create(NULL, &w.arrays, FUR_OWNERSHIP_COPY, &w.out.csr));
    REFUSED(w.context, "arrays", fur_csr_create(w.context, NULL, FUR_OWNERSHIP_COPY, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_create(w.context, &w.arrays, FUR_OWNERSHIP_COPY, NULL));
    REFUSED(NULL, "matrix", fur_csr_on_destroy(NULL, ignore, NULL));
    REFUSED(w.context, "release", fur_csr_on_destroy(w.a, NULL, NULL));
    REFUSED(NULL, "a", fur_csr_transfer(NULL, w.context, &w.out.csr));
    REFUSED(w.context, "context", fur_csr_transfer(w.a, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_transfer(w.a, w.context, NULL));
    REFUSED(NULL, "context", fur_csr_check(NULL, &w.arrays));
    REFUSED(w.context, "arrays", fur_csr_check(w.context, NULL));
    REFUSED(NULL, "context", fur_csr_from_coo(NULL, &w.coo, FUR_DUPLICATES_SUM, &w.out.csr));
    REFUSED(w.context, "coo", fur_csr_from_coo(w.context, NULL, FUR_DUPLICATES_SUM, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_from_coo(w.context, &w.coo, FUR_DUPLICATES_SUM, NULL));
    REFUSED(NULL, "a", fur_csr_set_values(NULL, w.entries, FUR_OWNERSHIP_COPY));
    REFUSED(w.context, "values", fur_csr_set_values(w.a, NULL, FUR_OWNERSHIP_COPY));
    REFUSED(NULL, "a", fur_csr_scale(NULL, w.x, w.y));
    REFUSED(NULL, "a", fur_csr_eliminate(NULL, 1, &first, one, w.x, w.y));
    REFUSED(w.context, "unknowns", fur_csr_eliminate(w.a, 1, NULL, one, w.x, w.y));
    REFUSED(w.context, "x", fur_csr_eliminate(w.a, 1, &first, one, NULL, w.y));
    REFUSED(NULL, "a", fur_csr_transpose(NULL, 0, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_transpose(w.a, 0, NULL));
    REFUSED(NULL, "a", fur_csr_permute(NULL, NULL, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_permute(w.a, NULL, NULL, NULL));
    REFUSED(NULL, "a", fur_csr_diagonal(NULL, &w.out.vector));
    REFUSED(w.context, "out", fur_csr_diagonal(w.a, NULL));
    REFUSED(NULL, "a", fur_csr_entry(NULL, 0, 0, &w.out.scalar));
    REFUSED(w.context, "out", fur_csr_entry(w.a, 0, 0, NULL));
    REFUSED(NULL, "a", fur_csr_find_asymmetry(NULL, FUR_SYMMETRY_PATTERN, &w.out.asymmetry));
    REFUSED(w.context, "out", fur_csr_find_asymmetry(w.a, FUR_SYMMETRY_PATTERN, NULL));
    REFUSED(NULL, "a", fur_csr_convert(NULL, FUR_F64, FUR_I32, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_convert(w.a, FUR_F64, FUR_I32, NULL));
    REFUSED(NULL, "a", fur_csr_compare(NULL, w.a, &w.out.equal));
    REFUSED(w.context, "b", fur_csr_compare(w.a, NULL, &w.out.equal));
    REFUSED(w.context, "equal", fur_csr_compare(w.a, w.a, NULL));
    REFUSED(NULL, "a", fur_csr_measure(NULL, &w.out.statistics));
    REFUSED(w.context, "out", fur_csr_measure(w.a, NULL));
    REFUSED(NULL, "a", fur_spmv_estimate_at(NULL, 0, &w.out.estimate));
    REFUSED(w.context, "out", fur_spmv_estimate_at(w.a, 0, NULL));
    REFUSED(NULL, "a", fur_spmv_plan(NULL, NULL, &w.out.spmv));
    REFUSED(w.context, "out", fur_spmv_plan(w.a, NULL, NULL));
    REFUSED(NULL, "plan", fur_spmv_apply(NULL, one, w.x, one, w.y));
    REFUSED(w.context, "x", fur_spmv_apply(w.plan, one, NULL, one, w.y));
    REFUSED(w.context, "y", fur_spmv_apply(w.plan, one, w.x, one, NULL));
    REFUSED(NULL, "a", fur_spgemm_plan(NULL, w.a, NULL, &w.out.spgemm));
    REFUSED(w.context, "b", fur_spgemm_plan(w.a, NULL, NULL, &w.out.spgemm));
    REFUSED(w.context, "out", fur_spgemm_plan(w.a, w.a, NULL, NULL));
    REFUSED(NULL, "plan", fur_spgemm_multiply(NULL, one, &w.out.csr));
    REFUSED(w.context, "out", fur_spgemm_multiply(w.spgemm, one, NULL));
    REFUSED(NULL, "plan", fur_spgemm_apply(NULL, one, w.a));
    REFUSED(w.context, "c", fur_spgemm_apply(w.spgemm, one, NULL));
    REFUSED(NULL, "a", fur_csr_multiply(NULL, w.a, &w.out.csr));
    REFUSED(w.context, "b", fur_csr_multiply(w.a, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_multiply(w.a, w.a, NULL));
    REFUSED(NULL, "r", fur_triple_plan(NULL, w.a, w.a, NULL, &w.out.triple));
    REFUSED(w.context, "a", fur_triple_plan(w.a, NULL, w.a, NULL, &w.out.triple));
    REFUSED(w.context, "p", fur_triple_plan(w.a, w.a, NULL, NULL, &w.out.triple));
    REFUSED(w.context, "out", fur_triple_plan(w.a, w.a, w.a, NULL, NULL));
    REFUSED(NULL, "plan", fur_triple_multiply(NULL, one, &w.out.csr));
    REFUSED(w.context, "out", fur_triple_multiply(w.triple, one, NULL));
    REFUSED(NULL, "plan", fur_triple_apply(NULL, one, w.a));
    REFUSED(w.context, "c", fur_triple_apply(w.triple, one, NULL));
    REFUSED(NULL, "r", fur_csr_triple(NULL, w.a, w.a, &w.out.csr));
    REFUSED(w.context, "a", fur_csr_triple(w.a, NULL, w.a, &w.out.csr));
    REFUSED(w.context, "p", fur_csr_triple(w.a, w.a, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_triple(w.a, w.a, w.a, NULL));
    return rows;
}

static int refuse_operations(int wanted, int rows)
{
    const fur_csr *const blocks[] = {w.a};
    REFUSED(NULL, "a", fur_csr_add(NULL, one, w.a, one, &w.out.csr));
    REFUSED(w.context, "b", fur_csr_add(w.a, one, NULL, one, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_add(w.a, one, w.a, one, NULL));
    REFUSED(NULL, "a", fur_csr_shift(NULL, one, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_shift(w.a, one, NULL));
    REFUSED(NULL, "a", fur_csr_multiply_elementwise(NULL, w.a, &w.out.csr));
    REFUSED(w.context, "b", fur_csr_multiply_elementwise(w.a, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_multiply_elementwise(w.a, w.a, NULL));
    REFUSED(NULL, "a", fur_csr_kron(NULL, w.a, &w.out.csr));
    REFUSED(w.context, "b", fur_csr_kron(w.a, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_kron(w.a, w.a, NULL));
    REFUSED(NULL, "d", fur_csr_from_diagonal(NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_from_diagonal(w.x, NULL));
    REFUSED(NULL, "a", fur_csr_band(NULL, 0, 0, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_band(w.a, 0, 0, NULL));
    REFUSED(NULL, "a", fur_csr_submatrix(NULL, 0, 1, 0, 1, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_submatrix(w.a, 0, 1, 0, 1, NULL));
    REFUSED(NULL, "a", fur_csr_select(NULL, 1, &first, 1, &first, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_select(w.a, 1, &first, 1, &first, NULL));
    REFUSED(NULL, "blocks", fur_csr_from_blocks(1, 1, NULL, &w.out.csr));
    REFUSED(NULL, "out", fur_csr_from_blocks(1, 1, blocks, NULL));
    REFUSED(NULL, "a", fur_csr_drop(NULL, 0, &w.out.csr));
    REFUSED(w.context, "out", fur_csr_drop(w.a, 0, NULL));
    REFUSED(NULL, "a", fur_csr_norm(NULL, FUR_NORM_1, &w.out.number));
    REFUSED(w.context, "out", fur_csr_norm(w.a, FUR_NORM_1, NULL));
    REFUSED(NULL, "a", fur_csr_compare_within(NULL, w.a, 0, 0, &w.out.difference));
    REFUSED(w.context, "b", fur_csr_compare_within(w.a, NULL, 0, 0, &w.out.difference));
    REFUSED(w.context, "out", fur_csr_compare_within(w.a, w.a, 0, 0, NULL));
    return rows;
}

static int refuse_triangles(int wanted, int rows)
{
    const fur_triangle lower = FUR_TRIANGLE_LOWER;
    const fur_triangle_diagonal unit = FUR_DIAGONAL_UNIT;
    const fur_vector *const right[] = {w.x};
    fur_vector *const left[] = {w.y};
    REFUSED(NULL, "a", fur_trsv_plan(NULL, lower, FUR_OP_N, unit, NULL, &w.out.trsv));
    REFUSED(w.context, "out", fur_trsv_plan(w.a, lower, FUR_OP_N, unit, NULL, NULL));
    REFUSED(NULL, "plan", fur_trsv_apply(NULL, one, w.x, w.y));
    REFUSED(w.context, "b", fur_trsv_apply(w.trsv, one, NULL, w.y));
    REFUSED(w.context, "x", fur_trsv_apply(w.trsv, one, w.x, NULL));
    REFUSED(NULL, "plan", fur_trsv_apply_many(NULL, one, 1, right, left));
    REFUSED(w.context, "b", fur_trsv_apply_many(w.trsv, one, 1, NULL, left));
    REFUSED(w.context, "x", fur_trsv_apply_many(w.trsv, one, 1, right, NULL));
    REFUSED(NULL, "a", fur_precond_create(NULL, NULL, &w.out.precond));
    REFUSED(w.context, "out", fur_precond_create(w.a, NULL, NULL));
    REFUSED(NULL, "text", fur_precond_check(NULL));
    REFUSED(NULL, "p", fur_precond_update(NULL));
    REFUSED(NULL, "p", fur_precond_apply(NULL, w.x, w.y));
    REFUSED(w.context, "r", fur_precond_apply(w.precond, NULL, w.y));
    REFUSED(w.context, "z", fur_precond_apply(w.precond, w.x, NULL));
    REFUSED(NULL, "p", fur_operator_from_precond(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_precond(w.precond, NULL));
    REFUSED(NULL, "plan", fur_operator_from_trsv(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_trsv(w.trsv, NULL));
    return rows;
}

static int refuse_graphs(int wanted, int rows)
{
    REFUSED(NULL, "a", fur_classes_from_levels(NULL, FUR_TRIANGLE_LOWER, &w.out.classes));
    REFUSED(w.context, "out", fur_classes_from_levels(w.a, FUR_TRIANGLE_LOWER, NULL));
    REFUSED(NULL, "a", fur_classes_from_colours(NULL, NULL, &w.out.classes));
    REFUSED(w.context, "out", fur_classes_from_colours(w.a, NULL, NULL));
    REFUSED(NULL, "a", fur_classes_from_components(NULL, &w.out.classes));
    REFUSED(w.context, "out", fur_classes_from_components(w.a, NULL));
    REFUSED(NULL, "classes", fur_classes_order(NULL, &w.out.permutation));
    REFUSED(w.context, "out", fur_classes_order(w.classes, NULL));
    REFUSED(NULL, "a", fur_matching_find(NULL, NULL, NULL, NULL, &w.out.permutation));
    REFUSED(w.context, "order", fur_matching_find(w.a, NULL, NULL, NULL, NULL));
    return rows;
}

static int refuse_batches(int wanted, int rows)
{
    REFUSED(NULL, "pattern", fur_batch_create(NULL, w.batch_values, &w.out.batch));
    REFUSED(w.context, "values", fur_batch_create(w.a, NULL, &w.out.batch));
    REFUSED(w.context, "out", fur_batch_create(w.a, w.batch_values, NULL));
    REFUSED(NULL, "batch", fur_batch_apply(NULL, one, w.block, one, w.other_block));
    REFUSED(w.context, "x", fur_batch_apply(w.batch, one, NULL, one, w.other_block));
    REFUSED(w.context, "y", fur_batch_apply(w.batch, one, w.block, one, NULL));
    REFUSED(NULL, "batch", fur_batch_solver_create(NULL, NULL, &w.out.batch_solver));
    REFUSED(w.context, "out", fur_batch_solver_create(w.batch, NULL, NULL));
    REFUSED(NULL, "solver", fur_batch_solve(NULL, w.block, w.other_block, NULL, NULL));
    REFUSED(w.context, "b", fur_batch_solve(w.batch_solver, NULL, w.other_block, NULL, NULL));
    REFUSED(w.context, "x", fur_batch_solve(w.batch_solver, w.block, NULL, NULL, NULL));
    return rows;
}

static int refuse_amg(int wanted, int rows)
{
    REFUSED(NULL, "a", fur_amg_create(NULL, NULL, &w.out.amg));
    REFUSED(w.context, "out", fur_amg_create(w.a, NULL, NULL));
    REFUSED(NULL, "a",
            fur_amg_predict(NULL, NULL, &(fur_amg_prediction){.size = sizeof(fur_amg_prediction)}));
    REFUSED(w.context, "out", fur_amg_predict(w.a, NULL, NULL));
    REFUSED(NULL, "amg", fur_amg_share(NULL, &(fur_sharing){.size = sizeof(fur_sharing)}, 0));
    REFUSED(w.context, "sharing", fur_amg_share(w.amg, NULL, 0));
    REFUSED(NULL, "amg", fur_amg_apply(NULL, w.x, w.y));
    REFUSED(w.context, "b", fur_amg_apply(w.amg, NULL, w.y));
    REFUSED(w.context, "x", fur_amg_apply(w.amg, w.x, NULL));
    REFUSED(NULL, "amg", fur_operator_from_amg(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_amg(w.amg, NULL));
    REFUSED(NULL, "points", fur_amg_rigid_modes(NULL, &w.out.vectors));
    REFUSED(w.context, "out", fur_amg_rigid_modes(w.block, NULL));
    return rows;
}

static int refuse_stencils(int wanted, int rows)
{
    REFUSED(NULL, "context", fur_stencil_create(NULL, &w.stencil_definition, &w.out.stencil));
    REFUSED(w.context, "definition", fur_stencil_create(w.context, NULL, &w.out.stencil));
    REFUSED(w.context, "out", fur_stencil_create(w.context, &w.stencil_definition, NULL));
    REFUSED(NULL, "stencil", fur_stencil_apply(NULL, one, w.x, one, w.y));
    REFUSED(w.context, "x", fur_stencil_apply(w.stencil, one, NULL, one, w.y));
    REFUSED(w.context, "y", fur_stencil_apply(w.stencil, one, w.x, one, NULL));
    REFUSED(NULL, "stencil", fur_stencil_apply_block(NULL, one, w.block, one, w.other_block));
    REFUSED(w.context, "x", fur_stencil_apply_block(w.stencil, one, NULL, one, w.other_block));
    REFUSED(w.context, "y", fur_stencil_apply_block(w.stencil, one, w.block, one, NULL));
    REFUSED(NULL, "stencil", fur_stencil_sweep(NULL, 1, one, NULL, w.x, w.y));
    REFUSED(w.context, "x", fur_stencil_sweep(w.stencil, 1, one, NULL, NULL, w.y));
    REFUSED(w.context, "work", fur_stencil_sweep(w.stencil, 1, one, NULL, w.x, NULL));
    REFUSED(NULL, "stencil", fur_stencil_assemble(NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_stencil_assemble(w.stencil, NULL));
    REFUSED(NULL, "a", fur_stencil_recognise(NULL, NULL, NULL, &w.out.recognised));
    REFUSED(w.context, "out", fur_stencil_recognise(w.a, NULL, NULL, NULL));
    REFUSED(NULL, "r", fur_recognised_apply(NULL, one, w.x, one, w.y));
    REFUSED(w.context, "x", fur_recognised_apply(w.r, one, NULL, one, w.y));
    REFUSED(w.context, "y", fur_recognised_apply(w.r, one, w.x, one, NULL));
    return rows;
}

static int refuse_operators(int wanted, int rows)
{
    const fur_operator *racers[] = {w.op, NULL, NULL};
    REFUSED(NULL, "context", fur_operator_create(NULL, &w.operator_definition, &w.out.op));
    REFUSED(w.context, "definition", fur_operator_create(w.context, NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_create(w.context, &w.operator_definition, NULL));
    REFUSED(NULL, "plan", fur_operator_from_spmv(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_spmv(w.plan, NULL));
    REFUSED(NULL, "stencil", fur_operator_from_stencil(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_stencil(w.stencil, NULL));
    REFUSED(NULL, "r", fur_operator_from_recognised(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_recognised(w.r, NULL));
    REFUSED(NULL, "mg", fur_operator_from_multigrid(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_multigrid(w.mg, NULL));
    REFUSED(NULL, "a", fur_operator_jacobi(NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_jacobi(w.op, NULL));
    REFUSED(NULL, "b", fur_operator_permute(NULL, w.p, &w.out.op));
    REFUSED(w.context, "p", fur_operator_permute(w.op, NULL, &w.out.op));
    REFUSED(w.context, "out", fur_operator_permute(w.op, w.p, NULL));
    REFUSED(NULL, "a", fur_product_create(NULL, NULL, &w.out.product));
    REFUSED(w.context, "out", fur_product_create(w.a, NULL, NULL));
    REFUSED(NULL, "operators", fur_operator_race(NULL, 0, w.out.numbers));
    REFUSED(NULL, "least", fur_operator_race(racers, 0, NULL));
    REFUSED(NULL, "operators[0]", fur_operator_race(racers + 1, 0, w.out.numbers));
    REFUSED(w.context, "operators[1]", fur_operator_race(racers, 0, w.out.numbers));
    REFUSED(NULL, "op", fur_operator_apply(NULL, w.x, w.y));
    REFUSED(w.context, "x", fur_operator_apply(w.op, NULL, w.y));
    REFUSED(w.context, "y", fur_operator_apply(w.op, w.x, NULL));
    REFUSED(NULL, "op", fur_operator_diagonal(NULL, w.y));
    REFUSED(w.context, "d", fur_operator_diagonal(w.op, NULL));
    REFUSED(NULL, "a", fur_multigrid_create(NULL, NULL, &w.out.multigrid));
    REFUSED(w.context, "out", fur_multigrid_create(w.stencil, NULL, NULL));
    REFUSED(NULL, "mg", fur_multigrid_cycle(NULL, w.x, w.y));
    REFUSED(w.context, "b", fur_multigrid_cycle(w.mg, NULL, w.y));
    REFUSED(w.context, "x", fur_multigrid_cycle(w.mg, w.x, NULL));
    REFUSED(NULL, "mg", fur_multigrid_solve(NULL, w.x, w.y, 0, 0, NULL));
    REFUSED(w.context, "b", fur_multigrid_solve(w.mg, NULL, w.y, 0, 0, NULL));
    REFUSED(w.context, "x", fur_multigrid_solve(w.mg, w.x, NULL, 0, 0, NULL));
    REFUSED(NULL, "a", fur_solver_create(NULL, NULL, &w.out.solver));
    REFUSED(w.context, "out", fur_solver_create(w.op, NULL, NULL));
    REFUSED(NULL, "solver", fur_operator_from_solver(NULL, FUR_F64, &w.out.op));
    REFUSED(w.context, "out", fur_operator_from_solver(w.solver, FUR_F64, NULL));
    REFUSED(w.context, "progress", fur_solver_iterate(NULL, w.x));
    REFUSED(NULL, "x", fur_solver_iterate(&(fur_solver_progress){.solve = w.solver}, NULL));
    REFUSED(NULL, "solver", fur_solver_solve(NULL, w.x, w.y, NULL));
    REFUSED(w.context, "b", fur_solver_solve(w.solver, NULL, w.y, NULL));
    REFUSED(w.context, "x", fur_solver_solve(w.solver, w.x, NULL, NULL));
    REFUSED(NULL, "solver", fur_solver_solve_block(NULL, w.block, w.other_block, NULL));
    REFUSED(w.context, "b", fur_solver_solve_block(w.solver, NULL, w.block, NULL));
    REFUSED(w.context, "x", fur_solver_solve_block(w.solver, w.block, NULL, NULL));
    REFUSED(NULL, "a", fur_eigs(NULL, NULL, w.entries, NULL, NULL, NULL));
    REFUSED(w.context, "values", fur_eigs(w.op, NULL, NULL, NULL, NULL, NULL));
    REFUSED(NULL, "a", fur_lobpcg(NULL, NULL, w.entries, NULL, NULL, NULL));
    REFUSED(w.context, "values", fur_lobpcg(w.op, NULL, NULL, NULL, NULL, NULL));
    REFUSED(NULL, "a", fur_csr_examine(NULL, &w.out.traits));
    REFUSED(w.context, "out", fur_csr_examine(w.a, NULL));
    REFUSED(NULL, "traits", fur_choose(NULL, NULL, FUR_OUTCOME_UNSOLVED, &w.out.choice));
    REFUSED(NULL, "out",
            fur_choose(&(fur_csr_traits){.size = sizeof(fur_csr_traits)}, NULL,
                       FUR_OUTCOME_UNSOLVED, NULL));
    REFUSED(NULL, "a", fur_solve(NULL, w.x, w.y, NULL, NULL));
    REFUSED(w.context, "b", fur_solve(w.a, NULL, w.y, NULL, NULL));
    REFUSED(w.context, "x", fur_solve(w.a, w.x, NULL, NULL, NULL));
    return rows;
}

static int refuse_files(int wanted, int rows)
{
    REFUSED(NULL, "a", fur_reorder(NULL, NULL, NULL, NULL, &w.out.permutation));
    REFUSED(w.context, "out", fur_reorder(w.a, NULL, NULL, NULL, NULL));
    REFUSED(NULL, "a", fur_order_measure(NULL, NULL, &w.out.figures));
    REFUSED(w.context, "out", fur_order_measure(w.a, NULL, NULL));
    REFUSED(NULL, "context", fur_binary_read_header(NULL, PATH, &w.out.header));
    REFUSED(w.context, "path", fur_binary_read_header(w.context, NULL, &w.out.header));
    REFUSED(w.context, "out", fur_binary_read_header(w.context, PATH, NULL));
    REFUSED(NULL, "context", fur_binary_read_csr(NULL, PATH, NULL, &w.out.csr));
    REFUSED(w.context, "path", fur_binary_read_csr(w.context, NULL, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_binary_read_csr(w.context, PATH, NULL, NULL));
    REFUSED(NULL, "context", fur_binary_read_vector(NULL, PATH, NULL, &w.out.vector));
    REFUSED(w.context, "path", fur_binary_read_vector(w.context, NULL, NULL, &w.out.vector));
    REFUSED(w.context, "out", fur_binary_read_vector(w.context, PATH, NULL, NULL));
    REFUSED(NULL, "a", fur_binary_write_csr(NULL, PATH, NULL));
    REFUSED(w.context, "path", fur_binary_write_csr(w.a, NULL, NULL));
    REFUSED(NULL, "x", fur_binary_write_vector(NULL, PATH, NULL));
    REFUSED(w.context, "path", fur_binary_write_vector(w.x, NULL, NULL));
    REFUSED(NULL, "context", fur_mtx_read_header(NULL, PATH, &w.out.header));
    REFUSED(w.context, "path", fur_mtx_read_header(w.context, NULL, &w.out.header));
    REFUSED(w.context, "out", fur_mtx_read_header(w.context, PATH, NULL));
    REFUSED(NULL, "context", fur_mtx_read_csr(NULL, PATH, NULL, &w.out.csr));
    REFUSED(w.context, "path", fur_mtx_read_csr(w.context, NULL, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_mtx_read_csr(w.context, PATH, NULL, NULL));
    REFUSED(NULL, "context", fur_mtx_read_csr_from_memory(NULL, "", 0, NULL, &w.out.csr));
    REFUSED(w.context, "bytes", fur_mtx_read_csr_from_memory(w.context, NULL, 0, NULL, &w.out.csr));
    REFUSED(w.context, "out", fur_mtx_read_csr_from_memory(w.context, "", 0, NULL, NULL));
    REFUSED(NULL, "context", fur_mtx_unpack(NULL, PATH, NULL, NULL));
    REFUSED(w.context, "path", fur_mtx_unpack(w.context, NULL, NULL, NULL));
    REFUSED(NULL, "context", fur_mtx_read_vector(NULL, PATH, NULL, &w.out.vector));
    REFUSED(w.context, "path", fur_mtx_read_vector(w.context, NULL, NULL, &w.out.vector));
    REFUSED(w.context, "out", fur_mtx_read_vector(w.context, PATH, NULL, NULL));
    REFUSED(NULL, "context", fur_mtx_read_vector_from_memory(NULL, "", 0, NULL, &w.out.vector));
    REFUSED(w.context, "bytes",
            fur_mtx_read_vector_from_memory(w.context, NULL, 0, NULL, &w.out.vector));
    REFUSED(w.context, "out", fur_mtx_read_vector_from_memory(w.context, "", 0, NULL, NULL));
    REFUSED(NULL, "a", fur_mtx_write_csr(NULL, PATH, NULL));
    REFUSED(w.context, "path", fur_mtx_write_csr(w.a, NULL, NULL));
    REFUSED(NULL, "x", fur_mtx_write_vector(NULL, PATH, NULL));
    REFUSED(w.context, "path", fur_mtx_write_vector(w.x, NULL, NULL));
    REFUSED(NULL, "context", fur_output_create(NULL, PATH, &w.out.output));
    REFUSED(w.context, "path", fur_output_create(w.context, NULL, &w.out.output));
    REFUSED(w.context, "out", fur_output_create(w.context, PATH, NULL));
    REFUSED(NULL, "output", fur_output_write(NULL, w.entries, 4));
    REFUSED(w.context, "bytes", fur_output_write(w.output, NULL, 4));
    REFUSED(NULL, "output", fur_output_commit(NULL, 0));
    return rows;
}

/* Checks row `wanted` of the tables, which contain every required pointer of every function.
 * Returns the number of rows. */
static int refuse(int wanted)
{
    int rows = refuse_vectors(wanted, 0);
    rows = refuse_blocks(wanted, rows);
    rows = refuse_results(wanted, rows);
    rows = refuse_matrices(wanted, rows);
    rows = refuse_operations(wanted, rows);
    rows = refuse_triangles(wanted, rows);
    rows = refuse_graphs(wanted, rows);
    rows = refuse_batches(wanted, rows);
    rows = refuse_amg(wanted, rows);
    rows = refuse_stencils(wanted, rows);
    rows = refuse_operators(wanted, rows);
    return refuse_files(wanted, rows);
}

/* Every required pointer refuses NULL. Loops over the rows of the tables. */
START_TEST(null_for_what_is_needed_is_refused)
{
    make_world();
    refuse(_i);
    destroy_world();
}
END_TEST

/* The pointer to an empty list may be NULL, because data() of an empty std::vector may be NULL. */
START_TEST(lists_of_nothing_may_be_null)
{
    double norm = -1;
    double expected;
    make_world();
    ck_ok(w.context, fur_norm2(w.y, &expected));
    ck_ok(w.context, fur_dot_many(0, NULL, w.y, NULL));
    ck_ok(w.context, fur_axpy_many(0, NULL, NULL, w.y));
    ck_ok(w.context, fur_axpy_many_norm2(0, NULL, NULL, w.y, &norm));
    ck_assert_double_eq(norm, expected);
    ck_ok(w.context, fur_axpy_many_dots(0, NULL, NULL, w.y, NULL));
    ck_ok(w.context, fur_trsv_apply_many(w.trsv, fur_real(1), 0, NULL, NULL));
    destroy_world();
}
END_TEST

/* A refused solve overwrites the outcome "converged" of an earlier solve. */
START_TEST(a_refused_solve_is_reported_as_unsolved)
{
    fur_solver_report report = {.size = sizeof report, .outcome = FUR_OUTCOME_CONVERGED};
    make_world();
    ck_assert_int_eq(fur_solver_solve(w.solver, w.x, NULL, &report), FUR_INVALID);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_UNSOLVED);
    report.outcome = FUR_OUTCOME_CONVERGED;
    ck_assert_int_eq(fur_multigrid_solve(w.mg, w.x, NULL, 0, 0, &report), FUR_INVALID);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_UNSOLVED);
    destroy_world();
}
END_TEST

START_TEST(destroying_null_does_nothing)
{
    fur_context_destroy(NULL);
    fur_context_release(NULL, NULL);
    fur_vector_destroy(NULL);
    fur_permutation_destroy(NULL);
    fur_csr_destroy(NULL);
    fur_csr_values_changed(NULL);
    fur_operator_changed(NULL);
    fur_spmv_destroy(NULL);
    fur_trsv_destroy(NULL);
    fur_classes_destroy(NULL);
    fur_spgemm_destroy(NULL);
    fur_spmm_destroy(NULL);
    fur_vectors_destroy(NULL);
    fur_triple_destroy(NULL);
    fur_stencil_destroy(NULL);
    fur_recognised_destroy(NULL);
    fur_product_destroy(NULL);
    fur_operator_destroy(NULL);
    fur_multigrid_destroy(NULL);
    fur_solver_destroy(NULL);
    fur_scalars_destroy(NULL);
    fur_batch_destroy(NULL);
    fur_batch_solver_destroy(NULL);
    fur_amg_destroy(NULL);
    fur_precond_destroy(NULL);
}
END_TEST

START_TEST(asking_null_has_a_neutral_answer)
{
    ck_assert_ptr_null(fur_context_host(NULL));
    ck_assert_str_eq(fur_context_device(NULL), "");
    ck_assert_str_eq(fur_context_isa(NULL), "");
    ck_assert_int_eq(fur_context_threads(NULL), 0);
    ck_assert_uint_eq(fur_sharing_box_bytes(NULL), 0);
    ck_assert_str_eq(fur_context_notice(NULL), "");
    ck_assert(fur_context_watcher(NULL).watch == NULL);
    ck_assert_ptr_null(fur_vector_context(NULL));
    ck_assert_int_eq(fur_vector_value_type(NULL), FUR_F32);
    ck_assert_int_eq(fur_vector_size(NULL), 0);
    ck_assert_ptr_null(fur_vector_data(NULL));
    ck_assert_ptr_null(fur_vector_const_data(NULL));
    ck_assert_ptr_null(fur_permutation_context(NULL));
    ck_assert_int_eq(fur_permutation_size(NULL), 0);
    ck_assert_ptr_null(fur_permutation_order(NULL));
    ck_assert_ptr_null(fur_permutation_position(NULL));
    ck_assert_ptr_null(fur_csr_context(NULL));
    ck_assert_int_eq(fur_csr_get(NULL)->rows, 0);
    ck_assert_ptr_null(fur_csr_get(NULL)->offsets);
    ck_assert_ptr_null(fur_vectors_context(NULL));
    ck_assert_int_eq(fur_vectors_get(NULL)->rows, 0);
    ck_assert_str_eq(fur_spmm_describe(NULL)->kernel, "");
    ck_assert_ptr_null(fur_spmm_kernel_at(NULL, 0));
    ck_assert_ptr_null(fur_spmv_matrix(NULL));
    ck_assert_int_eq(fur_spmv_op(NULL), FUR_OP_N);
    ck_assert_str_eq(fur_spmv_describe(NULL)->kernel, "");
    ck_assert_str_eq(fur_spmv_describe(NULL)->reason, "");
    ck_assert_ptr_null(fur_spmv_kernel_at(NULL, 0));
    ck_assert_int_eq(fur_classes_get(NULL)->count, 0);
    ck_assert_ptr_null(fur_classes_get(NULL)->of_rows);
    ck_assert_ptr_null(fur_classes_get(NULL)->begin);
    ck_assert_int_eq(fur_classes_get(NULL)->smallest, 0);
    ck_assert_int_eq(fur_classes_get(NULL)->largest, 0);
    ck_assert_str_eq(fur_trsv_describe(NULL)->schedule, "");
    ck_assert_str_eq(fur_trsv_describe(NULL)->reason, "");
    ck_assert_ptr_null(fur_precond_hierarchy(NULL));
    ck_assert_ptr_null(fur_precond_find(NULL));
    ck_assert_ptr_null(fur_precond_option_at(NULL, 0));
    ck_assert_int_eq(fur_precond_describe(NULL)->entries, 0);
    ck_assert_str_eq(fur_precond_describe(NULL)->kind, "");
    ck_assert_int_eq(fur_stencil_named(7, NULL), 0);
    ck_assert_int_eq(fur_spgemm_describe(NULL)->entries, 0);
    ck_assert_str_eq(fur_stencil_describe(NULL)->kernel, "");
    ck_assert_str_eq(fur_stencil_describe(NULL)->reason, "");
    ck_assert_str_eq(fur_stencil_describe(NULL)->sweep_kernel, "");
    ck_assert_ptr_null(fur_stencil_kernel_at(NULL, 0));
    ck_assert_ptr_null(fur_stencil_sweep_kernel_at(NULL, 0));
    ck_assert_ptr_null(fur_recognised_stencil(NULL));
    ck_assert_ptr_null(fur_recognised_rows(NULL));
    ck_assert_ptr_null(fur_recognised_row_numbers(NULL));
    ck_assert_ptr_null(fur_product_operator(NULL));
    ck_assert_ptr_null(fur_product_order(NULL));
    ck_assert_ptr_null(fur_product_matrix(NULL));
    ck_assert_str_eq(fur_product_describe(NULL)->kernel, "");
    ck_assert_str_eq(fur_product_describe(NULL)->order_reason, "");
    ck_assert_ptr_null(fur_operator_scaling(NULL));
    ck_assert_int_eq(fur_operator_recordable(NULL), 0);
    ck_assert_ptr_null(fur_operator_context(NULL));
    ck_assert_ptr_null(fur_operator_domain(NULL));
    ck_assert_int_eq(fur_operator_rows(NULL), 0);
    ck_assert_int_eq(fur_operator_cols(NULL), 0);
    ck_assert_int_eq(fur_operator_value_type(NULL), FUR_F32);
    ck_assert_int_eq(fur_multigrid_describe(NULL)->levels, 0);
    ck_assert_int_eq(fur_binary_detect(NULL), 0);
    ck_assert_ptr_null(fur_batch_context(NULL));
    ck_assert_int_eq(fur_batch_count(NULL), 0);
    ck_assert_str_eq(fur_amg_describe(NULL)->smoother, "");
    ck_assert_ptr_null(fur_amg_level_at(NULL, 0));
}
END_TEST

/* fur_context_fail without a context sets the thread's message. */
START_TEST(failing_without_a_context_is_told_to_the_thread)
{
    fur_status (*const tell)(fur_context *, fur_status, const char *, ...) = fur_context_fail;
    ck_fails(NULL, FUR_IO_ERROR, "the 3rd", fur_context_fail(NULL, FUR_IO_ERROR, "the %drd", 3));
    ck_fails(NULL, FUR_IO_ERROR, "", tell(NULL, FUR_IO_ERROR, NULL));
}
END_TEST

/* Functions that take only numbers return a neutral value for invalid numbers. */
START_TEST(numbers_out_of_range_have_a_neutral_answer)
{
    static const int numbers[] = {-1, 99, INT32_MIN, INT32_MAX};
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        int n = numbers[i];
        ck_assert_str_eq(fur_status_name((fur_status)n), "unknown");
        ck_assert_str_eq(fur_value_name((fur_value_type)n), "?");
        ck_assert_uint_eq(fur_value_size((fur_value_type)n), 0);
        ck_assert_str_eq(fur_offset_name((fur_offset_type)n), "?");
        ck_assert_uint_eq(fur_offset_size((fur_offset_type)n), 0);
        ck_assert_str_eq(fur_outcome_advice((fur_outcome)n), "");
        ck_assert_int_eq(fur_outcome_solved((fur_outcome)n), 0);
        ck_assert_str_eq(fur_eigs_advice((fur_outcome)n), "");
        ck_assert_str_eq(fur_mtx_format_name((fur_mtx_format)n), "?");
        ck_assert_str_eq(fur_mtx_field_name((fur_mtx_field)n), "?");
        ck_assert_str_eq(fur_mtx_symmetry_name((fur_mtx_symmetry)n), "?");
        ck_assert_ptr_nonnull(fur_outcome_name((fur_outcome)n));
        ck_assert_ptr_null(fur_device_at(n));
        ck_assert_ptr_null(fur_reorder_method_at(n));
        ck_assert_ptr_null(fur_solver_method_at(n));
        ck_assert_ptr_null(fur_precond_at(n));
        ck_assert_int_eq(fur_stencil_named(n, &w.stencil_definition), 0);
    }
    ck_assert_str_eq(fur_version(), FUR_VERSION);
    ck_assert(fur_seconds() > 0);
    ck_assert_int_eq(fur_scalars_initial().halted, -1);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, null_for_what_is_needed_is_refused, 0, refuse(-1));
    tcase_add_test(tests, lists_of_nothing_may_be_null);
    tcase_add_test(tests, a_refused_solve_is_reported_as_unsolved);
    tcase_add_test(tests, destroying_null_does_nothing);
    tcase_add_test(tests, asking_null_has_a_neutral_answer);
    tcase_add_test(tests, failing_without_a_context_is_told_to_the_thread);
    tcase_add_test(tests, numbers_out_of_range_have_a_neutral_answer);
}

int main(void)
{
    return run_tests("null", add_tests);
}
