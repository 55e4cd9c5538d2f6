/* Shared by the contenders of furrow bench solve: the system, and how one runs. */
#ifndef FURROW_TOOLS_BENCH_SOLVE_H
#define FURROW_TOOLS_BENCH_SOLVE_H

#include "bench.h"

/* The iterations that a peer on a GPU captures in a graph. All counts are multiples of it. */
#define SOLVE_CHUNK 20
#define SOLVE_CONTENDERS 8

/* A x = b with Jacobi's preconditioner, in f64. */
typedef struct solve_system {
    bench *b;
    const char *name;
    fur_csr *matrix; /* of a stencil too: peers need it */
    fur_operator *jacobi;
    fur_vector *rhs;
    fur_vector *x; /* where every contender leaves its solution */
} solve_system;

typedef struct solve_contender {
    const char *name;
    void *self;
    /* x from 0 by so many iterations; sets the seconds of one, without the first ones. */
    fur_status (*run)(void *self, int64_t iterations, double *seconds);
    race_about about;                /* of an iteration */
    double rounds[RACE_ROUNDS_MOST]; /* seconds of an iteration */
    double seconds;                  /* their median */
    double ratio; /* median over the rounds of the first peer's time over this one's */
} solve_contender;

typedef struct solve_race {
    int count;
    int peer; /* the first peer's index; -1: there is none */
    solve_contender contenders[SOLVE_CONTENDERS];
} solve_race;

solve_contender *solve_add(solve_race *r, const char *name, void *self,
                           fur_status (*run)(void *self, int64_t iterations, double *seconds));

/* The loops over cuSPARSE and cuBLAS. */
typedef struct solve_cuda solve_cuda;

/* Adds them to the race; without the libraries it says so on standard error and adds none. They
 * live until they are destroyed. */
fur_status solve_cuda_add(const solve_system *s, solve_race *r, solve_cuda **out);
void solve_cuda_destroy(solve_cuda *peers);

/* Solves to one residual, of the whole system and of one of two colours; prints a line unless it is
 * to be JSON. *out is null where A has no two colours, or a solve does not converge. */
fur_status solve_reduced(const solve_system *s, const fur_operator *a, int rounds, json_t **out);

#endif
