/* Named stencils from options. */
#include "grid.h"

#include <string.h>

/* Lists of options have at most so many items, of at most so many characters. */
enum { ITEMS = 3, ITEM_LENGTH = 32 };

static const char *const boundary_names[FUR_BOUNDARY_COUNT] = {"dirichlet", "neumann", "periodic"};

grid_request grid_none(void)
{
    return (grid_request){.value = FUR_F64};
}

const char *grid_boundary_name(fur_boundary boundary)
{
    return boundary_names[boundary];
}

/* Cuts text at its commas; returns how many items there are, or 0 if too many or too long. */
static int cut_list(const char *text, char items[ITEMS][ITEM_LENGTH])
{
    for (int count = 0; count < ITEMS; count++) {
        const size_t length = strcspn(text, ",");
        if (length >= ITEM_LENGTH) {
            return 0;
        }
        memcpy(items[count], text, length);
        items[count][length] = '\0';
        if (text[length] == '\0') {
            return count + 1;
        }
        text += length + 1;
    }
    return 0;
}

void grid_parse_points(struct argp_state *state, const char *option, const char *text,
                       grid_request *grid)
{
    fur_stencil_definition ignored;
    grid->points = (int)command_whole_number(state, option, text, 1, 729);
    if (!fur_stencil_named(grid->points, &ignored)) {
        argp_error(state, "%s takes 3, 5, 7, 9, 13, 19 or 27, not '%s'", option, text);
    }
}

void grid_parse_extent(struct argp_state *state, const char *text, grid_request *grid)
{
    char items[ITEMS][ITEM_LENGTH];
    grid->extents = cut_list(text, items);
    if (grid->extents == 0) {
        argp_error(state, "--extent takes one to three numbers with commas between, not '%s'",
                   text);
    }
    for (int axis = 0; axis < grid->extents; axis++) {
        grid->extent[axis] = command_whole_number(state, "--extent", items[axis], 1, INT64_MAX);
    }
}

static fur_boundary boundary_named(struct argp_state *state, const char *name)
{
    for (int i = 0; i < FUR_BOUNDARY_COUNT; i++) {
        if (strcmp(name, boundary_names[i]) == 0) {
            return (fur_boundary)i;
        }
    }
    argp_error(state, "--boundary takes dirichlet, neumann or periodic, not '%s'", name);
    return FUR_DIRICHLET;
}

void grid_parse_boundary(struct argp_state *state, const char *text, grid_request *grid)
{
    char items[ITEMS][ITEM_LENGTH];
    grid->boundaries = cut_list(text, items);
    if (grid->boundaries == 0) {
        argp_error(state, "--boundary takes one to three names with commas between, not '%s'",
                   text);
    }
    for (int axis = 0; axis < 3; axis++) {
        const int item = axis < grid->boundaries ? axis : grid->boundaries - 1;
        grid->boundary[axis] = boundary_named(state, items[item]);
    }
}

void grid_parse_type(struct argp_state *state, const char *text, grid_request *grid)
{
    int value = 0;
    while (value < FUR_VALUE_COUNT && strcmp(text, fur_value_name((fur_value)value)) != 0) {
        value++;
    }
    if (value == FUR_VALUE_COUNT) {
        argp_error(state, "--type takes f32, f64, c64 or c128, not '%s'", text);
    }
    grid->value = (fur_value)value;
}

fur_status grid_define(fur_context *context, const grid_request *grid, const char *kernel,
                       fur_stencil_definition *out)
{
    fur_stencil_definition d = {.size = sizeof d, .value = grid->value, .kernel = kernel};
    fur_stencil_named(grid->points, &d);
    if (grid->extents != d.axes) {
        return fur_context_fail(context, FUR_INVALID,
                                "a stencil of %d points has %d %s; --extent gave %d", grid->points,
                                d.axes, d.axes == 1 ? "axis" : "axes", grid->extents);
    }
    if (grid->boundaries > 1 && grid->boundaries != d.axes) {
        return fur_context_fail(
            context, FUR_INVALID, "a stencil of %d points has %d %s; --boundary gave %d",
            grid->points, d.axes, d.axes == 1 ? "axis" : "axes", grid->boundaries);
    }
    memcpy(d.extent, grid->extent, sizeof d.extent);
    memcpy(d.boundary, grid->boundary, sizeof d.boundary);
    *out = d;
    return FUR_OK;
}

fur_status grid_create_stencil(fur_context *context, const grid_request *grid, const char *kernel,
                               fur_stencil **out)
{
    fur_stencil_definition d;
    COMMAND_TRY(grid_define(context, grid, kernel, &d));
    return fur_stencil_create(context, &d, out);
}
