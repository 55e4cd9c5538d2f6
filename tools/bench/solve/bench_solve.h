/* Shared data of the contenders of furrow bench solve: the system, and how a contender runs. */
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
    fur_csr *matrix; /* also if the operator is a stencil, for the peers */
    fur_operator *jacobi;
    fur_vector *rhs;
    fur_vector *x; /* where every contender leaves its solution */
} solve_system;

typedef struct solve_contender {
    const char *name;
    void *self;
    /* Runs `iterations` iterations from x = 0, and sets the time of one. The first ones are not
     * timed. */
    fur_status (*run)(void *self, int64_t iterations, double *seconds);
    race_about about;               /* for one iteration */
    double rounds[RACE_ROUNDS_MAX]; /* seconds of an iteration */
    double seconds;                 /* median of `rounds` */
    double ratio; /* median over the rounds of the first peer's time over this contender's time */
} solve_contender;

typedef struct solve_race {
    int count;
    int peer; /* index of the first peer; -1: none */
    solve_contender contenders[SOLVE_CONTENDERS];
} solve_race;

solve_contender *solve_add(solve_race *r, const char *name, void *self,
                           fur_status (*run)(void *self, int64_t iterations, double *seconds));

/* The loops over cuSPARSE and cuBLAS. */
typedef struct solve_cuda solve_cuda;

/* Adds these contenders to the race. If the libraries are missing, reports this on standard error
 * and adds none. The contenders exist until they are destroyed. */
fur_status solve_cuda_add(const solve_system *s, solve_race *r, solve_cuda **out);
void solve_cuda_destroy(solve_cuda *peers);

/* Solves the whole system and the system reduced to one of two colours, to the same residual.
 * Prints a line unless the output is JSON. *out is NULL if A has no two colours, or if a solve does
 * not converge. */
fur_status solve_reduced(const solve_system *s, const fur_operator *a, int rounds, json_t **out);

#endif
