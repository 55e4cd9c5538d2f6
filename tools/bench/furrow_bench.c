/* The program furrow-bench, which furrow runs for its subcommands that race: it holds the loops to
 * race with, which are compiled for this machine, and the libraries of others. */
#include "command.h"

static const command commands[] = {
    {"stencil", "race a stencil against its matrix", command_stencil},
    {"bench", "race the kernels against plain loops", command_bench},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    static char name[] = "furrow-bench";
    return command_main(name, commands, argc, argv);
}
