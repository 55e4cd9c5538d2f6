/* Shared by the unit tests of the library: test runs with a printed seed, random numbers, and
 * contexts of every instruction set or of a GPU. Also: allocators that count or fail, and memory
 * that ends at an unmapped page. Also: entries of any value type, patterns of many shapes, and
 * assertions about statuses and their messages. */
#ifndef FURROW_TESTS_SUPPORT_H
#define FURROW_TESTS_SUPPORT_H

#include <furrow/author.h>
#include <furrow/furrow.h>

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Sanitizers and unoptimised builds run many times slower; loops over sizes and configurations
 * shrink with them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#    define TEST_SLOW 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define TEST_SLOW 1
#    endif
#endif
#ifndef TEST_SLOW
#    define TEST_SLOW 0
#endif

/* Loops i over 0 .. count - 1. Slow builds visit one i of every `rest`; `turn` selects which. */
#define FOR_TURNS(i, count, rest, turn)                                                            \
    for (int i = TEST_SLOW ? (int)((turn) % (rest)) : 0; i < (count); i += TEST_SLOW ? (rest) : 1)

/* Adds a loop of tests over 0 .. count - 1. Slow builds add one of every `rest`; the seed selects
 * which. */
void tcase_add_turns(TCase *tests, const TTest *test, int count, int rest);

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* Check's _mark_point records the line of every assertion that holds, by a system call, to tell
 * where a test has crashed. That takes half of the time of tests that check many numbers. Here each
 * line is recorded the first time only. */
void test_mark(const char *file, int line);
#define _mark_point(file, line) test_mark(file, line) /* NOLINT(bugprone-reserved-identifier) */

/* Runs the tests that `add` adds, each in a separate process, and returns main's exit status.
 * Prints the seed and the instruction sets that this machine lacks.
 *
 * The tests run on the CPU. If FURROW_TEST_DEVICE is "cuda", they run on the first GPU: then
 * context_make and context_counting open it. If there is none, run_tests prints "skipped: " and the
 * library's sentence and returns ctest's status for a skipped test. A separate process asks for
 * CUDA, because a process that has used it cannot fork the tests. */
int run_tests(const char *name, void (*add)(TCase *tests));
/* As run_tests, for tests that only a GPU can run. */
int run_gpu_tests(const char *name, void (*add)(TCase *tests));
#define TEST_SKIPPED 77

/* Returns whether the tests run on a GPU. */
bool on_gpu(void);

/* Returns whether FURROW_TEST_SMALL is set: tests of a GPU then shrink to what compute-sanitizer
 * runs in about a minute. */
bool test_small(void);
/* Whether loops shrink, because the build is slow or FURROW_TEST_SMALL is set. */
#define TEST_SHORT (TEST_SLOW || test_small())

/* Random numbers. Each stream number gives separate random numbers, which FURROW_SEED repeats. */
typedef struct rng {
    uint64_t state;
} rng;

rng rng_stream(uint64_t number);
uint64_t rng_bits(rng *r);
/* Returns a number of 0 .. limit-1. */
int64_t rng_below(rng *r, int64_t limit);
/* Returns a number that is uniform in (-1, 1). */
double rng_unit(rng *r);
/* Returns a value of the type whose parts are in (-1, 1). */
fur_scalar rng_scalar(rng *r, fur_value_type value);
/* Returns a permutation of 0 .. n-1; the caller frees it. */
int32_t *rng_order(rng *r, int64_t n);

/* isa_name returns the instruction sets of this machine in order, and NULL after the last. On a GPU
 * there is one name, "cuda", which context_make ignores. context_make opens a context of the device
 * under test. */
const char *isa_name(int index);
fur_context *context_make(const char *isa, int threads);
/* Opens a context of the CPU, whichever device is tested. */
fur_context *context_cpu(const char *isa, int threads);
/* Opens the first GPU. The context makes its own stream and allocates its own memory. */
fur_context *context_cuda(void);

/* State of an allocator that counts its calls. If fail_at = n > 0, call n returns NULL. */
typedef struct memory {
    int64_t calls;
    int64_t outstanding;
    int64_t fail_at;
    void *stream; /* the cudaStream_t in whose order GPU memory is allocated */
} memory;

fur_allocator memory_allocator(memory *m);
/* As memory_allocator, for memory of a GPU. */
fur_allocator memory_allocator_far(memory *m);
/* Opens a context whose memory is counted; on a GPU in host and device memory together. Its stream
 * belongs to the tests and orders the memory of the device. As no allocation waits, a wait that the
 * library lacks can show. */
fur_context *context_counting(memory *m, const char *isa, int threads);

/* Copies the bytes into memory of the device under test, `shift` bytes after an address aligned to
 * 256. The caller releases the copy with the same shift. */
void *device_copy(const void *data, size_t bytes, size_t shift);
void device_copy_release(const void *data, size_t shift);
/* Copies bytes between any two places of the host and the device under test. */
void device_move(void *to, const void *from, size_t bytes);

/* Allocates memory that ends at an unmapped page, so that a read past its end crashes. */
void *guard_allocate(size_t bytes);
void guard_release(void *data, size_t bytes);

