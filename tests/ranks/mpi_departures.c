/* A rank closes its end of an MPI group while other ranks are in another call. Their call fails
 * with a sentence, and no rank waits for ever.
 *
 *   mpi_departures CALL HOW LEAVER FILE
 *
 * CALL is agree, multiply, solve or gather. HOW is
 * fail: the rank calls fur_ranks_fail before it closes;
 * hold: as fail, but it closes when the others have failed and created FILE;
 * close: it only closes;
 * stay: no rank leaves early. */
#include <furrow/ranks.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROWS 50000 /* on each rank, so that MPI does not send messages at once */

typedef struct ring {
    fur_ranks_csr *a;
    fur_vector *x;
    fur_vector *y;
    double *all;
} ring;

static void expect(int holds, const fur_ranks *group, const char *what, fur_status status)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: %s: status %d, \"%s\"\n", fur_ranks_rank(group), what, (int)status,
            fur_ranks_error(group));
    exit(1);
}

/* Makes a matrix whose rows have a diagonal entry and an entry in the next rank's columns. */
static fur_status make_matrix(fur_ranks *group, fur_ranks_csr **out)
{
    int64_t first = (int64_t)fur_ranks_rank(group) * ROWS;
    int64_t cols = (int64_t)fur_ranks_count(group) * ROWS;
    int64_t *offsets = malloc((ROWS + 1) * sizeof *offsets);
    int64_t *columns = malloc((size_t)2 * ROWS * sizeof *columns);
    double *values = malloc((size_t)2 * ROWS * sizeof *values);
    for (int64_t i = 0; i <= ROWS; i++)
        offsets[i] = 2 * i;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t far = (first + i + ROWS) % cols;
        int after = far > first + i;
        columns[2 * i + !after] = first + i;
        columns[2 * i + after] = far;
        values[2 * i + !after] = 4;
        values[2 * i + after] = -1;
    }
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = ROWS,
                           .cols = cols,
                           .value_type = FUR_F64,
                           .offsets = offsets,
                           .columns = columns,
                           .values = values};
    fur_status status = fur_ranks_csr_create(group, &rows, out);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static fur_status make_ring(fur_ranks *group, ring *r)
{
    fur_status status = make_matrix(group, &r->a);
    if (status != FUR_OK)
        return status;
    fur_context *context = fur_ranks_csr_context(r->a);
    r->all = malloc((size_t)fur_ranks_count(group) * ROWS * sizeof *r->all);
    status = fur_vector_create(context, FUR_F64, ROWS, &r->x);
    if (status == FUR_OK)
        status = fur_vector_create(context, FUR_F64, ROWS, &r->y);
    if (status == FUR_OK)
        status = fur_vector_fill(r->x, fur_real(1));
    if (status == FUR_OK)
        status = fur_vector_fill(r->y, fur_real(0));
    return fur_ranks_agree(group, status);
}

static void release(ring *r)
{
    fur_vector_destroy(r->x);
    fur_vector_destroy(r->y);
    fur_ranks_csr_destroy(r->a);
    free(r->all);
}

static fur_status call(fur_ranks *group, ring *r, const char *name)
{
    fur_solver_options options = {.size = sizeof options, .method = "bicgstab"};
    if (strcmp(name, "agree") == 0)
        return fur_ranks_agree(group, FUR_OK);
    if (strcmp(name, "multiply") == 0)
        return fur_ranks_multiply(r->a, r->x, r->y);
    if (strcmp(name, "solve") == 0)
        return fur_ranks_solve(r->a, &options, r->x, r->y, NULL);
    return fur_ranks_gather_vector(r->a, r->x, fur_ranks_rank(group) == 0 ? r->all : NULL);
}

/* All ranks succeed, although some close early: rank 0 waits and then still receives their parts. A
 * rank that has sent its part waits for nobody. */
static void stay(fur_ranks *group, ring *r, const char *name)
{
    if (fur_ranks_rank(group) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    fur_status status = call(group, r, name);
    expect(status == FUR_OK, group, name, status);
}

/* Checks that a rank whose peer has left gets an error. A gather may still succeed, because a rank
 * sends its part before it polls for failures, but no later call succeeds.
 * `status`: the status of making the matrix. A slow rank may already learn there that another rank
 * has failed. */
static void remain(fur_ranks *group, ring *r, const char *name, const char *how, int leaver,
                   fur_status status)
{
    char sentence[64];
    int fails = strcmp(how, "close") != 0;
    for (int i = 0; status == FUR_OK && i < 5; i++)
        status = call(group, r, name);
    snprintf(sentence, sizeof sentence,
             fails ? "rank %d has had enough" : "rank %d closed the group while", leaver);
    expect(status == (fails ? FUR_CANCELLED : FUR_INVALID), group, name, status);
    expect(strstr(fur_ranks_error(group), sentence) != NULL, group, "sentence", status);
    status = fur_ranks_agree(group, FUR_OK);
    expect(status != FUR_OK, group, "an agreement after that", status);
}

/* Waits until a file exists, for at most 60 s. */
static void await(const fur_ranks *group, const char *path)
{
    int polls = 0;
    while (access(path, F_OK) != 0 && polls++ < 6000)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    expect(polls < 6000, group, "the others have heard nothing", FUR_OK);
}

int main(int argc, char **argv)
{
    fur_ranks *group = NULL;
    ring r = {0};
    if (argc != 5)
        return 2;
    fur_status status = fur_ranks_open_mpi(NULL, NULL, &group);
    if (status == FUR_OK)
        status = make_ring(group, &r);
    int leaver = atoi(argv[3]);
    bool hold = strcmp(argv[2], "hold") == 0;
    bool may_hear = (hold || strcmp(argv[2], "fail") == 0) && fur_ranks_rank(group) != leaver;
    expect(status == FUR_OK || may_hear, group, "a matrix", status);
    if (strcmp(argv[2], "stay") == 0)
        stay(group, &r, argv[1]);
    else if (fur_ranks_rank(group) != leaver)
        remain(group, &r, argv[1], argv[2], leaver, status);
    else if (strcmp(argv[2], "close") != 0)
        fur_ranks_fail(group, FUR_CANCELLED, "rank %d has had enough", leaver);
    if (hold && fur_ranks_rank(group) == leaver)
        await(group, argv[4]);
    else if (hold)
        fclose(fopen(argv[4], "w"));
    release(&r);
    fur_ranks_close(group);
    return 0;
}
