/* Makes the levels one from the other, and computes their values again. */

#include <furrow/author/clock.h>
#include <furrow/author/recognised.h>

#include "parts.h"
#include "split.h"
#include "value_type.h"

/* A level with more than this part of the rows above is not worth its work. Then every entry counts
 * as strong. If that does not help, coarsening ends. */
#define SLOW 0.7

/* Largest number of rows of a last level with an inverse. */
#define DENSE_MAX 1000

static const fur_csr *matrix(const fur_amg_rung *rung)
{
    return rung->level.a;
}

/* Plans products, `times` of them in a cycle. */
static fur_status plan_products(const fur_csr *a, int times, fur_amg_product *out)
{
    fur_spmv_options options = {.size = sizeof options, .uses = (int64_t)times * FUR_AMG_CYCLES};
    out->matrix = a;
    return fur_spmv_plan(a, &options, &out->plan);
}

/* Plans products by the first level's matrix. If it is a stencil, the stencil has the bits of the
 * plan and reads less. */
static fur_status plan_first(const fur_csr *a, int times, fur_amg_product *out)
{
    const fur_recognise_options constant = {.size = sizeof constant, .constant = 1};
    out->matrix = a;
    FUR_TRY(fur_stencil_recognise(a, &constant, NULL, &out->stencil));
    return out->stencil ? FUR_OK : plan_products(a, times, out);
}

/* Replaces a stencil by a plan if it refuses the new values. */
static fur_status replan_first(const fur_amg_rung *rung, int times, fur_amg_product *out)
{
    if (!out->stencil || fur_amg_multiply(out, 1, rung->p, false, rung->r) != FUR_INVALID)
        return FUR_OK;
    fur_recognised_destroy(out->stencil);
    out->stencil = NULL;
    return plan_products(out->matrix, times, out);
}

static void release_product(fur_amg_product *product)
{
    if (product->part)
        fur_amg_release_part(fur_csr_context(product->matrix), product->part);
    fur_recognised_destroy(product->stencil);
    fur_spmv_destroy(product->plan);
}

/* Returns the number of products by a level's matrix in a cycle. */
static int times_of(const fur_amg *amg)
{
    return 2 * amg->options.sweeps + 1;
}

/* Makes the vectors and products of a level. */
static fur_status equip(fur_amg *amg, int index)
{
    fur_amg_rung *rung = &amg->rung[index];
    const fur_csr *a = matrix(rung);
    fur_context *context = amg->context;
    fur_vector **vectors[] = {&rung->scaling, &rung->x, &rung->r, &rung->p};
    rung->verbs = &fur_amg_doing;
    for (int i = 0; i < 4; i++)
        FUR_TRY(fur_vector_create(context, amg->value, a->view.rows, vectors[i]));
    return index > 0 ? plan_products(a, times_of(amg), &rung->times_a)
                     : plan_first(a, times_of(amg), &rung->times_a);
}

static void release_step(fur_context *context, fur_amg_step *step)
{
    release_product(&step->times_r);
    release_product(&step->times_p);
    fur_spgemm_destroy(step->left);
    fur_csr_destroy(step->ap);
    fur_spgemm_destroy(step->right);
    fur_csr_destroy(step->r);
    fur_csr_destroy(step->q);
    fur_csr_destroy(step->adjoint);
    fur_csr_destroy(step->p);
    fur_amg_release_classical(context, step->classical);
    fur_memory_release(context, step->tentative);
    fur_memory_release(context, step->aggregate);
    fur_memory_release(context, step->strong.column);
    fur_memory_release(context, step->strong.count);
    fur_memory_release(context, step->strong.begin);
    *step = (fur_amg_step){0};
}

void fur_amg_release_rung(fur_context *context, fur_amg_rung *rung)
{
    for (int i = 0; i < 3; i++)
        fur_vector_destroy(rung->kept[i]);
    fur_vector_destroy(rung->p);
    fur_vector_destroy(rung->r);
    fur_vector_destroy(rung->x);
    fur_vector_destroy(rung->scaling);
    fur_amg_release_coloured(&rung->coloured);
    release_product(&rung->times_a);
    release_step(context, &rung->step);
    fur_csr_destroy(rung->own);
}

/* Returns true if the aggregates make a next level that is worth its work. */
static bool suits(const fur_amg *amg, const fur_amg_rung *rung)
{
    int64_t rows = rung->step.aggregates * amg->modes;
    return rows > 0 && (double)rows <= SLOW * (double)matrix(rung)->view.rows;
}

