/* Files: Matrix Market and .fur. */
#ifndef FURROW_PYTHON_IO_H
#define FURROW_PYTHON_IO_H

#include <nanobind/nanobind.h>

void bind_io(nanobind::module_ &m);

#endif
