/* The contract between the library and its kernels: plain views, descriptors, the backend's table.
 * Kernels see arrays and an environment, never the handles of the public API. */
#ifndef FURROW_KERNEL_KERNEL_H
#define FURROW_KERNEL_KERNEL_H

#include <furrow/author/recording.h>
#include <furrow/csr.h>
#include <furrow/reorder.h>
#include <furrow/author/scalars.h>

#include "algebra_kernel.h"
#include "amg_kernel.h"
#include "batch_kernel.h"
#include "block_kernel.h"
#include "dense_blocks_kernel.h"
#include "env.h"
#include "factor_kernel.h"
#include "fsai_kernel.h"
#include "spai_kernel.h"
#include "multigrid_kernel.h"
#include "neighbours_kernel.h"
#include "offsets.h"
#include "sddmm_kernel.h"
#include "spgemm_kernel.h"
#include "spmm_kernel.h"
#include "stencil_kernel.h"
#include "triangular_kernel.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row of at most FUR_ROW_SEGMENT entries is added in order by fma. A longer one is cut into
 * segments of so many, whose entries k go to lanes k mod FUR_ROW_LANES, which are folded; the sums
 * of segments are added in the same way, until one is left (docs/numerics.md). */
#define FUR_ROW_SEGMENT 128
#define FUR_ROW_LANES 8

/* Figures of a matrix by which a kernel is chosen. */
typedef struct fur_spmv_profile {
    fur_csr_statistics rows;
    /* Estimate of the entries of A for which x[column] comes from beyond the second-level cache. */
    double far_entries;
    /* Estimates for kernels that go along the rows of CSR: entries that come late in their row, so
     * that their additions wait; rows of another length than the row before; entries of pairs of
     * rows that are longer than a segment together; of other pairs, those by which one row is
     * longer.
     */
    double late_entries;
    double turns;
    double long_pairs;
    double lone_entries;
    double times; /* the size of the matrix for which a kernel is chosen, in this one's; or 0 */
    int64_t row_whole; /* the longest row of at most FUR_ROW_SEGMENT entries; of a device only */
} fur_spmv_profile;

/* A kernel's estimate of its time. Only the ratios matter. */
typedef struct fur_spmv_cost {
    double product_ns;
    double plan_ns;
    const char *refusal; /* why the kernel cannot run; NULL if it can */
} fur_spmv_cost;

/* What a kernel on a CPU does for a product, counted. The machine's times for each make the
 * estimate (src/product/spmv/machine.c). */
#define FUR_WORK_PARTS 5
typedef struct fur_spmv_work {
    double part[FUR_WORK_PARTS]; /* of things that the kernel names; 0 of none */
    double bytes;                /* of A and the vectors */
    double worth;                /* threads that it is enough for */
    double longest;              /* the share of it that one thread must do alone */
    double form;                 /* bytes that the plan stores */
    const char *refusal;         /* as above */
} fur_spmv_work;

/* One product y = alpha A x + beta y; for A^T and A^H the library hands over the transpose. */
typedef struct fur_spmv_call {
    fur_env *env;
    const fur_csr_view *a;
    const void *state; /* what plan made */
    fur_scalar alpha;
    fur_scalar beta;
    const void *x;
    void *y;
} fur_spmv_call;

typedef struct fur_spmv_kernel {
    fur_kernel_info info; /* exact: adds products in the order of FUR_ROW_SEGMENT */
    /* What a product takes: of a device, whose arrays it must not read, its expected cost, of the
     * CPU its work, for which it may sample the arrays but not read them all. With neither it is
     * not for "auto". */
    fur_spmv_cost (*cost)(const fur_csr_view *a, const fur_spmv_profile *profile);
    fur_spmv_work (*work)(const fur_csr_view *a, const fur_spmv_profile *profile);
    /* Prepares *state for products on env's threads or device. FUR_UNSUPPORTED where only building
     * it could show that the kernel does not suit A. NULL, as release: there is nothing to do. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state);
    /* Brings the state up to date when A, whose pattern stays, has other values, maybe at another
     * address. Allocates nothing. NULL: the state has neither values nor their address. */
    fur_status (*refresh)(fur_env *env, const fur_csr_view *a, void *state);
    fur_status (*apply)(const fur_spmv_call *call);
    void (*release)(fur_env *env, void *state);
    /* Compulsory bytes of A in the kernel's form. NULL: those of CSR. */
    int64_t (*matrix_bytes)(const fur_csr_view *a, const void *state);
} fur_spmv_kernel;

