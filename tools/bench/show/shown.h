/* A saved race in the form in which it is drawn. On a GPU, a case has two kinds of times, cold and
 * warm. */
#ifndef FURROW_TOOLS_SHOWN_H
#define FURROW_TOOLS_SHOWN_H

#include <jansson.h>

#include "record.h"

/* Lists the kinds of times of a case's contenders, "cold" and "warm" or "", followed by NULL. */
#define SHOWN_HEATS 3
void shown_heats(const json_t *record, const char *heats[SHOWN_HEATS]);

/* Returns a contender's figure: seconds, gbps or ratio. Returns 0 if it has none. */
double shown_figure(const json_t *line, const char *heat, const char *key);

/* Returns the speed-up over the contender for comparison, or 0 without one. */
double shown_ratio(const json_t *line, const char *heat);

race_role shown_role(const json_t *line);

/* Describes the machine, such as "AMD EPYC · avx512 · 2 threads · 2026-11-23". */
void shown_machine(const json_t *saved, char *text, size_t size);

/* Returns the choice of auto, which is the first contender of that role, or NULL. */
const json_t *shown_auto(const json_t *record);

/* Returns the name of a case without folder and suffix, followed by the kind of times. */
void shown_title(const json_t *record, const char *heat, char *title, size_t size);

/* Returns the mean rate of memory in GB/s during the cases, or 0 if it was not measured. */
double shown_memory(const json_t *results);

#endif
