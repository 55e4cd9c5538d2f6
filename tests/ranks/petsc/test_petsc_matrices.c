/* Shell matrices. Their products have the bits of the library on one rank, agree with PETSc's own
 * products, and copy no vectors. */
#include "petsc_support.h"

#include <furrow/author/operator.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void compare_bits(Vec y, const PetscScalar *all, const char *what)
{
    PetscInt begin;
    PetscInt end;
    const PetscScalar *entries;
    MUST(VecGetOwnershipRange(y, &begin, &end));
    MUST(VecGetArrayRead(y, &entries));
    for (PetscInt i = begin; i < end; i++)
        EXPECT(memcmp(&entries[i - begin], &all[i], sizeof *all) == 0,
               "entry %d of %s is %a, on one rank %a", (int)i, what, entries[i - begin], all[i]);
    MUST(VecRestoreArrayRead(y, &entries));
}

/* Two ways to add the n products of a row round every term at most n times. They differ by at most
 * 2 n u / (1 - n u) times the sum of the magnitudes, u = 2^-53 (Higham 2002, 3.1). */
static void compare_products(const sample *s, Vec y, Vec other)
{
    PetscInt begin;
    PetscInt end;
    PetscInt columns[ROW_MAX];
    PetscScalar values[ROW_MAX];
    const PetscScalar *mine;
    const PetscScalar *theirs;
    MUST(VecGetOwnershipRange(y, &begin, &end));
    MUST(VecGetArrayRead(y, &mine));
    MUST(VecGetArrayRead(other, &theirs));
    for (PetscInt row = begin; row < end; row++) {
        int count = sample_row(s, row, columns, values);
        double sum = 0;
        double u = count * 0x1p-53;
        for (int k = 0; k < count; k++)
            sum += fabs(values[k] * x_entry(columns[k]));
        EXPECT(fabs(mine[row - begin] - theirs[row - begin]) <= 2.01 * u / (1 - u) * sum,
               "row %d: %a, PETSc's %a", (int)row, mine[row - begin], theirs[row - begin]);
    }
    MUST(VecRestoreArrayRead(y, &mine));
    MUST(VecRestoreArrayRead(other, &theirs));
}

static void compare_transposed(const sample *s, Mat shell)
{
    Vec x;
    Vec y;
    PetscScalar *all = multiply_sample(s, FUR_OP_T);
    MUST(MatCreateVecs(shell, &y, &x));
    x_fill(x);
    MUST(MatMultTranspose(shell, x, y));
    compare_bits(y, all, "A^T x");
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    free(all);
}

static void compare_diagonals(Mat a, Mat shell)
{
    Vec mine;
    Vec theirs;
    PetscBool equal;
    MUST(MatCreateVecs(a, &theirs, NULL));
    MUST(MatCreateVecs(shell, &mine, NULL));
    MUST(MatGetDiagonal(a, theirs));
    MUST(MatGetDiagonal(shell, mine));
    MUST(VecEqual(mine, theirs, &equal));
    EXPECT(equal, "the diagonals differ");
    MUST(VecDestroy(&mine));
    MUST(VecDestroy(&theirs));
}

static void compare_sample(sample s)
{
    Mat shell;
    Vec x;
    Vec y;
    Vec other;
    Mat a = sample_petsc(&s);
    PetscScalar *all = multiply_sample(&s, FUR_OP_N);
    MUST(fur_petsc_mat_convert(a, place(), &shell));
    MUST(MatCreateVecs(shell, &x, &y));
    MUST(VecDuplicate(y, &other));
    x_fill(x);
    MUST(MatMult(shell, x, y));
    MUST(MatMult(a, x, other));
    compare_bits(y, all, "A x");
    compare_products(&s, y, other);
    compare_transposed(&s, shell);
    if (s.rows == s.cols)
        compare_diagonals(a, shell);
    MUST(MatScale(shell, 2));
    MUST(MatMult(shell, x, y));
    MUST(VecScale(y, 0.5));
    compare_bits(y, all, "2 A x / 2");
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(VecDestroy(&other));
    MUST(MatDestroy(&shell));
    MUST(MatDestroy(&a));
    free(all);
}

