/* See support.h. */
#include "support.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_SECONDS 900

static uint64_t seed;
static const char *isas[4];
static bool gpu;

bool on_gpu(void)
{
    return gpu;
}

static void find_isas(void)
{
    if (gpu) {
        isas[0] = "cuda";
        return;
    }
    static const char *const known[] = {"portable", "avx2", "avx512"};
    int found = 0;
    for (int i = 0; i < COUNT_OF(known); i++) {
        fur_context_options options = {.size = sizeof options, .threads = 1, .isa = known[i]};
        fur_context *context;
        if (fur_context_create(&options, &context) == FUR_OK) {
            isas[found++] = known[i];
            fur_context_destroy(context);
        } else {
            printf("SKIPPED for isa %s: %s\n", known[i], fur_context_error(NULL));
        }
    }
}

static int run(const char *name, void (*add)(TCase *tests))
{
    random_start();
    seed = random_state;
    find_isas();
    fflush(stdout);
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, TIMEOUT_SECONDS);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}

void tcase_add_turns(TCase *tests, const TTest *test, int count, int rest)
{
    rng r = rng_stream(UINT64_MAX);
    FOR_TURNS (i, count, rest, rng_below(&r, rest))
        tcase_add_loop_test(tests, test, i, i + 1);
}

#define LINES_MAX 4096

void test_mark(const char *file, int line)
{
    static atomic_bool marked[LINES_MAX];
    atomic_bool *mark = &marked[line % LINES_MAX];
    if (atomic_load_explicit(mark, memory_order_relaxed))
        return;
    atomic_store_explicit(mark, true, memory_order_relaxed);
    (_mark_point)(file, line);
}

bool test_small(void)
{
    const char *small = getenv("FURROW_TEST_SMALL");
    return small && *small;
}

/* Returns TEST_SKIPPED if no GPU is found. Runs in a child process, because a process that has used
 * CUDA cannot fork the tests. */
static int find_gpu(void)
{
    fur_context_options options = {.size = sizeof options, .device = "cuda"};
    fur_context *context = NULL;
    if (fur_context_create(&options, &context) != FUR_UNSUPPORTED)
        return 0;
    printf("skipped: %s\n", fur_context_error(NULL));
    fflush(stdout);
    return TEST_SKIPPED;
}

int run_gpu_tests(const char *name, void (*add)(TCase *tests))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(find_gpu());
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return EXIT_FAILURE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
        return TEST_SKIPPED;
    gpu = true;
    return run(name, add);
}

int run_tests(const char *name, void (*add)(TCase *tests))
{
    const char *device = getenv("FURROW_TEST_DEVICE");
    if (!device || strcmp(device, "cpu") == 0)
        return run(name, add);
    if (strcmp(device, "cuda") == 0)
        return run_gpu_tests(name, add);
    fprintf(stderr, "FURROW_TEST_DEVICE is \"%s\"; it may be \"cpu\" or \"cuda\"\n", device);
    return EXIT_FAILURE;
}

rng rng_stream(uint64_t number)
{
    rng r = {seed ^ (number + 1) * UINT64_C(0xd1342543de82ef95)};
    return r;
}

uint64_t rng_bits(rng *r)
{
    random_state = r->state;
    uint64_t bits = random_bits();
    r->state = random_state;
    return bits;
}

int64_t rng_below(rng *r, int64_t limit)
{
    return (int64_t)(rng_bits(r) % (uint64_t)limit);
}

double rng_unit(rng *r)
{
    return (double)(int64_t)(rng_bits(r) >> 11 | 1) * 0x1p-52 - 1;
}

fur_scalar rng_scalar(rng *r, fur_value_type value)
{
    double re = rng_unit(r);
    double im = value_is_complex(value) ? rng_unit(r) : 0;
    return entry_round(value, fur_complex(re, im));
}

int32_t *rng_order(rng *r, int64_t n)
{
    int32_t *order = malloc((size_t)n * sizeof *order + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = rng_below(r, i + 1);
        if (j != i)
            order[i] = order[j];
        order[j] = (int32_t)i;
    }
    return order;
}

