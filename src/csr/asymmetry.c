/* Finds the first pair of entries that breaks a symmetry, by comparing rows of A with rows of the
 * transpose. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"

#    include <furrow/author/options.h>

#    include "csr.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384

/* A, and A^T or A^H. */
typedef struct comparison {
    const fur_csr_view *a;
    const fur_csr_view *t;
    fur_symmetry symmetry;
    bool (*matches)(const struct comparison *c, int64_t k);
    fur_shared row; /* the first row that differs */
} comparison;

#    define FUR_TEMPLATE "asymmetry.c"
#    include "foreach_value.h"

/* The first position of a row at which A and its transpose differ, or the end of the row if they
 * are equal. All rows before this row are equal. */
static int64_t find_position(const comparison *c, int64_t row)
{
    int64_t a_end = fur_offset_at(c->a, row + 1);
    int64_t t_end = fur_offset_at(c->t, row + 1);
    int64_t k = fur_offset_at(c->a, row);
    while (k < a_end && k < t_end && c->a->columns[k] == c->t->columns[k] &&
           (c->symmetry == FUR_SYMMETRY_PATTERN || c->matches(c, k)))
        k++;
    return k;
}

static void look_at_rows(void *job, int64_t begin, int64_t end)
{
    comparison *c = job;
    for (int64_t i = begin; i < end; i++) {
        bool aligned = fur_offset_at(c->a, i) == fur_offset_at(c->t, i);
        if (!aligned || find_position(c, i) <
                            fur_larger(fur_offset_at(c->a, i + 1), fur_offset_at(c->t, i + 1))) {
            fur_shared_least(&c->row, i);
            return;
        }
    }
}

static fur_scalar entry_at(const fur_csr_view *a, int64_t row, int64_t col, bool *stored)
{
    _Alignas(fur_c128) char entry[sizeof(fur_c128)]; /* an entry of any value type */
    *stored = fur_csr_read_entry(a, row, col, entry);
    return fur_scalar_at(a->value_type, entry, 0);
}

/* Describes the entry at which A and A^T first differ. It is at the first position of the first row
 * that differs. If both have the same column there, their values differ. Otherwise the matrix with
 * the lesser column has an entry that the other lacks. */
static fur_csr_asymmetry describe(const comparison *c)
{
    int64_t row = c->row;
    int64_t k = find_position(c, row);
    bool in_a = k < fur_offset_at(c->a, row + 1);
    bool in_t = k < fur_offset_at(c->t, row + 1);
    bool of_a = in_a && (!in_t || c->a->columns[k] <= c->t->columns[k]);
    bool stored;
    fur_csr_asymmetry found = {
        .found = 1, .row = of_a ? row : c->t->columns[k], .col = of_a ? c->a->columns[k] : row};
    found.entry = entry_at(c->a, found.row, found.col, &stored);
    found.opposite = entry_at(c->a, found.col, found.row, &stored);
    found.missing = !stored;
    return found;
}

static fur_status find_here(const fur_csr *a, fur_symmetry symmetry, fur_csr_asymmetry *out)
{
    static bool (*const matches[FUR_VALUE_COUNT])(const comparison *, int64_t) =
        FUR_VALUE_TABLE(matches);
    const fur_csr_view *v = &a->view;
    fur_csr *t;
    FUR_TRY(fur_csr_transpose(a, symmetry == FUR_SYMMETRY_HERMITIAN, &t));
    comparison c = {v, &t->view, symmetry, matches[v->value_type], v->rows};
    fur_parallel(&a->context->env, (v->rows + v->entries) / ENTRY_GRAIN, v->rows, look_at_rows, &c);
    fur_csr_asymmetry found = c.row < v->rows ? describe(&c) : (fur_csr_asymmetry){0};
    fur_report_fill(out, &found, sizeof found);
    fur_csr_destroy(t);
    return FUR_OK;
}

fur_status fur_csr_find_asymmetry(const fur_csr *a, fur_symmetry symmetry, fur_csr_asymmetry *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_CHECK_REPORT(a->context, fur_csr_asymmetry, out);
    fur_env *env = &a->context->env;
    const fur_csr *near;
    fur_csr *copy;
    if ((unsigned)symmetry > FUR_SYMMETRY_SKEW)
        return fur_env_fail(env, FUR_INVALID, "%d is not a symmetry", (int)symmetry);
    if (a->view.rows != a->view.cols)
        return fur_env_fail(env, FUR_INVALID,
                            "the matrix is %lld x %lld; only a square matrix can be symmetric",
                            (long long)a->view.rows, (long long)a->view.cols);
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    fur_status status =
        fur_context_pass_on(near->context, a->context, find_here(near, symmetry, out));
    fur_csr_destroy(copy);
    return status;
}
#else

static bool FN(same)(REAL x, REAL y)
{
    return x == y || (x != x && y != y);
}

/* Returns whether entry k of A fits entry k of the transpose, by the symmetry. */
static bool FN(matches)(const comparison *c, int64_t k)
{
    VALUE x = ((const VALUE *)c->a->values)[k];
    VALUE y = ((const VALUE *)c->t->values)[k];
    if (c->symmetry == FUR_SYMMETRY_SKEW)
        y = V(neg)(y);
#    if COMPLEX
    return FN(same)(x.re, y.re) && FN(same)(x.im, y.im);
#    else
    return FN(same)(x, y);
#    endif
}

#endif
