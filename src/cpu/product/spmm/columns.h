/* Contiguous columns of row-major blocks in registers, and the end of their product; a template
 * over VALUE. */

/* The largest number of registers that hold sums. In plain C a vector takes several registers.
 *
 * FUR_WITH_REGISTERS calls f(..., mask, registers, whole) for `count` columns, which fit
 * MAX_REGISTERS. The last two arguments are constants. The compiler then makes one function for
 * each number of registers, and for a whole or partial last register. */
#ifndef MAX_REGISTERS
#    if FUR_REAL_REGISTERS
#        define MAX_REGISTERS 4
#        define FUR_WITH_REGISTERS(count, f, ...)                                                  \
            do {                                                                                   \
                unsigned last_columns = (1U << (count) % WIDTH) - 1;                               \
                switch (((count) + WIDTH - 1) / WIDTH * 2 + ((count) % WIDTH == 0)) {              \
                case 2:                                                                            \
                    f(__VA_ARGS__, last_columns, 1, false);                                        \
                    break;                                                                         \
                case 3:                                                                            \
                    f(__VA_ARGS__, last_columns, 1, true);                                         \
                    break;                                                                         \
                case 4:                                                                            \
                    f(__VA_ARGS__, last_columns, 2, false);                                        \
                    break;                                                                         \
                case 5:                                                                            \
                    f(__VA_ARGS__, last_columns, 2, true);                                         \
                    break;                                                                         \
                case 6:                                                                            \
                    f(__VA_ARGS__, last_columns, 3, false);                                        \
                    break;                                                                         \
                case 7:                                                                            \
                    f(__VA_ARGS__, last_columns, 3, true);                                         \
                    break;                                                                         \
                case 8:                                                                            \
                    f(__VA_ARGS__, last_columns, 4, false);                                        \
                    break;                                                                         \
                default:                                                                           \
                    f(__VA_ARGS__, last_columns, 4, true);                                         \
                }                                                                                  \
            } while (0)
#    else
#        define MAX_REGISTERS 1
#        define FUR_WITH_REGISTERS(count, f, ...)                                                  \
            do {                                                                                   \
                if ((count) % WIDTH == 0)                                                          \
                    f(__VA_ARGS__, 0, 1, true);                                                    \
                else                                                                               \
                    f(__VA_ARGS__, (1U << (count) % WIDTH) - 1, 1, false);                         \
            } while (0)
#    endif
#endif

typedef FUR_WIDE_LANES(VALUE_NAME) FN(wide);

/* The end of a product: Y = alpha sum + beta Y. */
typedef struct FN(ending) {
    VALUE alpha;
    VALUE beta;
    bool overwrite;
    bool streams; /* Y is larger than the cache and not read, and its rows are whole cache lines */
} FN(ending);

static FN(ending) FN(ending_of)(fur_scalar alpha, fur_scalar beta, const fur_vectors_view *y)
{
    FN(ending) end = {.alpha = V(from)(alpha), .beta = V(from)(beta)};
    int64_t row_bytes = y->cols * (int64_t)sizeof(VALUE);
    end.overwrite = V(is_zero)(end.beta);
    end.streams = end.overwrite && y->layout == FUR_LAYOUT_ROWS &&
                  fur_streams(y->rows * row_bytes) && row_bytes % FUR_STREAM_LINE == 0 &&
                  y->stride * (int64_t)sizeof(VALUE) % FUR_STREAM_LINE == 0 &&
                  (uintptr_t)y->data % FUR_STREAM_LINE == 0;
    return end;
}

/* Loads the columns of a register. If the constant `whole` is false, only the columns of the mask
 * exist. */
INLINE FN(wide) FN(load_columns)(const VALUE *p, bool whole, unsigned mask)
{
    return whole ? W(load)(p) : W(load_some)(p, mask);
}

/* y = alpha sum + beta y for a register of columns. Adding -0 changes nothing. */
INLINE void FN(finish_columns)(const FN(ending) * end, bool whole, unsigned mask, FN(wide) sum,
                               VALUE *y)
{
    FN(wide) added = W(all)(V(neg)(V(from)((fur_scalar){0, 0})));
    if (!end->overwrite)
        added = W(madd)(W(all)(end->beta), FN(load_columns)(y, whole, mask), added);
    sum = W(madd)(W(all)(end->alpha), sum, added);
    if (!whole) {
        W(store_some)(y, sum, mask);
    } else if (end->streams) {
        _Alignas(64) VALUE line[WIDTH];
        W(store)(line, sum);
        fur_stream(y, line, sizeof line);
    } else {
        W(store)(y, sum);
    }
}
