/* Makes named stencils from options. */
#include "grid.h"

#include <furrow/author/kernels.h>

#include <string.h>

/* Largest number of items in an option's list, and largest length of an item. */
#define ITEMS 3
#define ITEM_LENGTH 32

static const char *const boundary_names[FUR_BOUNDARY_COUNT] = {"dirichlet", "neumann", "periodic"};

static const char *boundary_name(fur_context *context, int index)
{
    (void)context;
    return index < FUR_BOUNDARY_COUNT ? boundary_names[index] : NULL;
}

const char *grid_value_name(fur_context *context, int index)
{
    (void)context;
    return index < FUR_VALUE_COUNT ? fur_value_name((fur_value_type)index) : NULL;
}

grid_request grid_none(void)
{
    return (grid_request){.value = FUR_F64};
}

const char *grid_boundary_name(fur_boundary boundary)
{
    return boundary_names[boundary];
}

/* Cuts text at its commas. Returns the number of items, or 0 if there are too many or one is too
 * long. */
static int cut_list(const char *text, char items[ITEMS][ITEM_LENGTH])
{
    for (int count = 0; count < ITEMS; count++) {
        size_t length = strcspn(text, ",");
        if (length >= ITEM_LENGTH)
            return 0;
        memcpy(items[count], text, length);
        items[count][length] = '\0';
        if (text[length] == '\0')
            return count + 1;
        text += length + 1;
    }
    return 0;
}

void grid_parse_points(struct argp_state *state, const char *option, const char *text, void *out)
{
    grid_request *grid = out;
    fur_stencil_definition ignored;
    grid->points = (int)command_whole_number(state, option, text, 1, 729);
    if (!fur_stencil_named(grid->points, &ignored))
        argp_error(state, "%s takes 3, 5, 7, 9, 13, 19 or 27, not '%s'", option, text);
}

void grid_parse_extent(struct argp_state *state, const char *option, const char *text, void *out)
{
    grid_request *grid = out;
    char items[ITEMS][ITEM_LENGTH];
    grid->extents = cut_list(text, items);
    if (grid->extents == 0) {
        argp_error(state, "%s takes one to three numbers separated by commas, not '%s'", option,
                   text);
    }
    for (int axis = 0; axis < grid->extents; axis++) {
        grid->extent[axis] =
            command_whole_number(state, "each axis of --extent", items[axis], 1, INT64_MAX);
    }
}

void grid_parse_boundary(struct argp_state *state, const char *option, const char *text, void *out)
{
    grid_request *grid = out;
    char items[ITEMS][ITEM_LENGTH];
    grid->boundaries = cut_list(text, items);
    if (grid->boundaries == 0) {
        argp_error(state, "%s takes one to three names separated by commas, not '%s'", option,
                   text);
    }
    for (int axis = 0; axis < 3; axis++) {
        int item = axis < grid->boundaries ? axis : grid->boundaries - 1;
        grid->boundary[axis] =
            (fur_boundary)command_choice(state, option, boundary_name, items[item]);
    }
}

void grid_parse_type(struct argp_state *state, const char *option, const char *text, void *out)
{
    grid_request *grid = out;
    grid->value = (fur_value_type)command_choice(state, option, grid_value_name, text);
    grid->typed = true;
}

/* Returns the definition that follows from the number of points, without extent. */
static fur_stencil_definition named(const grid_request *grid)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = grid->value};
    fur_stencil_named(grid->points, &d);
    return d;
}

/* Usage error unless there is one item for each axis. */
static void check_axes(struct argp_state *state, const grid_request *grid, const char *option,
                       int count)
{
    int axes = named(grid).axes;
    if (count != axes) {
        argp_error(state, "a stencil of %d points has %d %s, but %s gave %d", grid->points, axes,
                   axes == 1 ? "axis" : "axes", option, count);
    }
}

void grid_check(struct argp_state *state, const char *option, const grid_request *grid)
{
    if (grid->points == 0)
        argp_error(state, "%s is missing; it gives the number of points of the stencil", option);
    if (grid->extents == 0)
        argp_error(state, "--extent is missing; it gives the size of the stencil's grid");
    check_axes(state, grid, "--extent", grid->extents);
    if (grid->boundaries > 1)
        check_axes(state, grid, "--boundary", grid->boundaries);
}

fur_stencil_definition grid_define(const grid_request *grid, const char *kernel)
{
    fur_stencil_definition d = named(grid);
    d.kernel = kernel;
    memcpy(d.extent, grid->extent, sizeof d.extent);
    memcpy(d.boundary, grid->boundary, sizeof d.boundary);
    return d;
}

/* Lists the names of fur_stencil_kernel_at, followed by "auto". */
static const char *kernel_name(fur_context *context, int index)
{
    const fur_kernel_info *kernel = fur_stencil_kernel_at(context, index);
    if (kernel)
        return kernel->name;
    return fur_stencil_kernel_at(context, index - 1) ? "auto" : NULL;
}

fur_status grid_check_kernel(fur_context *context, const char *kernel)
{
    return !kernel ? FUR_OK : command_check_name(context, "--kernel", kernel_name, kernel);
}

fur_status grid_create_stencil(fur_context *context, const grid_request *grid, const char *kernel,
                               fur_stencil **out)
{
    FUR_TRY(grid_check_kernel(context, kernel));
    fur_stencil_definition d = grid_define(grid, kernel);
    return fur_stencil_create(context, &d, out);
}
