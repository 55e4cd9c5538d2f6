/* The careful reader of an entry, and the entries of a block. */
#include "entry.h"

#include <furrow/author/try.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_zero(const fur_number *number)
{
    return number->kind == FUR_NUMBER_FINITE && number->exact && number->significand == 0;
}

/* Returns the number as rounded to the value type. */
static double rounded(const fur_job *job, const fur_number *number)
{
    return fur_value_is_single(job->value_type) ? (double)fur_number_f32(number)
                                                : fur_number_f64(number);
}

/* Returns the name of the value's type in messages; for a complex value, the type of its parts. */
static const char *part_name(const fur_job *job)
{
    return fur_value_is_single(job->value_type) ? "f32" : "f64";
}

/* Refuses a number that the options do not allow. */
static fur_status check_number(const fur_cursor *cursor, fur_token token, const fur_job *job,
                               const fur_number *number)
{
    const fur_mtx_read_options *options = &job->options;
    if (number->kind != FUR_NUMBER_FINITE)
        return options->refuse_nonfinite ? fur_cursor_unexpected(cursor, token, "a finite number")
                                         : FUR_OK;
    if (!options->refuse_range)
        return FUR_OK;
    double value = rounded(job, number);
    if (!isinf(value) && (value != 0 || is_zero(number)))
        return FUR_OK;
    char expected[40];
    snprintf(expected, sizeof expected, "a number in the range of %s", part_name(job));
    return fur_cursor_unexpected(cursor, token, expected);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && ((*at >= '0' && *at <= '9') || *at == '.'))
        at++;
    return at;
}

/* Returns whether the exponent of a number lacks its letter, as in 1.5+100. Fortran writes
 * exponents of three digits like this in a format for two digits. */
static bool lacks_letter(fur_token token)
{
    const char *at = token.begin;
    at += *at == '-' || *at == '+';
    const char *sign = skip_digits(at, token.end);
    return sign > at && sign + 1 < token.end && (*sign == '-' || *sign == '+') &&
           skip_digits(sign + 1, token.end) == token.end;
}

static fur_status refuse_number(const fur_cursor *cursor, fur_token token, const char *expected)
{
    if (!fur_token_is_empty(token) && lacks_letter(token))
        expected = "a number with a letter before its exponent, such as 1.5E+100; Fortran omits "
                   "the letter before three digits: write in the format ES25.16E3";
    return fur_cursor_unexpected(cursor, token, expected);
}

static fur_status read_number(fur_cursor *cursor, const fur_job *job, fur_number *out)
{
    bool integer = job->header.field == FUR_MTX_INTEGER;
    const char *expected = integer ? "an integer" : "a number";
    fur_token token = fur_cursor_token(cursor);
    if (!fur_number_scan(token.begin, token.end, out))
        return refuse_number(cursor, token, expected);
    if (integer && out->kind == FUR_NUMBER_FINITE && !out->integer)
        return fur_cursor_unexpected(cursor, token, expected);
    return check_number(cursor, token, job, out);
}

/* Reads the numbers of an entry. An entry of a pattern gets the value 1. */
static fur_status read_value(fur_cursor *cursor, const fur_job *job, fur_entry *entry)
{
    entry->re = (fur_number){.significand = 1, .exact = true};
    entry->im = (fur_number){.exact = true};
    fur_cursor_skip_blanks(cursor);
    entry->text = (fur_token){cursor->at, cursor->at};
    if (job->numbers > 0)
        FUR_TRY(read_number(cursor, job, &entry->re));
    if (job->numbers > 1)
        FUR_TRY(read_number(cursor, job, &entry->im));
    entry->text.end = cursor->at;
    return FUR_OK;
}

static fur_status read_index(fur_cursor *cursor, const char *what, int64_t limit, int32_t *out)
{
    char expected[64];
    fur_token token = fur_cursor_token(cursor);
    int64_t index;
    if (!fur_token_integer(token, &index) || index < 1 || index > limit) {
        snprintf(expected, sizeof expected, "a %s from 1 to %lld", what, (long long)limit);
        return fur_cursor_unexpected(cursor, token, expected);
    }
    *out = (int32_t)(index - 1);
    return FUR_OK;
}

/* Reads the rest of an entry's line. It must be empty, unless the options allow trailing text. */
static fur_status read_end(fur_cursor *cursor, const fur_job *job, fur_entry *entry)
{
    fur_cursor_skip_blanks(cursor);
    entry->trailing = job->options.allow_trailing && !fur_cursor_at_line_end(cursor);
    return entry->trailing ? FUR_OK : fur_cursor_end_of_line(cursor);
}

