/* A rank that fails at its n-th message or allocation: all ranks end, with one sentence. */
#include "ranks_support.h"

#include "group.h"

#include <pthread.h>
#include <string.h>

/* A solve in which one rank fails. */
typedef struct fault {
    solve_job solve;
    int rank;
    int64_t at;
    int finished; /* ranks with the status and sentence of the first that ended */
    fur_status status;
    char sentence[SENTENCE_ROOM];
    pthread_mutex_t lock;
    bool allocations;
} fault;

/* Allocations of the failing rank's own thread until one is refused; 0: none is. */
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

static fur_status fail_and_solve(fur_ranks *group, void *user)
{
    fault *f = user;
    bool chosen = fur_ranks_rank(group) == f->rank;
    if (chosen && f->allocations)
        until_refusal = f->at;
    else if (chosen)
        fur_ranks_fail_after(group, f->at);
    fur_status status = solve_on_ranks(group, &f->solve);
    until_refusal = 0;
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

static void fail_everywhere(bool allocations)
{
    enum { RANKS = 3, ROWS = 300 };
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, ROWS);
    fur_ranks_options options = {
        .size = sizeof options, .threads = 1, .allocator = {allocate, release, NULL}};
    void *b = entries_random(&r, FUR_F64, ROWS);
    bool done = false;
    for (int64_t at = 1; !done; at += at < 20 || !TEST_SLOW ? 1 + at / 12 : 1 + at / 3) {
        fault f = {.solve = {.a = a, .method = "cg", .jacobi = true, .b = b},
                   .rank = (int)(at % RANKS),
                   .at = at,
                   .allocations = allocations,
                   .lock = PTHREAD_MUTEX_INITIALIZER};
        f.solve.x = entries_make(FUR_F64, ROWS);
        fur_status status = fur_ranks_run(RANKS, &options, fail_and_solve, &f);
        ck_assert_int_eq(f.finished, RANKS);
        ck_assert_int_eq(status, f.status);
        ck_assert(status == FUR_OK || status == (allocations ? FUR_OUT_OF_MEMORY : FUR_IO_ERROR));
        ck_assert(status == FUR_OK || f.sentence[0] != '\0');
        done = status == FUR_OK;
        free(f.solve.x);
    }
    free(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

START_TEST(messages)
{
    fail_everywhere(false);
}
END_TEST

START_TEST(allocations)
{
    fail_everywhere(true);
}
END_TEST

/* Ranks that do not do the same. */
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
        {FUR_INVALID, "ranks 0 and 1 disagree about the columns or the value type of the matrix"},
        {FUR_INVALID, "row 2 has column 10, counting from 1, out of order or beyond the 2 columns"},
        {FUR_CANCELLED, "rank 1 has had enough"},
    };
    for (int i = 0; i < COUNT_OF(expected); i++) {
        ck_assert_int_eq(fur_ranks_run(2, NULL, disagree, &i), expected[i].status);
        ck_assert_str_eq(fur_context_error(NULL), expected[i].sentence);
    }
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
    tcase_add_test(tests, messages);
    tcase_add_test(tests, allocations);
    tcase_add_test(tests, disagreement);
    tcase_add_test(tests, arguments);
}

int main(void)
{
    return run_tests("ranks_faults", add);
}
