/* furrow bench precond: the costs and the benefit of a preconditioner: set-up, new values of A, an
 * application, and a solve by cg to 1e-8 with b = 1. The solve is compared with a solve with
 * "jacobi", and both use the fastest product by A (furrow/product.h).
 *
 * Cases: "7-point:128" uses "amg" for a symmetric matrix. "7-point:128@ic0:coloured,shift=0.1"
 * names a kind and its options. */
#include <furrow/author/context.h>
#include <furrow/precond.h>
#include <furrow/product.h>

#include <stdio.h>
#include <string.h>

#include "wall_race.h"

#define TOLERANCE 1e-8

/* Products or applications that are timed together, so that a GPU has a queue of them. */
#define TIMES 10

/* A solve with a preconditioner. */
typedef struct solve {
    const struct precond_case *c;
    fur_precond *precond;
    fur_operator *m;
    fur_solver *solver;
    fur_solver_report report;
} solve;

typedef struct precond_case {
    bench *b;
    char *matrix; /* name of the matrix */
    fur_precond_options options;
    fur_csr *a;
    fur_csr *twin; /* a copy of A that only preconditioners use */
    fur_spmv *plan;
    fur_product *product; /* product of the solves: a plan, or the stencil that A is */
    fur_vector *rhs;
    fur_vector *x;
    solve solves[2]; /* with "jacobi", and with the kind of the case */
    wall_race race;
} precond_case;

static fur_status set_up(void *self)
{
    const precond_case *c = self;
    fur_precond *made = NULL;
    fur_status status = fur_precond_create(c->a, &c->options, &made);
    fur_precond_destroy(made);
    return status;
}

/* Updates the preconditioner. Some kinds detect changes of A, and the others must be told. */
static fur_status renew(void *self)
{
    const precond_case *c = self;
    fur_csr_values_changed(c->twin);
    return fur_precond_update(c->solves[1].precond);
}

static fur_status multiply(void *self)
{
    const precond_case *c = self;
    for (int i = 0; i < TIMES; i++)
        FUR_TRY(fur_spmv_apply(c->plan, fur_real(1), c->rhs, fur_real(0), c->x));
    return FUR_OK;
}

static fur_status apply(void *self)
{
    const precond_case *c = self;
    for (int i = 0; i < TIMES; i++)
        FUR_TRY(fur_precond_apply(c->solves[1].precond, c->rhs, c->x));
    return FUR_OK;
}

static fur_status run_solve(void *self)
{
    solve *s = self;
    const precond_case *c = s->c;
    FUR_TRY(fur_vector_fill(c->x, fur_real(0)));
    s->report = FUR_DEFAULT(fur_solver_report);
    return fur_solver_solve(s->solver, c->rhs, c->x, &s->report);
}

/* Parses the name of the matrix, and the kind with its options. */
static fur_status parse(precond_case *c, const char *name)
{
    size_t size = strlen(name) + 1;
    FUR_TRY(fur_context_allocate(c->b->context, size, (void **)&c->matrix));
    memcpy(c->matrix, name, size);
    char *kind = strchr(c->matrix, '@');
    c->options.kind = kind ? kind + 1 : "amg:nonsymmetric=0";
    if (kind)
        *kind = '\0';
    return FUR_OK;
}

static fur_status load(precond_case *c)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr *a = NULL;
    FUR_TRY(bench_load(c->b, host, c->matrix, &a));
    fur_status status = fur_csr_transfer(a, c->b->context, &c->a);
    if (status == FUR_OK)
        status = fur_csr_transfer(a, c->b->context, &c->twin);
    fur_csr_destroy(a);
    return status;
}

static fur_status make_solve(const precond_case *c, const fur_csr *a,
                             const fur_precond_options *options, solve *s)
{
    s->c = c;
    FUR_TRY(fur_precond_create(a, options, &s->precond));
    FUR_TRY(fur_operator_from_precond(s->precond, &s->m));
    fur_solver_options how = FUR_DEFAULT(fur_solver_options);
    how.preconditioner = s->m;
    how.rtol = TOLERANCE;
    how.no_reduction = 1;
    return fur_solver_create(fur_product_operator(c->product), &how, &s->solver);
}

