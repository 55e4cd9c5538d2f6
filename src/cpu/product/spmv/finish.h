/* The end of a row's product, y = alpha sum + beta y; a template over VALUE. */

/* Returns whether y is overwritten. This is tested once, outside the loop over rows. */
static inline bool FN(overwrites)(const fur_spmv_call *call)
{
    return V(is_zero)(V(from)(call->beta));
}

/* alpha sum + beta z. If beta is 0, z is not read. */
static inline VALUE FN(combine)(VALUE alpha, VALUE sum, VALUE beta, bool overwrite, const VALUE *z)
{
    return overwrite ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, *z));
}

/* y = alpha sum + beta y */
static inline void FN(finish)(VALUE alpha, VALUE sum, VALUE beta, bool overwrite, VALUE *y)
{
    *y = FN(combine)(alpha, sum, beta, overwrite, y);
}
