/* Shared by the unit tests of the library: a run with a printed seed, random numbers, and contexts
 * of every instruction set or of a GPU. Also: memory that counts, fails or ends at an unmapped
 * page; entries of any value type; patterns of many shapes; assertions about statuses and their
 * sentences. */
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

/* Loops i over 0 .. count - 1; in slow builds over one in `rest`, others in other turns. */
#define FOR_TURNS(i, count, rest, turn)                                                            \
    for (int i = TEST_SLOW ? (int)((turn) % (rest)) : 0; i < (count); i += TEST_SLOW ? (rest) : 1)

/* Adds a loop of tests over 0 .. count - 1; in slow builds of one in `rest`, others with other
 * seeds. */
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
/* As above, for tests that only a GPU can run. */
int run_gpu_tests(const char *name, void (*add)(TCase *tests));
#define TEST_SKIPPED 77

/* Returns whether the tests run on a GPU. */
bool on_gpu(void);

/* Returns whether FURROW_TEST_SMALL is set: tests of a GPU then shrink to what compute-sanitizer
 * runs in about a minute. */
bool test_small(void);
/* Whether loops shrink, in this build or in this run. */
#define TEST_SHORT (TEST_SLOW || test_small())

/* Random numbers: a separate stream for every number, repeated by FURROW_SEED. */
typedef struct rng {
    uint64_t state;
} rng;

rng rng_stream(uint64_t number);
uint64_t rng_bits(rng *r);
/* 0 .. limit-1 */
int64_t rng_below(rng *r, int64_t limit);
/* Uniform in (-1, 1). */
double rng_unit(rng *r);
/* A value of the type with parts in (-1, 1). */
fur_scalar rng_scalar(rng *r, fur_value_type value);
/* A permutation of 0 .. n-1, to be freed. */
int32_t *rng_order(rng *r, int64_t n);

/* Contexts of the device under test. The instruction sets of this machine: names in order, NULL
 * past the last. On a GPU there is one name, "cuda", and context_make does not look at it. */
const char *isa_name(int index);
fur_context *context_make(const char *isa, int threads);
/* A context of the CPU, whatever device is tested. */
fur_context *context_cpu(const char *isa, int threads);
/* The first GPU, with a stream and memory of the context's own. */
fur_context *context_cuda(void);

/* An allocator that counts, and that refuses its n-th call if fail_at = n > 0. */
typedef struct memory {
    int64_t calls;
    int64_t outstanding;
    int64_t fail_at;
    void *stream; /* the cudaStream_t that orders memory of a GPU */
} memory;

fur_allocator memory_allocator(memory *m);
/* As above, for memory of a GPU. */
fur_allocator memory_allocator_far(memory *m);
/* On a GPU the context counts the memory of both sides. Its stream belongs to the tests and orders
 * the memory of the device: no allocation waits, so a missing wait of the library can show. */
fur_context *context_counting(memory *m, const char *isa, int threads);

/* Copies the bytes into memory of the device under test, `shift` bytes after an address aligned to
 * 256. The caller releases the copy with the same shift. */
void *device_copy(const void *data, size_t bytes, size_t shift);
void device_copy_release(const void *data, size_t shift);
/* Copies bytes from either side to either side. */
void device_move(void *to, const void *from, size_t bytes);

/* Memory that ends where the next page is unmapped, so that reading past its end is a crash. */
void *guard_allocate(size_t bytes);
void guard_release(void *data, size_t bytes);

/* Entry i of an array of the value type. */
fur_scalar entry_get(fur_value_type value, const void *array, int64_t i);
void entry_set(fur_value_type value, void *array, int64_t i, fur_scalar entry);
/* The scalar rounded to the value type. */
fur_scalar entry_round(fur_value_type value, fur_scalar entry);
/* Half the distance of 1 and the next number is the largest relative rounding error: epsilon / 2.
 */
double value_epsilon(fur_value_type value);
/* The smallest positive number of the type. */
double value_tiny(fur_value_type value);
bool value_is_complex(fur_value_type value);

