/* Tests the member `size`, with which every struct of the caller begins (docs/contract.md).
 * check_contract.sh finds structs of the interface that are missing here. */
#include "support.h"

#include <string.h>

/* More bytes than a struct of any version. */
#define ROOM 2048

/* One struct of the interface. */
typedef struct kind {
    const char *name;
    size_t size;
    /* A call that is given the struct, with objects of the context. The call may fail for other
     * reasons if that keeps the test short. */
    fur_status (*take)(fur_context *context, const void *options);
    bool filled; /* by the call, which neither reads nor writes bytes after the struct */
} kind;

static fur_csr *tiny(fur_context *context)
{
    static const int32_t offsets[] = {0, 1};
    static const int32_t column = 0;
    static const double entry = 1;
    const fur_csr_view view = {sizeof view, 1, 1, 1, FUR_F64, FUR_I32, offsets, &column, &entry};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    return a;
}

static fur_stencil *line(fur_context *context)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {8}};
    fur_stencil *s = NULL;
    ck_assert_int_eq(fur_stencil_named(3, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    return s;
}

#define NOWHERE "/nonexistent/furrow-options"

/* Removes `const`. The structs that calls fill belong to the test and are not constant. */
static void *filled(const void *given)
{
    return (void *)(uintptr_t)given;
}

/* Defines a function NAME that makes the call with a small matrix a. */
#define TAKE(name, call)                                                                           \
    static fur_status name(fur_context *context, const void *given)                                \
    {                                                                                              \
        fur_csr *a = tiny(context);                                                                \
        fur_status status = (call);                                                                \
        fur_csr_destroy(a);                                                                        \
        return status;                                                                             \
    }

/* As TAKE, for a call that makes `made`, an object of type TYPE. */
#define TAKE_MADE(name, type, call)                                                                \
    static fur_status name(fur_context *context, const void *given)                                \
    {                                                                                              \
        fur_csr *a = tiny(context);                                                                \
        type *made = NULL;                                                                         \
        fur_status status = (call);                                                                \
        type##_destroy(made);                                                                      \
        fur_csr_destroy(a);                                                                        \
        return status;                                                                             \
    }

TAKE(take_mtx_write, fur_mtx_write_csr(a, NOWHERE, given))
TAKE(take_binary_write, fur_binary_write_csr(a, NOWHERE, given))
TAKE(fill_asymmetry, fur_csr_find_asymmetry(a, FUR_SYMMETRY_PATTERN, filled(given)))
TAKE(fill_difference, fur_csr_compare_within(a, a, 0, 0, filled(given)))
TAKE(fill_statistics, fur_csr_measure(a, filled(given)))
TAKE(fill_estimate, fur_spmv_estimate_at(a, 1, filled(given)))
TAKE(fill_figures, fur_order_measure(a, NULL, filled(given)))
TAKE(fill_traits, fur_csr_examine(a, filled(given)))
TAKE(fill_prediction, fur_amg_predict(a, NULL, filled(given)))

TAKE_MADE(take_spmv, fur_spmv, fur_spmv_plan(a, given, &made))
TAKE_MADE(take_trsv, fur_trsv,
          fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, given, &made))
TAKE_MADE(take_precond, fur_precond, fur_precond_create(a, given, &made))
/* Defines a function that passes the options of one kind of preconditioner. */
#define TAKE_KIND(name, member)                                                                    \
    TAKE_MADE(take_##name, fur_precond,                                                            \
              fur_precond_create(a,                                                                \
                                 &(fur_precond_options){.size = sizeof(fur_precond_options),       \
                                                        .kind = #name,                             \
                                                        .member = given},                          \
                                 &made))
TAKE_KIND(ic0, factors)
TAKE_KIND(ilut, ilut)
TAKE_KIND(fsai, fsai)
TAKE_KIND(spai, spai)
TAKE_KIND(chebyshev, chebyshev)
TAKE_KIND(bjacobi, bjacobi)
TAKE_KIND(schwarz, schwarz)
TAKE_MADE(take_spmm, fur_spmm, fur_spmm_plan(a, given, &made))
TAKE_MADE(take_colours, fur_classes, fur_classes_from_colours(a, given, &made))
TAKE_MADE(take_spgemm, fur_spgemm, fur_spgemm_plan(a, a, given, &made))
TAKE_MADE(take_triple, fur_triple, fur_triple_plan(a, a, a, given, &made))
TAKE_MADE(take_recognise, fur_recognised, fur_stencil_recognise(a, given, NULL, &made))
TAKE_MADE(take_product, fur_product, fur_product_create(a, given, &made))
TAKE_MADE(take_reorder, fur_permutation, fur_reorder(a, NULL, given, NULL, &made))
TAKE_MADE(take_amg, fur_amg, fur_amg_create(a, given, &made))
TAKE_MADE(fill_reorder_report, fur_permutation, fur_reorder(a, NULL, NULL, filled(given), &made))
TAKE_MADE(fill_matching_report, fur_permutation,
          fur_matching_find(a, NULL, NULL, filled(given), &made))
