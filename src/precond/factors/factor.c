/* Incomplete factors in a given pattern. */
#include "factor.h"
#include "shift.h"

#include <furrow/graph.h>

#include <math.h>
#include <string.h>

const fur_option fur_factors_table[] = {
    FUR_OPTION_RANGE(INT, fur_factor_options, fill, 1, 1, 100, "levels of fill"),
    FUR_PRECOND_SHIFT(fur_factor_options),
    FUR_OPTION_YES(fur_factor_options, modified,
                   "subtracts dropped entries from the diagonal, for fine grids"),
    FUR_OPTION_YES(fur_factor_options, coloured,
                   "factors the rows by colours of the graph, for many threads"),
    FUR_OPTION_END};

/* Returns A in the order of the factors. */
static const fur_csr *source_of(const fur_precond *p, const fur_factors *own)
{
    return own->permuted ? own->permuted : p->a;
}

/* Permutes A with its current values into the order of the colours. */
static fur_status permute(const fur_precond *p, fur_factors *own)
{
    fur_csr *fresh;
    FUR_TRY(fur_csr_permute(p->a, own->order, own->order, &fresh));
    fur_csr_destroy(own->permuted);
    own->permuted = fresh;
    return FUR_OK;
}

/* Orders rows by colours. Rows of one colour do not need each other: a solve has at most as many
 * levels as colours. */
static fur_status colour(const fur_precond *p, fur_factors *own)
{
    const fur_csr_view *a = &p->a->view;
    fur_classes *colours;
    FUR_TRY(fur_classes_from_colours(p->a, NULL, &colours));
    fur_status status = fur_classes_order(colours, &own->order);
    fur_classes_destroy(colours);
    FUR_TRY(status);
    FUR_TRY(permute(p, own));
    return fur_vector_create(p->context, a->value_type, a->rows, &own->work);
}

/* Finds whether no shift helps this row: the shift is a multiple of its diagonal. */
static fur_status is_hopeless(const fur_precond *p, const fur_factors *own, int64_t row,
                              bool *hopeless)
{
    fur_scalar d;
    FUR_TRY(fur_csr_entry(source_of(p, own), row, row, &d));
    if (own->form != FUR_FACTOR_LU)
        *hopeless = !(d.re > 0) || !isfinite(d.re);
    else
        *hopeless = (d.re == 0 && d.im == 0) || !isfinite(d.re) || !isfinite(d.im);
    return FUR_OK;
}

static fur_status fail_at(const fur_precond *p, const fur_factors *own, int64_t row, double shift)
{
    bool positive = own->form != FUR_FACTOR_LU;
    int32_t number = (int32_t)row;
    if (own->order)
        FUR_TRY(fur_memory_copy(p->context, &number, own->order->order + row, sizeof number));
    return fur_context_fail(
        p->context, FUR_INVALID,
        "the pivot of row %lld, counting from 1, is %s, with the diagonal times %g; \"%s\" needs "
        "%s: try \"jacobi\", or another order of rows",
        (long long)number + 1, positive ? "not positive" : "0 or not finite", 1 + shift,
        p->kind->info.name,
        positive ? "a matrix with a positive diagonal, better a positive definite one"
                 : "finite pivots that are not 0");
}

/* Computes the values of the factors, of A or of A with a shift: the smallest tried shift for which
 * all pivots can be used. */
static fur_status compute(fur_precond *p, fur_factors *own)
{
    fur_factor_call call = {.env = &p->context->env,
                            .a = &source_of(p, own)->view,
                            .f = &own->f->view,
                            .values = fur_csr_values(own->f),
                            .diagonal = own->diagonal,
                            .inverse = own->inverse,
                            .tasks = &own->tasks,
                            .order = own->rows,
                            .form = own->form,
                            .modified = own->modified,
                            .shift = own->shift};
    for (;;) {
        int64_t failed = p->context->backend->factor(&call);
        bool hopeless = false;
        if (failed < 0) {
            FUR_TRY((fur_status)(-1 - failed));
            break;
        }
        FUR_TRY(is_hopeless(p, own, failed, &hopeless));
        double next = fur_shift_next(call.shift);
        if (next > FUR_SHIFT_MAX || hopeless)
            return fail_at(p, own, failed, call.shift);
        call.shift = next;
    }
    p->report.shift = call.shift;
    return FUR_OK;
}

