/* Reading one entry. */
#include "entry.h"

#include <math.h>
#include <stdio.h>

static bool is_zero(const fur_number *number)
{
    return number->kind == FUR_NUMBER_FINITE && number->exact && number->significand == 0;
}

/* What the options have against a number that is one. */
static fur_status check_number(const fur_scan *scan, fur_token token, const fur_reading *reading,
                               const fur_number *number)
{
    const fur_mtx_read_options *options = &reading->options;
    if (number->kind != FUR_NUMBER_FINITE)
        return options->refuse_nonfinite ? fur_scan_unexpected(scan, token, "a finite number")
                                         : FUR_OK;
    if (!options->refuse_range)
        return FUR_OK;
    double value =
        fur_reading_is_single(reading) ? (double)fur_number_f32(number) : fur_number_f64(number);
    if (isinf(value) || (value == 0 && !is_zero(number)))
        return fur_scan_unexpected(scan, token,
                                   fur_reading_is_single(reading) ? "a number in the range of f32"
                                                                  : "a number in the range of f64");
    return FUR_OK;
}

static fur_status read_number(fur_scan *scan, const fur_reading *reading, fur_number *out)
{
    bool integer = reading->banner.header.field == FUR_MTX_INTEGER;
    const char *expected = integer ? "an integer" : "a number";
    fur_token token = fur_scan_token(scan);
    if (!fur_number_scan(token.begin, token.end, out))
        return fur_scan_unexpected(scan, token, expected);
    if (integer && out->kind == FUR_NUMBER_FINITE && !out->integer)
        return fur_scan_unexpected(scan, token, expected);
    return check_number(scan, token, reading, out);
}

static fur_status read_value(fur_scan *scan, const fur_reading *reading, fur_entry *entry)
{
    entry->re = (fur_number){.significand = 1, .exact = true};
    entry->im = (fur_number){.exact = true};
    fur_scan_blanks(scan);
    entry->text = (fur_token){scan->at, scan->at};
    if (reading->numbers > 0)
        FUR_TRY(read_number(scan, reading, &entry->re));
    if (reading->numbers > 1)
        FUR_TRY(read_number(scan, reading, &entry->im));
    entry->text.end = scan->at;
    return FUR_OK;
}

static fur_status read_index(fur_scan *scan, const char *what, int64_t limit, int32_t *out)
{
    char expected[64];
    fur_token token = fur_scan_token(scan);
    int64_t index;
    if (!fur_token_integer(token, &index) || index < 1 || index > limit) {
        snprintf(expected, sizeof expected, "a %s from 1 to %lld", what, (long long)limit);
        return fur_scan_unexpected(scan, token, expected);
    }
    *out = (int32_t)(index - 1);
    return FUR_OK;
}

/* The rest of an entry's line: nothing, unless the options allow it to be passed over. */
static fur_status read_end(fur_scan *scan, const fur_reading *reading, fur_entry *entry)
{
    fur_scan_blanks(scan);
    entry->trailing = reading->options.allow_trailing && !fur_scan_at_line_end(scan);
    return entry->trailing ? FUR_OK : fur_scan_end_of_line(scan);
}

fur_status fur_entry_read(fur_scan *scan, const fur_reading *reading, fur_entry *out)
{
    const fur_mtx_header *header = &reading->banner.header;
    const char *place = scan->at;
    *out = (fur_entry){.row = 0};
    if (reading->indices > 0)
        FUR_TRY(read_index(scan, "row", header->rows, &out->row));
    if (reading->indices > 1)
        FUR_TRY(read_index(scan, "column", header->cols, &out->col));
    FUR_TRY(read_value(scan, reading, out));
    if (reading->indices == 0)
        return FUR_OK;
    FUR_TRY(read_end(scan, reading, out));
    return out->row == out->col ? fur_entry_check_diagonal(scan, place, reading, out) : FUR_OK;
}

fur_status fur_entry_check_diagonal(const fur_scan *scan, const char *place,
                                    const fur_reading *reading, const fur_entry *entry)
{
    fur_mtx_symmetry symmetry = reading->banner.header.symmetry;
    if (symmetry == FUR_MTX_HERMITIAN && !is_zero(&entry->im))
        return fur_scan_fail(scan, FUR_MALFORMED, place,
                             "found a diagonal entry with an imaginary part, expected a real one "
                             "in a hermitian matrix");
    if (symmetry == FUR_MTX_SKEW_SYMMETRIC && !(is_zero(&entry->re) && is_zero(&entry->im)))
        return fur_scan_fail(scan, FUR_MALFORMED, place,
                             "found a diagonal entry that is not zero, expected none in a "
                             "skew-symmetric matrix");
    return FUR_OK;
}