TAKE_MADE(fill_recognise_report, fur_recognised,
          fur_stencil_recognise(a, NULL, filled(given), &made))
TAKE_MADE(take_vectors, fur_vectors, fur_vectors_wrap(context, given, FUR_OWNERSHIP_COPY, &made))
TAKE_MADE(take_stencil, fur_stencil, fur_stencil_create(context, given, &made))
TAKE_MADE(take_operator, fur_operator, fur_operator_create(context, given, &made))
TAKE_MADE(take_mtx_read, fur_csr, fur_mtx_read_csr(context, NOWHERE, given, &made))
TAKE_MADE(take_mtx_read_vector, fur_vector, fur_mtx_read_vector(context, NOWHERE, given, &made))
TAKE_MADE(take_binary_read, fur_csr, fur_binary_read_csr(context, NOWHERE, given, &made))
TAKE_MADE(take_binary_read_vector, fur_vector,
          fur_binary_read_vector(context, NOWHERE, given, &made))
TAKE_MADE(take_csr, fur_csr, fur_csr_create(context, given, FUR_OWNERSHIP_COPY, &made))
TAKE_MADE(take_coo, fur_csr, fur_csr_from_coo(context, given, FUR_DUPLICATES_SUM, &made))

/* The failure has no context, so its message is the thread's. It is copied to the context. */
static fur_status take_context(fur_context *context, const void *options)
{
    fur_context *made = NULL;
    fur_status status = fur_context_create(options, &made);
    fur_context_destroy(made);
    return status == FUR_OK ? FUR_OK
                            : fur_context_fail(context, status, "%s", fur_context_error(NULL));
}

static fur_status take_sharing(fur_context *context, const void *sharing)
{
    fur_context_options options = {.size = sizeof options, .threads = 1, .sharing = sharing};
    return take_context(context, &options);
}

static fur_status take_multigrid(fur_context *context, const void *options)
{
    fur_stencil *s = line(context);
    fur_multigrid *mg = NULL;
    fur_status status = fur_multigrid_create(s, options, &mg);
    fur_multigrid_destroy(mg);
    fur_stencil_destroy(s);
    return status;
}

typedef fur_status operator_taker(const fur_operator *a, const void *options);

static fur_status with_operator(fur_context *context, const void *options, operator_taker *take)
{
    fur_stencil *s = line(context);
    fur_operator *a = NULL;
    ck_ok(context, fur_operator_from_stencil(s, &a));
    fur_status status = take(a, options);
    fur_operator_destroy(a);
    fur_stencil_destroy(s);
    return status;
}

static fur_status solve_by(const fur_operator *a, const void *options)
{
    fur_solver *solver = NULL;
    fur_status status = fur_solver_create(a, options, &solver);
    fur_solver_destroy(solver);
    return status;
}

static fur_status take_solver(fur_context *context, const void *options)
{
    return with_operator(context, options, solve_by);
}

static fur_status eigs_by(const fur_operator *a, const void *options)
{
    double values[8];
    return fur_eigs(a, options, values, NULL, NULL, NULL);
}

static fur_status take_eigs(fur_context *context, const void *options)
{
    return with_operator(context, options, eigs_by);
}

static fur_status lobpcg_by(const fur_operator *a, const void *options)
{
    double values[8];
    return fur_lobpcg(a, options, values, NULL, NULL, NULL);
}

static fur_status take_lobpcg(fur_context *context, const void *options)
{
    return with_operator(context, options, lobpcg_by);
}

static fur_status take_mtx_write_vector(fur_context *context, const void *options)
{
    fur_vector *x = vector_from(context, FUR_F64, 0, NULL);
    fur_status status = fur_mtx_write_vector(x, NOWHERE, options);
    fur_vector_destroy(x);
    return status;
}

