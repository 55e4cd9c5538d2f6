/* Solvers of A x = b. */
#ifndef FURROW_PYTHON_SOLVER_H
#define FURROW_PYTHON_SOLVER_H

#include <furrow/furrow.hpp>

#include <nanobind/nanobind.h>

/* Returns the fields of a report for SolveReport in furrow/_solve/_outcomes.py. A least-squares
 * solution counts as converged unless A is square. */
nanobind::dict dict_of(const fur_solver_report &r, bool square);

void bind_solver(nanobind::module_ &m);

#endif
