/* Null vectors that a matrix shows without a solve: the constant on each connected component whose
 * rows and columns all sum to 0. Examples are a pure Neumann problem and the Laplacian of a graph.
 */
#include "course.h"

#include "arguments.h"
#include "core.h"
#include "row_errors.h"
#include "value_type.h"

#include <furrow/graph.h>

/* Up to this number of epsilons, |sum of a row| / (sum of moduli) is rounding. */
#define ROUNDING 64

/* If there are more components, no null vectors are used. */
#define MAX_VECTORS 16

/* The matrix and the work arrays. */
typedef struct search {
    const fur_csr *a;
    fur_vector *ones;
    fur_vector *errors;
    char *fails; /* for each row on the host: 1 if its entries do not sum to 0 */
} search;

/* Marks the rows of a whose entries do not sum to 0. */
static fur_status mark_rows(const fur_csr *a, const search *s)
{
    const fur_csr_view *view = fur_csr_get(a);
    const fur_value_type value = view->value_type;
    const fur_vector *near;
    fur_vector *copy;
    FUR_TRY(fur_csr_row_errors(view, NULL, s->ones, s->errors));
    FUR_TRY(fur_vector_to_host(s->errors, &near, &copy));
    for (int64_t i = 0; i < view->rows; i++) {
        double error = fur_value_part(value, near->data, i * fur_value_parts(value));
        s->fails[i] |= !(error <= ROUNDING * fur_value_epsilon(value));
    }
    fur_vector_destroy(copy);
    return FUR_OK;
}

/* Marks the rows of A^H in the same way. */
static fur_status mark_columns(const search *s)
{
    fur_csr *transpose;
    FUR_TRY(fur_csr_transpose(s->a, 1, &transpose));
    fur_status status = mark_rows(transpose, s);
    fur_csr_destroy(transpose);
    return status;
}

static bool has_singular_row(const char *fails, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (!fails[i])
            return true;
    return false;
}

/* Numbers the components without a failing row: number[k], or -1. Returns how many there are. */
static int32_t number_singular(const fur_classes *classes, const char *fails, int64_t rows,
                               int32_t *number)
{
    const int32_t *of_row = fur_classes_get(classes)->of_rows;
    int32_t count = 0;
    for (int64_t k = 0; k < fur_classes_get(classes)->count; k++)
        number[k] = 0;
    for (int64_t i = 0; i < rows; i++)
        if (fails[i])
            number[of_row[i]] = -1;
    for (int64_t k = 0; k < fur_classes_get(classes)->count; k++)
        if (number[k] == 0)
            number[k] = count++;
    return count;
}

/* Fills a column for each numbered component: 1 in its rows. */
static fur_status fill_vectors(const fur_classes *classes, const int32_t *number, int32_t count,
                               const fur_csr *a, fur_vectors **out)
{
    const fur_csr_view *view = fur_csr_get(a);
    const int32_t *of_row = fur_classes_get(classes)->of_rows;
    const int64_t parts = fur_value_parts(view->value_type);
    fur_context *context = fur_csr_context(a);
    char *entries;
    size_t size = fur_value_size(view->value_type);
    FUR_TRY(fur_env_allocate_zeros(&context->env, view->rows * count, size, &entries));
    for (int64_t i = 0; i < view->rows; i++) {
        int64_t at = ((int64_t)number[of_row[i]] * view->rows + i) * parts;
        if (number[of_row[i]] < 0)
            continue;
        if (fur_value_is_single(view->value_type))
            ((float *)(void *)entries)[at] = 1;
        else
            ((double *)(void *)entries)[at] = 1;
    }
    fur_status status =
        fur_vectors_create(context, view->value_type, view->rows, count, FUR_LAYOUT_COLUMNS, out);
    if (status == FUR_OK)
        status = fur_vectors_upload(entries, *out);
    fur_env_release(&context->env, entries);
    return status;
}

/* Makes the vectors of the numbered components, if their columns also sum to 0 and there are few of
 * them. Otherwise A is only known to be singular. */
static fur_status find_in_components(fur_course *c, const search *s, const fur_classes *classes,
                                     int32_t *number)
{
    const int64_t rows = c->traits.rows;
    int32_t count = number_singular(classes, s->fails, rows, number);
    c->singular = count > 0;
    if (count > 0 && !c->traits.hermitian) {
        FUR_TRY(mark_columns(s));
        count = number_singular(classes, s->fails, rows, number);
    }
    return count > 0 && count <= MAX_VECTORS
               ? fill_vectors(classes, number, count, s->a, &c->null_space)
               : FUR_OK;
}

static fur_status find(fur_course *c, const search *s)
{
    fur_classes *classes;
    int32_t *number = NULL;
    FUR_TRY(mark_rows(s->a, s));
    if (!has_singular_row(s->fails, c->traits.rows))
        return FUR_OK;
    FUR_TRY(fur_classes_from_components(s->a, &classes));
    fur_status status = fur_env_allocate(&c->context->env, fur_classes_get(classes)->count,
                                         sizeof *number, &number);
    if (status == FUR_OK)
        status = find_in_components(c, s, classes, number);
    fur_env_release(&c->context->env, number);
    fur_classes_destroy(classes);
    return status;
}

/* Returns true if null vectors are searched for: not for least squares, and not if the caller gives
 * some. */
static bool may_find(const fur_course *c)
{
    const fur_method *m = c->solver.method ? fur_method_find(c->solver.method) : NULL;
    return c->traits.rows == c->traits.cols && c->traits.rows > 0 && c->solver.damp == 0 &&
           !c->solver.null_space && !c->solver.null_constant &&
           !(m && m->kind == FUR_METHOD_LEAST_SQUARES);
}

fur_status fur_course_find_null_space(fur_course *c)
{
    fur_status status = FUR_OK;
    search s = {.a = NULL};
    if (!may_find(c))
        return FUR_OK;
    s.a = fur_product_matrix(c->product);
    fur_value_type value = fur_csr_get(s.a)->value_type;
    FUR_TRY_DONE(fur_vector_create(c->context, value, c->traits.rows, &s.ones));
    FUR_TRY_DONE(fur_vector_create(c->context, value, c->traits.rows, &s.errors));
    FUR_TRY_DONE(fur_env_allocate_zeros(&c->context->env, c->traits.rows, 1, &s.fails));
    FUR_TRY_DONE(fur_vector_fill(s.ones, fur_real(1)));
    status = find(c, &s);
done:
    fur_env_release(&c->context->env, s.fails);
    fur_vector_destroy(s.errors);
    fur_vector_destroy(s.ones);
    return status;
}
