/* furrow convert: reads a Matrix Market or binary file and writes its matrix or vector in another
 * form. */
#include "command.h"

#include <string.h>

#include "grid.h"
#include "line.h"
#include "load.h"
#include "output.h"
#include "save.h"

#define SYMMETRY_COUNT (FUR_MTX_HERMITIAN + 1)
#define AS_IN_FILE (-1)

typedef struct convert_options {
    command_common common;
    save_target out;
    int type;     /* fur_value_type, or AS_IN_FILE */
    int symmetry; /* fur_mtx_symmetry, or AS_IN_FILE */
    bool transpose;
    bool pattern;
} convert_options;

/* The written file. */
typedef struct conversion {
    fur_mtx_format format;
    fur_mtx_field field;
    fur_mtx_symmetry symmetry;
    fur_value_type value;
    int64_t rows;
    int64_t cols;
    int64_t entries; /* entries of the matrix; a symmetric file stores about half of them */
    double seconds_load;
    double seconds_write;
} conversion;

/* Replaces *a by a new matrix and destroys the old one. */
static void replace(fur_csr **a, fur_csr *by)
{
    fur_csr_destroy(*a);
    *a = by;
}

/* Converts the values. A text is already read in the requested type, a binary file in its own. */
static fur_status change(const convert_options *options, fur_csr **a)
{
    fur_csr *changed = NULL;
    fur_csr_view view = *fur_csr_get(*a);
    if (options->type != AS_IN_FILE && (int)view.value_type != options->type) {
        FUR_TRY(fur_csr_convert(*a, (fur_value_type)options->type, view.offset_type, &changed));
        replace(a, changed);
    }
    if (options->transpose) {
        FUR_TRY(fur_csr_transpose(*a, 0, &changed));
        replace(a, changed);
    }
    return FUR_OK;
}

/* Returns the field. Patterns and integers keep theirs unless another type is requested. */
static fur_mtx_field choose_field(const convert_options *options, const fur_mtx_header *header,
                                  fur_value_type value)
{
    if (options->pattern)
        return FUR_MTX_PATTERN;
    if (options->type == AS_IN_FILE)
        return header->field;
    return value == FUR_C64 || value == FUR_C128 ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
}

static conversion describe_matrix(const convert_options *options, const loaded_matrix *a)
{
    fur_csr_view view = *fur_csr_get(a->matrix);
    conversion plan = {
        .format = FUR_MTX_COORDINATE,
        .field = choose_field(options, &a->header, view.value_type),
        .symmetry = options->symmetry == AS_IN_FILE ? a->header.symmetry
                                                    : (fur_mtx_symmetry)options->symmetry,
        .value = view.value_type,
        .rows = view.rows,
        .cols = view.cols,
        .entries = view.entries,
        .seconds_load = a->seconds,
    };
    return plan;
}

static fur_status write_matrix(const convert_options *options, const loaded_matrix *a,
                               conversion *done)
{
    *done = describe_matrix(options, a);
    fur_mtx_header origin = {
        .size = sizeof origin, .field = done->field, .symmetry = done->symmetry};
    double start = fur_seconds();
    FUR_TRY(save_matrix(a->matrix, &options->out, &origin));
    done->seconds_write = fur_seconds() - start;
    return FUR_OK;
}

/* Returns whether the file is a vector and no option requires a matrix. */
static bool is_vector(const convert_options *options, const loaded_matrix *a)
{
    fur_csr_view view = *fur_csr_get(a->matrix);
    return a->header.format == FUR_MTX_ARRAY && view.cols == 1 && view.entries == view.rows &&
           options->symmetry == AS_IN_FILE && !options->transpose && !options->pattern;
}

/* Describes a vector. Its Matrix Market file never has the field integer. */
static conversion describe_vector(const convert_options *options, const loaded_matrix *a)
{
    conversion plan = describe_matrix(options, a);
    plan.format = FUR_MTX_ARRAY;
    plan.symmetry = FUR_MTX_GENERAL;
    if (plan.field == FUR_MTX_INTEGER && !save_is_binary(&options->out))
        plan.field = FUR_MTX_REAL;
    return plan;
}

/* Writes a vector: the values of a matrix with one column in which every entry is stored. */
static fur_status write_vector(fur_context *context, const convert_options *options,
                               const loaded_matrix *a, conversion *done)
{
    *done = describe_vector(options, a);
    fur_mtx_header origin = {.size = sizeof origin, .field = done->field};
    double start = fur_seconds();
    fur_vector *x = NULL;
    FUR_TRY(fur_vector_create(context, done->value, done->rows, &x));
    fur_status status = fur_vector_upload(fur_csr_get(a->matrix)->values, x);
    if (status == FUR_OK)
        status = save_vector(x, &options->out, &origin);
    done->seconds_write = fur_seconds() - start;
    fur_vector_destroy(x);
    return status;
}

