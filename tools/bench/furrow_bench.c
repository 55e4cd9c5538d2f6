/* The program furrow-bench, which furrow runs for its racing subcommands. It contains the reference
 * loops, which are compiled for this machine, and uses other libraries. */
#include "command.h"

static const command commands[] = {
    {"stencil", "time a stencil against its matrix", command_stencil},
    {"bench", "time kernels against other implementations", command_bench},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    static char name[] = "furrow-bench";
    return command_main(name, commands, argc, argv);
}
