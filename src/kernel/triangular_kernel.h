/* The interface between triangular solves and their kernels. */
#ifndef FURROW_KERNEL_TRIANGULAR_KERNEL_H
#define FURROW_KERNEL_TRIANGULAR_KERNEL_H

#include <furrow/base.h>

#include "env.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most right-hand sides that are solved together. */
#define FUR_TRSV_MANY 8

/* A triangle in the order in which it is solved. A place is a row in this order. The entries of a
 * place off the diagonal begin with the farthest from the diagonal and end with the nearest. */
typedef struct fur_triangle_view {
    int64_t rows;
    fur_value_type value_type;
    fur_offset_type offset_type;
    const void *offsets; /* rows + 1 */
    const int32_t *columns;
    const void *values;
    const void *divisors; /* diagonal by places, reciprocals if complex; NULL: ones */
    const int32_t *order; /* the row at each place; NULL: rows rise, or fall */
    bool falls;
} fur_triangle_view;

static inline int64_t fur_triangle_row(const fur_triangle_view *t, int64_t place)
{
    return t->order ? t->order[place] : t->falls ? t->rows - 1 - place : place;
}

/* How threads share the rows: see src/kernel/trsv_tasks.h. */
typedef struct fur_trsv_tasks fur_trsv_tasks;

/* x_k = op(T)^-1 alpha b_k for up to FUR_TRSV_MANY right-hand sides. */
typedef struct fur_trsv_call {
    fur_env *env;
    const fur_triangle_view *t;
    fur_trsv_tasks *tasks;
    fur_scalar alpha;
    int count;
    void *work; /* if count > 1: rows x FUR_TRSV_MANY values, row-major */
    const void *b[FUR_TRSV_MANY];
    void *x[FUR_TRSV_MANY];
} fur_trsv_call;

typedef void fur_trsv_solve(const fur_trsv_call *call);

/* The most entries of a row that a device solves with. The companion solves with longer rows. */
#define FUR_TRSV_LONGEST (32 * FUR_ROW_SEGMENT)

/* The triangle that a device solves with, and the figures that its plan has found in the
 * pattern. */
typedef struct fur_trsv_form {
    bool upper; /* the triangle right of the diagonal; else left */
    bool unit;  /* ones for the diagonal */
    bool many;  /* several right-hand sides at once */
} fur_trsv_form;

typedef struct fur_trsv_figures {
    int64_t entries; /* off the diagonal */
    int64_t levels;
    int64_t missing; /* the first row without an entry on the diagonal, or -1 */
} fur_trsv_figures;

#ifdef __cplusplus
}
#endif
#endif
