/* What is kept of a race: one JSON object a case, from which its table, the JSON output and the
 * page are made. */
#ifndef FURROW_TOOLS_RECORD_H
#define FURROW_TOOLS_RECORD_H

#include <jansson.h>

#include "race.h"

/* A member, or a member's member as in "cold.seconds". NULL: there is none; a number: 0; a text:
 * "". */
json_t *record_get(const json_t *object, const char *key);
double record_number(const json_t *object, const char *key);
const char *record_text(const json_t *object, const char *key);

/* "kernel", "auto" or "peer". */
const char *record_role(race_role role);

/* A contender's object: its name, and what is told of it. seconds: of a run, in which the plan is
 * counted; ratio: how many times as fast it is as what it pays back against. figures: members to
 * add, which are taken over. */
json_t *record_line(const char *name, const race_about *about, double seconds, double ratio,
                    json_t *figures);

/* A column of a table: a member's texts, or its numbers times `scale`. */
typedef struct record_column {
    const char *head; /* NULL ends the columns */
    const char *key;
    int width; /* negative: to the left; 0: of the last one, as long as it is */
    int decimals;
    double scale;
    const char *unit;
} record_column;

/* What is known of the case, then a line for each of its contenders. */
void record_print(const json_t *record, const record_column *columns);

/* The lines of such a table alone. */
void record_print_lines(const json_t *lines, const record_column *columns);

#endif