const char *isa_name(int index)
{
    return isas[index];
}

static fur_context *make_context(fur_context_options options)
{
    fur_context *context = NULL;
    options.size = sizeof options;
    ck_ok(NULL, fur_context_create(&options, &context));
    return context;
}

fur_context *context_make(const char *isa, int threads)
{
    if (gpu)
        return make_context((fur_context_options){.device = "cuda", .threads = threads});
    return context_cpu(isa, threads);
}

fur_context *context_cpu(const char *isa, int threads)
{
    return make_context((fur_context_options){.isa = isa, .threads = threads});
}

fur_context *context_cuda(void)
{
    return make_context((fur_context_options){.device = "cuda"});
}

/* Allocates memory and fills it with one bits, which are NaN and -1. So a test sees a read of
 * memory that was not set. */
static void *counting_allocate(void *user, size_t bytes)
{
    memory *m = user;
    ck_assert_uint_gt(bytes, 0);
    if (++m->calls == m->fail_at)
        return NULL;
    size_t rounded = (bytes + 63) / 64 * 64;
    void *data = aligned_alloc(64, rounded);
    if (data) {
        memset(data, 0xff, rounded);
        m->outstanding++;
    }
    return data;
}

static void counting_release(void *user, void *data)
{
    memory *m = user;
    ck_assert_ptr_nonnull(data);
    m->outstanding--;
    free(data);
}

fur_allocator memory_allocator(memory *m)
{
    return (fur_allocator){counting_allocate, counting_release, m};
}

#ifdef FURROW_TEST_CUDA
#    include <cuda_runtime_api.h>

static void ck_cuda(cudaError_t error)
{
    ck_assert_msg(error == cudaSuccess, "%s", cudaGetErrorString(error));
}

static void *cuda_allocate(size_t bytes)
{
    void *data = NULL;
    ck_cuda(cudaMalloc(&data, bytes + 1));
    return data;
}

static void cuda_release(void *data)
{
    ck_cuda(cudaDeviceSynchronize());
    ck_cuda(cudaFree(data));
}

/* Synchronises the device before and after, because the contexts' streams do not wait for the
 * default stream. */
static void cuda_move(void *to, const void *from, size_t bytes)
{
    ck_cuda(cudaDeviceSynchronize());
    ck_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    ck_cuda(cudaDeviceSynchronize());
}

/* As counting_allocate, but in GPU memory and in the order of the stream. */
static void *counting_allocate_far(void *user, size_t bytes)
{
    memory *m = user;
    void *data = NULL;
    ck_assert_uint_gt(bytes, 0);
    if (++m->calls == m->fail_at)
        return NULL;
    if (cudaMallocAsync(&data, bytes, m->stream) != cudaSuccess)
        return NULL;
    ck_cuda(cudaMemsetAsync(data, 0xff, bytes, m->stream));
    m->outstanding++;
    return data;
}

static void counting_release_far(void *user, void *data)
{
    memory *m = user;
    ck_assert_ptr_nonnull(data);
    m->outstanding--;
    ck_cuda(cudaFreeAsync(data, m->stream));
}

fur_allocator memory_allocator_far(memory *m)
{
    return (fur_allocator){counting_allocate_far, counting_release_far, m};
}

/* Returns the stream that all contexts of context_counting share. */
static void *counting_stream(void)
{
    static cudaStream_t stream;
    if (!stream)
        ck_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}
#else
static void *cuda_allocate(size_t bytes)
{
    (void)bytes;
    ck_abort_msg("this build has no GPU");
    return NULL;
}

static void cuda_release(void *data)
{
    (void)data;
}

static void cuda_move(void *to, const void *from, size_t bytes)
{
    (void)to;
    (void)from;
    (void)bytes;
}

fur_allocator memory_allocator_far(memory *m)
{
    return memory_allocator(m);
}

static void *counting_stream(void)
{
    return NULL;
}
#endif

#define DEVICE_ALIGNMENT 256

