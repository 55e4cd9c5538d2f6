/* lanes.h for complex values on real registers; a template over VALUE and VALUE_NAME.
 *
 * Real and imaginary parts alternate, as in memory. One register has c.re in every lane, another
 * has -c.im and c.im alternating. Then c x + s takes two real operations a register, the same as
 * V(fma):
 *
 *     s = c.re (x.re, x.im) + s,  then  s = (-c.im, c.im) (x.im, x.re) + s */
#if COMPLEX && FUR_REAL_REGISTERS
#    define R(op) FUR_JOIN(FUR_JOIN(FUR_PARTS, VALUE_NAME), op)
typedef FUR_LANES(FUR_JOIN(FUR_PARTS, VALUE_NAME)) FN(real_lanes);
/* The values in a register, and the registers that hold eight values. */
#    define EACH ((int)(sizeof(FN(real_lanes)) / sizeof(VALUE)))
#    define PARTS (LANES / EACH)

typedef struct FUR_LANES(VALUE_NAME) {
    FN(real_lanes) part[PARTS];
} FUR_LANES(VALUE_NAME);

/* The mask of register n, with two bits for each value. */
static inline unsigned V(spread)(unsigned mask, int n)
{
    mask = mask >> n * EACH & ((1U << EACH) - 1);
    mask = (mask | mask << 4) & 0x0f0f;
    mask = (mask | mask << 2) & 0x3333;
    mask = (mask | mask << 1) & 0x5555;
    return mask | mask << 1;
}
static inline const REAL *V(parts)(const VALUE *p, int n)
{
    return (const REAL *)(p + n * EACH);
}
static inline FUR_LANES(VALUE_NAME) V(zero)(void)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(zero)();
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(load)(const VALUE *p)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(load)(V(parts)(p, n));
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(load_single)(const float *p)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(load_single)(p + 2 * n * EACH);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(all)(VALUE value)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(pairs)(value.re, value.im);
    return a;
}
static inline void V(keep)(FUR_LANES(VALUE_NAME) * a)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        R(keep)(&a->part[n]);
}
static inline FUR_LANES(VALUE_NAME) V(load_some)(const VALUE *p, unsigned mask)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(load_some)(V(parts)(p, n), V(spread)(mask, n));
    return a;
}
static inline void V(store)(VALUE *p, FUR_LANES(VALUE_NAME) a)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        R(store)((REAL *)(p + n * EACH), a.part[n]);
}
static inline void V(store_some)(VALUE *p, FUR_LANES(VALUE_NAME) a, unsigned mask)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        R(store_some)((REAL *)(p + n * EACH), a.part[n], V(spread)(mask, n));
}
static inline FUR_LANES(VALUE_NAME)
    V(madd)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++) {
        c.part[n] = R(madd)(R(evens)(a.part[n]), b.part[n], c.part[n]);
        c.part[n] = R(madd)(R(signed_odds)(a.part[n]), R(swapped)(b.part[n]), c.part[n]);
    }
    return c;
}
/* conj(c) x + s: s = c.re (x.re, x.im) + s, then s = (c.im, -c.im) (x.im, x.re) + s */
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++) {
        FN(real_lanes) turned = R(swapped)(R(signed_odds)(a.part[n]));
        c.part[n] = R(madd)(R(evens)(a.part[n]), b.part[n], c.part[n]);
        c.part[n] = R(madd)(turned, R(swapped)(b.part[n]), c.part[n]);
    }
    return c;
}
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c,
                      unsigned mask)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++) {
        FN(real_lanes) turned = R(swapped)(R(signed_odds)(a.part[n]));
        unsigned some = V(spread)(mask, n);
        c.part[n] = R(madd_some)(R(evens)(a.part[n]), b.part[n], c.part[n], some);
        c.part[n] = R(madd_some)(turned, R(swapped)(b.part[n]), c.part[n], some);
    }
    return c;
}
static inline FUR_LANES(VALUE_NAME) V(madd_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b,
                                                 FUR_LANES(VALUE_NAME) c, unsigned mask)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++) {
        unsigned some = V(spread)(mask, n);
        c.part[n] = R(madd_some)(R(evens)(a.part[n]), b.part[n], c.part[n], some);
        c.part[n] = R(madd_some)(R(signed_odds)(a.part[n]), R(swapped)(b.part[n]), c.part[n], some);
    }
    return c;
}
static inline FUR_LANES(VALUE_NAME)
    V(plus_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, unsigned mask)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(plus_some)(a.part[n], b.part[n], V(spread)(mask, n));
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(plus)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b)
{
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(plus)(a.part[n], b.part[n]);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(lower)(FUR_LANES(VALUE_NAME) before, FUR_LANES(VALUE_NAME) a)
{
    FUR_LANES(VALUE_NAME) out;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        out.part[n] = R(lower_pair)(n ? a.part[n - 1] : before.part[PARTS - 1], a.part[n]);
    return out;
}
static inline FUR_LANES(VALUE_NAME) V(upper)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) next)
{
    FUR_LANES(VALUE_NAME) out;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        out.part[n] = R(upper_pair)(a.part[n], n < PARTS - 1 ? a.part[n + 1] : next.part[0]);
    return out;
}
static inline FUR_LANES(VALUE_NAME)
    V(gather_some)(const VALUE *x, const int32_t *index, unsigned mask)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(gather_pairs_some)((const REAL *)x, index + n * EACH,
                                         mask >> n * EACH & ((1U << EACH) - 1));
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(gather)(const VALUE *x, const int32_t *index)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(gather_pairs)((const REAL *)x, index + n * EACH);
    return a;
}
static inline FUR_LANES(VALUE_NAME) V(gather_at_once)(const VALUE *x, const int32_t *index)
{
    FUR_LANES(VALUE_NAME) a;
#    pragma GCC unroll 2
    for (int n = 0; n < PARTS; n++)
        a.part[n] = R(gather_pairs_at_once)((const REAL *)x, index + n * EACH);
    return a;
}
static inline VALUE V(fold)(FUR_LANES(VALUE_NAME) a)
{
    VALUE lane[LANES];
    V(store)(lane, a);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] = V(add)(lane[i], lane[i + half]);
    return lane[0];
}

#    undef R
#    undef EACH
#    undef PARTS
#endif

/* A real number is its own conjugate. */
#if !COMPLEX && FUR_REAL_REGISTERS
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c)
{
    return V(madd)(a, b, c);
}
static inline FUR_LANES(VALUE_NAME)
    V(madd_conj_some)(FUR_LANES(VALUE_NAME) a, FUR_LANES(VALUE_NAME) b, FUR_LANES(VALUE_NAME) c,
                      unsigned mask)
{
    return V(madd_some)(a, b, c, mask);
}
#endif
