/* furrow bench: the kernels against each other and against what people use otherwise. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

enum { OPTION_SECONDS = 1, CASES_MAX = 512 };

typedef struct bench_options {
    command_common common;
    double seconds;
    const char *cases[CASES_MAX]; /* the suite's name first */
    int case_count;
} bench_options;

static const struct suite {
    const char *name;
    fur_status (*run)(bench *b, const char *name);
    const char *cases[8]; /* without any on the command line */
} suites[] = {
    {"spmv",
     bench_spmv,
     {"7-point:128", "7-point:160", "27-point:100", "random:1000000x16", "rmat:20"}},
    {"reduce", bench_reduce, {"10000", "1000000", "33554432"}},
};

void bench_report(bench *b, const char *name, const race *r, const double *bytes,
                  const char *const *notes)
{
    json_t *rows = json_array();
    if (!b->results) {
        printf("\n%s: the run reads %.1f GB/s\n", name, r->read_rate / 1e9);
        printf("  %-22s %12s %8s %8s %8s\n", "", "us", "GB/s", "of read", "speed-up");
    }
    for (int i = 0; i < r->count; i++) {
        const contender *c = &r->contenders[i];
        const double rate = bytes[i] / c->seconds;
        if (b->results) {
            json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:s}", "name", c->name,
                                                  "seconds", c->seconds, "gbps", rate / 1e9,
                                                  "of_read", rate / r->read_rate, "ratio", c->ratio,
                                                  "note", notes[i] ? notes[i] : ""));
        } else {
            printf("  %-22s %12.2f %8.1f %7.0f%% %7.2fx  %s\n", c->name, 1e6 * c->seconds,
                   rate / 1e9, 100 * rate / r->read_rate, c->ratio, notes[i] ? notes[i] : "");
        }
    }
    if (b->results) {
        json_array_append_new(b->results, json_pack("{s:s, s:f, s:o}", "case", name, "read_gbps",
                                                    r->read_rate / 1e9, "contenders", rows));
    } else {
        json_decref(rows);
        fflush(stdout);
    }
}

static fur_status run_cases(bench *b, const struct suite *s, const char *const *cases)
{
    for (int i = 0; cases[i]; i++) {
        COMMAND_TRY(s->run(b, cases[i]));
    }
    return FUR_OK;
}

static fur_status make_reader(bench *b)
{
    void *memory = NULL;
    b->reader_count = INT64_C(1) << 25;
    COMMAND_TRY(
        fur_context_allocate(b->context, (size_t)b->reader_count * sizeof *b->reader, &memory));
    b->reader = memory;
    for (int64_t i = 0; i < b->reader_count; i++) {
        b->reader[i] = 1;
    }
    return FUR_OK;
}

static fur_status bench_steps(bench *b, const bench_options *options)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
        if (strcmp(options->cases[0], suites[i].name) == 0) {
            COMMAND_TRY(make_reader(b));
            return run_cases(b, &suites[i],
                             options->case_count > 1 ? options->cases + 1 : suites[i].cases);
        }
    }
    return fur_context_fail(b->context, FUR_INVALID,
                            "there is no benchmark '%s'; there are spmv and reduce",
                            options->cases[0]);
}

static fur_status run_bench(fur_context *context, const void *given)
{
    const bench_options *options = given;
    bench b = {.context = context, .common = &options->common, .seconds = options->seconds};
    output out = output_begin(options->common.json);
    output_text(&out, "isa", "instruction set", fur_context_isa(context));
    output_count(&out, "threads", "threads", fur_context_threads(context));
    b.results = options->common.json ? json_array() : NULL;
    fur_status status = bench_steps(&b, options);
    fur_context_release(context, b.reader);
    if (b.results) {
        output_member(&out, "results", b.results);
    }
    const fur_status ended = output_end(&out, context);
    return status == FUR_OK ? ended : status;
}

static const struct argp_option own_options[] = {
    {.name = "seconds",
     .key = OPTION_SECONDS,
     .arg = "S",
     .doc = "Time for each contender in each of 11 rounds (default 0.02)"},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case OPTION_SECONDS:
        options->seconds = command_positive_number(state, "--seconds", argument);
        return 0;
    case ARGP_KEY_ARG:
        if (options->case_count == CASES_MAX - 1) {
            argp_error(state, "more than %d cases", CASES_MAX - 2);
        }
        options->cases[options->case_count++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a benchmark is missing: spmv or reduce");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = own_options,
    .parser = parse,
    .args_doc = "spmv [FILE|MATRIX...]\nreduce [ENTRIES...]",
    .doc = "Race the kernels against the plain loops that a compiler gets for -O3 -march=native, "
           "checking every result.\vMATRIX is generated: 5-point:N, 7-point:N, 9-point:N, "
           "27-point:N, random:ROWSxENTRIES or rmat:SCALE. Speed-ups are medians, round by round, "
           "over the first line of each table.",
    .children = command_children,
};

int command_bench(int argc, char **argv)
{
    bench_options options = {.seconds = 0.02};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    return command_run(&options.common, run_bench, &options);
}
