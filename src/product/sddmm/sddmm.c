/* Products of two blocks of vectors at the entries of a matrix: the checks and the product. It runs
 * on the context's device. If the device has no kernel, it runs on copies in the companion. */
#include <furrow/spmm.h>

#include "blocks.h"

static fur_status check(const fur_vectors *x, const fur_vectors *y, const fur_csr *a)
{
    FUR_TRY(fur_spmm_check_block(a->context, &a->view, "X", x, a->view.rows));
    FUR_TRY(fur_spmm_check_block(a->context, &a->view, "Y", y, a->view.cols));
    if (x->view.cols != y->view.cols)
        return fur_context_fail(a->context, FUR_INVALID, "X has %lld columns, but Y has %lld",
                                (long long)x->view.cols, (long long)y->view.cols);
    return FUR_OK;
}

/* A product, as the arguments of a rewriter. */
typedef struct sampling {
    fur_sddmm *kernel;
    fur_scalar alpha;
    fur_scalar beta;
    fur_vectors_view x;
    fur_vectors_view y;
} sampling;

static fur_status rewrite(fur_env *env, const fur_csr_view *a, const void *arguments, void *values)
{
    const sampling *s = arguments;
    const fur_sddmm_call call = {env, a, s->alpha, s->beta, &s->x, &s->y, values};
    return a->entries > 0 ? s->kernel(&call) : FUR_OK;
}

/* Uses the companion's kernel on copies. */
static fur_status apply_there(sampling s, const fur_vectors *x, const fur_vectors *y, fur_csr *a)
{
    fur_context *context = a->context;
    s.kernel = context->host->backend->sddmm;
    FUR_TRY(fur_vectors_to_host(x, &s.x));
    fur_status status = fur_vectors_to_host(y, &s.y);
    if (status == FUR_OK) {
        status = fur_csr_rewrite_values(a, rewrite, &s);
        fur_memory_drop(context, y->view.data, s.y.data);
    }
    fur_memory_drop(context, x->view.data, s.x.data);
    return status;
}

/* *rows = the block if it is row-major, else a row-major copy, which *copy then is. */
static fur_status take_rows(const fur_vectors *x, const fur_vectors **rows, fur_vectors **copy)
{
    const fur_vectors_view *v = &x->view;
    *rows = x;
    if (v->layout == FUR_LAYOUT_ROWS)
        return FUR_OK;
    FUR_TRY(
        fur_vectors_allocate(x->context, v->value_type, v->rows, v->cols, FUR_LAYOUT_ROWS, copy));
    *rows = *copy;
    return fur_vectors_copy(x, *copy);
}

static fur_status apply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                        fur_scalar beta, fur_csr *a)
{
    fur_vectors *x_copy = NULL;
    fur_vectors *y_copy = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(take_rows(x, &x, &x_copy));
    FUR_TRY_DONE(take_rows(y, &y, &y_copy));
    const sampling s = {a->context->backend->sddmm, alpha, beta, x->view, y->view};
    status = s.kernel ? fur_csr_rewrite_in_place(a, rewrite, &s) : apply_there(s, x, y, a);
done:
    fur_vectors_destroy(y_copy);
    fur_vectors_destroy(x_copy);
    return status;
}

fur_status fur_sddmm_apply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                           fur_scalar beta, fur_csr *a)
{
    FUR_NEED(fur_csr_context(a), x, y, a);
    FUR_TRY(check(x, y, a));
    return apply(alpha, x, y, beta, a);
}

fur_status fur_sddmm_multiply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                              fur_scalar beta, const fur_csr *a, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), x, y, a, out);
    FUR_TRY(check(x, y, a));
    fur_csr *c;
    FUR_TRY(fur_csr_transfer(a, a->context, &c));
    fur_status status = apply(alpha, x, y, beta, c);
    if (status == FUR_OK)
        *out = c;
    else
        fur_csr_destroy(c);
    return status;
}