static fur_status take_binary_write_vector(fur_context *context, const void *options)
{
    fur_vector *x = vector_from(context, FUR_F64, 0, NULL);
    fur_status status = fur_binary_write_vector(x, NOWHERE, options);
    fur_vector_destroy(x);
    return status;
}

static fur_status take_csr_to_check(fur_context *context, const void *view)
{
    return fur_csr_check(context, view);
}

static fur_status take_origin(fur_context *context, const void *header)
{
    const fur_binary_write_options options = {.size = sizeof options, .origin = header};
    return take_binary_write(context, &options);
}

static fur_status fill_eigs_report(fur_context *context, const void *report)
{
    fur_stencil *s = line(context);
    fur_operator *a = NULL;
    double values[8];
    ck_ok(context, fur_operator_from_stencil(s, &a));
    fur_status status = fur_eigs(a, NULL, values, NULL, NULL, filled(report));
    fur_operator_destroy(a);
    fur_stencil_destroy(s);
    return status;
}

static fur_status fill_lobpcg_report(fur_context *context, const void *report)
{
    fur_stencil *s = line(context);
    fur_operator *a = NULL;
    double values[8];
    ck_ok(context, fur_operator_from_stencil(s, &a));
    fur_status status = fur_lobpcg(a, NULL, values, NULL, NULL, filled(report));
    fur_operator_destroy(a);
    fur_stencil_destroy(s);
    return status;
}

static fur_status fill_solver_report(fur_context *context, const void *report)
{
    static double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    fur_stencil *s = line(context);
    fur_operator *a = NULL;
    fur_solver *solver = NULL;
    fur_vector *b = vector_from(context, FUR_F64, 8, ones), *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 8, &x));
    ck_ok(context, fur_operator_from_stencil(s, &a));
    ck_ok(context, fur_solver_create(a, NULL, &solver));
    fur_status status = fur_solver_solve(solver, b, x, filled(report));
    fur_solver_destroy(solver);
    fur_operator_destroy(a);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_stencil_destroy(s);
    return status;
}

static fur_status fill_block_report(fur_context *context, const void *report)
{
    fur_stencil *s = line(context);
    fur_operator *a = NULL;
    fur_solver *solver = NULL;
    fur_vectors *b = NULL, *x = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F64, 8, 1, FUR_LAYOUT_ROWS, &b));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 8, 1, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_operator_from_stencil(s, &a));
    ck_ok(context, fur_solver_create(a, NULL, &solver));
    fur_status status = fur_solver_solve_block(solver, b, x, filled(report));
    fur_solver_destroy(solver);
    fur_operator_destroy(a);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_stencil_destroy(s);
    return status;
}

/* Solves two systems of the matrix's pattern. */
static fur_status solve_batch(fur_context *context, const fur_batch_solver_options *options,
                              fur_batch_report *report)
{
    fur_csr *a = tiny(context);
    const fur_csr_view *v = fur_csr_get(a);
    fur_vectors *values = NULL, *b = NULL, *x = NULL;
    fur_batch *batch = NULL;
    fur_batch_solver *solver = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F64, v->entries, 2, FUR_LAYOUT_ROWS, &values));
    ck_ok(context, fur_vectors_create(context, FUR_F64, v->rows, 2, FUR_LAYOUT_ROWS, &b));
    ck_ok(context, fur_vectors_create(context, FUR_F64, v->rows, 2, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_batch_create(a, values, &batch));
    fur_status status = fur_batch_solver_create(batch, options, &solver);
    if (status == FUR_OK && report)
        status = fur_batch_solve(solver, b, x, NULL, report);
    fur_batch_solver_destroy(solver);
    fur_batch_destroy(batch);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_vectors_destroy(values);
    fur_csr_destroy(a);
    return status;
}

static fur_status take_batch(fur_context *context, const void *options)
{
    return solve_batch(context, options, NULL);
}

static fur_status fill_batch_report(fur_context *context, const void *report)
{
    return solve_batch(context, NULL, filled(report));
}

static fur_status solve(fur_context *context, const fur_solve_options *options,
                        fur_solver_report *report)
{
    static double ones[1] = {1};
    fur_csr *a = tiny(context);
    fur_vector *b = vector_from(context, FUR_F64, 1, ones);
    fur_vector *x = vector_from(context, FUR_F64, 1, ones);
    fur_status status = fur_solve(a, b, x, options, report);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    return status;
}

