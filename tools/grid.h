/* A named stencil on a grid, as subcommands are asked for one. */
#ifndef FURROW_TOOLS_GRID_H
#define FURROW_TOOLS_GRID_H

#include "command.h"

typedef struct grid_request {
    int points; /* of the stencil; 0: none was asked for */
    int extents;
    int64_t extent[3];
    int boundaries;
    fur_boundary boundary[3];
    fur_value value;
} grid_request;

/* How the options' arguments look, for --help. */
#define GRID_EXTENT_DOC "Points along each axis, such as 128,128,128"
#define GRID_BOUNDARY_DOC                                                                          \
    "What is beyond the ends of each axis, or of all: dirichlet (without this option), neumann "   \
    "or "                                                                                          \
    "periodic, such as dirichlet,periodic,neumann"
#define GRID_TYPE_DOC "Value type: f64 (without this option), f32, c64 or c128"

/* The request before options are read: none, in f64. */
grid_request grid_none(void);

/* Each reads an option's argument, or ends with a usage error. */
void grid_parse_points(struct argp_state *state, const char *option, const char *text,
                       grid_request *grid);
void grid_parse_extent(struct argp_state *state, const char *text, grid_request *grid);
void grid_parse_boundary(struct argp_state *state, const char *text, grid_request *grid);
void grid_parse_type(struct argp_state *state, const char *text, grid_request *grid);

/* "dirichlet", "neumann" or "periodic". */
const char *grid_boundary_name(fur_boundary boundary);

/* The stencil's definition. kernel: as there. FUR_INVALID if extents or boundaries are not one for
 * each axis. */
fur_status grid_define(fur_context *context, const grid_request *grid, const char *kernel,
                       fur_stencil_definition *out);
fur_status grid_create_stencil(fur_context *context, const grid_request *grid, const char *kernel,
                               fur_stencil **out);

#endif