static void *device_allocate(size_t bytes)
{
    if (gpu)
        return cuda_allocate(bytes);
    size_t rounded = (bytes / DEVICE_ALIGNMENT + 1) * DEVICE_ALIGNMENT;
    void *data = aligned_alloc(DEVICE_ALIGNMENT, rounded);
    ck_assert_ptr_nonnull(data);
    return data;
}

static void device_free(void *data)
{
    if (gpu)
        cuda_release(data);
    else
        free(data);
}

void device_move(void *to, const void *from, size_t bytes)
{
    if (gpu && bytes > 0)
        cuda_move(to, from, bytes);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

void *device_copy(const void *data, size_t bytes, size_t shift)
{
    char *copy = device_allocate(shift + bytes);
    device_move(copy + shift, data, bytes);
    return copy + shift;
}

void device_copy_release(const void *data, size_t shift)
{
    device_free((void *)((uintptr_t)data - shift));
}

fur_context *context_counting(memory *m, const char *isa, int threads)
{
    fur_context_options options = {
        .isa = isa, .threads = threads, .allocator = memory_allocator(m)};
    if (gpu) {
        m->stream = counting_stream();
        options.isa = NULL;
        options.device = "cuda";
        options.device_allocator = memory_allocator_far(m);
        options.stream = m->stream;
    }
    return make_context(options);
}

/* Returns the bytes of all pages of the data and of one guard page after them. */
static size_t guard_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page + page;
}

void *guard_allocate(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t all = guard_pages(bytes);
    char *start = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(start, MAP_FAILED);
    ck_assert_int_eq(mprotect(start + all - page, page, PROT_NONE), 0);
    return start + all - page - bytes;
}

void guard_release(void *data, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t all = guard_pages(bytes);
    ck_assert_int_eq(munmap((char *)data + bytes + page - all, all), 0);
}

static bool is_single(fur_value_type value)
{
    return value == FUR_F32 || value == FUR_C64;
}

bool value_is_complex(fur_value_type value)
{
    return value == FUR_C64 || value == FUR_C128;
}

double value_epsilon(fur_value_type value)
{
    return is_single(value) ? FLT_EPSILON : DBL_EPSILON;
}

double value_tiny(fur_value_type value)
{
    return is_single(value) ? 0x1p-149 : 0x1p-1074;
}

static int parts_of(fur_value_type value)
{
    return value_is_complex(value) ? 2 : 1;
}

static double part_get(fur_value_type value, const void *array, int64_t part)
{
    return is_single(value) ? ((const float *)array)[part] : ((const double *)array)[part];
}

static void part_set(fur_value_type value, void *array, int64_t part, double number)
{
    if (is_single(value))
        ((float *)array)[part] = (float)number;
    else
        ((double *)array)[part] = number;
}

fur_scalar entry_get(fur_value_type value, const void *array, int64_t i)
{
    int parts = parts_of(value);
    return (fur_scalar){part_get(value, array, parts * i),
                        parts > 1 ? part_get(value, array, parts * i + 1) : 0};
}

void entry_set(fur_value_type value, void *array, int64_t i, fur_scalar entry)
{
    int parts = parts_of(value);
    part_set(value, array, parts * i, entry.re);
    if (parts > 1)
        part_set(value, array, parts * i + 1, entry.im);
}

fur_scalar entry_round(fur_value_type value, fur_scalar entry)
{
    bool single = is_single(value);
    return (fur_scalar){single ? (float)entry.re : entry.re,
                        value_is_complex(value) ? (single ? (float)entry.im : entry.im) : 0};
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

int64_t first_difference(fur_value_type value, int64_t n, const void *a, const void *b)
{
    if (n == 0 || memcmp(a, b, (size_t)n * fur_value_size(value)) == 0)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar p = entry_get(value, a, i);
        fur_scalar q = entry_get(value, b, i);
        if (!same_number(p.re, q.re) || !same_number(p.im, q.im))
            return i;
    }
    return -1;
}

