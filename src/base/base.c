/* Names and sizes of the enumerations of furrow/base.h. */
#include <furrow/base.h>

static int in_range(unsigned index, unsigned count)
{
    return index < count;
}

const char *fur_version(void)
{
    return FUR_VERSION;
}

const char *fur_status_name(fur_status status)
{
    static const char *const names[] = {
        "ok",          "invalid argument",   "out of memory",  "overflow",
        "unsupported", "input/output error", "malformed file", "cancelled",
        "device error"};
    return in_range((unsigned)status, sizeof names / sizeof *names) ? names[status] : "unknown";
}

size_t fur_value_size(fur_value_type value)
{
    static const size_t sizes[FUR_VALUE_COUNT] = {4, 8, 8, 16};
    return in_range((unsigned)value, FUR_VALUE_COUNT) ? sizes[value] : 0;
}

const char *fur_value_name(fur_value_type value)
{
    static const char *const names[FUR_VALUE_COUNT] = {"f32", "f64", "c64", "c128"};
    return in_range((unsigned)value, FUR_VALUE_COUNT) ? names[value] : "?";
}

size_t fur_offset_size(fur_offset_type offset)
{
    static const size_t sizes[FUR_OFFSET_COUNT] = {4, 8};
    return in_range((unsigned)offset, FUR_OFFSET_COUNT) ? sizes[offset] : 0;
}

const char *fur_offset_name(fur_offset_type offset)
{
    static const char *const names[FUR_OFFSET_COUNT] = {"i32", "i64"};
    return in_range((unsigned)offset, FUR_OFFSET_COUNT) ? names[offset] : "?";
}
