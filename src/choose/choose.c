/* Which method suits a matrix, and what to try when it fails. */
#include "choose.h"
#include "solver.h"

#include "arguments.h"
#include "options.h"
#include "try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A system with so few rows is solved by gmres that never restarts, which ends after as many
 * iterations as A has rows. */
#define SMALL_ROWS 1000

/* A longer restart than the default is worth its memory up to so many rows. */
#define LONG_RESTART 100
#define LONG_RESTART_ROWS 2000000

/* One line of a list. */
typedef struct candidate {
    const char *method;
    const char *precond; /* NULL: that of fur_choose_precond */
    int restart;         /* 0: the method's default */
} candidate;

#define MOST_CANDIDATES 5
typedef candidate candidates[MOST_CANDIDATES + 1];

static const candidates definite = {
    {"cg", NULL, 0}, {"minres", NULL, 0}, {"gmres", NULL, LONG_RESTART}, {"lsmr", NULL, 0}};
static const candidates indefinite = {
    {"minres", NULL, 0}, {"gmres", NULL, LONG_RESTART}, {"lsmr", NULL, 0}};
static const candidates small_unsymmetric = {{"gmres", NULL, SMALL_ROWS},
                                             {"gmres", "none", SMALL_ROWS},
                                             {"idrs", NULL, 0},
                                             {"idrs", "norms", 0},
                                             {"lsmr", NULL, 0}};
static const candidates dominant = {
    {"bicgstab", NULL, 0}, {"idrs", NULL, 0}, {"gmres", NULL, LONG_RESTART}, {"lsmr", NULL, 0}};
static const candidates unsymmetric = {{"idrs", NULL, 0},
                                       {"gmres", NULL, LONG_RESTART},
                                       {"idrs", "norms", 0},
                                       {"gmres", "none", LONG_RESTART},
                                       {"lsmr", NULL, 0}};
static const candidates least_squares = {{"lsmr", NULL, 0}, {"lsqr", NULL, 0}, {"cgnr", NULL, 0}};

static bool looks_definite(const fur_csr_traits *t)
{
    return t->diagonal_positive == t->rows && t->indefinite_row < 0;
}

static const candidate *list_for(const fur_csr_traits *t)
{
    if (t->rows != t->cols)
        return least_squares;
    if (t->hermitian)
        return looks_definite(t) ? definite : indefinite;
    if (t->rows <= SMALL_ROWS)
        return small_unsymmetric;
    return t->dominant_rows == t->rows ? dominant : unsymmetric;
}

/* The preconditioner of a method for this matrix. Jacobi's needs a diagonal without a zero; minres
 * does as well with the norms of the columns. Least squares have those, unless many solutions are
 * best: they would change which one has the least norm. */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method)
{
    const fur_method *m = fur_method_find(method);
    if (m && m->kind == FUR_METHOD_LEAST_SQUARES)
        return t->rows >= t->cols ? "norms" : "none";
    if (t->rows == t->cols && t->diagonal_zero == 0)
        return "jacobi";
    return strcmp(method, "minres") == 0 ? "norms" : "none";
}

static const char *precond_of(const fur_csr_traits *t, const candidate *c)
{
    return c->precond ? c->precond : fur_choose_precond(t, c->method);
}

/* Whether the library has the method, and this line is not one before it again, as it may be where
 * the diagonal does not allow Jacobi. */
static bool is_of_use(const fur_csr_traits *t, const candidate *list, int place)
{
    const candidate *c = &list[place];
    for (int i = 0; i < place; i++)
        if (strcmp(list[i].method, c->method) == 0 &&
            strcmp(precond_of(t, &list[i]), precond_of(t, c)) == 0)
            return false;
    return fur_method_find(c->method) != NULL;
}

/* The first line from a place on that is of use; MOST_CANDIDATES: none. */
static int find_place(const fur_csr_traits *t, const candidate *list, int place)
{
    while (place < MOST_CANDIDATES && list[place].method && !is_of_use(t, list, place))
        place++;
    return list[place].method ? place : MOST_CANDIDATES;
}

/* Whether another method could do better after this outcome. Where iterations run out, none needs
 * fewer than cg, minres and the methods of least squares. */
static bool is_worth_another(const fur_choice *previous, fur_outcome outcome)
{
    if (!previous->method) /* nothing was left to try */
        return false;
    const fur_method *m = fur_method_find(previous->method);
    switch (outcome) {
    case FUR_OUTCOME_MAX_ITERATIONS:
        return strcmp(previous->method, "cg") != 0 && strcmp(previous->method, "minres") != 0 &&
               (!m || m->kind == FUR_METHOD_SQUARE);
    case FUR_OUTCOME_INDEFINITE:
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
    case FUR_OUTCOME_ASYMMETRIC:
    case FUR_OUTCOME_BREAKDOWN:
    case FUR_OUTCOME_STAGNATED:
    case FUR_OUTCOME_SINGULAR:
    case FUR_OUTCOME_DIVERGED:
        return true;
    default:
        return false;
    }
}

