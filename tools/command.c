/* The options that hold for all subcommands of furrow, and how a subcommand runs and fails. */
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reading.h"
#include "unfinished.h"

enum { OPTION_THREADS = 1000, OPTION_DEVICE, OPTION_JSON, OPTION_QUIET };

static const struct argp_option common_options[] = {
    {.name = "threads", .key = OPTION_THREADS, .arg = "N", .doc = "Threads to use"},
    {.name = "device",
     .key = OPTION_DEVICE,
     .arg = "NAME",
     .doc = "Device to use: cpu, cuda or cuda:N"},
    {.name = "json",
     .key = OPTION_JSON,
     .doc = "Print one JSON object; numbers JSON lacks become \"nan\", \"inf\", \"-inf\""},
    {.name = "quiet", .key = OPTION_QUIET, .doc = "Show no progress and no warnings"},
    {0},
};

int64_t command_whole_number(struct argp_state *state, const char *option, const char *text,
                             int64_t least, int64_t most)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < least || number > most) {
        argp_error(state, "%s takes a whole number from %lld to %lld, not '%s'", option,
                   (long long)least, (long long)most, text);
    }
    return number;
}

double command_positive_number(struct argp_state *state, const char *option, const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number <= 0.0) {
        argp_error(state, "%s takes a positive number, not '%s'", option, text);
    }
    return number;
}

static void add_operand(command_common *common, char *operand, struct argp_state *state)
{
    if (common->operand_count == common->operands_max) {
        argp_error(state, "'%s' is one file name too many", operand);
    }
    common->operands[common->operand_count++] = operand;
}

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    command_common *common = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &common->reading;
        return 0;
    case OPTION_THREADS:
        common->threads = (int)command_whole_number(state, "--threads", argument, 1, INT_MAX);
        return 0;
    case OPTION_DEVICE:
        common->device = argument;
        return 0;
    case OPTION_JSON:
        common->json = true;
        return 0;
    case OPTION_QUIET:
        common->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        add_operand(common, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (common->operand_count < common->operands_min) {
            argp_error(state, "a file name is missing");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child common_children[] = {
    {.argp = &reading_argp, .header = "How Matrix Market files are read:", .group = 2},
    {0},
};

static const struct argp common_argp = {
    .options = common_options, .parser = parse_common, .children = common_children};

const struct argp_child command_children[] = {
    {.argp = &common_argp, .header = "Options of all commands:", .group = 1},
    {0},
};

int command_run(const command_common *common,
                fur_status (*job)(fur_context *context, const void *options), const void *options)
{
    return command_run_in(common, NULL, job, options);
}

static void print_notice(const fur_context *context)
{
    const char *notice = fur_context_notice(context);
    if (*notice) {
        command_error("note: %s", notice);
    }
}

int command_run_in(const command_common *common, void *stream,
                   fur_status (*job)(fur_context *context, const void *options),
                   const void *options)
{
    const fur_context_options context_options = {.size = sizeof context_options,
                                                 .device = common->device,
                                                 .threads = common->threads,
                                                 .stream = stream,
                                                 .watcher = unfinished_watcher};
    fur_context *context = NULL;
    fur_status status = fur_context_create(&context_options, &context);
    if (status == FUR_OK) {
        status = job(context, options);
    }
    if (status != FUR_OK) {
        command_error("%s", fur_context_error(context));
    }
    if (context && !common->quiet) {
        print_notice(context);
    }
    fur_context_destroy(context);
    return status == FUR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

void command_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("furrow: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

double command_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