/* Get or set entry i of an array of the value type. */
fur_scalar entry_get(fur_value_type value, const void *array, int64_t i);
void entry_set(fur_value_type value, void *array, int64_t i, fur_scalar entry);
/* Returns the scalar rounded to the value type. */
fur_scalar entry_round(fur_value_type value, fur_scalar entry);
/* Returns epsilon, the distance from 1 to the next number. The largest relative rounding error is
 * epsilon / 2. */
double value_epsilon(fur_value_type value);
/* Returns the smallest positive number of the type, which is subnormal. */
double value_tiny(fur_value_type value);
bool value_is_complex(fur_value_type value);

/* Returns the first entry whose bits differ in a part, or -1. All NaN count as equal, because the
 * compiler chooses which of two NaN operands an instruction returns. */
int64_t first_difference(fur_value_type value, int64_t n, const void *a, const void *b);

/* Return n entries, zero or random, in memory that the caller frees. */
void *entries_make(fur_value_type value, int64_t n);
void *entries_random(rng *r, fur_value_type value, int64_t n);

/* Return a vector with random entries, or with a copy of the given entries. */
fur_vector *vector_random(fur_context *context, rng *r, fur_value_type value, int64_t n);
fur_vector *vector_from(fur_context *context, fur_value_type value, int64_t n, const void *entries);
/* Copies the vector's entries, on host or device, to memory that the caller frees. */
void *vector_entries(const fur_vector *x);
/* Fails unless two vectors of one type and size have the same bits. */
void ck_same_bits(const fur_vector *x, const fur_vector *y);

/* Returns a random permutation. */
fur_permutation *permutation_random(fur_context *context, rng *r, int64_t n);

/* The positions of a matrix's entries. */
typedef struct pattern {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int64_t *offsets;
    int32_t *columns;
} pattern;

/* A family of patterns with its sizes. */
typedef struct shape {
    const char *name;
    int64_t rows;
    int64_t cols;
    /* Writes the columns of a row in increasing order and returns their number. */
    int64_t (*fill)(const struct shape *s, rng *r, int64_t row, int32_t *columns);
    int64_t parameter; /* its meaning depends on fill */
} shape;

/* All shapes: empty, tall, wide, dense rows and columns, grids, bands, random, skewed rows. */
extern const shape shapes[];
extern const int shape_count;
/* Returns the index of the shape with this name. */
int shape_find(const char *name);

pattern pattern_make(const shape *s, rng *r);
void pattern_release(pattern *p);

/* Makes arrays with the pattern and the given values for FUR_OWNERSHIP_BORROW. Each ends at a guard
 * page. */
fur_csr_view arrays_make(const pattern *p, fur_value_type value, fur_offset_type offset,
                         const void *values);
void arrays_release(fur_csr_view *arrays);
int64_t offset_at(const fur_csr_view *a, int64_t row);

/* Copies a matrix's arrays to memory of the device under test. Each array is shifted by `shift` of
 * its elements. */
fur_csr_view device_arrays(const fur_csr_view *arrays, size_t shift);
void device_arrays_release(const fur_csr_view *arrays, size_t shift);

/* Returns a matrix that borrows the arrays, so that a read past their ends crashes. On a GPU the
 * matrix copies them. */
fur_csr *matrix_lent(fur_context *context, const fur_csr_view *arrays);
#define LENT (on_gpu() ? FUR_OWNERSHIP_COPY : FUR_OWNERSHIP_BORROW)

/* Returns a matrix of a shape with random values. */
fur_csr *matrix_random(fur_context *context, rng *r, const shape *s, fur_value_type value,
                       fur_offset_type offset);
/* Return a copy of the matrix in a context, or on the host. */
fur_csr *matrix_in(fur_context *context, const fur_csr *a);
fur_csr *matrix_near(const fur_csr *a);
/* Fails unless two matrices, on host or device, have the same offset type and the same entries bit
 * for bit. */
void ck_same_matrix(const fur_csr *a, const fur_csr *b, const char *what);

/* Asserts that the call succeeds. If it fails, the message shows the context's last error. */
#define ck_ok(context, call)                                                                       \
    do {                                                                                           \
        fur_status ck_status = (call);                                                             \
        ck_assert_msg(ck_status == FUR_OK, "%s: %s: %s", #call, fur_status_name(ck_status),        \
                      fur_context_error(context));                                                 \
    } while (0)

/* Asserts that the call fails with this status and exactly this message. */
#define ck_fails(context, expected, sentence, call)                                                \
    do {                                                                                           \
        fur_status ck_status = (call);                                                             \
        ck_assert_msg(ck_status == (expected), "%s: %s", #call, fur_status_name(ck_status));       \
        ck_assert_str_eq(fur_context_error(context), sentence);                                    \
    } while (0)

/* Returns the number of kernels in a list. */
static inline int kernel_count(const fur_kernel_info *(*at)(const fur_context *, int),
                               const fur_context *context)
{
    int count = 0;
    while (at(context, count))
        count++;
    return count;
}

/* Returns a method of fur_solver that needs only an operator: all except "direct", which is last.
 */
static inline const fur_method_info *method_at(int index)
{
    return fur_solver_method_at(index + 1) ? fur_solver_method_at(index) : NULL;
}

#endif
