/* The rigid body modes of points, the near-nullspace of elasticity. */
#include <furrow/precond.h>

#include "core.h"
#include "value_type.h"
#include "vectors.h"

/* Returns the entry of a mode in a row of the point with coordinates x. */
static double mode_entry(int dims, const double *x, int row, int mode)
{
    if (mode < dims)
        return row == mode;
    if (dims == 2)
        return row == 0 ? -x[1] : x[0];
    int axis = mode - dims; /* axis of the rotation: axis x (row, column) */
    if (row == (axis + 1) % 3)
        return -x[(axis + 2) % 3];
    return row == (axis + 2) % 3 ? x[(axis + 1) % 3] : 0;
}

static double coordinate(const fur_vectors_view *v, int64_t point, int axis)
{
    int64_t at = v->layout == FUR_LAYOUT_ROWS ? point * v->stride + axis : point + axis * v->stride;
    return fur_value_part(v->value_type, v->data, at);
}

static void fill(const fur_vectors_view *v, int dims, fur_vectors_view *modes)
{
    double mean[3] = {0, 0, 0};
    double x[3] = {0, 0, 0};
    int64_t at = 0;
    for (int axis = 0; axis < dims; axis++) {
        for (int64_t i = 0; i < v->rows; i++)
            mean[axis] += coordinate(v, i, axis);
        mean[axis] /= (double)v->rows;
    }
    for (int64_t i = 0; i < v->rows; i++) {
        for (int axis = 0; axis < dims; axis++)
            x[axis] = coordinate(v, i, axis) - mean[axis];
        for (int row = 0; row < dims; row++)
            for (int mode = 0; mode < modes->cols; mode++, at++) {
                double entry = mode_entry(dims, x, row, mode);
                if (fur_value_is_single(v->value_type))
                    ((float *)modes->data)[at] = (float)entry;
                else
                    ((double *)modes->data)[at] = entry;
            }
    }
}

fur_status fur_amg_rigid_modes(const fur_vectors *points, fur_vectors **out)
{
    FUR_NEED(fur_vectors_context(points), points, out);
    fur_context *context = fur_vectors_context(points);
    const fur_vectors_view *v = fur_vectors_get(points);
    const int dims = (int)v->cols;
    fur_vectors *modes;
    if (fur_is_remote(context))
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "rigid body modes are computed on the CPU only; use fur_context_host");
    if ((v->cols != 2 && v->cols != 3) || fur_value_is_complex(v->value_type))
        return fur_context_fail(
            context, FUR_INVALID,
            "rigid body modes need points with 2 or 3 real coordinates; these have %lld of type %s",
            (long long)v->cols, fur_value_name(v->value_type));
    FUR_TRY(fur_vectors_create(context, v->value_type, v->rows * dims, dims == 2 ? 3 : 6,
                               FUR_LAYOUT_ROWS, &modes));
    if (v->rows > 0)
        fill(v, dims, &modes->view);
    *out = modes;
    return FUR_OK;
}
