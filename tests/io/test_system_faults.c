/* Reads and writes files while one system call has a fault: the first, then the second, and so on.
 * Either the result is right, or there is a status and a sentence with the path and the system's
 * reason. No file, descriptor or memory is lost. */
#include "scratch.h"
#include "system_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define CALLS_MAX 5000

/* The faults that are tried on each system call. */
static const struct {
    trial_kind kind;
    int error;
} faults[] = {
    {TRIAL_FAILS, EIO},  {TRIAL_FAILS, ENOSPC},     {TRIAL_FAILS, EMFILE},
    {TRIAL_IS_SHORT, 0}, {TRIAL_IS_INTERRUPTED, 0},
};

/* Objects of the test that runs. */
static memory m;
static fur_context *context;
static fur_csr *large, *small; /* the matrices that are written, and expected when read */
static fur_vector *x;

/* Makes a tridiagonal matrix without a diagonal, with enough text for several blocks and pieces. */
static fur_csr *make_matrix(int32_t n)
{
    int64_t count = 0;
    int32_t *rows = malloc(sizeof *rows * 2 * (size_t)n),
            *cols = malloc(sizeof *cols * 2 * (size_t)n);
    double *values = malloc(sizeof *values * 2 * (size_t)n);
    for (int32_t i = 1; i < n; i++) {
        rows[count] = cols[count + 1] = i;
        cols[count] = rows[count + 1] = i - 1;
        values[count] = values[count + 1] = 1.0 / i;
        count += 2;
    }
    const fur_coo_view entries = {.size = sizeof entries,
                                  .rows = n,
                                  .cols = n,
                                  .entries = count,
                                  .value_type = FUR_F64,
                                  .row_indices = rows,
                                  .col_indices = cols,
                                  .values = values};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_csr_from_coo(context, &entries, FUR_DUPLICATES_ERROR, &matrix));
    free(rows);
    free(cols);
    free(values);
    return matrix;
}

static void begin(void)
{
    scratch_empty(); /* files of a test that failed */
    trial = (system_trial){0};
    m = (memory){0};
    context = context_counting(&m, NULL, 2);
    large = make_matrix(8000);
    small = make_matrix(10);
    rng r = rng_stream(1);
    x = vector_random(context, &r, FUR_F64, 100);
}

static void end(void)
{
    trial = (system_trial){0};
    fur_vector_destroy(x);
    fur_csr_destroy(small);
    fur_csr_destroy(large);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
    scratch_empty();
}