static fur_status gather(fur_amg *amg, fur_amg_rung *rung, double theta)
{
    FUR_TRY(fur_amg_find_strong(matrix(rung), rung->level.block, theta, &rung->step));
    return fur_amg_aggregate(amg->context, &rung->step);
}

/* Finds the aggregates of a level. *found is false if it is the last level. */
static fur_status find_aggregates(fur_amg *amg, fur_amg_rung *rung, bool *found)
{
    fur_context *context = amg->context;
    FUR_TRY(gather(amg, rung, amg->theta));
    if (!suits(amg, rung) && amg->theta > 0) {
        release_step(context, &rung->step);
        FUR_TRY(gather(amg, rung, 0));
    }
    *found = suits(amg, rung);
    if (!*found)
        release_step(context, &rung->step);
    return FUR_OK;
}

static double omega(const fur_amg_rung *rung)
{
    return rung->radius > 0 ? 4 / (3 * rung->radius) : 0;
}

/* Makes P by aggregation. *found is false if the level is the last. `near` is the near-nullspace of
 * the level, and then of the next level. */
static fur_status prolong(fur_amg *amg, fur_amg_rung *rung, void **near, bool *found)
{
    const fur_csr *a = matrix(rung);
    fur_amg_step *step = &rung->step;
    int block = rung->level.block;
    void *coarse = NULL;
    FUR_TRY(find_aggregates(amg, rung, found));
    if (!*found)
        return FUR_OK;
    FUR_TRY(
        fur_amg_fill_tentative(amg->context, amg->value, block, amg->modes, *near, step, &coarse));
    fur_memory_release(amg->context, *near);
    *near = coarse;
    FUR_TRY(fur_amg_plan_prolongation(a, block, amg->modes, step));
    return fur_amg_fill_prolongation(a, block, amg->modes, omega(rung), step);
}

/* Makes P of classical multigrid. */
static fur_status interpolate(fur_amg *amg, int index, bool *found)
{
    fur_amg_rung *rung = &amg->rung[index];
    bool aggressive = index < amg->options.aggressive;
    FUR_TRY(fur_amg_coarsen(matrix(rung), amg->theta, aggressive, &rung->step));
    *found = suits(amg, rung);
    if (!*found)
        release_step(amg->context, &rung->step);
    return FUR_OK;
}

/* Makes R and the matrix of the next level. */
static fur_status descend(const fur_amg *amg, fur_amg_rung *rung, fur_csr **coarse)
{
    const fur_csr *a = matrix(rung);
    fur_amg_step *step = &rung->step;
    bool adjoint = amg->options.nonsymmetric && !amg->classical;
    FUR_TRY(fur_amg_plan_restriction(a, adjoint, rung->level.block, amg->modes, omega(rung), step));
    FUR_TRY(fur_spgemm_plan(a, step->p, NULL, &step->right));
    FUR_TRY(fur_spgemm_multiply(step->right, fur_real(1), &step->ap));
    FUR_TRY(fur_spgemm_plan(step->r, step->ap, NULL, &step->left));
    FUR_TRY(fur_spgemm_multiply(step->left, fur_real(1), coarse));
    step->p->times = step->r->times = (*coarse)->times = amg->a->times;
    FUR_TRY(plan_products(step->p, 1, &step->times_p));
    return plan_products(step->r, 1, &step->times_r);
}

/* Makes the vectors for cycles that visit a level twice. */
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
    fur_amg_rung *rung = &amg->rung[index];
    fur_amg_rung *next = rung + 1;
    *more = matrix(rung)->view.rows > amg->options.coarsest && index + 1 < amg->options.levels;
    if (*more)
        FUR_TRY(amg->classical ? interpolate(amg, index, more) : prolong(amg, rung, near, more));
    if (!*more)
        return FUR_OK;
    FUR_TRY(descend(amg, rung, &next->own));
    rung->level.p = rung->step.p;
    rung->level.aggregates = rung->step.aggregates;
    rung->level.aggregate = rung->step.aggregate;
    describe_level(next, next->own, amg->modes);
    amg->levels = index + 2;
    return equip(amg, index + 1);
}