/* Bytes of the largest single allocation of the library. */
static size_t largest;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    largest = bytes > largest ? bytes : largest;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* Addresses of the entries of the vectors that an operator was called with. */
typedef struct places {
    const void *x;
    const void *y;
} places;

static fur_status note_places(void *user, const fur_vector *x, fur_vector *y)
{
    *(places *)user = (places){fur_vector_const_data(x), fur_vector_const_data(y)};
    return fur_vector_copy(x, y);
}

/* Checks that a product allocates no memory of a vector's size, and that an operator gets PETSc's
 * own pointers. */
static void compare_places(void)
{
    sample s = sample_grid(12, 0);
    fur_ranks_options options = {.size = sizeof options};
    places seen = {0};
    fur_ranks_csr *inside;
    fur_operator *copy;
    Mat shell;
    Vec x;
    Vec y;
    PC pc;
    const PetscScalar *x_at;
    const PetscScalar *y_at;
    PetscMemType type;
    Mat a = sample_petsc(&s);
    if (place())
        options = *place();
    options.allocator = (fur_allocator){allocate, release, NULL};
    MUST(fur_petsc_mat_convert(a, &options, &shell));
    MUST(fur_petsc_mat_ranks(shell, &inside));
    MUST(MatCreateVecs(shell, &x, &y));
    x_fill(x);
    largest = 0;
    MUST(MatMult(shell, x, y));
    EXPECT(largest < 1000, "a product asks for %zu bytes", largest);

    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = fur_operator_rows(fur_ranks_csr_operator(inside)),
                                          .cols = fur_operator_cols(fur_ranks_csr_operator(inside)),
                                          .value_type = FUR_F64,
                                          .user = &seen,
                                          .apply = note_places};
    fur_status status = fur_operator_create(fur_ranks_csr_context(inside), &definition, &copy);
    EXPECT(status == FUR_OK, "%d", (int)status);
    MUST(PCCreate(PETSC_COMM_WORLD, &pc));
    MUST(PCSetOperators(pc, shell, shell));
    MUST(fur_petsc_pc_operator(pc, shell, copy));
    MUST(PCApply(pc, x, y));
    MUST(VecGetArrayReadAndMemType(x, &x_at, &type));
    EXPECT(PetscMemTypeDevice(type) == (place() != NULL), "x is elsewhere");
    MUST(VecGetArrayReadAndMemType(y, &y_at, &type));
    EXPECT(seen.x == x_at && seen.y == y_at, "the entries have moved");
    MUST(VecRestoreArrayReadAndMemType(x, &x_at));
    MUST(VecRestoreArrayReadAndMemType(y, &y_at));
    MUST(PCDestroy(&pc));
    fur_operator_destroy(copy);
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(MatDestroy(&shell));
    MUST(MatDestroy(&a));
}

/* Checks that a file read by all ranks gives the same product as the file read by one rank. */
static void compare_file(void)
{
    const char *path = FURROW_DATA "/plate.mtx";
    fur_context *context = context_alone();
    fur_csr *a;
    Mat shell;
    Vec x;
    Vec y;
    EXPECT(fur_mtx_read_csr(context, path, NULL, &a) == FUR_OK, "%s", fur_context_error(context));
    PetscScalar *all = multiply_alone(a, FUR_OP_N);
    MUST(fur_petsc_mat_read(PETSC_COMM_WORLD, path, place(), &shell));
    MUST(MatCreateVecs(shell, &x, &y));
    x_fill(x);
    MUST(MatMult(shell, x, y));
    compare_bits(y, all, "a file's A x");
    MUST(VecDestroy(&x));
    MUST(VecDestroy(&y));
    MUST(MatDestroy(&shell));
    free(all);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

void test_matrices(void)
{
    compare_sample(sample_grid(9, 0.25));
    compare_sample((sample){.rows = 301, .cols = 301});
    compare_sample((sample){.rows = 301, .cols = 301, .skew = true});
    compare_sample((sample){.rows = 90, .cols = 157});
    compare_sample((sample){.rows = 157, .cols = 90, .skew = true});
    compare_places();
    compare_file();
}
