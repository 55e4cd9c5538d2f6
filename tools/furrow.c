/* The command furrow: the table of its subcommands. */
#include "command.h"

static const command commands[] = {
    {"info", "print the properties of a matrix", command_info},
    {"multiply", "multiply a matrix by a vector or a matrix", command_multiply},
    {"trisolve", "solve a triangular system", command_trisolve},
    {"solve", "solve a linear system", command_solve},
    {"eigs", "compute a few eigenvalues of a symmetric matrix", command_eigs},
    {"convert", "convert a matrix to another format", command_convert},
    {"add", "add two matrices", command_add},
    {"extract", "extract a part of a matrix", command_extract},
    {"combine", "build a block matrix", command_combine},
    {"reorder", "move entries close to the diagonal", command_reorder},
    {"neighbours", "find the nearest neighbours of points", command_neighbours},
    {"spy", "draw the pattern of a matrix", command_spy},
    {"kernels", "list kernels, methods and preconditioners", command_kernels},
    {"stencil", "time a stencil against its matrix", NULL},
    {"bench", "time kernels against other implementations", NULL},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    static char name[] = "furrow";
    return command_main(name, commands, argc, argv);
}