void *entries_make(fur_value_type value, int64_t n)
{
    void *entries = calloc((size_t)n + 1, fur_value_size(value));
    ck_assert_ptr_nonnull(entries);
    return entries;
}

void *entries_random(rng *r, fur_value_type value, int64_t n)
{
    void *entries = entries_make(value, n);
    for (int64_t i = 0; i < n; i++)
        entry_set(value, entries, i, rng_scalar(r, value));
    return entries;
}

fur_vector *vector_from(fur_context *context, fur_value_type value, int64_t n, const void *entries)
{
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &x));
    ck_ok(context, fur_vector_upload(entries, x));
    return x;
}

void *vector_entries(const fur_vector *x)
{
    void *entries = entries_make(fur_vector_value_type(x), fur_vector_size(x));
    ck_ok(fur_vector_context(x), fur_vector_download(x, entries));
    return entries;
}

void ck_same_bits(const fur_vector *x, const fur_vector *y)
{
    void *left = vector_entries(x);
    void *right = vector_entries(y);
    ck_assert_int_eq(first_difference(fur_vector_value_type(x), fur_vector_size(x), left, right),
                     -1);
    free(left);
    free(right);
}

fur_permutation *permutation_random(fur_context *context, rng *r, int64_t n)
{
    int32_t *order = rng_order(r, n);
    fur_permutation *p = NULL;
    ck_ok(context, fur_permutation_create(context, n, order, &p));
    free(order);
    return p;
}

fur_vector *vector_random(fur_context *context, rng *r, fur_value_type value, int64_t n)
{
    void *entries = entries_random(r, value, n);
    fur_vector *x = vector_from(context, value, n, entries);
    free(entries);
    return x;
}

static int64_t fill_none(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)s, (void)r, (void)row, (void)columns;
    return 0;
}

/* Writes `count` consecutive columns from `first` on, without those outside the matrix. */
static int64_t fill_from(const shape *s, int64_t first, int64_t count, int32_t *columns)
{
    int64_t n = 0;
    for (int64_t j = first < 0 ? 0 : first; j < first + count && j < s->cols; j++)
        columns[n++] = (int32_t)j;
    return n;
}

static int64_t fill_all(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r, (void)row;
    return fill_from(s, 0, s->cols, columns);
}

/* The band |i - j| <= parameter. */
static int64_t fill_band(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r;
    return fill_from(s, row - s->parameter, 2 * s->parameter + 1, columns);
}

/* One full row; all other rows have their diagonal entry only. */
static int64_t fill_dense_row(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r;
    return row == s->parameter ? fill_from(s, 0, s->cols, columns) : fill_from(s, row, 1, columns);
}

/* One full column; all other columns have their diagonal entry only. */
static int64_t fill_dense_column(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r;
    int64_t n = fill_from(s, row < s->parameter ? row : s->parameter, 1, columns);
    return n + (row != s->parameter
                    ? fill_from(s, row < s->parameter ? s->parameter : row, 1, columns + n)
                    : 0);
}

/* Columns at random distances with mean cols / count. */
static int64_t fill_scattered(const shape *s, rng *r, int64_t count, int32_t *columns)
{
    int64_t n = 0;
    if (count <= 0 || s->cols == 0)
        return 0;
    int64_t spread = 2 * s->cols / count;
    for (int64_t j = rng_below(r, spread + 1); j < s->cols; j += 1 + rng_below(r, spread))
        columns[n++] = (int32_t)j;
    return n;
}

/* Every fifth row is empty. The others have about 1 to 2 * parameter columns at random distances.
 */
static int64_t fill_random(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    return row % 5 == 3 ? 0 : fill_scattered(s, r, 1 + rng_below(r, 2 * s->parameter), columns);
}

/* Most rows have few entries and few rows have many: about parameter / k for a random k. */
static int64_t fill_skewed(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)row;
    int64_t count = s->parameter / (1 + rng_below(r, s->rows));
    return fill_scattered(s, r, count < s->cols / 2 ? count : s->cols / 2, columns);
}

