/* Moduli; a template over VALUE. */
static inline double FN(modulus)(VALUE s)
{
#if COMPLEX
    return fur_magnitude((double)s.re, (double)s.im);
#else
    return fabs((double)s);
#endif
}
