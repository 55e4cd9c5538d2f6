/* furrow combine: makes a matrix from a grid of matrices. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "load.h"
#include "made.h"

typedef struct combine_options {
    command_common common;
    save_target out;
    int rows; /* number of rows of blocks; 0: not given */
    int cols;
} combine_options;

/* Replaces a file name: a block of zeros. */
static const char zeros[] = "0";

static fur_status load_blocks(fur_context *context, const combine_options *o, fur_csr **blocks,
                              made_matrix *made)
{
    for (int n = 0; n < o->common.operand_count; n++) {
        const char *name = o->common.operands[n];
        loaded_matrix a = {0};
        if (strcmp(name, zeros) == 0)
            continue;
        FUR_TRY(
            command_while(context, "reading", name, load_matrix(context, &o->common, name, &a)));
        blocks[n] = a.matrix;
        made->seconds_load += a.seconds;
        made->bytes += made_bytes(a.matrix);
    }
    return FUR_OK;
}

static fur_status combine_steps(fur_context *context, const combine_options *o, fur_csr **blocks,
                                made_matrix *made)
{
    FUR_TRY(load_blocks(context, o, blocks, made));
    double start = fur_seconds();
    fur_status status =
        fur_csr_from_blocks(o->rows, o->cols, (const fur_csr *const *)blocks, &made->matrix);
    if (status == FUR_INVALID && made->bytes == 0)
        return command_misuse(context, "all blocks are 0; give at least one file");
    FUR_TRY(status);
    FUR_TRY(fur_context_synchronize(context));
    made->seconds_apply = fur_seconds() - start;
    return made_print(&o->common, made, &o->out, made_field(fur_csr_get(made->matrix)->value_type));
}

static fur_status combine(fur_context *context, const void *options)
{
    fur_csr *blocks[COMMAND_OPERANDS] = {NULL};
    made_matrix made = {0};
    fur_status status = combine_steps(context, options, blocks, &made);
    fur_csr_destroy(made.matrix);
    for (int n = 0; n < COMMAND_OPERANDS; n++)
        fur_csr_destroy(blocks[n]);
    return status;
}

/* Parses both members, rows first. */
static void parse_grid(struct argp_state *state, const char *option, const char *text, void *member)
{
    int *sizes = member;
    char *end;
    long rows = strtol(text, &end, 10);
    long cols = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || rows < 1 || cols < 1 || rows > COMMAND_OPERANDS || cols > COMMAND_OPERANDS)
        argp_error(state, "%s takes ROWSxCOLS, such as 2x2, not '%s'", option, text);
    sizes[0] = (int)rows;
    sizes[1] = (int)cols;
}

static void settle(struct argp_state *state, void *options)
{
    combine_options *o = options;
    save_check(state, "--out", &o->out);
    if (o->rows == 0) {
        o->rows = 1;
        o->cols = o->common.operand_count;
    }
    if (o->rows * o->cols != o->common.operand_count)
        argp_error(state, "--grid %dx%d takes %d files, not %d", o->rows, o->cols,
                   o->rows * o->cols, o->common.operand_count);
}

#define AT(member) .at = offsetof(combine_options, member)
static const line_option own_options[] = {
    {"grid", "ROWSxCOLS",
     "Number of block rows and block columns, such as 2x2 (default: one row of blocks)", LINE_OWN,
     AT(rows), .parse = parse_grid},
    {"out", "C.mtx", "Write the block matrix to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "BLOCK...",
    .settle = settle,
    .doc = "Build a block matrix. Each BLOCK is the file of a matrix, or 0 for a block of zeros. "
           "The blocks are given row by row.",
};

int command_combine(int argc, char **argv)
{
    combine_options options = {.common = {.operands_min = 1, .operands_max = COMMAND_OPERANDS}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, combine, &options);
}
