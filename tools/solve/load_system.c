/* A, b and the first x of furrow solve. */
#include "job.h"

#include <sys/stat.h>

#include "product.h"

/* The operator of the file's matrix. */
static fur_status prepare_matrix(job *j)
{
    fur_product_options options = {
        .size = sizeof options, .kernel = j->options->kernel, .order = j->options->reorder};
    const fur_csr_view *view = fur_csr_get(j->a.matrix);
    double start = command_seconds();
    j->traits = FUR_DEFAULT(fur_csr_traits);
    COMMAND_TRY(fur_csr_examine(j->a.matrix, &j->traits));
    j->seconds_examine = command_seconds() - start;
    COMMAND_TRY(fur_vector_create(j->context, view->value_type, view->cols, &j->x));
    COMMAND_TRY(fur_product_create(j->a.matrix, &options, &j->product));
    j->op = fur_product_operator(j->product);
    return FUR_OK;
}

fur_status job_load_matrix(job *j)
{
    const job_options *o = j->options;
    COMMAND_TRY(product_check_kernel(j->context, o->kernel));
    COMMAND_TRY(command_while(j->context, "reading", j->name,
                              load_matrix(j->context, &o->common, j->name, &j->a)));
    return job_about(j, prepare_matrix(j));
}

/* A as a stencil, and multigrid if it is used. */
static fur_status make_stencil(job *j)
{
    const job_options *o = j->options;
    fur_multigrid_options options = {.size = sizeof options};
    COMMAND_TRY(grid_create_stencil(j->context, &o->grid, o->kernel, &j->stencil));
    COMMAND_TRY(fur_operator_from_stencil(j->stencil, &j->own));
    j->op = j->own;
    COMMAND_TRY(fur_vector_create(j->context, o->grid.value, fur_operator_cols(j->op), &j->x));
    if (!job_is(o->method, "mg") && !job_is(o->precond, "mg"))
        return FUR_OK;
    return fur_multigrid_create(j->stencil, &options, &j->multigrid);
}

/* A vector of a file, in the order of the products. */
static fur_status load_of(job *j, const char *path, const char *member, int64_t size,
                          fur_vector **out)
{
    vector_request request = {
        .path = path, .member = member, .value = fur_operator_value_type(j->op), .size = size};
    fur_status status = load_vector(j->context, &j->options->common, &request, out);
    COMMAND_TRY(path ? command_while(j->context, "reading", path, status) : job_about(j, status));
    return job_about(j, product_enter(j->product, out));
}

static fur_status load_b(job *j, const char *path, const char *member)
{
    return load_of(j, path, member, fur_operator_rows(j->op), &j->b);
}

/* The right-hand side of the solution whose entries are all 1. */
static fur_status make_b(job *j)
{
    j->rhs = "A times ones";
    COMMAND_TRY(fur_vector_create(j->context, fur_operator_value_type(j->op),
                                  fur_operator_rows(j->op), &j->b));
    COMMAND_TRY(fur_vector_fill(j->x, fur_real(1.0)));
    COMMAND_TRY(fur_operator_apply(j->op, j->x, j->b));
    return fur_vector_fill(j->x, fur_real(0.0));
}

/* Only a regular file can be read a second time. */
static bool may_be_archive(const char *path)
{
    struct stat file;
    return strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           !fur_binary_detect(path);
}

/* The archives of the SuiteSparse collection may have a right-hand side beside the matrix.
 * FUR_IO_ERROR says that this one has none: the matrix has just been read from it. */
static fur_status load_from_archive(job *j, const char *path)
{
    j->rhs = "NAME_b.mtx of the archive";
    fur_status status = load_b(j, path, "b");
    if (status == FUR_IO_ERROR)
        return make_b(j);
    return status == FUR_OK ? status
                            : fur_context_fail(j->context, status,
                                               "the archive's right-hand side: %s; --b takes "
                                               "another",
                                               fur_context_error(j->context));
}

static fur_status load_right_hand_side(job *j)
{
    const char *b = j->options->b;
    if (b || j->stencil) {
        j->rhs = b ? b : "ones";
        return load_b(j, b, NULL);
    }
    return may_be_archive(j->name) ? load_from_archive(j, j->name) : make_b(j);
}

static fur_status load_first_guess(job *j)
{
    const char *x0 = j->options->x0;
    fur_vector *guess = NULL;
    if (!x0)
        return FUR_OK;
    fur_status status = load_of(j, x0, NULL, fur_operator_cols(j->op), &guess);
    if (status == FUR_OK)
        status = fur_vector_copy(guess, j->x);
    fur_vector_destroy(guess);
    return status;
}

fur_status job_load(job *j)
{
    double start = command_seconds();
    bool stencil = j->options->grid.points != 0;
    COMMAND_TRY(stencil ? job_about(j, make_stencil(j)) : job_load_matrix(j));
    j->seconds_setup = command_seconds() - start - j->a.seconds;
    COMMAND_TRY(load_right_hand_side(j));
    return load_first_guess(j);
}
