/* Matrices, vectors and solvers (furrow/solver.h) that are distributed over several ranks. Ranks
 * are threads of one process or processes of MPI. This is a separate library, furrow_ranks.
 *
 * Rank i has rows bounds[i] .. bounds[i+1]-1 of the matrix and these entries of every vector.
 * Results do not depend on the number of ranks or on the bounds. Each row is added in the order of
 * its columns, and reductions use the tree of docs/numerics.md. Every bit therefore equals the
 * result on one rank and the result of the library without ranks (docs/ranks.md).
 *
 * All ranks make calls marked "collective" in the same order. Such a call ends in an agreement: all
 * ranks return the same status and the same message, taken from the lowest rank that failed. After
 * a failure the group is broken. Every further collective call fails with this message, and no call
 * waits for a rank that will not come. */
#ifndef FURROW_RANKS_H
#define FURROW_RANKS_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's handle of a group. One thread uses it at a time. */
typedef struct fur_ranks fur_ranks;

/* Options of a group. */
typedef struct fur_ranks_options {
    size_t size;             /* sizeof(fur_ranks_options) */
    int threads;             /* threads per rank, as in fur_context_options. Default 0: 1 */
    const char *isa;         /* as in fur_context_options */
    fur_allocator allocator; /* as in fur_context_options */
    /* NULL or "cpu". "cuda": matrices and vectors are on GPUs; rank i of a host uses its GPU i
     * modulo the number of GPUs. "cuda:N": they are on GPU N. Default NULL */
    const char *device;
    /* Transport between GPUs: "peers" (GPUs of one host that reach each other's memory), "nccl",
     * "staged" (through the hosts). Default NULL: the first that works between all ranks. */
    const char *device_transport;
} fur_ranks_options;

/* Opens a group with one rank, the caller. */
FUR_API fur_status fur_ranks_open_alone(const fur_ranks_options *options, fur_ranks **out);

/* Collective. Opens the group of an MPI communicator.
 *
 * `communicator`: a pointer to an MPI_Comm, which is copied. NULL: MPI_COMM_WORLD.
 * Starts MPI if it is not running, and then also ends it when the group is closed.
 * FUR_UNSUPPORTED in a build without FURROW_RANKS. fur_context_error(NULL) returns the message. */
FUR_API fur_status fur_ranks_open_mpi(const void *communicator, const fur_ranks_options *options,
                                      fur_ranks **out);

/* Collective. Closes a group. Destroy the objects of the group first. If a rank closes its handle
 * while others are in another call, that call fails with FUR_INVALID. */
FUR_API void fur_ranks_close(fur_ranks *group);

/* Runs work(group, user) on `ranks` threads of this process. Each is a rank.
 *
 * rank_options: the options that every rank uses; NULL for the defaults.
 * Returns the status on which the ranks agree. fur_context_error(NULL) returns the message. */
FUR_API fur_status fur_ranks_run(int ranks, const fur_ranks_options *rank_options,
                                 fur_status (*work)(fur_ranks *group, void *user), void *user);

/* Returns this rank, counted from 0. */
FUR_API int fur_ranks_rank(const fur_ranks *group);
/* Returns the number of ranks. */
FUR_API int fur_ranks_count(const fur_ranks *group);
/* Returns "threads" or "mpi". */
FUR_API const char *fur_ranks_transport(const fur_ranks *group);
/* Returns "peers", "nccl" or "staged". It returns "" without GPUs and before the group's first
 * matrix. */
FUR_API const char *fur_ranks_device_transport(const fur_ranks *group);
/* Returns the message of the last failure; "" if there was none. */
FUR_API const char *fur_ranks_error(const fur_ranks *group);
/* Sets this message and returns status, for a failure on this rank only. Tells the other ranks and
 * does not wait for them. Their current and later collective calls fail with this message. */
FUR_API fur_status fur_ranks_fail(fur_ranks *group, fur_status status, const char *format, ...)
    FUR_PRINTF(3, 4);