/* A coefficient that may lie where the device computes: factor, or factor times the quotient of two
 * real parts of state->value, or of state->previous from FUR_SCALARS_MAX on. */
typedef struct fur_ratio {
    fur_scalar factor;
    fur_scalars_state *state; /* NULL: the factor itself */
    int numerator;
    int denominator; /* -1: 1 */
} fur_ratio;

/* Where a result goes: state->value[index], by the rules of furrow/author/scalars.h. The first
 * `capacity` real parts that are stored there are also written to log. */
typedef struct fur_slot {
    fur_scalars_state *state;
    int index;
    int64_t capacity;
    double *log;
} fur_slot;

/* A diagonal matrix. */
typedef struct fur_diagonal {
    const void *entries; /* NULL: constant everywhere */
    fur_scalar constant;
} fur_diagonal;

static inline bool fur_is_unit(const fur_diagonal *d)
{
    return !d->entries && d->constant.re == 1 && d->constant.im == 0;
}

/* Vectors that a kernel reads together with one that stays near. */
#define FUR_MANY_MAX 32

typedef struct fur_many {
    int count; /* from 1 on */
    const void *x[FUR_MANY_MAX];
    fur_scalar alpha[FUR_MANY_MAX]; /* where they are added to y: y + sum_k alpha_k x_k */
} fur_many;

/* Results that are fetched at once, in memory that kernels store to and the host reads. */
typedef struct fur_results {
    fur_scalars_state scalars;
    fur_scalar many[FUR_MANY_MAX];
    fur_scalars_state seen; /* by fur_scalars_peek */
} fur_results;

