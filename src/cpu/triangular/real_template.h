/* Real parts, and division by real numbers; a template over VALUE. */
static inline REAL FN(real)(VALUE s)
{
#if COMPLEX
    return s.re;
#else
    return s;
#endif
}

/* s / d for a real d */
static inline VALUE FN(divide)(VALUE s, REAL d)
{
#if COMPLEX
    return (VALUE){s.re / d, s.im / d};
#else
    return s / d;
#endif
}
