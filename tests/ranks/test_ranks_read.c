/* Ranks that read a file by byte ranges get the matrix and the error messages of the serial reader.
 */
#include "ranks_support.h"

#include <string.h>
#include <unistd.h>

/* The path of a file, and the results of reading it and multiplying its matrix by a vector. */
typedef struct reading {
    char path[64];
    const int64_t *bounds;
    int64_t rows;
    int64_t entries;
    double *y;
} reading;

static fur_status multiply(fur_ranks *group, fur_ranks_csr *a, reading *job)
{
    int rank = fur_ranks_rank(group);
    const int64_t *rows = fur_ranks_csr_bounds(a);
    const int64_t *cols = fur_ranks_csr_column_bounds(a);
    fur_context *context = fur_ranks_csr_context(a);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_status status =
        fur_vector_create(fur_ranks_csr_domain(a), FUR_F64, cols[rank + 1] - cols[rank], &x);
    if (status == FUR_OK)
        status = fur_vector_create(context, FUR_F64, rows[rank + 1] - rows[rank], &y);
    for (int64_t i = cols[rank]; status == FUR_OK && i < cols[rank + 1]; i++)
        ((double *)fur_vector_data(x))[i - cols[rank]] = 1 / (double)(i + 3);
    if (status == FUR_OK)
        status = fur_ranks_multiply(a, x, y);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(a, y, rank == 0 ? job->y : NULL);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    return status;
}

static fur_status read_and_multiply(fur_ranks *group, void *user)
{
    reading *job = user;
    fur_ranks_csr *a = NULL;
    fur_status status = fur_ranks_csr_read(group, job->path, NULL, &a);
    if (status != FUR_OK)
        return status;
    if (fur_ranks_rank(group) == 0)
        job->entries = fur_ranks_csr_describe(a)->entries;
    status = multiply(group, a, job);
    fur_ranks_csr_destroy(a);
    return status;
}

/* Multiplies the matrix by the same vector in one context. */
static void read_alone(fur_context *context, const reading *job, fur_csr *a, double *y_entries)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_vector *x;
    fur_vector *y;
    fur_spmv *plan;
    (void)job;
    ck_ok(context, fur_vector_create(context, FUR_F64, v->cols, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, v->rows, &y));
    for (int64_t i = 0; i < v->cols; i++)
        ((double *)fur_vector_data(x))[i] = 1 / (double)(i + 3);
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_vector_download(y, y_entries));
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
}

static FILE *begin(reading *job)
{
    snprintf(job->path, sizeof job->path, "ranks_read_%d.mtx", (int)getpid());
    FILE *file = fopen(job->path, "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* Checks that the ranks read the same matrix as the serial reader, or report the same error. */
static void compare(reading *job)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_status expected = fur_binary_detect(job->path)
                              ? fur_binary_read_csr(context, job->path, NULL, &a)
                              : fur_mtx_read_csr(context, job->path, NULL, &a);
    int64_t rows = expected == FUR_OK ? fur_csr_get(a)->rows : 0;
    double *y = calloc((size_t)rows + 1, sizeof *y);
    job->y = calloc((size_t)rows + 1, sizeof *job->y);
    if (expected == FUR_OK)
        read_alone(context, job, a, y);
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += ranks < 3 ? 1 : 2) {
        memset(job->y, 0, (size_t)rows * sizeof *job->y);
        fur_status status = fur_ranks_run(ranks, NULL, read_and_multiply, job);
        ck_assert_int_eq(status, expected);
        if (expected != FUR_OK) {
            ck_assert_str_eq(fur_context_error(NULL), fur_context_error(context));
            continue;
        }
        ck_assert_int_eq(job->entries, fur_csr_get(a)->entries);
        ck_assert_msg(memcmp(job->y, y, (size_t)rows * sizeof *y) == 0, "%d ranks", ranks);
    }
    unlink(job->path);
    free(y);
    free(job->y);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

/* Writes entries in random order, some of them several times, with comments and blank lines between
 * them. */
static void write_entries(FILE *file, rng *r, bool symmetric, bool duplicates)
{
    enum { ROWS = 60, LINES = 400 };
    bool taken[ROWS][ROWS] = {{false}};
    int32_t at[LINES][2];
    int count = 0;
    while (count < LINES) {
        int32_t i = (int32_t)rng_below(r, ROWS);
        int32_t j = (int32_t)rng_below(r, symmetric ? i + 1 : ROWS);
        if (taken[i][j] && !(duplicates && count % 7 == 0))
            continue;
        taken[i][j] = true;
        at[count][0] = i + 1;
        at[count++][1] = j + 1;
    }
    fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%% a comment\n%d %d %d\n",
            symmetric ? "symmetric" : "general", ROWS, ROWS, LINES);
    for (int k = 0; k < LINES; k++)
        fprintf(file, "%s%d %d %.17g\n%s", k % 9 == 3 ? "  " : "", at[k][0], at[k][1], rng_unit(r),
                k % 50 == 17 ? "% in between\n\n" : "");
}

/* Replaces the file by a packed file with the same contents. */
static void pack(reading *job)
{
    char command[160];
    snprintf(command, sizeof command, "gzip -f %s", job->path);
    ck_assert_int_eq(system(command), 0);
    strcat(job->path, ".gz");
}

/* Files of every kind, plain and packed, are read as by the serial reader. */
START_TEST(files)
{
    rng r = rng_stream((uint64_t)_i);
    reading job = {.rows = 0};
    FILE *file = begin(&job);
    write_entries(file, &r, _i & 1, _i & 2);
    fclose(file);
    if (_i & 4)
        pack(&job);
    compare(&job);
}
END_TEST

START_TEST(binary_file)
{
    rng r = rng_stream(9);
    reading job = {.rows = 0};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 300);
    snprintf(job.path, sizeof job.path, "ranks_read_%d.fur", (int)getpid());
    ck_ok(context, fur_binary_write_csr(a, job.path, NULL));
    fur_csr_destroy(a);
    fur_context_destroy(context);
    compare(&job);
}
END_TEST

static const char *const bad[] = {
    "",
    "%%MatrixMarket matrix coordinate real general\n",
    "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
    "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 2\n",
    "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 oops\n3 1 1\n2 2 2\n",
    "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 3\n1 2 3\n",
    "%%MatrixMarket matrix array real general\n2 1\n1\n2\n",
    "no matrix at all\n",
};

START_TEST(bad_files)
{
    reading job = {.rows = 0};
    FILE *file = begin(&job);
    fputs(bad[_i % COUNT_OF(bad)], file);
    fclose(file);
    if (_i >= COUNT_OF(bad))
        pack(&job);
    compare(&job);
}
END_TEST

/* A packed file that ends too early gives the error of the serial reader. */
START_TEST(cut_off_file)
{
    rng r = rng_stream(11);
    reading job = {.rows = 0};
    FILE *file = begin(&job);
    write_entries(file, &r, false, false);
    fclose(file);
    pack(&job);
    ck_assert_int_eq(truncate(job.path, 2000), 0);
    compare(&job);
}
END_TEST

START_TEST(missing_file)
{
    reading job = {"ranks_read_missing.mtx", .y = NULL};
    compare(&job);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, files, 0, 8);
    tcase_add_test(tests, cut_off_file);
    tcase_add_test(tests, binary_file);
    tcase_add_loop_test(tests, bad_files, 0, 2 * COUNT_OF(bad));
    tcase_add_test(tests, missing_file);
}

int main(void)
{
    return run_tests("ranks_read", add);
}
