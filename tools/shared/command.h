/* Shared by the subcommands of furrow: table entries, common options and operands, the context,
 * errors and the clock. */
#ifndef FURROW_COMMAND_H
#define FURROW_COMMAND_H

#include <argp.h>
#include <stdbool.h>

#include <furrow/author/clock.h>
#include <furrow/author/try.h>
#include <furrow/furrow.h>

/* A subcommand. run receives argv from the subcommand's name on and returns the exit status. */
typedef struct command {
    const char *name;
    const char *summary;               /* one line for furrow --help */
    int (*run)(int argc, char **argv); /* NULL: furrow-bench runs it */
} command;

/* Runs the subcommand that the command line names. The table ends with a NULL name. Returns the
 * exit status of the program `name`. */
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

/* Filled by the common parser, which is the only child of a subcommand's argp. */
typedef struct command_common {
    int operands_min; /* least number of file names; set by the subcommand */
    int operands_max;
    int operand_count;
    const char *operands[COMMAND_OPERANDS];
    const char *vector; /* a file to read besides the first operand; NULL: none */
    int threads;        /* 0: not given */
    const char *device;
    bool json;
    bool quiet;
    fur_mtx_read_options reading; /* options for reading Matrix Market files */
} command_common;

extern const struct argp_child command_children[];

/* Options for reading Matrix Market files. Its input is a fur_mtx_read_options. */
extern const struct argp reading_argp;

/* Allocates `count` empty options of `size` bytes and the end of their list. Exits if there is no
 * memory. */
void *command_list_of(int count, size_t size);

/* Returns the whole number in text. Usage error unless it lies in least .. most. */
int64_t command_whole_number(struct argp_state *state, const char *option, const char *text,
                             int64_t least, int64_t most);
/* Returns the positive finite number in text. Usage error if text is not such a number. */
double command_positive_number(struct argp_state *state, const char *option, const char *text);

/* Returns the name of a file. Usage error if it is empty, as after an unset shell variable. */
const char *command_file(struct argp_state *state, const char *option, const char *text);

/* Usage error if a file name is given and does not have this suffix. */
void command_check_suffix(struct argp_state *state, const char *option, const char *suffix,
                          const char *path);

/* Returns name 0, 1, 2 ... of a list, and NULL after the last. context: NULL while options are
 * read. */
typedef const char *command_names(fur_context *context, int index);

/* Returns the index of the name given to an option. Usage error, with the whole list, if it is
 * unknown. */
int command_choice(struct argp_state *state, const char *option, command_names *names,
                   const char *text);
/* As above, in a job, for lists that depend on the device. */
fur_status command_check_name(fur_context *context, const char *option, command_names *names,
                              const char *text);

/* Returns a kernel from a list of the library. */
typedef const fur_kernel_info *command_list(const fur_context *context, int index);
int command_count(command_list *at, const fur_context *context);
/* Returns the kernel with this name in a list, or NULL. */
const fur_kernel_info *command_find(command_list *at, const fur_context *context, const char *name);

/* Lists the kernels for y = A x on the context's device. */
command_names command_kernel;
/* Lists the methods of furrow reorder. */
command_names command_method;

/* An option that is only useful together with something else. */
typedef struct command_pairing {
    const char *option;
    bool given;
    bool fits;       /* whether the other thing is given */
    const char *how; /* "with --stencil" */
} command_pairing;

/* Usage error for the first of `count` options that is given and does not fit. */
void command_check(struct argp_state *state, const command_pairing *pairings, size_t count);

/* Returns whether options change how Matrix Market files are read. */
bool command_reads_specially(const command_common *common);

/* Returns whether --device names a GPU. */
bool command_on_gpu(const command_common *common);

/* Runs a job in the context that the options request. Returns the exit status: 0 on success, 1 if
 * the job fails, 2 after command_misuse. On failure it prints the context's message. */
int command_run(const command_common *common,
                fur_status (*job)(fur_context *context, const void *options), const void *options);
/* As command_run, in a context with a stream (fur_context_options.stream). */
int command_run_in(const command_common *common, void *stream,
                   fur_status (*job)(fur_context *context, const void *options),
                   const void *options);

/* Fails because of a mistake in the command line that only a job can detect. */
fur_status command_misuse(fur_context *context, const char *format, ...) FUR_PRINTF(2, 3);

/* Returns the status of work on a file. If the message of a failure does not begin with the file's
 * name, "doing name: " is put before it. */
fur_status command_while(fur_context *context, const char *doing, const char *name,
                         fur_status status);

/* Name of the program in titles and messages. It is "furrow", also when furrow runs furrow-bench,
 * unless command_main received another name. */
extern const char *command_program;

/* Prints "furrow: sentence" on standard error. */
void command_error(const char *format, ...) FUR_PRINTF(1, 2);

/* Returns whether standard output accepted all output. If not, gives a message. */
#define COMMAND_FLUSH_BYTES 128
bool command_flush(char sentence[COMMAND_FLUSH_BYTES]);

/* From now on the program fails with a message if its output cannot be written. This includes the
 * text of --help and --version, after which argp exits. */
void command_check_output(void);

#endif
