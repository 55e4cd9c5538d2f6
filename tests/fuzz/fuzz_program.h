/* A fuzzer's input as a program: the numbers that are drawn from its bytes, the log of the results
 * of its calls, and the limit of its memory. */
#ifndef FURROW_TESTS_FUZZ_PROGRAM_H
#define FURROW_TESTS_FUZZ_PROGRAM_H

#include "fuzz.h"

#include <stdbool.h>

/* Larger allocations are refused. */
#define MAX_BYTES ((size_t)64 << 20)

typedef struct run {
    const uint8_t *at; /* the rest of the program */
    const uint8_t *end;
    fur_context *context;
    int mode;         /* the caller's floating-point mode during calls (float_modes.h) */
    uint64_t control; /* the register of the mode, which calls must not change */
    int64_t fail_at;  /* the call of the allocator that fails; 0: none */
    int64_t calls;
    int64_t outstanding;
    char *log; /* of all results that must not depend on the threads */
    size_t length;
    size_t room;
} run;

/* Opens a context of `threads` threads whose memory is counted. Returns false if its memory is
 * refused. */
bool run_begin(run *r, const uint8_t *program, size_t size, int threads, int64_t fail_at);
/* Destroys the context and checks that all memory was freed. The caller frees the log. */
void run_end(run *r);

/* Draw numbers from the program; after its end they draw zeros. */
unsigned draw(run *r, unsigned limit); /* 0 .. limit - 1 */
uint64_t draw_bits(run *r);
int64_t draw_integer(run *r);     /* mostly small, sometimes a limit, sometimes any */
int draw_kind(run *r, int count); /* a value of an enumeration, sometimes an invalid one */
double draw_real(run *r);
fur_scalar draw_scalar(run *r);
/* Sets entries that are computed from a few bytes. */
void draw_entries(run *r, fur_value_type value, int64_t count, void *out);

/* Append to the log. All NaN are logged with the same bits, because the compiler chooses which of
 * two NaN an operation returns. */
void put(run *r, const void *bytes, size_t size);
void put_entries(run *r, fur_value_type value, int64_t count, const void *entries);
void put_vector(run *r, const fur_vector *x);
void put_matrix(run *r, const fur_csr *a);
bool same_entries(const fur_vector *x, const fur_vector *y);

/* Enclose a call. A call that fails must have a message. The log gets its status and message. */
void call_begin(run *r);
bool call_ended(run *r, fur_status status);

/* Makes a call. The value is true if the call succeeds. */
#define CALL(r, call) (call_begin(r), call_ended(r, call))

/* As above, for a call that creates *out. A failing call must leave it NULL. */
#define MAKE(r, out, call)                                                                         \
    (CALL(r, call) ? (require(*(out) != NULL, #call ": nothing was made"), true)                   \
                   : (require(*(out) == NULL, #call ": a failure set its result"), false))

/* Requires a condition that may be false only if an allocation failed. */
void expect(const run *r, bool condition, const char *what);

/* Return NULL if the vector cannot be made. */
fur_vector *make_vector(run *r, fur_value_type value, int64_t size);
fur_vector *make_copy(run *r, const fur_vector *x);

#endif