fur_status fur_entry_read(fur_cursor *cursor, const fur_job *job, fur_entry *out)
{
    const fur_mtx_header *header = &job->header;
    const char *place = cursor->at;
    *out = (fur_entry){.row = 0};
    if (job->indices > 0)
        FUR_TRY(read_index(cursor, "row", header->rows, &out->row));
    if (job->indices > 1)
        FUR_TRY(read_index(cursor, "column", header->cols, &out->col));
    FUR_TRY(read_value(cursor, job, out));
    if (job->indices == 0)
        return FUR_OK;
    FUR_TRY(read_end(cursor, job, out));
    return out->row == out->col ? fur_entry_check_diagonal(cursor, place, job, out) : FUR_OK;
}

fur_status fur_entry_check_diagonal(const fur_cursor *cursor, const char *place, const fur_job *job,
                                    const fur_entry *entry)
{
    fur_mtx_symmetry symmetry = job->header.symmetry;
    if (symmetry == FUR_MTX_HERMITIAN && !is_zero(&entry->im))
        return fur_cursor_fail(cursor, FUR_MALFORMED, place,
                               "found a diagonal entry with an imaginary part, expected a real one "
                               "in a hermitian matrix");
    if (symmetry == FUR_MTX_SKEW_SYMMETRIC && !(is_zero(&entry->re) && is_zero(&entry->im)))
        return fur_cursor_fail(cursor, FUR_MALFORMED, place,
                               "found a nonzero diagonal entry, expected 0 or no entry on the "
                               "diagonal of a skew-symmetric matrix");
    return FUR_OK;
}

/* Returns the fewest bytes of an entry: for each number, a digit and a blank or line end. */
static size_t smallest_entry(const fur_job *job)
{
    return 2 * (size_t)(job->indices + job->numbers);
}

/* Allocates arrays for as many entries as a text of this size can have. The last entry may lack its
 * line end. */
static fur_status reserve(fur_storage *storage, const fur_job *job, size_t size, bool twice,
                          fur_batch *batch)
{
    size_t count = (size / smallest_entry(job) + 1) * (twice ? 2 : 1);
    size_t value_size = job->numbers > 0 ? fur_value_size(job->value_type) : 0;
    fur_failure *failure = &batch->failure;
    FUR_TRY(fur_storage_grow(storage, &batch->rows, &batch->row_capacity, count * sizeof(int32_t),
                             0, failure));
    FUR_TRY(fur_storage_grow(storage, &batch->cols, &batch->col_capacity, count * sizeof(int32_t),
                             0, failure));
    return fur_storage_grow(storage, &batch->values, &batch->value_capacity, count * value_size, 0,
                            failure);
}

/* Counts a kind of warning, and records its first place. */
static void note(const fur_cursor *cursor, fur_batch *batch, fur_note_kind kind, fur_token token,
                 const char *what)
{
    char quote[FUR_QUOTE_SIZE];
    fur_note *n = &batch->notes[kind];
    if (n->count++ > 0)
        return;
    fur_cursor there = *cursor;
    there.failure = &n->first;
    fur_cursor_fail(&there, FUR_OK, token.begin, "found %s, %s", fur_token_quote(token, quote),
                    what);
}

/* Returns whether an integer with more digits than a significand equals the value. */
static bool has_digits_of(const fur_number *number, double value)
{
    char plain[DBL_MAX_10_EXP + 3];
    int length = snprintf(plain, sizeof plain, "%.0f", fabs(value));
    const char *at = number->digits;
    while (*at == '0')
        at++;
    return number->digits_end - at == length && memcmp(at, plain, (size_t)length) == 0;
}

static bool is_exact(const fur_job *job, const fur_number *number)
{
    uint64_t most = UINT64_C(1) << (fur_value_is_single(job->value_type) ? 24 : 53);
    uint64_t magnitude = number->significand;
    if (!number->exact)
        return has_digits_of(number, rounded(job, number));
    while (magnitude > most && magnitude % 2 == 0)
        magnitude /= 2;
    return magnitude <= most;
}

static void note_value(const fur_cursor *cursor, const fur_job *job, const fur_entry *entry,
                       bool infinite, fur_batch *batch)
{
    char what[96];
    if (infinite) {
        snprintf(what, sizeof what, "which is out of the range of %s and became infinite",
                 part_name(job));
        note(cursor, batch, FUR_NOTE_INFINITE, entry->text, what);
    } else if (job->header.field == FUR_MTX_INTEGER && entry->re.kind == FUR_NUMBER_FINITE &&
               !is_exact(job, &entry->re)) {
        snprintf(what, sizeof what, "which %s cannot hold exactly and which was rounded",
                 part_name(job));
        note(cursor, batch, FUR_NOTE_INEXACT, entry->text, what);
    }
}

