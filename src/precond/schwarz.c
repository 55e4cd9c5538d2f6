/* Additive Schwarz: incomplete factors of blocks of consecutive rows, with or without overlap. Each
 * row takes the result of its own block alone (restricted: Cai and Sarkis 1999). Or the results of
 * all blocks are added, which is Hermitian (Dryja and Widlund 1987). The blocks are one matrix,
 * which has one preconditioner. */
#include "expansion.h"
#include "precond.h"
#include "shift.h"
#include "split.h"

#include <furrow/spmv.h>

typedef struct schwarz {
    fur_expansion x;
    int32_t *from; /* rows of A in the blocks, in the context's memory; x->numbers is on the host */
    fur_csr *e;    /* the blocks */
    fur_precond *inner;
    fur_csr *ones; /* from the blocks to A */
    fur_spmv *join;
    fur_vector *near; /* in the rows of the blocks, as the next */
    fur_vector *solved;
} schwarz;

/* Copies the rows of the blocks to the context's memory. */
static fur_status hand_over(fur_context *context, schwarz *own)
{
    int64_t size = own->e->view.rows;
    own->from = own->x.numbers;
    if (!fur_is_remote(context))
        return FUR_OK;
    own->from = NULL;
    FUR_TRY(fur_memory_allocate(context, size, sizeof *own->from, &own->from));
    return fur_memory_copy(context, own->from, own->x.numbers, size * (int64_t)sizeof *own->from);
}

/* Adds to the sentence of the inner preconditioner, which knows the blocks alone. */
static fur_status about_blocks(const fur_precond *p, fur_status status)
{
    char sentence[sizeof p->context->env.error];
    if (status != FUR_INVALID)
        return status;
    memcpy(sentence, p->context->env.error, sizeof sentence);
    return fur_context_fail(
        p->context, status,
        "in the matrix of all blocks of \"schwarz\", in order and with overlap: %.800s", sentence);
}

static fur_status make_inner(fur_precond *p, const fur_schwarz_options *o, schwarz *own)
{
    const fur_factor_options factors = {
        .size = sizeof factors, .shift = o->shift, .modified = o->modified};
    const fur_precond_options inner = {
        .size = sizeof inner, .kind = o->symmetric ? "ic0" : "ilu0", .factors = &factors};
    return about_blocks(p, fur_precond_create(own->e, &inner, &own->inner));
}

static fur_status make_vectors(fur_precond *p, schwarz *own)
{
    fur_value_type value = p->a->view.value_type;
    FUR_TRY(fur_vector_create(p->context, value, own->e->view.rows, &own->near));
    return fur_vector_create(p->context, value, own->e->view.rows, &own->solved);
}

static void complete_report(fur_precond *p, const schwarz *own)
{
    const fur_precond_report *inner = fur_precond_describe(own->inner);
    double size = (double)own->e->view.rows;
    double value = (double)fur_value_size(p->a->view.value_type);
    p->report.symmetric = inner->symmetric;
    p->report.entries = inner->entries;
    p->report.levels = inner->levels;
    p->report.shift = inner->shift;
    p->report.bytes =
        inner->bytes + (double)fur_spmv_describe(own->join)->bytes + size * (4 + 2 * value);
    p->waits = own->inner->waits;
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_schwarz_options *o = options;
    fur_csr_algorithm *join = o->symmetric ? fur_expansion_add_up : fur_expansion_pick;
    schwarz *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->x.block = fur_smaller(o->block, fur_larger(p->a->view.rows, 1));
    own->x.overlaps = !o->no_overlap;
    const fur_expansion *x = &own->x;
    FUR_TRY(fur_csr_on_host(p->a, fur_expansion_make, &x, &own->e));
    FUR_TRY(hand_over(p->context, own));
    FUR_TRY(fur_csr_on_host(p->a, join, &x, &own->ones));
    FUR_TRY(make_inner(p, o, own));
    FUR_TRY(fur_spmv_plan(own->ones, NULL, &own->join));
    FUR_TRY(make_vectors(p, own));
    complete_report(p, own);
    return FUR_OK;
}

static fur_status update(fur_precond *p)
{
    schwarz *own = p->state;
    const fur_expansion *x = &own->x;
    FUR_TRY(fur_csr_fill_on_host(p->a, fur_expansion_fill, &x, own->e));
    fur_csr_values_changed(own->e);
    FUR_TRY(about_blocks(p, fur_precond_update(own->inner)));
    p->report.shift = fur_precond_describe(own->inner)->shift;
    return FUR_OK;
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const schwarz *own = p->state;
    FUR_TRY(fur_vector_gather(r, own->from, own->near));
    FUR_TRY(fur_precond_apply(own->inner, own->near, own->solved));
    return fur_spmv_apply(own->join, fur_real(1), own->solved, fur_real(0), z);
}

static void release(fur_precond *p)
{
    schwarz *own = p->state;
    if (!own)
        return;
    fur_vector_destroy(own->solved);
    fur_vector_destroy(own->near);
    fur_spmv_destroy(own->join);
    fur_precond_destroy(own->inner);
    fur_csr_destroy(own->ones);
    fur_csr_destroy(own->e);
    if (fur_is_remote(p->context))
        fur_memory_release(p->context, own->from);
    fur_expansion_release(&p->context->env, &own->x);
    fur_env_release(&p->context->env, own);
}

static const fur_option table[] = {
    FUR_OPTION_RANGE(LONG, fur_schwarz_options, block, 1024, 1, HUGE_VAL,
                     "consecutive rows of a block"),
    FUR_OPTION_YES(fur_schwarz_options, no_overlap, "removes the overlap between blocks"),
    FUR_OPTION_YES(fur_schwarz_options, symmetric,
                   "uses factors of ic0 and adds the results of all blocks, for cg and minres"),
    FUR_PRECOND_SHIFT(fur_schwarz_options),
    FUR_OPTION_YES(fur_schwarz_options, modified, "subtracts dropped entries from the diagonal"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_schwarz = {
    .info = {"schwarz",
             "incomplete factors of blocks of rows, with or without overlap: all blocks are solved "
             "at once",
             "Dryja and Widlund 1987; Cai and Sarkis 1999"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(table, fur_schwarz_options, schwarz),
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
