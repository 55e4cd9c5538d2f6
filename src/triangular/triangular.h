/* Triangular solves: the plan, its copy of the triangle, and the tasks of its threads. */
#ifndef FURROW_TRIANGULAR_TRIANGULAR_H
#define FURROW_TRIANGULAR_TRIANGULAR_H

#include <furrow/triangular.h>

#include "csr.h"
#include "triangle.h"
#include "trsv_tasks.h"

/* How threads share a triangle. Released by fur_schedule_release. */
typedef struct fur_schedule {
    const char *name;
    int32_t *order;      /* the row at each place; NULL: as fur_strict has them */
    fur_trsv_task *task; /* in the order in which they are taken */
    int64_t count;
    double time; /* expected of a solve, in the units of fur_strict_work */
} fur_schedule;

/* What the choice rests on, by places in the order of fur_strict. */
typedef struct fur_workload {
    fur_strict t;
    const int64_t *start; /* entries before each place, and of all */
    const int32_t *level; /* of each row */
    int64_t levels;
    int threads;
} fur_workload;

/* The work of places begin .. end-1: about nanoseconds. */
#define FUR_ENTRY_WORK 1
#define FUR_ROW_WORK 4
static inline int64_t fur_strict_work(const fur_workload *w, int64_t begin, int64_t end)
{
    return (w->start[end] - w->start[begin]) * FUR_ENTRY_WORK + (end - begin) * FUR_ROW_WORK;
}

/* The schedule of that name; NULL or "auto": the one that takes the least time. */
fur_status fur_schedule_create(fur_env *env, const fur_workload *w, const char *name,
                               fur_schedule *out);
/* Accepts a zeroed one. */
void fur_schedule_release(fur_env *env, fur_schedule *schedule);

/* Each of them alone; the first is one task for all. */
fur_status fur_schedule_serial(fur_env *env, const fur_workload *w, fur_schedule *out);
fur_status fur_schedule_blocks(fur_env *env, const fur_workload *w, fur_schedule *out);
fur_status fur_schedule_levels(fur_env *env, const fur_workload *w, fur_schedule *out);

/* The time of tasks that take so long, handed to threads in their order. finish: room for a number
 * a task. */
double fur_schedule_play(const fur_schedule *s, const double *cost, int threads, double *finish);

/* A copy of a triangle by places, which its kernel reads. */
typedef struct fur_packed {
    fur_triangle_view view;
    void *offsets;
    int32_t *columns;
    void *values;
    void *divisors;
} fur_packed;

/* Makes the copy, all but its values; order may be NULL, and is borrowed. */
fur_status fur_packed_create(fur_env *env, const fur_workload *w, const int32_t *order,
                             bool unit_diagonal, fur_packed *out);
/* Accepts a zeroed one. */
void fur_packed_release(fur_env *env, fur_packed *packed);
/* Takes the values of the triangle. FUR_INVALID, naming the row, if the diagonal lacks an entry or
 * has one that cannot be divided by. */
fur_status fur_packed_refresh(fur_env *env, const fur_strict *t, fur_packed *packed);

/* FUR_INVALID, naming it, if there is such a row; -1: there is none. */
fur_status fur_trsv_check_diagonal(fur_env *env, fur_value_type value, int64_t missing,
                                   int64_t useless);

struct fur_trsv {
    fur_context *context;
    const fur_csr *a;
    fur_op op;
    const fur_csr *operand; /* op(A): a or transpose */
    fur_csr *transpose;     /* NULL for op N */
    /* On the host: */
    fur_strict strict; /* of operand; on a device, too, as the next */
    bool unit;         /* diagonal */
    fur_schedule schedule;
    fur_packed packed;
    fur_trsv_tasks tasks;
    void *work; /* room for several solutions at once; NULL: one at a time */
    /* On a device that has solves: its own; on another: a plan of the companion. */
    void *state;
    fur_csr *near_a;
    fur_trsv *near;
    fur_vector *near_x;
    char reason[160];
    fur_dependent dependent; /* on the matrix */
    fur_trsv_report report;
};

/* What a plan is to be. */
typedef struct fur_trsv_wish {
    fur_triangle triangle;
    fur_triangle_diagonal diagonal;
    const char *schedule;
    bool many;
} fur_trsv_wish;

/* The device's plan: made, and brought up to date. */
fur_status fur_trsv_plan_device(fur_trsv *plan, const fur_trsv_wish *wish);
fur_status fur_trsv_update_device(fur_trsv *plan);

/* The plan of the companion: made, brought up to date, and applied to one right-hand side. */
fur_status fur_trsv_plan_near(fur_trsv *plan, const fur_trsv_wish *wish);
fur_status fur_trsv_update_near(fur_trsv *plan);
fur_status fur_trsv_apply_near(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                               fur_vector *x);

#endif
