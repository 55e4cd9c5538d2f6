/* The inverse of A by complete factors, which UMFPACK makes and solves with. */
#include "precond.h"
#include "umfpack.h"

#include "value_type.h"

typedef struct direct {
    fur_umfpack umfpack;
    void *numeric; /* NULL: no factors */
    void *entries; /* of a vector of the value type */
    double *b;     /* vectors in double precision */
    double *x;
    double *work;
    int *work_int;
} direct;

static int64_t parts_of(const fur_precond *p)
{
    return p->a->view.rows * fur_value_parts(p->a->view.value_type);
}

static void drop_factors(direct *own)
{
    if (own->numeric)
        own->umfpack.free_numeric(&own->numeric);
    own->numeric = NULL;
}

/* What UMFPACK has made, or why not. */
static fur_status judge(const fur_precond *p, int status)
{
    switch (status) {
    case 0:
        return FUR_OK;
    case FUR_UMFPACK_SINGULAR:
        return fur_context_fail(p->context, FUR_INVALID,
                                "the matrix is singular: UMFPACK met a pivot that is 0");
    case FUR_UMFPACK_NO_MEMORY:
        return fur_context_fail(p->context, FUR_OUT_OF_MEMORY,
                                "no memory for the complete factors of a matrix with %lld rows",
                                (long long)p->a->view.rows);
    default:
        return fur_context_fail(p->context, FUR_INVALID, "UMFPACK failed with its status %d",
                                status);
    }
}

/* The factors of A, a copy of which lies on the host. */
static fur_status factor(fur_precond *p, const fur_csr_view *a, direct *own)
{
    fur_env *env = &p->context->env;
    int64_t parts = a->entries * fur_value_parts(a->value_type);
    fur_status status = FUR_OK;
    int32_t *offsets = NULL;
    double *values = NULL;
    FUR_TRY_DONE(fur_env_allocate(env, a->rows + 1, sizeof *offsets, &offsets));
    FUR_TRY_DONE(fur_env_allocate(env, parts, sizeof *values, &values));
    for (int64_t i = 0; i <= a->rows; i++)
        offsets[i] = (int32_t)fur_offset_at(a, i);
    for (int64_t k = 0; k < parts; k++)
        values[k] = fur_value_part(a->value_type, a->values, k);
    FUR_TRY_DONE(judge(p, fur_umfpack_factor(&own->umfpack, (int)a->rows, offsets, a->columns,
                                             values, &own->numeric, &p->report.entries)));
done:
    fur_env_release(env, values);
    fur_env_release(env, offsets);
    return status;
}

static fur_status update(fur_precond *p)
{
    direct *own = p->state;
    const fur_csr *near;
    fur_csr *copy = NULL;
    drop_factors(own);
    if (p->a->view.rows == 0)
        return FUR_OK;
    if (p->a->view.entries > INT32_MAX)
        return fur_context_fail(p->context, FUR_UNSUPPORTED,
                                "\"direct\" takes up to %d entries, the matrix has %lld", INT32_MAX,
                                (long long)p->a->view.entries);
    FUR_TRY(fur_csr_to_host(p->a, &near, &copy));
    fur_status status = factor(p, &near->view, own);
    fur_csr_destroy(copy);
    if (status != FUR_OK)
        drop_factors(own);
    p->report.bytes = 12.0 * (double)p->report.entries;
    return status;
}

static fur_status create(fur_precond *p, const fur_precond_options *options)
{
    fur_env *env = &p->context->env;
    int64_t n = p->a->view.rows;
    int64_t parts = parts_of(p);
    direct *own;
    (void)options;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *own, &own));
    p->state = own;
    p->waits = true;
    if (!fur_umfpack_open(fur_value_is_complex(p->a->view.value_type), &own->umfpack))
        return fur_context_fail(p->context, FUR_UNSUPPORTED,
                                "\"direct\" needs UMFPACK of SuiteSparse, which was not found; "
                                "install it (libumfpack), or take another preconditioner");
    FUR_TRY(fur_env_allocate(env, n, fur_value_size(p->a->view.value_type), &own->entries));
    FUR_TRY(fur_env_allocate(env, parts, sizeof *own->b, &own->b));
    FUR_TRY(fur_env_allocate(env, parts, sizeof *own->x, &own->x));
    FUR_TRY(fur_env_allocate(env, 4 * n, sizeof *own->work, &own->work));
    FUR_TRY(fur_env_allocate(env, n, sizeof *own->work_int, &own->work_int));
    return update(p);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const direct *own = p->state;
    fur_value_type value = p->a->view.value_type;
    int64_t parts = parts_of(p);
    if (parts == 0)
        return FUR_OK;
    FUR_TRY(fur_vector_download(r, own->entries));
    for (int64_t i = 0; i < parts; i++)
        own->b[i] = fur_value_part(value, own->entries, i);
    FUR_TRY(judge(p, fur_umfpack_solve(&own->umfpack, own->numeric, own->b, own->x, own->work_int,
                                       own->work)));
    for (int64_t i = 0; i < parts; i++) {
        if (fur_value_is_single(value))
            ((float *)own->entries)[i] = (float)own->x[i];
        else
            ((double *)own->entries)[i] = own->x[i];
    }
    return fur_vector_upload(own->entries, z);
}

static void release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    direct *own = p->state;
    if (!own)
        return;
    drop_factors(own);
    fur_umfpack_close(&own->umfpack);
    fur_env_release(env, own->work_int);
    fur_env_release(env, own->work);
    fur_env_release(env, own->x);
    fur_env_release(env, own->b);
    fur_env_release(env, own->entries);
    fur_env_release(env, own);
}

const fur_precond_kind fur_precond_direct = {
    .info = {"direct",
             "complete LU factors, by UMFPACK where the machine has it: for what resists all else",
             "Davis 2004"},
    .place = FUR_PRECOND_ANYWHERE,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
