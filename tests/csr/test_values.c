/* New values for a matrix. An object made from the matrix gives the bits of a new object, or
 * refuses with a message. No object uses the old values, for any owner of the arrays and any order
 * of destruction. */
#include "values_cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Makes a subject whose allocations are counted. */
static values_subject open_subject(memory *m, uint64_t stream, int threads)
{
    *m = (memory){0};
    return (values_subject){.context = context_counting(m, NULL, threads),
                            .random = rng_stream(stream),
                            .calls = {&m->calls}};
}

static void close_subject(const values_subject *s, const memory *m)
{
    fur_context_destroy(s->context);
    ck_assert_int_eq(m->outstanding, 0);
}

/* Plans use the new values. Loops over the shapes. */
START_TEST(plans_take_new_values_over)
{
    memory m;
    values_subject s = open_subject(&m, (uint64_t)_i, 1 + _i % 3);
    FOR_TURNS (value, FUR_VALUE_COUNT, 4, _i)
        if (!test_small() || value == _i % FUR_VALUE_COUNT)
            values_reach_plans(&s, &shapes[_i], (fur_value_type)value);
    close_subject(&s, &m);
}
END_TEST

/* Entries that share a position are updated in their order. Like the tests of operators and of
 * stencils, it loops over value types. */
START_TEST(repeated_entries_keep_their_order)
{
    memory m;
    values_subject s = open_subject(&m, 1000 + (uint64_t)_i, 3);
    values_reach_repeated(&s, (fur_value_type)_i);
    close_subject(&s, &m);
}
END_TEST

START_TEST(operators_take_new_values_over)
{
    memory m;
    values_subject s = open_subject(&m, 2000 + (uint64_t)_i, 2);
    values_reach_operators(&s, (fur_value_type)_i);
    close_subject(&s, &m);
}
END_TEST

START_TEST(recognised_stencils_take_new_values_over)
{
    memory m;
    values_subject s = open_subject(&m, 3000 + (uint64_t)_i, 2);
    values_reach_recognised(&s, (fur_value_type)_i);
    close_subject(&s, &m);
}
END_TEST

START_TEST(what_cannot_take_them_over_refuses)
{
    memory m;
    values_subject s = open_subject(&m, 4000, 2);
    values_refused_by_jacobi(&s);
    values_refused_by_recognised(&s);
    values_refused_by_multigrid(&s);
    close_subject(&s, &m);
}
END_TEST

/* The matrix is so large that every update of its plans is shared by all threads. */
START_TEST(threads_do_not_show)
{
    const shape *s = &shapes[shape_find("grid")];
    for (int threads = 1; threads <= 5; threads += 2) {
        memory m;
        values_subject subject = open_subject(&m, 5000, threads);
        values_reach_plans(&subject, s, FUR_F64);
        close_subject(&subject, &m);
    }
}
END_TEST

/* A matrix that borrows its arrays, and plans of all kernels. */
typedef struct borrowed {
    memory m;
    values_subject s;
    fur_csr_view arrays;
    fur_csr *a;
    fur_spmv *plans[3 * 16];
    int count;
} borrowed;

static void borrowed_open(borrowed *b)
{
    b->s = open_subject(&b->m, 6000, 2);
    pattern p = pattern_make(&shapes[shape_find("small grid")], &b->s.random);
    void *values = entries_random(&b->s.random, FUR_F64, p.entries);
    b->arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    ck_ok(b->s.context, fur_csr_create(b->s.context, &b->arrays, FUR_OWNERSHIP_BORROW, &b->a));
    b->count = 0;
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, b->s.context); kernel++)
        for (int op = 0; op < 3; op++) {
            fur_kernel_info info = *fur_spmv_kernel_at(b->s.context, kernel);
            fur_spmv_options o = {.size = sizeof o, .op = (fur_op)op, .kernel = info.name};
            ck_ok(b->s.context, fur_spmv_plan(b->a, &o, &b->plans[b->count++]));
        }
    free(values);
    pattern_release(&p);
}

static void borrowed_check(borrowed *b)
{
    for (int i = 0; i < b->count; i++)
        values_check_plan(&b->s, b->plans[i]);
}

