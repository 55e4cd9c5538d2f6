/* The reader of command lines accepts a table of options of any length. */
#include "support.h"

#include "line.h"

#include <stdio.h>

#define OPTIONS 500

typedef struct settings {
    command_common common;
    bool set[OPTIONS];
} settings;

/* Returns a table of flags named --flag-0, --flag-1, ... */
static const line_option *long_table(void)
{
    static char names[OPTIONS][16];
    static line_option table[OPTIONS + 1];
    for (int i = 0; i < OPTIONS; i++) {
        snprintf(names[i], sizeof names[i], "flag-%d", i);
        table[i] = (line_option){.name = names[i],
                                 .doc = "A flag",
                                 .kind = LINE_FLAG,
                                 .at = offsetof(settings, set) + (size_t)i * sizeof(bool)};
    }
    return table;
}

static void check_flag(const line *l, int flag)
{
    char name[] = "furrow", option[24];
    char *arguments[] = {name, option, NULL};
    settings read = {{.operands_max = 0}, {false}};
    snprintf(option, sizeof option, "--flag-%d", flag);
    line_parse(l, 2, arguments, &read);
    for (int i = 0; i < OPTIONS; i++)
        ck_assert_msg(read.set[i] == (i == flag), "%s: flag %d", option, i);
}

START_TEST(a_long_table_is_read)
{
    const line l = {.options = long_table(), .doc = "Many flags."};
    for (int flag = 0; flag < OPTIONS; flag++)
        check_flag(&l, flag);
}
END_TEST

/* A table of options may contain another table, whose options are stored in another struct. */
START_TEST(a_table_in_a_table_is_read)
{
    static const line_option inner[] = {
        {"deep", NULL, "A flag", LINE_FLAG, .at = offsetof(settings, set)}, {0}};
    static const line_option outer[] = {
        {"first", NULL, "A flag", LINE_FLAG, .at = offsetof(settings, set)},
        {"inner", .kind = LINE_TABLE, .at = 3 * sizeof(bool), .table = inner},
        {"last", NULL, "A flag", LINE_FLAG, .at = offsetof(settings, set) + sizeof(bool)},
        {0}};
    const line l = {.options = outer, .doc = "A table in a table."};
    char name[] = "furrow", deep[] = "--deep", last[] = "--last";
    char *arguments[] = {name, deep, last, NULL};
    settings read = {{.operands_max = 0}, {false}};
    line_parse(&l, 3, arguments, &read);
    ck_assert(!read.set[0] && read.set[1] && !read.set[2] && read.set[3]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_long_table_is_read);
    tcase_add_test(tests, a_table_in_a_table_is_read);
}

int main(void)
{
    return run_tests("line", add_tests);
}
