/* Nearest neighbours of points. */
#ifndef FURROW_PYTHON_NEIGHBOURS_H
#define FURROW_PYTHON_NEIGHBOURS_H

#include <nanobind/nanobind.h>

void bind_neighbours(nanobind::module_ &m);

#endif
