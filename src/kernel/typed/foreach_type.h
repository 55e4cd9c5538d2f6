/* Includes FUR_TEMPLATE once per value type and offset width. It defines what foreach_value.h
 * defines, and
 *     OFFSET      int32_t or int64_t
 *     OFFSET_TAG  its enumerator */
#define OFFSET int32_t
#define OFFSET_NAME i32
#define OFFSET_TAG FUR_I32
#include "foreach_value.h"
#undef OFFSET
#undef OFFSET_NAME
#undef OFFSET_TAG

#define OFFSET int64_t
#define OFFSET_NAME i64
#define OFFSET_TAG FUR_I64
#include "foreach_value.h"
#undef OFFSET
#undef OFFSET_NAME
#undef OFFSET_TAG