/* Plans the solves. A ~ L L^H, or A ~ L U. A modified Hermitian factorization is A ~ U^H D^-1 U,
 * which is Hermitian to the bit, where D is the diagonal of U. */
static fur_status plan_solves(fur_factors *own)
{
    const fur_csr *f = own->f;
    switch (own->form) {
    case FUR_FACTOR_CHOLESKY:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->first));
        return fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_H, FUR_DIAGONAL_STORED, NULL,
                             &own->second);
    case FUR_FACTOR_HERMITIAN:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_UPPER, FUR_OP_H, FUR_DIAGONAL_STORED, NULL, &own->first));
        FUR_TRY(fur_csr_diagonal(f, &own->between));
        break;
    default:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &own->first));
    }
    return fur_trsv_plan(f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->second);
}

static void complete_report(fur_precond *p, const fur_factors *own)
{
    const fur_trsv_report *first = fur_trsv_describe(own->first);
    const fur_trsv_report *second = fur_trsv_describe(own->second);
    double vector = (double)p->a->view.rows * (double)fur_value_size(p->a->view.value_type);
    p->report.entries = own->f->view.entries;
    p->report.bytes = (double)(first->bytes + second->bytes) + (own->between ? 3 * vector : 0) +
                      (own->order ? 4 * vector + 8 * (double)p->a->view.rows : 0);
    p->report.levels = first->levels;
    p->waits = own->first->near || own->second->near;
}

/* Refuses "fill" for other kinds than "ilu". It is in the struct of all three kinds, but only in
 * the table of "ilu". */
static fur_status check_fill(const fur_precond *p, const fur_factor_options *options)
{
    if (options->fill == 0 || p->kind->table.options == fur_factors_table)
        return FUR_OK;
    return fur_context_fail(p->context, FUR_INVALID,
                            "\"%s\" has no option fill; leave it out, or use \"ilu\"",
                            p->kind->info.name);
}

fur_status fur_factors_create(fur_precond *p, const fur_factor_options *options,
                              fur_factor_form form, fur_factors_find *find)
{
    fur_env *env = &p->context->env;
    fur_factors *own;
    FUR_TRY(check_fill(p, options));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *own, &own));
    p->state = own;
    own->form = form;
    own->modified = options->modified != 0;
    own->shift = options->shift;
    if (options->coloured)
        FUR_TRY(colour(p, own));
    FUR_TRY(find(source_of(p, own), options, &own->f));
    FUR_TRY(fur_factors_arrange(p, own));
    FUR_TRY(compute(p, own));
    FUR_TRY(plan_solves(own));
    complete_report(p, own);
    return FUR_OK;
}

fur_status fur_factors_update(fur_precond *p)
{
    fur_factors *own = p->state;
    if (own->order)
        FUR_TRY(permute(p, own));
    FUR_TRY(compute(p, own));
    fur_csr_values_changed(own->f);
    return own->between ? fur_csr_read_diagonal(own->f, own->between) : FUR_OK;
}

/* Computes z = M r in the order of the factors. z may be r. */
static fur_status solve(const fur_factors *own, const fur_vector *r, fur_vector *z)
{
    FUR_TRY(fur_trsv_apply(own->first, fur_real(1), r, z));
    if (own->between)
        FUR_TRY(fur_multiply_elementwise(own->between, z, z));
    return fur_trsv_apply(own->second, fur_real(1), z, z);
}

fur_status fur_factors_apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const fur_factors *own = p->state;
    if (!own->order)
        return solve(own, r, z);
    FUR_TRY(fur_vector_permute(own->order, r, own->work));
    FUR_TRY(solve(own, own->work, own->work));
    return fur_vector_unpermute(own->order, own->work, z);
}

void fur_factors_release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    fur_factors *own = p->state;
    if (!own)
        return;
    fur_vector_destroy(own->between);
    fur_trsv_destroy(own->second);
    fur_trsv_destroy(own->first);
    fur_env_release(env, own->tasks.done);
    fur_env_release(env, own->task);
    fur_memory_release(p->context, own->rows);
    fur_memory_release(p->context, own->inverse);
    fur_memory_release(p->context, own->diagonal);
    fur_csr_destroy(own->f);
    fur_vector_destroy(own->work);
    fur_csr_destroy(own->permuted);
    fur_permutation_destroy(own->order);
    fur_env_release(env, own);
}
