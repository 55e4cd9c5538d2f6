/* Loads A, b and the initial guess of furrow solve. */
#include "job.h"

#include <float.h>

#include "product.h"

/* A row sum counts as rounding up to this number of epsilons of the infinity norm. */
#define ROUNDING 16

/* Makes the operator of the file's matrix. */
static fur_status prepare_matrix(job *j)
{
    fur_product_options options = {
        .size = sizeof options, .kernel = j->options->kernel, .order = j->options->reorder};
    const fur_csr_view *view = fur_csr_get(j->a.matrix);
    double start = fur_seconds();
    j->traits = FUR_DEFAULT(fur_csr_traits);
    FUR_TRY(fur_csr_examine(j->a.matrix, &j->traits));
    j->seconds_examine = fur_seconds() - start;
    FUR_TRY(fur_vector_create(j->context, view->value_type, view->cols, &j->x));
    FUR_TRY(fur_product_create(j->a.matrix, &options, &j->product));
    j->op = fur_product_operator(j->product);
    return FUR_OK;
}

/* Returns whether the header of a file says that its numbers are complex. */
static bool is_complex(fur_context *context, const char *path)
{
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    return path && strcmp(path, "-") != 0 && !fur_binary_detect(path) &&
           fur_mtx_read_header(context, path, &header) == FUR_OK && header.field == FUR_MTX_COMPLEX;
}

/* Makes a real A complex if b or the initial guess is complex. */
static fur_status widen_matrix(job *j)
{
    const fur_csr_view *a = fur_csr_get(j->a.matrix);
    bool wanted =
        is_complex(j->context, j->options->b) || is_complex(j->context, j->options->solver.x0);
    fur_csr *wide;
    if (!wanted || a->value_type == FUR_C64 || a->value_type == FUR_C128)
        return FUR_OK;
    FUR_TRY(fur_csr_convert(j->a.matrix, a->value_type == FUR_F32 ? FUR_C64 : FUR_C128,
                            a->offset_type, &wide));
    fur_csr_destroy(j->a.matrix);
    j->a.matrix = wide;
    return FUR_OK;
}

fur_status job_load_null_space(job *j)
{
    const char *path = j->options->solver.null_space;
    if (!path || request_has_constant(&j->options->solver))
        return FUR_OK;
    return command_while(j->context, "reading", path,
                         job_load_columns(j, path, &j->null_file, &j->null_space));
}

fur_status job_load_matrix(job *j)
{
    const job_options *o = j->options;
    FUR_TRY(product_check_kernel(j->context, o->kernel));
    FUR_TRY(command_while(j->context, "reading", j->name,
                          load_matrix(j->context, &o->common, j->name, &j->a)));
    FUR_TRY(job_about(j, widen_matrix(j)));
    return job_about(j, prepare_matrix(j));
}

/* Makes A as a stencil, and multigrid if it is used. */
static fur_status make_stencil(job *j)
{
    const job_options *o = j->options;
    fur_multigrid_options options = {.size = sizeof options};
    FUR_TRY(grid_create_stencil(j->context, &o->grid, o->kernel, &j->stencil));
    FUR_TRY(fur_operator_from_stencil(j->stencil, &j->own));
    j->op = j->own;
    FUR_TRY(fur_vector_create(j->context, o->grid.value, fur_operator_cols(j->op), &j->x));
    if (!job_is(o->solver.method, "mg") && !job_is(o->solver.precond, "mg"))
        return FUR_OK;
    return fur_multigrid_create(j->stencil, &options, &j->multigrid);
}

/* Loads a vector from a file, in the order of the products. */
static fur_status load_of(job *j, const char *path, int64_t size, fur_vector **out)
{
    vector_request request = {.path = path, .value = fur_operator_value_type(j->op), .size = size};
    fur_status status = load_vector(j->context, &j->options->common, &request, out);
    FUR_TRY(path ? command_while(j->context, "reading", path, status) : job_about(j, status));
    return job_about(j, product_enter(j->product, out));
}

static fur_status load_b(job *j, const char *path)
{
    return load_of(j, path, fur_operator_rows(j->op), &j->b);
}

/* Finds whether b, which is A times ones, contains only rounding errors, while A is not 0. An
 * example is the Laplacian of a graph. */
static fur_status is_rounding(const job *j, bool *rounding)
{
    fur_value_type value = fur_operator_value_type(j->op);
    bool single = value == FUR_F32 || value == FUR_C64;
    double largest;
    double norm;
    FUR_TRY(fur_norm_max(j->b, &largest));
    FUR_TRY(fur_csr_norm(j->a.matrix, FUR_NORM_INF, &norm));
    *rounding = norm > 0 && largest <= ROUNDING * (single ? FLT_EPSILON : DBL_EPSILON) * norm;
    return FUR_OK;
}

/* Makes b = A times fractions, in the order of the products. */
static fur_status make_other_b(job *j)
{
    fur_vector *x = NULL;
    fur_status status =
        load_fractions(j->context, fur_operator_value_type(j->op), fur_operator_cols(j->op), &x);
    if (status == FUR_OK)
        status = product_enter(j->product, &x);
    if (status == FUR_OK)
        status = fur_operator_apply(j->op, x, j->b);
    fur_vector_destroy(x);
    j->rhs = "A times fractions, because A times ones is 0";
    if (status == FUR_OK && !j->options->common.quiet)
        command_error("note: %s times a vector of ones is 0, so x is not unique; the right-hand "
                      "side is A x with x_i the fractional part of 0.618 i",
                      j->name);
    return status;
}

/* Makes b = A times ones, or another b if this one is 0. */
static fur_status make_b(job *j)
{
    bool rounding;
    j->rhs = "A times ones";
    FUR_TRY(fur_vector_create(j->context, fur_operator_value_type(j->op), fur_operator_rows(j->op),
                              &j->b));
    FUR_TRY(fur_vector_fill(j->x, fur_real(1.0)));
    FUR_TRY(fur_operator_apply(j->op, j->x, j->b));
    FUR_TRY(fur_vector_fill(j->x, fur_real(0.0)));
    FUR_TRY(is_rounding(j, &rounding));
    return rounding ? make_other_b(j) : FUR_OK;
}

static fur_status load_right_hand_side(job *j)
{
    const char *b = j->options->b;
    if (b || j->stencil) {
        j->rhs = b ? b : "ones";
        return load_b(j, b);
    }
    j->rhs = "NAME_b.mtx of the archive";
    FUR_TRY(load_archived_b(j->context, &j->options->common,
                            &(vector_request){.path = j->name,
                                              .value = fur_operator_value_type(j->op),
                                              .size = fur_operator_rows(j->op)},
                            &j->b));
    return j->b ? job_about(j, product_enter(j->product, &j->b)) : make_b(j);
}

static fur_status load_first_guess(job *j)
{
    const char *x0 = j->options->solver.x0;
    fur_vector *guess = NULL;
    if (!x0)
        return FUR_OK;
    fur_status status = load_of(j, x0, fur_operator_cols(j->op), &guess);
    if (status == FUR_OK)
        status = fur_vector_copy(guess, j->x);
    fur_vector_destroy(guess);
    return status;
}

fur_status job_load(job *j)
{
    double start = fur_seconds();
    bool stencil = j->options->grid.points != 0;
    FUR_TRY(stencil ? job_about(j, make_stencil(j)) : job_load_matrix(j));
    j->seconds_setup = fur_seconds() - start - j->a.seconds;
    FUR_TRY(load_right_hand_side(j));
    if (!stencil)
        FUR_TRY(job_load_null_space(j));
    return load_first_guess(j);
}