static void borrowed_close(borrowed *b)
{
    for (int i = 0; i < b->count; i++)
        fur_spmv_destroy(b->plans[i]);
    fur_csr_destroy(b->a);
    arrays_release(&b->arrays);
    close_subject(&b->s, &b->m);
}

START_TEST(borrowed_values_may_change_in_place)
{
    borrowed b;
    borrowed_open(&b);
    double *values = (double *)(uintptr_t)b.arrays.values;
    for (int step = 0; step < 3; step++) {
        for (int64_t k = 0; k < b.arrays.entries; k++)
            values[k] *= 10;
        int64_t calls = b.m.calls;
        fur_csr_values_changed(b.a);
        ck_assert_int_eq(b.m.calls, calls);
        borrowed_check(&b);
    }
    borrowed_close(&b);
}
END_TEST

/* The first copy of values into a matrix with borrowed arrays allocates. No copy writes to the
 * borrowed arrays. */
START_TEST(a_copy_leaves_borrowed_values_alone)
{
    borrowed b;
    borrowed_open(&b);
    size_t bytes = (size_t)b.arrays.entries * sizeof(double);
    void *before = malloc(bytes);
    memcpy(before, b.arrays.values, bytes);
    for (int step = 0; step < 2; step++) {
        void *values = values_random(&b.s, b.a);
        values_set(&b.s, b.a, values, step == 0);
        ck_assert_int_eq(memcmp(before, b.arrays.values, bytes), 0);
        borrowed_check(&b);
        free(values);
    }
    free(before);
    borrowed_close(&b);
}
END_TEST

/* Copied, borrowed and adopted values replace each other in several orders. */
START_TEST(values_are_copied_borrowed_and_adopted_in_turn)
{
    borrowed b;
    borrowed_open(&b);
    fur_context *context = b.s.context;
    size_t bytes = (size_t)b.arrays.entries * sizeof(double);
    double *lent[2] = {values_random(&b.s, b.a), values_random(&b.s, b.a)};
    for (int step = 0; step < 12; step++) {
        fur_ownership how = (fur_ownership)(step % 4 < 3 ? step % 4 : rng_below(&b.s.random, 3));
        double *values = lent[step % 2];
        values[step] += 1;
        if (how == FUR_OWNERSHIP_ADOPT) {
            void *given = NULL;
            ck_ok(context, fur_context_allocate(context, bytes, &given));
            memcpy(given, values, bytes);
            values = given;
        }
        ck_ok(context, fur_csr_set_values(b.a, values, how));
        ck_assert((fur_csr_get(b.a)->values == values) == (how != FUR_OWNERSHIP_COPY));
        borrowed_check(&b);
    }
    fur_csr_destroy(b.a);
    b.a = NULL;
    free(lent[1]);
    free(lent[0]);
    borrowed_close(&b);
}
END_TEST

START_TEST(calls_that_break_the_contract_fail)
{
    memory m;
    values_subject s = open_subject(&m, 7000, 1);
    fur_csr *a = matrix_random(s.context, &s.random, &shapes[shape_find("band")], FUR_F64, FUR_I32);
    fur_csr *empty =
        matrix_random(s.context, &s.random, &shapes[shape_find("no entries")], FUR_F64, FUR_I32);
    const void *own = fur_csr_get(a)->values;
    const char taken[] = "these values are the matrix's own array; after a change in place call "
                         "fur_csr_values_changed";
    ck_fails(s.context, FUR_INVALID, "fur_csr_set_values was given NULL for values",
             fur_csr_set_values(a, NULL, FUR_OWNERSHIP_COPY));
    ck_fails(s.context, FUR_INVALID, taken, fur_csr_set_values(a, own, FUR_OWNERSHIP_ADOPT));
    ck_fails(s.context, FUR_INVALID, taken, fur_csr_set_values(a, own, FUR_OWNERSHIP_BORROW));
    ck_assert_int_eq(fur_csr_set_values(a, own, (fur_ownership)7), FUR_INVALID);
    ck_ok(s.context, fur_csr_set_values(a, own, FUR_OWNERSHIP_COPY));
    ck_assert_ptr_eq(fur_csr_get(a)->values, own);
    for (int how = 0; how < 3; how++)
        ck_ok(s.context, fur_csr_set_values(empty, NULL, (fur_ownership)how));
    fur_csr_destroy(empty);
    fur_csr_destroy(a);
    close_subject(&s, &m);
}
END_TEST

