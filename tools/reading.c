/* The options of how Matrix Market files are read, by the library's names. */
#include "reading.h"

#include <string.h>

#include <furrow/mtx.h>

enum {
    OPTION_DUPLICATES = 2000,
    OPTION_MIRRORED,
    OPTION_DROP_ZEROS,
    OPTION_ALLOW_TRAILING,
    OPTION_STRICT
};

static const struct argp_option reading_options[] = {
    {.name = "duplicates",
     .key = OPTION_DUPLICATES,
     .arg = "WHAT",
     .doc = "Entries at one position: sum (without this option), last, error or keep"},
    {.name = "mirrored",
     .key = OPTION_MIRRORED,
     .arg = "WHAT",
     .doc = "Both entries of a pair in a symmetric file: error (without this option) or lower, "
            "the one that counts then"},
    {.name = "drop-zeros", .key = OPTION_DROP_ZEROS, .doc = "Leave out entries that are zero"},
    {.name = "allow-trailing",
     .key = OPTION_ALLOW_TRAILING,
     .doc = "Pass over text behind an entry, with a warning"},
    {.name = "strict",
     .key = OPTION_STRICT,
     .doc = "Refuse odd banners, NaN, infinity and numbers out of range"},
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

/* Index of the name; `choices` lists them for the usage error. */
static int parse_name(struct argp_state *state, const char *const *names, const char *choices,
                      const char *name)
{
    int i = 0;
    while (names[i] != NULL && strcmp(name, names[i]) != 0) {
        i++;
    }
    if (names[i] == NULL) {
        argp_error(state, "%s, not '%s'", choices, name);
    }
    return i;
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp reading_argp = {
    .options = reading_options,
    .parser = parse,
    .doc = "\vA file may be compressed (gzip, zstd) or an archive name.tar.gz that has "
           "name/name.mtx; - is standard input. As output - is standard output, and all else that "
           "is said goes to standard error.",
};
