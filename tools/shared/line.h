/* The command line of a subcommand as a table: what each option takes, and where it goes. */
#ifndef FURROW_TOOLS_LINE_H
#define FURROW_TOOLS_LINE_H

#include "command.h"

#include <stddef.h>

/* The argument of an option, and the type of the member that gets it. */
typedef enum line_kind {
    LINE_FLAG,     /* nothing: bool */
    LINE_TEXT,     /* anything: const char * */
    LINE_FILE,     /* a file's name: const char * */
    LINE_INPUT,    /* the same, of a file to be read as the first operand is */
    LINE_CHOICE,   /* one of the names: const char * */
    LINE_PRECOND,  /* the same, or a kind of preconditioner with options: const char * */
    LINE_COUNT,    /* a whole number from 1 to `most`: int */
    LINE_LONG,     /* the same: int64_t */
    LINE_POSITIVE, /* a positive number: double */
    LINE_TABLE, /* no option: the options of `table`, which has no tables, for a struct at `at` */
    LINE_OWN    /* what `parse` makes of it */
} line_kind;

typedef struct line_option {
    const char *name; /* NULL ends the table */
    const char *arg;  /* how --help calls what it takes; NULL for a flag */
    const char *doc;
    line_kind kind;
    size_t at; /* of the member in the subcommand's options */
    int64_t most;
    command_names *names;
    void (*parse)(struct argp_state *state, const char *option, const char *text, void *member);
    int letter; /* -o beside --out; 0: none */
    const struct line_option *table;
} line_option;

typedef struct line {
    const line_option *options; /* NULL: none of its own */
    const char *operands;
    const char *doc;
    /* When all options are known: what goes together, and what follows from it. NULL: nothing. */
    void (*settle)(struct argp_state *state, void *options);
    /* Parser of all that is not an option, as an argp_parser. NULL: operands are those of
     * command_common. */
    error_t (*rest)(int key, char *argument, struct argp_state *state, void *options);
} line;

/* Fills the subcommand's options, which begin with a command_common, or ends with a usage error. */
void line_parse(const line *l, int argc, char **argv, void *options);

#endif
