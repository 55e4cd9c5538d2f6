/* c_k(p) of a stencil whose fields are in memory that the host can read; a template over VALUE. */
static inline VALUE FN(stencil_value)(const fur_stencil_view *s, int k, int64_t p)
{
    const VALUE *constants = s->coefficients;
    return constants ? constants[k] : ((const VALUE *)s->fields[k])[p];
}
