/* Preconditioners for all ranks. Each uses one rank's preconditioner of its block or of the whole
 * matrix. */
#include <furrow/author/operator.h>
#include <furrow/author/precond.h>
#include <furrow/author/sharing.h>
#include <furrow/ranks_precond.h>

#include "devices.h"
#include "rows.h"
#include "take_options.h"

#include <furrow/solver.h>

#include <string.h>

/* Levels of shared multigrid with at most this number of rows are stored whole on every rank. */
#define WHOLE_ROWS 20000

struct fur_ranks_precond {
    fur_ranks_csr *a;
    bool whole;
    bool exact;
    fur_context *context; /* private to this rank */
    fur_csr *matrix;
    fur_precond *made; /* NULL: the rank has no rows */
    fur_amg *amg;      /* multigrid whose cycles are shared; NULL: nothing is shared */
    space messages;    /* of the shared cycles */
    fur_vector *r;     /* entries of all ranks, for the whole matrix; z is the same */
    fur_vector *z;
    char *mine; /* buffer for gathering r of all ranks by messages */
    char *all;
    fur_operator *operator;
};

/* Copies of the caller's options. */
typedef struct request {
    fur_ranks_precond_options own;
    fur_precond_options precond;
    fur_amg_options amg;
} request;

static bool is_kind(const fur_precond_options *options, const char *name)
{
    const fur_method_info *kind = fur_precond_find(options->kind ? options->kind : "jacobi");
    return kind && strcmp(kind->name, name) == 0;
}

static fur_status take_request(fur_ranks *g, const fur_ranks_precond_options *given, request *r)
{
    RANKS_TAKE_OPTIONS(g, fur_ranks_precond_options, &r->own, given);
    RANKS_TAKE_OPTIONS(g, fur_precond_options, &r->precond, r->own.precond);
    RANKS_TAKE_OPTIONS(g, fur_amg_options, &r->amg, r->precond.amg);
    return FUR_OK;
}

/* Gathers r of all ranks by messages. */
static fur_status gather_messages(fur_ranks_precond *p, const fur_vector *r)
{
    fur_ranks *g = p->a->group;
    const int64_t *bounds = p->a->bounds;
    size_t size = fur_value_size(p->a->report.value_type);
    size_t own = (size_t)fur_vector_size(r) * size;
    int64_t most = 0;
    for (int i = 0; i < g->count; i++)
        most = bounds[i + 1] - bounds[i] > most ? bounds[i + 1] - bounds[i] : most;
    if (own > 0)
        memcpy(p->mine, fur_vector_const_data(r), own);
    memset(p->mine + own, 0, (size_t)most * size - own);
    FUR_TRY(group_gather(g, p->mine, (size_t)most * size, p->all));
    char *to = fur_vector_data(p->r);
    for (int i = 0; i < g->count; i++)
        memcpy(to + (size_t)bounds[i] * size, p->all + (size_t)(i * most) * size,
               (size_t)(bounds[i + 1] - bounds[i]) * size);
    return FUR_OK;
}

/* Gathers r of all ranks, between GPUs (the host does not wait) or else by messages. */
static fur_status gather(fur_ranks_precond *p, const fur_vector *r)
{
    size_t size = fur_value_size(p->a->report.value_type);
    return p->a->space.seat ? devices_gather(&p->a->space, p->a->bounds, size,
                                             fur_vector_const_data(r), fur_vector_data(p->r))
                            : gather_messages(p, r);
}

/* Passes a failure of the preconditioner on to the matrix's context. */
static fur_status pass_on(const fur_ranks_precond *p, fur_status status)
{
    return status == FUR_OK
               ? FUR_OK
               : fur_context_fail(p->a->context, status, "%s", fur_context_error(p->context));
}

/* z = M r for this rank's rows, or with multigrid whose cycles are shared. Works in the memory of
 * both vectors. */
static fur_status apply_own(fur_ranks_precond *p, const fur_vector *r, fur_vector *z)
{
    fur_value_type value = p->a->report.value_type;
    int64_t own = fur_vector_size(r);
    void *from = (void *)(uintptr_t)fur_vector_const_data(r);
    fur_vector *in = NULL;
    fur_vector *out = NULL;
    fur_status status = fur_vector_wrap(p->context, value, own, from, FUR_OWNERSHIP_BORROW, &in);
    if (status == FUR_OK)
        status =
            fur_vector_wrap(p->context, value, own, fur_vector_data(z), FUR_OWNERSHIP_BORROW, &out);
    if (status == FUR_OK)
        status = p->amg ? fur_amg_apply(p->amg, in, out) : fur_precond_apply(p->made, in, out);
    fur_vector_destroy(in);
    fur_vector_destroy(out);
    return pass_on(p, status);
}

