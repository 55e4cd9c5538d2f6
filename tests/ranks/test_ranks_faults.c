/* One rank fails at its n-th message, read or allocation. All ranks must end with the same error
 * message, for every n up to 60 and many larger n. */
#include "ranks_support.h"

#include "group.h"

#include <furrow/files.h>
#include <furrow/partition.h>
#include <furrow/ranks_precond.h>
#include <furrow/ranks_stencil.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* The work of the ranks, and the rank and the point at which it fails. */
typedef struct fault {
    solve_job solve;
    const char *path; /* file with the matrix */
    fur_status (*work)(fur_ranks *group, struct fault *f);
    int rank;
    int64_t at;
    int finished; /* ranks that ended like the first one */
    fur_status status;
    char sentence[SENTENCE_ROOM];
    pthread_mutex_t lock;
    bool allocations;
} fault;

/* Number of allocations of the failing rank's thread until one is refused. 0: none is refused. */
static _Thread_local int64_t until_refusal;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (until_refusal > 0 && --until_refusal == 0)
        return NULL;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static fur_status solve(fur_ranks *group, fault *f)
{
    return solve_on_ranks(group, &f->solve);
}

/* Reads a matrix from a file and arranges it in another order. */
static fur_status read_and_arrange(fur_ranks *group, fault *f)
{
    fur_partition_options options = {.size = sizeof options, .method = "rcm"};
    fur_partition *partition = NULL;
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_status status = fur_ranks_csr_read(group, f->path, NULL, &a);
    if (status == FUR_OK)
        status = fur_ranks_partition(a, &options, &partition);
    if (status == FUR_OK)
        status = fur_ranks_csr_arrange(a, partition, &b);
    fur_ranks_csr_destroy(b);
    fur_partition_destroy(partition);
    fur_ranks_csr_destroy(a);
    return status;
}

/* Computes z = M r on all ranks, or fails on all. */
static fur_status apply(fur_ranks *group, const fur_operator *m)
{
    fur_context *context = fur_operator_context(m);
    fur_vector *r = NULL;
    fur_vector *z = NULL;
    fur_status status = fur_vector_create(context, FUR_F64, fur_operator_rows(m), &r);
    if (status == FUR_OK)
        status = fur_vector_create(context, FUR_F64, fur_operator_rows(m), &z);
    if (status == FUR_OK)
        status = fur_vector_fill(r, fur_real(1));
    if (status == FUR_OK)
        status = fur_operator_apply(m, r, z);
    fur_ranks_pass_on(group, context, status);
    status = fur_ranks_agree(group, status);
    fur_vector_destroy(r);
    fur_vector_destroy(z);
    return status;
}

/* Applies multigrid with shared cycles, factors of all rows, and factors of blocks. */
static fur_status precondition(fur_ranks *group, fault *f)
{
    fur_status status = FUR_OK;
    fur_ranks_csr *a = NULL;
    const fur_csr *whole = fur_ranks_rank(group) == 0 ? f->solve.a : NULL;
    status = fur_ranks_csr_scatter(group, whole, NULL, &a);
    for (int i = 0; i < 3 && status == FUR_OK; i++) {
        fur_precond_options kind = {.size = sizeof kind, .kind = i == 0 ? "amg" : "ic0"};
        fur_ranks_precond_options options = {
            .size = sizeof options, .precond = &kind, .whole = i < 2, .whole_rows = 20};
        fur_ranks_precond *m = NULL;
        status = fur_ranks_precond_create(a, &options, &m);
        if (status == FUR_OK)
            status = apply(group, fur_ranks_precond_operator(m));
        fur_ranks_precond_destroy(m);
    }
    fur_ranks_csr_destroy(a);
    return status;
}

