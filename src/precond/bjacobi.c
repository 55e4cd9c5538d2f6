/* Block Jacobi: the inverses of blocks along the diagonal, as a matrix (Anzt, Dongarra, Flegar and
 * Quintana-Orti 2017). Blocks are of so many rows each, or of neighbouring rows whose entries are
 * in the same columns, as those of a node are. */
#ifndef FUR_TEMPLATE
#    include "explicit.h"

#    include "atomic.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

#    define MOST_ROWS 32
#    define BLOCK_GRAIN 256

typedef struct bjacobi {
    fur_explicit x;
    int most;         /* rows of a block */
    bool given;       /* all blocks but the last have as many */
    int64_t count;    /* of blocks */
    int64_t *begin;   /* the first row of each, and one past the last, on the host */
    int64_t singular; /* the first block without an inverse, or count */
} bjacobi;

typedef struct inversion {
    const fur_csr_view *a;
    const int64_t *begin;
    const fur_csr_view *m;
    void *values; /* of m */
    fur_shared singular;
} inversion;

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "bjacobi.c"
#    include "foreach_value.h"

/* Whether the row has its entries in the columns of the row before. */
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
    own->count = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t first = own->count > 0 ? own->begin[own->count - 1] : -1;
        bool joins = first >= 0 && i - first < own->most && (own->given || is_like_last(a, i));
        if (!joins)
            own->begin[own->count++] = i;
    }
    own->begin[own->count] = a->rows;
}

/* The pattern of M: dense blocks. */
static fur_status make_pattern(const fur_csr *a, const bjacobi *own, fur_csr **out)
{
    int64_t n = a->view.rows;
    int64_t entries = 0;
    for (int64_t b = 0; b < own->count; b++)
        entries += (own->begin[b + 1] - own->begin[b]) * (own->begin[b + 1] - own->begin[b]);
    FUR_TRY(fur_csr_allocate(a->context, n, n, entries, a->view.value_type, fur_offset_for(entries),
                             out));
    int32_t *columns = fur_csr_columns(*out);
    fur_offset_type type = (*out)->view.offset_type;
    int64_t at = 0;
    fur_offsets_set(type, fur_csr_offsets(*out), 0, 0);
    for (int64_t b = 0; b < own->count; b++)
        for (int64_t i = own->begin[b]; i < own->begin[b + 1]; i++) {
            for (int64_t j = own->begin[b]; j < own->begin[b + 1]; j++)
                columns[at++] = (int32_t)j;
            fur_offsets_set(type, fur_csr_offsets(*out), i + 1, at);
        }
    return FUR_OK;
}

