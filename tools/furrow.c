/* The command furrow: the table of its subcommands. */
#include "command.h"

static const command commands[] = {
    {"info", "say what a matrix is", command_info},
    {"multiply", "multiply a matrix by a vector and time it", command_multiply},
    {"trisolve", "solve with a triangle of a matrix and time it", command_trisolve},
    {"solve", "solve a linear system", command_solve},
    {"eigs", "find a few eigenvalues of a symmetric matrix", command_eigs},
    {"convert", "write a matrix in another form", command_convert},
    {"add", "add two matrices", command_add},
    {"extract", "take a part of a matrix", command_extract},
    {"combine", "put matrices together as blocks", command_combine},
    {"reorder", "bring a matrix's entries to its diagonal", command_reorder},
    {"neighbours", "find the nearest neighbours of points", command_neighbours},
    {"spy", "draw the pattern of a matrix", command_spy},
    {"kernels", "list the kernels, and which one a matrix gets", command_kernels},
    {"stencil", "race a stencil against its matrix", NULL},
    {"bench", "race the kernels against plain loops", NULL},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    static char name[] = "furrow";
    return command_main(name, commands, argc, argv);
}
