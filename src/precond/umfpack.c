/* UMFPACK, found at run time. */
#include "umfpack.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>

/* Of the user guide. */
#define CONTROLS 20
#define INFOS 90
#define CONTROL_REFINEMENTS 7
#define INFO_LOWER 43
#define INFO_UPPER 44
#define TRANSPOSED 2 /* A.' x = b */

static void *open_library(void)
{
    static const char *const names[] = {"libumfpack.so.6", "libumfpack.so.5", "libumfpack.so"};
    void *library = NULL;
    for (int i = 0; !library && i < (int)(sizeof names / sizeof *names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library;
}

bool fur_umfpack_open(bool complex, fur_umfpack *out)
{
    static const char *const names[][5] = {
        {"umfpack_di_free_symbolic", "umfpack_di_free_numeric", "umfpack_di_symbolic",
         "umfpack_di_numeric", "umfpack_di_wsolve"},
        {"umfpack_zi_free_symbolic", "umfpack_zi_free_numeric", "umfpack_zi_symbolic",
         "umfpack_zi_numeric", "umfpack_zi_wsolve"}};
    const char *const *name = names[complex];
    fur_umfpack u = {.library = open_library(), .complex = complex};
    if (!u.library)
        return false;
    *(void **)&u.free_symbolic = dlsym(u.library, name[0]);
    *(void **)&u.free_numeric = dlsym(u.library, name[1]);
    *(void **)&u.symbolic = dlsym(u.library, name[2]);
    *(void **)&u.numeric = dlsym(u.library, name[3]);
    *(void **)&u.solve = dlsym(u.library, name[4]);
    if (!u.free_symbolic || !u.free_numeric || !u.symbolic.real || !u.numeric.real ||
        !u.solve.real) {
        fur_umfpack_close(&u);
        return false;
    }
    *out = u;
    return true;
}

void fur_umfpack_close(fur_umfpack *u)
{
    if (u->library)
        dlclose(u->library);
    u->library = NULL;
}

static int analyse(const fur_umfpack *u, int n, const int *offsets, const int *columns,
                   const double *values, void **symbolic)
{
    if (u->complex)
        return u->symbolic.complex(n, n, offsets, columns, values, NULL, symbolic, NULL, NULL);
    return u->symbolic.real(n, n, offsets, columns, values, symbolic, NULL, NULL);
}

int fur_umfpack_factor(const fur_umfpack *u, int n, const int *offsets, const int *columns,
                       const double *values, void **numeric, int64_t *entries)
{
    double info[INFOS] = {0};
    void *symbolic = NULL;
    int status = analyse(u, n, offsets, columns, values, &symbolic);
    if (status == 0 && u->complex)
        status = u->numeric.complex(offsets, columns, values, NULL, symbolic, numeric, NULL, info);
    else if (status == 0)
        status = u->numeric.real(offsets, columns, values, symbolic, numeric, NULL, info);
    if (symbolic)
        u->free_symbolic(&symbolic);
    *entries = (int64_t)(info[INFO_LOWER] + info[INFO_UPPER]);
    return status;
}

/* Without its own refinement, which would need A once more: the solver around it has the true
 * residual. */
int fur_umfpack_solve(const fur_umfpack *u, void *numeric, const double *b, double *x,
                      int *work_int, double *work)
{
    double control[CONTROLS];
    for (int i = 0; i < CONTROLS; i++)
        control[i] = NAN;
    control[CONTROL_REFINEMENTS] = 0;
    if (u->complex)
        return u->solve.complex(TRANSPOSED, NULL, NULL, NULL, NULL, x, NULL, b, NULL, numeric,
                                control, NULL, work_int, work);
    return u->solve.real(TRANSPOSED, NULL, NULL, NULL, x, b, numeric, control, NULL, work_int,
                         work);
}
