/* Several ranks: matrices and vectors whose rows are shared by the threads of one process or by the
 * processes of MPI, and the solvers of furrow/solver.h on them. A library of its own, furrow_ranks.
 *
 * Rank i has rows bounds[i] .. bounds[i+1]-1 of the matrix and those entries of every vector.
 * Results do not depend on the number of ranks or on the bounds: a row is added in the order of its
 * columns, reductions by the tree of docs/numerics.md, so every bit is that of one rank and of the
 * library without ranks (docs/ranks.md).
 *
 * Calls marked "collective" are made by all ranks in the same order. They end in one agreement: the
 * same status on all ranks, and the same sentence, that of the lowest rank that failed. After a
 * failure the group is broken: every further collective call fails with that sentence, and none
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

/* One rank's end of a group. Used by one thread at a time. */
typedef struct fur_ranks fur_ranks;

typedef struct fur_ranks_options {
    size_t size;             /* sizeof(fur_ranks_options) */
    int threads;             /* of each rank, as in fur_context_options; 0: 1 */
    const char *isa;         /* as in fur_context_options */
    fur_allocator allocator; /* likewise */
    /* NULL or "cpu"; "cuda": matrices and vectors lie on GPUs, those of a host in turn for each of
     * its ranks; "cuda:N": on that one. */
    const char *device;
    /* Between GPUs: "peers" (of one host, which reach each other's memory), "nccl", "staged" (by
     * way of the hosts). NULL: the first of these that works between all ranks. */
    const char *device_transport;
} fur_ranks_options;

/* A group of one rank, the caller. */
FUR_API fur_status fur_ranks_open_alone(const fur_ranks_options *options, fur_ranks **out);

/* The group of an MPI communicator (a pointer to an MPI_Comm, of which a copy is made; NULL:
 * MPI_COMM_WORLD). Starts MPI if nobody has, and ends it then with the group. Collective.
 * FUR_UNSUPPORTED in a build without FURROW_RANKS. The sentence is in fur_context_error(NULL). */
FUR_API fur_status fur_ranks_open_mpi(const void *communicator, const fur_ranks_options *options,
                                      fur_ranks **out);

/* Collective. Objects of the group must be gone. If a rank closes its end while others are in
 * another call, that call fails with FUR_INVALID. */
FUR_API void fur_ranks_close(fur_ranks *group);

/* Runs work(group, user) on `ranks` threads of this process, each of which is a rank, and returns
 * the status that they agree on; the sentence is then in fur_context_error(NULL). rank_options
 * NULL: defaults; else those of each rank. */
FUR_API fur_status fur_ranks_run(int ranks, const fur_ranks_options *rank_options,
                                 fur_status (*work)(fur_ranks *group, void *user), void *user);

/* This rank, from 0, and the number of ranks. */
FUR_API int fur_ranks_rank(const fur_ranks *group);
FUR_API int fur_ranks_count(const fur_ranks *group);
/* "threads" or "mpi". */
FUR_API const char *fur_ranks_transport(const fur_ranks *group);
/* "peers", "nccl" or "staged"; "" without GPUs, and before the group's first matrix. */
FUR_API const char *fur_ranks_device_transport(const fur_ranks *group);
/* The sentence about the last failure; "" if there was none. */
FUR_API const char *fur_ranks_error(const fur_ranks *group);
/* Sets that sentence and returns status, for a failure of this rank alone. Tells the other ranks
 * and does not wait for them: the collective calls that they are in, and all later ones, fail with
 * it.
 */
FUR_API fur_status fur_ranks_fail(fur_ranks *group, fur_status status, const char *format, ...)
    FUR_PRINTF(3, 4);
/* The same with the last sentence of a context. */
FUR_API fur_status fur_ranks_pass_on(fur_ranks *group, const fur_context *context,
                                     fur_status status);
/* Collective: FUR_OK if every rank says so, else the status and the sentence of the lowest that
 * does not. Waits for all ranks. */
FUR_API fur_status fur_ranks_agree(fur_ranks *group, fur_status status);

/* A square or rectangular matrix of all ranks. It has a context of its own on each rank, in which
 * its vectors are shared (furrow/author/sharing.h), and one more for x where that has other bounds;
 * the plan, ghosts and buffers of the product. */
typedef struct fur_ranks_csr fur_ranks_csr;

/* Rows of this rank, with columns of the whole matrix. */
typedef struct fur_ranks_rows {
    size_t size;  /* sizeof(fur_ranks_rows) */
    int64_t rows; /* of this rank; those of lower ranks come before */
    int64_t cols; /* of the whole matrix, the same on all ranks */
    fur_value_type value_type;
    const int64_t *offsets; /* rows + 1, from 0 */
    const int64_t *columns; /* rising strictly within a row */
    const void *values;
    /* Entries of x of this rank, which of all ranks add up to cols. 0 on all: the rows of a square
     * matrix, else even shares. */
    int64_t own_cols;
} fur_ranks_rows;

/* Collective. The arrays are copied. FUR_INVALID if ranks disagree about columns or type, if a
 * column is out of range or out of order. */
FUR_API fur_status fur_ranks_csr_create(fur_ranks *group, const fur_ranks_rows *rows,
                                        fur_ranks_csr **out);

