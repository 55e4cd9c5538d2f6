/* A named stencil on a grid, as options request it. */
#ifndef FURROW_TOOLS_GRID_H
#define FURROW_TOOLS_GRID_H

#include "command.h"

typedef struct grid_request {
    int points; /* points of the stencil; 0: no stencil is requested */
    int extents;
    int64_t extent[3];
    int boundaries;
    fur_boundary boundary[3];
    fur_value_type value;
    bool typed; /* whether --type was given */
} grid_request;

/* Descriptions of the options' arguments, for --help. */
#define GRID_EXTENT_DOC "Number of grid points along each axis, such as 128,128,128"
#define GRID_BOUNDARY_DOC                                                                          \
    "Boundary of each axis, or of all axes: dirichlet (default), neumann or periodic"
#define GRID_TYPE_DOC "Value type: f64 (default), f32, c64 or c128"

/* Returns the request before options are read: no stencil, values in f64. */
grid_request grid_none(void);

/* Parsers for the line_option of a grid_request. */
void grid_parse_points(struct argp_state *state, const char *option, const char *text, void *out);
void grid_parse_extent(struct argp_state *state, const char *option, const char *text, void *out);
void grid_parse_boundary(struct argp_state *state, const char *option, const char *text, void *out);
void grid_parse_type(struct argp_state *state, const char *option, const char *text, void *out);

/* Returns "dirichlet", "neumann" or "periodic". */
const char *grid_boundary_name(fur_boundary boundary);

/* Lists the names that --type accepts. */
const char *grid_value_name(fur_context *context, int index);

/* Usage error unless the request is complete: a stencil by this option, and one extent and one
 * boundary for each axis. */
void grid_check(struct argp_state *state, const char *option, const grid_request *grid);

/* Returns the definition of a stencil whose request is complete. kernel: as in the definition. */
fur_stencil_definition grid_define(const grid_request *grid, const char *kernel);

/* Returns FUR_INVALID, as a misuse, unless --kernel is NULL or names a kernel for stencils. */
fur_status grid_check_kernel(fur_context *context, const char *kernel);

fur_status grid_create_stencil(fur_context *context, const grid_request *grid, const char *kernel,
                               fur_stencil **out);

#endif
