#include "ranks_line.h"

#include "command.h"

#include <furrow/precond.h>

#include <string.h>

enum {
    X = 1000,
    B,
    OUT,
    METHOD,
    PRECOND,
    RTOL,
    WHOLE,
    MOST,
    RESTART,
    REPEAT,
    THREADS,
    RANKS,
    DEVICE,
    DEVICE_TRANSPORT,
    PARTITION,
    JSON
};

static const struct argp_option options[] = {
    {"x", X, "X.mtx", 0, "multiply: the vector x (default: all ones)", 0},
    {"b", B, "B.mtx", 0, "solve: the right-hand side (default: A times ones)", 0},
    {"out", OUT, "X.mtx", 0, "Write the result to this file", 0},
    {"method", METHOD, "NAME", 0,
     "solve: one of the methods of furrow solve (default: cg); matrices of any shape: lsqr, lsmr, "
     "cgnr",
     0},
    {"precond", PRECOND, "NAME", 0,
     "solve: jacobi (default of square matrices), none, or a kind of furrow solve, made of each "
     "rank's own rows: the result then depends on the ranks",
     0},
    {"whole", WHOLE, NULL, 0,
     "solve: the preconditioner is made of the whole matrix, on every rank: the result does not "
     "depend on the ranks",
     0},
    {"rtol", RTOL, "R", 0, "solve: the residual to reach, relative to b (default: 1e-10)", 0},
    {"max-iterations", MOST, "N", 0, "solve: the most iterations", 0},
    {"restart", RESTART, "N", 0, "solve: that of gmres and idrs", 0},
    {"repeat", REPEAT, "N", 0, "multiply, bench: time N products (default: 20)", 0},
    {"threads", THREADS, "N", 0, "Threads of each rank (default: 1)", 0},
    {"ranks", RANKS, "N", 0, "Run N ranks as threads of this process, without MPI", 0},
    {"device", DEVICE, "NAME", 0,
     "cpu (default), cuda: the GPUs of a host in turn for its ranks, or cuda:N", 0},
    {"device-transport", DEVICE_TRANSPORT, "NAME", 0,
     "Between GPUs: peers, nccl or staged (default: the first that works)", 0},
    {"partition", PARTITION, "NAME|FILE", 0,
     "The order of rows: contiguous (default), rcm, metis, scotch, bricks of a grid, or the part "
     "of each row in an array of a Matrix Market file",
     0},
    {"json", JSON, NULL, 0, "Print one JSON object", 0},
    {0},
};

static int whole(struct argp_state *state, const char *name, const char *text)
{
    return (int)command_whole_number(state, name, text, 1, 1 << 20);
}

static bool is_known(const char *precond)
{
    const fur_method_info *kind;
    bool known = strcmp(precond, "none") == 0;
    for (int i = 0; (kind = fur_precond_at(i)) != NULL; i++)
        known = known || strcmp(precond, kind->name) == 0;
    return known;
}

static error_t take_operand(struct argp_state *state, ranks_line *l, const char *text)
{
    static const char *const works[] = {"multiply", "solve", "bench"};
    int work = 0;
    while (state->arg_num == 0 && work < 3 && strcmp(text, works[work]) != 0)
        work++;
    if (work == 3)
        argp_error(state, "the first word is multiply, solve or bench, not '%s'", text);
    if (state->arg_num == 0)
        l->work = (ranks_work)work;
    else if (state->arg_num == 1)
        l->file = command_file(state, "FILE", text);
    else
        argp_error(state, "there is one FILE; '%s' is too much", text);
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    ranks_line *l = state->input;
    switch (key) {
    case X:
        l->x = command_file(state, "--x", text);
        return 0;
    case B:
        l->b = command_file(state, "--b", text);
        return 0;
    case OUT:
        l->out = command_file(state, "--out", text);
        return 0;
    case METHOD:
        l->method = text;
        return 0;
    case PRECOND:
        if (!is_known(text))
            argp_error(state, "--precond takes none or a kind of furrow solve, not '%s'", text);
        l->precond = text;
        return 0;
    case WHOLE:
        l->whole = true;
        return 0;
    case RTOL:
        l->rtol = command_positive_number(state, "--rtol", text);
        return 0;
    case MOST:
        l->max_iterations = command_whole_number(state, "--max-iterations", text, 1, 1 << 30);
        return 0;
    case RESTART:
        l->restart = whole(state, "--restart", text);
        return 0;
    case REPEAT:
        l->repeat = whole(state, "--repeat", text);
        return 0;
    case THREADS:
        l->threads = whole(state, "--threads", text);
        return 0;
    case RANKS:
        l->ranks = whole(state, "--ranks", text);
        return 0;
    case DEVICE:
        l->device = text;
        return 0;
    case DEVICE_TRANSPORT:
        l->device_transport = text;
        return 0;
    case PARTITION:
        l->partition = text;
        return 0;
    case JSON:
        l->json = true;
        return 0;
    case ARGP_KEY_ARG:
        return take_operand(state, l, text);
    case ARGP_KEY_END:
        if (!l->file)
            argp_error(state, "say multiply, solve or bench, and the FILE of the matrix");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void ranks_line_parse(int argc, char **argv, ranks_line *out)
{
    static const struct argp argp = {options,
                                     parse,
                                     "multiply FILE\nsolve FILE\nbench FILE",
                                     "Multiply by the matrix of a file, solve A x = b with it, or "
                                     "time products and iterations of "
                                     "cg, on several ranks: those that mpirun starts, or threads. "
                                     "The result has the same bits on "
                                     "any number of them.",
                                     NULL,
                                     NULL,
                                     NULL};
    *out = (ranks_line){.repeat = 20};
    argp_err_exit_status = COMMAND_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, out);
}
