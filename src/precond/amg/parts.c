/* Cuts a hierarchy for several contexts. */
#include "parts.h"

#include <furrow/author/options.h>

#include <string.h>

static int64_t own_begin(const fur_amg_parts *parts, const int64_t *bounds)
{
    return bounds[parts->with.rank];
}

static int64_t own_end(const fur_amg_parts *parts, const int64_t *bounds)
{
    return bounds[parts->with.rank + 1];
}

static fur_status check(const fur_amg *amg, const fur_sharing *s, int64_t whole)
{
    fur_env *env = &amg->context->env;
    FUR_TRY(fur_dependent_check(env, &amg->dependent));
    if (amg->parts)
        return fur_env_fail(env, FUR_INVALID, "the multigrid is shared already; share it once");
    if (!s->gather || !s->send || !s->receive || !s->bounds || s->rank < 0 || s->rank >= s->ranks ||
        whole < 0 || s->bounds[s->ranks] != amg->a->view.rows)
        return fur_env_fail(env, FUR_INVALID,
                            "to share a multigrid, give the bounds of its rows, three functions, "
                            "and whole of 0 or more");
    if (fur_is_remote(amg->context) || amg->smoother == FUR_AMG_GAUSS_SEIDEL ||
        amg->options.cycle == FUR_AMG_K || amg->value != amg->a->view.value_type)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "a shared multigrid needs the CPU, a V or W cycle, the smoother "
                            "chebyshev or jacobi, and the matrix's precision");
    return FUR_OK;
}

/* Sets the bounds of a level. Bounds of the first level are given. Other levels have bounds in
 * proportion. */
static fur_status make_bounds(fur_amg *amg, int level)
{
    fur_amg_parts *parts = amg->parts;
    int ranks = parts->with.ranks;
    int64_t rows = amg->rung[level].level.a->view.rows; /* below 2^31, as the next */
    int64_t first = amg->a->view.rows;
    FUR_TRY(fur_env_allocate(&amg->context->env, ranks + 1, sizeof **parts->bounds,
                             &parts->bounds[level]));
    for (int rank = 0; rank <= ranks; rank++)
        parts->bounds[level][rank] = rows * parts->with.bounds[rank] / first;
    return FUR_OK;
}

/* Replaces the vectors of a level by their part for this context's rows. */
static fur_status cut_vectors(fur_amg *amg, int level)
{
    fur_amg_parts *parts = amg->parts;
    fur_amg_rung *g = &amg->rung[level];
    fur_vector **vectors[] = {&g->scaling, &g->x,       &g->r,      &g->p,
                              &g->kept[0], &g->kept[1], &g->kept[2]};
    int64_t begin = own_begin(parts, parts->bounds[level]);
    int64_t count = own_end(parts, parts->bounds[level]) - begin;
    for (int i = 0; i < 7; i++) {
        fur_vector *whole = *vectors[i];
        if (!whole)
            continue;
        char *data = (char *)whole->data + (size_t)begin * fur_value_size(whole->value_type);
        parts->whole[level][i] = whole;
        *vectors[i] = NULL;
        FUR_TRY(fur_vector_wrap(amg->context, whole->value_type, count, data, FUR_OWNERSHIP_BORROW,
                                vectors[i]));
        (*vectors[i])->data =
            data; /* also for a part without entries: the entries of others are beside it */
    }
    return FUR_OK;
}

/* Takes this context's rows, in the arrays of the matrix. */
static fur_status take_rows(fur_amg_part *part, const fur_csr *a, int64_t uses)
{
    const fur_csr_view *v = &a->view;
    int64_t begin = own_begin(part->of, part->y_bounds);
    int64_t count = own_end(part->of, part->y_bounds) - begin;
    int64_t first = fur_offset_at(v, begin);
    fur_spmv_options options = {.size = sizeof options, .uses = uses};
    FUR_TRY(fur_env_allocate(&a->context->env, count + 1, sizeof *part->offsets, &part->offsets));
    for (int64_t i = 0; i <= count; i++)
        part->offsets[i] = fur_offset_at(v, begin + i) - first;
    fur_csr_view view = {.size = sizeof view,
                         .rows = count,
                         .cols = v->cols,
                         .entries = part->offsets[count],
                         .value_type = v->value_type,
                         .offset_type = FUR_I64,
                         .offsets = part->offsets,
                         .columns = v->columns + first,
                         .values = (const char *)v->values +
                                   (size_t)first * fur_value_size(v->value_type)};
    FUR_TRY(fur_csr_create(a->context, &view, FUR_OWNERSHIP_BORROW, &part->rows));
    return fur_spmv_plan(part->rows, &options, &part->plan);
}

