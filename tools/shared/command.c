/* Options that all subcommands of furrow share, and how a subcommand runs and fails. */
#include "command.h"

#include <furrow/author/kernels.h>

#include "new_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unfinished.h"

enum { OPTION_HELP = 'h', OPTION_THREADS = 1000, OPTION_DEVICE, OPTION_JSON, OPTION_QUIET };

/* A list of names in a sentence. */
#define LIST_BYTES 512

const char *command_program = "furrow";

/* Whether a job failed because of a mistake in the command line. */
static bool misused;

static const struct argp_option common_options[] = {
    {.name = "threads",
     .key = OPTION_THREADS,
     .arg = "N",
     .doc =
         "Number of threads (default: OMP_NUM_THREADS, or one per processor; on several ranks 1)"},
    {.name = "device",
     .key = OPTION_DEVICE,
     .arg = "NAME",
     .doc = "Device: cpu (default), cuda, or cuda:N for GPU number N"},
    {.name = "json", .key = OPTION_JSON, .doc = "Print the results as one JSON object"},
    {.name = "quiet", .key = OPTION_QUIET, .doc = "Print no progress bar and no warnings"},
    {.key = OPTION_HELP, .flags = OPTION_HIDDEN},
    {0},
};

void *command_list_of(int count, size_t size)
{
    void *list = calloc((size_t)count + 1, size);
    if (!list) {
        command_error("out of memory for a list of %d options", count);
        exit(EXIT_FAILURE);
    }
    return list;
}

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
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number <= 0.0)
        argp_error(state, "%s takes a positive number, not '%s'", option, text);
    return number;
}

const char *command_file(struct argp_state *state, const char *option, const char *text)
{
    if (*text == '\0')
        argp_error(state, "%s takes the name of a file, not ''", option);
    return text;
}

void command_check_suffix(struct argp_state *state, const char *option, const char *suffix,
                          const char *path)
{
    if (path && !new_file_is(path, suffix))
        argp_error(state, "%s takes a name that ends in %s, not '%s'", option, suffix, path);
}

/* Returns the index of a name, or -1 if the list does not have it. */
static int find_name(fur_context *context, command_names *names, const char *text)
{
    for (int i = 0; names(context, i); i++)
        if (strcmp(text, names(context, i)) == 0)
            return i;
    return -1;
}

/* "a, b or c" */
static void join_names(fur_context *context, command_names *names, char out[LIST_BYTES])
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; names(context, i) && length < LIST_BYTES; i++) {
        const char *join = i == 0 ? "" : !names(context, i + 1) ? " or " : ", ";
        length +=
            (size_t)snprintf(out + length, LIST_BYTES - length, "%s%s", join, names(context, i));
    }
}

int command_choice(struct argp_state *state, const char *option, command_names *names,
                   const char *text)
{
    char list[LIST_BYTES];
    int found = find_name(NULL, names, text);
    if (found < 0) {
        join_names(NULL, names, list);
        argp_error(state, "%s takes %s, not '%s'", option, list, text);
    }
    return found;
}

fur_status command_check_name(fur_context *context, const char *option, command_names *names,
                              const char *text)
{
    char list[LIST_BYTES];
    if (find_name(context, names, text) >= 0)
        return FUR_OK;
    join_names(context, names, list);
    return command_misuse(context, "%s takes %s on %s, not '%s'", option, list,
                          fur_context_device(context), text);
}

int command_count(command_list *at, const fur_context *context)
{
    int count = 0;
    while (at(context, count))
        count++;
    return count;
}

const fur_kernel_info *command_find(command_list *at, const fur_context *context, const char *name)
{
    const fur_kernel_info *kernel;
    for (int i = 0; (kernel = at(context, i)) && strcmp(kernel->name, name) != 0;)
        i++;
    return kernel;
}

const char *command_kernel(fur_context *context, int index)
{
    const fur_kernel_info *kernel = fur_spmv_kernel_at(context, index);
    return kernel ? kernel->name : NULL;
}

const char *command_method(fur_context *context, int index)
{
    const fur_method_info *method = fur_reorder_method_at(index);
    (void)context;
    return method ? method->name : NULL;
}

void command_check(struct argp_state *state, const command_pairing *pairings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairings[i].given && !pairings[i].fits)
            argp_error(state, "%s goes %s", pairings[i].option, pairings[i].how);
}

