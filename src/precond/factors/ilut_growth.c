#include "ilut_growth.h"

#include "hash.h"
#include "scalar.h"

#include <math.h>

static double sign_of(int64_t i)
{
    return fur_hashed_number((uint64_t)i) < 0 ? -1 : 1;
}

/* z_i -= f times z_j */
static void subtract(double *z, int64_t i, int64_t j, fur_scalar f)
{
    z[2 * i] -= f.re * z[2 * j] - f.im * z[2 * j + 1];
    z[2 * i + 1] -= f.re * z[2 * j + 1] + f.im * z[2 * j];
}

/* z_i = (A s)_i - sum of L z of the rows before */
static void go_forward(const fur_csr_view *a, const fur_ilut_rows *f, int64_t i, double *z)
{
    z[2 * i] = z[2 * i + 1] = 0;
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
        fur_scalar entry = fur_scalar_at(a->value_type, a->values, k);
        z[2 * i] += sign_of(a->columns[k]) * entry.re;
        z[2 * i + 1] += sign_of(a->columns[k]) * entry.im;
    }
    for (int64_t k = f->start[i]; k < f->diagonal[i]; k++)
        subtract(z, i, f->columns[k], fur_scalar_at(a->value_type, f->values, k));
}

/* z_i = (z_i - sum of U z of the rows after) / pivot */
static void go_back(const fur_csr_view *a, const fur_ilut_rows *f, int64_t i, double *z)
{
    fur_scalar pivot = fur_scalar_at(a->value_type, f->values, f->diagonal[i]);
    double square = pivot.re * pivot.re + pivot.im * pivot.im;
    for (int64_t k = f->diagonal[i] + 1; k < f->start[i + 1]; k++)
        subtract(z, i, f->columns[k], fur_scalar_at(a->value_type, f->values, k));
    double re = z[2 * i];
    double im = z[2 * i + 1];
    z[2 * i] = pivot.im == 0 ? re / pivot.re : (re * pivot.re + im * pivot.im) / square;
    z[2 * i + 1] = pivot.im == 0 ? im / pivot.re : (im * pivot.re - re * pivot.im) / square;
}

double fur_ilut_growth(const fur_csr_view *a, const fur_ilut_rows *f, double *z)
{
    double most = 0;
    for (int64_t i = 0; i < a->rows; i++)
        go_forward(a, f, i, z);
    for (int64_t i = a->rows - 1; i >= 0; i--) {
        go_back(a, f, i, z);
        double size = fabs(z[2 * i]) + fabs(z[2 * i + 1]);
        if (!(size < HUGE_VAL))
            return HUGE_VAL;
        most = fmax(most, size);
    }
    return most;
}