/* As fur_ranks_fail, with the last message of a context. */
FUR_API fur_status fur_ranks_pass_on(fur_ranks *group, const fur_context *context,
                                     fur_status status);
/* Collective. Returns FUR_OK if every rank passes FUR_OK. Otherwise returns the status and message
 * of the lowest rank that failed. Waits for all ranks. */
FUR_API fur_status fur_ranks_agree(fur_ranks *group, fur_status status);

/* A square or rectangular matrix of all ranks.
 *
 * It has its own context on each rank, in which its vectors are shared (furrow/author/sharing.h).
 * If x has other bounds than the rows, it has a second context for x. It also has the plan, ghosts
 * and buffers of the product. */
typedef struct fur_ranks_csr fur_ranks_csr;

/* The rows of this rank, with column numbers of the whole matrix. */
typedef struct fur_ranks_rows {
    size_t size;  /* sizeof(fur_ranks_rows) */
    int64_t rows; /* number on this rank; rows of lower ranks come before */
    int64_t cols; /* of the whole matrix, the same on all ranks */
    fur_value_type value_type;
    const int64_t *offsets; /* rows + 1, from 0 */
    const int64_t *columns; /* strictly increasing within a row */
    const void *values;
    /* Number of entries of x on this rank; the sum over all ranks is cols. If it is 0 on all ranks,
     * a square matrix uses the rows, and other matrices use equal shares. */
    int64_t own_cols;
} fur_ranks_rows;

/* Collective. Makes a matrix and copies the arrays. FUR_INVALID if ranks disagree about columns or
 * type, or if a column is out of range or out of order. */
FUR_API fur_status fur_ranks_csr_create(fur_ranks *group, const fur_ranks_rows *rows,
                                        fur_ranks_csr **out);

/* Collective. Distributes a matrix that rank 0 has in any context of the CPU. Other ranks pass
 * NULL. bounds: ranks + 1 row numbers from 0 to the number of rows, the same on all ranks. NULL:
 * bounds that balance entries and rows. */
FUR_API fur_status fur_ranks_csr_scatter(fur_ranks *group, const fur_csr *a, const int64_t *bounds,
                                         fur_ranks_csr **out);

/* Collective. Reads a Matrix Market file (real types as f64, complex as c128) or a .fur file, like
 * fur_mtx_read_csr. If the file is a plain coordinate file, each rank reads a range of its bytes.
 * Rank 0 alone reads compressed files, arrays, and files with an error. Messages are therefore
 * those of fur_mtx_read_csr. */
FUR_API fur_status fur_ranks_csr_read(fur_ranks *group, const char *path, const int64_t *bounds,
                                      fur_ranks_csr **out);

/* Collective. Returns A^T as a new matrix, or A^H if `conjugate` is 1. Its rows have the bounds of
 * A's columns, and its columns have the bounds of A's rows. Products with it have the bits of
 * FUR_OP_T and FUR_OP_H in the library without ranks. Takes as much memory as A. */
FUR_API fur_status fur_ranks_csr_transpose(const fur_ranks_csr *a, int conjugate,
                                           fur_ranks_csr **out);

/* Releases the matrix; NULL is ignored. */
FUR_API void fur_ranks_csr_destroy(fur_ranks_csr *matrix);

/* Returns the group of the matrix. */
FUR_API fur_ranks *fur_ranks_csr_group(const fur_ranks_csr *matrix);
/* Returns the context of this rank's part. Make vectors of its rows here, such as y and b. */
FUR_API fur_context *fur_ranks_csr_context(const fur_ranks_csr *matrix);
/* Returns the context of x. It is the same, unless the column bounds differ from the row bounds. */
FUR_API fur_context *fur_ranks_csr_domain(const fur_ranks_csr *matrix);
/* Returns the operator y = A x on the parts, for solvers and products.
 *
 * fur_operator_jacobi accepts it. Applying it is collective. While the halo is in transit, rows
 * that do not need it are multiplied. On the CPU the operator finds two colours of the rows for cg.
 * fur_solver_create is then collective. */
