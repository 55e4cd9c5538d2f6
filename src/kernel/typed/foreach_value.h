/* Includes FUR_TEMPLATE once per value type, with
 *     VALUE       the C type of an entry
 *     REAL        the C type of its real part
 *     VALUE_TAG   its enumerator
 *     COMPLEX     1 for the complex types
 *     V(op)       the arithmetic of base/scalar.h for that type: V(fma)(a, b, c)
 *     FN(name)    name_<value>, or name_<value>_<offset> within foreach_type.h
 * Plain inclusion instead of macro bodies keeps line numbers and breakpoints. */
#define FUR_JOIN2(a, b) a##_##b
#define FUR_JOIN(a, b) FUR_JOIN2(a, b)
#define V(op) FUR_JOIN(VALUE_NAME, op)
#ifdef OFFSET_NAME
#    define FN(name) FUR_JOIN(FUR_JOIN(name, VALUE_NAME), OFFSET_NAME)
#else
#    define FN(name) FUR_JOIN(name, VALUE_NAME)
#endif

#define VALUE float
#define REAL float
#define VALUE_NAME f32
#define VALUE_TAG FUR_F32
#define COMPLEX 0
#include FUR_TEMPLATE
#undef VALUE
#undef REAL
#undef VALUE_NAME
#undef VALUE_TAG
#undef COMPLEX

#define VALUE double
#define REAL double
#define VALUE_NAME f64
#define VALUE_TAG FUR_F64
#define COMPLEX 0
#include FUR_TEMPLATE
#undef VALUE
#undef REAL
#undef VALUE_NAME
#undef VALUE_TAG
#undef COMPLEX

#define VALUE fur_c64
#define REAL float
#define VALUE_NAME c64
#define VALUE_TAG FUR_C64
#define COMPLEX 1
#include FUR_TEMPLATE
#undef VALUE
#undef REAL
#undef VALUE_NAME
#undef VALUE_TAG
#undef COMPLEX

#define VALUE fur_c128
#define REAL double
#define VALUE_NAME c128
#define VALUE_TAG FUR_C128
#define COMPLEX 1
#include FUR_TEMPLATE
#undef VALUE
#undef REAL
#undef VALUE_NAME
#undef VALUE_TAG
#undef COMPLEX

#undef FN
#undef V
#undef FUR_JOIN
#undef FUR_JOIN2