static fur_status make_all(precond_case *c)
{
    fur_context *context = c->b->context;
    fur_spmv_options how = {.size = sizeof how, .uses = 100};
    FUR_TRY(fur_spmv_plan(c->a, &how, &c->plan));
    fur_product_options often = {.size = sizeof often, .uses = 1000};
    FUR_TRY(fur_product_create(c->a, &often, &c->product));
    const fur_csr_view *v = fur_csr_get(c->a);
    FUR_TRY(fur_vector_create(context, v->value_type, v->rows, &c->rhs));
    FUR_TRY(fur_vector_create(context, v->value_type, v->rows, &c->x));
    FUR_TRY(fur_vector_fill(c->rhs, fur_real(1)));
    fur_precond_options jacobi = FUR_DEFAULT(fur_precond_options);
    FUR_TRY(make_solve(c, c->a, &jacobi, &c->solves[0]));
    return make_solve(c, c->twin, &c->options, &c->solves[1]);
}

static race_about *add(precond_case *c, const char *name, fur_status (*run)(void *self), void *self,
                       int against)
{
    race_about *about = wall_race_add(&c->race, name, run, self, against);
    about->exact = true;
    return about;
}

static void note_solve(const solve *s, race_about *about)
{
    about->bytes = s->report.bytes * (double)s->report.iterations;
    snprintf(about->note, sizeof about->note, "%s after %lld iterations",
             fur_outcome_name(s->report.outcome), (long long)s->report.iterations);
}

/* Notes the levels of a hierarchy, or the entries of factors. */
static void note_set_up(const precond_case *c, race_about *about)
{
    const fur_precond_report *r = fur_precond_describe(c->solves[1].precond);
    snprintf(about->note, sizeof about->note, "%lld entries, %.2f of A's; %lld levels",
             (long long)r->entries, (double)r->entries / (double)fur_csr_get(c->a)->entries,
             (long long)r->levels);
}

static fur_status run_case(precond_case *c, const char *name)
{
    enum { BY_JACOBI, SET_UP, RENEW, MULTIPLY, APPLY, SOLVE };
    FUR_TRY(parse(c, name));
    FUR_TRY(load(c));
    FUR_TRY(make_all(c));
    for (int i = 0; i < 2; i++)
        FUR_TRY(run_solve(&c->solves[i]));
    note_solve(&c->solves[0], add(c, "solve, jacobi", run_solve, &c->solves[0], BY_JACOBI));
    note_set_up(c, add(c, "set-up", set_up, c, SET_UP));
    add(c, "new values", renew, c, SET_UP);
    race_about *about = add(c, "10 products", multiply, c, MULTIPLY);
    about->kernel = fur_spmv_describe(c->plan)->kernel;
    about->bytes = TIMES * (double)fur_spmv_describe(c->plan)->bytes;
    about = add(c, "10 applications", apply, c, MULTIPLY);
    about->bytes = TIMES * fur_precond_describe(c->solves[1].precond)->bytes;
    note_solve(&c->solves[1], add(c, "solve", run_solve, &c->solves[1], BY_JACOBI));
    return wall_race_run(c->b, &c->race, bench_matrix(name, c->a));
}

fur_status bench_precond(bench *b, const char *name)
{
    precond_case c = {.b = b, .options = FUR_DEFAULT(fur_precond_options)};
    fur_status status = run_case(&c, name);
    for (int i = 0; i < 2; i++) {
        fur_solver_destroy(c.solves[i].solver);
        fur_operator_destroy(c.solves[i].m);
        fur_precond_destroy(c.solves[i].precond);
    }
    fur_vector_destroy(c.x);
    fur_vector_destroy(c.rhs);
    fur_product_destroy(c.product);
    fur_spmv_destroy(c.plan);
    fur_csr_destroy(c.twin);
    fur_csr_destroy(c.a);
    fur_context_release(b->context, c.matrix);
    return status;
}
