/* lanes.h in plain C: a template over VALUE and VALUE_NAME, for machines without vector
 * registers. */
#if !FUR_REAL_REGISTERS
typedef struct FUR_LANES(VALUE_NAME) {
    VALUE lane[LANES];
} FUR_LANES(VALUE_NAME);

static inline FUR_LANES(VALUE_NAME) V(zero)(void)
{
    FUR_LANES(VALUE_NAME) a;
    memset(&a, 0, sizeof a);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(all)(VALUE value)
{
    FUR_LANES(VALUE_NAME) a;
    for (int i = 0; i < LANES; i++)
        a.lane[i] = value;
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(load)(const VALUE *p)
{
    FUR_LANES(VALUE_NAME) a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(load_single)(const float *p)
{
    FUR_LANES(VALUE_NAME) a;
    REAL part[LANES * sizeof(VALUE) / sizeof(REAL)];
    for (int i = 0; i < (int)(sizeof part / sizeof *part); i++)
        part[i] = p[i];
    memcpy(&a, part, sizeof a);
    return a;
}
static inline void V(keep)(FUR_LANES(VALUE_NAME) * a)
{
    (void)a;
}
static inline void V(store)(VALUE *p, FUR_LANES(VALUE_NAME) a)
{
    memcpy(p, &a, sizeof a);
}
/* The lanes of a mask are contiguous. */
static inline void V(store_some)(VALUE *p, FUR_LANES(VALUE_NAME) a, unsigned mask)
{
    int first = mask ? __builtin_ctz(mask) : 0;
    memcpy(p + first, a.lane + first, (size_t)__builtin_popcount(mask) * sizeof *p);
}
static inline FUR_LANES(VALUE_NAME) V(load_some)(const VALUE *p, unsigned mask)
{
    FUR_LANES(VALUE_NAME) a = V(zero)();
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            a.lane[i] = p[i];
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(gather)(const VALUE *x, const int32_t *index)
{
    FUR_LANES(VALUE_NAME) a;
    for (int i = 0; i < LANES; i++)
        a.lane[i] = x[index[i]];
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(gather_at_once)(const VALUE *x, const int32_t *index)
{
    return V(gather)(x, index);
}
static inline FUR_LANES(VALUE_NAME)
    V(gather_some)(const VALUE *x, const int32_t *index, unsigned mask)
{
    FUR_LANES(VALUE_NAME) a = V(zero)();
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            a.lane[i] = x[index[i]];
    return a;
}
static inline FUR_LANES(VALUE_NAME)
    V(madd)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c)
{
    for (int i = 0; i < LANES; i++)
        c.lane[i] = V(fma)(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}
static inline FUR_LANES(VALUE_NAME) V(madd_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b,
                                                 FUR_LANES(VALUE_NAME) c, unsigned mask)
{
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            c.lane[i] = V(fma)(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c,
                      unsigned mask)
{
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            c.lane[i] = V(fma)(V(conj)(a.lane[i]), b.lane[i], c.lane[i]);
    return c;
}
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c)
{
    return V(madd_conj_some)(a, b, c, ALL_LANES);
}
static inline FUR_LANES(VALUE_NAME)
    V(plus_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, unsigned mask)
{
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            a.lane[i] = V(add)(a.lane[i], b.lane[i]);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(plus)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b)
{
    return V(plus_some)(a, b, ALL_LANES);
}
#    if !COMPLEX
static inline FUR_LANES(VALUE_NAME) V(over)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] /= b.lane[i];
    return a;
}
#    endif
static inline FUR_LANES(VALUE_NAME) V(lower)(FUR_LANES(VALUE_NAME) before, FUR_LANES(VALUE_NAME) a)
{
    FUR_LANES(VALUE_NAME) out;
    out.lane[0] = before.lane[LANES - 1];
    memcpy(out.lane + 1, a.lane, (LANES - 1) * sizeof(VALUE));
    return out;
}
static inline FUR_LANES(VALUE_NAME) V(upper)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) next)
{
    FUR_LANES(VALUE_NAME) out;
    memcpy(out.lane, a.lane + 1, (LANES - 1) * sizeof(VALUE));
    out.lane[LANES - 1] = next.lane[0];
    return out;
}
static inline VALUE V(fold)(FUR_LANES(VALUE_NAME) a)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            a.lane[i] = V(add)(a.lane[i], a.lane[i + half]);
    return a.lane[0];
}
#endif
