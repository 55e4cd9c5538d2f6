/* The levels, made one from the other, and their values computed again. */
#include "clock.h"
#include "hierarchy.h"
#include "split.h"
#include "value_type.h"

/* A level of more than this part of the rows above is not worth its work: then every entry counts
 * as strong, and if that does not help, coarsening ends. */
#define SLOW 0.7

/* A last level of at most so many rows has an inverse. */
#define DENSE_MOST 1000

static const fur_csr *matrix(const fur_amg_rung *rung)
{
    return rung->level.a;
}

/* The vectors and products of a level. */
static fur_status equip(fur_amg *amg, int index)
{
    fur_amg_rung *rung = &amg->rung[index];
    const fur_csr *a = matrix(rung);
    fur_context *context = amg->context;
    fur_vector **vectors[] = {&rung->scaling, &rung->x, &rung->r, &rung->p};
    for (int i = 0; i < 4; i++)
        FUR_TRY(fur_vector_create(context, amg->value, a->view.rows, vectors[i]));
    return fur_spmv_plan(a, NULL, &rung->times_a);
}

static void release_step(fur_env *env, fur_amg_step *step)
{
    fur_spmv_destroy(step->times_r);
    fur_spmv_destroy(step->times_p);
    fur_spgemm_destroy(step->left);
    fur_csr_destroy(step->ap);
    fur_spgemm_destroy(step->right);
    fur_csr_destroy(step->r);
    fur_csr_destroy(step->p);
    fur_env_release(env, step->tentative);
    fur_env_release(env, step->aggregate);
    fur_env_release(env, step->strong.column);
    fur_env_release(env, step->strong.count);
    fur_env_release(env, step->strong.begin);
    *step = (fur_amg_step){0};
}

void fur_amg_release_rung(fur_env *env, fur_amg_rung *rung)
{
    for (int i = 0; i < 3; i++)
        fur_vector_destroy(rung->kept[i]);
    fur_vector_destroy(rung->p);
    fur_vector_destroy(rung->r);
    fur_vector_destroy(rung->x);
    fur_vector_destroy(rung->scaling);
    fur_spmv_destroy(rung->times_a);
    release_step(env, &rung->step);
    fur_csr_destroy(rung->own);
}

/* Whether the aggregates make a next level that is worth it. */
static bool suits(const fur_amg *amg, const fur_amg_rung *rung)
{
    int64_t rows = rung->step.aggregates * amg->modes;
    return rows > 0 && (double)rows <= SLOW * (double)matrix(rung)->view.rows;
}

static fur_status gather(fur_amg *amg, fur_amg_rung *rung, double theta)
{
    FUR_TRY(fur_amg_find_strong(matrix(rung), rung->level.block, theta, &rung->step));
    return fur_amg_aggregate(&amg->context->env, &rung->step);
}

/* The aggregates of a level; *found is false where it is the last. */
static fur_status find_aggregates(fur_amg *amg, fur_amg_rung *rung, bool *found)
{
    fur_env *env = &amg->context->env;
    FUR_TRY(gather(amg, rung, amg->theta));
    if (!suits(amg, rung) && amg->theta > 0) {
        release_step(env, &rung->step);
        FUR_TRY(gather(amg, rung, 0));
    }
    *found = suits(amg, rung);
    if (!*found)
        release_step(env, &rung->step);
    return FUR_OK;
}

static double omega(const fur_amg_rung *rung)
{
    double largest = rung->level.largest;
    return largest > 0 ? 4 / (3 * largest) : 0;
}

/* P, R and the matrix of the next level. */
static fur_status descend(const fur_amg *amg, fur_amg_rung *rung, fur_csr **coarse)
{
    const fur_csr *a = matrix(rung);
    fur_amg_step *step = &rung->step;
    FUR_TRY(fur_amg_plan_prolongation(a, rung->level.block, amg->modes, step));
    fur_amg_fill_prolongation(a, rung->level.block, amg->modes, omega(rung), step);
    FUR_TRY(fur_csr_transpose(step->p, 1, &step->r));
    FUR_TRY(fur_spgemm_plan(a, step->p, NULL, &step->right));
    FUR_TRY(fur_spgemm_multiply(step->right, fur_real(1), &step->ap));
    FUR_TRY(fur_spgemm_plan(step->r, step->ap, NULL, &step->left));
    FUR_TRY(fur_spgemm_multiply(step->left, fur_real(1), coarse));
    FUR_TRY(fur_spmv_plan(step->p, NULL, &step->times_p));
    return fur_spmv_plan(step->r, NULL, &step->times_r);
}

/* Vectors for cycles that come to a level twice. */
static fur_status equip_twice(fur_amg *amg, int index)
{
    for (int i = 0; i < 3; i++)
        FUR_TRY(fur_vector_create(amg->context, amg->value, matrix(&amg->rung[index])->view.rows,
                                  &amg->rung[index].kept[i]));
    return FUR_OK;
}

static void describe_level(fur_amg_rung *rung, const fur_csr *a, int block)
{
    rung->level = (fur_amg_level){
        .size = sizeof rung->level, .a = a, .block = block, .nodes = a->view.rows / block};
}

/* Makes level index + 1 from level index; *more is false if there is none. `near` is the
 * near-nullspace of the level, and then of the next. */
