/* Blocks of vectors in any layout, with and without gaps. */
#include "placed_block.h"

placed_block block_place(fur_context *context, fur_value_type value, int64_t rows, int64_t cols,
                         fur_layout layout, bool gaps, const void *entries)
{
    placed_block p = {NULL, NULL};
    fur_context *host = fur_context_host(context);
    fur_vectors_view view = {.size = sizeof view,
                             .rows = rows,
                             .cols = cols,
                             .value_type = value,
                             .data = (void *)(uintptr_t)entries};
    fur_vectors *from = NULL;
    fur_vectors *inner = NULL;
    ck_ok(context,
          fur_vectors_create(context, value, rows + 2 * gaps, cols + 3 * gaps, layout, &p.memory));
    ck_ok(context, fur_vectors_columns(p.memory, gaps, cols, &inner));
    ck_ok(context, fur_vectors_rows(inner, gaps, rows, &p.block));
    fur_vectors_destroy(inner);
    ck_ok(host, fur_vectors_wrap(host, &view, FUR_OWNERSHIP_BORROW, &from));
    ck_ok(host, fur_vectors_copy(from, p.block));
    fur_vectors_destroy(from);
    return p;
}

void block_remove(placed_block *p)
{
    fur_vectors_destroy(p->block);
    fur_vectors_destroy(p->memory);
}

void *block_take_back(placed_block *p)
{
    const fur_vectors_view *v = fur_vectors_get(p->block);
    fur_context *host = fur_context_host(fur_vectors_context(p->block));
    void *entries = entries_make(v->value_type, v->rows * v->cols);
    fur_vectors_view view = *v;
    fur_vectors *to = NULL;
    view.layout = FUR_LAYOUT_ROWS;
    view.stride = 0;
    view.data = entries;
    ck_ok(host, fur_vectors_wrap(host, &view, FUR_OWNERSHIP_BORROW, &to));
    ck_ok(fur_vectors_context(p->block), fur_vectors_copy(p->block, to));
    fur_vectors_destroy(to);
    block_remove(p);
    return entries;
}

fur_vectors *block_make(fur_context *context, fur_value_type value, int64_t rows, int64_t cols)
{
    fur_vectors *x = NULL;
    ck_ok(context, fur_vectors_create(context, value, rows, cols, FUR_LAYOUT_ROWS, &x));
    return x;
}
