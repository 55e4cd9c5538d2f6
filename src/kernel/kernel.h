/* The interface between the library and its kernels: plain views, descriptors, and the backend's
 * table. Kernels see arrays and an environment, never the handles of the public API. */
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

/* A row of at most FUR_ROW_SEGMENT entries is added in order by fma. A longer row is cut into
 * segments of FUR_ROW_SEGMENT entries. Entry k of a segment goes to lane k mod FUR_ROW_LANES, and
 * the lanes are folded. The sums of segments are added in the same way, until one sum is left
 * (docs/numerics.md). */
#define FUR_ROW_SEGMENT 128
#define FUR_ROW_LANES 8

/* Figures of a matrix that decide which kernel is chosen. */
typedef struct fur_spmv_profile {
    fur_csr_statistics rows;
    /* Estimate of the entries of A whose x[column] is not in the second-level cache. */
    double far_entries;
    /* Estimates for kernels that walk the rows of CSR:
     *
     * - late_entries: entries late in their row, so that their additions wait;
     * - turns: rows that differ in length from the row before;
     * - long_pairs: entries of pairs of rows that together are longer than a segment;
     * - lone_entries: entries by which one row of another pair is longer than its partner. */
    double late_entries;
    double turns;
    double long_pairs;
    double lone_entries;
    /* size of the matrix that a kernel is chosen for, relative to this matrix; or 0 */
    double times;
    /* length of the longest row of at most FUR_ROW_SEGMENT entries; set on a device only */
    int64_t row_whole;
} fur_spmv_profile;

/* A kernel's estimate of its time. Only the ratios matter. */
typedef struct fur_spmv_cost {
    double product_ns;
    double plan_ns;
    const char *refusal; /* why the kernel cannot run; NULL if it can */
} fur_spmv_cost;

/* The counted work of a CPU kernel for a product. The machine's time for each part makes the
 * estimate (src/product/spmv/machine.c). */
#define FUR_WORK_PARTS 5
typedef struct fur_spmv_work {
    double part[FUR_WORK_PARTS]; /* parts that the kernel defines; 0 if unused */
    double bytes;                /* bytes of A and the vectors */
    double worth;                /* number of threads that it justifies */
    double longest;              /* share that one thread must do alone */
    double form;                 /* bytes that the plan stores */
    const char *refusal;         /* as above */
} fur_spmv_work;

/* One product y = alpha A x + beta y. For A^T and A^H the library passes the transpose. */
typedef struct fur_spmv_call {
    fur_env *env;
    const fur_csr_view *a;
    const void *state; /* made by plan */
    fur_scalar alpha;
    fur_scalar beta;
    const void *x;
    void *y;
} fur_spmv_call;

typedef struct fur_spmv_kernel {
    fur_kernel_info info; /* exact: adds products in the order of FUR_ROW_SEGMENT */
    /* The cost of a product. A device's kernel returns its expected cost, and must not read the
     * arrays. A CPU kernel returns its work, for which it may sample the arrays but not read them
     * all. "auto" ignores kernels without either. */
    fur_spmv_cost (*cost)(const fur_csr_view *a, const fur_spmv_profile *profile);
    fur_spmv_work (*work)(const fur_csr_view *a, const fur_spmv_profile *profile);
    /* Prepares *state for products on env's threads or device. Returns FUR_UNSUPPORTED if only
     * building the state shows that the kernel does not suit A. plan and release may be NULL:
     * nothing to do. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                       void **state);
    /* Updates the state when A has other values, maybe at another address. The pattern stays.
     * Allocates nothing. NULL: the state has neither values nor their address. */
    fur_status (*refresh)(fur_env *env, const fur_csr_view *a, void *state);
    fur_status (*apply)(const fur_spmv_call *call);
    void (*release)(fur_env *env, void *state);
    /* Compulsory bytes of A in the kernel's form. NULL: the bytes of CSR. */
    int64_t (*matrix_bytes)(const fur_csr_view *a, const void *state);
} fur_spmv_kernel;

/* A coefficient that may be in the device's memory. It is `factor`, or `factor` times the quotient
 * of two real parts. Indices below FUR_SCALARS_MAX refer to state->value, others to
 * state->previous. */
typedef struct fur_ratio {
    fur_scalar factor;
    fur_scalars_state *state; /* NULL: the coefficient is `factor` */
    int numerator;
    int denominator; /* -1: the denominator is 1 */
} fur_ratio;

/* The destination of a result: state->value[index], by the rules of furrow/author/scalars.h. The
 * first `capacity` real parts that are stored there are also written to log. */
