/* The threads of a context: who does what of a loop, and what happens where threads are missing. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 100000

/* A loop that counts how often it comes to each index. */
typedef struct tally {
    fur_context *context;
    pthread_t caller;
    atomic_int begins_elsewhere; /* ranges that begin with 0 on another thread */
    atomic_int shortest;
    atomic_uchar seen[COUNT];
} tally;

static tally tally_of(fur_context *context)
{
    return (tally){.context = context, .caller = pthread_self(), .shortest = COUNT};
}

static void count_range(void *user, int64_t begin, int64_t end)
{
    tally *t = user;
    if (begin == 0 && !pthread_equal(pthread_self(), t->caller))
        t->begins_elsewhere++;
    for (int shortest = t->shortest;
         end - begin < shortest &&
         !atomic_compare_exchange_weak(&t->shortest, &shortest, (int)(end - begin));)
        ;
    for (int64_t i = begin; i < end; i++)
        t->seen[i]++;
}

static void check_tally(const tally *t, int64_t count, int times)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < COUNT; i++)
        wrong += t->seen[i] != (i < count ? times : 0);
    ck_assert_msg(wrong == 0, "%lld indices were not done %d times", (long long)wrong, times);
    ck_assert_int_eq(t->begins_elsewhere, 0);
}

START_TEST(each_index_is_done_once)
{
    static tally t;
    rng r = rng_stream(1);
    for (int threads = 1; threads <= 7; threads++) {
        fur_context *context = context_make("portable", threads);
        for (int loop = 0; loop < (TEST_SLOW ? 50 : 500); loop++) {
            int64_t count = loop < 40 ? loop : rng_below(&r, COUNT);
            int64_t grain = rng_below(&r, 2) ? 1 : rng_below(&r, 5000);
            t = tally_of(context);
            fur_context_parallel(context, count, grain, count_range, &t);
            check_tally(&t, count, 1);
            if (grain < count)
                ck_assert_int_ge(t.shortest, grain);
        }
        fur_context_destroy(context);
    }
}
END_TEST

START_TEST(no_range_is_shorter_than_the_grain)
{
    static tally t;
    fur_context *context = context_make("portable", 3);
    for (int64_t count = 1; count < 90; count++) {
        for (int64_t grain = 1; grain <= count; grain++) {
            t = tally_of(context);
            fur_context_parallel(context, count, grain, count_range, &t);
            ck_assert_int_ge(t.shortest, grain);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* Loops that follow each other at once, of calls too short for their threads to come in time. */
START_TEST(short_loops_do_not_mix)
{
    enum { LOOPS = 200 };
    static tally t;
    fur_context *context = context_make("portable", 4);
    t = tally_of(context);
    for (int loop = 0; loop < LOOPS; loop++)
        fur_context_parallel(context, 1 + loop % 64, 1, count_range, &t);
    int64_t expected = 0, sum = 0;
    for (int loop = 0; loop < LOOPS; loop++)
        expected += 1 + loop % 64;
    for (int64_t i = 0; i < 64; i++)
        sum += t.seen[i];
    ck_assert_int_eq(sum, expected);
    fur_context_destroy(context);
}
END_TEST

static void nest(void *user, int64_t begin, int64_t end)
{
    tally *t = user;
    for (int64_t i = begin; i < end; i++)
        fur_context_parallel(t->context, 1000, 1, count_range, t);
}

START_TEST(a_loop_within_a_loop_is_its_threads_own)
{
    static tally t;
    fur_context *context = context_make("portable", 3);
    t = tally_of(context);
    fur_context_parallel(context, 50, 1, nest, &t);
    t.begins_elsewhere = 0;
    check_tally(&t, 1000, 50);
    fur_context_destroy(context);
}
END_TEST

/* A vector's norm by the context, which has to be `expected`. */
static bool has_norm(const fur_vector *x, double expected)
{
    double norm = 0;
    return fur_norm2(x, &norm) == FUR_OK && norm == expected;
}

/* The child of a fork has none of the threads. It computes alone and destroys its objects. Contexts
 * that it creates have threads. */
START_TEST(forked_child_computes)
{
    enum { N = 1000000 };
    rng r = rng_stream(2);
    fur_context *context = context_make("portable", 3);
    fur_vector *x = vector_random(context, &r, FUR_F64, N);
    double norm = 0;
    ck_ok(context, fur_norm2(x, &norm));
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(60);
        bool right = has_norm(x, norm);
        fur_context *own = context_make("portable", 3);
        fur_vector *y = vector_from(own, FUR_F64, N, fur_vector_data(x));
        right = right && has_norm(y, norm);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
        fur_context_destroy(own);
        fur_context_destroy(context);
        _exit(right ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", status);
    ck_assert(has_norm(x, norm));
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* If the system refuses threads, the threads that exist do the work. */
START_TEST(refused_threads_are_said)
{
    static tally t;
    fur_context *context = context_make("portable", 16);
    int asked = fur_context_threads(context);
    ck_assert_str_eq(fur_context_notice(context), "");
    struct rlimit space = {.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &space);
    space.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &space), 0);
    t = tally_of(context);
    fur_context_parallel(context, COUNT, 1, count_range, &t);
    space.rlim_cur = space.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &space), 0);
    check_tally(&t, COUNT, 1);
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "only 1 of %d threads were started, because the system refused the next one: Resource "
             "temporarily unavailable",
             asked);
    ck_assert_str_eq(fur_context_notice(context), sentence);
    ck_assert_int_eq(fur_context_threads(context), 1);
    fur_context_destroy(context);
}
END_TEST

START_TEST(there_are_no_more_threads_than_make_sense)
{
    fur_context *some = context_make("portable", 0);
    fur_context *many = context_make("portable", INT32_MAX);
    ck_assert_int_ge(fur_context_threads(some), 1);
    ck_assert_int_eq(fur_context_threads(many), 8 * (int)sysconf(_SC_NPROCESSORS_ONLN));
    fur_context_destroy(many);
    fur_context_destroy(some);
}
END_TEST

START_TEST(the_environment_says_how_many)
{
    setenv("OMP_NUM_THREADS", "3,2", 1);
    fur_context *context = context_make("portable", 0);
    ck_assert_int_eq(fur_context_threads(context), 3);
    fur_context_destroy(context);
    setenv("OMP_NUM_THREADS", "-1", 1);
    context = context_make("portable", 0);
    ck_assert_int_ge(fur_context_threads(context), 1);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, each_index_is_done_once);
    tcase_add_test(tests, no_range_is_shorter_than_the_grain);
    tcase_add_test(tests, short_loops_do_not_mix);
    tcase_add_test(tests, a_loop_within_a_loop_is_its_threads_own);
    tcase_add_test(tests, forked_child_computes);
    if (!TEST_SLOW)
        tcase_add_test(tests, refused_threads_are_said);
    tcase_add_test(tests, there_are_no_more_threads_than_make_sense);
    tcase_add_test(tests, the_environment_says_how_many);
}

int main(void)
{
    return run_tests("team", add);
}