/* Element-wise operations on n entries, indexed by value type. */
typedef struct fur_elementwise_kernels {
    fur_status (*fill[FUR_VALUE_COUNT])(fur_env *env, int64_t n, fur_scalar value, void *x);
    /* y = alpha x + beta y */
    fur_status (*axpby[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                         const void *x, const fur_ratio *beta, void *y);
    /* y = y + sum_k alpha_k x_k, in the order of k */
    fur_status (*axpy_many[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x, void *y);
    /* z = x y */
    fur_status (*multiply[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const void *x, const void *y,
                                            void *z);
    /* x = alpha p + x, then p = d z + beta p; by a unit d nothing is multiplied */
    fur_status (*direction[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                             const fur_ratio *beta, const fur_diagonal *d,
                                             const void *z, void *p, void *x);
} fur_elementwise_kernels;

/* Reductions of n entries over the tree of docs/numerics.md, indexed by value type. */
typedef struct fur_reduction_kernels {
    /* sum conj(x_i) y_i */
    fur_status (*dot[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const void *x, const void *y,
                                       fur_slot out);
    fur_status (*norm1[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const void *x, fur_slot out);
    fur_status (*norm_max[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const void *x, fur_slot out);
    fur_status (*norm2[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const void *x, fur_slot out);
    /* y = alpha x + y; the norm 2 of y */
    fur_status (*axpy_norm2[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                              const void *x, void *y, fur_slot out);
    /* The same, and after the norm the real part of sum conj(y_i) d_i y_i */
    fur_status (*axpy_norms[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                              const void *x, const fur_diagonal *d, void *y,
                                              fur_slot norm, fur_slot product);
    /* out_k = sum conj(x_k,i) y_i */
    fur_status (*dot_many[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                            const void *y, fur_scalar *out);
    /* out_k = sum conj(x_k,i) y_k,i. NULL: nothing is saved by taking several at once. */
    fur_status (*dot_pairs[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                             const fur_many *y, fur_scalar *out);
    /* y = y + sum_k alpha_k x_k; the norm 2 of y */
    fur_status (*axpy_many_norm2[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                                   void *y, fur_slot out);
    /* The same, and dot_many with the new y. NULL: nothing is saved by doing both at once. */
    fur_status (*axpy_many_dots[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                                  void *y, fur_scalar *out);
} fur_reduction_kernels;

/* The result of one pass over the entries of a square pattern in their order. */
typedef struct fur_pattern_scan {
    int64_t bandwidth; /* max |i - j| */
    int64_t diagonal;  /* entries (i, i) */
    bool duplicates;   /* there is an entry twice */
    bool symmetric;    /* the pattern is; said wrongly with a chance of about 2^-60 */
} fur_pattern_scan;

/* Services for matrices that a device with memory of its own may have. */
typedef struct fur_csr_services {
    /* *row = the first row whose offsets, or whose columns, break the contract of a matrix, as
     * fur_csr_check has it; -1 if none does. Columns may be looked at once offsets are sound. */
    fur_status (*find_bad_offset)(fur_env *env, const fur_csr_view *a, int64_t *row);
    fur_status (*find_bad_column)(fur_env *env, const fur_csr_view *a, int64_t *row);
    /* fur_csr_measure, the profile, and the transpose into arrays that are there. */
    fur_status (*measure)(fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);
    fur_status (*profile)(fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);
    fur_status (*transpose)(fur_env *env, const fur_csr_view *a, bool conjugate,
                            const fur_csr_view *out);
    /* The values alone of that transpose, whose pattern is there. */
    fur_status (*transpose_values)(fur_env *env, const fur_csr_view *a, bool conjugate,
                                   const fur_csr_view *out);
    /* B(i, j) = A(row_order[i], col_order[j]) into arrays that are there; col_position is the
     * inverse of col_order; NULL leaves a side as it is. */
    fur_status (*permute)(fur_env *env, const fur_csr_view *a, const int32_t *row_order,
                          const int32_t *col_position, const fur_csr_view *out);
    /* Some rows of A, by number: the offsets of the matrix that they are, of which rows of more
     * than `most` entries count as empty, and of what would come after the last; that matrix in
     * arrays that are there. Its offsets may be `starts`. */
    fur_status (*row_starts)(fur_env *env, const fur_csr_view *a, int64_t count,
                             const int32_t *numbers, int64_t most, int64_t *starts);
    fur_status (*take_rows)(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                            const int64_t *starts, const fur_csr_view *out);
    /* d_r = A(i, r), 0 without such an entry, for i < min(rows, cols): r = numbers[i], or i where
     * numbers is NULL */
    fur_status (*diagonal)(fur_env *env, const fur_csr_view *a, const int32_t *numbers, void *d);
} fur_csr_services;

/* With vectors of n entries. */
typedef struct fur_vector_services {
    /* x_i = 1 / x_i; *bad = the first i for which that is not finite, after which entries may be
     * anything, or -1. Waits. */
    fur_status (*reciprocals)(fur_env *env, fur_value_type value, int64_t n, void *x, int64_t *bad);
    /* *constant = whether all entries have the bits of the first. Waits. */
    fur_status (*is_constant)(fur_env *env, fur_value_type value, int64_t n, const void *x,
                              bool *constant);
    /* y_i = x_from[i], and y_to[i] = x_i with no number twice */
    fur_status (*gather)(fur_env *env, fur_value_type value, int64_t n, const int32_t *from,
                         const void *x, void *y);
    fur_status (*scatter)(fur_env *env, fur_value_type value, int64_t n, const int32_t *to,
                          const void *x, void *y);
    /* y_i = x_i rounded to single precision, for n doubles; y may be x */
    fur_status (*round_single)(fur_env *env, int64_t n, const double *x, double *y);
    /* x_i = fur_hashed_number(first + i), rounded to single precision or not */
    fur_status (*fill_hashed)(fur_env *env, int64_t n, uint64_t first, bool single, void *x);
} fur_vector_services;

/* The two passes of an iteration of src/solver/method/cg.c with a stencil S and the preconditioner
 * d I, which do not store S p: q = d z + beta p and the product q.S q, after x = alpha p + x; then
 * r = alpha S p + r, its norm 2 and after that the product r.d r. */
typedef struct fur_stencil_turn {
    const fur_stencil_view *s;
    void *state; /* what the plan made */
    fur_ratio alpha;
    fur_ratio beta;
    fur_scalar d;
    const void *z;
    const void *p;
    void *q;
    void *x;
    fur_slot product;
} fur_stencil_turn;

typedef struct fur_stencil_descent {
    const fur_stencil_view *s;
    void *state;
    fur_ratio alpha;
    fur_scalar d;
    const void *p;
    void *r;
    fur_slot norm;
    fur_slot product;
} fur_stencil_descent;

/* With stencils. */
typedef struct fur_stencil_services {
    /* For the matrix of a stencil: the offsets of its rows, one more than there are rows; the
     * matrix in given arrays; the diagonal. */
    fur_status (*starts)(fur_env *env, const fur_stencil_view *s, int64_t *starts);
    fur_status (*fill)(fur_env *env, const fur_stencil_view *s, const int64_t *starts,
                       const fur_csr_view *out);
    fur_status (*diagonal)(fur_env *env, const fur_stencil_view *s, void *d);
    /* Compares all rows of A, which has entries, with those of a stencil with Dirichlet
     * boundaries: *count = rows that have other columns or, of constants, other bits in a value. If
     * there are fields they take the values of the rows that do not differ. *numbers = the rows
     * that do, which rise, in memory to be released; NULL if there are none or more than `most`. */
    fur_status (*prove)(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                        int64_t most, int32_t **numbers, int64_t *count);
    /* The two passes, and what they need: FUR_UNSUPPORTED for stencils that they do not serve. All
     * of them or none. */
    fur_status (*passes_plan)(fur_env *env, const fur_stencil_view *s, void **state);
    fur_status (*turn)(fur_env *env, const fur_stencil_turn *turn);
    fur_status (*descend)(fur_env *env, const fur_stencil_descent *descent);
    void (*passes_release)(fur_env *env, void *state);
} fur_stencil_services;

/* fur_reorder for square A; order and position are arrays for the permutation. Of the report all
 * but the seconds. *found = false, and the rest unset, for a graph that the device is not good at.
 */
typedef fur_status fur_order_service(fur_env *env, const fur_csr_view *a, bool reversed,
                                     bool allow_worse, int32_t *order, int32_t *position,
                                     fur_reorder_report *report, bool *found);

typedef struct fur_order_services {
    fur_order_service *cuthill_mckee; /* or reversed */
} fur_order_services;

/* Iterations of src/solver/method/cg.c: d is the preconditioner; q, p and r have a residual behind
 * them whose turn is due. */
typedef struct fur_cg_call {
    fur_diagonal d;
    void *r;
    void *p;
    void *q;
    void *x;
    fur_slot rz;
    fur_slot pq;
    fur_slot rr;
    int64_t count;
} fur_cg_call;

/* Solvers whose iterations run on the device from beginning to end; all of them or none. */
typedef struct fur_solver_services {
    /* A's pattern in the form that the next two use; FUR_UNSUPPORTED where iterations one by one
     * are better. Then A's values, whenever they may have changed. */
    fur_status (*cg_plan)(fur_env *env, const fur_csr_view *a, void **state);
    fur_status (*cg_refresh)(fur_env *env, void *state, const fur_csr_view *a);
    /* `count` iterations, fewer if the scalars halt, with the bits of the exact kernels. */
    fur_status (*cg_advance)(fur_env *env, void *state, const fur_cg_call *call);
    void (*cg_release)(fur_env *env, void *state);
} fur_solver_services;

/* Two colours for the rows of a square matrix: no entry off the diagonal joins two rows of one
 * colour. The order lists red rows before black ones, both as they were. */
typedef struct fur_colours {
    int64_t red;       /* rows of that colour, at most half of all; 0: there are no two colours */
    int32_t *order;    /* an array that is there, as the next */
    int32_t *position; /* its inverse */
} fur_colours;

/* A in that order, [D E; F C] with diagonal D and C, as two patterns in arrays that are there: [D
 * E], the diagonal first in each row, and F. */
typedef struct fur_colour_blocks {
    int32_t *offsets[2];
    int32_t *columns[2]; /* of F: red rows */
    int32_t *from[2];    /* for each entry: where it stands in A */
    int32_t *row;        /* for each entry of F: its row in A */
} fur_colour_blocks;

/* Reduction to one of two colours; all of them or none. */
typedef struct fur_colour_services {
    /* Colours by the entries left of the diagonal, those of src/csr/colours.h. */
    fur_status (*find)(fur_env *env, const fur_csr_view *a, fur_colours *c);
    /* *clean = false, and the columns are anything, if an entry joins rows of one colour. */
    fur_status (*split)(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                        const fur_colour_blocks *out, bool *clean);
} fur_colour_services;

/* Classes of the rows of a square matrix (furrow/graph.h); all of them or none. All wait. */
typedef struct fur_class_services {
    /* Whether for each entry there is one at the mirror's place; wrong with a chance of 2^-64. */
    fur_status (*is_symmetric)(fur_env *env, const fur_csr_view *a, bool *symmetric);
    /* Each row of a symmetric pattern takes the first colour that no neighbour before it has. */
    fur_status (*colour)(fur_env *env, const fur_csr_view *a, int32_t *of, int64_t *count);
    /* The rows by class, within one in their order; the inverse; and in the host's memory where
     * each class begins, count + 1 numbers. */
    fur_status (*arrange)(fur_env *env, int64_t rows, int64_t count, const int32_t *of,
                          int32_t *order, int32_t *position, int64_t *begin);
} fur_class_services;

/* Triangular solves with square A that lies on the device; all of them or none. */
typedef struct fur_triangular_services {
    /* The pattern of the triangle in the form that the next two use. Waits. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, const fur_trsv_form *form,
                       fur_trsv_figures *figures, void **state);
    /* A's values, whenever they may have changed; *useless: the first row that cannot be divided
     * by, or -1. Waits, and allocates nothing. */
    fur_status (*refresh)(fur_env *env, const fur_csr_view *a, void *state, int64_t *useless);
    /* For up to FUR_TRSV_MANY right-hand sides; x[k] may be b[k]. Allocates nothing, never waits.
     */
    fur_status (*solve)(fur_env *env, void *state, fur_scalar alpha, int count,
                        const void *const *b, void *const *x);
    void (*release)(fur_env *env, void *state);
    /* Where each row has its first entry on the diagonal; NULL: not asked. *missing: the first row
     * without one, or -1. Waits. */
    fur_status (*find_diagonal)(fur_env *env, const fur_csr_view *a, int64_t *at, int64_t *missing);
    /* The rows by levels of the lower triangle, those of a level rising. Waits. */
    fur_status (*order)(fur_env *env, const fur_csr_view *a, int32_t *order);
} fur_triangular_services;

/* Calls that are recorded and replayed; all of them or none. */
typedef struct fur_recording_services {
    fur_status (*create)(fur_env *env, void **state);
    fur_status (*begin)(fur_env *env, void *state);
    /* Ends the recording in any case. */
    fur_status (*end)(fur_env *env, void *state);
    fur_status (*replay)(fur_env *env, void *state, int64_t times);
    void (*release)(fur_env *env, void *state);
} fur_recording_services;

/* A device with memory of its own: that memory, which it must have, and services, which it may. For
 * one that is NULL the library works on a copy in the companion; of two that work together, as
 * find_bad_offset and find_bad_column, row_starts and take_rows, starts and fill, it has both or
 * neither. Calls are ordered: each sees what those before it wrote, and most return before their
 * work is done. */
typedef struct fur_remote {
    /* Frees env->device and what hangs on it. */
    void (*close)(fur_env *env);
    fur_status (*synchronize)(fur_env *env);
    /* Results that the host reads in place, once it has waited. */
    fur_results *(*results)(fur_env *env);
    /* Takes over env->shared, before there are vectors. */
    fur_status (*share)(fur_env *env);
    /* count elements of the given size, as fur_env_allocate. */
    fur_status (*allocate)(fur_env *env, int64_t count, size_t size, void *out);
    void (*release)(fur_env *env, void *memory);
    /* Whether kernels may use memory at this address. */
    bool (*reaches)(fur_env *env, const void *memory);
    /* bytes from anywhere to anywhere the device reaches or the host has. On return host memory may
     * be used again: read from, if it was the target, and written to; between two places of the
     * device the copy is only in order with the rest. */
    fur_status (*copy)(fur_env *env, void *to, const void *from, int64_t bytes);
    /* The same between the device and pinned memory, which is in use until synchronize. */
    fur_status (*copy_async)(fur_env *env, void *to, const void *from, int64_t bytes);
    /* Marks a place in the order of work; waits until what comes before the last mark is done. */
    fur_status (*mark)(fur_env *env);
    fur_status (*await_mark)(fur_env *env);

    fur_csr_services csr;
    fur_algebra_services algebra;
    fur_vector_services vector;
    fur_stencil_services stencil;
    fur_order_services order;
    fur_recording_services recording;
    fur_solver_services solver;
    fur_colour_services colour;
    fur_class_services classes;
    fur_triangular_services trsv;
    fur_amg_services amg;
} fur_remote;

/* One device's kernels. spmv[0] and stencil[0] are the references. */
typedef struct fur_backend {
    const char *device;
    const char *isa;
    const fur_elementwise_kernels *elementwise;
    const fur_reduction_kernels *reduction;
    const fur_spmv_kernel *const *spmv;
    int spmv_count;
    /* For half of a symmetric matrix and of a Hermitian one; NULL: none. */
    const fur_spmv_kernel *spmv_half;
    const fur_block_kernels *block; /* NULL: the companion works on blocks of vectors */
    const fur_spmm_kernel *const *spmm;
    int spmm_count;   /* 0: the companion multiplies blocks */
    fur_sddmm *sddmm; /* NULL: the companion */
    const fur_stencil_kernel *const *stencil;
    int stencil_count;                      /* 0: none */
    fur_stencil_block *stencil_block;       /* NULL: columns one by one */
    const fur_stencil_kernel *const *sweep; /* kernels for repeated sweeps of a stencil */
    int sweep_count;                        /* 0: none */
    const fur_multigrid_kernels *multigrid; /* NULL: none */
    const fur_spgemm_kernels *spgemm;       /* NULL: none; the companion multiplies */
    const fur_triple_kernels *triple;       /* NULL: two products */
    fur_trsv_solve *trsv;                   /* NULL with a remote */
    fur_factor *factor;                     /* NULL: none, and the next two */
    fur_fsai *fsai;
    fur_dense_blocks_apply *dense_blocks;
    fur_fsai_search *fsai_search; /* NULL with a remote, and the next two: the companion does it */
    fur_spai *spai;
    fur_dense_blocks_invert *invert_blocks;
    /* NULL: none; the companion searches */
    const fur_neighbours_kernels *neighbours;
    const fur_batch_kernels *batch; /* NULL: none */
    /* The products that "auto" assumes when the caller does not say how often a plan is used. */
    int64_t uses_assumed;
    /* "auto" measures candidates unasked from this number of announced uses on; 0: never. */
    int64_t uses_measured;
    /* The seed is of fur_seed. NULL with a remote. */
    void (*pattern_scan)(const fur_env *env, const fur_csr_view *a, uint64_t seed,
                         fur_pattern_scan *out);
    const fur_remote *remote; /* NULL: the kernels work on the host's memory */
} fur_backend;

/* Opens a backend for a context with these options and sets what it needs in env. *out lasts until
 * remote->close, which undoes the rest; without a remote it is static. number: that of "cuda:1"; 0
 * if none is given. */
typedef fur_status (*fur_backend_open)(fur_env *env, const fur_context_options *options, int number,
                                       const fur_backend **out);

fur_status fur_cpu_open(fur_env *env, const fur_context_options *options, int number,
                        const fur_backend **out);
fur_status fur_cuda_open(fur_env *env, const fur_context_options *options, int number,
                         const fur_backend **out);

/* Describes a backend's device 0, 1, 2 ..., whatever state it is in; all but the size, which is
 * set, and the rest zero. False past the last. */
typedef bool (*fur_backend_describe)(int number, fur_device_info *out);

bool fur_cpu_describe(int number, fur_device_info *out);
bool fur_cuda_describe(int number, fur_device_info *out);

/* row_begin of a view of either width. */
static inline int64_t fur_offset_at(const fur_csr_view *a, int64_t row)
{
    return fur_offsets_get(a->offset_type, a->offsets, row);
}

/* Position of the first entry of a row that is not before `column`, by bisection; the row's end
 * without one. */
static inline int64_t fur_csr_find(const fur_csr_view *a, int64_t row, int64_t column)
{
    int64_t low = fur_offset_at(a, row);
    int64_t high = fur_offset_at(a, row + 1);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bytes of the three arrays. */
static inline int64_t fur_csr_bytes(const fur_csr_view *a)
{
    return a->entries * (int64_t)(fur_value_size(a->value_type) + sizeof *a->columns) +
           (a->rows + 1) * (int64_t)fur_offset_size(a->offset_type);
}

#ifdef __cplusplus
}
#endif
#endif