static fur_status extend(fur_amg *amg, int index, void **near, bool *more)
{
    fur_env *env = &amg->context->env;
    fur_amg_rung *rung = &amg->rung[index];
    fur_amg_rung *next = rung + 1;
    void *coarse = NULL;
    *more = matrix(rung)->view.rows > amg->options.coarsest && index + 1 < amg->options.levels;
    if (*more)
        FUR_TRY(find_aggregates(amg, rung, more));
    if (!*more)
        return FUR_OK;
    FUR_TRY(fur_amg_fill_tentative(env, amg->value, rung->level.block, amg->modes, *near,
                                   &rung->step, &coarse));
    fur_env_release(env, *near);
    *near = coarse;
    FUR_TRY(descend(amg, rung, &next->own));
    rung->level.p = rung->step.p;
    rung->level.aggregates = rung->step.aggregates;
    rung->level.aggregate = rung->step.aggregate;
    describe_level(next, next->own, amg->modes);
    amg->levels = index + 2;
    return equip(amg, index + 1);
}

/* The near-nullspace of the first level: the caller's, or constants. */
static fur_status begin_near(fur_amg *amg, void **near)
{
    const fur_csr *a = matrix(&amg->rung[0]);
    fur_env *env = &amg->context->env;
    const int parts = fur_value_parts(amg->value);
    const int64_t count = a->view.rows * amg->modes;
    void *made;
    FUR_TRY(fur_env_allocate_zeros(env, count, fur_value_size(amg->value), &made));
    const fur_vectors_view *given = fur_vectors_get(amg->options.near_nullspace);
    int64_t row_step = given->layout == FUR_LAYOUT_ROWS ? given->stride : 1;
    int64_t column_step = given->layout == FUR_LAYOUT_ROWS ? 1 : given->stride;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i / amg->modes;
        int64_t mode = i % amg->modes;
        for (int part = 0; part < parts; part++) {
            double number = part == 0 && row % amg->rung[0].level.block == mode;
            if (amg->options.near_nullspace)
                number = fur_value_part(given->value_type, given->data,
                                        (row * row_step + mode * column_step) * parts + part);
            if (fur_value_is_single(amg->value))
                ((float *)made)[i * parts + part] = (float)number;
            else
                ((double *)made)[i * parts + part] = number;
        }
    }
    *near = made;
    return FUR_OK;
}

/* The first level: the caller's matrix, or a copy in single precision. */
static fur_status begin(fur_amg *amg)
{
    fur_amg_rung *rung = &amg->rung[0];
    int block = amg->options.block;
    if (amg->value != amg->a->view.value_type)
        FUR_TRY(fur_csr_convert(amg->a, amg->value, amg->a->view.offset_type, &rung->own));
    describe_level(rung, rung->own ? rung->own : amg->a, block);
    amg->levels = 1;
    return equip(amg, 0);
}

static fur_status finish(fur_amg *amg)
{
    const fur_csr *last = matrix(&amg->rung[amg->levels - 1]);
    if (amg->options.cycle != FUR_AMG_V)
        for (int i = 1; i + 1 < amg->levels; i++)
            FUR_TRY(equip_twice(amg, i));
    if (last->view.rows > fur_larger(DENSE_MOST, amg->options.coarsest))
        return FUR_OK;
    FUR_TRY(fur_amg_plan_dense(amg, last));
    fur_amg_invert(last, &amg->dense);
    return FUR_OK;
}

fur_status fur_amg_build(fur_amg *amg)
{
    fur_env *env = &amg->context->env;
    fur_status status = FUR_OK;
    void *near = NULL;
    bool more = true;
    FUR_TRY(begin(amg));
    FUR_TRY_DONE(begin_near(amg, &near));
    for (int index = 0; more; index++) {
        FUR_TRY_DONE(fur_amg_set_smoother(amg, &amg->rung[index]));
        FUR_TRY_DONE(extend(amg, index, &near, &more));
    }
    FUR_TRY_DONE(finish(amg));
done:
    fur_env_release(env, near);
    return status;
}

/* The values of the matrix of the next level, from those of this one. */
static fur_status refresh_step(const fur_amg *amg, fur_amg_rung *rung, fur_csr *coarse)
{
    fur_amg_step *step = &rung->step;
    fur_amg_fill_prolongation(matrix(rung), rung->level.block, amg->modes, omega(rung), step);
    fur_csr_values_changed(step->p);
    FUR_TRY(fur_csr_transpose_values(step->p, true, step->r));
    fur_csr_values_changed(step->r);
    FUR_TRY(fur_spgemm_apply(step->right, fur_real(1), step->ap));
    return fur_spgemm_apply(step->left, fur_real(1), coarse);
}

fur_status fur_amg_refresh(void *object)
{
    fur_amg *amg = object;
    double start = fur_seconds();
    fur_csr *own = amg->rung[0].own;
    if (own) {
        fur_convert_values(&amg->context->env, own->view.entries, amg->a->view.value_type,
                           amg->a->view.values, amg->value, fur_csr_values(own));
        fur_csr_values_changed(own);
    }
    for (int index = 0; index < amg->levels; index++) {
        fur_amg_rung *rung = &amg->rung[index];
        FUR_TRY(fur_amg_set_smoother(amg, rung));
        if (index + 1 < amg->levels)
            FUR_TRY(refresh_step(amg, rung, rung[1].own));
    }
    if (amg->dense.inverse)
        fur_amg_invert(matrix(&amg->rung[amg->levels - 1]), &amg->dense);
    amg->report.seconds_setup = fur_seconds() - start;
    return FUR_OK;
}