static void run_command(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* An attempt: the file's name, the function that reads or writes it, and the status without
 * faults. */
typedef struct attempt {
    const char *name; /* name of the file, as in the sentence */
    fur_status (*run)(const struct attempt *attempt);
    fur_status status;
    int variant;
} attempt;

/* Checks that the sentence of a failure has the name and the system's reason. If lseek fails, as on
 * a pipe, the sentence may instead say why seeking was needed. */
static void check_failure(const attempt *a, fur_status status)
{
    const char *sentence = fur_context_error(context);
    ck_assert_msg(trial.hit && trial.kind == TRIAL_FAILS, "%s: %s although no call failed", a->name,
                  sentence);
    bool told = strstr(sentence, strerror(trial.error)) || strcmp(trial.hit, "lseek") == 0;
    ck_assert_msg(status == FUR_IO_ERROR && strstr(sentence, a->name) && told,
                  "%s: %s: %s, after %s: %s", a->name, fur_status_name(status), sentence, trial.hit,
                  strerror(trial.error));
}

/* Runs the attempt once. Returns true if the call that gets the fault was reached. */
static bool try_once(const attempt *a, void (*check)(const attempt *a, fur_status status))
{
    int64_t memory_before = m.outstanding;
    int descriptors = count_descriptors();
    atomic_store(&trial.calls, 0);
    trial.hit = NULL;
    fur_status status = a->run(a);
    bool reached = trial.hit != NULL;
    if (status != a->status)
        check_failure(a, status);
    ck_assert_int_eq(m.outstanding, memory_before);
    ck_assert_int_eq(count_descriptors(), descriptors);
    ck_assert_int_eq(atomic_load(&trial.mapped), 0);
    int at = trial.at;
    trial.at = 0;
    if (check)
        check(a, status);
    trial.at = at;
    return reached;
}

/* Tries every fault at every call. Then all calls move only a few bytes. */
static void try_all(const attempt *a, void (*check)(const attempt *a, fur_status status))
{
    int tried = 0;
    for (int f = 0; f < COUNT_OF(faults); f++) {
        trial.kind = faults[f].kind;
        trial.error = faults[f].error;
        trial.at = 0;
        do
            ck_assert_int_lt(++trial.at, CALLS_MAX);
        while (try_once(a, check));
        tried += trial.at;
    }
    trial.at = 0;
    trial.all_short = true;
    try_once(a, check);
    trial.all_short = false;
    ck_assert_int_gt(tried, 2 * COUNT_OF(faults));
    printf("%s %d: %d attempts\n", a->name, a->variant, tried);
}

static bool is_same(const fur_csr *a, const fur_csr *b)
{
    int equal = 0;
    ck_ok(context, fur_csr_compare(a, b, &equal));
    return equal;
}

static fur_status check_matrix(fur_status status, fur_csr *matrix, const fur_csr *expected)
{
    ck_assert((matrix != NULL) == (status == FUR_OK));
    if (matrix)
        ck_assert(is_same(matrix, expected));
    fur_csr_destroy(matrix);
    return status;
}

static fur_status read_text(const attempt *a)
{
    fur_csr *matrix = NULL;
    fur_status status = fur_mtx_read_csr(context, a->name, NULL, &matrix);
    return check_matrix(status, matrix, large);
}

/* Reads a file with duplicates. To report their lines, the reader reads the file a second time. */
static fur_status read_duplicates(const attempt *a)
{
    fur_csr *matrix = NULL;
    const fur_mtx_read_options options = {.size = sizeof options,
                                          .duplicates = FUR_DUPLICATES_ERROR};
    fur_status status = fur_mtx_read_csr(context, a->name, &options, &matrix);
    return check_matrix(status, matrix, small);
}

static fur_status read_head(const attempt *a)
{
    fur_mtx_header header = {.size = sizeof header, .rows = -1};
    fur_status status = a->variant ? fur_binary_read_header(context, a->name, &header)
                                   : fur_mtx_read_header(context, a->name, &header);
    ck_assert_int_eq(header.rows, status == FUR_OK ? 8000 : -1);
    return status;
}

/* Reads a binary file. It is mapped if `variant` is set. */
static fur_status read_binary(const attempt *a)
{
    fur_csr *matrix = NULL;
    const fur_binary_read_options options = {.size = sizeof options, .map = a->variant};
    fur_status status = fur_binary_read_csr(context, a->name, &options, &matrix);
    return check_matrix(status, matrix, large);
}

/* Reads a vector. The file is binary if `variant` is set. */
static fur_status read_vector(const attempt *a)
{
    fur_vector *vector = NULL;
    fur_status status = a->variant ? fur_binary_read_vector(context, a->name, NULL, &vector)
                                   : fur_mtx_read_vector(context, a->name, NULL, &vector);
    ck_assert((vector != NULL) == (status == FUR_OK));
    if (vector)
        ck_assert_int_eq(
            first_difference(FUR_F64, 100, fur_vector_const_data(vector), fur_vector_const_data(x)),
            -1);
    fur_vector_destroy(vector);
    return status;
}

/* Reads a small matrix from a pipe. */
static fur_status read_pipe(const attempt *a)
{
    int ends[2];
    char *text = scratch_read("small.mtx");
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    int input = dup(STDIN_FILENO);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    close(ends[0]);
    fur_csr *matrix = NULL;
    fur_status status = fur_mtx_read_csr(context, a->variant ? "-" : "/dev/fd/0", NULL, &matrix);
    if (input >= 0) {
        ck_assert_int_ge(dup2(input, STDIN_FILENO), 0);
        close(input);
    } else {
        close(STDIN_FILENO);
    }
    free(text);
    return check_matrix(status, matrix, small);
}

static const attempt reads[] = {
    {"a.mtx", read_text, FUR_OK, 0},
#ifdef FURROW_HAVE_GZIP
    {"a.mtx.gz", read_text, FUR_OK, 0},
    {"a.tar.gz", read_text, FUR_OK, 0},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"a.mtx.zst", read_text, FUR_OK, 0},
#endif
    {"a.tar", read_text, FUR_OK, 0},
    {"strange.tar", read_text, FUR_OK, 0},
    {"twice.mtx", read_duplicates, FUR_INVALID, 0},
    {"a.mtx", read_head, FUR_OK, 0},
    {"a.fur", read_head, FUR_OK, 1},
    {"a.fur", read_binary, FUR_OK, 0},
    {"a.fur", read_binary, FUR_OK, 1},
    {"x.mtx", read_vector, FUR_OK, 0},
    {"x.fur", read_vector, FUR_OK, 1},
    {"/dev/fd/0", read_pipe, FUR_OK, 0},
    {"standard input", read_pipe, FUR_OK, 1},
};

