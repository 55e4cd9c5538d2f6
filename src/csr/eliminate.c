/* Eliminates unknowns of a linear system whose values are given, as at Dirichlet boundaries. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "csr.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384

typedef struct elimination {
    int64_t count;
    const int32_t *unknowns;
    fur_scalar diagonal;
    const void *x; /* readable by the host, as b */
    void *b;       /* may be NULL */
} elimination;

/* The rows while their values are rewritten. */
typedef struct rewriting {
    const elimination *e;
    const fur_csr_view *a;
    const bool *known; /* for each unknown */
    void *values;
    fur_shared bare; /* the first row of a known unknown that has no entry on the diagonal */
} rewriting;

#    define FUR_TEMPLATE "eliminate.c"
#    include "foreach_value.h"

static void find_bare(void *job, int64_t begin, int64_t end)
{
    rewriting *w = job;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = w->e->unknowns[n];
        int64_t k = fur_csr_find(w->a, row, row);
        if (k == fur_offset_at(w->a, row + 1) || w->a->columns[k] != row)
            fur_shared_least(&w->bare, row);
    }
}

static fur_status check_diagonal(fur_env *env, rewriting *w)
{
    fur_parallel(env, w->e->count / ENTRY_GRAIN, w->e->count, find_bare, w);
    if (w->bare == w->a->rows)
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID,
                        "row %lld, counting from 1, has no entry on the diagonal, and elimination "
                        "does not change the pattern; store an entry there first, which may be 0",
                        (long long)w->bare + 1);
}

static fur_status eliminate(fur_env *env, const fur_csr_view *a, const void *arguments,
                            void *values)
{
    static fur_body *const rewrite_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(rewrite_rows);
    const elimination *e = arguments;
    bool *known;
    FUR_TRY(fur_env_allocate_zeros(env, a->rows, sizeof *known, &known));
    for (int64_t n = 0; n < e->count; n++)
        known[e->unknowns[n]] = true;
    rewriting w = {e, a, known, values, a->rows};
    fur_status status = check_diagonal(env, &w);
    if (status == FUR_OK)
        fur_parallel(env, (a->rows + a->entries) / ENTRY_GRAIN, a->rows,
                     rewrite_rows[a->value_type], &w);
    fur_env_release(env, known);
    return status;
}

static fur_status check(const fur_csr *a, int64_t count, const int32_t *unknowns,
                        const fur_vector *x, const fur_vector *b)
{
    fur_env *env = &a->context->env;
    const fur_csr_view *v = &a->view;
    if (v->rows != v->cols)
        return fur_env_fail(
            env, FUR_INVALID,
            "the matrix is %lld x %lld; unknowns can be eliminated from a square matrix only",
            (long long)v->rows, (long long)v->cols);
    if (count < 0)
        return fur_env_fail(env, FUR_INVALID, "there cannot be %lld unknowns", (long long)count);
    for (int64_t n = 0; n < count; n++)
        if (unknowns[n] < 0 || unknowns[n] >= v->rows)
            return fur_env_fail(
                env, FUR_INVALID,
                "unknowns[%lld] is %d, but the matrix has %lld rows; unknowns count from 0",
                (long long)n, unknowns[n], (long long)v->rows);
    if (!b)
        return FUR_OK;
    FUR_TRY(fur_csr_check_vector(a, "x", x, v->cols));
    FUR_TRY(fur_csr_check_vector(a, "b", b, v->rows));
    return fur_vector_check_apart(x, "x", b, "b");
}

fur_status fur_csr_eliminate(fur_csr *a, int64_t count, const int32_t *unknowns,
                             fur_scalar diagonal, const fur_vector *x, fur_vector *b)
{
    FUR_NEED(NULL, a);
    FUR_NEED_IF(count > 0, a->context, unknowns);
    FUR_NEED_IF(b, a->context, x);
    FUR_TRY(check(a, count, unknowns, x, b));
    fur_status status = FUR_OK;
    const fur_vector *near_x = NULL;
    const fur_vector *near_b = NULL;
    fur_vector *copy_of_x = NULL;
    fur_vector *copy_of_b = NULL;
    if (b) {
        FUR_TRY_DONE(fur_vector_to_host(x, &near_x, &copy_of_x));
        FUR_TRY_DONE(fur_vector_to_host(b, &near_b, &copy_of_b));
    }
    elimination e = {count, unknowns, diagonal, fur_vector_const_data(near_x),
                     near_b ? near_b->data : NULL};
    FUR_TRY_DONE(fur_csr_rewrite_values(a, eliminate, &e));
    if (copy_of_b)
        status = fur_context_pass_on(copy_of_b->context, a->context, fur_vector_copy(copy_of_b, b));
done:
    fur_vector_destroy(copy_of_b);
    fur_vector_destroy(copy_of_x);
    return status;
}
#else

/* The row of a known unknown becomes a row of a diagonal matrix. In other rows the known unknowns
 * move to the right-hand side. */
static void FN(rewrite_rows)(void *job, int64_t begin, int64_t end)
{
    const rewriting *w = job;
    const int32_t *columns = w->a->columns;
    const VALUE *from = w->a->values;
    const VALUE *x = w->e->x;
    VALUE *to = w->values;
    VALUE *b = w->e->b;
    const VALUE zero = V(from)((fur_scalar){0, 0});
    const VALUE diagonal = V(from)(w->e->diagonal);
    for (int64_t i = begin; i < end; i++) {
        int64_t row_end = fur_offset_at(w->a, i + 1);
        for (int64_t k = fur_offset_at(w->a, i); k < row_end; k++) {
            int32_t j = columns[k];
            if (b && w->known[j] && !w->known[i])
                b[i] = V(fma)(V(neg)(from[k]), x[j], b[i]);
            to[k] = w->known[i] || w->known[j] ? zero : from[k];
        }
        if (w->known[i])
            to[fur_csr_find(w->a, i, i)] = diagonal;
        if (w->known[i] && b)
            b[i] = V(mul)(diagonal, x[i]);
    }
}

#endif
