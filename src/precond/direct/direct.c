/* The inverse of A by complete factors. A library that is installed makes them and solves with
 * them: the first library that accepts the matrix. */
#include "direct.h"

#include <furrow/solver.h>

#include "hash.h"
#include "precond.h"
#include "value_type.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define FUR_DIRECT(library) extern const fur_direct_library library;
#include "direct_libraries.def"
#undef FUR_DIRECT

#define FUR_DIRECT(library) &library,
static const fur_direct_library *const libraries[] = {
#include "direct_libraries.def"
};
#undef FUR_DIRECT

#define LIBRARY_COUNT ((int)(sizeof libraries / sizeof *libraries))
#define WORK 4 /* numbers a row */

/* Largest backward error of stable factors. It is near epsilon for nearly all matrices. */
#define BACKWARD_MAX 1e-10

typedef struct direct {
    void *handle;                      /* of the open library */
    const fur_direct_library *library; /* NULL: none is open */
    void *state;                       /* of it */
    fur_direct_made made;
    void *entries; /* of a vector of the value type */
    fur_direct_vectors vectors;
} direct;

fur_direct_outcome fur_direct_say(fur_direct_made *made, fur_direct_outcome outcome,
                                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made->reason, sizeof made->reason, format, arguments);
    va_end(arguments);
    return outcome;
}

static bool is_complex(const fur_precond *p)
{
    return fur_value_is_complex(p->a->view.value_type);
}

static int64_t parts_of(const fur_precond *p)
{
    return p->a->view.rows * fur_value_parts(p->a->view.value_type);
}

/* Returns true if the library has all functions. Stores their addresses in the state. */
static bool find_functions(void *handle, bool complex, const fur_direct_function *f, void *state)
{
    for (; f->real; f++) {
        void *address = dlsym(handle, complex ? f->complex : f->real);
        if (!address)
            return false;
        *(void **)((char *)state + f->at) = address;
    }
    return true;
}

static void close_library(fur_precond *p)
{
    direct *own = p->state;
    if (own->library)
        own->library->drop(own->state);
    if (own->handle)
        dlclose(own->handle);
    fur_env_release(&p->context->env, own->state);
    own->library = NULL;
    own->handle = NULL;
    own->state = NULL;
}

/* Opens a library; own->library stays NULL if the machine does not have it. */
static fur_status open_library(fur_precond *p, const fur_direct_library *library)
{
    direct *own = p->state;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, library->state, &own->state));
    for (const char *const *file = library->files; *file && !own->handle; file++)
        own->handle = dlopen(*file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (own->handle && find_functions(own->handle, is_complex(p), library->functions, own->state))
        own->library = library;
    return FUR_OK;
}

/* Turns the outcome of the libraries into a status and a report. */
static fur_status judge(const fur_precond *p, fur_direct_outcome outcome)
{
    const direct *own = p->state;
    switch (outcome) {
    case FUR_DIRECT_MADE:
        return FUR_OK;
    case FUR_DIRECT_SINGULAR:
        return fur_context_fail(p->context, FUR_INVALID, "the matrix is singular: %s",
                                own->made.reason);
    case FUR_DIRECT_NO_MEMORY:
        return fur_context_fail(p->context, FUR_OUT_OF_MEMORY,
                                "out of memory for the complete factors of a matrix with %lld rows",
                                (long long)p->a->view.rows);
    default:
        return fur_context_fail(p->context, FUR_UNSUPPORTED,
                                "complete factors could not be computed: %s", own->made.reason);
    }
}

static void describe(fur_precond *p)
{
    const direct *own = p->state;
    p->report.entries = own->made.entries;
    p->report.bytes = (double)own->made.bytes;
    snprintf(p->report.note, sizeof p->report.note, "%s%s%s", own->library->name,
             *own->made.reason ? ": " : "", own->made.reason);
}

