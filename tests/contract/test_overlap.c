/* Vectors that share memory (docs/contract.md). Calls refuse an overlap that the contract forbids,
 * even of one byte. If the contract allows it, the result is the same as for separate vectors. */
#include "support.h"

#include <string.h>

#define POINTS 64

/* Objects of POINTS rows. */
typedef struct world {
    fur_context *context;
    fur_permutation *p;
    fur_stencil *stencil;
    fur_csr *a;
    fur_spmv *plan;
    fur_trsv *trsv;
    fur_recognised *r;
    fur_operator *identity;
    fur_multigrid *mg;
    fur_operator *cycle;
    fur_solver *solver;
    fur_scalars *scalars;
    fur_vector *apart; /* zeros in separate memory */
} world;

static world w;
static const fur_scalar two = {2, 0};
static const fur_scalar three = {3, 0};

static fur_status copy(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    return fur_vector_copy(x, y);
}

static void make_world(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {POINTS}};
    fur_operator_definition identity = {.size = sizeof identity,
                                        .rows = POINTS,
                                        .cols = POINTS,
                                        .value_type = FUR_F64,
                                        .apply = copy};
    w.context = context_make(NULL, 2);
    ck_assert_int_eq(fur_stencil_named(3, &d), 1);
    ck_ok(w.context, fur_permutation_create(w.context, POINTS, NULL, &w.p));
    ck_ok(w.context, fur_stencil_create(w.context, &d, &w.stencil));
    ck_ok(w.context, fur_stencil_assemble(w.stencil, &w.a));
    ck_ok(w.context, fur_spmv_plan(w.a, NULL, &w.plan));
    ck_ok(w.context,
          fur_trsv_plan(w.a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &w.trsv));
    ck_ok(w.context, fur_stencil_recognise(w.a, NULL, NULL, &w.r));
    ck_ok(w.context, fur_operator_create(w.context, &identity, &w.identity));
    ck_ok(w.context, fur_multigrid_create(w.stencil, NULL, &w.mg));
    ck_ok(w.context, fur_operator_from_multigrid(w.mg, &w.cycle));
    ck_ok(w.context, fur_solver_create(w.identity, NULL, &w.solver));
    ck_ok(w.context, fur_scalars_create(w.context, &w.scalars));
    ck_ok(w.context, fur_vector_create(w.context, FUR_F64, POINTS, &w.apart));
}

static void destroy_world(void)
{
    fur_vector_destroy(w.apart);
    fur_scalars_destroy(w.scalars);
    fur_solver_destroy(w.solver);
    fur_operator_destroy(w.cycle);
    fur_multigrid_destroy(w.mg);
    fur_operator_destroy(w.identity);
    fur_recognised_destroy(w.r);
    fur_trsv_destroy(w.trsv);
    fur_spmv_destroy(w.plan);
    fur_csr_destroy(w.a);
    fur_stencil_destroy(w.stencil);
    fur_permutation_destroy(w.p);
    fur_context_destroy(w.context);
}

/* These calls read x and write y, which must not overlap. */
#define CALL(name, call)                                                                           \
    static fur_status name(fur_vector *x, fur_vector *y)                                           \
    {                                                                                              \
        return call;                                                                               \
    }
CALL(permute, fur_vector_permute(w.p, x, y))
CALL(unpermute, fur_vector_unpermute(w.p, x, y))
CALL(spmv, fur_spmv_apply(w.plan, two, x, three, y))
CALL(eliminate, fur_csr_eliminate(w.a, 0, NULL, two, x, y))
CALL(stencil, fur_stencil_apply(w.stencil, two, x, three, y))
CALL(sweep_input, fur_stencil_sweep(w.stencil, 2, two, x, y, w.apart))
CALL(sweep_work, fur_stencil_sweep(w.stencil, 2, two, NULL, x, y))
CALL(sweep_both, fur_stencil_sweep(w.stencil, 2, two, x, w.apart, y))
CALL(recognised, fur_recognised_apply(w.r, two, x, three, y))
CALL(operator_apply, fur_operator_apply(w.identity, x, y))
CALL(multigrid_cycle, fur_multigrid_cycle(w.mg, x, y))
CALL(multigrid_solve, fur_multigrid_solve(w.mg, x, y, 0, 0, NULL))
CALL(multigrid_operator, fur_operator_apply(w.cycle, x, y))
CALL(solve, fur_solver_solve(w.solver, x, y, NULL))

static fur_status (*const apart_only[])(fur_vector *, fur_vector *) = {
    permute,         unpermute,          spmv,       stencil,        sweep_input,
    sweep_work,      sweep_both,         recognised, operator_apply, multigrid_cycle,
    multigrid_solve, multigrid_operator, solve,      eliminate};

/* These calls compute y_i from x_i and y_i only, so y may be x. */
static double norm;
CALL(axpby, fur_axpby(two, x, three, y))
CALL(axpby_by,
     fur_axpby_from((fur_coefficient){.factor = two}, x, (fur_coefficient){.factor = three}, y))
