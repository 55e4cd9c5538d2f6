/* Classes of rows: components and colours. */
#ifndef FURROW_PYTHON_GRAPH_H
#define FURROW_PYTHON_GRAPH_H

#include <nanobind/nanobind.h>

void bind_graph(nanobind::module_ &m);

#endif
