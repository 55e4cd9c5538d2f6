/* A sparse approximate inverse. M has the positions of A, or of its diagonal. M A is nearest to I
 * in the Frobenius norm (Grote and Huckle 1997). Each row m of M is a separate least-squares
 * problem. With J its columns, it is min || m A(J, :) - e ||, solved by Householder's QR. */
#include "precond.h"

#include "split.h"
#include "team.h"

#include <furrow/spmv.h>

/* If a row of A is longer, the same row of M has only the diagonal's position, and no other row of
 * M has a position in this column. */
#define LONGEST_ROW 128
#define ROW_GRAIN 256

typedef struct spai {
    bool diagonal; /* M has the diagonal's positions alone */
    fur_csr *m;
    fur_spmv *plan;
    /* Arguments of the kernels: fur_spai_call. */
    int lanes;
    int64_t room;
    int64_t longest;
    void *dense;
    int32_t *columns;
    int32_t *places;
    int64_t failed; /* first row without a usable result, or the number of rows */
} spai;

static int64_t length_of(const fur_csr_view *a, int64_t i)
{
    return fur_offset_at(a, i + 1) - fur_offset_at(a, i);
}

/* Writes the positions of a row of M, each once, unless `columns` is NULL. Returns their number. */
static int64_t list_row(const fur_csr_view *a, bool diagonal, int64_t i, int32_t *columns)
{
    int64_t count = 0;
    int32_t last = -1;
    bool alone = diagonal || length_of(a, i) > LONGEST_ROW;
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
        int32_t j = a->columns[k];
        bool taken = j == i || (!alone && length_of(a, j) <= LONGEST_ROW);
        if (j != last && taken) {
            if (columns)
                columns[count] = j;
            count++;
        }
        last = j;
    }
    return count;
}

/* The pattern of M. */
static fur_status make_pattern(const fur_csr *a, bool diagonal, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *starts, &starts));
    starts[0] = 0;
    for (int64_t i = 0; i < n; i++)
        starts[i + 1] = starts[i] + list_row(&a->view, diagonal, i, NULL);
    fur_status status = fur_csr_allocate(a->context, n, n, starts[n], a->view.value_type,
                                         fur_offset_for(starts[n]), out);
    if (status == FUR_OK) {
        fur_csr_set_offsets(*out, starts);
        for (int64_t i = 0; i < n && starts[n] > 0; i++)
            list_row(&a->view, diagonal, i, fur_csr_columns(*out) + starts[i]);
    }
    fur_env_release(env, starts);
    return status;
}

/* Allocates memory for the largest problem, for each lane. */
static fur_status make_room(const fur_csr *a, const fur_csr_view *m, spai *own)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t tall = 0;
        for (int64_t k = fur_offset_at(m, i); k < fur_offset_at(m, i + 1); k++)
            tall += length_of(&a->view, m->columns[k]);
        tall = fur_smaller(tall, n);
        own->longest = fur_larger(own->longest, fur_larger(tall, length_of(m, i)));
        own->room = fur_larger(own->room, tall * length_of(m, i));
    }
    own->lanes = fur_lanes(env->threads, n / ROW_GRAIN);
    FUR_TRY(fur_env_allocate(env, own->lanes * (own->room + own->longest),
                             fur_value_size(m->value_type), &own->dense));
    FUR_TRY(fur_env_allocate(env, own->lanes * own->longest, sizeof *own->columns, &own->columns));
    FUR_TRY(fur_env_allocate(env, own->lanes * n, sizeof *own->places, &own->places));
    for (int64_t k = 0; k < own->lanes * n; k++)
        own->places[k] = -1;
    return FUR_OK;
}

/* The values of M. */
static void compute(const fur_csr *a, const void *arguments, fur_csr *m)
{
    spai *own = *(spai *const *)arguments;
    fur_spai_call call = {.env = &a->context->env,
                          .asks = !own->m, /* M is not in use yet */
                          .a = &a->view,
                          .m = &m->view,
                          .values = fur_csr_values(m),
                          .lanes = own->lanes,
                          .room = own->room,
                          .longest = own->longest,
                          .dense = own->dense,
                          .columns = own->columns,
                          .places = own->places};
    own->failed = a->context->backend->spai(&call);
}

static fur_status make(const fur_csr *a, const void *arguments, fur_csr **out)
{
    spai *own = *(spai *const *)arguments;
    fur_csr *m;
    FUR_TRY(make_pattern(a, own->diagonal, &m));
    fur_status status = make_room(a, &m->view, own);
    if (status != FUR_OK) {
        fur_csr_destroy(m);
        return status;
    }
    compute(a, arguments, m);
    *out = m;
    return FUR_OK;
}

static fur_status check(const fur_precond *p, const spai *own)
{
    if (own->failed == p->a->view.rows)
        return FUR_OK;
    if (own->failed < 0)
        return fur_context_fail(p->context, FUR_CANCELLED,
                                "stopped by the caller's function interrupted()");
    return fur_context_fail(p->context, FUR_INVALID,
                            "row %lld, counting from 1, of the approximate inverse \"spai\" is 0 "
                            "or not finite; try \"ilut\"",
                            (long long)own->failed + 1);
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_spai_options *o = options;
    spai *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->diagonal = o->diagonal != 0;
    FUR_TRY(fur_csr_on_host(p->a, make, &own, &own->m));
    FUR_TRY(check(p, own));
    FUR_TRY(fur_spmv_plan(own->m, NULL, &own->plan));
    p->report.symmetric = own->diagonal;
    p->report.entries = own->m->view.entries;
    p->report.bytes = (double)fur_spmv_describe(own->plan)->bytes;
    return FUR_OK;
}

static fur_status update(fur_precond *p)
{
    spai *own = p->state;
    FUR_TRY(fur_csr_fill_on_host(p->a, compute, &own, own->m));
    FUR_TRY(check(p, own));
    fur_csr_values_changed(own->m);
    return FUR_OK;
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const spai *own = p->state;
    return fur_spmv_apply(own->plan, fur_real(1), r, fur_real(0), z);
}

static void release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    spai *own = p->state;
    if (!own)
        return;
    fur_spmv_destroy(own->plan);
    fur_csr_destroy(own->m);
    fur_env_release(env, own->places);
    fur_env_release(env, own->columns);
    fur_env_release(env, own->dense);
    fur_env_release(env, own);
}

static const fur_option table[] = {
    FUR_OPTION_YES(fur_spai_options, diagonal, "uses the positions of the diagonal only"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_spai = {
    .info = {"spai",
             "sparse approximate inverse in A's pattern or on its diagonal, applied by one "
             "product; for all matrices",
             "Grote and Huckle 1997"},
    .place = FUR_PRECOND_ANYWHERE,
    .table = FUR_PRECOND_TABLE(table, fur_spai_options, spai),
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