/* Writes part `index` of the values. Returns whether a finite number became infinite. */
static bool store_part(const fur_job *job, const fur_number *number, int64_t index, void *values)
{
    double value = rounded(job, number);
    if (fur_value_is_single(job->value_type))
        ((float *)values)[index] = (float)value;
    else
        ((double *)values)[index] = value;
    return isinf(value) && number->kind == FUR_NUMBER_FINITE;
}

/* Appends the entry to the batch, and records warnings. */
static void store(const fur_cursor *cursor, const fur_job *job, const fur_entry *entry,
                  fur_batch *batch)
{
    int64_t k = batch->count++;
    bool complex = fur_value_is_complex(job->value_type);
    bool infinite = false;
    batch->rows[k] = entry->row;
    batch->cols[k] = entry->col;
    if (job->numbers > 0) {
        infinite = store_part(job, &entry->re, complex ? 2 * k : k, batch->values);
        if (complex)
            infinite |= store_part(job, &entry->im, 2 * k + 1, batch->values);
        note_value(cursor, job, entry, infinite, batch);
    }
    fur_cursor rest = *cursor;
    if (entry->trailing)
        note(cursor, batch, FUR_NOTE_TRAILING, fur_cursor_token(&rest),
             "text after an entry, which was ignored");
}

/* Reads the line at the cursor, in any valid form. */
static fur_status read_line(fur_cursor *cursor, const fur_job *job, fur_batch *batch)
{
    int64_t before = batch->count;
    bool has_rows = job->indices == 0 && job->header.rows > 1 && job->header.cols > 1;
    FUR_TRY(fur_cursor_refuse_nul(cursor));
    while (fur_cursor_content_in_line(cursor)) {
        fur_entry entry;
        FUR_TRY(fur_entry_read(cursor, job, &entry));
        if (has_rows && batch->count > before)
            note(cursor, batch, FUR_NOTE_IN_ROW, entry.text,
                 "after another number in its line; an array is read column by column");
        store(cursor, job, &entry, batch);
        if (entry.trailing)
            break;
    }
    return FUR_OK;
}

/* Returns the copy of the inner loop for an instruction set, as named by fur_context_isa. */
static fur_fast_read *select_copy(const char *isa)
{
#ifdef FUR_X86_LEVELS
    if (strcmp(isa, "portable") != 0)
        return FUR_FAST(avx2);
#else
    (void)isa;
#endif
    return FUR_FAST(portable);
}

/* Reads lines up to one that cannot be read. Returns the number of the line after the last. */
static int64_t read_lines(const fur_job *job, const fur_block *block, fur_batch *batch)
{
    fur_cursor cursor = fur_cursor_start(&batch->failure, job->name, block->text, block->size);
    fur_fast_read *read_fast = select_copy(job->isa);
    while (cursor.at < cursor.end) {
        int64_t before = batch->count;
        cursor.at = read_fast(job, cursor.at, cursor.end, batch);
        cursor.line += batch->count - before;
        if (cursor.at >= cursor.end)
            break;
        cursor.line_start = cursor.at;
        if (read_line(&cursor, job, batch) != FUR_OK)
            break;
        if (!fur_cursor_next_line(&cursor))
            cursor.line++;
    }
    return cursor.line;
}

void fur_batch_read(fur_storage *storage, const fur_job *job, const fur_block *block, bool twice,
                    fur_batch *batch)
{
    batch->in_file = batch->count = batch->lines = 0;
    for (int kind = 0; kind < FUR_NOTES; kind++)
        batch->notes[kind].count = 0;
    batch->failure.status = FUR_OK;
    if (reserve(storage, job, block->size, twice, batch) != FUR_OK || block->size == 0)
        return;
    int64_t line = read_lines(job, block, batch);
    const char *newline = memrchr(block->text, '\n', block->size);
    const char *end = block->text + block->size;
    batch->tail = newline ? end - newline : end - block->text + 1;
    batch->lines = line - (newline && newline + 1 == end ? 1 : 2);
    batch->in_file = batch->count;
    if (job->indices > 0)
        fur_batch_settle(job, batch);
}

fur_cursor fur_block_cursor(const fur_job *job, const fur_block *block, int64_t k,
                            fur_failure *failure)
{
    fur_entry entry;
    fur_cursor cursor = fur_cursor_start(failure, job->name, block->text, block->size);
    for (fur_cursor_content(&cursor); k > 0 && fur_entry_read(&cursor, job, &entry) == FUR_OK;
         k--) {
        if (job->indices > 0)
            fur_cursor_next_line(&cursor);
        fur_cursor_content(&cursor);
    }
    failure->status = FUR_OK;
    return cursor;
}

void fur_batch_release(fur_storage *storage, fur_batch *batch)
{
    fur_storage_release(storage, batch->rows);
    fur_storage_release(storage, batch->cols);
    fur_storage_release(storage, batch->values);
}