/* Copies the caller's near-nullspace, row by row, in the levels' type. */
static void take_near(const fur_amg *amg, const fur_vectors_view *given, const void *data,
                      void *made)
{
    const int parts = fur_value_parts(amg->value);
    int64_t row_step = given->layout == FUR_LAYOUT_ROWS ? given->stride : 1;
    int64_t column_step = given->layout == FUR_LAYOUT_ROWS ? 1 : given->stride;
    for (int64_t i = 0; i < given->rows * amg->modes; i++) {
        int64_t from = i / amg->modes * row_step + i % amg->modes * column_step;
        for (int part = 0; part < parts; part++) {
            double number = fur_value_part(given->value_type, data, from * parts + part);
            if (fur_value_is_single(amg->value))
                ((float *)made)[i * parts + part] = (float)number;
            else
                ((double *)made)[i * parts + part] = number;
        }
    }
}

/* Fills one constant for each unknown of a node. */
static void fill_constants(const fur_amg *amg, int64_t rows, void *made)
{
    const int64_t parts = fur_value_parts(amg->value);
    for (int64_t i = 0; i < rows; i++) {
        int64_t one = (i * amg->modes + i % amg->rung[0].level.block) * parts;
        if (fur_value_is_single(amg->value))
            ((float *)made)[one] = 1;
        else
            ((double *)made)[one] = 1;
    }
}

/* Makes the near-nullspace of the first level in the host's memory. */
static fur_status make_near(const fur_amg *amg, void *made)
{
    const fur_vectors_view *given = fur_vectors_get(amg->options.near_nullspace);
    if (!amg->options.near_nullspace) {
        fill_constants(amg, amg->a->view.rows, made);
        return FUR_OK;
    }
    bool by_rows = given->layout == FUR_LAYOUT_ROWS;
    int64_t lines = by_rows ? given->rows : given->cols;
    int64_t across = by_rows ? given->cols : given->rows;
    int64_t entries = lines > 0 ? (lines - 1) * given->stride + across : 0;
    const void *data;
    FUR_TRY(fur_memory_to_host(amg->context, given->data,
                               entries * (int64_t)fur_value_size(given->value_type), &data));
    take_near(amg, given, data, made);
    fur_memory_drop(amg->context, given->data, (void *)(uintptr_t)data);
    return FUR_OK;
}

/* Makes the near-nullspace in the context's memory: the caller's vectors, or constants. */
static fur_status begin_near(fur_amg *amg, void **near)
{
    fur_context *context = amg->context;
    fur_env *env = &context->env;
    const int64_t rows = amg->a->view.rows;
    const size_t size = fur_value_size(amg->value) * (size_t)amg->modes;
    if (!fur_is_remote(context)) {
        FUR_TRY(fur_env_allocate_zeros(env, rows, size, near));
        return make_near(amg, *near);
    }
    FUR_TRY(fur_memory_allocate(context, rows, size, near));
    if (!amg->options.near_nullspace)
        return fur_amg_device(context)->fill_constants(env, amg->value, rows, amg->modes, *near);
    void *made;
    FUR_TRY(fur_env_allocate_zeros(env, rows, size, &made));
    fur_status status = make_near(amg, made);
    if (status == FUR_OK)
        status = fur_memory_copy(context, *near, made, rows * (int64_t)size);
    fur_env_release(env, made);
    return status;
}

/* Rounds the values of A into a matrix in single precision with A's pattern. */
static fur_status round_values(const fur_csr *a, fur_csr *single)
{
    fur_env *env = &a->context->env;
    const fur_csr_view *v = &a->view;
    if (fur_is_remote(a->context))
        return fur_amg_device(a->context)
            ->narrow(env, v->entries * fur_value_parts(v->value_type), v->values, 1,
                     fur_csr_values(single));
    fur_convert_values(env, v->entries, v->value_type, v->values, single->view.value_type,
                       fur_csr_values(single));
    return FUR_OK;
}

/* Makes a copy in single precision. */
static fur_status copy_single(const fur_csr *a, fur_value_type value, fur_csr **out)
{
    fur_context *context = a->context;
    const fur_csr_view *v = &a->view;
    fur_status status = FUR_OK;
    fur_csr *made = NULL;
    FUR_TRY_DONE(
        fur_csr_allocate(context, v->rows, v->cols, v->entries, value, v->offset_type, &made));
    FUR_TRY_DONE(fur_memory_copy(context, fur_csr_offsets(made), v->offsets,
                                 (v->rows + 1) * (int64_t)fur_offset_size(v->offset_type)));
    FUR_TRY_DONE(fur_memory_copy(context, fur_csr_columns(made), v->columns,
                                 v->entries * (int64_t)sizeof *v->columns));
    FUR_TRY_DONE(round_values(a, made));
    *out = made;
    made = NULL;
done:
    fur_csr_destroy(made);
    return status;
}