/* What follows a line. From a singular matrix only least squares find something. */
static int next_place(const fur_csr_traits *t, const candidate *list, int previous,
                      fur_outcome outcome)
{
    int place = find_place(t, list, previous + 1);
    while (outcome == FUR_OUTCOME_SINGULAR && place < MOST_CANDIDATES &&
           fur_method_find(list[place].method)->kind != FUR_METHOD_LEAST_SQUARES)
        place = find_place(t, list, place + 1);
    return place;
}

/* Why a Hermitian matrix is not positive definite, or cannot be called so. */
static void say_indefinite(const fur_csr_traits *t, char *text, size_t size)
{
    int64_t not_real = t->rows - t->diagonal_positive - t->diagonal_negative;
    if (t->diagonal_zero > 0)
        snprintf(text, size, "%lld of its diagonal entries are 0, the first in row %lld",
                 (long long)t->diagonal_zero, (long long)t->zero_row + 1);
    else if (t->diagonal_negative > 0)
        snprintf(text, size, "%lld of %lld diagonal entries are negative",
                 (long long)t->diagonal_negative, (long long)t->rows);
    else if (not_real > 0) /* but for rounding: no submatrix was looked at */
        snprintf(text, size, "%lld of %lld diagonal entries are not real", (long long)not_real,
                 (long long)t->rows);
    else
        snprintf(text, size, "a small submatrix with row %lld is not",
                 (long long)t->indefinite_row + 1);
}

/* What of the matrix has led to the list. */
static void say_why(const fur_csr_traits *t, char *text, size_t size)
{
    char detail[96] = "";
    if (t->rows != t->cols) {
        snprintf(text, size, "the matrix is %lld x %lld: least squares", (long long)t->rows,
                 (long long)t->cols);
    } else if (!t->hermitian) {
        snprintf(text, size, "the matrix is not symmetric: %lld pairs of entries differ%s",
                 (long long)t->asymmetric_pairs,
                 t->rows <= SMALL_ROWS ? ", but it is small enough for gmres without a restart"
                 : t->dominant_rows == t->rows ? ", but it is diagonally dominant"
                                               : "");
    } else if (!looks_definite(t)) {
        say_indefinite(t, detail, sizeof detail);
        snprintf(text, size, "the matrix is symmetric, but not positive definite: %s", detail);
    } else if (t->dominant_rows == t->rows) {
        snprintf(text, size,
                 "the matrix is symmetric, and its positive diagonal dominates every row");
    } else {
        snprintf(text, size,
                 "the matrix is symmetric, and looks positive definite: its diagonal is positive, "
                 "and so are %lld of %lld small submatrices",
                 (long long)t->blocks, (long long)t->blocks);
    }
}

/* A clause behind the reason, where Jacobi would have been tried. */
static void say_not_divisible(const fur_csr_traits *t, char *text, size_t size)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "; no Jacobi, because the diagonal is 0 in row %lld",
             (long long)t->zero_row + 1);
}

static int restart_of(const fur_csr_traits *t, const candidate *c)
{
    if (t->rows > LONG_RESTART_ROWS)
        return 0;
    return c->restart > t->rows ? (int)t->rows : c->restart;
}

static void fill(const fur_csr_traits *t, const candidate *list, int place,
                 const fur_choice *previous, fur_outcome outcome, fur_choice *out)
{
    const candidate *c = &list[place];
    *out = (fur_choice){.method = c->method,
                        .precond = precond_of(t, c),
                        .restart = restart_of(t, c),
                        .place = place,
                        .last = find_place(t, list, place + 1) == MOST_CANDIDATES};
    if (previous)
        snprintf(out->reason, sizeof out->reason, "%s ended as: %s", previous->method,
                 fur_outcome_name(outcome));
    else
        say_why(t, out->reason, sizeof out->reason);
    bool said = t->rows == t->cols && t->hermitian && !looks_definite(t);
    if (!previous && t->rows == t->cols && t->diagonal_zero > 0 && !said)
        say_not_divisible(t, out->reason, sizeof out->reason);
}

fur_status fur_choose(const fur_csr_traits *traits, const fur_choice *previous, fur_outcome outcome,
                      fur_choice *out)
{
    FUR_NEED(NULL, traits, out);
    fur_csr_traits t;
    fur_choice before;
    FUR_TAKE_OPTIONS(NULL, fur_csr_traits, &t, traits);
    FUR_TAKE_OPTIONS(NULL, fur_choice, &before, previous);
    FUR_CHECK_REPORT(NULL, fur_choice, out);
    const candidate *list = list_for(&t);
    fur_choice chosen = {.last = 1};
    int place = MOST_CANDIDATES;
    if (!previous)
        place = find_place(&t, list, 0);
    else if (before.method && is_worth_another(&before, outcome))
        place = next_place(&t, list, before.place, outcome);
    if (place < MOST_CANDIDATES)
        fill(&t, list, place, previous ? &before : NULL, outcome, &chosen);
    fur_report_fill(out, &chosen, sizeof chosen);
    return FUR_OK;
}