/* Copying values into a matrix that borrowed its arrays needs memory. If the allocation fails,
 * nothing changes. */
START_TEST(memory_that_is_refused_changes_nothing)
{
    borrowed b;
    borrowed_open(&b);
    void *values = values_random(&b.s, b.a);
    b.m.fail_at = b.m.calls + 1;
    ck_assert_int_eq(fur_csr_set_values(b.a, values, FUR_OWNERSHIP_COPY), FUR_OUT_OF_MEMORY);
    b.m.fail_at = 0;
    ck_assert_ptr_eq(fur_csr_get(b.a)->values, b.arrays.values);
    borrowed_check(&b);
    free(values);
    borrowed_close(&b);
}
END_TEST

/* The update of a recognised stencil needs temporary memory. If an allocation fails, the stencil
 * refuses to be used. */
START_TEST(a_recognised_stencil_without_memory_refuses)
{
    memory m;
    values_subject s = open_subject(&m, 7500, 1);
    fur_csr *a = grid(s.context, 5, 20, 20, 1);
    fur_recognised *r = NULL;
    fur_vector *x = vector_random(s.context, &s.random, FUR_F64, 400);
    fur_vector *y = vector_random(s.context, &s.random, FUR_F64, 400);
    fur_status status = FUR_INVALID;
    ck_ok(s.context, fur_stencil_recognise(a, NULL, NULL, &r));
    for (int64_t n = 1; status != FUR_OK; n++) {
        int64_t outstanding = m.outstanding;
        m.fail_at = m.calls + n;
        fur_csr_values_changed(a);
        bool failed_one = m.calls >= m.fail_at;
        m.fail_at = 0;
        status = fur_recognised_apply(r, fur_real(1), x, fur_real(0), y);
        ck_assert_int_eq(status, failed_one ? FUR_INVALID : FUR_OK);
        ck_assert(!failed_one || strstr(fur_context_error(s.context), "out of memory: "));
        ck_assert_int_eq(m.outstanding, outstanding);
    }
    fur_recognised_destroy(r);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    close_subject(&s, &m);
}
END_TEST

/* A kernel that was chosen by name is not replaced. If it does not suit the new values, the stencil
 * refuses to be used. */
START_TEST(a_named_kernel_may_not_suit_new_coefficients)
{
    static const char reason[] =
        "the stencil could not be updated for new values: kernel \"symmetric\" does not suit the "
        "stencil: its coefficients differ at -1 and +1 along an axis";
    memory m;
    values_subject s = open_subject(&m, 7700, 1);
    const fur_recognise_options options = {.size = sizeof options, .kernel = "symmetric"};
    fur_csr *a = grid(s.context, 27, 9, 9, 9);
    fur_csr_view v = *fur_csr_get(a);
    double *values = malloc((size_t)v.entries * sizeof *values);
    fur_recognised *r = NULL;
    fur_vector *x = vector_random(s.context, &s.random, FUR_F64, v.rows);
    fur_vector *y = vector_random(s.context, &s.random, FUR_F64, v.rows);
    ck_ok(s.context, fur_stencil_recognise(a, &options, NULL, &r));
    for (int skewed = 1; skewed >= 0; skewed--) {
        for (int64_t i = 0; i < v.rows; i++)
            for (int64_t k = offset_at(&v, i); k < offset_at(&v, i + 1); k++)
                values[k] = v.columns[k] < i ? 1 : v.columns[k] > i ? 1 + skewed : 5;
        values_set(&s, a, values, true);
        if (skewed)
            ck_fails(s.context, FUR_INVALID, reason,
                     fur_recognised_apply(r, fur_real(1), x, fur_real(0), y));
        else
            ck_ok(s.context, fur_recognised_apply(r, fur_real(1), x, fur_real(0), y));
    }
    fur_recognised_destroy(r);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    free(values);
    fur_csr_destroy(a);
    close_subject(&s, &m);
}
END_TEST