static fur_status take_auto(fur_context *context, const void *options)
{
    return solve(context, options, NULL);
}

static fur_status take_auto_solver(fur_context *context, const void *options)
{
    const fur_solve_options o = {.size = sizeof o, .solver = options};
    return solve(context, &o, NULL);
}

static fur_status fill_auto_report(fur_context *context, const void *report)
{
    return solve(context, NULL, filled(report));
}

/* The failure has no context, so its message is the thread's. It is copied to the context. */
static fur_status choose(fur_context *context, const fur_csr_traits *traits,
                         const fur_choice *previous, fur_choice *out)
{
    fur_choice other = FUR_DEFAULT(fur_choice);
    fur_status status = fur_choose(traits, previous, FUR_OUTCOME_UNSOLVED, out ? out : &other);
    return status == FUR_OK ? FUR_OK
                            : fur_context_fail(context, status, "%s", fur_context_error(NULL));
}

static fur_status take_traits(fur_context *context, const void *traits)
{
    return choose(context, traits, NULL, NULL);
}

static fur_status take_choice(fur_context *context, const void *previous)
{
    fur_csr_traits traits = FUR_DEFAULT(fur_csr_traits);
    return choose(context, &traits, previous, NULL);
}

static fur_status fill_choice(fur_context *context, const void *out)
{
    fur_csr_traits traits = FUR_DEFAULT(fur_csr_traits);
    return choose(context, &traits, NULL, filled(out));
}

static fur_status neighbours(fur_context *context, const fur_neighbours_options *options,
                             fur_neighbours_report *report)
{
    fur_vectors *points = NULL;
    fur_csr *g = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F32, 4, 2, FUR_LAYOUT_ROWS, &points));
    fur_status status = fur_neighbours(points, 2, options, report, &g);
    fur_csr_destroy(g);
    fur_vectors_destroy(points);
    return status;
}

static fur_status take_neighbours(fur_context *context, const void *options)
{
    return neighbours(context, options, NULL);
}

static fur_status fill_neighbours_report(fur_context *context, const void *report)
{
    return neighbours(context, NULL, filled(report));
}

static fur_status fill_multigrid_report(fur_context *context, const void *report)
{
    static double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    fur_stencil *s = line(context);
    fur_multigrid *mg = NULL;
    fur_vector *b = vector_from(context, FUR_F64, 8, ones), *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 8, &x));
    ck_ok(context, fur_multigrid_create(s, NULL, &mg));
    fur_status status = fur_multigrid_solve(mg, b, x, 0, 0, filled(report));
    fur_multigrid_destroy(mg);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_stencil_destroy(s);
    return status;
}

static fur_status take_scalars(fur_context *context, const void *state)
{
    fur_scalars *scalars = NULL;
    ck_ok(context, fur_scalars_create(context, &scalars));
    fur_status status = fur_scalars_set(scalars, state);
    fur_scalars_destroy(scalars);
    return status;
}

static fur_status fill_scalars(fur_context *context, const void *state)
{
    fur_scalars *scalars = NULL;
    ck_ok(context, fur_scalars_create(context, &scalars));
    fur_status status = fur_scalars_get(scalars, filled(state));
    fur_scalars_destroy(scalars);
    return status;
}

/* The file does not exist, but the size is checked before the file. */
static fur_status fill_mtx_header(fur_context *context, const void *out)
{
    return fur_mtx_read_header(context, NOWHERE, filled(out));
}

static fur_status fill_mtx_header_option(fur_context *context, const void *out)
{
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";
    const fur_mtx_read_options options = {.size = sizeof options, .header = filled(out)};
    fur_csr *a = NULL;
    fur_status status = fur_mtx_read_csr_from_memory(context, text, strlen(text), &options, &a);
    fur_csr_destroy(a);
    return status;
}

static fur_status fill_binary_header(fur_context *context, const void *out)
{
    return fur_binary_read_header(context, NOWHERE, filled(out));
}

static fur_status fill_binary_header_option(fur_context *context, const void *out)
{
    const fur_binary_read_options options = {.size = sizeof options, .header = filled(out)};
    return take_binary_read(context, &options);
}

static fur_status take_prediction(fur_context *context, const void *options)
{
    fur_csr *a = tiny(context);
    fur_amg_prediction found = FUR_DEFAULT(fur_amg_prediction);
    fur_status status = fur_amg_predict(a, options, &found);
    fur_csr_destroy(a);
    return status;
}

