/* Extreme eigenvalues of symmetric operators. */
#ifndef FURROW_PYTHON_EIGS_H
#define FURROW_PYTHON_EIGS_H

#include <nanobind/nanobind.h>

void bind_eigs(nanobind::module_ &m);

#endif
