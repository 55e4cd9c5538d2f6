/* Checks the reports of solves of random problems in quadruple precision.
 *
 *     check_claims SUITE SECONDS [SEED [DEVICE [CASE]]]
 *
 * A case of the suite "random" draws a problem, a right-hand side, an initial guess, a method or
 * `auto`, a preconditioner, a value type and options. Numbers have all scales. It solves and then
 * checks every claim of the outcome and of the report (check.c). Suites "stiff" and "singular" draw
 * problems of known outcome for `auto`. The cases run in a separate process. A case fails if it
 * crashes or takes more than LIMIT_SECONDS of a processor.
 *
 * Prints a line for every failure, and counts by outcome and by kind of failure. Exit status 1 if a
 * case failed. SEED and CASE repeat one case, and print its numbers. */
#include "check_claims.h"

#include "trial.h"

#include "random.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_SECONDS 20
#define MAX_KINDS 64
#define MAX_PRINTED 5 /* failed cases of a kind */

tally *shared_tally;

typedef struct suite {
    const char *name;
    void (*draw)(trial *t);
    void (*solve)(trial *t);
    void (*check)(trial *t);
} suite;

static const suite suites[] = {
    {"random", draw_random, solve_trial, check_trial},
    {"stiff", draw_stiff, solve_by_default, check_stiff},
    {"singular", draw_singular, solve_by_default, check_singular_system},
};

/* The options of the command line. */
typedef struct course {
    const suite *suite;
    uint64_t seed;
    const char *device;
    time_t end;
    bool alone; /* runs only one case */
} course;

/* A kind of failure and the number of its cases. */
typedef struct failure {
    char kind[sizeof shared_tally->kind];
    long long count;
} failure;

void announce(const trial *t)
{
    snprintf(shared_tally->solve, sizeof shared_tally->solve, "%s, %lld x %lld, %s, %s", t->kind,
             (long long)t->rows, (long long)t->cols, fur_value_name(t->value), t->solve);
}

void fail(const trial *t, const char *kind, real is, real allowed)
{
    bool solved = t->status == FUR_OK;
    snprintf(shared_tally->kind, sizeof shared_tally->kind, "%s", kind);
    announce(t);
    snprintf(shared_tally->result, sizeof shared_tally->result, "%s, %.9Le, limit %.9Le",
             solved ? fur_outcome_name(t->report.outcome) : fur_status_name(t->status),
             (long double)is, (long double)allowed);
    if (shared_tally->verbose)
        print_trial(t);
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

static void run_case(fur_context *context, const course *c)
{
    static trial t;
    const struct itimerval limit = {.it_value = {.tv_sec = LIMIT_SECONDS}};
    setitimer(ITIMER_PROF, &limit, NULL);
    memset(&t, 0, offsetof(trial, terms));
    memset((char *)&t + offsetof(trial, stencil), 0, sizeof t - offsetof(trial, stencil));
    t.context = context;
    draw_start(c->seed, shared_tally->turn);
    c->suite->draw(&t);
    c->suite->solve(&t);
    c->suite->check(&t);
    if (shared_tally->verbose)
        print_trial(&t);
    release_trial(&t);
}

static fur_context *open_context(const char *device)
{
    fur_context *context = NULL;
    fur_context_options options = {.size = sizeof options, .device = device, .threads = 1};
    if (fur_context_create(&options, &context) == FUR_OK)
        return context;
    printf("skipped: %s\n", fur_context_error(NULL));
    fflush(stdout);
    _exit(77);
}

/* Runs cases from the one in the tally on, until the time is over. Runs one case if it is alone. */
static void run_cases(const course *c)
{
    fur_context *context = open_context(c->device);
    do {
        run_case(context, c);
        shared_tally->turn++;
    } while (!c->alone && time(NULL) < c->end);
    fur_context_destroy(context);
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* Records how the solving process ended, by the kind of failure. */
static void take_failure(int status, const course *c, failure *failures)
{
    tally *s = shared_tally;
    int k = 0;
    if (WIFSIGNALED(status))
        snprintf(s->kind, sizeof s->kind, "%s",
                 WTERMSIG(status) == SIGPROF ? "a solve that does not return"
                                             : strsignal(WTERMSIG(status)));
    else if (!*s->kind)
        snprintf(s->kind, sizeof s->kind, "exit status %d", WEXITSTATUS(status));
    while (k < MAX_KINDS - 1 && *failures[k].kind && strcmp(failures[k].kind, s->kind) != 0)
        k++;
    snprintf(failures[k].kind, sizeof failures[k].kind, "%s", s->kind);
    if (failures[k].count++ < MAX_PRINTED)
        printf("%s, seed %llu case %llu: %s: %s: %s\n", c->suite->name, (unsigned long long)c->seed,
               (unsigned long long)s->turn, s->kind, s->solve, s->result);
    fflush(stdout);
    *s->kind = *s->solve = *s->result = '\0';
}

/* Runs cases until the time is over. Starts a new process after each failure. */
static void watch_cases(const course *c, failure *failures)
{
    do {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            run_cases(c);
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(2);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            exit(77);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
            take_failure(status, c, failures);
        shared_tally->turn++;
    } while (!c->alone && time(NULL) < c->end);
}

static int print_counts(const failure *failures)
{
    const tally *s = shared_tally;
    long long failed = 0;
    printf("%lld solves\n%10lld refused\n", s->cases, s->refused);
    for (int outcome = 1; outcome < MAX_OUTCOMES; outcome++)
        if (s->outcomes[outcome] > 0)
            printf("%10lld %s\n", s->outcomes[outcome], fur_outcome_name((fur_outcome)outcome));
    for (int k = 0; k < MAX_KINDS && failures[k].count > 0; k++) {
        printf("%10lld FAILED: %s\n", failures[k].count, failures[k].kind);
        failed += failures[k].count;
    }
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const suite *find_suite(const char *name)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

int main(int count, char **arguments)
{
    static failure failures[MAX_KINDS];
    course c = {.suite = count > 2 ? find_suite(arguments[1]) : NULL,
                .device = count > 4 ? arguments[4] : "cpu",
                .alone = count > 5};
    if (!c.suite) {
        fprintf(stderr,
                "usage: check_claims random|stiff|singular SECONDS [SEED [DEVICE [CASE]]]\n");
        return 2;
    }
    if (count > 3)
        setenv("FURROW_SEED", arguments[3], 1);
    random_start();
    c.seed = random_state;
    c.end = time(NULL) + (time_t)strtoll(arguments[2], NULL, 10);
    shared_tally =
        mmap(NULL, sizeof *shared_tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared_tally == MAP_FAILED)
        return 2;
    shared_tally->verbose = c.alone;
    shared_tally->turn = c.alone ? strtoull(arguments[5], NULL, 10) : 0;
    watch_cases(&c, failures);
    return print_counts(failures);
}
