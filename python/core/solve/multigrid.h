/* Geometric multigrid for stencils. */
#ifndef FURROW_PYTHON_MULTIGRID_H
#define FURROW_PYTHON_MULTIGRID_H

#include <nanobind/nanobind.h>

void bind_multigrid(nanobind::module_ &m);

#endif
