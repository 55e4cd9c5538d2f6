/* Failures of the library as exceptions of furrow._errors. */
#ifndef FURROW_PYTHON_ERRORS_H
#define FURROW_PYTHON_ERRORS_H

#include <nanobind/nanobind.h>

void bind_errors(nanobind::module_ &m);

#endif
