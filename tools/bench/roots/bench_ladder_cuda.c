/* furrow bench ladder: the classical steps of a parallel reduction on a GPU, and CUB. */
#include "bench_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "ladder.h"

#define ROWS_MAX 16

static json_t *row_to_json(const ladder_row *row)
{
    return json_pack("{s:o, s:f, s:f, s:f, s:f, s:b, s:s}", "name", output_string(row->name),
                     "seconds", row->seconds, "gbps", row->gbps, "step_speedup", row->step_speedup,
                     "total_speedup", row->total_speedup, "result_ok", row->result_ok, "note",
                     row->result_ok ? "" : "wrong sum");
}

static void keep_rows(bench *b, const char *title, const ladder_row *rows, int count)
{
    static const record_column columns[] = {{"", "name", -36, 0, 0, ""},
                                            {"us", "seconds", 10, 2, 1e6, ""},
                                            {"GB/s", "gbps", 8, 1, 1, ""},
                                            {"step", "step_speedup", 7, 2, 1, "x"},
                                            {"in all", "total_speedup", 7, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    json_t *lines = json_array();
    for (int i = 0; i < count; i++)
        output_append(lines, row_to_json(&rows[i]));
    output_append(b->results, json_pack("{s:o, s:o}", "case", output_string(title), "rows", lines));
    if (!b->common->json) {
        printf("\n%s\n", title);
        record_print_lines(lines, columns);
    }
}

/* Returns an error if a step adds wrongly. The table shows which step. */
static fur_status judge(const bench *b, const char *title, const ladder_row *rows, int count)
{
    for (int i = 0; i < count; i++) {
        if (!rows[i].result_ok) {
            return fur_context_fail(b->context, FUR_INVALID, "%s: %s gives a wrong sum", title,
                                    rows[i].name);
        }
    }
    return FUR_OK;
}

static fur_status run_type(bench *b, const char *type, const char *name, int64_t n)
{
    ladder_row rows[ROWS_MAX];
    char title[64];
    char error[256];
    int count = 0;
    if (ladder_run(type, n, RACE_CUDA_ROUNDS, rows, ROWS_MAX, &count, error, sizeof error) != 0) {
        return fur_context_fail(b->context, FUR_UNSUPPORTED, "ladder of %s %s: %s", name, type,
                                error);
    }
    snprintf(title, sizeof title, "%s %s", name, type);
    keep_rows(b, title, rows, count);
    return judge(b, title, rows, count);
}

fur_status bench_ladder_cuda(bench *b, const char *name)
{
    static const char *const types[] = {"i32", "f32", "f64"};
    char *end = NULL;
    const long long n = strtoll(name, &end, 10);
    if (*end != '\0' || n < 1 || n > 1LL << 31) {
        return fur_context_fail(b->context, FUR_INVALID,
                                "'%s' is not a vector length; use a number from 1 to 2^31", name);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        FUR_TRY(run_type(b, types[i], name, n));
    return FUR_OK;
}