/* Makes the first level: the caller's matrix, or a copy in single precision. */
static fur_status begin(fur_amg *amg)
{
    fur_amg_rung *rung = &amg->rung[0];
    int block = amg->options.block;
    if (amg->value != amg->a->view.value_type) {
        FUR_TRY(copy_single(amg->a, amg->value, &rung->own));
        rung->own->times = amg->a->times;
    }
    describe_level(rung, rung->own ? rung->own : amg->a, block);
    amg->levels = 1;
    return equip(amg, 0);
}

/* Inverts the last level's matrix if it is small. */
static fur_status invert_last(fur_amg *amg)
{
    const fur_csr *last = matrix(&amg->rung[amg->levels - 1]);
    if (last->view.rows > fur_larger(DENSE_MAX, amg->options.coarsest))
        return FUR_OK;
    FUR_TRY(fur_amg_plan_dense(amg, last));
    return fur_amg_invert(last, &amg->dense);
}

static fur_status finish(fur_amg *amg)
{
    if (amg->options.cycle != FUR_AMG_V)
        for (int i = 1; i + 1 < amg->levels; i++)
            FUR_TRY(equip_twice(amg, i));
    FUR_TRY(invert_last(amg));
    return fur_amg_make_program(amg);
}

fur_status fur_amg_build(fur_amg *amg)
{
    fur_status status = FUR_OK;
    void *near = NULL;
    bool more = true;
    FUR_TRY(begin(amg));
    FUR_TRY(fur_amg_make_scalars(amg));
    if (!amg->classical)
        FUR_TRY_DONE(begin_near(amg, &near));
    for (int index = 0; more; index++) {
        FUR_TRY_DONE(fur_amg_set_smoother(amg, &amg->rung[index]));
        if (near && index == 0 && amg->options.levels > 1)
            FUR_TRY_DONE(fur_amg_improve(amg, near));
        FUR_TRY_DONE(extend(amg, index, &near, &more));
    }
    FUR_TRY_DONE(finish(amg));
done:
    fur_memory_release(amg->context, near);
    return status;
}

/* Computes the values of the next level's matrix from the values of this level. */
static fur_status refresh_step(const fur_amg *amg, fur_amg_rung *rung, fur_csr *coarse)
{
    fur_amg_step *step = &rung->step;
    const fur_csr *a = matrix(rung);
    FUR_TRY(amg->classical
                ? fur_amg_coarsen_again(a, step)
                : fur_amg_fill_prolongation(a, rung->level.block, amg->modes, omega(rung), step));
    fur_csr_values_changed(step->p);
    FUR_TRY(
        fur_amg_fill_restriction(matrix(rung), rung->level.block, amg->modes, omega(rung), step));
    fur_csr_values_changed(step->r);
    FUR_TRY(fur_spgemm_apply(step->right, fur_real(1), step->ap));
    return fur_spgemm_apply(step->left, fur_real(1), coarse);
}

fur_status fur_amg_refresh(void *object)
{
    fur_amg *amg = object;
    double start = fur_seconds();
    if (amg->parts)
        return fur_env_fail(
            &amg->context->env, FUR_UNSUPPORTED,
            "a shared multigrid cannot be updated for new values; create another multigrid");
    fur_csr *own = amg->rung[0].own;
    if (own) {
        FUR_TRY(round_values(amg->a, own));
        fur_csr_values_changed(own);
    }
    FUR_TRY(replan_first(&amg->rung[0], times_of(amg), &amg->rung[0].times_a));
    for (int index = 0; index < amg->levels; index++) {
        fur_amg_rung *rung = &amg->rung[index];
        FUR_TRY(fur_amg_set_smoother(amg, rung));
        if (index + 1 < amg->levels)
            FUR_TRY(refresh_step(amg, rung, rung[1].own));
    }
    if (amg->dense.inverse)
        FUR_TRY(fur_amg_invert(matrix(&amg->rung[amg->levels - 1]), &amg->dense));
    FUR_TRY(fur_amg_make_program(amg));
    amg->report.seconds_setup = fur_seconds() - start;
    return FUR_OK;
}
