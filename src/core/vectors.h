/* Blocks of vectors: the struct behind the handle, and checks of those that a call is given. */
#ifndef FURROW_CORE_VECTORS_H
#define FURROW_CORE_VECTORS_H

#include <furrow/vectors.h>

#include "core.h"

struct fur_vectors {
    fur_context *context;
    fur_vectors_view view;
    bool owned;
};

/* Entries between the first and the last in memory, both included. */
int64_t fur_vectors_span(const fur_vectors_view *x);

/* Whether there are no gaps. */
static inline bool fur_vectors_are_dense(const fur_vectors_view *x)
{
    return x->stride == (x->layout == FUR_LAYOUT_ROWS ? x->cols : x->rows) || x->rows == 0 ||
           x->cols == 0;
}

static inline int64_t fur_vectors_bytes(const fur_vectors_view *x)
{
    return fur_vectors_span(x) * (int64_t)fur_value_size(x->value_type);
}

/* A block without gaps whose entries are not set yet. */
fur_status fur_vectors_allocate(fur_context *context, fur_value_type value, int64_t rows,
                                int64_t cols, fur_layout layout, fur_vectors **out);

/* FUR_INVALID if the blocks of these names have a byte in common. */
fur_status fur_vectors_check_apart(const fur_vectors *x, const char *x_name, const fur_vectors *y,
                                   const char *y_name);

/* The view with its entries for the host to work on, as fur_memory_to_host; also the entries in
 * gaps. Then fur_memory_from_host or fur_memory_drop of the view's data. */
fur_status fur_vectors_to_host(const fur_vectors *x, fur_vectors_view *near);

/* Runs a task where the blocks lie; nothing if Y is empty. call: all but env and views. x NULL:
 * there is none. */
fur_status fur_vectors_run(fur_block_task task, fur_block_call call, const fur_vectors *x,
                           fur_vectors *y);

/* Column j of a block in columns as a vector, in place. */
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

/* Whether the blocks begin at the same entry and have the same order. */
static inline bool fur_vectors_are_same(const fur_vectors_view *x, const fur_vectors_view *y)
{
    return x->data == y->data && x->layout == y->layout && x->stride == y->stride;
}

#endif