/* Groups of consecutive columns, each of 1 to parameter columns. */
static int64_t fill_runs(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)row;
    int64_t n = 0;
    int64_t j = rng_below(r, 3);
    while (n < 24 && j < s->cols) {
        int64_t run = fill_from(s, j, 1 + rng_below(r, s->parameter), columns + n);
        n += run;
        j += run + 1 + rng_below(r, s->cols / 8 + 1);
    }
    return n;
}

/* The 7-point stencil on a grid of parameter x (parameter + 2) x depth. */
static int64_t fill_grid(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r;
    int64_t nx = s->parameter;
    int64_t plane = nx * (nx + 2);
    int64_t x = row % nx;
    int64_t y = row / nx % (nx + 2);
    const struct {
        bool there;
        int64_t step;
    } points[] = {{row >= plane, -plane},
                  {y > 0, -nx},
                  {x > 0, -1},
                  {true, 0},
                  {x + 1 < nx, 1},
                  {y + 1 < nx + 2, nx},
                  {row + plane < s->rows, plane}};
    int64_t n = 0;
    for (int i = 0; i < COUNT_OF(points); i++)
        if (points[i].there)
            columns[n++] = (int32_t)(row + points[i].step);
    return n;
}

#define LONG_ROW (4 * 4096 + 5)

/* Row lengths around powers of two: the sum of a long row is split into segments of such lengths.
 */
static const int64_t segment_lengths[] = {4095, 4096, 4097, 8192, LONG_ROW, 1,    0,    8193,
                                          63,   64,   65,   127,  128,      129,  255,  256,
                                          257,  511,  512,  513,  640,      1023, 1024, 1025};

static int64_t fill_segments(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    (void)r;
    return fill_from(s, row, segment_lengths[row], columns);
}

#define GRID 29
#define GRID_ROWS (GRID * (GRID + 2) * (TEST_SLOW ? 5 : 11))

const shape shapes[] = {
    {"0 x 0", 0, 0, fill_none, 0},
    {"0 x 7", 0, 7, fill_none, 0},
    {"7 x 0", 7, 0, fill_none, 0},
    {"1 x 1", 1, 1, fill_all, 0},
    {"no entries", 50, 60, fill_none, 0},
    {"diagonal", 37, 37, fill_band, 0},
    {"band", 203, 203, fill_band, 2},
    {"full", 23, 29, fill_all, 0},
    {"1 x N", 1, 5000, fill_all, 0},
    {"N x 1", 5000, 1, fill_all, 0},
    {"dense row", 300, 6000, fill_dense_row, 131},
    {"dense column", 6000, 300, fill_dense_column, 131},
    {"long rows", COUNT_OF(segment_lengths), LONG_ROW + 30, fill_segments, 0},
    {"tall", 3001, 17, fill_random, 3},
    {"wide", 17, 3001, fill_random, 200},
    {"empty rows", 1000, 1000, fill_random, 4},
    {"runs", 777, 900, fill_runs, 9},
    {"small grid", 7 * 9 * 5, 7 * 9 * 5, fill_grid, 7},
    {"grid", GRID_ROWS, GRID_ROWS, fill_grid, GRID},
    {"skewed", TEST_SLOW ? 5000 : 10000, 10000, fill_skewed, TEST_SLOW ? 4000 : 10000},
};
const int shape_count = COUNT_OF(shapes);

