/* Block Jacobi: the inverses of blocks along the diagonal (Anzt, Dongarra, Flegar and Quintana-Orti
 * 2017). With `adaptive` each is in the precision that its condition needs (2019). Blocks have a
 * given number of rows, or are neighbouring rows whose entries are in the same columns, as the rows
 * of a node are. If all blocks have one row, M is a scaling, as Jacobi's is. */
#include "inverses.h"
#include "precond.h"

#include <string.h>

typedef struct bjacobi {
    int most;   /* rows of a block */
    bool given; /* all blocks but the last have `most` rows */
    fur_inverses v;
    void *packed; /* the inverses in their precisions, on the host; NULL: v has them */
    fur_scaling
        scaling; /* if all blocks have one row, in full precision; otherwise without a vector */
    /* Arrays for the kernels of a device; otherwise NULL. */
    void *far_entries;
    fur_dense_block *far_blocks;
    int32_t *far_block_of;
} bjacobi;

/* Returns true if the row has entries in the same columns as the row before. */
static bool is_like_last(const fur_csr_view *a, int64_t i)
{
    int64_t last = fur_offset_at(a, i - 1);
    int64_t begin = fur_offset_at(a, i);
    int64_t length = fur_offset_at(a, i + 1) - begin;
    return begin - last == length && length > 0 &&
           memcmp(a->columns + last, a->columns + begin, (size_t)length * sizeof *a->columns) == 0;
}

static void find_blocks(const fur_csr_view *a, bjacobi *own)
{
    fur_inverses *v = &own->v;
    v->count = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t first = v->count > 0 ? v->begin[v->count - 1] : -1;
        bool joins = first >= 0 && i - first < own->most && (own->given || is_like_last(a, i));
        if (!joins)
            v->begin[v->count++] = i;
    }
    v->begin[v->count] = a->rows;
}

/* Sets the data that depend on the bounds of the blocks. */
static fur_status describe_blocks(fur_env *env, fur_inverses *v, fur_value_type type)
{
    FUR_TRY(fur_env_allocate(env, v->count + 1, sizeof *v->squares, &v->squares));
    FUR_TRY(fur_env_allocate_zeros(env, v->count, sizeof *v->blocks, &v->blocks));
    v->squares[0] = 0;
    for (int64_t b = 0; b < v->count; b++) {
        int64_t size = v->begin[b + 1] - v->begin[b];
        v->squares[b + 1] = v->squares[b] + size * size;
        v->blocks[b].first = (int32_t)v->begin[b];
        v->blocks[b].rows = (int8_t)size;
    }
    return fur_env_allocate(env, v->squares[v->count], fur_value_size(type), &v->values);
}

/* Allocates the arrays on a device, with the block of each row. */
static fur_status make_far(fur_precond *p, bjacobi *own)
{
    const fur_inverses *v = &own->v;
    const fur_csr_view *a = &p->a->view;
    int32_t *block_of;
    FUR_TRY(fur_memory_allocate(p->context, v->squares[v->count], fur_value_size(a->value_type),
                                &own->far_entries));
    FUR_TRY(fur_memory_allocate(p->context, v->count, sizeof *own->far_blocks, &own->far_blocks));
    FUR_TRY(fur_memory_allocate(p->context, a->rows, sizeof *block_of, &own->far_block_of));
    FUR_TRY(fur_env_allocate(&p->context->env, a->rows, sizeof *block_of, &block_of));
    for (int64_t b = 0; b < v->count; b++)
        for (int64_t i = v->begin[b]; i < v->begin[b + 1]; i++)
            block_of[i] = (int32_t)b;
    fur_status status = fur_memory_copy(p->context, own->far_block_of, block_of,
                                        a->rows * (int64_t)sizeof *block_of);
    fur_env_release(&p->context->env, block_of);
    return status;
}

/* Allocates the inverses of single rows. */
static fur_status make_scaling(fur_precond *p, bjacobi *own)
{
    const fur_csr_view *a = &p->a->view;
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->scaling.d));
    p->scaling = &own->scaling;
    return FUR_OK;
}

/* Sets the data that depend on the pattern of A, which the host can read. */
static fur_status make(fur_precond *p, const fur_csr *near, bjacobi *own)
{
    fur_env *env = &p->context->env;
    fur_value_type type = near->view.value_type;
    FUR_TRY(fur_env_allocate(env, near->view.rows + 1, sizeof *own->v.begin, &own->v.begin));
    find_blocks(&near->view, own);
    FUR_TRY(describe_blocks(env, &own->v, type));
    if (own->v.count == near->view.rows && !own->v.adaptive)
        return make_scaling(p, own);
    if (own->v.adaptive)
        FUR_TRY(fur_env_allocate(env, own->v.squares[own->v.count], fur_value_size(type),
                                 &own->packed));
    return fur_is_remote(p->context) ? make_far(p, own) : FUR_OK;
}

