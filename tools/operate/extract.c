/* furrow extract: takes a part of a matrix. */
#include "command.h"

#include <furrow/author/context.h>

#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "load.h"
#include "made.h"

/* Row or column numbers first .. last, counted from 1; 0, 0: all. */
typedef struct numbers {
    int64_t first;
    int64_t last;
} numbers;

typedef struct extract_options {
    command_common common;
    save_target out;
    numbers rows;
    numbers cols;
    const char *triangle;
    double drop; /* bound for removing small entries; 0: none */
} extract_options;

/* Names of triangles, and the diagonals between which they lie. */
static const struct {
    const char *name;
    int64_t lowest;
    int64_t highest;
} triangles[] = {{"lower", INT64_MIN, 0},
                 {"upper", 0, INT64_MAX},
                 {"strict-lower", INT64_MIN, -1},
                 {"strict-upper", 1, INT64_MAX},
                 {"diagonal", 0, 0}};
#define TRIANGLE_COUNT (int)(sizeof triangles / sizeof *triangles)

static const char *triangle_name(fur_context *context, int index)
{
    (void)context;
    return index < TRIANGLE_COUNT ? triangles[index].name : NULL;
}

/* Replaces *a by a new matrix and destroys the old one. */
static fur_status replace(fur_csr **a, fur_status status, fur_csr *by)
{
    if (status == FUR_OK) {
        fur_csr_destroy(*a);
        *a = by;
    }
    return status;
}

static fur_status cut(const extract_options *o, fur_csr **a)
{
    const fur_csr_view *v = fur_csr_get(*a);
    int64_t row = o->rows.first > 0 ? o->rows.first - 1 : 0;
    int64_t row_end = o->rows.first > 0 ? o->rows.last : v->rows;
    int64_t col = o->cols.first > 0 ? o->cols.first - 1 : 0;
    int64_t col_end = o->cols.first > 0 ? o->cols.last : v->cols;
    fur_csr *part = NULL;
    if (row_end > v->rows || col_end > v->cols)
        return command_misuse(fur_csr_context(*a),
                              "the matrix is %lld x %lld; --rows and --cols must be within it",
                              (long long)v->rows, (long long)v->cols);
    fur_status status = fur_csr_submatrix(*a, row, row_end, col, col_end, &part);
    return replace(a, status, part);
}

static fur_status take_triangle(const char *name, fur_csr **a)
{
    int n = 0;
    fur_csr *part = NULL;
    while (strcmp(triangles[n].name, name) != 0)
        n++;
    fur_status status = fur_csr_band(*a, triangles[n].lowest, triangles[n].highest, &part);
    return replace(a, status, part);
}

/* Selects rows and columns first, then the triangle, then the entries that are not small. */
static fur_status take_part(const extract_options *o, fur_csr **a)
{
    fur_csr *part = NULL;
    if (o->rows.first > 0 || o->cols.first > 0)
        FUR_TRY(cut(o, a));
    if (o->triangle)
        FUR_TRY(take_triangle(o->triangle, a));
    if (o->drop == 0)
        return FUR_OK;
    fur_status status = fur_csr_drop(*a, o->drop, &part);
    return replace(a, status, part);
}

static fur_status extract_steps(fur_context *context, const extract_options *o, made_matrix *made)
{
    loaded_matrix a = {0};
    const char *name = o->common.operands[0];
    FUR_TRY(command_while(context, "reading", name, load_matrix(context, &o->common, name, &a)));
    made->matrix = a.matrix;
    made->seconds_load = a.seconds;
    made->bytes = made_bytes(a.matrix);
    double start = fur_seconds();
    FUR_TRY(command_while(context, "extracting from", name, take_part(o, &made->matrix)));
    FUR_TRY(fur_context_synchronize(context));
    made->seconds_apply = fur_seconds() - start;
    return made_print(&o->common, made, &o->out, a.header.field);
}

static fur_status extract(fur_context *context, const void *options)
{
    made_matrix made = {0};
    fur_status status = extract_steps(context, options, &made);
    fur_csr_destroy(made.matrix);
    return status;
}

/* Parses FIRST:LAST, or one number for both. */
static void parse_numbers(struct argp_state *state, const char *option, const char *text,
                          void *member)
{
    numbers *n = member;
    char *end;
    n->first = strtoll(text, &end, 10);
    n->last = *end == ':' ? strtoll(end + 1, &end, 10) : n->first;
    if (*end != '\0' || n->first < 1 || n->last < n->first)
        argp_error(state, "%s takes FIRST:LAST, counting from 1, not '%s'", option, text);
}

static void settle(struct argp_state *state, void *options)
{
    save_check(state, "--out", &((extract_options *)options)->out);
}

#define AT(member) .at = offsetof(extract_options, member)
static const line_option own_options[] = {
    {"rows", "FIRST:LAST", "Keep these rows, counted from 1 (default: all rows)", LINE_OWN,
     AT(rows), .parse = parse_numbers},
    {"cols", "FIRST:LAST", "Keep these columns, counted from 1 (default: all columns)", LINE_OWN,
     AT(cols), .parse = parse_numbers},
    {"triangle", "NAME", "Keep one triangle: lower, upper, strict-lower, strict-upper or diagonal",
     LINE_CHOICE, AT(triangle), .names = triangle_name},
    {"drop", "TOL", "Remove entries of modulus at most TOL", LINE_POSITIVE, AT(drop)},
    {"out", "B.mtx", "Write the extracted matrix to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "A",
    .settle = settle,
    .doc = "Extract a part of the matrix A: some rows and columns, a triangle, or the large "
           "entries. The options apply in this order: --rows and --cols, --triangle, --drop.",
};

int command_extract(int argc, char **argv)
{
    extract_options options = {.common = {.operands_min = 1, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, extract, &options);
}