/* Adds A x to y, or subtracts it. Returns the largest sum of |re| + |im| along a row of A. */
static double add_product(const fur_direct_matrix *a, double sign, const double *x, double *y)
{
    const int parts = a->complex ? 2 : 1;
    double norm = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; k++) {
            const double *v = &a->values[k * parts];
            const double *from = &x[a->columns[k] * parts];
            double im = a->complex ? v[1] : 0;
            sum += fabs(v[0]) + fabs(im);
            y[i * parts] += sign * (v[0] * from[0] - (a->complex ? im * from[1] : 0));
            if (a->complex)
                y[i * parts + 1] += sign * (v[0] * from[1] + im * from[0]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

static double largest(int64_t count, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

/* Returns whether a system with known solution is solved with a small backward error. Pivots that
 * are chosen for little fill-in may make the entries of factors grow without limit. */
static bool is_stable(const direct *own, const fur_direct_matrix *a)
{
    const fur_direct_vectors *v = &own->vectors;
    const int64_t parts = a->rows * (a->complex ? 2 : 1);
    for (int64_t i = 0; i < parts; i++) {
        v->x[i] = fur_hashed_number((uint64_t)i);
        v->b[i] = 0;
    }
    double norm = add_product(a, 1, v->x, v->b);
    double size = largest(parts, v->b);
    if (own->library->solve(own->state, v) != FUR_DIRECT_MADE)
        return false;
    size += norm * largest(parts, v->x);
    add_product(a, -1, v->x, v->b);
    return largest(parts, v->b) <= BACKWARD_MAX * size;
}

/* Makes factors by the open library, with larger pivots if the first factors are unstable. */
static fur_direct_outcome factor_safely(direct *own, fur_direct_matrix *a)
{
    a->careful = false;
    fur_direct_outcome outcome = own->library->factor(own->state, a, &own->made);
    if (outcome != FUR_DIRECT_MADE || is_stable(own, a))
        return outcome;
    own->library->drop(own->state);
    a->careful = true;
    return own->library->factor(own->state, a, &own->made);
}

/* Asks the libraries, one after the other. */
static fur_status factor(fur_precond *p, fur_direct_matrix *a)
{
    direct *own = p->state;
    fur_direct_outcome outcome = FUR_DIRECT_PASSED;
    int found = 0;
    own->made = (fur_direct_made){.entries = 0};
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        FUR_TRY(open_library(p, libraries[i]));
        found += own->library != NULL;
        if (own->library)
            outcome = factor_safely(own, a);
        if (own->library && outcome == FUR_DIRECT_MADE) {
            describe(p);
            return FUR_OK;
        }
        close_library(p);
    }
    if (found == 0)
        return fur_context_fail(
            p->context, FUR_UNSUPPORTED,
            "\"direct\" needs UMFPACK, CHOLMOD or KLU of SuiteSparse, and none was found; install "
            "one (libumfpack), or use another preconditioner");
    return judge(p, outcome);
}

/* Copies the rows of A. Entries at the same position are added. */
static void copy_rows(const fur_csr_view *a, fur_direct_matrix *out)
{
    const int parts = fur_value_parts(a->value_type);
    int64_t at = 0;
    out->offsets[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
            bool again = at > out->offsets[i] && out->columns[at - 1] == a->columns[k];
            at += !again;
            out->columns[at - 1] = a->columns[k];
            for (int part = 0; part < parts; part++) {
                double *to = &out->values[(at - 1) * parts + part];
                *to =
                    (again ? *to : 0) + fur_value_part(a->value_type, a->values, k * parts + part);
            }
        }
        out->offsets[i + 1] = at;
    }
}

/* Examines A. FUR_INVALID if an entry is nonfinite. */
static fur_status examine(const fur_precond *p, fur_direct_matrix *out)
{
    fur_csr_traits t = {.size = sizeof t};
    FUR_TRY(fur_csr_examine(p->a, &t));
    if (t.hermitian)
        out->definite = t.diagonal_negative == t.rows                           ? -1
                        : t.diagonal_positive == t.rows && t.indefinite_row < 0 ? 1
                                                                                : 0;
    if (t.nonfinite_row < 0)
        return FUR_OK;
    return fur_context_fail(p->context, FUR_INVALID,
                            "entry (%lld, %lld) of the matrix, counting from 1, is not finite, so "
                            "the matrix has no factors",
                            (long long)t.nonfinite_row + 1, (long long)t.nonfinite_col + 1);
}

/* Factors A, of which `near` is a copy on the host. */
static fur_status take(fur_precond *p, const fur_csr *near)
{
    fur_env *env = &p->context->env;
    const fur_csr_view *v = &near->view;
    fur_direct_matrix a = {.rows = v->rows, .complex = is_complex(p)};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(examine(p, &a));
    FUR_TRY_DONE(fur_env_allocate(env, v->rows + 1, sizeof *a.offsets, &a.offsets));
    FUR_TRY_DONE(fur_env_allocate(env, v->entries, sizeof *a.columns, &a.columns));
    FUR_TRY_DONE(fur_env_allocate(env, v->entries * fur_value_parts(v->value_type),
                                  sizeof *a.values, &a.values));
    copy_rows(v, &a);
    FUR_TRY_DONE(factor(p, &a));
done:
    fur_env_release(env, a.values);
    fur_env_release(env, a.columns);
    fur_env_release(env, a.offsets);
    return status;
}

static fur_status update(fur_precond *p)
{
    const fur_csr *near;
    fur_csr *copy = NULL;
    close_library(p);
    if (p->a->view.rows == 0)
        return FUR_OK;
    FUR_TRY(fur_csr_to_host(p->a, &near, &copy));
    fur_status status = take(p, near);
    fur_csr_destroy(copy);
    if (status != FUR_OK)
        close_library(p);
    return status;
}

static fur_status create(fur_precond *p, const void *options)
{
    fur_env *env = &p->context->env;
    const int64_t n = p->a->view.rows;
    const int64_t parts = parts_of(p);
    direct *own;
    (void)options;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *own, &own));
    p->state = own;
    p->waits = true;
    fur_direct_vectors *v = &own->vectors;
    v->rows = n;
    FUR_TRY(fur_env_allocate(env, n, fur_value_size(p->a->view.value_type), &own->entries));
    FUR_TRY(fur_env_allocate(env, parts, sizeof *v->b, &v->b));
    FUR_TRY(fur_env_allocate(env, parts, sizeof *v->x, &v->x));
    FUR_TRY(fur_env_allocate(env, WORK * n, sizeof *v->work, &v->work));
    FUR_TRY(fur_env_allocate(env, n, sizeof *v->work_int, &v->work_int));
    return update(p);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    direct *own = p->state;
    const fur_direct_vectors *v = &own->vectors;
    const fur_value_type value = p->a->view.value_type;
    const int64_t parts = parts_of(p);
    if (parts == 0)
        return FUR_OK;
    FUR_TRY(fur_vector_download(r, own->entries));
    for (int64_t i = 0; i < parts; i++)
        v->b[i] = fur_value_part(value, own->entries, i);
    FUR_TRY(judge(p, own->library->solve(own->state, v)));
    for (int64_t i = 0; i < parts; i++) {
        if (fur_value_is_single(value))
            ((float *)own->entries)[i] = (float)v->x[i];
        else
            ((double *)own->entries)[i] = v->x[i];
    }
    return fur_vector_upload(own->entries, z);
}

static void release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    direct *own = p->state;
    if (!own)
        return;
    close_library(p);
    fur_env_release(env, own->vectors.work_int);
    fur_env_release(env, own->vectors.work);
    fur_env_release(env, own->vectors.x);
    fur_env_release(env, own->vectors.b);
    fur_env_release(env, own->entries);
    fur_env_release(env, own);
}

const fur_precond_kind fur_precond_direct = {
    .info = {"direct",
             "complete factors by CHOLMOD, KLU or UMFPACK, if one is installed: for systems on "
             "which all other kinds fail",
             "Davis 2004"},
    .place = FUR_PRECOND_ANYWHERE,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
