#include "unit.h"

/* x_i = 1 / x_i; a template over VALUE. Returns the first i whose reciprocal is not finite, or -1.
 * 1 / z = conj(z) / |z|^2, with z scaled by a power of two so that |z|^2 cannot overflow. */
static inline int64_t FN(reciprocals)(int64_t n, void *data)
{
    VALUE *x = data;
    for (int64_t i = 0; i < n; i++) {
#if COMPLEX
        double re = x[i].re;
        double im = x[i].im;
        double large = fmax(fabs(re), fabs(im));
        double scale = fur_unit_scale(false, large);
        re *= scale;
        im *= scale;
        double square = fma(re, re, im * im);
        x[i] = V(from)((fur_scalar){re / square * scale, -im / square * scale});
        bool finite = isfinite(x[i].re) && isfinite(x[i].im) && square > 0;
#else
        bool finite = isfinite(x[i]);
        x[i] = 1 / x[i];
        finite = finite && isfinite(x[i]);
#endif
        if (!finite)
            return i;
    }
    return -1;
}
