/* furrow bench solve_block: iterations of cg for several right-hand sides together. They are
 * compared with iterations for a single right-hand side, and for all of them one after the other.
 * The system is the whole matrix and, if it has two colours, the matrix reduced to one colour.
 * Cases: "7-point:128" has 8 right-hand sides, "7-point:128@4" four. */
#include <furrow/author/context.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wall_race.h"

/* Iterations of each solve. No solve converges earlier. */
#define ITERATIONS 40
#define DEFAULT_COLUMNS 8
#define MAX_COLUMNS 64

typedef struct block_case {
    bench *b;
    char *matrix; /* name of the matrix */
    int columns;
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *product;
    fur_vectors *rhs;
    fur_vectors *x;
    fur_vector *of_rhs[MAX_COLUMNS]; /* columns of the blocks */
    fur_vector *of_x[MAX_COLUMNS];
    wall_race race;
} block_case;

/* A solver, and the number of columns that it solves one after the other; 0: all together. */
typedef struct way {
    const block_case *c;
    fur_solver *solver;
    int columns;
} way;

static fur_status run_way(void *self)
{
    const way *w = self;
    const block_case *c = w->c;
    FUR_TRY(fur_vectors_fill(c->x, fur_real(0)));
    if (w->columns == 0)
        return fur_solver_solve_block(w->solver, c->rhs, c->x, NULL);
    for (int j = 0; j < w->columns; j++)
        FUR_TRY(fur_solver_solve(w->solver, c->of_rhs[j], c->of_x[j], NULL));
    return FUR_OK;
}

/* Parses the name of the matrix and the number of columns. */
static fur_status parse(block_case *c, const char *name)
{
    size_t size = strlen(name) + 1;
    FUR_TRY(fur_context_allocate(c->b->context, size, (void **)&c->matrix));
    memcpy(c->matrix, name, size);
    char *at = strchr(c->matrix, '@');
    c->columns = at ? (int)strtol(at + 1, NULL, 10) : DEFAULT_COLUMNS;
    if (at)
        *at = '\0';
    if (c->columns < 1 || c->columns > MAX_COLUMNS)
        return fur_context_fail(c->b->context, FUR_INVALID,
                                "%s: the number of right-hand sides must be from 1 to %d", name,
                                MAX_COLUMNS);
    return FUR_OK;
}

static fur_status load(block_case *c)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_spmv_options how = {.size = sizeof how, .uses = 1000};
    fur_csr *a = NULL;
    FUR_TRY(bench_load(c->b, host, c->matrix, &a));
    fur_status status = fur_csr_transfer(a, c->b->context, &c->a);
    fur_csr_destroy(a);
    FUR_TRY(status);
    FUR_TRY(fur_spmv_plan(c->a, &how, &c->plan));
    return fur_operator_from_spmv(c->plan, &c->product);
}

/* Sets column j of B: 1, and 2 in a part of the rows. */
static fur_status fill_column(block_case *c, int j)
{
    fur_vectors *column = NULL;
    fur_vectors *part = NULL;
    FUR_TRY(fur_vectors_columns(c->rhs, j, 1, &column));
    fur_status status = fur_vectors_rows(column, 0, fur_vectors_get(column)->rows / (j + 2), &part);
    if (status == FUR_OK)
        status = fur_vectors_fill(column, fur_real(1));
    if (status == FUR_OK)
        status = fur_vectors_fill(part, fur_real(2));
    fur_vectors_destroy(part);
    fur_vectors_destroy(column);
    return status;
}

static fur_status make_blocks(block_case *c)
{
    const fur_csr_view *v = fur_csr_get(c->a);
    fur_context *context = c->b->context;
    FUR_TRY(fur_vectors_create(context, v->value_type, v->rows, c->columns, FUR_LAYOUT_COLUMNS,
                               &c->rhs));
    FUR_TRY(
        fur_vectors_create(context, v->value_type, v->rows, c->columns, FUR_LAYOUT_COLUMNS, &c->x));
    for (int j = 0; j < c->columns; j++) {
        FUR_TRY(fill_column(c, j));
        FUR_TRY(fur_vectors_column(c->rhs, j, &c->of_rhs[j]));
        FUR_TRY(fur_vectors_column(c->x, j, &c->of_x[j]));
    }
    return FUR_OK;
}

/* Adds one column, all columns one by one, and all together. The latter two are compared with the
 * first. */
static fur_status add_ways(block_case *c, int whole, way ways[3])
{
    static const char *const names[2][3] = {
        {"one, reduced", "one by one, reduced", "together, reduced"},
        {"one", "one by one", "together"}};
    const int columns[3] = {1, c->columns, 0};
    int first = c->race.count;
    for (int i = 0; i < 3; i++) {
        fur_solver_options how = {.size = sizeof how,
                                  .rtol = 1e-300,
                                  .max_iterations = ITERATIONS,
                                  .no_reduction = whole};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ways[i] = (way){.c = c, .columns = columns[i]};
        FUR_TRY(fur_solver_create(c->product, &how, &ways[i].solver));
        FUR_TRY(fur_solver_solve(ways[i].solver, c->of_rhs[0], c->of_x[0], &report));
        if (!whole && !report.reduced)
            return FUR_OK;
        race_about *about = wall_race_add(&c->race, names[whole][i], run_way, &ways[i], first);
        about->exact = true;
        about->kernel = fur_spmv_describe(c->plan)->kernel;
        snprintf(about->note, sizeof about->note, "%d iterations for %d right-hand sides",
                 ITERATIONS, i == 0 ? 1 : c->columns);
    }
    return FUR_OK;
}

static fur_status run_case(block_case *c, const char *name, way ways[2][3])
{
    FUR_TRY(parse(c, name));
    FUR_TRY(load(c));
    FUR_TRY(make_blocks(c));
    FUR_TRY(add_ways(c, 1, ways[1]));
    FUR_TRY(add_ways(c, 0, ways[0]));
    return wall_race_run(c->b, &c->race, bench_matrix(name, c->a));
}

fur_status bench_solve_block(bench *b, const char *name)
{
    block_case c = {.b = b};
    way ways[2][3] = {{{NULL, NULL, 0}}};
    fur_status status = run_case(&c, name, ways);
    for (int i = 0; i < 6; i++)
        fur_solver_destroy(ways[i / 3][i % 3].solver);
    for (int j = 0; j < MAX_COLUMNS; j++) {
        fur_vector_destroy(c.of_x[j]);
        fur_vector_destroy(c.of_rhs[j]);
    }
    fur_vectors_destroy(c.x);
    fur_vectors_destroy(c.rhs);
    fur_operator_destroy(c.product);
    fur_spmv_destroy(c.plan);
    fur_csr_destroy(c.a);
    fur_context_release(b->context, c.matrix);
    return status;
}
