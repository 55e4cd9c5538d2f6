/* The tentative prolongation T: an orthonormal basis of the near-nullspace on each aggregate. It is
 * computed by modified Gram-Schmidt, which subtracts each projection at once, done twice (Giraud,
 * Langou and Rozloznik 2005), in double precision. The factor R is the near-nullspace of the next
 * level. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "scalar.h"
#    include "table.h"
#    include "value_type.h"

#    define AGGREGATE_GRAIN 512

typedef struct basis {
    const int32_t *node; /* by aggregates */
    const int64_t *start;
    int block;
    int modes;
    void *t;
    void *coarse;
} basis;

#    define FUR_TEMPLATE "tentative.c"
#    include "foreach_value.h"

/* Sorts the nodes by aggregates, in their order. */
static void sort_nodes(const fur_amg_step *step, int64_t *start, int32_t *node)
{
    int64_t nodes = step->strong.nodes;
    memset(start, 0, (size_t)(step->aggregates + 2) * sizeof *start);
    for (int64_t i = 0; i < nodes; i++)
        if (step->aggregate[i] >= 0)
            start[step->aggregate[i] + 2]++;
    for (int64_t k = 0; k < step->aggregates; k++)
        start[k + 2] += start[k + 1];
    for (int64_t i = 0; i < nodes; i++)
        if (step->aggregate[i] >= 0)
            node[start[step->aggregate[i] + 1]++] = (int32_t)i;
}

/* Copies the near-nullspace into T, with 0 for a node in no aggregate. */
static void begin_tentative(const fur_amg_step *step, size_t bytes, const void *fine)
{
    char *t = step->tentative;
    memcpy(t, fine, (size_t)step->strong.nodes * bytes);
    for (int64_t i = 0; i < step->strong.nodes; i++)
        if (step->aggregate[i] < 0)
            memset(t + (size_t)i * bytes, 0, bytes);
}

static fur_status fill_here(fur_env *env, fur_value_type value, const basis *b, const void *fine,
                            const fur_amg_step *step)
{
    static fur_body *const orthonormalise[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(orthonormalise);
    const int64_t nodes = step->strong.nodes;
    fur_status status = FUR_OK;
    int64_t *start = NULL;
    int32_t *node = NULL;
    basis job = *b;
    FUR_TRY_DONE(fur_env_allocate(env, step->aggregates + 2, sizeof *start, &start));
    FUR_TRY_DONE(fur_env_allocate(env, nodes, sizeof *node, &node));
    sort_nodes(step, start, node);
    begin_tentative(step, (size_t)(b->block * b->modes) * fur_value_size(value), fine);
    job.start = start;
    job.node = node;
    memset(b->coarse, 0, (size_t)(step->aggregates * b->modes * b->modes) * fur_value_size(value));
    fur_parallel(env, nodes / AGGREGATE_GRAIN, step->aggregates, orthonormalise[value], &job);
done:
    fur_env_release(env, node);
    fur_env_release(env, start);
    return status;
}

fur_status fur_amg_fill_tentative(fur_context *context, fur_value_type value, int block, int modes,
                                  const void *fine, fur_amg_step *step, void **coarse)
{
    fur_env *env = &context->env;
    const size_t size = fur_value_size(value);
    void *next;
    FUR_TRY(fur_memory_allocate(context, step->strong.nodes, (size_t)(block * modes) * size,
                                &step->tentative));
    FUR_TRY(fur_memory_allocate(context, step->aggregates, (size_t)(modes * modes) * size, &next));
    fur_status status =
        fur_is_remote(context)
            ? fur_amg_device(context)->fill_tentative(env, value, block, modes, step->strong.nodes,
                                                      step->aggregate, step->aggregates, fine,
                                                      step->tentative, next)
            : fill_here(
                  env, value,
                  &(basis){.block = block, .modes = modes, .t = step->tentative, .coarse = next},
                  fine, step);
    if (status == FUR_OK)
        *coarse = next;
    else
        fur_memory_release(context, next);
    return status;
}
#else

/* Returns conj(x) . y of two columns of T over the nodes of an aggregate. */
static fur_scalar FN(dot)(const basis *b, int64_t aggregate, int x, int y)
{
    const VALUE *t = b->t;
    fur_scalar sum = {0, 0};
    for (int64_t k = b->start[aggregate]; k < b->start[aggregate + 1]; k++) {
        const VALUE *row = t + (int64_t)b->node[k] * b->block * b->modes;
        for (int c = 0; c < b->block; c++, row += b->modes) {
#    if COMPLEX
            sum.re += (double)row[x].re * (double)row[y].re + (double)row[x].im * (double)row[y].im;
            sum.im += (double)row[x].re * (double)row[y].im - (double)row[x].im * (double)row[y].re;
#    else
            sum.re += (double)row[x] * (double)row[y];
#    endif
        }
    }
    return sum;
}

/* column y = factor (column y - h column x) */
static void FN(subtract)(const basis *b, int64_t aggregate, int x, int y, fur_scalar h,
                         double factor)
{
    VALUE *t = b->t;
    for (int64_t k = b->start[aggregate]; k < b->start[aggregate + 1]; k++) {
        VALUE *row = t + (int64_t)b->node[k] * b->block * b->modes;
        for (int c = 0; c < b->block; c++, row += b->modes) {
#    if COMPLEX
            double re = (double)row[y].re - (h.re * (double)row[x].re - h.im * (double)row[x].im);
            double im = (double)row[y].im - (h.re * (double)row[x].im + h.im * (double)row[x].re);
            row[y] = V(from)((fur_scalar){factor * re, factor * im});
#    else
            row[y] = V(from)(fur_real(factor * ((double)row[y] - h.re * (double)row[x])));
#    endif
        }
    }
}

/* Makes column y orthogonal to the columns before, with norm 1 or 0, and computes its column of R.
 */
static void FN(orthonormalise_column)(const basis *b, int64_t aggregate, int y)
{
    VALUE *r = (VALUE *)b->coarse + aggregate * b->modes * b->modes;
    const double least =
        fur_value_is_single(VALUE_TAG) ? FUR_AMG_DEPENDENT_SINGLE : FUR_AMG_DEPENDENT_DOUBLE;
    double first = sqrt(FN(dot)(b, aggregate, y, y).re);
    for (int pass = 0; pass < 2; pass++)
        for (int x = 0; x < y; x++) {
            fur_scalar h = FN(dot)(b, aggregate, x, y);
            FN(subtract)(b, aggregate, x, y, h, 1);
            r[x * b->modes + y] = V(add)(r[x * b->modes + y], V(from)(h));
        }
    double norm = sqrt(FN(dot)(b, aggregate, y, y).re);
    bool dependent = !(norm > least * first);
    FN(subtract)(b, aggregate, y, y, fur_real(0), dependent ? 0 : 1 / norm);
    r[y * b->modes + y] = V(from)(fur_real(dependent ? 0 : norm));
}

static void FN(orthonormalise)(void *job, int64_t begin, int64_t end)
{
    const basis *b = job;
    for (int64_t aggregate = begin; aggregate < end; aggregate++)
        for (int y = 0; y < b->modes; y++)
            FN(orthonormalise_column)(b, aggregate, y);
}

#endif
