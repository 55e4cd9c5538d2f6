/* The library in a process with its own threads, signals, errno and rounding mode
 * (docs/contract.md). */
#include "scratch.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define FILE_NAME "process.mtx"
#define CALLERS 4

/* Writes a stencil's matrix to a file, reads it, reorders it, and solves with it. Stores the
 * solution in `out`. */
#define EDGE 20
#define POINTS (EDGE * EDGE)

static void work(int threads, const char *file, double out[POINTS])
{
    fur_context *context = context_make(NULL, threads);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {EDGE, EDGE}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    fur_csr *back = NULL;
    fur_permutation *p = NULL;
    fur_csr *b = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_solver *solver = NULL;
    fur_vector *right = NULL;
    fur_vector *x = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    int equal = 0;
    ck_assert_int_eq(fur_stencil_named(5, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    ck_ok(context, fur_mtx_write_csr(a, file, NULL));
    ck_ok(context, fur_mtx_read_csr(context, file, NULL, &back));
    ck_ok(context, fur_csr_compare(a, back, &equal));
    ck_assert_int_eq(equal, 1);
    ck_ok(context, fur_reorder(back, NULL, NULL, NULL, &p));
    ck_ok(context, fur_csr_permute(back, p, p, &b));
    ck_ok(context, fur_spmv_plan(b, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_solver_create(op, NULL, &solver));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &right));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &x));
    ck_ok(context, fur_vector_fill(right, fur_real(1)));
    ck_ok(context, fur_solver_solve(solver, right, x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_ok(context, fur_vector_download(x, out));
    fur_vector_destroy(x);
    fur_vector_destroy(right);
    fur_solver_destroy(solver);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(b);
    fur_permutation_destroy(p);
    fur_csr_destroy(back);
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}

/* A thread of the caller, with its solution and the message of its failure. */
typedef struct caller {
    pthread_t thread;
    int number;
    double out[POINTS];
    char sentence[256]; /* of a failure without a context */
} caller;

static void *call(void *user)
{
    caller *c = user;
    char file[32];
    char device[32];
    fur_context *none = NULL;
    snprintf(file, sizeof file, "process-%d.mtx", c->number);
    snprintf(device, sizeof device, "device %d", c->number);
    fur_context_options options = {.size = sizeof options, .device = device};
    for (int i = 0; i < 3; i++) {
        work(1 + c->number % 2, file, c->out);
        fur_context_create(&options, &none);
    }
    snprintf(c->sentence, sizeof c->sentence, "%s", fur_context_error(NULL));
    return NULL;
}

START_TEST(contexts_of_different_threads_are_independent)
{
    static caller callers[CALLERS];
    double alone[POINTS];
    work(1, FILE_NAME, alone);
    for (int i = 0; i < CALLERS; i++) {
        callers[i].number = i;
        ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_join(callers[i].thread, NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        char own[32];
        snprintf(own, sizeof own, "\"device %d\"", i);
        ck_assert_mem_eq(callers[i].out, alone, sizeof alone);
        ck_assert_msg(strstr(callers[i].sentence, own) != NULL, "%s", callers[i].sentence);
    }
    ck_assert_ptr_null(strstr(fur_context_error(NULL), "device 0"));
}
END_TEST

/* Several threads share one matrix. Each thread has a context, plans, and a matrix that borrows the
 * arrays of the shared matrix. */
typedef struct sharer {
    pthread_t thread;
    const fur_csr *shared;
    double out[3 * POINTS];
} sharer;

/* Computes A x, A^T x, and A x by the stencil recognised in A, for x = 1, 2, 3, ... */
static void multiply_all(const fur_csr *a, double out[3 * POINTS])
{
    fur_context *context = fur_csr_context(a);
    double entries[POINTS];
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_recognised *r = NULL;
    for (int i = 0; i < POINTS; i++)
        entries[i] = i + 1;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, POINTS, entries, FUR_OWNERSHIP_COPY, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &y));
    for (int op = FUR_OP_N; op <= FUR_OP_T; op++) {
        fur_spmv_options options = {.size = sizeof options, .op = (fur_op)op};
        fur_spmv *plan = NULL;
        ck_ok(context, fur_spmv_plan(a, &options, &plan));
        for (int i = 0; i < 20; i++)
            ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
        ck_ok(context, fur_vector_download(y, out + op * POINTS));
        fur_spmv_destroy(plan);
    }
    ck_ok(context, fur_stencil_recognise(a, NULL, NULL, &r));
    ck_assert_ptr_nonnull(r);
    ck_ok(context, fur_recognised_apply(r, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_vector_download(y, out + 2 * POINTS));
    fur_recognised_destroy(r);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
}

static void *share(void *user)
{
    sharer *s = user;
    fur_context *context = context_make(NULL, 2);
    const fur_csr_view *view = fur_csr_get(s->shared);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, view, FUR_OWNERSHIP_BORROW, &a));
    multiply_all(a, s->out);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return NULL;
}

