/* Products of two or three matrices, and products of blocks at the entries of a matrix. */
#ifndef FURROW_PYTHON_SPGEMM_H
#define FURROW_PYTHON_SPGEMM_H

#include <nanobind/nanobind.h>

void bind_spgemm(nanobind::module_ &m);

#endif
