/* Many small systems with one pattern. */
#ifndef FURROW_PYTHON_BATCH_H
#define FURROW_PYTHON_BATCH_H

#include <nanobind/nanobind.h>

void bind_batch(nanobind::module_ &m);

#endif
