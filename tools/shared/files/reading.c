/* Options for reading Matrix Market files, with the library's names. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_DUPLICATES = 2000,
    OPTION_MIRRORED,
    OPTION_DROP_ZEROS,
    OPTION_ALLOW_TRAILING,
    OPTION_STRICT,
    OPTION_LIMIT
};

static const struct argp_option reading_options[] = {
    {.name = "duplicates",
     .key = OPTION_DUPLICATES,
     .arg = "RULE",
     .doc = "Rule for several entries at one position: sum (default), last, error or keep"},
    {.name = "mirrored",
     .key = OPTION_MIRRORED,
     .arg = "RULE",
     .doc =
         "Rule if a symmetric file has both a_ij and a_ji: error (default), or lower to use i > j"},
    {.name = "drop-zeros", .key = OPTION_DROP_ZEROS, .doc = "Omit entries that are zero"},
    {.name = "allow-trailing",
     .key = OPTION_ALLOW_TRAILING,
     .doc = "Ignore text after an entry, with a warning"},
    {.name = "strict",
     .key = OPTION_STRICT,
     .doc = "Reject NaN, infinity, numbers out of range and unusual banners"},
    {.name = "limit",
     .key = OPTION_LIMIT,
     .arg = "WHAT=N,...",
     .doc = "Limits of a file: shape, entries, unpacked or seconds; N is a number or none"},
    {0},
};

static const char *const duplicates_names[] = {
    [FUR_DUPLICATES_SUM] = "sum",
    [FUR_DUPLICATES_LAST] = "last",
    [FUR_DUPLICATES_ERROR] = "error",
    [FUR_DUPLICATES_KEEP] = "keep",
    NULL,
};
static const char *const mirrored_names[] = {
    [FUR_MTX_MIRRORED_ERROR] = "error",
    [FUR_MTX_MIRRORED_LOWER] = "lower",
    NULL,
};

/* Returns the index of a name. `choices` lists the names for the usage error. */
static int parse_name(struct argp_state *state, const char *const *names, const char *choices,
                      const char *name)
{
    int i = 0;
    while (names[i] && strcmp(name, names[i]) != 0)
        i++;
    if (!names[i])
        argp_error(state, "%s, not '%s'", choices, name);
    return i;
}

/* Sets the limits in WHAT=N,...; N may be "none". */
static void set_limits(struct argp_state *state, fur_read_limits *limits, char *argument)
{
    static char *const names[] = {"shape", "entries", "unpacked", "seconds", NULL};
    int64_t *const counts[] = {&limits->shape, &limits->entries, &limits->unpacked};
    int seconds = 3;
    char *number = NULL;
    do {
        const char *text = argument;
        int which = getsubopt(&argument, names, &number);
        if (which < 0 || !number) {
            argp_error(state, "--limit takes shape=N, entries=N, unpacked=N or seconds=N, not '%s'",
                       text);
            return;
        }
        bool none = strcmp(number, "none") == 0;
        if (which == seconds) {
            limits->seconds =
                none ? HUGE_VAL : command_positive_number(state, "--limit seconds", number);
        } else {
            *counts[which] =
                none ? FUR_NO_LIMIT : command_whole_number(state, "--limit", number, 1, INT64_MAX);
        }
    } while (*argument != '\0');
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    fur_mtx_read_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        options->size = sizeof *options;
        return 0;
    case OPTION_DUPLICATES:
        options->duplicates = (fur_duplicates)parse_name(
            state, duplicates_names, "--duplicates takes sum, last, error or keep", argument);
        return 0;
    case OPTION_MIRRORED:
        options->mirrored = (fur_mtx_mirrored)parse_name(
            state, mirrored_names, "--mirrored takes error or lower", argument);
        return 0;
    case OPTION_DROP_ZEROS:
        options->drop_zeros = 1;
        return 0;
    case OPTION_ALLOW_TRAILING:
        options->allow_trailing = 1;
        return 0;
    case OPTION_STRICT:
        options->refuse_dialects = options->refuse_nonfinite = options->refuse_range = 1;
        return 0;
    case OPTION_LIMIT:
        set_limits(state, &options->limits, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp reading_argp = {
    .options = reading_options,
    .parser = parse,
    .doc =
        "\vAn input file may be compressed by gzip or zstd. It may also be an archive name.tar.gz "
        "that contains name/name.mtx. The name - means standard input or standard output. If a "
        "file is written to standard output, messages go to standard error.",
};