/* Collective. The matrix that rank 0 has, in any context of the CPU; others give NULL. bounds:
 * ranks + 1 row numbers from 0 to its rows, the same on all ranks; NULL: balanced by entries and
 * rows. */
FUR_API fur_status fur_ranks_csr_scatter(fur_ranks *group, const fur_csr *a, const int64_t *bounds,
                                         fur_ranks_csr **out);

/* Collective. The matrix of a Matrix Market file (real types as f64, complex as c128) or a .fur
 * file, as fur_mtx_read_csr has it. The ranks read a plain coordinate file together, each a range
 * of its bytes; what cannot be read so (compressed files, arrays), and a file with an error, rank 0
 * reads alone, so sentences are those of fur_mtx_read_csr. */
FUR_API fur_status fur_ranks_csr_read(fur_ranks *group, const char *path, const int64_t *bounds,
                                      fur_ranks_csr **out);

/* Collective. A^T, or A^H with conjugated values, as a matrix of its own: its rows lie where A has
 * its columns and the other way round. Products with it have the bits of FUR_OP_T and FUR_OP_H in
 * the library without ranks. Takes as much memory as A. */
FUR_API fur_status fur_ranks_csr_transpose(const fur_ranks_csr *a, int conjugate,
                                           fur_ranks_csr **out);

FUR_API void fur_ranks_csr_destroy(fur_ranks_csr *matrix);

/* The group of the matrix. */
FUR_API fur_ranks *fur_ranks_csr_group(const fur_ranks_csr *matrix);
/* The context of this rank's part: make vectors of the rows that it has here, such as y and b. */
FUR_API fur_context *fur_ranks_csr_context(const fur_ranks_csr *matrix);
/* The context of x: the same, unless ranks share columns by other bounds than rows. */
FUR_API fur_context *fur_ranks_csr_domain(const fur_ranks_csr *matrix);
/* y = A x on the parts: for solvers, with fur_operator_jacobi, and products. Applying it is
 * collective. While the halo is on its way, rows that need none of it are multiplied. On the CPU
 * the operator finds two colours of the rows for cg: fur_solver_create is collective then. */
FUR_API const fur_operator *fur_ranks_csr_operator(const fur_ranks_csr *matrix);
/* ranks + 1 row numbers. */
FUR_API const int64_t *fur_ranks_csr_bounds(const fur_ranks_csr *matrix);
/* ranks + 1 numbers of the entries of x; of a square matrix those of rows. */
FUR_API const int64_t *fur_ranks_csr_column_bounds(const fur_ranks_csr *matrix);

typedef struct fur_ranks_report {
    size_t size; /* of the library's struct */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    fur_value_type value_type;
    int64_t halo_bytes;    /* that all ranks together send for a product */
    double imbalance;      /* the most work of a rank, entries + 4 rows, over the mean */
    double seconds_halo;   /* that this rank has waited for halos so far */
    int64_t own_entries;   /* of this rank */
    int64_t ghosts;        /* entries of x that this rank receives for a product */
    int64_t boundary_rows; /* rows of this rank that need some */
} fur_ranks_report;

/* Figures; the report lives as long as the matrix. */
FUR_API const fur_ranks_report *fur_ranks_csr_describe(const fur_ranks_csr *matrix);

/* Collective: y = A x, agreed. */
FUR_API fur_status fur_ranks_multiply(fur_ranks_csr *a, const fur_vector *x, fur_vector *y);

/* Collective: solves A x = b by any method of fur_solver_create; agreed. options->preconditioner:
 * NULL, or an operator of the matrix's context. options->monitor: ranks may have different
 * monitors, or none. If one stops, all ranks stop after the same iteration. For "lsqr", "lsmr" and
 * "cgnr" without an adjoint A^H is made for this solve, with as much memory as A. So are the blocks
 * of A for cg on the CPU, if the rows have two colours (docs/ranks.md). */
FUR_API fur_status fur_ranks_solve(fur_ranks_csr *a, const fur_solver_options *options,
                                   const fur_vector *b, fur_vector *x, fur_solver_report *report);

/* The same with any operator of a shared context of the group, such as those of
 * furrow/ranks_stencil.h. */
FUR_API fur_status fur_ranks_solve_operator(fur_ranks *group, const fur_operator *a,
                                            const fur_solver_options *options, const fur_vector *b,
                                            fur_vector *x, fur_solver_report *report);

/* Collective: all entries of a vector of rows at rank 0, in order; `all` has room for them there
 * and is NULL elsewhere. */
FUR_API fur_status fur_ranks_gather_vector(fur_ranks_csr *a, const fur_vector *x, void *all);

/* The same for a vector of any bounds, ranks + 1 numbers. */
FUR_API fur_status fur_ranks_gather(fur_ranks *group, const int64_t *bounds, const fur_vector *x,
                                    void *all);

/* Collective: copies the `bytes` bytes that rank 0 has at `data` to all ranks. */
FUR_API fur_status fur_ranks_share(fur_ranks *group, void *data, size_t bytes);

/* Collective: x = this rank's entries of a vector that rank 0 has. `all` is NULL on other ranks. */
FUR_API fur_status fur_ranks_scatter(fur_ranks *group, const int64_t *bounds, const void *all,
                                     fur_vector *x);

#ifdef __cplusplus
}
#endif
#endif
