/* Furrow: sparse matrices at memory speed. This header includes all headers for users.
 *
 *     fur_context_create(NULL, &context);
 *     fur_mtx_read_csr(context, "a.mtx", NULL, &a);
 *     fur_solve(a, b, x, NULL, &report);
 *
 * Authors of operators, ranks, bindings and file formats also include furrow/author.h. */
#ifndef FURROW_FURROW_H
#define FURROW_FURROW_H

#include <furrow/algebra.h>
#include <furrow/base.h>
#include <furrow/batch.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/eigs.h>
#include <furrow/files.h>
#include <furrow/graph.h>
#include <furrow/multigrid.h>
#include <furrow/operator.h>
#include <furrow/precond.h>
#include <furrow/product.h>
#include <furrow/reorder.h>
#include <furrow/solver.h>
#include <furrow/spgemm.h>
#include <furrow/spmm.h>
#include <furrow/spmv.h>
#include <furrow/stencil.h>
#include <furrow/triangular.h>
#include <furrow/vector.h>

#endif
