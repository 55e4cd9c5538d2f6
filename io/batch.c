/* Reading the entries of a block.
 *
 * Nearly all lines have a simple form, which simple.h reads fast; a line of any other form is read
 * again by entry.h, which knows everything that is allowed and what to say about the rest. */
#include "batch.h"
#include "entry.h"
#include "simple.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The fewest bytes of an entry: a digit and a blank or line end for each number. */
static size_t smallest_entry(const fur_reading *reading)
{
    return 2 * (size_t)(reading->indices + reading->numbers);
}

/* Arrays for as many entries as a text of this size can have. The last one may lack its line end.
 */
static fur_status reserve(fur_heap *heap, const fur_reading *reading, size_t size, bool twice,
                          fur_batch *batch)
{
    size_t count = (size / smallest_entry(reading) + 1) * (twice ? 2 : 1);
    size_t value_size = reading->numbers > 0 ? fur_value_size(reading->value_type) : 0;
    fur_failure *failure = &batch->failure;
    FUR_TRY(fur_heap_grow(heap, &batch->rows, &batch->row_capacity, count * sizeof(int32_t), 0,
                          failure));
    FUR_TRY(fur_heap_grow(heap, &batch->cols, &batch->col_capacity, count * sizeof(int32_t), 0,
                          failure));
    return fur_heap_grow(heap, &batch->values, &batch->value_capacity, count * value_size, 0,
                         failure);
}

/* Counts what is to be told about, and remembers the first of its kind. */
static void note(const fur_scan *scan, fur_batch *batch, fur_note_kind kind, fur_token token,
                 const char *what)
{
    char quote[FUR_QUOTE_SIZE];
    fur_note *n = &batch->notes[kind];
    if (n->count++ > 0)
        return;
    fur_scan there = *scan;
    there.failure = &n->first;
    fur_scan_fail(&there, FUR_OK, token.begin, "found %s, %s", fur_token_quote(token, quote), what);
}

/* Whether the integer, which has more digits than a significand, is the value. */
static bool has_digits_of(const fur_number *number, double value)
{
    char plain[DBL_MAX_10_EXP + 3];
    int length = snprintf(plain, sizeof plain, "%.0f", fabs(value));
    const char *at = number->digits;
    while (*at == '0')
        at++;
    return number->digits_end - at == length && memcmp(at, plain, (size_t)length) == 0;
}

static bool is_exact(const fur_reading *reading, const fur_number *number)
{
    uint64_t most = UINT64_C(1) << (fur_reading_is_single(reading) ? 24 : 53);
    uint64_t magnitude = number->significand;
    if (!number->exact)
        return has_digits_of(number, fur_reading_is_single(reading) ? (double)fur_number_f32(number)
                                                                    : fur_number_f64(number));
    while (magnitude > most && magnitude % 2 == 0)
        magnitude /= 2;
    return magnitude <= most;
}

static void note_value(const fur_scan *scan, const fur_reading *reading, const fur_entry *entry,
                       bool infinite, fur_batch *batch)
{
    const char *type = fur_reading_is_single(reading) ? "f32" : "f64";
    char what[96];
    if (infinite) {
        snprintf(what, sizeof what, "which is beyond the range of %s and became infinite", type);
        note(scan, batch, FUR_NOTE_INFINITE, entry->text, what);
    } else if (reading->banner.header.field == FUR_MTX_INTEGER &&
               entry->re.kind == FUR_NUMBER_FINITE && !is_exact(reading, &entry->re)) {
        snprintf(what, sizeof what, "which %s cannot hold exactly and which was rounded", type);
        note(scan, batch, FUR_NOTE_INEXACT, entry->text, what);
    }
}

/* Writes part `index` of the values. Whether a finite number became infinite. */
static bool store_part(const fur_reading *reading, const fur_number *number, int64_t index,
                       void *values)
{
    double value;
    if (fur_reading_is_single(reading)) {
        value = (double)(((float *)values)[index] = fur_number_f32(number));
    } else {
        value = ((double *)values)[index] = fur_number_f64(number);
    }
    return isinf(value) && number->kind == FUR_NUMBER_FINITE;
}

static void store(const fur_scan *scan, const fur_reading *reading, const fur_entry *entry,
                  fur_batch *batch)
{
    int64_t k = batch->count++;
    bool complex = fur_reading_is_complex(reading);
    bool infinite = false;
    batch->rows[k] = entry->row;
    batch->cols[k] = entry->col;
    if (reading->numbers > 0) {
        infinite = store_part(reading, &entry->re, complex ? 2 * k : k, batch->values);
        if (complex)
            infinite |= store_part(reading, &entry->im, 2 * k + 1, batch->values);
        note_value(scan, reading, entry, infinite, batch);
    }
    fur_scan rest = *scan;
    if (entry->trailing)
        note(scan, batch, FUR_NOTE_TRAILING, fur_scan_token(&rest),
             "text behind an entry, which was passed over");
}