/* z = this rank's rows of M r, where M is the preconditioner of the whole matrix. */
static fur_status apply_whole(fur_ranks_precond *p, const fur_vector *r, fur_vector *z)
{
    size_t size = fur_value_size(p->a->report.value_type);
    size_t first = (size_t)p->a->bounds[p->a->group->rank] * size;
    fur_vector *part;
    FUR_TRY(space_pass(&p->a->space, gather(p, r)));
    FUR_TRY(pass_on(p, fur_precond_apply(p->made, p->r, p->z)));
    if (fur_vector_size(z) == 0)
        return FUR_OK;
    FUR_TRY(pass_on(p, fur_vector_wrap(p->context, p->a->report.value_type, fur_vector_size(z),
                                       (char *)fur_vector_data(p->z) + first, FUR_OWNERSHIP_BORROW,
                                       &part)));
    fur_status status = fur_vector_copy(part, z);
    fur_vector_destroy(part);
    return pass_on(p, status);
}

static fur_status apply(void *user, const fur_vector *r, fur_vector *z)
{
    fur_ranks_precond *p = user;
    if (!p->made)
        return FUR_OK;
    return p->whole && !p->amg ? apply_whole(p, r, z) : apply_own(p, r, z);
}

/* Makes the block or the whole matrix in its own context. */
static fur_status make_matrix(fur_ranks_precond *p)
{
    const fur_ranks_csr *a = p->a;
    csr_rows mine = {.rows = 0};
    csr_rows all = {.rows = 0};
    fur_status status = rows_take(a, !p->whole, &mine);
    if (status == FUR_OK && p->whole)
        status = rows_gather(a, &mine, &all);
    if (status == FUR_OK) {
        const csr_rows *r = p->whole ? &all : &mine;
        fur_csr_view view = {.size = sizeof view,
                             .rows = r->rows,
                             .cols = r->rows,
                             .entries = r->entries,
                             .value_type = a->report.value_type,
                             .offset_type = FUR_I64,
                             .offsets = r->offsets,
                             .columns = r->columns,
                             .values = r->values};
        status = group_pass_on(a->group, p->context,
                               fur_csr_create(p->context, &view, FUR_OWNERSHIP_COPY, &p->matrix));
    }
    rows_release(a, &mine);
    rows_release(a, &all);
    return status;
}

/* Allocates buffers to gather r. */
static fur_status make_room(fur_ranks_precond *p)
{
    fur_ranks *g = p->a->group;
    size_t size = fur_value_size(p->a->report.value_type);
    int64_t most = 0;
    for (int i = 0; i < g->count; i++)
        if (p->a->bounds[i + 1] - p->a->bounds[i] > most)
            most = p->a->bounds[i + 1] - p->a->bounds[i];
    FUR_TRY(group_allocate(g, most, size, &p->mine));
    return group_allocate(g, most * g->count, size, &p->all);
}

/* Shares the cycles of multigrid on the CPU. p->amg stays NULL if they cannot be shared. */
static fur_status share(fur_ranks_precond *p, int64_t whole_rows)
{
    fur_amg *amg = fur_precond_hierarchy(p->made);
    if (!amg || !p->whole || p->a->group->count == 1 || p->a->space.seat)
        return FUR_OK;
    p->messages = (space){.group = p->a->group, .context = p->context};
    fur_sharing sharing = space_sharing(&p->messages, p->a->bounds);
    fur_status status = fur_amg_share(amg, &sharing, whole_rows > 0 ? whole_rows : WHOLE_ROWS);
    if (status == FUR_OK)
        p->amg = amg;
    return status == FUR_UNSUPPORTED ? FUR_OK : status;
}

static fur_status make(fur_ranks_precond *p, const request *r)
{
    fur_value_type value = p->a->report.value_type;
    int64_t rows = fur_csr_get(p->matrix)->rows;
    if (rows > 0)
        FUR_TRY(fur_precond_create(p->matrix, &r->precond, &p->made));
    FUR_TRY(share(p, r->own.whole_rows));
    if (!p->whole || p->amg)
        return FUR_OK;
    FUR_TRY(fur_vector_create(p->context, value, rows, &p->r));
    return fur_vector_create(p->context, value, rows, &p->z);
}

