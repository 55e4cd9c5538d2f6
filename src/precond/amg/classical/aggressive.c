/* Aggressive coarsening: two steps of classical multigrid as one, without the level between (De
 * Sterck, Yang and Heys 2006; Yang 2010).
 *
 * P_1 leads to the coarse rows C of a first stage. The level between is not made, only
 *
 *     B = A_C P_1,  A_C: the rows C of A
 *
 * If P_1 interpolates without an error, B is the Schur complement of A for C, and so is P_1^T A
 * P_1. B needs a small part of the work. Its strong entries are paths through one or two rows of A.
 * PMIS and extended+i interpolation on B give P_2. P is P_1 P_2 with the largest four weights of a
 * row. */
#include "classical_data.h"
#include "split.h"

#define ROW_GRAIN 4096

/* Largest number of entries of a row of P_1 P_2. */
#define JOINED (FUR_AMG_INTERPOLATED * FUR_AMG_INTERPOLATED)

/* Arguments of the threads that copy or cut rows. */
typedef struct passing {
    const fur_csr_view *from;
    const int32_t *number; /* place of each row in `to`; -1: it is left out */
    fur_csr *to;
    bool is_planned;
} passing;

static void copy_row(const passing *p, int64_t i)
{
    const int64_t begin = fur_offset_at(p->from, i);
    const int64_t count = fur_offset_at(p->from, i + 1) - begin;
    const int64_t at = fur_offset_at(&p->to->view, p->number[i]);
    const size_t size = fur_value_size(p->from->value_type);
    memcpy(fur_csr_columns(p->to) + at, p->from->columns + begin,
           (size_t)count * sizeof *p->from->columns);
    memcpy((char *)fur_csr_values(p->to) + (size_t)at * size,
           (const char *)p->from->values + (size_t)begin * size, (size_t)count * size);
}

static void copy_rows(void *job, int64_t begin, int64_t end)
{
    const passing *p = job;
    for (int64_t i = begin; i < end; i++)
        if (p->number[i] >= 0)
            copy_row(p, i);
}

/* Fills the coarse rows of A. */
static void fill_rows(const fur_csr *a, const fur_amg_classical *c)
{
    passing p = {&a->view, c->coarse, c->second->rows, true};
    fur_parallel(&a->context->env, a->view.rows / ROW_GRAIN, a->view.rows, copy_rows, &p);
}

/* Makes a matrix without values. starts[i + 1] is the length of row i, and then becomes an offset.
 */
static fur_status make(const fur_csr *like, int64_t rows, int64_t cols, int64_t *starts,
                       fur_csr **out)
{
    starts[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        starts[i + 1] += starts[i];
    FUR_TRY(fur_csr_allocate(like->context, rows, cols, starts[rows], like->view.value_type,
                             fur_offset_for(starts[rows]), out));
    fur_csr_set_offsets(*out, starts);
    return FUR_OK;
}

static fur_status take_rows(const fur_csr *a, fur_amg_classical *c)
{
    fur_env *env = &a->context->env;
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, c->count + 1, sizeof *starts, &starts));
    for (int64_t i = 0; i < a->view.rows; i++)
        if (c->coarse[i] >= 0)
            starts[c->coarse[i] + 1] = fur_offset_at(&a->view, i + 1) - fur_offset_at(&a->view, i);
    fur_status status = make(a, c->count, a->view.cols, starts, &c->second->rows);
    fur_env_release(env, starts);
    if (status == FUR_OK)
        fill_rows(a, c);
    return status;
}

static void cut_rows(void *job, int64_t begin, int64_t end)
{
    const passing *p = job;
    double weight[JOINED];
    for (int64_t i = begin; i < end; i++) {
        const int64_t start = fur_offset_at(p->from, i);
        fur_amg_list list = {fur_offset_at(p->from, i + 1) - start,
                             (int32_t *)(uintptr_t)p->from->columns + start, weight};
        for (int64_t k = 0; k < list.count; k++)
            weight[k] = fur_amg_number(p->from, start + k);
        fur_amg_write_row(&list, NULL, p->is_planned, i, p->to);
    }
}