#define KIND(type, take)                                                                           \
    {                                                                                              \
#        type, sizeof(type), take, false                                                           \
    }
#define KIND_FILLED(type, fill)                                                                    \
    {                                                                                              \
#        type, sizeof(type), fill, true                                                            \
    }
static const kind kinds[] = {
    KIND(fur_context_options, take_context),
    KIND(fur_spmv_options, take_spmv),
    KIND(fur_trsv_options, take_trsv),
    KIND(fur_colour_options, take_colours),
    KIND(fur_spgemm_options, take_spgemm),
    KIND(fur_spmm_options, take_spmm),
    KIND(fur_vectors_view, take_vectors),
    KIND(fur_spgemm_options, take_triple),
    KIND(fur_recognise_options, take_recognise),
    KIND(fur_product_options, take_product),
    KIND(fur_reorder_options, take_reorder),
    KIND(fur_multigrid_options, take_multigrid),
    KIND(fur_solver_options, take_solver),
    KIND(fur_eigs_options, take_eigs),
    KIND(fur_lobpcg_options, take_lobpcg),
    KIND(fur_solve_options, take_auto),
    KIND(fur_solver_options, take_auto_solver),
    KIND(fur_csr_traits, take_traits),
    KIND(fur_choice, take_choice),
    KIND(fur_stencil_definition, take_stencil),
    KIND(fur_operator_definition, take_operator),
    KIND(fur_mtx_read_options, take_mtx_read),
    KIND(fur_mtx_read_options, take_mtx_read_vector),
    KIND(fur_mtx_write_options, take_mtx_write),
    KIND(fur_mtx_write_options, take_mtx_write_vector),
    KIND(fur_binary_read_options, take_binary_read),
    KIND(fur_binary_read_options, take_binary_read_vector),
    KIND(fur_binary_write_options, take_binary_write),
    KIND(fur_binary_write_options, take_binary_write_vector),
    KIND(fur_csr_view, take_csr),
    KIND(fur_csr_view, take_csr_to_check),
    KIND(fur_coo_view, take_coo),
    KIND(fur_scalars_state, take_scalars),
    KIND(fur_neighbours_options, take_neighbours),
    KIND(fur_sharing, take_sharing),
    KIND_FILLED(fur_scalars_state, fill_scalars),
    KIND_FILLED(fur_mtx_header, take_origin),
    KIND_FILLED(fur_mtx_header, fill_mtx_header),
    KIND_FILLED(fur_mtx_header, fill_mtx_header_option),
    KIND_FILLED(fur_mtx_header, fill_binary_header),
    KIND_FILLED(fur_mtx_header, fill_binary_header_option),
    KIND_FILLED(fur_csr_statistics, fill_statistics),
    KIND_FILLED(fur_spmv_estimate, fill_estimate),
    KIND_FILLED(fur_csr_asymmetry, fill_asymmetry),
    KIND_FILLED(fur_csr_difference, fill_difference),
    KIND_FILLED(fur_order_figures, fill_figures),
    KIND_FILLED(fur_reorder_report, fill_reorder_report),
    KIND_FILLED(fur_matching_report, fill_matching_report),
    KIND_FILLED(fur_recognise_report, fill_recognise_report),
    KIND_FILLED(fur_eigs_report, fill_eigs_report),
    KIND_FILLED(fur_eigs_report, fill_lobpcg_report),
    KIND_FILLED(fur_solver_report, fill_solver_report),
    KIND_FILLED(fur_solver_report, fill_block_report),
    KIND_FILLED(fur_solver_report, fill_multigrid_report),
    KIND_FILLED(fur_solver_report, fill_auto_report),
    KIND_FILLED(fur_csr_traits, fill_traits),
    KIND_FILLED(fur_choice, fill_choice),
    KIND_FILLED(fur_neighbours_report, fill_neighbours_report),
    KIND(fur_batch_solver_options, take_batch),
    KIND_FILLED(fur_batch_report, fill_batch_report),
    KIND(fur_amg_options, take_amg),
    KIND(fur_amg_options, take_prediction),
    KIND_FILLED(fur_amg_prediction, fill_prediction),
    KIND(fur_precond_options, take_precond),
    KIND(fur_factor_options, take_ic0),
    KIND(fur_ilut_options, take_ilut),
    KIND(fur_fsai_options, take_fsai),
    KIND(fur_spai_options, take_spai),
    KIND(fur_chebyshev_options, take_chebyshev),
    KIND(fur_bjacobi_options, take_bjacobi),
    KIND(fur_schwarz_options, take_schwarz),
};