/* A user's operator: `scale` times the identity. */
typedef struct scaling {
    double scale;
} scaling;

static fur_status scaling_apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_axpby(fur_real(((scaling *)user)->scale), x, fur_real(0), y);
}

static fur_status scaling_diagonal(void *user, fur_vector *d)
{
    return fur_vector_fill(d, fur_real(((scaling *)user)->scale));
}

START_TEST(a_users_operator_says_that_it_has_changed)
{
    memory m;
    values_subject s = open_subject(&m, 8000, 1);
    scaling user = {2};
    fur_operator_definition d = {.size = sizeof d,
                                 .rows = 5,
                                 .cols = 5,
                                 .value_type = FUR_F64,
                                 .user = &user,
                                 .apply = scaling_apply,
                                 .diagonal = scaling_diagonal};
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    ck_ok(s.context, fur_operator_create(s.context, &d, &op));
    ck_ok(s.context, fur_operator_jacobi(op, &jacobi));
    fur_vector *x = vector_random(s.context, &s.random, FUR_F64, 5);
    fur_vector *y = vector_random(s.context, &s.random, FUR_F64, 5);
    for (user.scale = 4; user.scale < 1000; user.scale *= 4) {
        int64_t calls = m.calls;
        fur_operator_changed(op);
        ck_assert_int_eq(m.calls, calls);
        ck_ok(s.context, fur_operator_apply(jacobi, x, y));
        ck_assert_double_eq(((double *)fur_vector_data(y))[4] * user.scale,
                            ((double *)fur_vector_data(x))[4]);
    }
    user.scale = 0;
    fur_operator_changed(op);
    ck_assert_int_eq(fur_operator_apply(jacobi, x, y), FUR_INVALID);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_operator_destroy(op);
    fur_operator_destroy(jacobi);
    close_subject(&s, &m);
}
END_TEST

/* Objects that depend on each other: a matrix, a plan, its operator, Jacobi's operator, the
 * permuted operator, a recognised stencil and its operator. */
enum { MATRIX, PLAN, OPERATOR, JACOBI, PERMUTED, RECOGNISED, STENCIL, PILE };

typedef struct pile {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op[PILE];
    fur_recognised *r;
} pile;

static pile pile_make(fur_context *context, const fur_permutation *p)
{
    pile t = {.a = grid(context, 5, 12, 12, 1)};
    ck_ok(context, fur_spmv_plan(t.a, NULL, &t.plan));
    ck_ok(context, fur_operator_from_spmv(t.plan, &t.op[OPERATOR]));
    ck_ok(context, fur_operator_jacobi(t.op[OPERATOR], &t.op[JACOBI]));
    ck_ok(context, fur_operator_permute(t.op[JACOBI], p, &t.op[PERMUTED]));
    ck_ok(context, fur_stencil_recognise(t.a, NULL, NULL, &t.r));
    ck_ok(context, fur_operator_from_recognised(t.r, &t.op[STENCIL]));
    return t;
}

static void pile_take(pile *t, int which)
{
    if (which == MATRIX) {
        fur_csr_destroy(t->a);
        t->a = NULL;
    } else if (which == PLAN) {
        fur_spmv_destroy(t->plan);
    } else if (which == RECOGNISED) {
        fur_recognised_destroy(t->r);
    } else {
        fur_operator_destroy(t->op[which]);
    }
}

/* Returns the object that an operator of the pile needs at every use, or -1. The operator refuses
 * to be used after this object is destroyed. */
static int stands_on(int which)
{
    static const int on[PILE] = {
        [OPERATOR] = PLAN, [JACOBI] = -1, [PERMUTED] = JACOBI, [STENCIL] = RECOGNISED};
    return on[which];
}