/* The inverses; what is singular has any values. */
static void invert(const fur_csr *a, const void *arguments, fur_csr *m)
{
    static fur_body *const invert_blocks[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(invert_blocks);
    bjacobi *own = *(void *const *)arguments;
    inversion job = {&a->view, own->begin, &m->view, fur_csr_values(m), own->count};
    fur_parallel(&a->context->env, own->count / BLOCK_GRAIN, own->count,
                 invert_blocks[a->view.value_type], &job);
    own->singular = job.singular;
}

static fur_status make(const fur_csr *a, const void *arguments, fur_csr **out)
{
    bjacobi *own = *(void *const *)arguments;
    find_blocks(&a->view, own);
    FUR_TRY(make_pattern(a, own, out));
    invert(a, arguments, *out);
    return FUR_OK;
}

static fur_status check(const fur_precond *p)
{
    const bjacobi *own = p->state;
    if (own->singular == own->count)
        return FUR_OK;
    return fur_context_fail(p->context, FUR_INVALID,
                            "the block of rows %lld to %lld, counting from 1, is singular: "
                            "\"bjacobi\" needs its inverse",
                            (long long)own->begin[own->singular] + 1,
                            (long long)own->begin[own->singular + 1]);
}

static const fur_explicit_form form = {make, invert, check};

static fur_status create(fur_precond *p, const fur_precond_options *options)
{
    bjacobi *own;
    if (options->block < 0 || options->block > MOST_ROWS)
        return fur_context_fail(p->context, FUR_INVALID,
                                "block of \"bjacobi\" must be from 0 to %d rows, it is %lld",
                                MOST_ROWS, (long long)options->block);
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->given = options->block > 0;
    own->most = own->given ? (int)options->block : MOST_ROWS;
    FUR_TRY(
        fur_env_allocate(&p->context->env, p->a->view.rows + 1, sizeof *own->begin, &own->begin));
    return fur_explicit_make(p, &form);
}

static fur_status update(fur_precond *p)
{
    return fur_explicit_fill(p, &form);
}

static void release(fur_precond *p)
{
    bjacobi *own = p->state;
    if (!own)
        return;
    fur_explicit_release(&own->x);
    fur_env_release(&p->context->env, own->begin);
    fur_env_release(&p->context->env, own);
}

const fur_precond_kind fur_precond_bjacobi = {
    .info = {"bjacobi",
             "inverses of blocks along the diagonal, of given size or of rows with equal patterns: "
             "for several unknowns a node",
             "Anzt, Dongarra, Flegar and Quintana-Orti 2017"},
    .place = FUR_PRECOND_ANYWHERE,
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = fur_explicit_apply,
    .release = release,
};
#else

/* Brings the block of A that begins with a row in; its entries are dense at x. */
static void FN(load)(const fur_csr_view *a, int64_t first, int64_t size, VALUE *x)
{
    const VALUE *values = a->values;
    for (int64_t k = 0; k < size * size; k++)
        x[k] = V(from)((fur_scalar){0, 0});
    for (int64_t i = 0; i < size; i++) {
        int64_t end = fur_offset_at(a, first + i + 1);
        for (int64_t k = fur_csr_find(a, first + i, first); k < end; k++) {
            int64_t j = a->columns[k] - first;
            if (j >= size)
                break;
            x[i * size + j] = V(add)(x[i * size + j], values[k]);
        }
    }
}

static inline void FN(swap)(VALUE *a, VALUE *b)
{
    VALUE kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings the row with the largest entry in column p, of those from p on, to place p. */
static int64_t FN(take_pivot)(VALUE *x, int64_t size, int64_t p)
{
    int64_t best = p;
    for (int64_t i = p + 1; i < size; i++)
        if (FN(modulus)(x[i * size + p]) > FN(modulus)(x[best * size + p]))
            best = i;
    for (int64_t j = 0; j < size && best != p; j++)
        FN(swap)(x + p * size + j, x + best * size + j);
    return best;
}

/* The inverse in place, by Gauss and Jordan with partial pivoting. False if a pivot has no inverse.
 */
static bool FN(invert_block)(VALUE *x, int64_t size)
{
    int64_t from[MOST_ROWS];
    for (int64_t p = 0; p < size; p++) {
        VALUE *row = x + p * size;
        from[p] = FN(take_pivot)(x, size, p);
        VALUE inverse = row[p];
        if (FUR_JOIN(reciprocals, VALUE_NAME)(1, &inverse) >= 0)
            return false;
        row[p] = V(from)((fur_scalar){1, 0});
        for (int64_t j = 0; j < size; j++)
            row[j] = V(mul)(inverse, row[j]);
        for (int64_t i = 0; i < size; i++) {
            VALUE minus = V(neg)(x[i * size + p]);
            if (i == p)
                continue;
            x[i * size + p] = V(from)((fur_scalar){0, 0});
            for (int64_t j = 0; j < size; j++)
                x[i * size + j] = V(fma)(minus, row[j], x[i * size + j]);
        }
    }
    for (int64_t p = size - 1; p >= 0; p--)
        for (int64_t i = 0; i < size && from[p] != p; i++)
            FN(swap)(x + i * size + p, x + i * size + from[p]);
    return true;
}

static void FN(invert_blocks)(void *job, int64_t begin, int64_t end)
{
    inversion *v = job;
    for (int64_t b = begin; b < end; b++) {
        int64_t first = v->begin[b];
        int64_t size = v->begin[b + 1] - first;
        VALUE *x = (VALUE *)v->values + fur_offset_at(v->m, first);
        FN(load)(v->a, first, size, x);
        if (!FN(invert_block)(x, size))
            fur_shared_least(&v->singular, b);
    }
}

#endif