/* Returns whether the struct is refused because of its size, with a message that names both
 * sizes. */
static bool is_refused(fur_context *context, const kind *k, const void *options, size_t size)
{
    char expected[256];
    fur_status status = k->take(context, options);
    snprintf(expected, sizeof expected,
             "%s says that it has %zu bytes; write .size = sizeof(%s), which are %zu in "
             "furrow %s, and set nothing beyond them",
             k->name, size, k->name, k->size, fur_version());
    return status == FUR_INVALID && strcmp(fur_context_error(context), expected) == 0;
}

/* Returns whether a struct of `size` bytes is refused. Byte `set` is 1 if it is below ROOM; all
 * other bytes are 0. */
static bool refuses(fur_context *context, const kind *k, size_t size, size_t set)
{
    static _Alignas(64) char options[ROOM];
    memset(options, 0, sizeof options);
    memcpy(options, &size, sizeof size);
    if (set < ROOM)
        options[set] = 1;
    return is_refused(context, k, options, size);
}

START_TEST(a_size_that_no_version_has_is_refused)
{
    const kind *k = &kinds[_i];
    const size_t sizes[] = {0, 1, 7, 8, 9, 15, 17, k->size - 1, k->size + 1, 1032, SIZE_MAX};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(sizes); i++)
        ck_assert_msg(refuses(context, k, sizes[i], ROOM), "%s of size %zu: %s", k->name, sizes[i],
                      fur_context_error(context));
    fur_context_destroy(context);
}
END_TEST

START_TEST(an_older_and_a_newer_struct_are_taken_if_they_ask_for_nothing_unknown)
{
    const kind *k = &kinds[_i];
    fur_context *context = context_make(NULL, 1);
    for (size_t size = 16; size <= 1024; size += 8)
        ck_assert_msg(!refuses(context, k, size, ROOM), "%s of size %zu: %s", k->name, size,
                      fur_context_error(context));
    ck_assert(!refuses(context, k, k->size + 16, k->size + 16)); /* after the given size */
    for (size_t at = k->size; !k->filled && at < k->size + 16; at++)
        ck_assert_msg(refuses(context, k, k->size + 16, at), "%s: byte %zu is unknown", k->name,
                      at);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_shorter_struct_is_filled_as_far_as_it_goes)
{
    const kind *k = &kinds[_i];
    static _Alignas(64) unsigned char given[ROOM], expected[ROOM];
    fur_context *context = context_make(NULL, 1);
    for (size_t size = 16; k->filled && size <= k->size + 16; size += 8) {
        memset(given, 0xa5, sizeof given);
        memcpy(given, &size, sizeof size);
        memcpy(expected, given, sizeof expected);
        fur_status status = k->take(context, given);
        size_t end = size < k->size ? size : k->size;
        ck_assert_msg(memcmp(given + end, expected + end, ROOM - end) == 0, "%s of size %zu",
                      k->name, size);
        ck_assert(memcmp(given, &size, sizeof size) == 0);
        if (status == FUR_OK)
            ck_assert(memcmp(given + 8, expected + 8, end - 8) != 0);
    }
    fur_context_destroy(context);
}
END_TEST

/* A struct without its size must not be ignored: the plan would be for A instead of A^T. */
START_TEST(a_plan_for_the_transpose_needs_the_size)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = tiny(context);
    fur_spmv *plan = NULL;
    fur_spmv_options options = {.op = FUR_OP_T};
    ck_assert_int_eq(fur_spmv_plan(a, &options, &plan), FUR_INVALID);
    ck_assert_ptr_null(plan);
    options.size = sizeof options;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_assert_int_eq(fur_spmv_op(plan), FUR_OP_T);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_size_that_no_version_has_is_refused, 0, COUNT_OF(kinds));
    tcase_add_loop_test(tests,
                        an_older_and_a_newer_struct_are_taken_if_they_ask_for_nothing_unknown, 0,
                        COUNT_OF(kinds));
    tcase_add_loop_test(tests, a_shorter_struct_is_filled_as_far_as_it_goes, 0, COUNT_OF(kinds));
    tcase_add_test(tests, a_plan_for_the_transpose_needs_the_size);
}

int main(void)
{
    return run_tests("options", add_tests);
}