static void pile_check(const pile *t, const bool gone[PILE], const fur_vector *x, fur_vector *y)
{
    if (t->a)
        fur_csr_values_changed(t->a);
    for (int i = OPERATOR; i < PILE; i++) {
        if (gone[i] || !t->op[i])
            continue;
        bool stands = stands_on(i) < 0 || !gone[stands_on(i)];
        if (i == OPERATOR)
            stands = stands && !gone[MATRIX];
        ck_assert_msg((fur_operator_apply(t->op[i], x, y) == FUR_OK) == stands, "operator %d", i);
    }
}

/* The objects may be destroyed in any order. An operator works while all objects that it needs
 * exist. */
START_TEST(whatever_goes_first)
{
    memory m;
    values_subject s = open_subject(&m, 9000, 1);
    fur_permutation *p = permutation_random(s.context, &s.random, 144);
    fur_vector *x = vector_random(s.context, &s.random, FUR_F64, 144);
    fur_vector *y = vector_random(s.context, &s.random, FUR_F64, 144);
    for (int trial = 0; trial < (TEST_SHORT || on_gpu() ? 50 : 300); trial++) {
        bool gone[PILE] = {false};
        pile t = pile_make(s.context, p);
        int32_t *order = rng_order(&s.random, PILE);
        for (int i = 0; i < PILE; i++) {
            pile_take(&t, order[i]);
            gone[order[i]] = true;
            pile_check(&t, gone, x, y);
        }
        free(order);
    }
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    close_subject(&s, &m);
}
END_TEST

START_TEST(a_plan_without_its_matrix_says_so)
{
    memory m;
    values_subject s = open_subject(&m, 9500, 1);
    fur_csr *a = grid(s.context, 5, 4, 4, 1);
    fur_spmv *plan = NULL;
    fur_vector *x = vector_random(s.context, &s.random, FUR_F64, 16);
    fur_vector *y = vector_random(s.context, &s.random, FUR_F64, 16);
    ck_ok(s.context, fur_spmv_plan(a, NULL, &plan));
    fur_csr_destroy(a);
    ck_fails(
        s.context, FUR_INVALID,
        "the plan cannot be used any more, because an object that it was created from has been "
        "destroyed",
        fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    close_subject(&s, &m);
}
END_TEST

/* The implicit Euler method for the heat equation, x := (I + dt L)^-1 x, with growing steps dt. L
 * is the 5-point Laplacian on SIDE x SIDE points. */
#define SIDE 40
#define CELLS (SIDE * SIDE)

typedef struct heat {
    fur_context *context;
    double values[5 * CELLS];
    fur_csr_view arrays; /* the grid's pattern with these values */
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_solver *solver;
    fur_vector *b;
    fur_vector *x;
} heat;

static void heat_set_step(heat *h, double dt)
{
    for (int64_t i = 0; i < CELLS; i++)
        for (int64_t k = offset_at(&h->arrays, i); k < offset_at(&h->arrays, i + 1); k++)
            h->values[k] = h->arrays.columns[k] == i ? 1 + 4 * dt : -dt;
}

static void heat_open(heat *h, fur_csr *grid_matrix, fur_ownership ownership, const char *kernel)
{
    fur_context *context = h->context = fur_csr_context(grid_matrix);
    const fur_spmv_options plan = {.size = sizeof plan, .kernel = kernel};
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-8};
    h->arrays = *fur_csr_get(grid_matrix);
    h->arrays.values = h->values;
    heat_set_step(h, 0.1);
    ck_ok(context, fur_csr_create(context, &h->arrays, ownership, &h->a));
    ck_ok(context, fur_spmv_plan(h->a, &plan, &h->plan));
    ck_ok(context, fur_operator_from_spmv(h->plan, &h->op));
    ck_ok(context, fur_operator_jacobi(h->op, &h->jacobi));
    options.preconditioner = h->jacobi;
    ck_ok(context, fur_solver_create(h->op, &options, &h->solver));
    ck_ok(context, fur_vector_create(context, FUR_F64, CELLS, &h->b));
    ck_ok(context, fur_vector_create(context, FUR_F64, CELLS, &h->x));
    for (int64_t i = 0; i < CELLS; i++)
        ((double *)fur_vector_data(h->x))[i] = sin(3.0 * (double)(i % SIDE) / SIDE);
}