/* Applies a stencil, makes its matrix, and applies multigrid. */
static fur_status cycle(fur_ranks *group, fault *f)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {5, 4, 9}};
    fur_multigrid_options options = {.size = sizeof options, .gather_points = 20};
    fur_ranks_stencil *s = NULL;
    fur_ranks_csr *a = NULL;
    fur_multigrid *mg = NULL;
    fur_operator *m = NULL;
    (void)f;
    fur_stencil_named(7, &d);
    fur_status status = fur_ranks_stencil_create(group, &d, NULL, &s);
    if (status == FUR_OK)
        status = fur_ranks_stencil_assemble(s, &a);
    if (status == FUR_OK)
        status = apply(group, fur_ranks_stencil_operator(s));
    if (status == FUR_OK)
        status = fur_ranks_multigrid_create(s, &options, &mg);
    if (status == FUR_OK) {
        status = fur_operator_from_multigrid(mg, &m);
        fur_ranks_pass_on(group, fur_ranks_stencil_context(s), status);
        status = fur_ranks_agree(group, status);
    }
    if (status == FUR_OK)
        status = apply(group, m);
    fur_operator_destroy(m);
    fur_multigrid_destroy(mg);
    fur_ranks_csr_destroy(a);
    fur_ranks_stencil_destroy(s);
    return status;
}

#define COLOURED "two colours"

static const struct {
    fur_status (*work)(fur_ranks *group, fault *f);
    const char *method;
    const char *shape; /* NULL: a definite matrix; COLOURED: a line of two colours */
} works[] = {{solve, "cg", NULL},   {solve, "cg", COLOURED},       {solve, "gmres", NULL},
             {solve, "lsqr", NULL}, {solve, "lsmr", "runs"},       {precondition, NULL, NULL},
             {cycle, NULL, NULL},   {read_and_arrange, NULL, NULL}};

