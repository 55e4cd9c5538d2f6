/* What the subcommands of furrow share: their table entry, the options and operands that hold for
 * all of them, the context, errors and the clock. */
#ifndef FURROW_COMMAND_H
#define FURROW_COMMAND_H

#include <argp.h>
#include <stdbool.h>

#include <furrow/furrow.h>

/* One subcommand. run gets argv from the subcommand's name on and returns the exit status. */
typedef struct command {
    const char *name;
    const char *summary; /* one line for furrow --help */
    int (*run)(int argc, char **argv);
} command;

int command_bench(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_kernels(int argc, char **argv);
int command_multiply(int argc, char **argv);
int command_reorder(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_spy(int argc, char **argv);
int command_stencil(int argc, char **argv);

#define COMMAND_OPERANDS 2

/* Filled by the common parser, which a subcommand's argp has as its only child. */
typedef struct command_common {
    int operands_min; /* set by the subcommand: how many file names it takes */
    int operands_max;
    int operand_count;
    const char *operands[COMMAND_OPERANDS];
    int threads; /* 0: not given */
    const char *device;
    bool json;
    bool quiet;
    fur_mtx_read_options reading; /* how Matrix Market files are read */
} command_common;

extern const struct argp_child command_children[];

/* The whole number in text, or a usage error unless it lies in least .. most. */
int64_t command_whole_number(struct argp_state *state, const char *option, const char *text,
                             int64_t least, int64_t most);
/* The positive finite number in text, or a usage error. */
double command_positive_number(struct argp_state *state, const char *option, const char *text);

/* Runs a job in the context that the options ask for and returns the exit status: 0, or 1 after
 * printing the context's sentence if the job fails. */
int command_run(const command_common *common,
                fur_status (*job)(fur_context *context, const void *options), const void *options);
/* The same in a context with a stream: fur_context_options.stream. */
int command_run_in(const command_common *common, void *stream,
                   fur_status (*job)(fur_context *context, const void *options),
                   const void *options);

/* Prints "furrow: sentence" on standard error. */
void command_error(const char *format, ...) FUR_PRINTF(1, 2);

/* Seconds on a clock that only moves forward. */
double command_seconds(void);

/* Returns the status of a call that fails from the enclosing function. */
#define COMMAND_TRY(call)                                                                          \
    do {                                                                                           \
        const fur_status command_try_status = (call);                                              \
        if (command_try_status != FUR_OK) {                                                        \
            return command_try_status;                                                             \
        }                                                                                          \
    } while (0)

#endif
