/* Algebraic multigrid by smoothed aggregation (furrow/precond.h) as a preconditioner: one cycle. */
#include "precond.h"

#include "hierarchy.h"

static void describe(fur_precond *p)
{
    const fur_amg_report *report = fur_amg_describe(p->state);
    const fur_amg_level *level;
    p->report.symmetric = !((const fur_amg *)p->state)->options.nonsymmetric;
    p->report.levels = report->levels;
    p->report.bytes = report->bytes_cycle;
    p->report.entries = 0;
    for (int i = 0; (level = fur_amg_level_at(p->state, i)); i++) {
        p->report.entries += i > 0 ? fur_csr_get(level->a)->entries : 0;
        p->report.entries += level->p ? fur_csr_get(level->p)->entries : 0;
    }
}

static fur_status create(fur_precond *p, const void *options)
{
    fur_amg *amg;
    FUR_TRY(fur_amg_create(p->a, options, &amg));
    p->state = amg;
    describe(p);
    return FUR_OK;
}

/* The hierarchy has already used A's new values. If it refuses to be used, this preconditioner
 * does, too. */
static fur_status update(fur_precond *p)
{
    const fur_amg *amg = p->state;
    return fur_dependent_check(&p->context->env, &amg->dependent);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    return fur_amg_apply(p->state, r, z);
}

static void release(fur_precond *p)
{
    fur_amg_destroy(p->state);
}

/* Without a struct the matrix decides. */
static void preset(void *options)
{
    fur_amg_options *o = options;
    o->nonsymmetric = FUR_AMG_AUTO;
}

static fur_amg *hierarchy(const fur_precond *p)
{
    return p->state;
}

const fur_precond_kind fur_precond_amg = {
    .info = {"amg",
             "algebraic multigrid by smoothed aggregation; iterations hardly grow with the number "
             "of unknowns",
             "Vanek, Mandel and Brezina 1996"},
    .place = FUR_PRECOND_ANYWHERE,
    .table = FUR_PRECOND_TABLE(fur_amg_table, fur_amg_options, amg),
    .follows = true,
    .symmetric = true,
    .preset = preset,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
    .hierarchy = hierarchy,
};
