/* Chooses the method for a matrix, and the next method when it fails. */
#include "choose.h"
#include "solver.h"

#include <furrow/author/options.h>
#include <furrow/author/precond.h>

#include "arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Up to this number of rows gmres never restarts. It then ends after at most as many iterations as
 * A has rows. */
#define SMALL_ROWS 1000

/* A restart longer than the default. It is worth its memory up to LONG_RESTART_ROWS rows. */
#define LONG_RESTART 100
#define LONG_RESTART_ROWS 2000000

/* From this number of rows on multigrid comes before incomplete factors. */
#define LARGE_ROWS 20000

/* Largest number of entries that incomplete factors add to A, and largest number of rows for
 * complete factors, which may need far more memory. */
#define MAX_FILL 10000000
#define MAX_DIRECT_ROWS 100000

/* One line of a list. */
typedef struct candidate {
    const char *method;
    const char *precond; /* NULL: that of fur_choose_precond */
    int restart;         /* 0: the method's default */
    int64_t trial;       /* as in fur_choice */
    int fill;            /* entries a row of factors beyond A's */
} candidate;

#define MAX_CANDIDATES 14
typedef candidate candidates[MAX_CANDIDATES + 1];

/* gmres with incomplete factors by thresholds. The second macro expands the arguments first. */
#define FACTORS(most, least) FACTORS_TEXT(most, least)
#define FACTORS_TEXT(most, least)                                                                  \
    {                                                                                              \
        .method = "gmres", .precond = "ilut:fill=" #most ",drop=" #least, .restart = LONG_RESTART, \
        .trial = 300, .fill = most                                                                 \
    }
/* Complete factors, and refinement. */
#define DIRECT                                                                                     \
    {                                                                                              \
        .method = "direct", .precond = "direct", .trial = 20                                       \
    }

/* The lines after the trials of cg. minres comes before the factors, because cg may find that the
 * matrix is not definite. */
#define AFTER_CG                                                                                   \
    {.method = "minres", .trial = 1000}, FACTORS(50, 1e-5), FACTORS(300, 1e-9), DIRECT,            \
        {.method = "cg"}, {.method = "minres"}, {.method = "gmres", .restart = LONG_RESTART},      \
    {                                                                                              \
        .method = "lsmr"                                                                           \
    }

static const candidates definite = {
    {.method = "cg", .trial = 1000},
    {.method = "cg", .precond = "ic0", .trial = 3000},
    {.method = "cg", .precond = "amg", .trial = 1000},
    AFTER_CG,
};
static const candidates large_definite = {
    {.method = "cg", .trial = 200},
    {.method = "cg", .precond = "amg", .trial = 1000},
    {.method = "cg", .precond = "ic0", .trial = 3000},
    AFTER_CG,
};
static const candidates indefinite = {
    {.method = "minres", .trial = 1000},
    FACTORS(10, 1e-3),
    FACTORS(300, 1e-9),
    DIRECT,
    {.method = "minres"},
    {.method = "gmres", .restart = LONG_RESTART},
    {.method = "lsmr"},
};
static const candidates small_unsymmetric = {
    {.method = "gmres", .restart = SMALL_ROWS},
    FACTORS(10, 1e-3),
    FACTORS(300, 1e-9),
    FACTORS(SMALL_ROWS, 1e-14),
    DIRECT,
    {.method = "gmres", .precond = "none", .restart = SMALL_ROWS},
    {.method = "idrs"},
    {.method = "idrs", .precond = "norms"},
    {.method = "lsmr"},
};
static const candidates dominant = {
    {.method = "bicgstab", .trial = 500},
    {.method = "bicgstab", .precond = "ilu0", .trial = 500},
    FACTORS(50, 1e-5),
    {.method = "bicgstab"},
    {.method = "idrs"},
    {.method = "gmres", .restart = LONG_RESTART},
    DIRECT,
    {.method = "lsmr"},
};
static const candidates unsymmetric = {
    {.method = "idrs", .trial = 500},
    FACTORS(10, 1e-3),
    FACTORS(50, 1e-5),
    FACTORS(300, 1e-9),
    FACTORS(1000, 1e-13),
    DIRECT,
    {.method = "idrs"},
    {.method = "gmres", .restart = LONG_RESTART},
    {.method = "idrs", .precond = "norms"},
    {.method = "gmres", .precond = "none", .restart = LONG_RESTART},
    {.method = "lsmr"},
};
static const candidates least_squares = {
    {.method = "lsmr"}, {.method = "lsqr"}, {.method = "cgnr"}};

static bool looks_definite(const fur_csr_traits *t)
{
    return t->diagonal_positive == t->rows && t->indefinite_row < 0;
}

