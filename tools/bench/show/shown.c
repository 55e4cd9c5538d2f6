/* Reads a saved race for the functions that draw it. */
#include "shown.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

void shown_heats(const json_t *record, const char *heats[SHOWN_HEATS])
{
    const json_t *line = json_array_get(record_get(record, "contenders"), 0);
    int count = 0;
    if (record_get(line, "cold"))
        heats[count++] = "cold";
    if (record_get(line, "warm"))
        heats[count++] = "warm";
    if (record_get(line, "seconds"))
        heats[count++] = "";
    heats[count] = NULL;
}

double shown_figure(const json_t *line, const char *heat, const char *key)
{
    return record_number(*heat ? record_get(line, heat) : line, key);
}

double shown_ratio(const json_t *line, const char *heat)
{
    const char *key = record_get(line, "speed_up") ? "speed_up" : "ratio";
    return shown_figure(line, heat, key);
}

race_role shown_role(const json_t *line)
{
    race_role role = RACE_PEER;
    while (role > RACE_KERNEL && strcmp(record_text(line, "role"), record_role(role)) != 0)
        role--;
    return role;
}

void shown_machine(const json_t *saved, char *text, size_t size)
{
    const char *gpu = record_text(saved, "gpu");
    int threads = (int)json_integer_value(record_get(saved, "threads"));
    snprintf(text, size, "%s%s%s · %s · %d %s · %s", gpu, *gpu ? " beside " : "",
             record_text(saved, "processor"), record_text(saved, "isa"), threads,
             threads == 1 ? "thread" : "threads", record_text(saved, "date"));
}

const json_t *shown_auto(const json_t *record)
{
    size_t index;
    const json_t *line;
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        if (shown_role(line) == RACE_AUTO)
            return line;
    }
    return NULL;
}

void shown_title(const json_t *record, const char *heat, char *title, size_t size)
{
    const char *name = words_file(record_text(record, "case"));
    const char *suffix = strstr(name, ".mtx");
    snprintf(title, size, "%.*s%s%s", suffix ? (int)(suffix - name) : 200, name, *heat ? ", " : "",
             heat);
}

double shown_memory(const json_t *results)
{
    size_t index;
    const json_t *record;
    double sum = 0;
    json_array_foreach(results, index, record)
    {
        const char *key = record_get(record, "copy_gbps") ? "copy_gbps" : "read_gbps";
        sum += record_number(record, key);
    }
    return index > 0 ? sum / (double)index : 0;
}
