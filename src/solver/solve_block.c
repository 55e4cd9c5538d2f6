/* A X = B. The first passes of several columns run together, and share the products. Everything
 * else runs column by column, as in drive.c. */
#include "block_product.h"
#include "drive.h"
#include "red_black.h"

#include "arguments.h"
#include "core.h"

#include <furrow/author/options.h>
#include <furrow/author/scalars.h>
#include <furrow/spmm.h>

#define WORK 3

/* The workspace of a solver for several right-hand sides, with columns for `room` solves. */
struct fur_together {
    int room;
    fur_vectors *r;
    /* the first are the directions; if reduced, the last are their products */
    fur_vectors *work[WORK];
    fur_vectors *b; /* column-major copies of row-major B and X; NULL until needed */
    fur_vectors *x;
    fur_scalars *scalars[FUR_PASS_BLOCK];
    fur_block_product product;
};

static fur_status make_block(const fur_solver *s, int count, fur_vectors **out)
{
    return fur_vectors_create(s->context, fur_operator_value_type(s->a), fur_operator_rows(s->a),
                              count, FUR_LAYOUT_COLUMNS, out);
}

/* Makes scalars like the solver's. */
static fur_status make_scalars(const fur_solver *s, fur_scalars **out)
{
    fur_solver own = *s;
    FUR_TRY(fur_scalars_create(s->context, out));
    own.scalars = *out;
    return s->method->prepare ? s->method->prepare(&own) : FUR_OK;
}

static void release_columns(fur_together *t)
{
    for (int k = 0; k < WORK; k++)
        fur_vectors_destroy(t->work[k]);
    for (int j = 0; j < FUR_PASS_BLOCK; j++)
        fur_scalars_destroy(t->scalars[j]);
    fur_vectors_destroy(t->r);
    fur_vectors_destroy(t->b);
    fur_vectors_destroy(t->x);
    *t = (fur_together){.product = t->product};
}

void fur_together_release(fur_context *context, fur_together *t)
{
    if (!t)
        return;
    release_columns(t);
    fur_block_product_release(&t->product);
    fur_context_release(context, t);
}

/* Allocates `count` columns. */
static fur_status make_columns(const fur_solver *s, int count, fur_together *t)
{
    FUR_TRY(make_block(s, count, &t->r));
    for (int k = 0; k < WORK; k++)
        FUR_TRY(make_block(s, count, &t->work[k]));
    for (int j = 0; j < count; j++)
        FUR_TRY(make_scalars(s, &t->scalars[j]));
    t->room = count;
    return FUR_OK;
}

static fur_status make_room(const fur_solver *s, int count)
{
    fur_together *t = s->together;
    if (t->room >= count)
        return FUR_OK;
    release_columns(t);
    fur_status status = make_columns(s, count, t);
    if (status != FUR_OK)
        release_columns(t);
    return status;
}

/* Makes the plan for products, once. */
static fur_status make_product(fur_solver *s)
{
    fur_together *t;
    if (s->together)
        return FUR_OK;
    FUR_TRY(fur_env_allocate_zeros(&s->context->env, 1, sizeof *t, &t));
    fur_status status = fur_block_product_make(s->a, &t->product);
    if (status == FUR_OK)
        s->together = t;
    else
        fur_together_release(s->context, t);
    return status;
}

/* --- a group of columns ----------------------------------------------------------------------- */

typedef struct group {
    fur_solver *solver;
    fur_together *t;
    int count;
    fur_vectors b; /* column-major */
    fur_vectors x;
    fur_vector columns[FUR_PASS_BLOCK][3]; /* b, x and r of each column */
    fur_vector work[FUR_PASS_BLOCK][WORK];
    fur_vector *listed[FUR_PASS_BLOCK][WORK];
    fur_pass passes[FUR_PASS_BLOCK];
    fur_drive drives[FUR_PASS_BLOCK];
    bool together[FUR_PASS_BLOCK]; /* for each column: the first pass runs in the group */
} group;

enum { B, X, R };