static fur_status print_written(fur_context *context, const convert_options *options,
                                const conversion *done)
{
    output out = output_begin(options->common.json);
    output_text(&out, "format", "format", fur_mtx_format_name(done->format));
    output_text(&out, "field", "field", fur_mtx_field_name(done->field));
    output_text(&out, "symmetry", "symmetry", fur_mtx_symmetry_name(done->symmetry));
    output_text(&out, "value", "value type", fur_value_name(done->value));
    output_count(&out, "rows", "rows", done->rows);
    output_count(&out, "cols", "columns", done->cols);
    output_count(&out, "entries", "entries", done->entries);
    output_count(&out, "threads", "threads", fur_context_threads(context));
    output_seconds(&out, "seconds_load", "time to load", done->seconds_load);
    output_seconds(&out, "seconds_write", "time to write", done->seconds_write);
    return output_end(&out, context);
}

static fur_status convert_steps(fur_context *context, const convert_options *options,
                                loaded_matrix *a)
{
    conversion done = {0};
    const char *name = options->common.operands[0];
    FUR_TRY(
        command_while(context, "reading", name, load_matrix(context, &options->common, name, a)));
    FUR_TRY(command_while(context, "converting", name, change(options, &a->matrix)));
    fur_status status = is_vector(options, a) ? write_vector(context, options, a, &done)
                                              : write_matrix(options, a, &done);
    FUR_TRY(status == FUR_IO_ERROR ? status : command_while(context, "converting", name, status));
    return print_written(context, options, &done);
}

static fur_status convert(fur_context *context, const void *options)
{
    loaded_matrix a = {0};
    fur_status status = convert_steps(context, options, &a);
    fur_csr_destroy(a.matrix);
    return status;
}

static void parse_type(struct argp_state *state, const char *option, const char *text, void *type)
{
    *(int *)type = command_choice(state, option, grid_value_name, text);
}

static const char *symmetry_name(fur_context *context, int index)
{
    (void)context;
    return index < SYMMETRY_COUNT ? fur_mtx_symmetry_name((fur_mtx_symmetry)index) : NULL;
}

static void parse_symmetry(struct argp_state *state, const char *option, const char *text,
                           void *symmetry)
{
    *(int *)symmetry = command_choice(state, option, symmetry_name, text);
}

/* Checks combinations of options when all are known. --type is allowed for a binary pattern, whose
 * values have a type when they are requested later. */
static void settle(struct argp_state *state, void *options)
{
    convert_options *o = options;
    o->out.path = o->common.operands[1];
    if (o->type != AS_IN_FILE)
        o->common.reading.convert = fur_mtx_as((fur_value_type)o->type);
    save_check(state, "OUT", &o->out);
    command_pairing type = {"--type", o->type != AS_IN_FILE, !o->pattern || save_is_binary(&o->out),
                            "without --pattern: no values are written"};
    command_check(state, &type, 1);
}

#define AT(member) .at = offsetof(convert_options, member)
static const line_option own_options[] = {
    {"type", "TYPE",
     "Value type: f32, f64, c64 or c128 (default: as in IN; values are rounded if necessary)",
     LINE_OWN, AT(type), .parse = parse_type},
    {"transpose", NULL, "Write the transpose", LINE_FLAG, AT(transpose)},
    {"symmetry", "KIND",
     "Stored symmetry: general, symmetric, skew-symmetric or hermitian (default: as in IN)",
     LINE_OWN, AT(symmetry), .parse = parse_symmetry},
    {"pattern", NULL, "Write positions without values", LINE_FLAG, AT(pattern)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "IN OUT",
    .settle = settle,
    .doc =
        "Read the matrix or vector in IN and write it to OUT. The name of OUT decides the format. "
        ".fur is the binary format, which loads many times faster. .mtx, .mtx.gz and .mtx.zst are "
        "Matrix Market. Text has the fewest digits that read back to the same numbers.",
};

int command_convert(int argc, char **argv)
{
    convert_options options = {.common = {.operands_min = 2, .operands_max = 2},
                               .type = AS_IN_FILE,
                               .symmetry = AS_IN_FILE};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, convert, &options);
}
