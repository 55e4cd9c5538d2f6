/* Memory of large results, which goes from one that is given up to the next one. */
#ifndef FURROW_PYTHON_LARGE_H
#define FURROW_PYTHON_LARGE_H

#include <nanobind/nanobind.h>

void bind_large(nanobind::module_ &m);

#endif