/* The columns of a block, in place, or a copy of its entries in `spare`. */
static fur_status take_columns(const group *g, const fur_vectors *given, fur_vectors **spare,
                               fur_vectors *out)
{
    *out = *given;
    out->owned = false;
    if (given->view.layout == FUR_LAYOUT_COLUMNS)
        return FUR_OK;
    if (!*spare)
        FUR_TRY(make_block(g->solver, g->t->room, spare));
    *out = fur_vectors_part(*spare, 0, g->count);
    return fur_vectors_copy(given, out);
}

static void list_columns(group *g)
{
    for (int j = 0; j < g->count; j++) {
        g->columns[j][B] = fur_vectors_at(&g->b, j);
        g->columns[j][X] = fur_vectors_at(&g->x, j);
        g->columns[j][R] = fur_vectors_at(g->t->r, j);
        for (int k = 0; k < WORK; k++) {
            g->work[j][k] = fur_vectors_at(g->t->work[k], j);
            g->listed[j][k] = &g->work[j][k];
        }
    }
}

/* Collects the probes of all columns in one block: B, X, or a copy if they come from both. */
static fur_status take_probes(group *g, fur_vectors *probes)
{
    int of_b = 0;
    for (int j = 0; j < g->count; j++)
        of_b += fur_drive_probe(&g->drives[j]) == &g->columns[j][B];
    *probes = of_b == g->count ? g->b
              : of_b == 0      ? g->x
                               : fur_vectors_part(g->t->work[0], 0, g->count);
    bool mixed = of_b > 0 && of_b < g->count;
    for (int j = 0; mixed && j < g->count; j++)
        FUR_TRY(fur_vector_copy(fur_drive_probe(&g->drives[j]), &g->work[j][0]));
    return FUR_OK;
}

/* Computes the residuals of the initial guesses. */
static fur_status take_first(group *g)
{
    fur_vectors r = fur_vectors_part(g->t->r, 0, g->count);
    fur_vectors probes;
    FUR_TRY(take_probes(g, &probes));
    FUR_TRY(fur_block_product_apply(&g->t->product, &probes, &r));
    for (int j = 0; j < g->count; j++) {
        g->passes[j].products++;
        FUR_TRY(fur_drive_take_first(&g->drives[j], &g->columns[j][R]));
    }
    return FUR_OK;
}

/* Computes the true residuals of the columns that are solved together. */
static fur_status take_residuals(group *g)
{
    fur_vectors r = fur_vectors_part(g->t->r, 0, g->count);
    FUR_TRY(fur_block_product_apply(&g->t->product, &g->x, &r));
    for (int j = 0; j < g->count; j++)
        if (g->together[j]) {
            g->passes[j].products++;
            FUR_TRY(fur_drive_take_residual(&g->drives[j], &g->columns[j][R]));
        }
    return FUR_OK;
}

/* Starts all columns. A column leaves the group if it is finished, or does not begin with a pass on
 * x itself. */
static fur_status start(group *g, int64_t first)
{
    for (int j = 0; j < g->count; j++) {
        fur_drive *d = &g->drives[j];
        FUR_TRY(fur_drive_open(g->solver, &g->columns[j][B], &g->columns[j][X], &g->passes[j], d));
        g->passes[j].is_column = true;
        g->passes[j].column = first + j;
    }
    FUR_TRY(take_first(g));
    for (int j = 0; j < g->count; j++) {
        fur_drive *d = &g->drives[j];
        bool over = false;
        FUR_TRY(fur_drive_start(d, &g->columns[j][R], &over));
        g->together[j] = !over && !fur_drive_must_correct(d);
        if (over || g->together[j])
            continue;
        FUR_TRY(fur_vector_copy(&g->columns[j][R], g->solver->r));
        FUR_TRY(fur_drive_solve(d));
    }
    return FUR_OK;
}

static fur_status multiply(void *user, int count)
{
    const group *g = user;
    const fur_vectors p = fur_vectors_part(g->t->work[0], 0, count);
    fur_vectors q = fur_vectors_part(g->t->work[1], 0, count);
    return fur_block_product_apply(&g->t->product, &p, &q);
}