/* Makes P from the product of both stages. */
static void cut(const fur_csr *joined, bool is_planned, fur_csr *to)
{
    passing p = {&joined->view, NULL, to, is_planned};
    fur_parallel(&joined->context->env, joined->view.rows / ROW_GRAIN, joined->view.rows, cut_rows,
                 &p);
}

static fur_status take_cut(const fur_csr *joined, fur_csr **out)
{
    fur_env *env = &joined->context->env;
    const fur_csr_view *v = &joined->view;
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, v->rows + 1, sizeof *starts, &starts));
    for (int64_t i = 0; i < v->rows; i++)
        starts[i + 1] =
            fur_smaller(FUR_AMG_INTERPOLATED, fur_offset_at(v, i + 1) - fur_offset_at(v, i));
    fur_status status = make(joined, v->rows, v->cols, starts, out);
    fur_env_release(env, starts);
    if (status == FUR_OK)
        cut(joined, false, *out);
    return status;
}

/* Makes the matrix B of the level between, and its stage. */
static fur_status take_between(const fur_csr *a, double theta, fur_amg_classical *c)
{
    fur_amg_second *s = c->second;
    FUR_TRY(take_rows(a, c));
    FUR_TRY(fur_spgemm_plan(s->rows, s->first, NULL, &s->times));
    FUR_TRY(fur_spgemm_multiply(s->times, fur_real(1), &s->between));
    return fur_amg_take_stage(s->between, theta, &s->stage, &s->p);
}

/* Makes P as the product of both stages. */
static fur_status join(fur_amg_second *s, fur_csr **out)
{
    FUR_TRY(fur_spgemm_plan(s->first, s->p, NULL, &s->join));
    FUR_TRY(fur_spgemm_multiply(s->join, fur_real(1), &s->joined));
    return take_cut(s->joined, out);
}

fur_status fur_amg_take_second(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **p)
{
    fur_env *env = &a->context->env;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *c->second, &c->second));
    c->second->first = *p;
    fur_status status = take_between(a, theta, c);
    if (status == FUR_OK && c->second->stage.count == 0) {
        c->second->first = NULL;
        fur_amg_release_second(env, c->second);
        c->second = NULL;
        return FUR_OK;
    }
    *p = NULL;
    return status == FUR_OK ? join(c->second, p) : status;
}

/* Products into matrices of their plans do not fail. */
void fur_amg_second_again(const fur_csr *a, const void *classical, fur_csr *to)
{
    const fur_amg_classical *c = classical;
    fur_amg_second *s = c->second;
    fur_amg_interpolate_again(a, c, s->first);
    fill_rows(a, c);
    (void)fur_spgemm_apply(s->times, fur_real(1), s->between);
    fur_amg_interpolate_again(s->between, &s->stage, s->p);
    (void)fur_spgemm_apply(s->join, fur_real(1), s->joined);
    cut(s->joined, true, to);
}

void fur_amg_release_second(fur_env *env, fur_amg_second *s)
{
    if (!s)
        return;
    fur_csr_destroy(s->joined);
    fur_spgemm_destroy(s->join);
    fur_csr_destroy(s->p);
    fur_amg_release_stage(env, &s->stage);
    fur_csr_destroy(s->between);
    fur_spgemm_destroy(s->times);
    fur_csr_destroy(s->rows);
    fur_csr_destroy(s->first);
    fur_env_release(env, s);
}

int64_t fur_amg_second_bytes(const fur_amg_second *s)
{
    const fur_csr *made[] = {s->first, s->rows, s->between, s->p, s->joined};
    int64_t bytes = fur_amg_stage_bytes(&s->stage);
    for (int i = 0; i < 5; i++)
        bytes += fur_csr_bytes(&made[i]->view);
    return bytes;
}
