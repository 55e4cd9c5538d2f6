/* What becomes of a row's sum; a template over VALUE. */

/* y = alpha sum + beta y, without reading y where beta is 0 */
static inline void FN(finish)(VALUE alpha, VALUE sum, VALUE beta, VALUE *y)
{
    *y = V(is_zero)(beta) ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, *y));
}