/* Runs the first passes in the solver's way, each in its own memory. */
static fur_status run_together(group *g)
{
    fur_solver *solver = g->solver;
    fur_pass_block block = {.multiply = multiply, .user = g};
    for (int j = 0; j < g->count; j++) {
        fur_pass *s = &g->passes[j];
        if (!g->together[j])
            continue;
        fur_drive_aim(&g->drives[j], &g->columns[j][X], g->drives[j].goal);
        s->r = &g->columns[j][R];
        s->work = g->listed[block.active];
        s->scalars = g->t->scalars[j];
        block.solves[block.active++] = s;
    }
    if (block.active == 0)
        return FUR_OK;
    if (fur_red_black_works(solver->red_black))
        FUR_TRY(fur_red_black_lift(solver->red_black, 0));
    FUR_TRY(fur_red_black_works(solver->red_black)
                ? fur_red_black_run_block(solver->red_black, solver->method, &block, g->t->work[0],
                                          g->t->work[2])
                : solver->method->run_block(&block));
    for (int j = 0; j < g->count; j++) {
        g->passes[j].r = solver->r;
        g->passes[j].work = solver->work;
    }
    FUR_TRY(take_residuals(g));
    for (int j = 0; j < g->count; j++)
        if (g->together[j])
            FUR_TRY(fur_drive_finish(&g->drives[j], &g->columns[j][R]));
    return FUR_OK;
}

/* The report of column j. Reports of an older caller are shorter than the library's. */
static fur_solver_report *report_at(fur_solver_report *reports, int64_t j)
{
    return reports ? (fur_solver_report *)(void *)((char *)reports + (size_t)j * reports->size)
                   : NULL;
}

static fur_status solve_columns(group *g, int64_t first, fur_solver_report *reports)
{
    list_columns(g);
    FUR_TRY(start(g, first));
    FUR_TRY(run_together(g));
    for (int j = 0; j < g->count; j++)
        FUR_TRY(fur_drive_report(&g->drives[j], report_at(reports, first + j)));
    return FUR_OK;
}

/* Solves the columns of B from `first` on, and stores the solutions in X. */
static fur_status solve_group(fur_solver *solver, int64_t first, const fur_vectors *b,
                              fur_vectors *x, fur_solver_report *reports)
{
    group g = {.solver = solver, .t = solver->together, .count = (int)b->view.cols};
    FUR_TRY(take_columns(&g, b, &g.t->b, &g.b));
    FUR_TRY(take_columns(&g, x, &g.t->x, &g.x));
    fur_status status = solve_columns(&g, first, reports);
    fur_status copied = fur_vectors_copy(&g.x, x);
    return status == FUR_OK ? copied : status;
}

/* --- the call --------------------------------------------------------------------------------- */

static fur_status check_block(const fur_solver *solver, const char *name, const fur_vectors *v,
                              const fur_context *context, int64_t rows)
{
    if (v->context != context)
        return fur_context_fail(solver->context, FUR_INVALID,
                                "%s belongs to another context than %s", name,
                                context == solver->context ? "the solver" : "its domain");
    if (v->view.value_type != fur_operator_value_type(solver->a) || v->view.rows != rows)
        return fur_context_fail(
            solver->context, FUR_INVALID,
            "%s has columns of %lld entries of type %s, but the solver needs %lld of type %s", name,
            (long long)v->view.rows, fur_value_name(v->view.value_type), (long long)rows,
            fur_value_name(fur_operator_value_type(solver->a)));
    return FUR_OK;
}

static fur_status check_blocks(const fur_solver *solver, const fur_vectors *b, const fur_vectors *x)
{
    FUR_TRY(check_block(solver, "B", b, solver->context, fur_operator_rows(solver->a)));
    FUR_TRY(check_block(solver, "X", x, solver->domain, fur_operator_cols(solver->a)));
    if (b->view.cols != x->view.cols)
        return fur_context_fail(solver->context, FUR_INVALID, "B has %lld columns, but X has %lld",
                                (long long)b->view.cols, (long long)x->view.cols);
    return fur_vectors_check_apart(b, "B", x, "X");
}

