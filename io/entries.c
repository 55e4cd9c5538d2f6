/* Reading entries: one on each line of a coordinate file, column after column in an array file. */
#include "entries.h"
#include "number.h"

#include <stdio.h>

typedef struct number_pair {
    fur_number re;
    fur_number im;
} number_pair;

static bool is_zero(const fur_number *number)
{
    return number->kind == FUR_NUMBER_FINITE && number->exact && number->significand == 0;
}

static fur_status read_number(fur_scan *scan, bool integer, fur_number *out)
{
    fur_token token = fur_scan_token(scan);
    const char *expected = integer ? "an integer" : "a number";
    if (!fur_number_scan(token.begin, token.end, out))
        return fur_scan_unexpected(scan, token, expected);
    if (integer && out->kind == FUR_NUMBER_FINITE && !out->integer)
        return fur_scan_unexpected(scan, token, expected);
    return FUR_OK;
}

/* The value of one entry, as the field says. */
static fur_status read_value(fur_scan *scan, const fur_mtx_header *header, number_pair *out)
{
    if (header->field == FUR_MTX_PATTERN) {
        out->re = (fur_number){.significand = 1, .exact = true};
        return FUR_OK;
    }
    FUR_TRY(read_number(scan, header->field == FUR_MTX_INTEGER, &out->re));
    if (header->field == FUR_MTX_COMPLEX)
        FUR_TRY(read_number(scan, false, &out->im));
    return FUR_OK;
}

/* The diagonal of a skew-symmetric matrix is zero, that of a hermitian one is real. */
static fur_status check_diagonal(const fur_scan *scan, const char *place,
                                 const fur_mtx_header *header, const number_pair *value)
{
    bool complex = header->field == FUR_MTX_COMPLEX;
    if (header->symmetry == FUR_MTX_HERMITIAN && !is_zero(&value->im))
        return fur_scan_fail(scan, FUR_MALFORMED, place,
                             "found a diagonal entry with an imaginary part, expected a real one "
                             "in a hermitian matrix");
    if (header->symmetry == FUR_MTX_SKEW_SYMMETRIC &&
        !(is_zero(&value->re) && (!complex || is_zero(&value->im))))
        return fur_scan_fail(scan, FUR_MALFORMED, place,
                             "found a diagonal entry that is not zero, expected none in a "
                             "skew-symmetric matrix");
    return FUR_OK;
}

