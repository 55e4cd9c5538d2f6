/* More than 2^31 entries on a GPU. The matrix is built in the device's memory. Its rows repeat with
 * a period that divides no power of two, so a position cut to 31 or 32 bits shows. The test is
 * skipped, visibly, if the memory is too small or FURROW_TEST_SMALL is set. */
#include "cuda_support.h"

#include <math.h>
#include <string.h>

#define ROW_ENTRIES 64
#define PERIOD 3001 /* number of rows */
#define ROWS ((INT64_C(1) << 31) / ROW_ENTRIES + 12345)
#define ENTRIES (ROWS * ROW_ENTRIES)
#define COLS 100000

/* A kernel's storage may need as much memory as the matrix, and more while it is built. */
#define NEEDED_BYTES (5 * ENTRIES * (int64_t)(sizeof(float) + sizeof(int32_t)) / 2)

/* Fills the rows of one period. */
static int64_t fill_period(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    int64_t column = row * 31;
    (void)s;
    for (int k = 0; k < ROW_ENTRIES; k++) {
        columns[k] = (int32_t)column;
        column += 1 + rng_below(r, 50);
    }
    return ROW_ENTRIES;
}

static const shape period = {"period", PERIOD, COLS, fill_period, 0};

/* Returns `bytes` bytes of device memory that repeat the pattern. Each copy doubles the filled
 * part. */
static void *repeated(const void *pattern_bytes, size_t size, size_t bytes)
{
    char *data = NULL;
    ck_cuda(cudaMalloc((void **)&data, bytes));
    ck_cuda(cudaMemcpy(data, pattern_bytes, size, cudaMemcpyHostToDevice));
    for (size_t filled = size; filled < bytes; filled *= 2) {
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        ck_cuda(cudaMemcpy(data + filled, data, more, cudaMemcpyDeviceToDevice));
    }
    ck_cuda(cudaDeviceSynchronize());
    return data;
}

static void *regular_offsets(void)
{
    size_t bytes = ((size_t)ROWS + 1) * sizeof(int64_t);
    int64_t *host = malloc(bytes);
    ck_assert_ptr_nonnull(host);
    for (int64_t i = 0; i <= ROWS; i++)
        host[i] = i * ROW_ENTRIES;
    void *device = device_copy(host, bytes, 0);
    free(host);
    return device;
}

static bool memory_suffices(void)
{
    size_t available = 0;
    size_t total = 0;
    ck_cuda(cudaMemGetInfo(&available, &total));
    if (!test_small() && available >= (size_t)NEEDED_BYTES)
        return true;
    printf("skipped: over 2^31 entries need %lld GB of the device, %zu are free%s\n",
           (long long)(NEEDED_BYTES >> 30), available >> 30,
           test_small() ? " (and FURROW_TEST_SMALL is set)" : "");
    fflush(stdout);
    return false;
}

/* The matrix, and the expected product for one period of rows. */
typedef struct fixture {
    fur_context *context;
    pattern pattern;
    float *values;
    float *entries; /* entries of x */
    fur_csr_view device;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
    float *expected;
    float *result;
} fixture;

