/* The command line of a subcommand as a table: the argument of each option and its destination. */
#ifndef FURROW_TOOLS_LINE_H
#define FURROW_TOOLS_LINE_H

#include "command.h"

#include <stddef.h>

/* The argument of an option, and the type of the member that receives it. */
typedef enum line_kind {
    LINE_FLAG,     /* nothing: bool */
    LINE_TEXT,     /* anything: const char * */
    LINE_FILE,     /* a file's name: const char * */
    LINE_INPUT,    /* the name of a file that is read like the first operand: const char * */
    LINE_CHOICE,   /* one of the names: const char * */
    LINE_PRECOND,  /* one of the names, or a preconditioner with options: const char * */
    LINE_COUNT,    /* a whole number from 1 to `most`: int */
    LINE_LONG,     /* a whole number from 1 to `most`: int64_t */
    LINE_POSITIVE, /* a positive number: double */
    LINE_TABLE,    /* not an option: inserts `table`, which has no tables, for a struct at `at` */
    LINE_OWN       /* parsed by `parse` */
} line_kind;

typedef struct line_option {
    const char *name; /* NULL ends the table */
    const char *arg;  /* name of the argument in --help; NULL for a flag */
    const char *doc;
    line_kind kind;
    size_t at; /* offset of the member in the subcommand's options */
    int64_t most;
    command_names *names;
    void (*parse)(struct argp_state *state, const char *option, const char *text, void *member);
    int letter; /* short form, such as -o for --out; 0: none */
    const struct line_option *table;
} line_option;

typedef struct line {
    const line_option *options; /* NULL: no further options */
    const char *operands;
    const char *doc;
    /* Checks combinations and sets dependent values when all options are known; may be NULL. */
    void (*settle)(struct argp_state *state, void *options);
    /* Parser for everything that is not an option, as an argp_parser. NULL: the operands of
     * command_common are used. */
    error_t (*rest)(int key, char *argument, struct argp_state *state, void *options);
} line;

/* Fills the subcommand's options, which begin with a command_common. Exits after a usage error. */
void line_parse(const line *l, int argc, char **argv, void *options);

#endif
