/* furrow convert: reads a Matrix Market or binary file and writes its matrix or vector in another
 * form. */
#include "command.h"

#include <string.h>

#include "load.h"
#include "output.h"

enum { OPTION_TYPE = 1, OPTION_TRANSPOSE, OPTION_SYMMETRY, OPTION_PATTERN };
enum { SYMMETRY_COUNT = FUR_MTX_HERMITIAN + 1, AS_IN_FILE = -1 };

typedef struct convert_options {
    command_common common;
    int type;     /* fur_value, or AS_IN_FILE */
    int symmetry; /* fur_mtx_symmetry, or AS_IN_FILE */
    bool transpose;
    bool pattern;
} convert_options;

/* What was written. */
typedef struct conversion {
    fur_mtx_format format;
    fur_mtx_field field;
    fur_mtx_symmetry symmetry;
    fur_value value;
    int64_t rows;
    int64_t cols;
    int64_t entries; /* of the matrix; a symmetric file has about half of them */
    double seconds_load;
    double seconds_write;
} conversion;

/* A new matrix in place of *a, which is destroyed. */
static void replace(fur_csr **a, fur_csr *by)
{
    fur_csr_destroy(*a);
    *a = by;
}

static fur_status change(const convert_options *options, fur_csr **a)
{
    fur_csr *changed = NULL;
    if (options->type != AS_IN_FILE) {
        const fur_offset offset = fur_csr_get(*a).offset;
        COMMAND_TRY(fur_csr_convert(*a, (fur_value)options->type, offset, &changed));
        replace(a, changed);
    }
    if (options->transpose) {
        COMMAND_TRY(fur_csr_transpose(*a, 0, &changed));
        replace(a, changed);
    }
    return FUR_OK;
}

static bool is_binary(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(".fur");
    return length >= suffix && strcmp(name + length - suffix, ".fur") == 0;
}

/* Patterns and integers stay what they are unless another type is asked for. */
static fur_mtx_field choose_field(const convert_options *options, const fur_mtx_header *header,
                                  fur_value value)
{
    if (options->pattern) {
        return FUR_MTX_PATTERN;
    }
    if (options->type == AS_IN_FILE) {
        return header->field;
    }
    return value == FUR_C64 || value == FUR_C128 ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
}

static conversion describe_matrix(const convert_options *options, const loaded_matrix *a)
{
    const fur_csr_view view = fur_csr_get(a->matrix);
    const conversion plan = {
        .format = FUR_MTX_COORDINATE,
        .field = choose_field(options, &a->header, view.value),
        .symmetry = options->symmetry == AS_IN_FILE ? a->header.symmetry
                                                    : (fur_mtx_symmetry)options->symmetry,
        .value = view.value,
        .rows = view.rows,
        .cols = view.cols,
        .entries = view.entries,
        .seconds_load = a->seconds,
    };
    return plan;
}

static fur_status save_matrix(const fur_csr *a, const char *path, const conversion *plan)
{
    const fur_mtx_header origin = {.field = plan->field, .symmetry = plan->symmetry};
    const fur_binary_write_options binary = {.size = sizeof binary, .origin = &origin};
    const fur_mtx_write_options text = {.size = sizeof text,
                                        .symmetry = plan->symmetry,
                                        .pattern = plan->field == FUR_MTX_PATTERN,
                                        .integer = plan->field == FUR_MTX_INTEGER};
    return is_binary(path) ? fur_binary_write_csr(a, path, &binary)
                           : fur_mtx_write_csr(a, path, &text);
}

static fur_status write_matrix(const convert_options *options, loaded_matrix *a, conversion *done)
{
    COMMAND_TRY(change(options, &a->matrix));
    *done = describe_matrix(options, a);
    const double start = command_seconds();
    COMMAND_TRY(save_matrix(a->matrix, options->common.operands[1], done));
    done->seconds_write = command_seconds() - start;
    return FUR_OK;
}

static fur_status convert_matrix(fur_context *context, const convert_options *options,
                                 conversion *done)
{
    loaded_matrix a = {0};
    fur_status status = load_matrix(context, &options->common, options->common.operands[0], &a);
    if (status == FUR_OK) {
        status = write_matrix(options, &a, done);
    }
    fur_csr_destroy(a.matrix);
    return status;
}

/* A Matrix Market file of a vector is not of field integer. */
static fur_status save_vector(const fur_vector *x, const char *path, conversion *plan)
{
    const fur_mtx_header origin = {.field = plan->field};
    const fur_binary_write_options binary = {.size = sizeof binary, .origin = &origin};
    if (is_binary(path)) {
        return fur_binary_write_vector(x, path, &binary);
    }
    plan->field = plan->field == FUR_MTX_INTEGER ? FUR_MTX_REAL : plan->field;
    return fur_mtx_write_vector(x, path, NULL);
}

