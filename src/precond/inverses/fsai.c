/* A factorised approximate inverse M = G^H G with G A G^H ~ I. G has the pattern of the lower
 * triangle of a power of A, or positions that are searched row by row. Both halves are products: no
 * row waits for another. */
#include "factor.h"
#include "fsai_search.h"

#include "fsai_kernel.h"
#include "split.h"
#include "team.h"

#include <furrow/spgemm.h>
#include <furrow/spmv.h>

/* Rows keep at most this number of positions, those nearest to the diagonal. Their dense matrices
 * need the square of this number. */
#define MAX_POSITIONS (FUR_FSAI_MAX + 1)
#define ROW_GRAIN 256
/* Threads of a device that each work on one row, and the bytes for their dense matrices, unless
 * even few threads need more. */
#define DEVICE_LANES ((int64_t)1 << 18)
#define DEVICE_LANES_LEAST 1024
#define DEVICE_BYTES ((int64_t)1 << 28)

typedef struct fsai {
    fur_csr *g;
    fur_spmv *first;  /* G */
    fur_spmv *second; /* G^H */
    fur_vector *between;
    int lanes;
    int64_t longest;
    void *work;
} fsai;

/* Makes the pattern of the lower triangle of A^(fill + 1). Its values are undefined. */
static fur_status find_pattern(const fur_csr *a, int fill, fur_csr **out)
{
    const fur_csr *power = a;
    fur_csr *own = NULL;
    fur_status status = FUR_OK;
    for (int k = 0; k < fill && status == FUR_OK; k++) {
        fur_csr *next = NULL;
        status = fur_csr_multiply(power, a, &next);
        fur_csr_destroy(own);
        own = next;
        power = next;
    }
    if (status == FUR_OK)
        status = fur_factors_pattern(power, true, MAX_POSITIONS, out);
    fur_csr_destroy(own);
    return status;
}

static fur_status compute(fur_precond *p, const fsai *own)
{
    fur_fsai_call call = {.env = &p->context->env,
                          .a = &p->a->view,
                          .g = &own->g->view,
                          .values = fur_csr_values(own->g),
                          .lanes = own->lanes,
                          .longest = own->longest,
                          .work = own->work};
    int64_t failed = p->context->backend->fsai(&call);
    return failed < 0
               ? (fur_status)(-1 - failed)
               : fur_context_fail(p->context, FUR_INVALID,
                                  "the submatrix of A for row %lld, counting from 1, of \"fsai\" "
                                  "is not positive definite; try \"ilu0\" or \"jacobi\"",
                                  (long long)failed + 1);
}

/* Returns the number of rows that are computed at once, each in `bytes` bytes. */
static int count_lanes(const fur_context *context, int64_t rows, int64_t bytes)
{
    if (!fur_is_remote(context))
        return fur_lanes(context->env.threads, rows / ROW_GRAIN);
    int64_t lanes = bytes > 0 ? DEVICE_BYTES / bytes : DEVICE_LANES;
    lanes = fur_smaller(fur_larger(lanes, DEVICE_LANES_LEAST), DEVICE_LANES);
    return (int)fur_smaller(lanes, fur_larger(rows, 1));
}

static fur_status make_room(fur_precond *p, fsai *own)
{
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    size_t value = fur_value_size(own->g->view.value_type);
    FUR_TRY(fur_csr_measure(own->g, &figures));
    own->longest = figures.row_max;
    int64_t room = own->longest * own->longest + own->longest;
    own->lanes = count_lanes(p->context, own->g->view.rows, room * (int64_t)value);
    return fur_memory_allocate(p->context, own->lanes * room, value, &own->work);
}

/* The options of a search need a number of steps. */
static fur_status check(fur_context *context, const void *options)
{
    const fur_fsai_options *o = options;
    int grow = o->grow > 0 ? o->grow : 1;
    if (o->steps == 0 && (o->grow > 0 || o->gain > 0))
        return fur_context_fail(
            context, FUR_INVALID,
            "%s of \"fsai\" needs a search of positions; set the option steps, or leave %s out",
            o->grow > 0 ? "grow" : "gain", o->grow > 0 ? "grow" : "gain");
    if (o->steps > FUR_FSAI_MAX / grow)
        return fur_context_fail(
            context, FUR_INVALID,
            "steps times grow of \"fsai\" must be from 0 to %d; it is %d times %d", FUR_FSAI_MAX,
            o->steps, grow);
    if (o->steps > 0 && o->fill > 0)
        return fur_context_fail(context, FUR_INVALID,
                                "\"fsai\" finds its positions by a power of A (option fill) or by "
                                "a search (option steps); set only one option");
    return FUR_OK;
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_fsai_options *o = options;
    const fur_csr_view *a = &p->a->view;
    fur_spmv_options adjoint = {.size = sizeof adjoint, .op = FUR_OP_H};
    fsai *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    FUR_TRY(o->steps > 0 ? fur_fsai_find(p->a, o, &own->g) : find_pattern(p->a, o->fill, &own->g));
    FUR_TRY(make_room(p, own));
    FUR_TRY(compute(p, own));
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->between));
    FUR_TRY(fur_spmv_plan(own->g, NULL, &own->first));
    FUR_TRY(fur_spmv_plan(own->g, &adjoint, &own->second));
    p->report.entries = own->g->view.entries;
    p->report.bytes =
        (double)(fur_spmv_describe(own->first)->bytes + fur_spmv_describe(own->second)->bytes);
    return FUR_OK;
}

static fur_status update(fur_precond *p)
{
    const fsai *own = p->state;
    FUR_TRY(compute(p, own));
    fur_csr_values_changed(own->g);
    return FUR_OK;
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const fsai *own = p->state;
    FUR_TRY(fur_spmv_apply(own->first, fur_real(1), r, fur_real(0), own->between));
    return fur_spmv_apply(own->second, fur_real(1), own->between, fur_real(0), z);
}

static void release(fur_precond *p)
{
    fsai *own = p->state;
    if (!own)
        return;
    fur_spmv_destroy(own->second);
    fur_spmv_destroy(own->first);
    fur_vector_destroy(own->between);
    fur_memory_release(p->context, own->work);
    fur_csr_destroy(own->g);
    fur_env_release(&p->context->env, own);
}

static const fur_option table[] = {
    FUR_OPTION_RANGE(INT, fur_fsai_options, fill, 0, 0, 3,
                     "uses the positions of the power fill + 1 of A"),
    FUR_OPTION_RANGE(INT, fur_fsai_options, steps, 0, 0, FUR_FSAI_MAX,
                     "searches positions row by row, in this number of steps"),
    FUR_OPTION_RANGE(INT, fur_fsai_options, grow, 1, 1, FUR_FSAI_MAX,
                     "entries that each step of the search adds to a row: more make the set-up "
                     "faster, and choose less well"),
    FUR_OPTION_PART(
        fur_fsai_options, gain, 1e-2, FUR_OPTION_TINY,
        "ends the search in a row when a step improves the row by less than this share: "
        "smaller values give more entries and fewer iterations"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_fsai = {
    .info = {"fsai", "factorised approximate inverse, applied by two products; no triangular solve",
             "Kolotilina and Yeremin 1993; Janna and Ferronato 2011"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(table, fur_fsai_options, fsai),
    .symmetric = true,
    .check = check,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
