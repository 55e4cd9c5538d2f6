/* The figures of raced forms. */
#include "forms.h"

#include <stdio.h>

double form_ns_per_point(const form *c)
{
    return 1e9 * c->seconds / (double)c->owner->rows;
}

double form_gbps(const form *c)
{
    return 1e-9 * (double)c->bytes / c->seconds;
}

double form_of_copy(const form *c)
{
    return 1e9 * form_gbps(c) / c->owner->copy_rate;
}

double form_ratio(const form *c)
{
    return c->seconds / c->owner->forms[0].seconds;
}

static double bytes_per_point(const form *c)
{
    return (double)c->bytes / (double)c->owner->rows;
}

void forms_print(const forms *f)
{
    printf("%-12s%-16s%10s%10s%9s%9s%9s\n", "", "kernel", "ns/point", "B/point", "GB/s", "of copy",
           "ratio");
    for (int i = 0; i < f->count; i++) {
        const form *c = &f->forms[i];
        printf("%-12s%-16s%10.4f%10.1f%9.1f%8.0f%%%9.2f\n", c->name, c->kernel,
               form_ns_per_point(c), bytes_per_point(c), form_gbps(c), 100 * form_of_copy(c),
               form_ratio(c));
    }
}

json_t *forms_to_json(const forms *f)
{
    json_t *lines = json_array();
    for (int i = 0; i < f->count; i++) {
        const form *c = &f->forms[i];
        output_append(lines, json_pack("{s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "name",
                                       output_string(c->name), "kernel", output_string(c->kernel),
                                       "seconds", c->seconds, "ns_per_point", form_ns_per_point(c),
                                       "bytes_per_point", bytes_per_point(c), "gbps", form_gbps(c),
                                       "percent_of_copy", 100 * form_of_copy(c), "ratio",
                                       form_ratio(c), "max_difference", c->difference));
    }
    return lines;
}
