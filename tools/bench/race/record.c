/* The records of races, and tables from them. */
#include "record.h"

#include <stdio.h>
#include <string.h>

#include "output.h"

json_t *record_get(const json_t *object, const char *key)
{
    char first[32];
    for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
        snprintf(first, sizeof first, "%.*s", (int)(dot - key), key);
        object = json_object_get(object, first);
    }
    return json_object_get(object, key);
}

double record_number(const json_t *object, const char *key)
{
    return json_number_value(record_get(object, key));
}

const char *record_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(record_get(object, key));
    return text ? text : "";
}

/* Adds the cost of the plan, and the number of products after which a faster contender has saved
 * it. */
static void add_plan(json_t *line, double plan, double seconds, double ratio)
{
    double gain = (ratio - 1) * seconds;
    json_object_set_new(line, "plan_seconds", json_real(plan));
    json_object_set_new(line, "plan_products", json_real(plan / seconds));
    json_object_set_new(line, "products_to_pay_back",
                        gain > 0 ? json_real(plan / gain) : json_null());
}

const char *record_role(race_role role)
{
    static const char *const roles[] = {"kernel", "auto", "peer"};
    return roles[role];
}

json_t *record_line(const char *name, const race_about *about, double seconds, double ratio,
                    json_t *figures)
{
    json_t *line =
        json_pack("{s:o, s:s}", "name", output_string(name), "role", record_role(about->role));
    if (about->kernel)
        json_object_set_new(line, "kernel", output_string(about->kernel));
    json_object_set_new(line, "exact", json_boolean(about->exact));
    json_object_set_new(line, "bytes", json_real(about->bytes));
    if (about->bytes_own > 0)
        json_object_set_new(line, "bytes_own", json_real(about->bytes_own));
    if (about->flops > 0)
        json_object_set_new(line, "flops", json_real(about->flops));
    if (about->plan_seconds > 0)
        add_plan(line, about->plan_seconds, seconds, ratio);
    json_object_update(line, figures);
    json_decref(figures);
    json_object_set_new(line, "note", output_string(about->note));
    return line;
}

/* Prints a text. An empty text in a column without padding prints nothing. */
static void print_text(const record_column *column, const char *text)
{
    int width = column->width > 0 ? column->width + (int)strlen(column->unit) : column->width;
    if (width != 0 || *text)
        printf(" %*s", width, text);
}

static void print_cell(const record_column *column, const json_t *value)
{
    if (json_is_number(value))
        printf(" %*.*f%s", column->width, column->decimals,
               column->scale * json_number_value(value), column->unit);
    else
        print_text(column, value ? json_string_value(value) : "-");
}

void record_print_lines(const json_t *lines, const record_column *columns)
{
    size_t index;
    const json_t *line;
    putchar(' ');
    for (const record_column *c = columns; c->head; c++)
        print_text(c, c->head);
    putchar('\n');
    json_array_foreach((json_t *)lines, index, line)
    {
        putchar(' ');
        for (const record_column *c = columns; c->head; c++)
            print_cell(c, record_get(line, c->key));
        putchar('\n');
    }
    fflush(stdout);
}

/* Prints the data of the case, such as "7-point:20: 8000 rows, the run reads 36.1 GB/s". */
static void print_case(const json_t *record)
{
    static const struct {
        const char *key;
        const char *before;
        int decimals;
        const char *after;
    } parts[] = {{"rows", "", 0, " rows"},
                 {"entries", "", 0, " entries"},
                 {"iterations", "", 0, " iterations"},
                 {"read_gbps", "the run reads ", 1, " GB/s"},
                 {"copy_gbps", "the run copies ", 1, " GB/s"}};
    const char *separator = ": ";
    printf("\n%s", record_text(record, "case"));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (record_get(record, parts[i].key)) {
            printf("%s%s%.*f%s", separator, parts[i].before, parts[i].decimals,
                   record_number(record, parts[i].key), parts[i].after);
            separator = ", ";
        }
    }
    putchar('\n');
}

void record_print(const json_t *record, const record_column *columns)
{
    print_case(record);
    record_print_lines(record_get(record, "contenders"), columns);
}
