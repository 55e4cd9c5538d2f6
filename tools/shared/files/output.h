/* The results of a subcommand, printed field by field. People get a table. With JSON, one object is
 * printed when all fields are there. */
#ifndef FURROW_TOOLS_OUTPUT_H
#define FURROW_TOOLS_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <furrow/furrow.h>

#include "new_file.h"

typedef struct output {
    bool json;
    bool failed;    /* a member could not be added */
    json_t *object; /* the members so far; used for JSON only */
} output;

output output_begin(bool json);

/* Each function adds a field with its key for JSON, and its label and unit for people. Numbers in
 * JSON read back to the same bits. People get six digits. */
void output_text(output *out, const char *key, const char *label, const char *text);
void output_count(output *out, const char *key, const char *label, int64_t count);
void output_number(output *out, const char *key, const char *label, double number);
void output_flag(output *out, const char *key, const char *label, bool flag);

/* As above, for measurements. People get three digits. */
void output_seconds(output *out, const char *key, const char *label, double seconds);
void output_rate(output *out, const char *key, const char *label, double gigabytes);

/* Adds a number by one of the functions above if it is not negative and not NaN. Otherwise JSON
 * gets null, and people get no line. */
void output_known(output *out, const char *key, const char *label, double number,
                  void (*put)(output *, const char *, const char *, double));

/* Adds two fields with one label: key_before and key_after. People see them in the columns that
 * output_heads names. */
void output_heads(const output *out, const char *before, const char *after);
void output_counts(output *out, const char *key, const char *label, int64_t before, int64_t after);
void output_numbers(output *out, const char *key, const char *label, double before, double after);
void output_times(output *out, const char *key, const char *label, double before, double after);

/* For people only: a line of the table; an empty line. */
void output_line(const char *label, const char *text);
void output_gap(const output *out);

/* Adds a member to the JSON object only. Takes ownership of the value. */
void output_member(output *out, const char *key, json_t *value);

/* Makes a JSON string, which must be UTF-8. Each invalid byte, for example in a file's name,
 * becomes U+FFFD. All strings of the command are made here. Returns NULL if there is no memory. */
json_t *output_string(const char *text);

/* Appends a row to a table in JSON and takes ownership of it. If the row is NULL or cannot be
 * appended, the whole output fails later. */
void output_append(json_t *rows, json_t *row);

/* Adds a list of numbers to the JSON object only. */
void output_list(output *out, const char *key, int count, const double *numbers);

/* Ends the output. FUR_IO_ERROR if standard output did not accept all of it, FUR_OUT_OF_MEMORY if a
 * part of it is missing. */
fur_status output_end(output *out, fur_context *context);

/* Also writes JSON output to a file and closes the file. Fails like output_end. */
fur_status output_save(const output *out, fur_context *context, new_file *file);

#endif