FUR_API const fur_operator *fur_ranks_csr_operator(const fur_ranks_csr *matrix);
/* Returns ranks + 1 row numbers. */
FUR_API const int64_t *fur_ranks_csr_bounds(const fur_ranks_csr *matrix);
/* Returns ranks + 1 entry numbers of x. If A is square, they equal the row bounds. */
FUR_API const int64_t *fur_ranks_csr_column_bounds(const fur_ranks_csr *matrix);

/* Figures of a matrix or a stencil of all ranks. */
typedef struct fur_ranks_report {
    size_t size;  /* of the library's struct */
    int64_t rows; /* of the whole matrix, as cols and entries */
    int64_t cols;
    int64_t entries;
    fur_value_type value_type;
    int64_t halo_bytes;    /* bytes that all ranks together send for a product */
    double imbalance;      /* largest work of a rank, entries + 4 rows, over the mean */
    double seconds_halo;   /* time that this rank has waited for halos so far */
    int64_t own_entries;   /* matrix entries on this rank */
    int64_t ghosts;        /* entries of x that this rank receives for a product */
    int64_t boundary_rows; /* rows of this rank that need ghosts */
} fur_ranks_report;

/* Returns figures of the matrix. The report is valid while the matrix exists. */
FUR_API const fur_ranks_report *fur_ranks_csr_describe(const fur_ranks_csr *matrix);

/* Collective. Computes y = A x; all ranks agree on the status. */
FUR_API fur_status fur_ranks_multiply(fur_ranks_csr *a, const fur_vector *x, fur_vector *y);

/* Collective. Solves A x = b by any method of fur_solver_create; all ranks agree on the status.
 *
 * options->preconditioner: NULL, or an operator in the matrix's context.
 * options->monitor: may differ between ranks or be NULL. If one stops, all ranks stop after the
 * same iteration.
 * options->adjoint: if it is NULL, "lsqr", "lsmr" and "cgnr" make A^H for this solve.
 *
 * If the rows have two colours, cg on the CPU makes blocks of A (docs/ranks.md). A^H and the blocks
 * each take as much memory as A. */
FUR_API fur_status fur_ranks_solve(fur_ranks_csr *a, const fur_solver_options *options,
                                   const fur_vector *b, fur_vector *x, fur_solver_report *report);

/* Solves as fur_ranks_solve, with any operator in a shared context of the group.
 *
 * Examples are the operators of furrow/ranks_stencil.h. */
FUR_API fur_status fur_ranks_solve_operator(fur_ranks *group, const fur_operator *a,
                                            const fur_solver_options *options, const fur_vector *b,
                                            fur_vector *x, fur_solver_report *report);

/* Collective. Copies all entries of a vector of rows to `all` on rank 0, in order. `all` is NULL on
 * other ranks. */
FUR_API fur_status fur_ranks_gather_vector(fur_ranks_csr *a, const fur_vector *x, void *all);

/* Gathers as fur_ranks_gather_vector, for a vector with any bounds.
 *
 * bounds: ranks + 1 entry numbers. */
FUR_API fur_status fur_ranks_gather(fur_ranks *group, const int64_t *bounds, const fur_vector *x,
                                    void *all);

/* Collective. Copies `bytes` bytes from `data` on rank 0 to `data` on all ranks. */
FUR_API fur_status fur_ranks_share(fur_ranks *group, void *data, size_t bytes);

/* Collective. Copies this rank's entries of rank 0's vector to x. `all` is NULL on other ranks. */
FUR_API fur_status fur_ranks_scatter(fur_ranks *group, const int64_t *bounds, const void *all,
                                     fur_vector *x);

#ifdef __cplusplus
}
#endif
#endif
