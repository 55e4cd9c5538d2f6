/* Reuses the memory of freed large results for later ones. */
#ifndef FURROW_PYTHON_LARGE_H
#define FURROW_PYTHON_LARGE_H

#include <nanobind/nanobind.h>

void bind_large(nanobind::module_ &m);

#endif