static fur_status check(const fur_precond *p, const fur_inverses *v)
{
    if (v->singular == v->count)
        return FUR_OK;
    return fur_context_fail(p->context, FUR_INVALID,
                            "the block of rows %lld to %lld, counting from 1, is singular, but "
                            "\"bjacobi\" needs its inverse; try another size of blocks",
                            (long long)v->begin[v->singular] + 1,
                            (long long)v->begin[v->singular + 1]);
}

/* Computes the inverses and their precisions. The inverse of a singular block is undefined. */
static void invert(const fur_csr *near, fur_inverses *v)
{
    fur_invert_call call = {.env = &near->context->env,
                            .a = &near->view,
                            .adaptive = v->adaptive,
                            .count = v->count,
                            .begin = v->begin,
                            .squares = v->squares,
                            .values = v->values,
                            .blocks = v->blocks};
    v->singular = near->context->backend->invert_blocks(&call);
}

/* Copies the inverses to the context's memory. */
static fur_status hand_over(const fur_precond *p, const bjacobi *own, int64_t bytes)
{
    const fur_inverses *v = &own->v;
    if (own->scaling.d)
        return fur_memory_copy(p->context, own->scaling.d->data, v->values, bytes);
    if (!own->far_blocks)
        return FUR_OK;
    FUR_TRY(fur_memory_copy(p->context, own->far_blocks, v->blocks,
                            v->count * (int64_t)sizeof *v->blocks));
    return fur_memory_copy(p->context, own->far_entries, own->packed ? own->packed : v->values,
                           bytes);
}

/* Computes the inverses of A, which the host can read. */
static fur_status compute(fur_precond *p, const fur_csr *near, bjacobi *own)
{
    const fur_csr_view *a = &p->a->view;
    fur_inverses *v = &own->v;
    invert(near, v);
    FUR_TRY(check(p, v));
    int64_t bytes = fur_inverses_place(a->value_type, v);
    if (own->packed)
        fur_inverses_pack(&near->context->env, a->value_type, v, own->packed);
    double described = own->scaling.d ? 0 : (double)v->count * (double)sizeof *v->blocks;
    p->report.bytes = (double)bytes + described +
                      2 * (double)a->rows * (double)fur_value_size(a->value_type) +
                      (own->far_blocks ? (double)a->rows * (double)sizeof *own->far_block_of : 0);
    return hand_over(p, own, bytes);
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_bjacobi_options *o = options;
    const fur_csr *near;
    fur_csr *copy;
    bjacobi *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->given = o->block > 0;
    own->most = own->given ? (int)o->block : FUR_DENSE_BLOCK_MAX;
    own->v.adaptive = o->adaptive != 0;
    FUR_TRY(fur_csr_to_host(p->a, &near, &copy));
    fur_status status = make(p, near, own);
    if (status == FUR_OK)
        status = compute(p, near, own);
    fur_csr_destroy(copy);
    if (status == FUR_OK)
        p->report.entries = own->v.squares[own->v.count];
    return status;
}

static fur_status update(fur_precond *p)
{
    const fur_csr *near;
    fur_csr *copy;
    FUR_TRY(fur_csr_to_host(p->a, &near, &copy));
    fur_status status = compute(p, near, p->state);
    fur_csr_destroy(copy);
    return status;
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const bjacobi *own = p->state;
    const fur_inverses *v = &own->v;
    if (own->scaling.d)
        return fur_multiply_elementwise(own->scaling.d, r, z);
    fur_dense_blocks m = {.value_type = p->a->view.value_type,
                          .rows = p->a->view.rows,
                          .count = v->count,
                          .blocks = own->far_blocks ? own->far_blocks : v->blocks,
                          .entries = own->far_entries ? own->far_entries
                                     : own->packed    ? own->packed
                                                      : v->values,
                          .block_of = own->far_block_of};
    return p->context->backend->dense_blocks(&p->context->env, &m, r->data, z->data);
}

static void release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    bjacobi *own = p->state;
    if (!own)
        return;
    if (fur_is_remote(p->context)) {
        fur_memory_release(p->context, own->far_block_of);
        fur_memory_release(p->context, own->far_blocks);
        fur_memory_release(p->context, own->far_entries);
    }
    fur_vector_destroy(own->scaling.d);
    fur_env_release(env, own->packed);
    fur_env_release(env, own->v.values);
    fur_env_release(env, own->v.blocks);
    fur_env_release(env, own->v.squares);
    fur_env_release(env, own->v.begin);
    fur_env_release(env, own);
}

static const fur_option table[] = {
    FUR_OPTION_RANGE(LONG, fur_bjacobi_options, block, 0, 1, FUR_DENSE_BLOCK_MAX,
                     "rows of a block; if 0, neighbouring rows of equal pattern"),
    FUR_OPTION_YES(
        fur_bjacobi_options, adaptive,
        "stores inverses in half or single precision if their condition numbers allow it"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_bjacobi = {
    .info = {"bjacobi",
             "inverses of diagonal blocks, of a given size or of rows with equal patterns; for "
             "several unknowns per node",
             "Anzt, Dongarra, Flegar and Quintana-Orti 2017, 2019"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(table, fur_bjacobi_options, bjacobi),
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
