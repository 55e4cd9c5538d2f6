/* The command furrow: finds the subcommand in a table and hands the rest of the line to it. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "unfinished.h"

enum { OPTION_HELP = 'h' };

static const command commands[] = {
    {"info", "say what a matrix is", command_info},
    {"multiply", "multiply a matrix by a vector and time it", command_multiply},
    {"solve", "solve a linear system", command_solve},
    {"convert", "write a matrix in another form", command_convert},
    {"reorder", "bring a matrix's entries to its diagonal", command_reorder},
    {"spy", "draw the pattern of a matrix", command_spy},
    {"stencil", "race a stencil against its matrix", command_stencil},
    {"kernels", "list the kernels, and which one a matrix gets", command_kernels},
    {"bench", "race the kernels against plain loops", command_bench},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "furrow %s\n", fur_version());
}

/* Keeps the first operand, the subcommand's name, and leaves all that follows it alone. */
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

/* Index in argv of the subcommand's name. */
static int parse_line(int argc, char **argv)
{
    struct argp_option listing[COMMAND_COUNT + 2] = {{0}};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        listing[i].name = commands[i].name;
        listing[i].doc = commands[i].summary;
        listing[i].flags = OPTION_DOC | OPTION_NO_USAGE;
    }
    listing[COMMAND_COUNT] = (struct argp_option){.key = OPTION_HELP, .flags = OPTION_HIDDEN};
    struct argp argp = {
        .options = listing,
        .parser = parse,
        .args_doc = "COMMAND [ARGUMENT...]",
        .doc = "Sparse matrices at memory speed.\vfurrow help COMMAND says more about a command. "
               "Exit status: 0 done, 1 failed, 2 wrong usage.",
    };
    int first = 0;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first);
    return first;
}

/* argp names the program by argv[0]: "furrow info" makes its messages those of the subcommand. */
static int run(const command *chosen, int argc, char **argv)
{
    char title[64];
    snprintf(title, sizeof title, "furrow %s", chosen->name);
    argv[0] = title;
    return chosen->run(argc, argv);
}

/* "help" and "help COMMAND" are "--help" and "COMMAND --help". */
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

int main(int argc, char **argv)
{
    unfinished_begin();
    argp_program_version_hook = print_version;
    argp_err_exit_status = COMMAND_USAGE;
    static char name[] = "furrow";
    argv[0] = name;
    argc = turn_help(argc, argv);
    int first = parse_line(argc, argv);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[first], commands[i].name) == 0)
            return run(&commands[i], argc - first, argv + first);
    command_error("there is no command '%s'; furrow --help lists them", argv[first]);
    return COMMAND_USAGE;
}
