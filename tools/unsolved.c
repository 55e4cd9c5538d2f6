/* The sentence about a solve that failed, and the search for what is not symmetric. */
#include "unsolved.h"

#include <math.h>
#include <stdio.h>

#include "command.h"
#include "offset.h"

/* The matrices that the methods can solve. */
static const char NEEDED[] = "A must be symmetric or Hermitian, positive definite and finite";

#define ENTRY_BYTES 64

/* The entries of a square matrix that differ from the conjugates of those opposite. */
typedef struct asymmetry {
    int64_t pairs; /* with A(i, j) != conj A(j, i); what is not stored is 0 */
    int64_t row;   /* of the pair that differs most, counted from 0 */
    int64_t col;
    double here[2];     /* A(row, col), real and imaginary */
    double opposite[2]; /* A(col, row) */
} asymmetry;

/* Real and imaginary part of entry k; 0 for k = -1. */
static void read_entry(const fur_csr_view *a, int64_t k, double out[2])
{
    bool single = a->value_type == FUR_F32 || a->value_type == FUR_C64;
    int parts = a->value_type == FUR_C64 || a->value_type == FUR_C128 ? 2 : 1;
    out[0] = out[1] = 0.0;
    for (int part = 0; k >= 0 && part < parts; part++) {
        int64_t at = parts * k + part;
        out[part] = single ? (double)((const float *)a->values)[at] : ((double *)a->values)[at];
    }
}

/* Where (row, col) is stored, or -1: columns rise along a row. */
static int64_t find_entry(const fur_csr_view *a, int64_t row, int64_t col)
{
    int64_t begin = offset_at(a, row);
    int64_t end = offset_at(a, row + 1);
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (a->columns[middle] == col)
            return middle;
        if (a->columns[middle] < col)
            begin = middle + 1;
        else
            end = middle;
    }
    return -1;
}

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* Counts the pair of entry k if it differs, and keeps it if it differs most so far. */
static void compare(const fur_csr_view *a, int64_t row, int64_t k, double *most, asymmetry *out)
{
    asymmetry pair = {.pairs = out->pairs + 1, .row = row, .col = a->columns[k]};
    int64_t opposite = find_entry(a, pair.col, row);
    if (opposite >= 0 && pair.col < row)
        return; /* seen from there */
    read_entry(a, k, pair.here);
    read_entry(a, opposite, pair.opposite);
    if (same(pair.here[0], pair.opposite[0]) && same(pair.here[1], -pair.opposite[1]))
        return;
    double distance = hypot(pair.here[0] - pair.opposite[0], pair.here[1] + pair.opposite[1]);
    if (distance <= *most) {
        out->pairs = pair.pairs;
    } else {
        *out = pair;
        *most = distance;
    }
}

static asymmetry find_here(const fur_csr_view *a)
{
    asymmetry found = {.pairs = 0};
    double most = -1.0;
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t k = offset_at(a, row); k < offset_at(a, row + 1); k++)
            compare(a, row, k, &most, &found);
    return found;
}

/* O(entries log(longest row)) time on the host and, unless A lies on a GPU, no memory. */
static fur_status find_asymmetry(const fur_csr *a, asymmetry *out)
{
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    fur_csr *near = NULL;
    if (host != context)
        COMMAND_TRY(fur_csr_transfer(a, host, &near));
    fur_csr_view view = *fur_csr_get(near ? near : a);
    *out = find_here(&view);
    fur_csr_destroy(near);
    return FUR_OK;
}

/* x = 0, where it began, has residual 1: one above has grown. */
static const char *advise(const fur_solver_report *report)
{
    switch (report->outcome) {
    case FUR_OUTCOME_MAX_ITERATIONS:
        return report->residual < 1.0 ? "allow more with --max-iterations" : NEEDED;
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "try --precond none";
    case FUR_OUTCOME_STAGNATED:
        return report->residual < 1.0 ? "ask for less with --rtol" : NEEDED;
    default:
        return NEEDED;
    }
}

/* "1.5", or "(1.5, -2)" of a complex matrix. */
static void format_entry(bool complex, const double entry[2], char text[ENTRY_BYTES])
{
    if (complex)
        snprintf(text, ENTRY_BYTES, "(%.9g, %.9g)", entry[0], entry[1]);
    else
        snprintf(text, ENTRY_BYTES, "%.9g", entry[0]);
}

/* Names the property of the matrix for which no method here works. */
static void blame(const unsolved *u, const asymmetry *found, char *text, size_t size)
{
    fur_value_type value = fur_csr_get(u->a)->value_type;
    bool complex = value == FUR_C64 || value == FUR_C128;
    char here[ENTRY_BYTES];
    char opposite[ENTRY_BYTES];
    long long row = (long long)found->row + 1;
    long long col = (long long)found->col + 1;
    format_entry(complex, found->here, here);
    format_entry(complex, found->opposite, opposite);
    snprintf(text, size,
             "the matrix is not %s, as %s needs it: in %lld %s, most in (%lld, %lld) = %s and "
             "(%lld, %lld) = %s%s, counting from 1",
             complex ? "Hermitian" : "symmetric", u->method, (long long)found->pairs,
             found->pairs == 1 ? "pair of entries" : "pairs of entries", row, col, here, col, row,
             opposite, row == col ? ", which must be real" : "");
}

fur_status unsolved_explain(fur_context *context, const unsolved *u)
{
    const fur_solver_report *report = u->report;
    asymmetry found = {.pairs = 0};
    char asymmetric[512];
    if (u->a)
        COMMAND_TRY(find_asymmetry(u->a, &found));
    if (found.pairs > 0)
        blame(u, &found, asymmetric, sizeof asymmetric);
    return fur_context_fail(context, FUR_INVALID,
                            "%s: no solution after %lld iterations: %s, relative residual %.1e; %s",
                            u->name, (long long)report->iterations,
                            fur_outcome_name(report->outcome), report->residual,
                            found.pairs > 0 ? asymmetric : advise(report));
}
