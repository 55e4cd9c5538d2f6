/* Small dense factors L of L L^H, in place in l, row by row. Rows are m entries apart. A template
 * over VALUE. */
#include "triangular/real_template.h"

/* Computes row p of L from the known rows and row p of the matrix. Returns false if the pivot is
 * not positive. */
static inline bool FN(factor_row)(VALUE *l, int64_t m, int64_t p)
{
    VALUE *row = l + p * m;
    for (int64_t q = 0; q <= p; q++) {
        const VALUE *other = l + q * m;
        VALUE s = row[q];
        for (int64_t k = 0; k < q; k++)
            s = V(fma)(V(neg)(row[k]), V(conj)(other[k]), s);
        row[q] = q < p ? FN(divide)(s, FN(real)(other[q])) : s;
    }
    double pivot = sqrt((double)FN(real)(row[p]));
    if (!(pivot > 0) || !isfinite(pivot))
        return false;
    row[p] = V(from)((fur_scalar){pivot, 0});
    return true;
}

/* Solves L^H y = y in place for the first `rows` rows. */
static inline void FN(solve_adjoint)(const VALUE *l, int64_t m, int64_t rows, VALUE *y)
{
    for (int64_t p = rows - 1; p >= 0; p--) {
        VALUE s = y[p];
        for (int64_t k = p + 1; k < rows; k++)
            s = V(fma)(V(neg)(V(conj)(l[k * m + p])), y[k], s);
        y[p] = FN(divide)(s, FN(real)(l[p * m + p]));
    }
}