/* Marks the columns begin .. end-1 that the rows of a rank have. Returns the number of new marks.
 */
static int64_t mark(const fur_csr_view *v, const int64_t *rows, int rank, int64_t begin,
                    int64_t end, int32_t *marks)
{
    int64_t count = 0;
    for (int64_t k = fur_offset_at(v, rows[rank]); k < fur_offset_at(v, rows[rank + 1]); k++) {
        int64_t column = v->columns[k];
        if (column < begin || column >= end || marks[column] == rank + 1)
            continue;
        marks[column] = rank + 1;
        count++;
    }
    return count;
}

/* Finds the entries that one rank needs of another: rows of `needs`, entries of `has`. */
static fur_status make_way(fur_env *env, const fur_csr_view *v, const fur_amg_part *part, int needs,
                           int has, int32_t *marks, fur_amg_way *out, int *ways)
{
    int64_t begin = part->x_bounds[has];
    int64_t end = part->x_bounds[has + 1];
    fur_amg_way way = {.rank = part->of->with.rank == needs ? has : needs};
    if (begin < end)
        memset(marks + begin, 0, (size_t)(end - begin) * sizeof *marks);
    int64_t count = mark(v, part->y_bounds, needs, begin, end, marks);
    if (count == 0)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(env, count, sizeof *way.entries, &way.entries));
    for (int64_t column = begin; column < end; column++)
        if (marks[column] == needs + 1)
            way.entries[way.count++] = (int32_t)column;
    out[(*ways)++] = way;
    return FUR_OK;
}

static fur_status make_ways(fur_env *env, const fur_csr *a, fur_amg_part *part)
{
    int ranks = part->of->with.ranks;
    int own = part->of->with.rank;
    int64_t most = 1;
    int32_t *marks;
    FUR_TRY(fur_env_allocate_zeros(env, ranks, sizeof *part->give, &part->give));
    FUR_TRY(fur_env_allocate_zeros(env, ranks, sizeof *part->take, &part->take));
    FUR_TRY(fur_env_allocate(env, a->view.cols, sizeof *marks, &marks));
    fur_status status = FUR_OK;
    for (int rank = 0; rank < ranks && status == FUR_OK; rank++) {
        if (rank == own)
            continue;
        status = make_way(env, &a->view, part, rank, own, marks, part->give, &part->give_count);
        if (status == FUR_OK)
            status = make_way(env, &a->view, part, own, rank, marks, part->take, &part->take_count);
    }
    fur_env_release(env, marks);
    for (int i = 0; i < part->give_count; i++)
        most = part->give[i].count > most ? part->give[i].count : most;
    for (int i = 0; i < part->take_count; i++)
        most = part->take[i].count > most ? part->take[i].count : most;
    FUR_TRY(status);
    return fur_env_allocate(env, most, fur_value_size(a->view.value_type), &part->packed);
}

static fur_status cut_product(const fur_amg *amg, const int64_t *x_bounds, const int64_t *y_bounds,
                              bool y_is_whole, int64_t uses, fur_amg_product *product)
{
    fur_env *env = &amg->context->env;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *product->part, &product->part));
    fur_amg_part *part = product->part;
    part->of = amg->parts;
    part->x_bounds = x_bounds;
    part->y_bounds = y_bounds;
    part->y_is_whole = y_is_whole;
    FUR_TRY(take_rows(part, product->matrix, uses));
    return x_bounds ? make_ways(env, product->matrix, part) : FUR_OK;
}

