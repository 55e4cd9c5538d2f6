/* furrow add: computes alpha A + beta B. */
#include "command.h"

#include <math.h>
#include <stdlib.h>

#include "line.h"
#include "load.h"
#include "made.h"

typedef struct add_options {
    command_common common;
    save_target out;
    double alpha;
    double beta;
} add_options;

static fur_status load(fur_context *context, const add_options *o, int which, loaded_matrix *a)
{
    const char *name = o->common.operands[which];
    return command_while(context, "reading", name, load_matrix(context, &o->common, name, a));
}

static fur_status add_steps(fur_context *context, const add_options *o, loaded_matrix *a,
                            loaded_matrix *b, made_matrix *made)
{
    FUR_TRY(load(context, o, 0, a));
    FUR_TRY(load(context, o, 1, b));
    double start = fur_seconds();
    FUR_TRY(command_while(
        context, "adding", o->common.operands[1],
        fur_csr_add(a->matrix, fur_real(o->alpha), b->matrix, fur_real(o->beta), &made->matrix)));
    FUR_TRY(fur_context_synchronize(context));
    made->seconds_apply = fur_seconds() - start;
    made->seconds_load = a->seconds + b->seconds;
    made->bytes = made_bytes(a->matrix) + made_bytes(b->matrix);
    return made_print(&o->common, made, &o->out, made_field(fur_csr_get(made->matrix)->value_type));
}

static fur_status add(fur_context *context, const void *options)
{
    loaded_matrix a = {0};
    loaded_matrix b = {0};
    made_matrix made = {0};
    fur_status status = add_steps(context, options, &a, &b, &made);
    fur_csr_destroy(made.matrix);
    fur_csr_destroy(b.matrix);
    fur_csr_destroy(a.matrix);
    return status;
}

static void parse_factor(struct argp_state *state, const char *option, const char *text,
                         void *factor)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
        argp_error(state, "%s takes a number, not '%s'", option, text);
    *(double *)factor = number;
}

static void settle(struct argp_state *state, void *options)
{
    save_check(state, "--out", &((add_options *)options)->out);
}

#define AT(member) .at = offsetof(add_options, member)
static const line_option own_options[] = {
    {"alpha", "X", "Factor of A (default: 1)", LINE_OWN, AT(alpha), .parse = parse_factor},
    {"beta", "X", "Factor of B (default: 1)", LINE_OWN, AT(beta), .parse = parse_factor},
    {"out", "C.mtx", "Write C to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "A B",
    .settle = settle,
    .doc = "Compute C = alpha A + beta B. A and B must have the same shape and value type. C has "
           "an entry at each position where A or B has one. Entries that become zero stay in C; "
           "furrow extract --drop removes them.",
};

int command_add(int argc, char **argv)
{
    add_options options = {.common = {.operands_min = 2, .operands_max = 2}, .alpha = 1, .beta = 1};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, add, &options);
}
