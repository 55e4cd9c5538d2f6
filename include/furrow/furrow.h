/* Furrow: sparse matrices at memory speed. This header includes all others. */
#ifndef FURROW_FURROW_H
#define FURROW_FURROW_H

#include <furrow/algebra.h>
#include <furrow/amg.h>
#include <furrow/base.h>
#include <furrow/batch.h>
#include <furrow/binary.h>
#include <furrow/choose.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/eigs.h>
#include <furrow/graph.h>
#include <furrow/mtx.h>
#include <furrow/multigrid.h>
#include <furrow/neighbours.h>
#include <furrow/operator.h>
#include <furrow/output.h>
#include <furrow/permutation.h>
#include <furrow/precond.h>
#include <furrow/product.h>
#include <furrow/recognise.h>
#include <furrow/recording.h>
#include <furrow/reduce.h>
#include <furrow/reorder.h>
#include <furrow/scalars.h>
#include <furrow/sddmm.h>
#include <furrow/sharing.h>
#include <furrow/solver.h>
#include <furrow/spgemm.h>
#include <furrow/spmm.h>
#include <furrow/spmv.h>
#include <furrow/stencil.h>
#include <furrow/triangular.h>
#include <furrow/vector.h>
#include <furrow/vectors.h>

#endif
