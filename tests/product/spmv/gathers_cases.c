/* Compares V(gather) with V(gather_at_once) for one instruction set. Kernels use one of them. */
#ifndef FUR_TEMPLATE
#    include "gathers_cases.h"

#    include "isa.h"
#    include "lanes.h"

#    define FUR_TEMPLATE "gathers_cases.c"
#    include "foreach_value.h"

#    define AGREES(value) agree_##value((const void *)x, index)
bool ISA(gathers_agree)(const double *x, const int32_t *index)
{
    return AGREES(f32) && AGREES(f64) && AGREES(c64) && AGREES(c128);
}
#else
static bool FN(agree)(const VALUE *x, const int32_t *index)
{
    VALUE lane[LANES];
    VALUE at_once[LANES];
    V(store)(lane, V(gather)(x, index));
    V(store)(at_once, V(gather_at_once)(x, index));
    for (int i = 0; i < LANES; i++)
        if (memcmp(&lane[i], &x[index[i]], sizeof *x) != 0 ||
            memcmp(&at_once[i], &x[index[i]], sizeof *x) != 0)
            return false;
    return true;
}
#endif
