/* furrow._core: handles of the library for the Python package, which has the public interface.
 * Each file holds one noun. */
#include "batch.h"
#include "context.h"
#include "csr.h"
#include "eigs.h"
#include "errors.h"
#include "graph.h"
#include "io.h"
#include "large.h"
#include "multigrid.h"
#include "neighbours.h"
#include "operator.h"
#include "precond.h"
#include "product.h"
#include "reorder.h"
#include "solver.h"
#include "spgemm.h"
#include "stencil.h"
#include "triangular.h"

NB_MODULE(_core, m)
{
    nb::set_leak_warnings(false); // objects that a program holds until its end are not leaks
    m.def("version", &fur_version);
    bind_errors(m);
    bind_context(m);
    bind_large(m);
    bind_csr(m);
    bind_product(m);
    bind_io(m);
    bind_operator(m);
    bind_precond(m);
    bind_solver(m);
    bind_eigs(m);
    bind_stencil(m);
    bind_multigrid(m);
    bind_reorder(m);
    bind_triangular(m);
    bind_neighbours(m);
    bind_graph(m);
    bind_spgemm(m);
    bind_batch(m);
}