static void store(fur_entries *entries, int32_t row, int32_t col, const number_pair *value)
{
    int64_t k = entries->count++;
    entries->rows[k] = row;
    entries->cols[k] = col;
    switch (entries->value) {
    case FUR_F32:
        ((float *)entries->values)[k] = fur_number_f32(&value->re);
        break;
    case FUR_F64:
        ((double *)entries->values)[k] = fur_number_f64(&value->re);
        break;
    case FUR_C64:
        ((float *)entries->values)[2 * k] = fur_number_f32(&value->re);
        ((float *)entries->values)[2 * k + 1] = fur_number_f32(&value->im);
        break;
    case FUR_C128:
        ((double *)entries->values)[2 * k] = fur_number_f64(&value->re);
        ((double *)entries->values)[2 * k + 1] = fur_number_f64(&value->im);
        break;
    }
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

/* One line of a coordinate file. */
static fur_status read_coordinate(fur_scan *scan, const fur_banner *banner, fur_entries *entries)
{
    const fur_mtx_header *header = &banner->header;
    const char *place = scan->at;
    number_pair value = {.im = {.exact = true}};
    int32_t row = 0, col = 0;
    FUR_TRY(read_index(scan, "row", header->rows, &row));
    if (!banner->vector)
        FUR_TRY(read_index(scan, "column", header->cols, &col));
    FUR_TRY(read_value(scan, header, &value));
    FUR_TRY(fur_scan_end_of_line(scan));
    if (row == col)
        FUR_TRY(check_diagonal(scan, place, header, &value));
    store(entries, row, col, &value);
    return FUR_OK;
}

/* Moves to the next entry, which has to be there. */
static fur_status expect_entry(fur_scan *scan, const fur_mtx_header *header, int64_t read)
{
    if (fur_scan_content(scan))
        return FUR_OK;
    return fur_scan_fail(scan, FUR_MALFORMED, scan->at,
                         "found the end of the file after %lld of %lld entries", (long long)read,
                         (long long)header->entries_in_file);
}

static fur_status read_coordinates(fur_scan *scan, const fur_banner *banner, fur_entries *entries)
{
    for (int64_t k = 0; k < entries->in_file; k++) {
        FUR_TRY(expect_entry(scan, &banner->header, k));
        FUR_TRY(read_coordinate(scan, banner, entries));
    }
    return FUR_OK;
}

/* The row in which column `col` of an array file starts. */
static int32_t first_row(fur_mtx_symmetry symmetry, int32_t col)
{
    return symmetry == FUR_MTX_GENERAL ? 0 : symmetry == FUR_MTX_SKEW_SYMMETRIC ? col + 1 : col;
}

static fur_status read_array(fur_scan *scan, const fur_banner *banner, fur_entries *entries)
{
    const fur_mtx_header *header = &banner->header;
    if (entries->in_file == 0)
        return FUR_OK;
    for (int32_t col = 0; col < header->cols; col++)
        for (int32_t row = first_row(header->symmetry, col); row < header->rows; row++) {
            FUR_TRY(expect_entry(scan, header, entries->count));
            const char *place = scan->at;
            number_pair value = {.im = {.exact = true}};
            FUR_TRY(read_value(scan, header, &value));
            if (row == col)
                FUR_TRY(check_diagonal(scan, place, header, &value));
            store(entries, row, col, &value);
        }
    return FUR_OK;
}

static fur_status expect_end_of_file(fur_scan *scan, const fur_entries *entries)
{
    char expected[80];
    if (!fur_scan_content(scan))
        return FUR_OK;
    snprintf(expected, sizeof expected, "the end of the file, as all entries (%lld) have been read",
             (long long)entries->in_file);
    return fur_scan_unexpected(scan, fur_scan_token(scan), expected);
}

static fur_status allocate(fur_entries *entries)
{
    size_t capacity = (size_t)entries->capacity;
    void *memory;
    FUR_TRY(fur_context_allocate(entries->context, capacity * sizeof(int32_t), &memory));
    entries->rows = memory;
    FUR_TRY(fur_context_allocate(entries->context, capacity * sizeof(int32_t), &memory));
    entries->cols = memory;
    return fur_context_allocate(entries->context, capacity * fur_value_size(entries->value),
                                &entries->values);
}

fur_status fur_entries_read(fur_scan *scan, const fur_banner *banner, fur_value value,
                            bool mirrored, fur_entries *out)
{
    const fur_mtx_header *header = &banner->header;
    int64_t in_file = header->entries_in_file;
    fur_entries entries = {.context = scan->context,
                           .value = value,
                           .in_file = in_file,
                           .capacity = mirrored ? 2 * in_file : in_file,
                           .start = *scan};
    fur_status status;
    FUR_TRY_DONE(allocate(&entries));
    FUR_TRY_DONE(header->format == FUR_MTX_ARRAY ? read_array(scan, banner, &entries)
                                                 : read_coordinates(scan, banner, &entries));
    FUR_TRY_DONE(expect_end_of_file(scan, &entries));
    *out = entries;
    return FUR_OK;
done:
    fur_entries_release(&entries);
    return status;
}

void fur_entries_release(fur_entries *entries)
{
    fur_context_release(entries->context, entries->rows);
    fur_context_release(entries->context, entries->cols);
    fur_context_release(entries->context, entries->values);
}

fur_scan fur_entries_place(const fur_entries *entries, int64_t k)
{
    fur_scan scan = entries->start;
    fur_scan_content(&scan);
    for (int64_t passed = 0; passed < k; passed++) {
        fur_scan_next_line(&scan);
        fur_scan_content(&scan);
    }
    return scan;
}
