/* Converts entry i of an array to a scalar, and back; a template over VALUE. */
static fur_scalar FN(load)(const void *array, int64_t i)
{
    VALUE a = ((const VALUE *)array)[i];
#if COMPLEX
    return (fur_scalar){a.re, a.im};
#else
    return (fur_scalar){a, 0};
#endif
}

/* Returns 0 if the type cannot hold the imaginary part. */
static int FN(store)(fur_scalar a, void *array, int64_t i)
{
    ((VALUE *)array)[i] = V(from)(a);
    return COMPLEX || a.im == 0;
}
