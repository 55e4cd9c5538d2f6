/* A program with subcommands: finds one in a table and passes it the rest of the line. */
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unfinished.h"

#define RACING "furrow-bench"
#define DOC_BYTES 256

enum { OPTION_HELP = 'h' };

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "%s %s\n", command_program, fur_version());
}

/* Keeps the first operand, which is the subcommand's name, and ignores everything after it. */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    int *first = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        (void)argument;
        *first = state->next - 1;
        state->next = state->argc;
        return 0;
    case OPTION_HELP:
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a command is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Returns the index of the subcommand's name in argv. */
static int parse_line(const command *commands, int argc, char **argv)
{
    int count = 0;
    while (commands[count].name)
        count++;
    struct argp_option *listing = command_list_of(count + 1, sizeof *listing);
    for (int i = 0; i < count; i++)
        listing[i] = (struct argp_option){.name = commands[i].name,
                                          .doc = commands[i].summary,
                                          .flags = OPTION_DOC | OPTION_NO_USAGE};
    listing[count] = (struct argp_option){.key = OPTION_HELP, .flags = OPTION_HIDDEN};
    char doc[DOC_BYTES];
    struct argp argp = {
        .options = listing,
        .parser = parse,
        .args_doc = "COMMAND [ARGUMENT...]",
        .doc = doc,
    };
    snprintf(doc, sizeof doc,
             "Sparse matrices at memory speed.\v%s help COMMAND prints the options of a "
             "command. Exit status: 0 success, 1 failure, 2 wrong usage.",
             command_program);
    int first = 0;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first);
    free(listing);
    return first;
}

/* Replaces this process by the program of the subcommand in the same folder. name: in argv. */
static int run_beside(char **name)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof RACING);
    while (length > 0 && path[length - 1] != '/')
        length--;
    memcpy(path + (length > 0 ? length : 0), RACING, sizeof RACING);
    name[-1] = path;
    execv(path, name - 1);
    command_error("%s cannot be run: %s; install furrow-bench in the folder of furrow", path,
                  strerror(errno));
    return EXIT_FAILURE;
}

/* argp takes the program's name from argv[0]. "furrow info" there makes messages name the
 * subcommand. */
static int run(const command *chosen, int argc, char **argv)
{
    char title[64];
    if (!chosen->run)
        return run_beside(argv);
    snprintf(title, sizeof title, "%s %s", command_program, chosen->name);
    argv[0] = title;
    return chosen->run(argc, argv);
}

/* Turns "help" and "help COMMAND" into "--help" and "COMMAND --help". */
static int turn_help(int argc, char **argv)
{
    static char help[] = "--help";
    if (argc < 2 || strcmp(argv[1], "help") != 0)
        return argc;
    if (argc == 2 || strcmp(argv[2], "help") == 0) {
        argv[1] = help;
        return 2;
    }
    argv[1] = argv[2];
    argv[2] = help;
    return 3;
}

int command_main(char *name, const command *commands, int argc, char **argv)
{
    unfinished_begin();
    command_check_output();
    argp_program_version_hook = print_version;
    argp_err_exit_status = COMMAND_USAGE;
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0); /* no sentence about arguments of letters */
    argv[0] = name;
    argc = turn_help(argc, argv);
    int first = parse_line(commands, argc, argv);
    for (const command *c = commands; c->name; c++)
        if (strcmp(argv[first], c->name) == 0)
            return run(c, argc - first, argv + first);
    command_error("there is no command '%s'; %s --help lists them", argv[first], name);
    return COMMAND_USAGE;
}
