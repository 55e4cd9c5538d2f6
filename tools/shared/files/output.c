/* Prints the fields of a subcommand, as a table or as JSON. */
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "utf8.h"

/* 17 digits always read back to the same double. People get 6. */
#define NUMBER_BYTES 32
#define KEY_BYTES 64
#define PEOPLE_DIGITS 6
#define EXACT_DIGITS 17

/* Whether a row of a table could not be added. */
static bool incomplete;

output output_begin(bool json)
{
    output out = {.json = json, .failed = false, .object = NULL};
    if (json) {
        out.object = json_object();
        out.failed = !out.object;
    }
    return out;
}

void output_member(output *out, const char *key, json_t *value)
{
    if (json_object_set_new(out->object, key, value) != 0)
        out->failed = true;
}

json_t *output_string(const char *text)
{
    static const char replacement[] = UTF8_REPLACEMENT;
    char *valid = malloc((sizeof replacement - 1) * strlen(text) + 1);
    size_t length = 0;
    while (valid && *text) {
        size_t size = utf8_size(text);
        size_t taken = size ? size : sizeof replacement - 1;
        memcpy(valid + length, size ? text : replacement, taken);
        length += taken;
        text += size ? size : 1;
    }
    json_t *string = valid ? json_stringn(valid, length) : NULL;
    free(valid);
    return string;
}

void output_append(json_t *rows, json_t *row)
{
    if (json_array_append_new(rows, row) != 0)
        incomplete = true;
}

void output_line(const char *label, const char *text)
{
    printf("%-19s %s\n", label, text);
}

static void format_number(double number, char text[NUMBER_BYTES])
{
    snprintf(text, NUMBER_BYTES, "%.*g", PEOPLE_DIGITS, number);
}

/* Prints without an exponent from 1e-4. */
static void format_measured(double number, const char *unit, char text[NUMBER_BYTES])
{
    snprintf(text, NUMBER_BYTES, number < 999.5 ? "%.3g %s" : "%.0f %s", number, unit);
}

/* Chooses the unit with at most three digits before the point. */
static void format_seconds(double seconds, char text[NUMBER_BYTES])
{
    if (1e6 * seconds < 999.5)
        format_measured(1e6 * seconds, "us", text);
    else if (1e3 * seconds < 999.5)
        format_measured(1e3 * seconds, "ms", text);
    else
        format_measured(seconds, "s", text);
}

/* JSON has no number for NaN and the infinities. */
static json_t *number_to_json(double number)
{
    char text[NUMBER_BYTES];
    if (isfinite(number))
        return json_real(number);
    format_number(number, text);
    return output_string(text);
}

void output_text(output *out, const char *key, const char *label, const char *text)
{
    if (out->json)
        output_member(out, key, output_string(text));
    else
        output_line(label, text);
}

void output_count(output *out, const char *key, const char *label, int64_t count)
{
    char text[NUMBER_BYTES];
    if (out->json) {
        output_member(out, key, json_integer(count));
    } else {
        snprintf(text, sizeof text, "%lld", (long long)count);
        output_line(label, text);
    }
}

void output_list(output *out, const char *key, int count, const double *numbers)
{
    if (!out->json)
        return;
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        output_append(list, number_to_json(numbers[i]));
    output_member(out, key, list);
}

/* Adds a number. People see it in the form of `format`. */
static void put_number(output *out, const char *key, const char *label, double number,
                       void (*format)(double number, char *text))
{
    char text[NUMBER_BYTES];
    if (out->json) {
        output_member(out, key, number_to_json(number));
    } else {
        format(number, text);
        output_line(label, text);
    }
}

void output_number(output *out, const char *key, const char *label, double number)
{
    put_number(out, key, label, number, format_number);
}

void output_flag(output *out, const char *key, const char *label, bool flag)
{
    if (out->json)
        output_member(out, key, json_boolean(flag));
    else
        output_line(label, flag ? "yes" : "no");
}

void output_seconds(output *out, const char *key, const char *label, double seconds)
{
    put_number(out, key, label, seconds, format_seconds);
}

static void format_rate(double gigabytes, char *text)
{
    format_measured(gigabytes, "GB/s", text);
}

void output_rate(output *out, const char *key, const char *label, double gigabytes)
{
    put_number(out, key, label, gigabytes, format_rate);
}

static void print_columns(const char *label, const char *before, const char *after)
{
    printf("%-19s %19s %19s\n", label, before, after);
}

void output_known(output *out, const char *key, const char *label, double number,
                  void (*put)(output *, const char *, const char *, double))
{
    if (number >= 0)
        put(out, key, label, number);
    else if (out->json)
        output_member(out, key, json_null());
}

/* Adds both values and takes ownership of them. */
static void add_members(output *out, const char *key, json_t *before, json_t *after)
{
    char name[KEY_BYTES];
    snprintf(name, sizeof name, "%s_before", key);
    output_member(out, name, before);
    snprintf(name, sizeof name, "%s_after", key);
    output_member(out, name, after);
}

void output_heads(const output *out, const char *before, const char *after)
{
    if (!out->json)
        print_columns("", before, after);
}

void output_counts(output *out, const char *key, const char *label, int64_t before, int64_t after)
{
    char texts[2][NUMBER_BYTES];
    if (out->json) {
        add_members(out, key, json_integer(before), json_integer(after));
    } else {
        snprintf(texts[0], NUMBER_BYTES, "%lld", (long long)before);
        snprintf(texts[1], NUMBER_BYTES, "%lld", (long long)after);
        print_columns(label, texts[0], texts[1]);
    }
}

static void put_numbers(output *out, const char *key, const char *label, double before,
                        double after, void (*format)(double number, char *text))
{
    char texts[2][NUMBER_BYTES];
    if (out->json) {
        add_members(out, key, number_to_json(before), number_to_json(after));
    } else {
        format(before, texts[0]);
        format(after, texts[1]);
        print_columns(label, texts[0], texts[1]);
    }
}

static void format_tenths(double number, char *text)
{
    snprintf(text, NUMBER_BYTES, "%.1f", number);
}

void output_numbers(output *out, const char *key, const char *label, double before, double after)
{
    put_numbers(out, key, label, before, after, format_tenths);
}

void output_times(output *out, const char *key, const char *label, double before, double after)
{
    put_numbers(out, key, label, before, after, format_seconds);
}

void output_gap(const output *out)
{
    if (!out->json)
        putchar('\n');
}

#define JSON_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(EXACT_DIGITS))

static void dump_json(output *out)
{
    if (out->failed || incomplete || json_dumpf(out->object, stdout, JSON_FLAGS) != 0)
        out->failed = true;
    else
        putchar('\n');
}

static fur_status cannot_make(fur_context *context)
{
    return fur_context_fail(
        context, FUR_OUT_OF_MEMORY,
        "the JSON output cannot be built: out of memory, or a number is not finite");
}

fur_status output_end(output *out, fur_context *context)
{
    char sentence[COMMAND_FLUSH_BYTES];
    if (out->json) {
        dump_json(out);
        json_decref(out->object);
        out->object = NULL;
    }
    if (!command_flush(sentence))
        return fur_context_fail(context, FUR_IO_ERROR, "%s", sentence);
    return out->failed ? cannot_make(context) : FUR_OK;
}

fur_status output_save(const output *out, fur_context *context, new_file *file)
{
    char *text = out->failed || incomplete ? NULL : json_dumps(out->object, JSON_FLAGS);
    if (text)
        fputs(text, file->stream);
    fur_status status = new_file_close(file, text ? FUR_OK : cannot_make(context));
    free(text);
    return status;
}
