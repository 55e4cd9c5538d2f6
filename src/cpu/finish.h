/* What becomes of a row's sum; a template over VALUE. */

/* Whether y is overwritten: asked once, outside of the loop over rows. */
static inline bool FN(overwrites)(const fur_spmv_call *call)
{
    return V(is_zero)(V(from)(call->beta));
}

/* y = alpha sum + beta y, without reading y where it is overwritten */
static inline void FN(finish)(VALUE alpha, VALUE sum, VALUE beta, bool overwrite, VALUE *y)
{
    *y = overwrite ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, *y));
}
