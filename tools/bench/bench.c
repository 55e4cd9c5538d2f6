/* furrow bench: races the kernels with each other and with the usual alternatives. */
#include "bench.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "generate.h"
#include "line.h"
#include "output.h"
#include "race_page.h"
#include "race_picture.h"
#include "suites.h"
#include "sweeps.h"

#define CASES_MAX 512
#define DOC_BYTES 4096
/* Default of --seconds. */
#define SECONDS 0.02

typedef struct bench_options {
    command_common common;
    double seconds; /* members that were not given are 0 or NULL */
    int rounds;
    const char *against;
    int sweeps;
    const char *json_file;
    const char *report;
    const char *picture;
    const char *from;
    const char *cases[CASES_MAX]; /* begins with the suite's name */
    int case_count;
} bench_options;

static fur_status run_cases(bench *b, const suite *s, const char *const *cases)
{
    for (int i = 0; cases[i]; i++) {
        fur_status status = s->run(b, cases[i]);
        FUR_TRY(status == FUR_OUT_OF_MEMORY ? command_while(b->context, "timing", cases[i], status)
                                            : status);
    }
    return s->end ? s->end(b) : FUR_OK;
}

/* Returns suite `index` for the context's device, or NULL after the last. */
static const suite *suite_at(fur_context *context, int index)
{
    for (size_t i = 0; suites[i].name; i++)
        if (strcmp(fur_context_device(context), suites[i].device) == 0 && index-- == 0)
            return &suites[i];
    return NULL;
}

static const char *suite_name(fur_context *context, int index)
{
    const suite *s = suite_at(context, index);
    return s ? s->name : NULL;
}

/* Returns the suite of that name, or NULL with a message in the context if the device has none. */
static const suite *find_suite(const bench *b, const char *name)
{
    int i = 0;
    if (command_check_name(b->context, "bench without a matrix", suite_name, name) != FUR_OK)
        return NULL;
    while (strcmp(suite_name(b->context, i), name) != 0)
        i++;
    return suite_at(b->context, i);
}

/* Reports a misuse if an option is given that the suite does not take. */
static fur_status check_options(const bench *b, const suite *s, const bench_options *options)
{
    const struct {
        unsigned takes;
        bool given;
        const char *option;
    } rules[] = {
        {TAKES_SECONDS, options->seconds > 0, "--seconds"},
        {TAKES_ROUNDS, options->rounds > 0, "--rounds"},
        {TAKES_AGAINST, options->against, "--against"},
        {TAKES_SWEEPS, options->sweeps > 0, "--sweeps"},
        {TAKES_PAGE, options->report, "--report"},
        {TAKES_PAGE, options->picture, "--picture"},
        {TAKES_FILES, command_reads_specially(&options->common), "an option of reading"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].given && !(s->takes & rules[i].takes)) {
            return command_misuse(b->context, "bench %s on %s does not support %s", s->name,
                                  s->device, rules[i].option);
        }
    }
    return FUR_OK;
}

static fur_status check_peer(const bench *b, const suite *s, const char *against)
{
    if (!against || !s->peer || strcmp(against, s->peer) == 0)
        return FUR_OK;
    return command_misuse(b->context, "bench %s on %s compares with %s, not with '%s'", s->name,
                          s->device, s->peer, against);
}

/* Returns whether the first operand is already a matrix: `bench A.mtx` is short for `bench spmv
 * A.mtx`. */
static bool begins_with_matrix(const bench_options *options)
{
    const char *first = options->cases[0];
    for (size_t i = 0; suites[i].name; i++)
        if (strcmp(first, suites[i].name) == 0)
            return false;
    return generate_knows(first) || access(first, F_OK) == 0;
}

static fur_status bench_steps(bench *b, const bench_options *options, const suite *s)
{
    int named = begins_with_matrix(options) ? 0 : 1;
    return run_cases(b, s, options->case_count > named ? options->cases + named : s->cases);
}