static fur_status convert_vector(fur_context *context, const convert_options *options,
                                 conversion *done)
{
    const fur_value type = (fur_value)options->type;
    const fur_value *value = options->type == AS_IN_FILE ? NULL : &type;
    fur_mtx_header header;
    fur_vector *x = NULL;
    const double start = command_seconds();
    COMMAND_TRY(load_any_vector(context, options->common.operands[0], value, &header, &x));
    const double loaded = command_seconds();
    const int64_t size = fur_vector_size(x);
    conversion plan = {.format = FUR_MTX_ARRAY,
                       .field = choose_field(options, &header, fur_vector_value(x)),
                       .value = fur_vector_value(x),
                       .rows = size,
                       .cols = 1,
                       .entries = size,
                       .seconds_load = loaded - start};
    const fur_status status = save_vector(x, options->common.operands[1], &plan);
    plan.seconds_write = command_seconds() - loaded;
    *done = plan;
    fur_vector_destroy(x);
    return status;
}

/* Whether the file is a vector and nothing is asked that only a matrix can give. */
static bool is_vector(const fur_mtx_header *header, const convert_options *options)
{
    return header->format == FUR_MTX_ARRAY && header->cols == 1 &&
           options->symmetry == AS_IN_FILE && !options->transpose && !options->pattern;
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
    output_seconds(&out, "seconds_load", "time to load", done->seconds_load);
    output_seconds(&out, "seconds_write", "time to write", done->seconds_write);
    return output_end(&out, context);
}

static fur_status convert(fur_context *context, const void *given)
{
    const convert_options *options = given;
    fur_mtx_header header;
    conversion done = {0};
    COMMAND_TRY(load_header(context, options->common.operands[0], &header));
    COMMAND_TRY(is_vector(&header, options) ? convert_vector(context, options, &done)
                                            : convert_matrix(context, options, &done));
    return print_written(context, options, &done);
}

static const struct argp_option own_options[] = {
    {.name = "type",
     .key = OPTION_TYPE,
     .arg = "TYPE",
     .doc =
         "Round to f32, f64, c64 or c128; without it nothing is rounded and a pattern stays one"},
    {.name = "transpose", .key = OPTION_TRANSPOSE, .doc = "Write the transpose"},
    {.name = "symmetry",
     .key = OPTION_SYMMETRY,
     .arg = "KIND",
     .doc = "Write as general, symmetric, skew-symmetric or hermitian; without it as IN is"},
    {.name = "pattern", .key = OPTION_PATTERN, .doc = "Write positions without values"},
    {0},
};

static int parse_type(struct argp_state *state, const char *name)
{
    for (int i = 0; i < FUR_VALUE_COUNT; i++) {
        if (strcmp(name, fur_value_name((fur_value)i)) == 0) {
            return i;
        }
    }
    argp_error(state, "--type takes f32, f64, c64 or c128, not '%s'", name);
    return AS_IN_FILE;
}

static int parse_symmetry(struct argp_state *state, const char *name)
{
    for (int i = 0; i < SYMMETRY_COUNT; i++) {
        if (strcmp(name, fur_mtx_symmetry_name((fur_mtx_symmetry)i)) == 0) {
            return i;
        }
    }
    argp_error(state, "--symmetry takes general, symmetric, skew-symmetric or hermitian, not '%s'",
               name);
    return AS_IN_FILE;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    convert_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case OPTION_TYPE:
        options->type = parse_type(state, argument);
        return 0;
    case OPTION_TRANSPOSE:
        options->transpose = true;
        return 0;
    case OPTION_SYMMETRY:
        options->symmetry = parse_symmetry(state, argument);
        return 0;
    case OPTION_PATTERN:
        options->pattern = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = own_options,
    .parser = parse,
    .args_doc = "IN OUT",
    .doc =
        "Read IN, a Matrix Market or binary file, and write its matrix or vector to OUT: a binary "
        "file if its name ends in .fur, which loads many times faster, else Matrix Market with "
        "the fewest digits that read back to the same numbers.",
    .children = command_children,
};

int command_convert(int argc, char **argv)
{
    convert_options options = {.common = {.operands_min = 2, .operands_max = 2},
                               .type = AS_IN_FILE,
                               .symmetry = AS_IN_FILE};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    return command_run(&options.common, convert, &options);
}