int shape_find(const char *name)
{
    for (int i = 0; i < shape_count; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return i;
    ck_abort_msg("there is no shape \"%s\"", name);
    return -1;
}

pattern pattern_make(const shape *s, rng *r)
{
    pattern p = {.rows = s->rows, .cols = s->cols};
    int64_t room = s->cols;
    p.offsets = calloc((size_t)p.rows + 1, sizeof *p.offsets);
    p.columns = malloc(((size_t)room + 1) * sizeof *p.columns);
    for (int64_t i = 0; i < p.rows; i++) {
        if (room < p.entries + p.cols) {
            room = 2 * (p.entries + p.cols);
            p.columns = realloc(p.columns, (size_t)room * sizeof *p.columns);
        }
        p.entries += s->fill(s, r, i, p.columns + p.entries);
        p.offsets[i + 1] = p.entries;
    }
    return p;
}

void pattern_release(pattern *p)
{
    free(p->offsets);
    free(p->columns);
}

static const void *guarded_copy(const void *data, size_t bytes)
{
    void *copy = guard_allocate(bytes);
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

static const void *guarded_offsets(const pattern *p, fur_offset_type offset)
{
    if (offset == FUR_I64)
        return guarded_copy(p->offsets, ((size_t)p->rows + 1) * sizeof(int64_t));
    int32_t *narrow = guard_allocate(((size_t)p->rows + 1) * sizeof *narrow);
    for (int64_t i = 0; i <= p->rows; i++)
        narrow[i] = (int32_t)p->offsets[i];
    return narrow;
}

fur_csr_view arrays_make(const pattern *p, fur_value_type value, fur_offset_type offset,
                         const void *values)
{
    size_t entries = (size_t)p->entries;
    return (fur_csr_view){
        .size = sizeof(fur_csr_view),
        .rows = p->rows,
        .cols = p->cols,
        .entries = p->entries,
        .value_type = value,
        .offset_type = offset,
        .offsets = guarded_offsets(p, offset),
        .columns = guarded_copy(p->columns, entries * sizeof(int32_t)),
        .values = guarded_copy(values, entries * fur_value_size(value)),
    };
}

void arrays_release(fur_csr_view *arrays)
{
    size_t entries = (size_t)arrays->entries;
    guard_release((void *)(uintptr_t)arrays->offsets,
                  ((size_t)arrays->rows + 1) * fur_offset_size(arrays->offset_type));
    guard_release((void *)(uintptr_t)arrays->columns, entries * sizeof(int32_t));
    guard_release((void *)(uintptr_t)arrays->values, entries * fur_value_size(arrays->value_type));
}

int64_t offset_at(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

fur_csr_view device_arrays(const fur_csr_view *arrays, size_t shift)
{
    fur_csr_view copy = *arrays;
    size_t offset = fur_offset_size(arrays->offset_type);
    size_t value = fur_value_size(arrays->value_type);
    size_t entries = (size_t)arrays->entries;
    copy.offsets =
        device_copy(arrays->offsets, ((size_t)arrays->rows + 1) * offset, shift * offset);
    copy.columns = device_copy(arrays->columns, entries * sizeof(int32_t), shift * sizeof(int32_t));
    copy.values = device_copy(arrays->values, entries * value, shift * value);
    return copy;
}

void device_arrays_release(const fur_csr_view *arrays, size_t shift)
{
    device_copy_release(arrays->offsets, shift * fur_offset_size(arrays->offset_type));
    device_copy_release(arrays->columns, shift * sizeof(int32_t));
    device_copy_release(arrays->values, shift * fur_value_size(arrays->value_type));
}

fur_csr *matrix_lent(fur_context *context, const fur_csr_view *arrays)
{
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, arrays, LENT, &a));
    return a;
}

fur_csr *matrix_random(fur_context *context, rng *r, const shape *s, fur_value_type value,
                       fur_offset_type offset)
{
    fur_csr *a = NULL;
    pattern p = pattern_make(s, r);
    void *values = entries_random(r, value, p.entries);
    fur_csr_view arrays = arrays_make(&p, value, offset, values);
    ck_ok(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    return a;
}

fur_csr *matrix_in(fur_context *context, const fur_csr *a)
{
    fur_csr *copy = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, context, &copy));
    return copy;
}

fur_csr *matrix_near(const fur_csr *a)
{
    return matrix_in(fur_context_host(fur_csr_context(a)), a);
}

void ck_same_matrix(const fur_csr *a, const fur_csr *b, const char *what)
{
    int equal = 0;
    ck_ok(fur_csr_context(a), fur_csr_compare(a, b, &equal));
    ck_assert_msg(equal, "%s differs", what);
    ck_assert_int_eq(fur_csr_get(a)->offset_type, fur_csr_get(b)->offset_type);
}