CALL(axpy_norm2, fur_axpy_norm2(two, x, y, &norm))
CALL(axpy_norm2_into, fur_axpy_norm2_into((fur_coefficient){.factor = two}, x, y, w.scalars, 0))
CALL(multiply_both, fur_multiply_elementwise(x, x, y))
CALL(multiply_left, fur_multiply_elementwise(x, y, y))
CALL(multiply_right, fur_multiply_elementwise(y, x, y))
CALL(trsv, fur_trsv_apply(w.trsv, two, x, y))

static fur_status (*const elementwise[])(fur_vector *, fur_vector *) = {
    axpby,         axpby_by,      axpy_norm2,     axpy_norm2_into,
    multiply_both, multiply_left, multiply_right, trsv};

/* Two vectors in one array. y begins `distance` entries after x. */
typedef struct pair {
    double array[2 * POINTS];
    fur_vector *x;
    fur_vector *y;
} pair;

static void make_pair(pair *p, int distance)
{
    for (int i = 0; i < 2 * POINTS; i++)
        p->array[i] = 1 + i % POINTS;
    ck_ok(w.context,
          fur_vector_wrap(w.context, FUR_F64, POINTS, p->array, FUR_OWNERSHIP_BORROW, &p->x));
    ck_ok(w.context, fur_vector_wrap(w.context, FUR_F64, POINTS, p->array + distance,
                                     FUR_OWNERSHIP_BORROW, &p->y));
}

static void destroy_pair(pair *p)
{
    fur_vector_destroy(p->y);
    fur_vector_destroy(p->x);
}

static void check_refused(fur_status (*call)(fur_vector *, fur_vector *), int distance)
{
    pair before;
    pair p;
    make_pair(&p, distance);
    memcpy(before.array, p.array, sizeof p.array);
    for (int swapped = 0; swapped < 2; swapped++) {
        fur_status status = swapped ? call(p.y, p.x) : call(p.x, p.y);
        ck_assert_msg(status == FUR_INVALID, "at distance %d: %s", distance,
                      fur_status_name(status));
        ck_assert_msg(strstr(fur_context_error(w.context), "overlap"), "%s",
                      fur_context_error(w.context));
    }
    ck_assert_mem_eq(before.array, p.array, sizeof p.array);
    destroy_pair(&p);
}

static void check_accepted(fur_status (*call)(fur_vector *, fur_vector *), int distance)
{
    pair p;
    make_pair(&p, distance);
    ck_ok(w.context, call(p.x, p.y));
    destroy_pair(&p);
}

START_TEST(products_and_solves_need_vectors_apart)
{
    make_world();
    check_refused(apart_only[_i], 0);
    check_refused(apart_only[_i], 1);
    check_refused(apart_only[_i], POINTS - 1);
    check_accepted(apart_only[_i], POINTS);
    destroy_world();
}
END_TEST

START_TEST(a_result_overlaps_an_operand_wholly_or_not_at_all)
{
    pair same;
    pair apart;
    make_world();
    check_refused(elementwise[_i], 1);
    check_refused(elementwise[_i], POINTS - 1);
    make_pair(&same, 0);
    make_pair(&apart, POINTS);
    ck_ok(w.context, elementwise[_i](same.x, same.y));
    ck_ok(w.context, elementwise[_i](apart.x, apart.y));
    ck_assert_mem_eq(same.array, apart.array + POINTS, POINTS * sizeof *same.array);
    destroy_pair(&same);
    destroy_pair(&apart);
    destroy_world();
}
END_TEST

START_TEST(copies_and_reductions_take_any_overlap)
{
    static const int distances[] = {0, 1, 7, POINTS - 1};
    double sum = 0;
    make_world();
    for (int i = 0; i < COUNT_OF(distances); i++) {
        pair p;
        fur_scalar dot;
        make_pair(&p, distances[i]);
        sum = 0;
        for (int k = 0; k < POINTS; k++)
            sum += p.array[k] * p.array[k + distances[i]];
        ck_ok(w.context, fur_dot(p.x, p.y, &dot));
        ck_assert_double_eq(dot.re, sum); /* exact, because the numbers are whole */
        ck_ok(w.context, fur_vector_copy(p.x, p.y));
        for (int k = 0; k < POINTS; k++)
            ck_assert_double_eq(p.array[k + distances[i]], 1 + k);
        destroy_pair(&p);
    }
    destroy_world();
}
END_TEST

/* An empty vector overlaps no vector. */
START_TEST(empty_vectors_are_apart)
{
    fur_context *context = context_make(NULL, 1);
    fur_permutation *p = NULL;
    double unused = 0;
    fur_vector *x = NULL;
    ck_ok(context, fur_permutation_create(context, 0, NULL, &p));
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 0, &unused, FUR_OWNERSHIP_BORROW, &x));
    ck_ok(context, fur_vector_permute(p, x, x));
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_and_solves_need_vectors_apart, 0, COUNT_OF(apart_only));
    tcase_add_loop_test(tests, a_result_overlaps_an_operand_wholly_or_not_at_all, 0,
                        COUNT_OF(elementwise));
    tcase_add_test(tests, copies_and_reductions_take_any_overlap);
    tcase_add_test(tests, empty_vectors_are_apart);
}

int main(void)
{
    return run_tests("overlap", add_tests);
}
