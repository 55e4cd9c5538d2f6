/* A saved race as it is drawn. On a GPU a case has two kinds of times, cold and warm. */
#ifndef FURROW_TOOLS_SHOWN_H
#define FURROW_TOOLS_SHOWN_H

#include <jansson.h>

#include "record.h"

/* The kinds of times that a case's contenders have: "cold" and "warm", or ""; NULL ends them. */
#define SHOWN_HEATS 3
void shown_heats(const json_t *record, const char *heats[SHOWN_HEATS]);

/* A contender's figure: seconds, gbps or ratio; 0: it has none. */
double shown_figure(const json_t *line, const char *heat, const char *key);

/* How many times as fast as what it is held against; 0: there is nothing. */
double shown_ratio(const json_t *line, const char *heat);

race_role shown_role(const json_t *line);

/* What is known of the machine, such as "AMD EPYC · avx512 · 2 threads · 2026-11-23". */
void shown_machine(const json_t *saved, char *text, size_t size);

/* What auto took, or NULL: the first contender of that role. */
const json_t *shown_auto(const json_t *record);

/* The name of a case without folder and suffix, and the kind of times behind it. */
void shown_title(const json_t *record, const char *heat, char *title, size_t size);

/* The rate of memory in GB/s, which the cases were measured beside, in the mean; 0: none was. */
double shown_memory(const json_t *results);

#endif