/* The most columns that are solved together, for which memory is allocated. 1 if columns would
 * share nothing but the solver. */
static fur_status find_step(fur_solver *solver, int64_t cols, int64_t *step)
{
    *step = 1;
    if (cols < 2 || solver->null_space || !solver->method->run_block || !solver->a->csr ||
        solver->persistent || solver->fused)
        return FUR_OK;
    FUR_TRY(make_product(solver));
    if (!fur_block_product_shares(&solver->together->product))
        return FUR_OK;
    *step = FUR_PASS_BLOCK;
    return make_room(solver, (int)(cols < *step ? cols : *step));
}

/* Solves a single column, in place or through column-major copies. */
static fur_status solve_single(fur_solver *solver, const fur_vectors *b, fur_vectors *x,
                               fur_solver_report *report)
{
    fur_vectors *copies[2] = {NULL, NULL};
    fur_vector of_b = fur_vectors_at(b, 0);
    fur_vector of_x = fur_vectors_at(x, 0);
    fur_value_type value = x->view.value_type;
    fur_status status;
    if (b->view.layout == FUR_LAYOUT_COLUMNS && x->view.layout == FUR_LAYOUT_COLUMNS)
        return fur_solver_solve(solver, &of_b, &of_x, report);
    FUR_TRY_DONE(fur_vectors_create(solver->context, value, b->view.rows, 1, FUR_LAYOUT_COLUMNS,
                                    &copies[0]));
    FUR_TRY_DONE(
        fur_vectors_create(solver->domain, value, x->view.rows, 1, FUR_LAYOUT_COLUMNS, &copies[1]));
    FUR_TRY_DONE(fur_vectors_copy(b, copies[0]));
    FUR_TRY_DONE(fur_vectors_copy(x, copies[1]));
    of_b = fur_vectors_at(copies[0], 0);
    of_x = fur_vectors_at(copies[1], 0);
    status = fur_solver_solve(solver, &of_b, &of_x, report);
    fur_status copied = fur_vectors_copy(copies[1], x);
    status = status == FUR_OK ? copied : status;
done:
    fur_vectors_destroy(copies[1]);
    fur_vectors_destroy(copies[0]);
    return status;
}

static fur_status check_reports(const fur_solver *solver, fur_solver_report *reports, int64_t count)
{
    for (int64_t j = 0; reports && j < count; j++) {
        fur_solver_report *report = report_at(reports, j);
        FUR_CHECK_REPORT(solver->context, fur_solver_report, report);
        if (report->size != reports->size)
            return fur_context_fail(solver->context, FUR_INVALID,
                                    "report %lld has another size than report 0", (long long)j);
        report->outcome = FUR_OUTCOME_UNSOLVED;
    }
    return FUR_OK;
}

fur_status fur_solver_solve_block(fur_solver *solver, const fur_vectors *b, fur_vectors *x,
                                  fur_solver_report *reports)
{
    FUR_NEED(solver ? solver->context : NULL, solver, b, x);
    FUR_TRY(fur_solver_check(solver));
    FUR_TRY(check_blocks(solver, b, x));
    int64_t cols = b->view.cols;
    int64_t step;
    FUR_TRY(check_reports(solver, reports, cols));
    FUR_TRY(find_step(solver, cols, &step));
    for (int64_t j = 0; j < cols; j += step) {
        int64_t count = cols - j < step ? cols - j : step;
        const fur_vectors of_b = fur_vectors_part(b, j, count);
        fur_vectors of_x = fur_vectors_part(x, j, count);
        int64_t failures = solver->context->env.failures;
        fur_status status = step > 1 ? solve_group(solver, j, &of_b, &of_x, reports)
                                     : solve_single(solver, &of_b, &of_x, report_at(reports, j));
        FUR_TRY(fur_solver_pass_on(solver, failures, status));
    }
    return FUR_OK;
}
