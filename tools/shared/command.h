/* Shared by the subcommands of furrow: their table entry, the options and operands that hold for
 * all of them, the context, errors and the clock. */
#ifndef FURROW_COMMAND_H
#define FURROW_COMMAND_H

#include <argp.h>
#include <stdbool.h>

#include <furrow/author/clock.h>
#include <furrow/author/try.h>
#include <furrow/furrow.h>

/* One subcommand. run gets argv from the subcommand's name on and returns the exit status. */
typedef struct command {
    const char *name;
    const char *summary;               /* one line for furrow --help */
    int (*run)(int argc, char **argv); /* NULL: the program furrow-bench has it */
} command;

/* Runs the subcommand that the line names; the table ends with a NULL name. Returns the exit status
 * of the program `name`. */
int command_main(char *name, const command *commands, int argc, char **argv);

int command_add(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_combine(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_eigs(int argc, char **argv);
int command_extract(int argc, char **argv);
int command_info(int argc, char **argv);
int command_kernels(int argc, char **argv);
int command_multiply(int argc, char **argv);
int command_neighbours(int argc, char **argv);
int command_reorder(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_spy(int argc, char **argv);
int command_stencil(int argc, char **argv);
int command_trisolve(int argc, char **argv);

#define COMMAND_OPERANDS 64

#define COMMAND_USAGE 2 /* the exit status of wrong usage */

/* Filled by the common parser, which a subcommand's argp has as its only child. */
typedef struct command_common {
    int operands_min; /* set by the subcommand: how many file names it takes */
    int operands_max;
    int operand_count;
    const char *operands[COMMAND_OPERANDS];
    const char *vector; /* another file to be read than the first operand; NULL: none */
    int threads;        /* 0: not given */
    const char *device;
    bool json;
    bool quiet;
    fur_mtx_read_options reading; /* how Matrix Market files are read */
} command_common;

extern const struct argp_child command_children[];

/* The options of how Matrix Market files are read; its input is a fur_mtx_read_options. */
extern const struct argp reading_argp;

/* Allocates `count` empty options of `size` bytes and the end of their list. Exits if memory is
 * out.
 */
void *command_list_of(int count, size_t size);

/* The whole number in text, or a usage error unless it lies in least .. most. */
int64_t command_whole_number(struct argp_state *state, const char *option, const char *text,
                             int64_t least, int64_t most);
/* The positive finite number in text, or a usage error. */
double command_positive_number(struct argp_state *state, const char *option, const char *text);

/* The name of a file, or a usage error if it is empty, as an unset variable of a shell leaves it.
 */
const char *command_file(struct argp_state *state, const char *option, const char *text);

/* A usage error unless the name of a file, if there is one, has this suffix. */
void command_check_suffix(struct argp_state *state, const char *option, const char *suffix,
                          const char *path);

/* Name 0, 1, 2 ... of a list; NULL behind the last. context: NULL while options are read. */
typedef const char *command_names(fur_context *context, int index);

/* The index of the name that an option was given, or a usage error with the whole list. */
int command_choice(struct argp_state *state, const char *option, command_names *names,
                   const char *text);
/* The same in a job, for lists that depend on the device. */
fur_status command_check_name(fur_context *context, const char *option, command_names *names,
                              const char *text);

/* How many kernels a list of the library has. */
typedef const fur_kernel_info *command_list(const fur_context *context, int index);
int command_count(command_list *at, const fur_context *context);
/* The kernel of that name in a list; NULL: it is not there. */
const fur_kernel_info *command_find(command_list *at, const fur_context *context, const char *name);

/* The kernels for y = A x on the context's device, as a command_names. */
command_names command_kernel;
/* The methods of furrow reorder, likewise. */
command_names command_method;

/* An option that is of use with something else alone. */
typedef struct command_pairing {
    const char *option;
    bool given;
    bool fits;       /* whether that is there */
    const char *how; /* "with --stencil" */
} command_pairing;

/* A usage error for the first of `count` options that is given and does not fit. */
void command_check(struct argp_state *state, const command_pairing *pairings, size_t count);

/* Whether Matrix Market files are to be read in another way than usual. */
bool command_reads_specially(const command_common *common);

/* Whether --device names a GPU. */
bool command_on_gpu(const command_common *common);

/* Runs a job in the context that the options ask for and returns the exit status: 0, or after
 * printing the context's sentence 1 if the job fails, 2 by command_misuse. */
int command_run(const command_common *common,
                fur_status (*job)(fur_context *context, const void *options), const void *options);
/* The same in a context with a stream: fur_context_options.stream. */
int command_run_in(const command_common *common, void *stream,
                   fur_status (*job)(fur_context *context, const void *options),
                   const void *options);

/* Fails for what the command line has wrong and only a job can tell. */
fur_status command_misuse(fur_context *context, const char *format, ...) FUR_PRINTF(2, 3);

/* The status of work on a file. A failure whose sentence does not begin with the file's name gets
 * "doing name: " before it. */
fur_status command_while(fur_context *context, const char *doing, const char *name,
                         fur_status status);

/* The program in titles and sentences; "furrow" unless command_main is told another name than that
 * of furrow-bench, which furrow runs. */
extern const char *command_program;

/* Prints "furrow: sentence" on standard error. */
void command_error(const char *format, ...) FUR_PRINTF(1, 2);

/* Whether standard output has taken all that was printed; if not, the sentence that says so. */
#define COMMAND_FLUSH_BYTES 128
bool command_flush(char sentence[COMMAND_FLUSH_BYTES]);

/* From here on the program fails, with a sentence, if what it prints does not arrive: the text of
 * --help and --version, too, after which argp ends it. */
void command_check_output(void);

#endif