/* Writes which suite is run, where and when. */
static void put_origin(output *out, const bench *b, const suite *s)
{
    char date[16] = "";
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    output_text(out, "suite", "benchmark", s->name);
    output_text(out, "date", "date", date);
    output_text(out, "version", "furrow", fur_version());
    timing_put(out, b->timing);
}

/* The files to write. */
enum { JSON_FILE, REPORT, PICTURE, FILES };

static const char *file_name(const bench_options *options, int which)
{
    const char *const names[FILES] = {options->json_file, options->report, options->picture};
    return names[which];
}

/* Opens the files before the race, so that an unwritable file is reported at once and not after an
 * hour. */
static fur_status open_files(fur_context *context, const bench_options *options,
                             new_file files[FILES])
{
    fur_status status = FUR_OK;
    int opened = 0;
    for (; opened < FILES && status == FUR_OK; opened++)
        if (file_name(options, opened))
            status = new_file_open(context, file_name(options, opened), &files[opened]);
    for (int i = 0; i < opened - 1 && status != FUR_OK; i++)
        if (file_name(options, i))
            new_file_close(&files[i], status);
    return status;
}

/* Writes the results to the files and closes them. `status` is the outcome so far. */
static fur_status draw_files(const bench_options *options, const json_t *saved,
                             new_file files[FILES], fur_status status)
{
    if (options->report) {
        race_page_put(files[REPORT].stream, saved);
        status = new_file_close(&files[REPORT], status);
    }
    if (options->picture) {
        race_picture_put(files[PICTURE].stream, saved);
        status = new_file_close(&files[PICTURE], status);
    }
    return status;
}

static fur_status run_suite(bench *b, const bench_options *options, const suite *s)
{
    new_file files[FILES] = {{NULL, NULL}};
    FUR_TRY(command_while(b->context, "preparing", "to measure", timing_prepare(b->timing)));
    FUR_TRY(open_files(b->context, options, files));
    output saved = output_begin(true);
    output table = output_begin(false);
    put_origin(&saved, b, s);
    if (!options->common.json)
        put_origin(&table, b, s);
    b->results = json_array();
    fur_status status = bench_steps(b, options, s);
    output_member(&saved, "results", b->results);
    if (b->summary)
        output_member(&saved, "summary", b->summary);
    fur_status written =
        options->json_file ? output_save(&saved, b->context, &files[JSON_FILE]) : FUR_OK;
    written = draw_files(options, saved.object, files, written);
    fur_status ended = output_end(options->common.json ? &saved : &table, b->context);
    json_decref(saved.object);
    return status != FUR_OK ? status : written != FUR_OK ? written : ended;
}

static fur_status run_bench(timing *t, const void *given)
{
    const bench_options *options = given;
    bench b = {.context = t->context,
               .timing = t,
               .common = &options->common,
               .seconds = options->seconds > 0 ? options->seconds : SECONDS,
               .rounds = options->rounds,
               .sweeps = options->sweeps,
               .against = options->against};
    const suite *s = find_suite(&b, begins_with_matrix(options) ? "spmv" : options->cases[0]);
    if (!s)
        return FUR_INVALID;
    FUR_TRY(check_options(&b, s, options));
    FUR_TRY(check_peer(&b, s, options->against));
    return run_suite(&b, options, s);
}

/* Draws the saved results of an earlier run. */
static fur_status draw_saved(fur_context *context, const void *given)
{
    const bench_options *options = given;
    new_file files[FILES] = {{NULL, NULL}};
    json_error_t error;
    json_t *saved = json_load_file(options->from, 0, &error);
    fur_status status = FUR_OK;
    if (!saved)
        status = fur_context_fail(context, FUR_INVALID, "%s: %s", options->from, error.text);
    else if (json_array_size(record_get(saved, "results")) == 0)
        status = fur_context_fail(context, FUR_INVALID,
                                  "%s: the file has no results; --from needs a file that "
                                  "--json-file wrote",
                                  options->from);
    if (status == FUR_OK)
        status = open_files(context, options, files);
    if (status == FUR_OK)
        status = draw_files(options, saved, files, FUR_OK);
    json_decref(saved);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const bench_options *o = options;
    const command_pairing pairings[] = {
        {"--from", o->from, o->report || o->picture, "with --report or --picture"},
        {"--json-file", o->json_file, !o->from, "without --from"}};
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    if (!o->from && o->case_count == 0)
        argp_error(state, "a benchmark is missing, such as spmv or reduce");
    if (o->from && o->case_count > 0)
        argp_error(state, "--from runs no benchmark; leave out '%s'", o->cases[0]);
    command_check_suffix(state, "--report", ".html", o->report);
    command_check_suffix(state, "--picture", ".svg", o->picture);
}