typedef struct fur_slot {
    fur_scalars_state *state;
    int index;
    int64_t capacity;
    double *log;
} fur_slot;

/* A diagonal matrix. */
typedef struct fur_diagonal {
    const void *entries; /* NULL: all entries are `constant` */
    fur_scalar constant;
} fur_diagonal;

static inline bool fur_is_unit(const fur_diagonal *d)
{
    return !d->entries && d->constant.re == 1 && d->constant.im == 0;
}

/* The most vectors that a kernel reads together with one vector that stays in the cache. */
#define FUR_MANY_MAX 32

typedef struct fur_many {
    int count; /* at least 1 */
    const void *x[FUR_MANY_MAX];
    fur_scalar alpha[FUR_MANY_MAX]; /* factors if they are added to y: y + sum_k alpha_k x_k */
} fur_many;

/* Results that are fetched together, in memory that kernels write and the host reads. */
typedef struct fur_results {
    fur_scalars_state scalars;
    fur_scalar many[FUR_MANY_MAX];
    fur_scalars_state seen; /* filled by fur_scalars_peek */
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
    /* x = alpha p + x, then p = d z + beta p; if d is the identity, nothing is multiplied */
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
    /* y = alpha x + y; the 2-norm of y */
    fur_status (*axpy_norm2[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                              const void *x, void *y, fur_slot out);
    /* As above, and after the norm the real part of sum conj(y_i) d_i y_i */
    fur_status (*axpy_norms[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_ratio *alpha,
                                              const void *x, const fur_diagonal *d, void *y,
                                              fur_slot norm, fur_slot product);
    /* out_k = sum conj(x_k,i) y_i */
    fur_status (*dot_many[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                            const void *y, fur_scalar *out);
    /* out_k = sum conj(x_k,i) y_k,i. NULL: computing several at once saves nothing. */
    fur_status (*dot_pairs[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                             const fur_many *y, fur_scalar *out);
    /* y = y + sum_k alpha_k x_k; the 2-norm of y */
    fur_status (*axpy_many_norm2[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                                   void *y, fur_slot out);
    /* y as above, and dot_many with the new y. NULL: doing both at once saves nothing. */
    fur_status (*axpy_many_dots[FUR_VALUE_COUNT])(fur_env *env, int64_t n, const fur_many *x,
                                                  void *y, fur_scalar *out);
} fur_reduction_kernels;

/* The result of one pass over the entries of a square pattern in their order. */
typedef struct fur_pattern_scan {
    int64_t bandwidth; /* max |i - j| */
    int64_t diagonal;  /* entries (i, i) */
    bool duplicates;   /* an entry occurs twice */
    bool symmetric;    /* the pattern is symmetric; wrong with a chance of about 2^-60 */
} fur_pattern_scan;

/* Services for matrices, which a device with its own memory may have. */
typedef struct fur_csr_services {
    /* *row = the first row whose offsets, or whose columns, are invalid for a matrix, as in
     * fur_csr_check; -1 if there is none. Columns may be checked only after the offsets are
     * valid. */
    fur_status (*find_bad_offset)(fur_env *env, const fur_csr_view *a, int64_t *row);
    fur_status (*find_bad_column)(fur_env *env, const fur_csr_view *a, int64_t *row);
    /* fur_csr_measure, the profile, and the transpose into allocated arrays. */
    fur_status (*measure)(fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);
    fur_status (*profile)(fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);
    fur_status (*transpose)(fur_env *env, const fur_csr_view *a, bool conjugate,
                            const fur_csr_view *out);
    /* The values of that transpose. Its pattern is already there. */
    fur_status (*transpose_values)(fur_env *env, const fur_csr_view *a, bool conjugate,
                                   const fur_csr_view *out);
    /* B(i, j) = A(row_order[i], col_order[j]) into allocated arrays. col_position is the inverse of
     * col_order. NULL leaves that side unchanged. */
    fur_status (*permute)(fur_env *env, const fur_csr_view *a, const int32_t *row_order,
                          const int32_t *col_position, const fur_csr_view *out);
    /* The matrix of some rows of A, selected by number. row_starts computes its offsets, with the
     * total as the last element. Rows of more than `most` entries count as empty. take_rows fills
     * in the matrix in allocated arrays. Its offsets may be `starts`. */
    fur_status (*row_starts)(fur_env *env, const fur_csr_view *a, int64_t count,
                             const int32_t *numbers, int64_t most, int64_t *starts);
    fur_status (*take_rows)(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                            const int64_t *starts, const fur_csr_view *out);
    /* d_r = A(i, r) for i < min(rows, cols), or 0 if the entry does not exist. r = numbers[i], or r
     * = i if numbers is NULL. */
    fur_status (*diagonal)(fur_env *env, const fur_csr_view *a, const int32_t *numbers, void *d);
} fur_csr_services;

/* Services for vectors of n entries. */
typedef struct fur_vector_services {
    /* x_i = 1 / x_i. *bad = the first i whose reciprocal is not finite, or -1. If *bad is not -1,
     * later entries are undefined. Waits for the result. */
    fur_status (*reciprocals)(fur_env *env, fur_value_type value, int64_t n, void *x, int64_t *bad);
    /* *constant = whether all entries have the bits of the first. Waits for the result. */
    fur_status (*is_constant)(fur_env *env, fur_value_type value, int64_t n, const void *x,
                              bool *constant);
    /* y_i = x_from[i]; and y_to[i] = x_i for distinct numbers */
    fur_status (*gather)(fur_env *env, fur_value_type value, int64_t n, const int32_t *from,
                         const void *x, void *y);
    fur_status (*scatter)(fur_env *env, fur_value_type value, int64_t n, const int32_t *to,
                          const void *x, void *y);
    /* y_i = x_i rounded to single precision, for n doubles; y may be x */
    fur_status (*round_single)(fur_env *env, int64_t n, const double *x, double *y);
    /* x_i = fur_hashed_number(first + i), rounded to single precision if `single` */
    fur_status (*fill_hashed)(fur_env *env, int64_t n, uint64_t first, bool single, void *x);
} fur_vector_services;

/* The first of the two passes of an iteration of src/solver/method/cg.c with a stencil S and the
 * preconditioner d I. The passes do not store S p. The first pass computes x = alpha p + x, then q
 * = d z + beta p and the product q.S q. The second pass computes r = alpha S p + r, the 2-norm of
 * r, and then the product r.d r. */
typedef struct fur_stencil_turn {
    const fur_stencil_view *s;
    void *state; /* made by the plan */
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

/* Services for stencils. */
typedef struct fur_stencil_services {
    /* For the matrix of a stencil: the offsets of its rows, one more than there are rows; the
     * matrix in allocated arrays; the diagonal. */
    fur_status (*starts)(fur_env *env, const fur_stencil_view *s, int64_t *starts);
    fur_status (*fill)(fur_env *env, const fur_stencil_view *s, const int64_t *starts,
                       const fur_csr_view *out);
    fur_status (*diagonal)(fur_env *env, const fur_stencil_view *s, void *d);
    /* Compares all rows of A, which has entries, with the rows of a stencil with Dirichlet
     * boundaries. Rows differ in columns or, if coefficients are constant, in the bits of a value.
     * Fields are set from the values of the rows that agree.
     *
     * *count = the number of differing rows. *numbers = these rows in rising order, in memory that
     * the caller releases. It is NULL if there are none or more than `most`. */
    fur_status (*prove)(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                        int64_t most, int32_t **numbers, int64_t *count);
    /* The two passes and their plan. The plan returns FUR_UNSUPPORTED for stencils that the passes
     * do not support. A backend has all of them or none. */
    fur_status (*passes_plan)(fur_env *env, const fur_stencil_view *s, void **state);
    fur_status (*turn)(fur_env *env, const fur_stencil_turn *turn);
    fur_status (*descend)(fur_env *env, const fur_stencil_descent *descent);
    void (*passes_release)(fur_env *env, void *state);
} fur_stencil_services;

/* fur_reorder for square A. `order` and `position` are arrays for the permutation. Sets all of the
 * report except the seconds. If the graph does not suit the device, *found = false and the rest is
 * not set. */
typedef fur_status fur_order_service(fur_env *env, const fur_csr_view *a, bool reversed,
                                     bool allow_worse, int32_t *order, int32_t *position,
                                     fur_reorder_report *report, bool *found);

typedef struct fur_order_services {
    fur_order_service *cuthill_mckee; /* or reversed */
} fur_order_services;

/* Iterations of src/solver/method/cg.c. d is the preconditioner. On entry r, rz and rr are current,
 * and the update of x and p for them is due. */
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

/* Solvers whose iterations all run on the device. A backend has all of them or none. */
typedef struct fur_solver_services {
    /* cg_plan: the pattern of A in the form that the others use. It returns FUR_UNSUPPORTED if
     * single iterations are better. cg_refresh: the values of A, called whenever they may have
     * changed. */
    fur_status (*cg_plan)(fur_env *env, const fur_csr_view *a, void **state);
    fur_status (*cg_refresh)(fur_env *env, void *state, const fur_csr_view *a);
    /* `count` iterations, or fewer if the scalars halt, with the bits of the exact kernels. */
    fur_status (*cg_advance)(fur_env *env, void *state, const fur_cg_call *call);
    void (*cg_release)(fur_env *env, void *state);
} fur_solver_services;

/* Two colours for the rows of a square matrix. No entry off the diagonal joins two rows of one
 * colour. The order lists red rows before black rows, each in their original order. */
typedef struct fur_colours {
    int64_t red;       /* number of red rows, at most half of all; 0: two colours do not exist */
    int32_t *order;    /* an allocated array, as the next */
    int32_t *position; /* its inverse */
} fur_colours;

/* A in that order is [D E; F C] with diagonal D and C. It is stored as two patterns in allocated
 * arrays: [D E], with the diagonal first in each row, and F. */
typedef struct fur_colour_blocks {
    int32_t *offsets[2];
    int32_t *columns[2]; /* columns of F are red rows */
    int32_t *from[2];    /* for each entry: its position in A */
    int32_t *row;        /* for each entry of F: its row in A */
} fur_colour_blocks;

/* Reduction to the rows of one of two colours. A backend has all of them or none. */
typedef struct fur_colour_services {
    /* Finds the colours from the entries left of the diagonal, as in src/csr/colours.h. */
    fur_status (*find)(fur_env *env, const fur_csr_view *a, fur_colours *c);
    /* *clean = false if an entry joins rows of one colour. The columns are then undefined. */
    fur_status (*split)(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                        const fur_colour_blocks *out, bool *clean);
} fur_colour_services;

/* Classes of the rows of a square matrix (furrow/graph.h). A backend has all of them or none. All
 * wait. */
typedef struct fur_class_services {
    /* Returns whether each entry has an entry at the mirrored position. Wrong with a chance of
     * 2^-64. */
    fur_status (*is_symmetric)(fur_env *env, const fur_csr_view *a, bool *symmetric);
    /* Each row of a symmetric pattern takes the first colour that no earlier neighbour has. */
    fur_status (*colour)(fur_env *env, const fur_csr_view *a, int32_t *of, int64_t *count);
    /* The rows by class, in order within a class, and the inverse of this permutation. `begin` has,
     * in host memory, count + 1 numbers: the beginning of each class. */
    fur_status (*arrange)(fur_env *env, int64_t rows, int64_t count, const int32_t *of,
                          int32_t *order, int32_t *position, int64_t *begin);
} fur_class_services;

/* Triangular solves with square A on the device. A backend has all of them or none. */
typedef struct fur_triangular_services {
    /* The pattern of the triangle in the form that refresh and solve use. Waits. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, const fur_trsv_form *form,
                       fur_trsv_figures *figures, void **state);
    /* The values of A, called whenever they may have changed. *useless: the first row with a zero
     * or nonfinite divisor, or -1. Waits, and allocates nothing. */
    fur_status (*refresh)(fur_env *env, const fur_csr_view *a, void *state, int64_t *useless);
    /* Solves for up to FUR_TRSV_MANY right-hand sides. x[k] may be b[k]. Allocates nothing, never
     * waits. */
    fur_status (*solve)(fur_env *env, void *state, fur_scalar alpha, int count,
                        const void *const *b, void *const *x);
    void (*release)(fur_env *env, void *state);
    /* The position of the first diagonal entry of each row (`at` may be NULL). *missing: the first
     * row without one, or -1. Waits. */
    fur_status (*find_diagonal)(fur_env *env, const fur_csr_view *a, int64_t *at, int64_t *missing);
    /* The rows by levels of the lower triangle, in rising order within a level. Waits. */
    fur_status (*order)(fur_env *env, const fur_csr_view *a, int32_t *order);
} fur_triangular_services;

/* Calls that are recorded and replayed. A backend has all of them or none. */
typedef struct fur_recording_services {
    fur_status (*create)(fur_env *env, void **state);
    fur_status (*begin)(fur_env *env, void *state);
    /* Ends the recording in any case. */
    fur_status (*end)(fur_env *env, void *state);
    fur_status (*replay)(fur_env *env, void *state, int64_t times);
    void (*release)(fur_env *env, void *state);
} fur_recording_services;

/* A device with its own memory. The memory functions are required, the services optional. If a
 * service is NULL, the library works on a copy in the companion. Some services come in pairs:
 * find_bad_offset and find_bad_column, row_starts and take_rows, starts and fill. A backend has
 * both or neither.
 *
 * Calls are ordered: each call sees all data that earlier calls wrote. Most calls return before
 * their work is done. */
typedef struct fur_remote {
    /* Frees env->device and everything that belongs to it. */
    void (*close)(fur_env *env);
    fur_status (*synchronize)(fur_env *env);
    /* Results that the host reads in place after waiting. */
    fur_results *(*results)(fur_env *env);
    /* Starts to use env->shared. Called before there are vectors. */
    fur_status (*share)(fur_env *env);
    /* Allocates count elements of the given size, as fur_env_allocate does. */
    fur_status (*allocate)(fur_env *env, int64_t count, size_t size, void *out);
    void (*release)(fur_env *env, void *memory);
    /* Returns whether kernels may use memory at this address. */
    bool (*reaches)(fur_env *env, const void *memory);
    /* Copies bytes between any two places of device or host memory. On return, host memory may be
     * read and written again. A copy between two places of the device is only ordered with other
     * work. */
    fur_status (*copy)(fur_env *env, void *to, const void *from, int64_t bytes);
    /* As above, between the device and pinned memory. The pinned memory is in use until
     * synchronize. */
    fur_status (*copy_async)(fur_env *env, void *to, const void *from, int64_t bytes);
    /* mark: marks a place in the order of work. await_mark: waits for all work before the last
     * mark. */
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
    /* Kernels for half of a symmetric matrix, and of a Hermitian matrix. NULL: none. */
    const fur_spmv_kernel *spmv_half;
    const fur_block_kernels *block; /* NULL: the companion does operations on blocks of vectors */
    const fur_spmm_kernel *const *spmm;
    int spmm_count;   /* 0: the companion multiplies blocks */
    fur_sddmm *sddmm; /* NULL: the companion does it */
    const fur_stencil_kernel *const *stencil;
    int stencil_count;                      /* 0: none */
    fur_stencil_block *stencil_block;       /* NULL: columns are computed one by one */
    const fur_stencil_kernel *const *sweep; /* kernels for repeated sweeps of a stencil */
    int sweep_count;                        /* 0: none */
    const fur_multigrid_kernels *multigrid; /* NULL: none */
    const fur_spgemm_kernels *spgemm;       /* NULL: the companion multiplies */
    const fur_triple_kernels *triple;       /* NULL: two products */
    fur_trsv_solve *trsv;                   /* NULL with a remote */
    fur_factor *factor;                     /* NULL: none; the next two likewise */
    fur_fsai *fsai;
    fur_dense_blocks_apply *dense_blocks;
    fur_fsai_search *fsai_search; /* NULL with a remote, like the next two: the companion does it */
    fur_spai *spai;
    fur_dense_blocks_invert *invert_blocks;
    /* NULL: the companion searches */
    const fur_neighbours_kernels *neighbours;
    const fur_batch_kernels *batch; /* NULL: none */
    /* The number of products that "auto" assumes if the caller does not say how often a plan is
     * used. */
    int64_t uses_assumed;
    /* The announced uses from which "auto" measures candidates without being asked. 0: never. */
    int64_t uses_measured;
    /* `seed` comes from fur_seed. NULL with a remote. */
    void (*pattern_scan)(const fur_env *env, const fur_csr_view *a, uint64_t seed,
                         fur_pattern_scan *out);
    const fur_remote *remote; /* NULL: the kernels work on the host's memory */
} fur_backend;

/* Opens a backend for a context with these options, and sets its data in env. *out is valid until
 * remote->close, which also frees that data. If there is no remote, *out is static. `number` is 1
 * for "cuda:1"; it defaults to 0. */
typedef fur_status (*fur_backend_open)(fur_env *env, const fur_context_options *options, int number,
                                       const fur_backend **out);

fur_status fur_cpu_open(fur_env *env, const fur_context_options *options, int number,
                        const fur_backend **out);
fur_status fur_cuda_open(fur_env *env, const fur_context_options *options, int number,
                         const fur_backend **out);

/* Describes device 0, 1, 2 ... of a backend, whatever its state. The caller sets the size of *out,
 * and zeros the rest. Returns false past the last device. */
typedef bool (*fur_backend_describe)(int number, fur_device_info *out);

bool fur_cpu_describe(int number, fur_device_info *out);
bool fur_cuda_describe(int number, fur_device_info *out);

/* The offset of a row, from a view of either width. */
static inline int64_t fur_offset_at(const fur_csr_view *a, int64_t row)
{
    return fur_offsets_get(a->offset_type, a->offsets, row);
}

/* Position of the first entry of a row at or after `column`, found by bisection. If there is none,
 * the end of the row. */
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
