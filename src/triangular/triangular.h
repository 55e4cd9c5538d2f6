/* Triangular solves: the plan, its copy of the triangle, and the tasks of its threads. */
#ifndef FURROW_TRIANGULAR_TRIANGULAR_H
#define FURROW_TRIANGULAR_TRIANGULAR_H

#include <furrow/triangular.h>

#include "csr.h"
#include "triangle.h"
#include "trsv_tasks.h"

/* How threads share a triangle. fur_schedule_release releases it. */
typedef struct fur_schedule {
    const char *name;
    int32_t *order;      /* the row at each place; NULL: the order of fur_strict */
    fur_trsv_task *task; /* in the order in which they are taken */
    int64_t count;
    double time; /* expected time of a solve, in the units of fur_strict_work */
} fur_schedule;

/* The data for the choice of a schedule, by places in the order of fur_strict. */
typedef struct fur_workload {
    fur_strict t;
    const int64_t *start; /* entries before each place, then the total */
    const int32_t *level; /* level of each row */
    int64_t levels;
    int threads;
} fur_workload;

/* The work of places begin .. end-1, in about nanoseconds. */
#define FUR_ENTRY_WORK 1
#define FUR_ROW_WORK 4
static inline int64_t fur_strict_work(const fur_workload *w, int64_t begin, int64_t end)
{
    return (w->start[end] - w->start[begin]) * FUR_ENTRY_WORK + (end - begin) * FUR_ROW_WORK;
}

/* Makes the schedule with this name. NULL or "auto": the fastest one. */
fur_status fur_schedule_create(fur_env *env, const fur_workload *w, const char *name,
                               fur_schedule *out);
/* Accepts a zeroed schedule. */
void fur_schedule_release(fur_env *env, fur_schedule *schedule);

/* Make each kind of schedule. "serial" is a single task. */
fur_status fur_schedule_serial(fur_env *env, const fur_workload *w, fur_schedule *out);
fur_status fur_schedule_blocks(fur_env *env, const fur_workload *w, fur_schedule *out);
fur_status fur_schedule_levels(fur_env *env, const fur_workload *w, fur_schedule *out);

/* Simulates tasks with these costs, which threads take in order. Returns the total time. finish:
 * workspace, one number for each task. */
double fur_schedule_play(const fur_schedule *s, const double *cost, int threads, double *finish);

/* A copy of a triangle by places, for its kernel. */
typedef struct fur_packed {
    fur_triangle_view view;
    void *offsets;
    int32_t *columns;
    void *values;
    void *divisors;
} fur_packed;

/* Makes the copy without its values. order is borrowed, and may be NULL. */
fur_status fur_packed_create(fur_env *env, const fur_workload *w, const int32_t *order,
                             bool unit_diagonal, fur_packed *out);
/* Accepts a zeroed copy. */
void fur_packed_release(fur_env *env, fur_packed *packed);
/* Copies the values of the triangle. Returns FUR_INVALID, naming the row, if a diagonal entry is
 * missing or cannot be a divisor. */
fur_status fur_packed_refresh(fur_env *env, const fur_strict *t, fur_packed *packed);

/* Returns FUR_INVALID, naming the row, if `missing` or `useless` is a row. -1: there is none. */
fur_status fur_trsv_check_diagonal(fur_env *env, fur_value_type value, int64_t missing,
                                   int64_t useless);

struct fur_trsv {
    fur_context *context;
    const fur_csr *a;
    fur_op op;
    const fur_csr *operand; /* op(A): a or transpose */
    fur_csr *transpose;     /* NULL for op N */
    /* On the host: */
    fur_strict strict; /* triangle of operand; on a device too, as the next */
    bool unit;         /* ones on the diagonal */
    fur_schedule schedule;
    fur_packed packed;
    fur_trsv_tasks tasks;
    void *work; /* space for several solutions at once; NULL: one at a time */
    /* On a device with solves: the device's state. On other devices: a plan of the companion. */
    void *state;
    fur_csr *near_a;
    fur_trsv *near;
    fur_vector *near_x;
    char reason[160];
    fur_dependent dependent; /* on the matrix */
    fur_trsv_report report;
};

/* The properties of the plan to make. */
typedef struct fur_trsv_wish {
    fur_triangle triangle;
    fur_triangle_diagonal diagonal;
    const char *schedule;
    bool many;
} fur_trsv_wish;

/* Make and update the device's plan. */
fur_status fur_trsv_plan_device(fur_trsv *plan, const fur_trsv_wish *wish);
fur_status fur_trsv_update_device(fur_trsv *plan);

/* Make and update the companion's plan, and apply it to one right-hand side. */
fur_status fur_trsv_plan_near(fur_trsv *plan, const fur_trsv_wish *wish);
fur_status fur_trsv_update_near(fur_trsv *plan);
fur_status fur_trsv_apply_near(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                               fur_vector *x);

#endif
