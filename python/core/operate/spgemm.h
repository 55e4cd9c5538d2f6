/* Products of two and of three matrices, and of blocks at the entries of one. */
#ifndef FURROW_PYTHON_SPGEMM_H
#define FURROW_PYTHON_SPGEMM_H

#include <nanobind/nanobind.h>

void bind_spgemm(nanobind::module_ &m);

#endif
