/* Solvers of A x = b. */
#ifndef FURROW_PYTHON_SOLVER_H
#define FURROW_PYTHON_SOLVER_H

#include <nanobind/nanobind.h>

void bind_solver(nanobind::module_ &m);

#endif