/* Jacobi's preconditioner comes from the matrix's operator, so that solvers recognise it. */
static fur_status make_operator(fur_ranks_precond *p, bool jacobi)
{
    const fur_ranks_csr *a = p->a;
    if (jacobi)
        return fur_operator_jacobi(a->operator, & p->operator);
    int64_t own = a->bounds[a->group->rank + 1] - a->bounds[a->group->rank];
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = own,
                                          .cols = own,
                                          .value_type = a->report.value_type,
                                          .user = p,
                                          .apply = apply};
    return fur_operator_create(a->context, &definition, &p->operator);
}

static fur_status check(const fur_ranks_csr *a, const request *r)
{
    fur_ranks *g = a->group;
    if (r->own.whole_rows < 0)
        return group_fail(g, FUR_INVALID, "whole_rows must not be negative");
    if (a->report.rows != a->report.cols)
        return group_fail(g, FUR_INVALID,
                          "a preconditioner needs a square matrix; this one is %lld x %lld",
                          (long long)a->report.rows, (long long)a->report.cols);
    if (r->amg.near_nullspace)
        return group_fail(g, FUR_UNSUPPORTED,
                          "multigrid on several ranks accepts no near-nullspace");
    return FUR_OK;
}

static fur_status create(fur_ranks_precond *p, const fur_ranks_precond_options *options)
{
    request r;
    fur_ranks *g = p->a->group;
    fur_context_options own = {.size = sizeof own,
                               .threads = g->options.threads,
                               .isa = g->options.isa,
                               .allocator = g->options.allocator};
    FUR_TRY(take_request(g, options, &r));
    FUR_TRY(check(p->a, &r));
    p->whole = r.own.whole != 0;
    p->exact = p->whole || g->count == 1 || is_kind(&r.precond, "jacobi");
    if (p->a->space.seat)
        devices_seat(&p->a->space, &own);
    FUR_TRY(group_pass_on(g, NULL, fur_context_create(&own, &p->context)));
    FUR_TRY(make_matrix(p));
    FUR_TRY(p->whole ? make_room(p) : FUR_OK);
    FUR_TRY(group_pass_on(g, p->context, make(p, &r)));
    return group_pass_on(g, p->a->context, make_operator(p, is_kind(&r.precond, "jacobi")));
}

fur_status fur_ranks_precond_create(const fur_ranks_csr *a,
                                    const fur_ranks_precond_options *options,
                                    fur_ranks_precond **out)
{
    fur_ranks_precond *p = NULL;
    if (!a || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = group_allocate(a->group, 1, sizeof *p, &p);
    if (status == FUR_OK) {
        memset(p, 0, sizeof *p);
        p->a = (fur_ranks_csr *)(uintptr_t)a;
        status = create(p, options);
    }
    status = fur_ranks_agree(a->group, status);
    if (status == FUR_OK)
        *out = p;
    else
        fur_ranks_precond_destroy(p);
    return status;
}

void fur_ranks_precond_destroy(fur_ranks_precond *p)
{
    if (!p)
        return;
    fur_ranks *g = p->a->group;
    fur_operator_destroy(p->operator);
    fur_vector_destroy(p->r);
    fur_vector_destroy(p->z);
    fur_precond_destroy(p->made);
    fur_csr_destroy(p->matrix);
    fur_context_destroy(p->context);
    group_release(g, p->mine);
    group_release(g, p->all);
    group_release(g, p);
}

const fur_operator *fur_ranks_precond_operator(const fur_ranks_precond *p)
{
    return p ? p->operator: NULL;
}

const fur_precond_report *fur_ranks_precond_describe(const fur_ranks_precond *p)
{
    return fur_precond_describe(p ? p->made : NULL);
}

static bool is_real(fur_value_type value)
{
    return value == FUR_F32 || value == FUR_F64;
}

int fur_ranks_precond_hermitian(const fur_ranks_precond *p)
{
    fur_csr_traits traits = FUR_DEFAULT(fur_csr_traits);
    const fur_precond_report *report = fur_ranks_precond_describe(p);
    if (!report) /* this rank has no rows */
        return p != NULL;
    if (strcmp(report->kind, "jacobi") == 0 && is_real(p->a->report.value_type))
        return 1;
    return report->symmetric && fur_csr_examine(p->matrix, &traits) == FUR_OK && traits.hermitian;
}

int fur_ranks_precond_exact(const fur_ranks_precond *p)
{
    return p && p->exact;
}
