/* Blocks of vectors: the struct of the handle, and the checks of blocks in calls. */
#ifndef FURROW_CORE_VECTORS_H
#define FURROW_CORE_VECTORS_H

#include <furrow/vector.h>

#include "core.h"

struct fur_vectors {
    fur_context *context;
    fur_vectors_view view;
    bool owned;
};

/* The number of entries from the first to the last in memory, both included. */
int64_t fur_vectors_span(const fur_vectors_view *x);

/* Returns whether the block has no gaps. */
static inline bool fur_vectors_are_dense(const fur_vectors_view *x)
{
    return x->stride == (x->layout == FUR_LAYOUT_ROWS ? x->cols : x->rows) || x->rows == 0 ||
           x->cols == 0;
}

static inline int64_t fur_vectors_bytes(const fur_vectors_view *x)
{
    return fur_vectors_span(x) * (int64_t)fur_value_size(x->value_type);
}

/* Makes a block without gaps whose entries are not set. */
fur_status fur_vectors_allocate(fur_context *context, fur_value_type value, int64_t rows,
                                int64_t cols, fur_layout layout, fur_vectors **out);

/* Returns FUR_INVALID if the two blocks overlap. Error sentences use these names. */
fur_status fur_vectors_check_apart(const fur_vectors *x, const char *x_name, const fur_vectors *y,
                                   const char *y_name);

/* The view with entries for the host to work on, as from fur_memory_to_host, including the entries
 * in gaps. Then call fur_memory_from_host or fur_memory_drop for the view's data. */
fur_status fur_vectors_to_host(const fur_vectors *x, fur_vectors_view *near);

/* Runs a task where the blocks are. If Y is empty it does nothing. call: all members except env and
 * the views. x may be NULL. */
fur_status fur_vectors_run(fur_block_task task, fur_block_call call, const fur_vectors *x,
                           fur_vectors *y);

/* Column j of a column-major block as a vector, in place. */
static inline fur_vector fur_vectors_at(const fur_vectors *x, int64_t j)
{
    const fur_vectors_view *v = &x->view;
    int64_t bytes = j * v->stride * (int64_t)fur_value_size(v->value_type);
    void *data = v->data ? (char *)v->data + bytes : NULL;
    return (fur_vector){x->context, v->value_type, v->rows, data, false};
}

/* Columns first .. first + count - 1 of a block, in place. */
static inline fur_vectors fur_vectors_part(const fur_vectors *x, int64_t first, int64_t count)
{
    fur_vectors part = {x->context, x->view, false};
    int64_t bytes = first * fur_column_step(&x->view) * (int64_t)fur_value_size(x->view.value_type);
    part.view.data = x->view.data ? (char *)x->view.data + bytes : NULL;
    part.view.cols = count;
    return part;
}

/* Returns whether the blocks begin at the same entry, and have the same layout and stride. */
static inline bool fur_vectors_are_same(const fur_vectors_view *x, const fur_vectors_view *y)
{
    return x->data == y->data && x->layout == y->layout && x->stride == y->stride;
}

#endif