static const candidate *list_for(const fur_csr_traits *t)
{
    if (t->rows != t->cols)
        return least_squares;
    if (t->hermitian && looks_definite(t))
        return t->rows >= LARGE_ROWS ? large_definite : definite;
    if (t->hermitian)
        return indefinite;
    if (t->rows <= SMALL_ROWS)
        return small_unsymmetric;
    return t->dominant_rows == t->rows ? dominant : unsymmetric;
}

/* The preconditioner of a method for this matrix. Jacobi's needs a diagonal without a zero. minres
 * can use the norms of the columns instead. Least squares use the norms, unless many solutions are
 * best: the norms would change which of these has the least norm. */
const char *fur_choose_precond(const fur_csr_traits *t, const char *method)
{
    const fur_method *m = fur_method_find(method);
    if (m && m->complete)
        return "direct";
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

/* Returns true if the preconditioner is made from the matrix. */
static bool has_factors(const candidate *c)
{
    return c->precond && strcmp(c->precond, "none") != 0 && strcmp(c->precond, "norms") != 0;
}

/* A list, and the conditions for its lines. */
typedef struct selection {
    const fur_csr_traits *t;
    const candidate *list;
    bool plain; /* no preconditioner is made from the matrix; a line after a trial then continues it
                 */
} selection;

static int64_t trial_of(const selection *s, int place)
{
    return s->plain ? 0 : s->list[place].trial;
}

/* Returns true if two lines have the same method and preconditioner. This happens if the diagonal
 * does not allow Jacobi's preconditioner. */
static bool are_alike(const selection *s, int i, int k)
{
    const candidate *a = &s->list[i];
    const candidate *b = &s->list[k];
    return strcmp(a->method, b->method) == 0 &&
           strcmp(precond_of(s->t, a), precond_of(s->t, b)) == 0 &&
           trial_of(s, i) == trial_of(s, k);
}

static bool has_room(const fur_csr_traits *t, const candidate *line)
{
    if (strcmp(line->precond, "direct") == 0)
        return t->rows <= MAX_DIRECT_ROWS;
    return line->fill <= MAX_FILL / (t->rows + 1);
}

/* Returns true if the library has the method, the factors fit in memory, and this line does not
 * repeat an earlier line. */
static bool is_of_use(const selection *s, int place)
{
    const candidate *line = &s->list[place];
    for (int i = 0; i < place; i++)
        if (are_alike(s, i, place))
            return false;
    if (has_factors(line) && (s->plain || !has_room(s->t, line)))
        return false;
    return fur_method_find(line->method) != NULL;
}

/* Returns the first useful line from a place on; MAX_CANDIDATES if there is none. */
static int find_place(const selection *s, int place)
{
    while (place < MAX_CANDIDATES && s->list[place].method && !is_of_use(s, place))
        place++;
    return s->list[place].method ? place : MAX_CANDIDATES;
}

/* Returns true if another line could do better after this outcome. If iterations run out outside a
 * trial, no method needs fewer than cg, minres and the least-squares methods. */
static bool is_worth_another(const fur_choice *previous, fur_outcome outcome)
{
    const fur_method *m = fur_method_find(previous->method);
    switch (outcome) {
    case FUR_OUTCOME_MAX_ITERATIONS:
        return previous->trial > 0 ||
               (strcmp(previous->method, "cg") != 0 && strcmp(previous->method, "minres") != 0 &&
                (!m || m->kind == FUR_METHOD_SQUARE));
    case FUR_OUTCOME_UNSOLVED:
    case FUR_OUTCOME_INDEFINITE:
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
    case FUR_OUTCOME_ASYMMETRIC:
    case FUR_OUTCOME_BREAKDOWN:
    case FUR_OUTCOME_STAGNATED:
    case FUR_OUTCOME_SINGULAR:
    case FUR_OUTCOME_DIVERGED:
    case FUR_OUTCOME_SMALL_ROWS:
        return true;
    default:
        return false;
    }
}

/* Returns true if a line can succeed where the previous one came to this outcome. cg does not suit
 * a matrix that is not positive definite. A preconditioner that could not be made is not tried
 * again. For a singular matrix only least squares find a solution. Factors are also tried if only a
 * method found the matrix singular. */
static bool can_follow(const candidate *line, const fur_choice *previous, fur_outcome outcome)
{
    if (outcome == FUR_OUTCOME_INDEFINITE || outcome == FUR_OUTCOME_ASYMMETRIC)
        return strcmp(line->method, "cg") != 0;
    if (outcome == FUR_OUTCOME_UNSOLVED)
        return !has_factors(line) ||
               fur_precond_find(line->precond) != fur_precond_find(previous->precond);
    return outcome != FUR_OUTCOME_SINGULAR || has_factors(line) ||
           fur_method_find(line->method)->kind == FUR_METHOD_LEAST_SQUARES;
}

/* Returns the place of the next line. */
static int next_place(const selection *s, const fur_choice *previous, fur_outcome outcome)
{
    int place = find_place(s, previous->place + 1);
    while (place < MAX_CANDIDATES && !can_follow(&s->list[place], previous, outcome))
        place = find_place(s, place + 1);
    return place;
}

/* Says why a Hermitian matrix is not, or may not be, positive definite. */
static void say_indefinite(const fur_csr_traits *t, char *text, size_t size)
{
    int64_t not_real = t->rows - t->diagonal_positive - t->diagonal_negative;
    if (t->diagonal_zero > 0)
        snprintf(text, size,
                 "%lld of its diagonal entries are 0, the first in row %lld, counting from 1",
                 (long long)t->diagonal_zero, (long long)t->zero_row + 1);
    else if (t->diagonal_negative > 0)
        snprintf(text, size, "%lld of %lld diagonal entries are negative",
                 (long long)t->diagonal_negative, (long long)t->rows);
    else if (not_real > 0) /* only up to rounding: no submatrix was checked */
        snprintf(text, size, "%lld of %lld diagonal entries are not real", (long long)not_real,
                 (long long)t->rows);
    else
        snprintf(text, size, "a small submatrix with row %lld, counting from 1, is not",
                 (long long)t->indefinite_row + 1);
}

/* Says which properties of the matrix led to the list. */
static void say_why(const fur_csr_traits *t, char *text, size_t size)
{
    char detail[128] = "";
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
                 "the matrix is symmetric, and probably positive definite: its diagonal is "
                 "positive, and %lld of %lld small submatrices are positive definite",
                 (long long)t->blocks, (long long)t->blocks);
    }
}

