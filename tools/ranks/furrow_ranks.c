/* furrow-ranks: products and solves on several ranks. If one rank fails, all end. Rank 0 prints one
 * message, and the exit status is 1. */
#include "ranks_job.h"

#include <string.h>

static const command commands[] = {
    {"multiply", "multiply a matrix by a vector", ranks_multiply},
    {"solve", "solve a linear system", ranks_solve},
    {"bench", "time products and iterations of cg", ranks_bench},
    {NULL, NULL, NULL},
};

static bool is_command(const char *word)
{
    for (const command *c = commands; c->name; c++)
        if (strcmp(word, c->name) == 0)
            return true;
    return false;
}

/* Options may come before the subcommand, as in "furrow-ranks --ranks 2 solve A.mtx". */
static void put_command_first(int argc, char **argv)
{
    int at = 1;
    while (at < argc && !is_command(argv[at]))
        at++;
    if (at == argc || (argc > 1 && strcmp(argv[1], "help") == 0))
        return;
    char *name = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
}

int main(int argc, char **argv)
{
    static char name[] = "furrow-ranks";
    command_program = name;
    put_command_first(argc, argv);
    return command_main(name, commands, argc, argv);
}