START_TEST(threads_share_a_matrix_by_borrowing_its_arrays)
{
    static sharer sharers[CALLERS];
    static double alone[3 * POINTS];
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {EDGE, EDGE}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert_int_eq(fur_stencil_named(5, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    for (int i = 0; i < CALLERS; i++) {
        sharers[i].shared = a;
        ck_assert_int_eq(pthread_create(&sharers[i].thread, NULL, share, &sharers[i]), 0);
    }
    multiply_all(a, alone);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_join(sharers[i].thread, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_mem_eq(sharers[i].out, alone, sizeof alone);
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* Uses and destroys a context that another thread made. Several threads may use a context one after
 * the other. */
static void *finish(void *user)
{
    fur_vector *x = user;
    fur_context *context = fur_vector_context(x);
    if (fur_vector_fill(x, fur_real(2)) != FUR_OK)
        return NULL;
    fur_vector_destroy(x);
    fur_context_destroy(context);
    return context;
}

START_TEST(a_context_may_be_handed_to_another_thread)
{
    pthread_t thread;
    void *done = NULL;
    fur_context *context = context_make(NULL, 2);
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 100000, &x));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    ck_assert_int_eq(pthread_create(&thread, NULL, finish, x), 0);
    ck_assert_int_eq(pthread_join(thread, &done), 0);
    ck_assert_ptr_nonnull(done);
}
END_TEST

/* The process's handlers of all signals, and the signals that this thread blocks. */
typedef struct answers {
    void (*handler[NSIG])(int);
    int known[NSIG];
    sigset_t blocked;
} answers;

static void ask(answers *a)
{
    memset(a, 0, sizeof *a);
    for (int n = 1; n < NSIG; n++) {
        struct sigaction present;
        if (sigaction(n, NULL, &present) != 0)
            continue;
        a->known[n] = 1;
        a->handler[n] = present.sa_handler;
    }
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &a->blocked), 0);
}

START_TEST(signals_are_left_alone)
{
    static answers before;
    static answers after;
    double out[POINTS];
    ask(&before);
    work(2, FILE_NAME, out);
    ask(&after);
    for (int n = 1; n < NSIG; n++) {
        ck_assert_int_eq(before.known[n], after.known[n]);
        ck_assert_msg(before.handler[n] == after.handler[n], "signal %d has a handler", n);
        ck_assert_int_eq(sigismember(&before.blocked, n), sigismember(&after.blocked, n));
    }
}
END_TEST

/* The value of errno before a call has no effect. */
START_TEST(errno_means_nothing)
{
    static const int stale[] = {0, ERANGE, EINTR, ENOMEM, ENOENT, 12345};
    double first[POINTS];
    double out[POINTS];
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    scratch_write("range.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n"
                               "1 1 1e-400\n1 2 0.1234567890123456789012345678901e1\n");
    work(1, FILE_NAME, first);
    for (int i = 0; i < COUNT_OF(stale); i++) {
        errno = stale[i];
        work(1, FILE_NAME, out);
        ck_assert_mem_eq(out, first, sizeof out);
        errno = stale[i];
        ck_ok(context, fur_mtx_read_csr(context, "range.mtx", NULL, &a));
        ck_assert_double_eq(((const double *)fur_csr_get(a)->values)[0], 0);
        ck_assert_double_eq(((const double *)fur_csr_get(a)->values)[1], 1.2345678901234567890);
        fur_csr_destroy(a);
        errno = stale[i];
        ck_fails(context, FUR_IO_ERROR, "none.mtx: cannot open: No such file or directory",
                 fur_mtx_read_csr(context, "none.mtx", NULL, &a));
    }
    fur_context_destroy(context);
}
END_TEST

/* A solve preserves the rounding mode and has the same bits in each mode. Loops over the modes. */
START_TEST(another_rounding_mode_is_kept_and_shows_nowhere)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    double nearest[POINTS];
    double out[POINTS];
    work(1, FILE_NAME, nearest);
    ck_assert_int_eq(fesetround(modes[_i]), 0);
    work(2, FILE_NAME, out);
    int after = fegetround();
    ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
    ck_assert_int_eq(after, modes[_i]);
    ck_assert_mem_eq(out, nearest, sizeof out);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, contexts_of_different_threads_are_independent);
    tcase_add_test(tests, threads_share_a_matrix_by_borrowing_its_arrays);
    tcase_add_test(tests, a_context_may_be_handed_to_another_thread);
    tcase_add_test(tests, signals_are_left_alone);
    tcase_add_test(tests, errno_means_nothing);
    tcase_add_loop_test(tests, another_rounding_mode_is_kept_and_shows_nowhere, 0, 4);
}

int main(void)
{
    return scratch_run("process", add_tests);
}
