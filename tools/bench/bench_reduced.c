/* A part of furrow bench solve: complete solves to a given residual, of the whole system and of the
 * system reduced to one of two colours. */
#include "bench_solve.h"

#include <stdio.h>

#define RTOL 1e-8

/* Times and reports of solves: [0] of the whole system, [1] of the reduced system. */
typedef struct reduced_race {
    fur_solver *solvers[2];
    double setup;
    fur_solver_report reports[2];
    double seconds[2][RACE_ROUNDS_MAX];
    double ratios[RACE_ROUNDS_MAX];
} reduced_race;

static fur_status make_solvers(const solve_system *s, const fur_operator *a, reduced_race *r)
{
    fur_context *context = s->b->context;
    double start = 0;
    for (int i = 0; i < 2; i++) {
        fur_solver_options options = {
            .size = sizeof options, .preconditioner = s->jacobi, .rtol = RTOL, .no_reduction = !i};
        FUR_TRY(fur_context_synchronize(context));
        start = fur_seconds();
        FUR_TRY(fur_solver_create(a, &options, &r->solvers[i]));
        FUR_TRY(fur_context_synchronize(context));
    }
    r->setup = fur_seconds() - start;
    return FUR_OK;
}

static fur_status run_round(const solve_system *s, reduced_race *r, int round)
{
    for (int i = 0; i < 2; i++) {
        fur_solver_report *report = &r->reports[i];
        report->size = sizeof *report;
        FUR_TRY(fur_vector_fill(s->x, fur_real(0)));
        FUR_TRY(fur_context_synchronize(s->b->context));
        FUR_TRY(fur_solver_solve(r->solvers[i], s->rhs, s->x, report));
        r->seconds[i][round] = report->seconds;
    }
    r->ratios[round] = r->seconds[0][round] / r->seconds[1][round];
    return FUR_OK;
}

/* Continues only if both solves of the first round have converged and one of them was reduced. */
static fur_status run_rounds(const solve_system *s, const fur_operator *a, int rounds,
                             reduced_race *r, bool *raced)
{
    FUR_TRY(make_solvers(s, a, r));
    FUR_TRY(run_round(s, r, 0));
    *raced = r->reports[1].reduced && r->reports[0].outcome == FUR_OUTCOME_CONVERGED &&
             r->reports[1].outcome == FUR_OUTCOME_CONVERGED;
    for (int round = 1; *raced && round < rounds; round++)
        FUR_TRY(run_round(s, r, round));
    return FUR_OK;
}

fur_status solve_reduced(const solve_system *s, const fur_operator *a, int rounds, json_t **out)
{
    reduced_race r = {0};
    bool raced = false;
    fur_status status = run_rounds(s, a, rounds, &r, &raced);
    fur_solver_destroy(r.solvers[0]);
    fur_solver_destroy(r.solvers[1]);
    if (status != FUR_OK)
        return status;
    if (!raced) {
        *out = json_null();
        return FUR_OK;
    }
    double whole = race_median(r.seconds[0], rounds);
    double reduced = race_median(r.seconds[1], rounds);
    double ratio = race_median(r.ratios, rounds);
    long long counts[2] = {r.reports[0].iterations, r.reports[1].iterations};
    *out = json_pack("{s:f, s:I, s:f, s:I, s:f, s:f}", "seconds", reduced, "iterations",
                     (json_int_t)counts[1], "seconds_whole", whole, "iterations_whole",
                     (json_int_t)counts[0], "seconds_setup", r.setup, "ratio", ratio);
    if (!s->b->common->json) {
        printf("  to %.0e, reduced (red-black): %.4g ms, %lld iterations, after %.4g ms of set-up; "
               "not reduced: %.4g ms, %lld: %.2fx\n",
               RTOL, 1e3 * reduced, counts[1], 1e3 * r.setup, 1e3 * whole, counts[0], ratio);
        fflush(stdout);
    }
    return FUR_OK;
}
