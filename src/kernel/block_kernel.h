/* Blocks of vectors for kernels, and the operations on them. */
#ifndef FURROW_KERNEL_BLOCK_KERNEL_H
#define FURROW_KERNEL_BLOCK_KERNEL_H

#include <furrow/vector.h>

#include "anywhere.h"
#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of entries from one row, or one column, to the next. */
FUR_ANYWHERE int64_t fur_row_step(const fur_vectors_view *x)
{
    return x->layout == FUR_LAYOUT_ROWS ? x->stride : 1;
}
FUR_ANYWHERE int64_t fur_column_step(const fur_vectors_view *x)
{
    return x->layout == FUR_LAYOUT_ROWS ? 1 : x->stride;
}

/* One operation on blocks of any layout and stride. Shapes and types agree. With C, the columns may
 * differ. There are rows and columns. Y shares no byte with X unless it is X. */
typedef struct fur_block_call {
    fur_env *env;
    fur_scalar alpha;
    fur_scalar beta;
    const fur_vectors_view *x; /* NULL for fill */
    const fur_vectors_view *y;
    const void *c; /* row by row, on the host, at most FUR_SMALL_MAX rows and columns; else NULL */
} fur_block_call;

typedef fur_status fur_block_operation(const fur_block_call *call);

typedef enum fur_block_task {
    FUR_BLOCK_FILL = 0, /* Y(i, j) = alpha */
    FUR_BLOCK_COPY,     /* Y = X */
    FUR_BLOCK_AXPBY,    /* Y = alpha X + beta Y */
    FUR_BLOCK_MULTIPLY  /* Y = alpha X C + beta Y */
} fur_block_task;
#define FUR_BLOCK_TASKS 4

typedef struct fur_block_kernels {
    fur_block_operation *task[FUR_BLOCK_TASKS];
} fur_block_kernels;

#ifdef __cplusplus
}
#endif
#endif
