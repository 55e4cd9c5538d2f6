/* Shared by the tests of furrow_petsc. All ranks run them. A failed expectation ends all ranks. */
#ifndef FURROW_TESTS_PETSC_SUPPORT_H
#define FURROW_TESTS_PETSC_SUPPORT_H

#include <furrow/furrow.h>
#include <furrow/petsc.h>

#include <stdbool.h>

/* Ends all ranks and prints the condition and a message if the condition does not hold. */
#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            expect_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);                            \
    } while (0)
void expect_failed(const char *file, int line, const char *condition, const char *format, ...);

/* Calls PETSc or the library and ends all ranks if the call fails. */
#define MUST(call) PetscCallAbort(PETSC_COMM_WORLD, call)

/* Describes a matrix. Every rank can make any of its rows. */
typedef struct sample {
    PetscInt rows;
    PetscInt cols;
    PetscInt points; /* > 0: 7 points on points^3, symmetric definite; 0: scattered entries */
    PetscReal wind;  /* makes the 7 points unsymmetric */
    bool skew;       /* rank 0 has one row, the last rank all others */
} sample;

sample sample_grid(PetscInt points, PetscReal wind);

/* Returns the options of ranks on GPUs if the program has the option -furrow_cuda. Otherwise
 * returns NULL, which selects the CPU. */
const fur_ranks_options *place(void);

/* Sets the same random seed on all ranks; rank 0 prints it. */
void seed_start(void);
/* Returns a number in (-1, 1) determined by two numbers and the seed. */
PetscReal noise(uint64_t a, uint64_t b);

/* Stores the columns of a row in increasing order and its values. Returns the number of entries. */
#define ROW_MAX 16
int sample_row(const sample *s, PetscInt row, PetscInt *columns, PetscScalar *values);

/* Returns the sample as PETSc's AIJ matrix. */
Mat sample_petsc(const sample *s);
/* Return the sample as FUR_PETSC_AIJ, as a shell matrix, and as the library's matrix on one rank.
 */
Mat sample_ours(const sample *s);
Mat sample_shell(const sample *s);
fur_csr *sample_serial(fur_context *context, const sample *s);

/* Returns entry i of every vector that the tests call x. */
PetscScalar x_entry(PetscInt i);
void x_fill(Vec x);

/* Return op(A) x, computed by the library on one rank; the caller frees it. */
fur_context *context_alone(void);
PetscScalar *multiply_alone(const fur_csr *a, fur_op op);
PetscScalar *multiply_sample(const sample *s, fur_op op);

/* Checks that the call fails with the same message on all ranks, and that the message contains
 * `part`. */
#define REFUSES(part, call)                                                                        \
    do {                                                                                           \
        refusal_begin();                                                                           \
        PetscErrorCode refused_code = (call);                                                      \
        refusal_end(__FILE__, __LINE__, refused_code, part);                                       \
    } while (0)
void refusal_begin(void);
void refusal_end(const char *file, int line, PetscErrorCode code, const char *part);
/* Returns the message of the last refusal. */
const char *refusal_sentence(void);

void test_matrices(void);
void test_solves(void);
void test_refusals(void);
void test_user(void);
void test_preconditioners(void);

#endif
