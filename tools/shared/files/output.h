/* The results of a subcommand, printed field by field: as a table for people or, when all fields
 * are there, as one JSON object. */
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
    json_t *object; /* the members so far, if json */
} output;

output output_begin(bool json);

/* Each adds one field: its key in JSON and its label and unit for people. In JSON numbers read back
 * to the same bits; people get six digits. */
void output_text(output *out, const char *key, const char *label, const char *text);
void output_count(output *out, const char *key, const char *label, int64_t count);
void output_number(output *out, const char *key, const char *label, double number);
void output_flag(output *out, const char *key, const char *label, bool flag);

/* The same for measured figures, which people get rounded to three digits. */
void output_seconds(output *out, const char *key, const char *label, double seconds);
void output_rate(output *out, const char *key, const char *label, double gigabytes);

/* The same by one of these functions, if the number is not negative and no NaN. If it is, JSON gets
 * null, and people get no line. */
void output_known(output *out, const char *key, const char *label, double number,
                  void (*put)(output *, const char *, const char *, double));

/* Two fields with one label, key_before and key_after; for people in the columns that heads
 * names. */
void output_heads(const output *out, const char *before, const char *after);
void output_counts(output *out, const char *key, const char *label, int64_t before, int64_t after);
void output_numbers(output *out, const char *key, const char *label, double before, double after);
void output_times(output *out, const char *key, const char *label, double before, double after);

/* For people alone: a line of the table, an empty line. */
void output_line(const char *label, const char *text);
void output_gap(const output *out);

/* Adds a member to the JSON object that people do not see in this form. Takes the value over. */
void output_member(output *out, const char *key, json_t *value);

/* A text as JSON, which is UTF-8: what is not, as a file's name may be, becomes U+FFFD, one for
 * each such byte. All of the command's strings are made here. NULL without memory. */
json_t *output_string(const char *text);

/* Appends a row to a table in JSON and takes it over. A row that could not be made, which is NULL,
 * or appended makes the output fail that it is to be part of. */
void output_append(json_t *rows, json_t *row);

/* Adds a list of numbers to the JSON object, which people do not see in this form. */
void output_list(output *out, const char *key, int count, const double *numbers);

/* Ends the output. FUR_IO_ERROR if standard output did not take it all, FUR_OUT_OF_MEMORY if a part
 * of it is missing. */
fur_status output_end(output *out, fur_context *context);

/* Writes JSON output to a file as well, which it ends, and fails in the same way. */
fur_status output_save(const output *out, fur_context *context, new_file *file);

#endif