/* Accepts cpu, cuda or cuda:N. The library checks whether this machine has the device. */
static const char *parse_device(struct argp_state *state, const char *text)
{
    const char *number = text + strlen("cuda:");
    bool numbered = strncmp(text, "cuda:", strlen("cuda:")) == 0 && *number != '\0' &&
                    number[strspn(number, "0123456789")] == '\0';
    if (strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0 && !numbered)
        argp_error(state, "--device takes cpu, cuda or cuda:N, not '%s'", text);
    return text;
}

static bool is_text(const char *path)
{
    return path && !fur_binary_detect(path);
}

bool command_reads_specially(const command_common *common)
{
    const fur_mtx_read_options *r = &common->reading;
    return r->duplicates != FUR_DUPLICATES_SUM || r->mirrored != FUR_MTX_MIRRORED_ERROR ||
           r->drop_zeros || r->allow_trailing || r->refuse_dialects;
}

static void check_operands(struct argp_state *state, const command_common *common)
{
    if (common->operand_count < common->operands_min)
        argp_error(state, "a file name is missing");
    if (command_reads_specially(common) && !is_text(common->operands[0]) &&
        !is_text(common->vector)) {
        argp_error(state, "no Matrix Market file is read; leave out --duplicates, --mirrored, "
                          "--drop-zeros, --allow-trailing and --strict");
    }
}

static void add_operand(command_common *common, char *operand, struct argp_state *state)
{
    if (common->operand_count == common->operands_max)
        argp_error(state, "too many file names; leave out '%s'", operand);
    common->operands[common->operand_count++] = command_file(state, "the command", operand);
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
        common->device = parse_device(state, argument);
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
    case OPTION_HELP:
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    case ARGP_KEY_END:
        check_operands(state, common);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child common_children[] = {
    {.argp = &reading_argp, .header = "Options for reading Matrix Market files:", .group = 2},
    {0},
};

static const struct argp common_argp = {
    .options = common_options, .parser = parse_common, .children = common_children};

const struct argp_child command_children[] = {
    {.argp = &common_argp, .header = "Options of all commands:", .group = 1},
    {0},
};

bool command_on_gpu(const command_common *common)
{
    return common->device && strncmp(common->device, "cuda", strlen("cuda")) == 0;
}

int command_run(const command_common *common,
                fur_status (*job)(fur_context *context, const void *options), const void *options)
{
    return command_run_in(common, NULL, job, options);
}

static void print_notice(const fur_context *context)
{
    const char *notice = fur_context_notice(context);
    if (*notice)
        command_error("note: %s", notice);
}

int command_run_in(const command_common *common, void *stream,
                   fur_status (*job)(fur_context *context, const void *options),
                   const void *options)
{
    fur_context_options context_options = {.size = sizeof context_options,
                                           .device = common->device,
                                           .threads = common->threads,
                                           .stream = stream,
                                           .watcher = unfinished_watcher};
    fur_context *context = NULL;
    fur_status status = fur_context_create(&context_options, &context);
    if (status == FUR_OK)
        status = job(context, options);
    if (status != FUR_OK)
        command_error("%s", fur_context_error(context));
    if (context && !common->quiet)
        print_notice(context);
    fur_context_destroy(context);
    return status == FUR_OK ? EXIT_SUCCESS : misused ? COMMAND_USAGE : EXIT_FAILURE;
}

fur_status command_misuse(fur_context *context, const char *format, ...)
{
    char sentence[LIST_BYTES + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    misused = true;
    return fur_context_fail(context, FUR_INVALID, "%s", sentence);
}

fur_status command_while(fur_context *context, const char *doing, const char *name,
                         fur_status status)
{
    const char *sentence = fur_context_error(context);
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
    if (status == FUR_OK || misused || strncmp(sentence, shown, strlen(shown)) == 0)
        return status;
    return fur_context_fail(context, status, "%s %s: %s", doing, shown, sentence);
}

void command_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command_program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

bool command_flush(char sentence[COMMAND_FLUSH_BYTES])
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    snprintf(sentence, COMMAND_FLUSH_BYTES, "standard output cannot be written%s%s",
             errno ? ": " : "", errno ? strerror(errno) : ""); /* 0: an earlier write failed */
    return false;
}

/* Reports a failed write at exit. A run that has already failed has printed its message. */
static void check_output(int status, void *unused)
{
    char sentence[COMMAND_FLUSH_BYTES];
    (void)unused;
    if (status != EXIT_SUCCESS || command_flush(sentence))
        return;
    command_error("%s", sentence);
    _exit(EXIT_FAILURE);
}

void command_check_output(void)
{
    on_exit(check_output, NULL);
}