/* Adds a clause to the reason if Jacobi's preconditioner would have been tried. */
static void say_not_divisible(const fur_csr_traits *t, char *text, size_t size)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length,
             "; no Jacobi, because the diagonal is 0 in row %lld, counting from 1",
             (long long)t->zero_row + 1);
}

/* Says what led to the next line. */
static void say_what_failed(const fur_choice *previous, fur_outcome outcome, char *text,
                            size_t size)
{
    if (previous->trial > 0 && outcome == FUR_OUTCOME_MAX_ITERATIONS)
        snprintf(text, size,
                 "%s with %s had not converged after a trial of at most %lld iterations",
                 previous->method, previous->precond, (long long)previous->trial);
    else
        snprintf(text, size, "%s with %s ended as: %s", previous->method, previous->precond,
                 fur_outcome_name(outcome));
}

static int restart_of(const fur_csr_traits *t, const candidate *c)
{
    if (t->rows > LONG_RESTART_ROWS)
        return 0;
    return c->restart > t->rows ? (int)t->rows : c->restart;
}

static void fill(const selection *s, int place, const fur_choice *previous, fur_outcome outcome,
                 fur_choice *out)
{
    const fur_csr_traits *t = s->t;
    const candidate *c = &s->list[place];
    *out = (fur_choice){.method = c->method,
                        .precond = precond_of(t, c),
                        .restart = restart_of(t, c),
                        .place = place,
                        .last = find_place(s, place + 1) == MAX_CANDIDATES,
                        .trial = trial_of(s, place)};
    if (previous)
        say_what_failed(previous, outcome, out->reason, sizeof out->reason);
    else
        say_why(t, out->reason, sizeof out->reason);
    bool said = t->rows == t->cols && t->hermitian && !looks_definite(t);
    if (!previous && t->rows == t->cols && t->diagonal_zero > 0 && !said)
        say_not_divisible(t, out->reason, sizeof out->reason);
}

void fur_choose_line(const fur_csr_traits *t, const fur_choice *previous, fur_outcome outcome,
                     bool plain, fur_choice *out)
{
    const selection s = {t, list_for(t), plain};
    fur_choice chosen = {.size = sizeof chosen, .last = 1};
    int place = MAX_CANDIDATES;
    if (!previous)
        place = find_place(&s, 0);
    else if (previous->method && is_worth_another(previous, outcome))
        place = next_place(&s, previous, outcome);
    if (place < MAX_CANDIDATES)
        fill(&s, place, previous, outcome, &chosen);
    *out = chosen;
}

fur_status fur_choose(const fur_csr_traits *traits, const fur_choice *previous, fur_outcome outcome,
                      fur_choice *out)
{
    FUR_NEED(NULL, traits, out);
    fur_csr_traits t;
    fur_choice before;
    fur_choice chosen;
    FUR_TAKE_OPTIONS(NULL, fur_csr_traits, &t, traits);
    FUR_TAKE_OPTIONS(NULL, fur_choice, &before, previous);
    FUR_CHECK_REPORT(NULL, fur_choice, out);
    fur_choose_line(&t, previous ? &before : NULL, outcome, false, &chosen);
    fur_report_fill(out, &chosen, sizeof chosen);
    return FUR_OK;
}
