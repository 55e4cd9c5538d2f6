/* Shared by the tests of furrow_petsc. All ranks run them. A failed expectation ends all ranks. */
#ifndef FURROW_TESTS_PETSC_SUPPORT_H
#define FURROW_TESTS_PETSC_SUPPORT_H

#include <furrow/furrow.h>
#include <furrow/petsc.h>

#include <stdbool.h>

/* Ends all ranks with the condition and a message if it does not hold. */
#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            expect_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);                            \
    } while (0)
void expect_failed(const char *file, int line, const char *condition, const char *format, ...);

/* A call of PETSc's or the library's that has to work. */
#define MUST(call) PetscCallAbort(PETSC_COMM_WORLD, call)

/* A matrix that every rank can make any row of. */
typedef struct sample {
    PetscInt rows;
    PetscInt cols;
    PetscInt points; /* a symmetric definite one of 7 points on points^3; 0: scattered entries */
    PetscReal wind;  /* of 7 points: makes it unsymmetric */
    bool skew;       /* rank 0 has one row, the last one the others */
} sample;

sample sample_grid(PetscInt points, PetscReal wind);

/* Where matrices are: NULL, on the CPU; with the option -furrow_cuda on GPUs. */
const fur_ranks_options *place(void);

/* All ranks' seed, printed by rank 0. */
void seed_start(void);
/* Returns a number in (-1, 1) determined by two numbers and the seed. */
PetscReal noise(uint64_t a, uint64_t b);

/* Columns, rising, and values of a row; their number. */
#define ROW_MAX 16
int sample_row(const sample *s, PetscInt row, PetscInt *columns, PetscScalar *values);

/* As PETSc's AIJ, and as the library's matrix on one rank. */
Mat sample_petsc(const sample *s);
/* The sample as FUR_PETSC_AIJ, and as a shell matrix. */
Mat sample_ours(const sample *s);
Mat sample_shell(const sample *s);
fur_csr *sample_serial(fur_context *context, const sample *s);

/* Entry i of all vectors called x. */
PetscScalar x_entry(PetscInt i);
void x_fill(Vec x);

/* op(A) x by the library on one rank; to be freed. */
fur_context *context_alone(void);
PetscScalar *multiply_alone(const fur_csr *a, fur_op op);
PetscScalar *multiply_sample(const sample *s, fur_op op);

/* Calls that must fail, with the same sentence on all ranks, which contains `part`. */
#define REFUSES(part, call)                                                                        \
    do {                                                                                           \
        refusal_begin();                                                                           \
        PetscErrorCode refused_code = (call);                                                      \
        refusal_end(__FILE__, __LINE__, refused_code, part);                                       \
    } while (0)
void refusal_begin(void);
void refusal_end(const char *file, int line, PetscErrorCode code, const char *part);
/* The sentence of the last refusal. */
const char *refusal_sentence(void);

void test_matrices(void);
void test_solves(void);
void test_refusals(void);
void test_user(void);
void test_preconditioners(void);

#endif
