/* Tables of the functions that a template made, indexed by tags: table[value][offset]. */
#ifndef FURROW_KERNEL_TABLE_H
#define FURROW_KERNEL_TABLE_H

#define FUR_VALUE_TABLE(name)                                                                      \
    {                                                                                              \
        name##_f32, name##_f64, name##_c64, name##_c128                                            \
    }

#define FUR_TYPE_TABLE(name)                                                                       \
    {                                                                                              \
        {name##_f32_i32, name##_f32_i64}, {name##_f64_i32, name##_f64_i64},                        \
            {name##_c64_i32, name##_c64_i64},                                                      \
        {                                                                                          \
            name##_c128_i32, name##_c128_i64                                                       \
        }                                                                                          \
    }

#endif
