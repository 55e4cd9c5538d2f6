/* The inverse of the coarsest matrix, by Gauss and Jordan's method with diagonal pivots, in double
 * precision. The matrix is first scaled to ones on its diagonal. A pivot that may be only rounding
 * belongs to a singular matrix, such as the matrix of a Neumann problem. Its unknown becomes 0, and
 * the others are solved for. Complex numbers are pairs of real numbers. */
#include "hierarchy.h"
#include "value_type.h"

#include <math.h>

fur_status fur_amg_plan_dense(fur_amg *amg, const fur_csr *a)
{
    fur_amg_dense *dense = &amg->dense;
    dense->order = a->view.rows * fur_value_parts(a->view.value_type);
    FUR_TRY(fur_memory_allocate(amg->context, dense->order * dense->order, sizeof(double),
                                &dense->inverse));
    return fur_is_remote(amg->context)
               ? FUR_OK
               : fur_env_allocate(&amg->context->env, dense->order, sizeof(double), &dense->x);
}

/* Unpacks the matrix by rows. An entry re + i im is [re, -im; im, re]. */
static void unpack(const fur_csr_view *a, const fur_amg_dense *dense)
{
    const int64_t n = dense->order;
    const int parts = fur_value_parts(a->value_type);
    for (int64_t i = 0; i < n * n; i++)
        dense->inverse[i] = 0;
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t k = fur_offset_at(a, row); k < fur_offset_at(a, row + 1); k++) {
            double *at = dense->inverse + row * parts * n + (int64_t)a->columns[k] * parts;
            double re = fur_value_part(a->value_type, a->values, k * parts);
            at[0] += re;
            if (parts == 1)
                continue;
            double im = fur_value_part(a->value_type, a->values, k * parts + 1);
            at[1] -= im;
            at[n] += im;
            at[n + 1] += re;
        }
}

/* g(i, j) := s_i g(i, j) s_j */
static void scale(int64_t n, const double *s, double *g)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            g[i * n + j] *= s[i] * s[j];
}

/* Sets row and column k to 0: the unknown is left out. */
static void leave_out(int64_t n, int64_t k, double *g)
{
    for (int64_t i = 0; i < n; i++)
        g[i * n + k] = g[k * n + i] = 0;
}

static void eliminate(int64_t n, int64_t k, double *g)
{
    double *row = g + k * n;
    double pivot = 1 / row[k];
    for (int64_t j = 0; j < n; j++)
        row[j] *= pivot;
    row[k] = pivot;
    for (int64_t i = 0; i < n; i++) {
        double *other = g + i * n;
        double factor = other[k];
        if (i == k || factor == 0)
            continue;
        for (int64_t j = 0; j < n; j++)
            other[j] -= factor * row[j];
        other[k] = -factor * pivot;
    }
}

static void transpose(int64_t n, double *g)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double kept = g[i * n + j];
            g[i * n + j] = g[j * n + i];
            g[j * n + i] = kept;
        }
}

static void invert_here(const fur_csr *a, fur_amg_dense *dense)
{
    const int64_t n = dense->order;
    const double least = fur_amg_least_pivot(n, fur_value_is_single(a->view.value_type));
    double *g = dense->inverse;
    double *s = dense->x;
    unpack(&a->view, dense);
    for (int64_t i = 0; i < n; i++)
        s[i] = g[i * n + i] != 0 ? 1 / sqrt(fabs(g[i * n + i])) : 0;
    scale(n, s, g);
    for (int64_t k = 0; k < n; k++) {
        if (fabs(g[k * n + k]) > least)
            eliminate(n, k, g);
        else
            leave_out(n, k, g);
    }
    scale(n, s, g);
    transpose(n, g);
}

fur_status fur_amg_invert(const fur_csr *a, fur_amg_dense *dense)
{
    fur_context *context = a->context;
    if (fur_is_remote(context))
        return fur_amg_device(context)->invert(&context->env, &a->view, dense->order,
                                               dense->inverse);
    invert_here(a, dense);
    return FUR_OK;
}

/* x = G b, column by column. */
static void apply_here(const fur_amg_dense *dense, const fur_vector *b, fur_vector *x)
{
    const int64_t n = dense->order;
    for (int64_t i = 0; i < n; i++)
        dense->x[i] = 0;
    for (int64_t j = 0; j < n; j++) {
        const double *column = dense->inverse + j * n;
        double factor = fur_value_part(b->value_type, b->data, j);
        for (int64_t i = 0; i < n; i++)
            dense->x[i] += column[i] * factor;
    }
    for (int64_t i = 0; i < n; i++) {
        if (fur_value_is_single(x->value_type))
            ((float *)x->data)[i] = (float)dense->x[i];
        else
            ((double *)x->data)[i] = dense->x[i];
    }
}

fur_status fur_amg_apply_dense(const fur_amg_dense *dense, const fur_vector *b, fur_vector *x)
{
    fur_context *context = b->context;
    if (fur_is_remote(context))
        return fur_amg_device(context)->apply_dense(&context->env, dense->order, dense->inverse,
                                                    fur_value_is_single(b->value_type), b->data,
                                                    x->data);
    apply_here(dense, b, x);
    return FUR_OK;
}