/* First entry of which a part differs in its bits; -1 if none does. All NaN count as equal: which
 * of two NaN operands an instruction passes on is the compiler's choice. */
int64_t first_difference(fur_value_type value, int64_t n, const void *a, const void *b);

/* n entries in memory of malloc: zeros, random. */
void *entries_make(fur_value_type value, int64_t n);
void *entries_random(rng *r, fur_value_type value, int64_t n);

/* A vector with random entries; one with a copy of the entries given. */
fur_vector *vector_random(fur_context *context, rng *r, fur_value_type value, int64_t n);
fur_vector *vector_from(fur_context *context, fur_value_type value, int64_t n, const void *entries);
/* The vector's entries in memory of malloc, wherever the vector has them. */
void *vector_entries(const fur_vector *x);
/* Fails unless two vectors of one type and size have the same bits. */
void ck_same_bits(const fur_vector *x, const fur_vector *y);

/* A random permutation. */
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
    /* Writes the columns of a row in increasing order and returns how many there are. */
    int64_t (*fill)(const struct shape *s, rng *r, int64_t row, int32_t *columns);
    int64_t parameter; /* of fill */
} shape;

/* All shapes: empty, tall, wide, dense rows and columns, grids, bands, random, skewed rows. */
extern const shape shapes[];
extern const int shape_count;
/* The index of a shape by its name. */
int shape_find(const char *name);

pattern pattern_make(const shape *s, rng *r);
void pattern_release(pattern *p);

/* Arrays over a pattern for FUR_OWNERSHIP_BORROW, each at a guard page, with the values given. */
fur_csr_view arrays_make(const pattern *p, fur_value_type value, fur_offset_type offset,
                         const void *values);
void arrays_release(fur_csr_view *arrays);
int64_t offset_at(const fur_csr_view *a, int64_t row);

/* Copies of a matrix's arrays in memory of the device under test, each shifted by `shift` of its
 * elements. */
fur_csr_view device_arrays(const fur_csr_view *arrays, size_t shift);
void device_arrays_release(const fur_csr_view *arrays, size_t shift);

/* A matrix that borrows the arrays, so that reading past their ends is a crash. On a GPU it has
 * copies of them. */
fur_csr *matrix_lent(fur_context *context, const fur_csr_view *arrays);
#define LENT (on_gpu() ? FUR_OWNERSHIP_COPY : FUR_OWNERSHIP_BORROW)

/* A new matrix with random values. */
fur_csr *matrix_random(fur_context *context, rng *r, const shape *s, fur_value_type value,
                       fur_offset_type offset);
/* A copy of the matrix in a context; on the host. */
fur_csr *matrix_in(fur_context *context, const fur_csr *a);
fur_csr *matrix_near(const fur_csr *a);
/* Fails unless two matrices have the same entries, to the bit, and the same type of offsets,
 * wherever they lie. */
void ck_same_matrix(const fur_csr *a, const fur_csr *b, const char *what);

/* The call succeeds; the message shows the context's sentence. */
#define ck_ok(context, call)                                                                       \
    do {                                                                                           \
        fur_status ck_status = (call);                                                             \
        ck_assert_msg(ck_status == FUR_OK, "%s: %s: %s", #call, fur_status_name(ck_status),        \
                      fur_context_error(context));                                                 \
    } while (0)

/* The call fails with this status and exactly this sentence. */
#define ck_fails(context, expected, sentence, call)                                                \
    do {                                                                                           \
        fur_status ck_status = (call);                                                             \
        ck_assert_msg(ck_status == (expected), "%s: %s", #call, fur_status_name(ck_status));       \
        ck_assert_str_eq(fur_context_error(context), sentence);                                    \
    } while (0)

/* How many kernels a list has. */
static inline int kernel_count(const fur_kernel_info *(*at)(const fur_context *, int),
                               const fur_context *context)
{
    int count = 0;
    while (at(context, count))
        count++;
    return count;
}

/* The methods of fur_solver that need nothing but an operator: all but "direct", the last. */
static inline const fur_method_info *method_at(int index)
{
    return fur_solver_method_at(index + 1) ? fur_solver_method_at(index) : NULL;
}

#endif