/* Reads the line at the cursor, whatever it is. */
static fur_status read_line(fur_scan *scan, const fur_reading *reading, fur_batch *batch)
{
    FUR_TRY(fur_scan_refuse_nul(scan));
    while (fur_scan_content_in_line(scan)) {
        fur_entry entry;
        FUR_TRY(fur_entry_read(scan, reading, &entry));
        store(scan, reading, &entry, batch);
        if (entry.trailing)
            break;
    }
    return FUR_OK;
}

/* Reads all lines, up to one that cannot be read. Returns the number of the line behind. */
static int64_t read_lines(const fur_reading *reading, const fur_block *block, fur_batch *batch)
{
    fur_scan scan = fur_scan_start(&batch->failure, reading->name, block->text, block->size);
    fur_simple_read *read_simple = fur_simple_select(reading->isa);
    while (scan.at < scan.end) {
        int64_t before = batch->count;
        scan.at = read_simple(reading, scan.at, scan.end, batch);
        scan.line += batch->count - before;
        if (scan.at >= scan.end)
            break;
        scan.line_start = scan.at;
        if (read_line(&scan, reading, batch) != FUR_OK)
            break;
        if (!fur_scan_next_line(&scan))
            scan.line++;
    }
    return scan.line;
}

bool fur_batch_is_zero(const fur_reading *reading, const fur_batch *batch, int64_t k)
{
    const void *values = batch->values;
    if (reading->numbers == 0)
        return false;
    bool complex = fur_reading_is_complex(reading);
    int64_t re = complex ? 2 * k : k, im = complex ? re + 1 : re;
    if (fur_reading_is_single(reading))
        return ((const float *)values)[re] == 0 && ((const float *)values)[im] == 0;
    return ((const double *)values)[re] == 0 && ((const double *)values)[im] == 0;
}

static void drop_zeros(const fur_reading *reading, fur_batch *batch)
{
    size_t size = fur_value_size(reading->value_type);
    char *values = batch->values;
    int64_t kept = 0;
    for (int64_t k = 0; k < batch->count; k++) {
        if (fur_batch_is_zero(reading, batch, k))
            continue;
        batch->rows[kept] = batch->rows[k];
        batch->cols[kept] = batch->cols[k];
        memmove(values + (size_t)kept * size, values + (size_t)k * size, size);
        kept++;
    }
    batch->count = kept;
}

void fur_batch_settle(const fur_reading *reading, fur_batch *batch)
{
    if (reading->options.drop_zeros && reading->numbers > 0)
        drop_zeros(reading, batch);
    bool falls = false, repeats = false, above = false;
    const int32_t *rows = batch->rows, *cols = batch->cols;
    for (int64_t k = 0; k < batch->count; k++)
        above |= cols[k] > rows[k];
    for (int64_t k = 1; k < batch->count; k++) {
        falls |= rows[k] < rows[k - 1];
        repeats |= (rows[k] == rows[k - 1]) & (cols[k] <= cols[k - 1]);
    }
    batch->rows_rise = !falls;
    batch->columns_rise = !repeats;
    batch->lower = !above;
}

void fur_batch_read(fur_heap *heap, const fur_reading *reading, const fur_block *block, bool twice,
                    fur_batch *batch)
{
    batch->in_file = batch->count = batch->lines = 0;
    for (int kind = 0; kind < FUR_NOTES; kind++)
        batch->notes[kind].count = 0;
    batch->failure.status = FUR_OK;
    if (reserve(heap, reading, block->size, twice, batch) != FUR_OK || block->size == 0)
        return;
    int64_t line = read_lines(reading, block, batch);
    const char *newline = memrchr(block->text, '\n', block->size);
    const char *end = block->text + block->size;
    batch->tail = newline ? end - newline : end - block->text + 1;
    batch->lines = line - (newline && newline + 1 == end ? 1 : 2);
    batch->in_file = batch->count;
    if (reading->indices > 0)
        fur_batch_settle(reading, batch);
}

fur_scan fur_batch_place(const fur_reading *reading, const fur_block *block, int64_t k,
                         fur_failure *failure)
{
    fur_entry entry;
    fur_scan scan = fur_scan_start(failure, reading->name, block->text, block->size);
    for (fur_scan_content(&scan); k > 0 && fur_entry_read(&scan, reading, &entry) == FUR_OK; k--) {
        if (reading->indices > 0)
            fur_scan_next_line(&scan);
        fur_scan_content(&scan);
    }
    failure->status = FUR_OK;
    return scan;
}

void fur_batch_release(fur_heap *heap, fur_batch *batch)
{
    fur_heap_release(heap, batch->rows);
    fur_heap_release(heap, batch->cols);
    fur_heap_release(heap, batch->values);
}