/* Writes the files for all attempts. In strange.tar, no member has the expected name, so the reader
 * searches a second time. */
static void write_files(void)
{
    ck_ok(context, fur_mtx_write_csr(large, "a.mtx", NULL));
#ifdef FURROW_HAVE_GZIP
    ck_ok(context, fur_mtx_write_csr(large, "a.mtx.gz", NULL));
#endif
#ifdef FURROW_HAVE_ZSTD
    ck_ok(context, fur_mtx_write_csr(large, "a.mtx.zst", NULL));
#endif
    ck_ok(context, fur_mtx_write_csr(small, "small.mtx", NULL));
    ck_ok(context, fur_binary_write_csr(large, "a.fur", NULL));
    ck_ok(context, fur_mtx_write_vector(x, "x.mtx", NULL));
    ck_ok(context, fur_binary_write_vector(x, "x.fur", NULL));
    scratch_write("twice.mtx", "%%MatrixMarket matrix coordinate real general\n"
                               "3 1 3\n1 1 1\n1 1 2\n2 1 3\n");
    run_command("mkdir a && cp a.mtx a/ && cp a.mtx a/other.mtx && tar -cf a.tar a/a.mtx && "
                "tar -czf a.tar.gz a/a.mtx && tar -cf strange.tar a/other.mtx && rm -r a");
}

START_TEST(reading_survives_every_failing_call)
{
    write_files();
    try_all(&reads[_i], NULL);
}
END_TEST

/* Ways to write a file. */
enum { PLAIN, SYNCED, NAMED, REPLACING, REPLACING_SYNCED, REPLACING_NAMED, WAYS };

static bool is_synced(const attempt *a)
{
    return a->variant == SYNCED || a->variant == REPLACING_SYNCED;
}

static bool is_replacing(const attempt *a)
{
    return a->variant >= REPLACING;
}

#define OLD "old text"

/* Restores the old file. The new file must inherit its mode. */
static void prepare(const attempt *a)
{
    unlink(a->name);
    trial.no_nameless = a->variant == NAMED || a->variant == REPLACING_NAMED;
    if (is_replacing(a)) {
        scratch_write(a->name, OLD);
        ck_assert_int_eq(chmod(a->name, 0600), 0);
    }
}

static fur_status write_text(const attempt *a)
{
    const fur_mtx_write_options options = {.size = sizeof options, .sync = is_synced(a)};
    prepare(a);
    return fur_mtx_write_csr(large, a->name, &options);
}

static fur_status write_binary(const attempt *a)
{
    const fur_binary_write_options options = {.size = sizeof options, .sync = is_synced(a)};
    prepare(a);
    return fur_binary_write_csr(large, a->name, &options);
}

static fur_status write_vector(const attempt *a)
{
    const fur_mtx_write_options options = {.size = sizeof options, .sync = is_synced(a)};
    prepare(a);
    return fur_mtx_write_vector(x, a->name, &options);
}

