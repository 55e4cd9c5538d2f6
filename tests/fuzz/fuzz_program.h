/* A fuzzer's input as a program: what it draws from its bytes, the log of what its calls gave, and
 * the memory that it may take. */
#ifndef FURROW_TESTS_FUZZ_PROGRAM_H
#define FURROW_TESTS_FUZZ_PROGRAM_H

#include "fuzz.h"

#include <stdbool.h>

/* More memory at once is refused. */
#define MAX_BYTES ((size_t)64 << 20)

typedef struct run {
    const uint8_t *at; /* what is left of the program */
    const uint8_t *end;
    fur_context *context;
    int mode;         /* of the caller's floating-point arithmetic (float_modes.h), during calls */
    uint64_t control; /* its register, which calls leave alone */
    int64_t fail_at;  /* the call of the allocator that is refused; 0: none */
    int64_t calls;
    int64_t outstanding;
    char *log; /* of all that must not depend on the threads */
    size_t length;
    size_t room;
} run;

/* Opens a context of `threads` threads whose memory is counted. Returns false if its memory is
 * refused. */
bool run_begin(run *r, const uint8_t *program, size_t size, int threads, int64_t fail_at);
/* All memory must have been given back. The log is the caller's to free. */
void run_end(run *r);

/* Draw numbers from the program; after its end they draw zeros. */
unsigned draw(run *r, unsigned limit); /* 0 .. limit - 1 */
uint64_t draw_bits(run *r);
int64_t draw_integer(run *r);     /* mostly small, sometimes at an end, sometimes anything */
int draw_kind(run *r, int count); /* a value of an enumeration, sometimes none */
double draw_real(run *r);
fur_scalar draw_scalar(run *r);
/* Sets entries that follow from a few bytes. */
void draw_entries(run *r, fur_value_type value, int64_t count, void *out);

/* Into the log; all NaN are one, as which of two comes out is the compiler's choice. */
void put(run *r, const void *bytes, size_t size);
void put_entries(run *r, fur_value_type value, int64_t count, const void *entries);
void put_vector(run *r, const fur_vector *x);
void put_matrix(run *r, const fur_csr *a);
bool same_entries(const fur_vector *x, const fur_vector *y);

/* Around a call: one that fails has a sentence; both go to the log. */
void call_begin(run *r);
bool call_ended(run *r, fur_status status);

/* Whether the call succeeds. */
#define CALL(r, call) (call_begin(r), call_ended(r, call))

/* As above, for a call that creates *out. A failing call must leave it NULL. */
#define MAKE(r, out, call)                                                                         \
    (CALL(r, call) ? (require(*(out) != NULL, #call ": nothing was made"), true)                   \
                   : (require(*(out) == NULL, #call ": a failure set its result"), false))

/* Requires what only lack of memory excuses. */
void expect(const run *r, bool condition, const char *what);

/* NULL if it cannot be made. */
fur_vector *make_vector(run *r, fur_value_type value, int64_t size);
fur_vector *make_copy(run *r, const fur_vector *x);

#endif