static fur_status fail_and_work(fur_ranks *group, void *user)
{
    fault *f = user;
    bool chosen = fur_ranks_rank(group) == f->rank;
    if (chosen && f->allocations)
        until_refusal = f->at;
    else if (chosen)
        fur_ranks_fail_after(group, f->at);
    fur_status status = f->work(group, f);
    until_refusal = 0;
    fur_ranks_fail_after(group, 0);
    /* A rank may leave its last call before another rank's last message fails. It learns of the
     * failure in the next call. */
    status = fur_ranks_agree(group, status);
    pthread_mutex_lock(&f->lock);
    if (f->finished++ == 0) {
        f->status = status;
        snprintf(f->sentence, sizeof f->sentence, "%s", fur_ranks_error(group));
    } else if (status != f->status || strcmp(f->sentence, fur_ranks_error(group)) != 0) {
        f->finished = -100;
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

/* Fails the first message, read or allocation of each rank, then the second, up to the last. */
static void fail_everywhere(int work, bool allocations)
{
    enum { RANKS = 3, ROWS = 120 };
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 1);
    const char *form = works[work].shape;
    bool coloured = form && strcmp(form, COLOURED) == 0;
    fur_csr *a = coloured ? matrix_coloured(context, &r, FUR_F64, ROWS, 0)
                 : form   ? matrix_random(context, &r, &shapes[shape_find(form)], FUR_F64, FUR_I32)
                          : matrix_definite(context, &r, FUR_F64, ROWS);
    int64_t cols = fur_csr_get(a)->cols;
    fur_ranks_options options = {
        .size = sizeof options, .threads = 1, .allocator = {allocate, release, NULL}};
    void *b = entries_random(&r, FUR_F64, fur_csr_get(a)->rows);
    char path[] = "/tmp/furrow-faults-XXXXXX";
    close(mkstemp(path));
    ck_ok(context, fur_mtx_write_csr(a, path, NULL));
    int over = 0; /* ranks that finish before their failure */
    for (int64_t at = 1; over < RANKS;
         at += TEST_SLOW || (form && !coloured) ? 1 + at / 6 : 1 + at / 60) {
        over = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            fault f = {.solve = {.a = a,
                                 .method = works[work].method,
                                 .jacobi = !form || coloured,
                                 .b = b},
                       .path = path,
                       .work = works[work].work,
                       .rank = rank,
                       .at = at,
                       .allocations = allocations,
                       .lock = PTHREAD_MUTEX_INITIALIZER};
            f.solve.x = entries_make(FUR_F64, cols);
            fur_status status = fur_ranks_run(RANKS, &options, fail_and_work, &f);
            ck_assert_int_eq(f.finished, RANKS);
            ck_assert_int_eq(status, f.status);
            ck_assert_msg(status == FUR_OK ||
                              status == (allocations ? FUR_OUT_OF_MEMORY : FUR_IO_ERROR),
                          "%s", f.sentence);
            ck_assert(status == FUR_OK || f.sentence[0] != '\0');
            over += status == FUR_OK;
            free(f.solve.x);
        }
    }
    unlink(path);
    free(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

START_TEST(messages_and_reads)
{
    fail_everywhere(_i, false);
}
END_TEST

START_TEST(allocations)
{
    fail_everywhere(_i, true);
}
END_TEST

/* The ranks give different arguments, or one of them fails. */
static fur_status disagree(fur_ranks *group, void *user)
{
    int rank = fur_ranks_rank(group);
    const int64_t offsets[] = {0, 1};
    const int64_t columns[] = {rank == 1 && *(int *)user == 1 ? 9 : 0};
    const double values[] = {1};
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = 1,
                           .cols = *(int *)user == 0 ? 2 + rank : 2,
                           .value_type = FUR_F64,
                           .offsets = offsets,
                           .columns = columns,
                           .values = values};
    fur_ranks_csr *a = NULL;
    if (*(int *)user == 2 && rank == 1)
        return fur_ranks_fail(group, FUR_CANCELLED, "rank 1 has had enough");
    fur_status status = fur_ranks_csr_create(group, &rows, &a);
    fur_ranks_csr_destroy(a);
    return status;
}

START_TEST(disagreement)
{
    static const struct {
        fur_status status;
        const char *sentence;
    } expected[] = {
        {FUR_INVALID, "ranks 0 and 1 gave different columns or value types of the matrix; all "
                      "ranks must give the same"},
        {FUR_INVALID,
         "row 2 has column 10, counting from 1, which is out of order or beyond the 2 columns"},
        {FUR_CANCELLED, "rank 1 has had enough"},
    };
    for (int i = 0; i < COUNT_OF(expected); i++) {
        ck_assert_int_eq(fur_ranks_run(2, NULL, disagree, &i), expected[i].status);
        ck_assert_str_eq(fur_context_error(NULL), expected[i].sentence);
    }
}
END_TEST

/* Rank 1 fails and then waits outside any call of the group until rank 0 has heard of the failure.
 */
static fur_status fail_and_wait(fur_ranks *group, void *user)
{
    atomic_int *heard = user;
    if (fur_ranks_rank(group) == 1) {
        fur_status status = fur_ranks_fail(group, FUR_CANCELLED, "rank 1 has had enough");
        while (atomic_load(heard) == 0)
            sched_yield();
        return status;
    }
    fur_status status = fur_ranks_agree(group, FUR_OK);
    atomic_store(heard, 1);
    return status;
}

START_TEST(a_failure_wakes_others_at_once)
{
    atomic_int heard = 0;
    ck_assert_int_eq(fur_ranks_run(3, NULL, fail_and_wait, &heard), FUR_CANCELLED);
    ck_assert_str_eq(fur_context_error(NULL), "rank 1 has had enough");
}
END_TEST

static fur_status nothing(fur_ranks *group, void *user)
{
    (void)user;
    return fur_ranks_agree(group, FUR_OK);
}

START_TEST(arguments)
{
    fur_ranks_options unsized = {.threads = 1};
    ck_assert_int_eq(fur_ranks_run(0, NULL, nothing, NULL), FUR_INVALID);
    ck_assert_int_eq(fur_ranks_run(1, NULL, NULL, NULL), FUR_INVALID);
    ck_assert_int_eq(fur_ranks_run(1, &unsized, nothing, NULL), FUR_INVALID);
    ck_assert_int_eq(fur_ranks_open_alone(NULL, NULL), FUR_INVALID);
    ck_assert_int_eq(fur_ranks_run(2, NULL, nothing, NULL), FUR_OK);
    fur_ranks_close(NULL);
    fur_ranks_csr_destroy(NULL);
    ck_assert_int_eq(fur_ranks_multiply(NULL, NULL, NULL), FUR_INVALID);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, messages_and_reads, 0, COUNT_OF(works));
    tcase_add_loop_test(tests, allocations, 0, COUNT_OF(works));
    tcase_add_test(tests, disagreement);
    tcase_add_test(tests, a_failure_wakes_others_at_once);
    tcase_add_test(tests, arguments);
}

int main(void)
{
    return run_tests("ranks_faults", add);
}