static void heat_close(heat *h)
{
    fur_vector_destroy(h->x);
    fur_vector_destroy(h->b);
    fur_solver_destroy(h->solver);
    fur_operator_destroy(h->jacobi);
    fur_operator_destroy(h->op);
    fur_spmv_destroy(h->plan);
    fur_csr_destroy(h->a);
}

/* Returns ||b - A x|| / ||b|| for the current values, computed in long double. */
static double heat_residual(const heat *h)
{
    const double *b = fur_vector_const_data(h->b);
    const double *x = fur_vector_const_data(h->x);
    long double sum = 0;
    long double of_b = 0;
    for (int64_t i = 0; i < CELLS; i++) {
        long double r = b[i];
        for (int64_t k = offset_at(&h->arrays, i); k < offset_at(&h->arrays, i + 1); k++)
            r -= (long double)h->values[k] * x[h->arrays.columns[k]];
        sum += r * r;
        of_b += (long double)b[i] * b[i];
    }
    return (double)sqrtl(sum / of_b);
}

/* Checks that every step converges. The reported residual is the true residual up to rounding: a
 * row has 5 entries whose moduli add up to no more than 9 dt + 1. */
static void heat_run(fur_csr *grid_matrix, fur_ownership ownership, const char *kernel)
{
    heat h;
    double dt = 0.1;
    heat_open(&h, grid_matrix, ownership, kernel);
    for (int step = 0; step < 8; step++, dt *= 1.5) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        heat_set_step(&h, dt);
        if (ownership == FUR_OWNERSHIP_BORROW)
            fur_csr_values_changed(h.a);
        else
            ck_ok(h.context, fur_csr_set_values(h.a, h.values, FUR_OWNERSHIP_COPY));
        ck_ok(h.context, fur_vector_copy(h.x, h.b));
        ck_ok(h.context, fur_solver_solve(h.solver, h.b, h.x, &report));
        double residual = heat_residual(&h);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_msg(fabs(residual - report.residual) < 16 * (9 * dt + 1) * DBL_EPSILON,
                      "%s, step %d: the report says %.3g, it is %.3g",
                      fur_spmv_describe(h.plan)->kernel, step, report.residual, residual);
        ck_assert_double_le(residual, 1e-7);
    }
    heat_close(&h);
}

START_TEST(heat_converges_in_truth)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = grid(context, 5, SIDE, SIDE, 1);
    heat_run(a, FUR_OWNERSHIP_BORROW, NULL);
    heat_run(a, FUR_OWNERSHIP_COPY, NULL);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        fur_kernel_info info = *fur_spmv_kernel_at(context, kernel);
        heat_run(a, FUR_OWNERSHIP_BORROW, info.name);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_turns(tests, plans_take_new_values_over, shape_count, 3);
    tcase_add_loop_test(tests, repeated_entries_keep_their_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, operators_take_new_values_over, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, recognised_stencils_take_new_values_over, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, what_cannot_take_them_over_refuses);
    tcase_add_test(tests, whatever_goes_first);
    tcase_add_test(tests, a_plan_without_its_matrix_says_so);
    if (on_gpu()) /* there cuda_new_values tests borrowed values */
        return;
    tcase_add_test(tests, threads_do_not_show);
    tcase_add_test(tests, borrowed_values_may_change_in_place);
    tcase_add_test(tests, a_copy_leaves_borrowed_values_alone);
    tcase_add_test(tests, values_are_copied_borrowed_and_adopted_in_turn);
    tcase_add_test(tests, calls_that_break_the_contract_fail);
    tcase_add_test(tests, memory_that_is_refused_changes_nothing);
    tcase_add_test(tests, a_recognised_stencil_without_memory_refuses);
    tcase_add_test(tests, a_named_kernel_may_not_suit_new_coefficients);
    tcase_add_test(tests, a_users_operator_says_that_it_has_changed);
    tcase_add_test(tests, heat_converges_in_truth);
}

int main(void)
{
    return run_tests("values", add);
}