/* Cuts the products of a level. The next level may be whole. */
static fur_status cut_level(fur_amg *amg, int level)
{
    fur_amg_parts *parts = amg->parts;
    fur_amg_rung *g = &amg->rung[level];
    bool last = level + 1 == parts->cut;
    const int64_t *own = parts->bounds[level];
    const int64_t *next = parts->bounds[level + 1];
    const int64_t uses = FUR_AMG_CYCLES;
    FUR_TRY(cut_product(amg, own, own, false, uses * (2 * amg->options.sweeps + 1), &g->times_a));
    FUR_TRY(cut_product(amg, own, next, last, uses, &g->step.times_r));
    FUR_TRY(cut_product(amg, last ? NULL : next, own, false, uses, &g->step.times_p));
    return cut_vectors(amg, level);
}

static fur_status cut(fur_amg *amg)
{
    fur_amg_parts *parts = amg->parts;
    fur_env *env = &amg->context->env;
    int64_t most = 1;
    for (int level = 0; level <= parts->cut; level++)
        FUR_TRY(make_bounds(amg, level));
    for (int level = 0; level < parts->cut; level++)
        FUR_TRY(cut_level(amg, level));
    const int64_t *bounds = parts->bounds[parts->cut];
    for (int rank = 0; rank < parts->with.ranks; rank++)
        if (bounds[rank + 1] - bounds[rank] > most)
            most = bounds[rank + 1] - bounds[rank];
    FUR_TRY(fur_env_allocate_zeros(env, most, fur_value_size(amg->value), &parts->mine));
    return fur_env_allocate(env, most * parts->with.ranks, fur_value_size(amg->value), &parts->all);
}

fur_status fur_amg_share(fur_amg *amg, const fur_sharing *sharing, int64_t whole)
{
    FUR_NEED(amg ? amg->context : NULL, amg, sharing);
    fur_sharing own;
    FUR_TAKE_OPTIONS(amg->context, fur_sharing, &own, sharing);
    FUR_TRY(check(amg, &own, whole));
    FUR_TRY(fur_env_allocate_zeros(&amg->context->env, 1, sizeof *amg->parts, &amg->parts));
    fur_amg_parts *parts = amg->parts;
    parts->with = own;
    parts->context = amg->context;
    while (parts->cut + 1 < amg->levels && amg->rung[parts->cut].level.a->view.rows > whole)
        parts->cut++;
    if (parts->cut > 0)
        return cut(amg);
    fur_amg_release_parts(amg);
    return fur_env_fail(&amg->context->env, FUR_UNSUPPORTED,
                        "the multigrid is too small to share: it has one level, or its finest "
                        "level has at most %lld rows (whole)",
                        (long long)whole);
}

static void release_ways(fur_env *env, fur_amg_way *ways, int count)
{
    for (int i = 0; i < count; i++)
        fur_env_release(env, ways[i].entries);
    fur_env_release(env, ways);
}

void fur_amg_release_part(fur_context *context, fur_amg_part *part)
{
    fur_env *env = &context->env;
    if (!part)
        return;
    fur_spmv_destroy(part->plan);
    fur_csr_destroy(part->rows);
    release_ways(env, part->give, part->give_count);
    release_ways(env, part->take, part->take_count);
    fur_env_release(env, part->offsets);
    fur_env_release(env, part->packed);
    fur_env_release(env, part);
}

void fur_amg_release_parts(fur_amg *amg)
{
    fur_env *env = &amg->context->env;
    fur_amg_parts *parts = amg->parts;
    if (!parts)
        return;
    for (int level = 0; level < FUR_AMG_LEVELS_MAX; level++) {
        for (int i = 0; i < 7; i++)
            fur_vector_destroy(parts->whole[level][i]);
        fur_env_release(env, parts->bounds[level]);
    }
    fur_env_release(env, parts->mine);
    fur_env_release(env, parts->all);
    fur_env_release(env, parts);
    amg->parts = NULL;
}
