/* Orders for rows and columns. */
#ifndef FURROW_PYTHON_REORDER_H
#define FURROW_PYTHON_REORDER_H

#include <nanobind/nanobind.h>

void bind_reorder(nanobind::module_ &m);

#endif