#define AT(member) .at = offsetof(bench_options, member)
static const line_option own_options[] = {
    {"seconds", "S", "Time for each contender in each round on the CPU (default: 0.02)",
     LINE_POSITIVE, AT(seconds)},
    {"rounds", "N", "Number of rounds (default: 11 or 5, by the suite)", LINE_COUNT, AT(rounds),
     .most = RACE_ROUNDS_MAX},
    {"against", "PEER",
     "Peer to compare with; the command fails if it is missing (default: each that exists)",
     LINE_TEXT, AT(against)},
    {"sweeps", "N", "Suite stencil only. " SWEEPS_DOC, LINE_COUNT, AT(sweeps),
     .most = SWEEPS_COUNT_MAX},
    {"json-file", "FILE", "Write the object of --json to this file, in addition to the tables",
     LINE_TEXT, AT(json_file)},
    {"report", "R.html", "Write a page for browsers: bars, a roofline and the costs of plans",
     LINE_TEXT, AT(report)},
    {"picture", "P.svg", "Write the bars and the roofline of this page as one picture", LINE_TEXT,
     AT(picture)},
    {"from", "FILE", "Draw the results that an earlier run saved by --json-file; time nothing",
     LINE_FILE, AT(from)},
    {0},
};

static error_t take_case(int key, char *argument, struct argp_state *state, void *given)
{
    bench_options *options = given;
    switch (key) {
    case ARGP_KEY_ARG:
        if (options->case_count == CASES_MAX - 1)
            argp_error(state, "more than %d cases; give fewer", CASES_MAX - 2);
        options->cases[options->case_count++] = argument;
        options->common.vector = access(argument, F_OK) == 0 ? argument : options->common.vector;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Appends a line for each suite of this build: its name, its cases, and the work that it times. */
static void add_suites(char *text, size_t size)
{
    for (const suite_info *info = suite_infos; info->name; info++) {
        const suite *s = suites;
        size_t length = strlen(text);
        while (s->name && strcmp(s->name, info->name) != 0)
            s++;
        if (s->name)
            snprintf(text + length, size - length, "  %-14s %-17s %s\n", info->name, info->cases,
                     info->summary);
    }
}

int command_bench(int argc, char **argv)
{
    static char doc[DOC_BYTES] =
        "Time the kernels of furrow against other implementations. On the CPU these are plain "
        "loops, compiled with -O3 -march=native, and other libraries. On a GPU they are NVIDIA's "
        "libraries. Every result is checked. The default SUITE is spmv. Each suite has default "
        "cases.\vSuites and their cases:\n\n";
    const line line_of = {.options = own_options,
                          .operands = "FILE|MATRIX...\nSUITE [CASE...]",
                          .settle = settle,
                          .rest = take_case,
                          .doc = doc};
    bench_options options = {.seconds = 0};
    add_suites(doc, sizeof doc);
    strncat(doc,
            "\nMATRIX is 5-point:N, 7-point:N, 9-point:N, 27-point:N, nodes3:N, "
            "random:ROWSxENTRIES, rmat:SCALE or power:ROWS. STENCIL is POINTS-point:N, or "
            "POINTS-point:N:TYPE for another value type than f64. TEXT is real:N, integer:N or "
            "pattern:ROWS.\n\nThe manual page furrow-bench explains the cases and the tables.",
            sizeof doc - strlen(doc) - 1);
    line_parse(&line_of, argc, argv, &options);
    return options.from ? command_run(&options.common, draw_saved, &options)
                        : timing_run(&options.common, run_bench, &options);
}