static const attempt writes[] = {
    {"a.mtx", write_text, FUR_OK, 0},
#ifdef FURROW_HAVE_GZIP
    {"a.mtx.gz", write_text, FUR_OK, 0},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"a.mtx.zst", write_text, FUR_OK, 0},
#endif
    {"a.fur", write_binary, FUR_OK, 0},   {"x.mtx", write_vector, FUR_OK, 0},
};

static bool have_same_bytes(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0 || of_a.st_size != of_b.st_size)
        return false;
    char *bytes_of_a = scratch_read(a), *bytes_of_b = scratch_read(b);
    bool same = memcmp(bytes_of_a, bytes_of_b, (size_t)of_a.st_size) == 0;
    free(bytes_of_a);
    free(bytes_of_b);
    return same;
}

static bool is_old(const attempt *a)
{
    if (!is_replacing(a))
        return access(a->name, F_OK) != 0;
    char *text = scratch_read(a->name);
    bool same = strcmp(text, OLD) == 0;
    free(text);
    return same;
}

/* Checks that there is the new file after success and the old file after a failure. Exception: if
 * only syncing the name to the disk failed, the new file is there. */
static void check_written(const attempt *a, fur_status status)
{
    bool old = is_old(a);
    ck_assert_msg(!old || status != FUR_OK, "%s is the old file, after success", a->name);
    ck_assert_msg(old || status == FUR_OK || is_synced(a), "%s is not the old file, after %s",
                  a->name, trial.hit);
    ck_assert(old || have_same_bytes(a->name, "expected"));
    ck_assert_int_eq(scratch_count(), 1 + (!old || is_replacing(a))); /* 1: "expected" */
    struct stat found;
    if (is_replacing(a) && stat(a->name, &found) == 0)
        ck_assert_int_eq(found.st_mode & 077, 0);
}

START_TEST(writing_survives_every_failing_call)
{
    attempt a = writes[_i / WAYS];
    ck_assert_int_eq(a.run(&a), FUR_OK);
    ck_assert_int_eq(rename(a.name, "expected"), 0);
    a.variant = _i % WAYS;
    try_all(&a, check_written);
}
END_TEST

/* Writes to standard output: to a pipe if `variant` is set, otherwise to a file. */
static fur_status write_output(const attempt *a)
{
    int ends[2] = {-1, -1};
    fflush(stdout);
    int output = dup(STDOUT_FILENO);
    if (a->variant)
        ck_assert_int_eq(pipe(ends), 0);
    else
        ends[1] = open("printed", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ck_assert_int_ge(dup2(ends[1], STDOUT_FILENO), 0);
    close(ends[1]);
    fur_status status = fur_mtx_write_csr(small, "-", NULL);
    ck_assert_int_ge(dup2(output, STDOUT_FILENO), 0);
    close(output);
    if (a->variant) {
        char text[1000];
        ssize_t size = read(ends[0], text, sizeof text);
        ck_assert_int_ge(size, 0);
        scratch_write_bytes("printed", text, (size_t)size);
        close(ends[0]);
    }
    return status;
}

static void check_printed(const attempt *a, fur_status status)
{
    (void)a;
    char *printed = scratch_read("printed"), *expected = scratch_read("expected");
    if (status == FUR_OK)
        ck_assert_str_eq(printed, expected);
    else
        ck_assert_int_eq(strncmp(printed, expected, strlen(printed)), 0);
    free(printed);
    free(expected);
}

START_TEST(printing_survives_every_failing_call)
{
    const attempt a = {"standard output", write_output, FUR_OK, _i};
    ck_ok(context, fur_mtx_write_csr(small, "expected", NULL));
    try_all(&a, check_printed);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, reading_survives_every_failing_call, 0, COUNT_OF(reads));
    tcase_add_turns(tests, writing_survives_every_failing_call, WAYS * COUNT_OF(writes), 2);
    tcase_add_loop_test(tests, printing_survives_every_failing_call, 0, 2);
}

int main(void)
{
    return scratch_run("system_faults", add);
}