static void fixture_open(fixture *f)
{
    rng r = rng_stream(1);
    size_t entries = (size_t)ENTRIES;
    memset(f, 0, sizeof *f);
    f->context = context_cuda();
    f->pattern = pattern_make(&period, &r);
    f->values = entries_random(&r, FUR_F32, f->pattern.entries);
    f->entries = entries_random(&r, FUR_F32, COLS);
    f->expected = entries_make(FUR_F32, PERIOD);
    f->result = entries_make(FUR_F32, ROWS);
    fur_csr_view host = {sizeof host,
                         PERIOD,
                         COLS,
                         f->pattern.entries,
                         FUR_F32,
                         FUR_I64,
                         f->pattern.offsets,
                         f->pattern.columns,
                         f->values};
    float *zeros = f->expected;
    f->expected = reference_product(fur_context_host(f->context), &host, FUR_OP_N, fur_real(1),
                                    f->entries, fur_real(0), zeros);
    free(zeros);
    size_t size = (size_t)f->pattern.entries * sizeof(float);
    f->device = (fur_csr_view){sizeof(fur_csr_view),
                               ROWS,
                               COLS,
                               ENTRIES,
                               FUR_F32,
                               FUR_I64,
                               regular_offsets(),
                               repeated(f->pattern.columns, size, entries * sizeof(int32_t)),
                               repeated(f->values, size, entries * sizeof(float))};
    ck_ok(f->context, fur_csr_create(f->context, &f->device, FUR_OWNERSHIP_BORROW, &f->a));
    f->x = vector_from(f->context, FUR_F32, COLS, f->entries);
    ck_ok(f->context, fur_vector_create(f->context, FUR_F32, ROWS, &f->y));
}

static void fixture_close(fixture *f)
{
    fur_vector_destroy(f->y);
    fur_vector_destroy(f->x);
    fur_csr_destroy(f->a);
    fur_context_destroy(f->context);
    device_arrays_release(&f->device, 0);
    free(f->result);
    free(f->expected);
    free(f->entries);
    free(f->values);
    pattern_release(&f->pattern);
}

/* Returns whether y agrees. All moduli are below 1; test_cuda_spmv.c derives the bound. */
static bool agrees(float y, float expected, bool exact)
{
    double bound = 2 * (ROW_ENTRIES + 2) * value_epsilon(FUR_F32) * ROW_ENTRIES;
    return exact ? y == expected : fabs((double)y - (double)expected) <= bound;
}

static void check_rows(const fixture *f, const char *kernel, bool exact)
{
    for (int64_t i = 0; i < ROWS; i++)
        if (!agrees(f->result[i], f->expected[i % PERIOD], exact))
            ck_abort_msg("kernel %s: y[%lld] = %a, expected %a", kernel, (long long)i,
                         (double)f->result[i], (double)f->expected[i % PERIOD]);
}

/* Checks a product by a kernel. The kernel may refuse if its storage exceeds the memory or does not
 * suit the matrix. */
static void check_kernel(fixture *f, int kernel)
{
    fur_kernel_info info = kernel_info(f->context, kernel);
    fur_spmv_options options = {.size = sizeof options, .kernel = info.name};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(f->a, &options, &plan);
    if (status != FUR_OK) {
        printf("%s: %s\n", info.name, fur_context_error(f->context));
        ck_assert(status == FUR_OUT_OF_MEMORY || status == FUR_UNSUPPORTED);
        return;
    }
    ck_ok(f->context, fur_vector_fill(f->y, fur_real(NAN)));
    ck_ok(f->context, fur_spmv_apply(plan, fur_real(1), f->x, fur_real(0), f->y));
    ck_ok(f->context, fur_vector_download(f->y, f->result));
    check_rows(f, info.name, info.exact);
    fur_spmv_destroy(plan);
}

static void check_statistics(const fixture *f)
{
    fur_csr_statistics s = FUR_DEFAULT(fur_csr_statistics);
    ck_ok(f->context, fur_csr_measure(f->a, &s));
    ck_assert(s.row_min == ROW_ENTRIES && s.row_max == ROW_ENTRIES && s.row_mean == ROW_ENTRIES);
    ck_assert_int_eq(s.empty_rows, 0);
    ck_assert_int_gt(s.profile, 0);
}

START_TEST(positions_above_2_to_31_are_right)
{
    fixture f;
    if (!memory_suffices())
        return;
    fixture_open(&f);
    check_statistics(&f);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, f.context); kernel++)
        check_kernel(&f, kernel);
    fflush(stdout);
    fixture_close(&f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, positions_above_2_to_31_are_right);
}

int main(void)
{
    return run_gpu_tests("cuda_large", add_tests);
}
