/* A user's operator that finds its two colours itself (fur_operator_definition). cg solves for the
 * red rows with the operator's functions until the operator changes. */
#include "support.h"

#include <furrow/author/operator.h>

/* The matrix with 2 on the diagonal and -1 next to it. The second of the 3 rows is red. */
typedef struct chain {
    fur_context *context;
    int asked;
    bool usable;   /* at the last request for colours */
    double factor; /* factor of the red rows */
    int released;
} chain;

static fur_status chain_apply(void *user, const fur_vector *x, fur_vector *y)
{
    const double *from = fur_vector_const_data(x);
    double *to = fur_vector_data(y);
    (void)user;
    to[0] = 2 * from[0] - from[1];
    to[1] = 2 * from[1] - from[0] - from[2];
    to[2] = 2 * from[2] - from[1];
    return FUR_OK;
}

static fur_status chain_diagonal(void *user, fur_vector *d)
{
    (void)user;
    return fur_vector_fill(d, fur_real(2));
}

static fur_status chain_red(void *user, const fur_vector *both, fur_vector *q)
{
    const double *from = fur_vector_const_data(both);
    *(double *)fur_vector_data(q) =
        ((const chain *)user)->factor * (2 * from[0] - from[1] - from[2]);
    return FUR_OK;
}

static fur_status chain_black(void *user, const fur_vector *p, fur_vector *t)
{
    double *to = fur_vector_data(t);
    (void)user;
    to[0] = to[1] = 0.5 * *(const double *)fur_vector_const_data(p);
    return FUR_OK;
}

static fur_status chain_scale(void *user, double factor)
{
    ((chain *)user)->factor *= factor;
    return FUR_OK;
}

static void chain_release(void *user)
{
    ((chain *)user)->released++;
}

static fur_status chain_colours(void *user, const fur_vector *inverse, fur_two_colours *out,
                                int *found)
{
    static const int32_t order[] = {1, 0, 2};
    chain *c = user;
    c->asked++;
    c->usable = inverse != NULL;
    *out = (fur_two_colours){.red = 1,
                             .order = order,
                             .of_red = c->context,
                             .of_black = c->context,
                             .user = c,
                             .multiply_red = chain_red,
                             .scale_red = chain_scale,
                             .multiply_black = chain_black,
                             .release = chain_release};
    *found = 1;
    return FUR_OK;
}

/* cg solves the reduced system with the operator's colours. After the operator has changed, it
 * solves the unreduced system. */
START_TEST(an_operator_brings_its_colours)
{
    fur_context *context = context_make(NULL, 1);
    chain c = {.context = context, .factor = 1};
    fur_operator_definition d = {.size = sizeof d,
                                 .rows = 3,
                                 .cols = 3,
                                 .value_type = FUR_F64,
                                 .user = &c,
                                 .apply = chain_apply,
                                 .diagonal = chain_diagonal,
                                 .two_colours = chain_colours};
    const double b[] = {3, -4, 5};
    const double want[] = {1.5, 0, 2.5};
    fur_vector *right = vector_from(context, FUR_F64, 3, b);
    fur_vector *x = NULL;
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x));
    ck_ok(context, fur_operator_create(context, &d, &op));
    ck_ok(context, fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi};
    ck_ok(context, fur_solver_create(op, &options, &solver));
    for (int changed = 0; changed < 2; changed++) {
        ck_ok(context, fur_vector_fill(x, fur_real(0)));
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(context, fur_solver_solve(solver, right, x, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(report.reduced, !changed);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(((double *)fur_vector_data(x))[i], want[i], 1e-12);
        fur_operator_changed(op);
    }
    ck_assert_int_eq(c.released, 0);
    fur_solver_destroy(solver);
    options.no_reduction = 1;
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_assert(c.asked == 1 && c.usable && c.released == 1);
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_vector_destroy(x);
    fur_vector_destroy(right);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, an_operator_brings_its_colours);
}

int main(void)
{
    return run_tests("two_colours", add_tests);
}
