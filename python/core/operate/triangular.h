/* Triangular solves. */
#ifndef FURROW_PYTHON_TRIANGULAR_H
#define FURROW_PYTHON_TRIANGULAR_H

#include <nanobind/nanobind.h>

void bind_triangular(nanobind::module_ &m);

#endif
