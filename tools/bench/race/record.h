/* The record of a race: one JSON object for each case. Its table, the JSON output and the page are
 * made from it. */
#ifndef FURROW_TOOLS_RECORD_H
#define FURROW_TOOLS_RECORD_H

#include <jansson.h>

#include "race.h"

/* Returns a member, or a member's member such as "cold.seconds". Returns NULL, 0 or "" if it does
 * not exist. */
json_t *record_get(const json_t *object, const char *key);
double record_number(const json_t *object, const char *key);
const char *record_text(const json_t *object, const char *key);

/* Returns "kernel", "auto" or "peer". */
const char *record_role(race_role role);

/* Makes a contender's object from its name and description. seconds: of a run, the unit in which
 * the plan's time is given. ratio: speed-up over the contender that must be beaten to pay for the
 * plan. figures: more members, which are moved to the object. */
json_t *record_line(const char *name, const race_about *about, double seconds, double ratio,
                    json_t *figures);

/* A column of a table: texts, or numbers times `scale`. */
typedef struct record_column {
    const char *head; /* NULL ends the columns */
    const char *key;
    int width; /* negative: left-aligned; 0: unpadded, for the last column */
    int decimals;
    double scale;
    const char *unit;
} record_column;

/* Prints the data of the case, then a line for each contender. */
void record_print(const json_t *record, const record_column *columns);

/* Prints only the lines of such a table. */
void record_print_lines(const json_t *lines, const record_column *columns);

#endif
