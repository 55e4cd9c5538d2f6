/* UMFPACK (Davis 2004): complete LU factors of any square matrix. Only its functions are used, by
 * the names of the user guide. The functions for complex matrices have more arguments, because the
 * parts may be in two arrays. */
#include "direct.h"

#include <math.h>

/* Values of the user guide. */
#define CONTROLS 20
#define INFOS 90
#define CONTROL_PIVOT 3 /* a pivot is at least this share of the largest entry of its column */
#define CONTROL_REFINEMENTS 7
#define CONTROL_PIVOT_DIAGONAL 11 /* the same for pivots on the diagonal */
#define INFO_LOWER 43
#define INFO_UPPER 44
#define TRANSPOSED 2 /* A.' x = b */
#define SINGULAR 1
#define NO_MEMORY (-1)

typedef struct umfpack {
    void (*free_symbolic)(void **symbolic);
    void (*free_numeric)(void **numeric);
    union {
        int (*real)(int64_t rows, int64_t cols, const int64_t *start, const int64_t *index,
                    const double *values, void **symbolic, const double *control, double *info);
        int (*complex)(int64_t rows, int64_t cols, const int64_t *start, const int64_t *index,
                       const double *values, const double *imaginary, void **symbolic,
                       const double *control, double *info);
    } symbolic;
    union {
        int (*real)(const int64_t *start, const int64_t *index, const double *values,
                    void *symbolic, void **numeric, const double *control, double *info);
        int (*complex)(const int64_t *start, const int64_t *index, const double *values,
                       const double *imaginary, void *symbolic, void **numeric,
                       const double *control, double *info);
    } factor;
    union {
        int (*real)(int system, const int64_t *start, const int64_t *index, const double *values,
                    double *x, const double *b, void *numeric, const double *control, double *info,
                    int64_t *work_int, double *work);
        int (*complex)(int system, const int64_t *start, const int64_t *index, const double *values,
                       const double *imaginary, double *x, double *x_imaginary, const double *b,
                       const double *b_imaginary, void *numeric, const double *control,
                       double *info, int64_t *work_int, double *work);
    } solve;
    bool complex;
    void *numeric; /* NULL: no factors */
} umfpack;

#define AT(member) offsetof(umfpack, member)
static const fur_direct_function functions[] = {
    {"umfpack_dl_free_symbolic", "umfpack_zl_free_symbolic", AT(free_symbolic)},
    {"umfpack_dl_free_numeric", "umfpack_zl_free_numeric", AT(free_numeric)},
    {"umfpack_dl_symbolic", "umfpack_zl_symbolic", AT(symbolic)},
    {"umfpack_dl_numeric", "umfpack_zl_numeric", AT(factor)},
    {"umfpack_dl_wsolve", "umfpack_zl_wsolve", AT(solve)},
    {NULL, NULL, 0},
};

static int analyse(const umfpack *u, const fur_direct_matrix *a, void **symbolic)
{
    if (u->complex)
        return u->symbolic.complex(a->rows, a->rows, a->offsets, a->columns, a->values, NULL,
                                   symbolic, NULL, NULL);
    return u->symbolic.real(a->rows, a->rows, a->offsets, a->columns, a->values, symbolic, NULL,
                            NULL);
}

static void set_defaults(double control[CONTROLS])
{
    for (int i = 0; i < CONTROLS; i++)
        control[i] = NAN;
}

static int factor(umfpack *u, const fur_direct_matrix *a, void *symbolic, double *info)
{
    double control[CONTROLS];
    set_defaults(control);
    if (a->careful)
        control[CONTROL_PIVOT] = control[CONTROL_PIVOT_DIAGONAL] = 1;
    if (u->complex)
        return u->factor.complex(a->offsets, a->columns, a->values, NULL, symbolic, &u->numeric,
                                 control, info);
    return u->factor.real(a->offsets, a->columns, a->values, symbolic, &u->numeric, control, info);
}

/* Keeps the reason of the library before, which did not take the matrix. */
static fur_direct_outcome make(void *state, const fur_direct_matrix *a, fur_direct_made *made)
{
    umfpack *u = state;
    double info[INFOS] = {0};
    void *symbolic = NULL;
    u->complex = a->complex;
    int status = analyse(u, a, &symbolic);
    if (status == 0)
        status = factor(u, a, symbolic, info);
    if (symbolic)
        u->free_symbolic(&symbolic);
    if (status == SINGULAR)
        return fur_direct_say(made, FUR_DIRECT_SINGULAR, "UMFPACK found a pivot that is 0");
    if (status != 0)
        return fur_direct_say(made, status == NO_MEMORY ? FUR_DIRECT_NO_MEMORY : FUR_DIRECT_FAILED,
                              "UMFPACK failed with status %d", status);
    made->entries = (int64_t)(info[INFO_LOWER] + info[INFO_UPPER]);
    made->bytes = made->entries * (a->complex ? 24 : 16);
    return FUR_DIRECT_MADE;
}

/* Solves without UMFPACK's refinement, which would need A once more. The solver around it uses the
 * true residual. */
static fur_direct_outcome solve(void *state, const fur_direct_vectors *v)
{
    const umfpack *u = state;
    double control[CONTROLS];
    set_defaults(control);
    control[CONTROL_REFINEMENTS] = 0;
    int status = u->complex
                     ? u->solve.complex(TRANSPOSED, NULL, NULL, NULL, NULL, v->x, NULL, v->b, NULL,
                                        u->numeric, control, NULL, v->work_int, v->work)
                     : u->solve.real(TRANSPOSED, NULL, NULL, NULL, v->x, v->b, u->numeric, control,
                                     NULL, v->work_int, v->work);
    return status == 0 ? FUR_DIRECT_MADE : FUR_DIRECT_FAILED;
}

static void drop(void *state)
{
    umfpack *u = state;
    if (u->numeric)
        u->free_numeric(&u->numeric);
    u->numeric = NULL;
}

static const char *const files[] = {"libumfpack.so.6", "libumfpack.so.5", "libumfpack.so", NULL};

const fur_direct_library fur_direct_umfpack = {
    .name = "UMFPACK",
    .files = files,
    .functions = functions,
    .state = sizeof(umfpack),
    .factor = make,
    .solve = solve,
    .drop = drop,
};
