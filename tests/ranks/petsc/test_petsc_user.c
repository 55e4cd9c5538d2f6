/* Calls that a user of PETSc makes for any matrix. FUR_PETSC_AIJ behaves as MATAIJ. A shell matrix
 * does so too, or gives PETSc's error. */
#include "petsc_support.h"

#include <string.h>

#define POINTS 7

/* A number that the last call found. It must be the same for all matrix types. */
static PetscReal figure;

static PetscErrorCode replace(Mat *a, Mat by)
{
    PetscFunctionBegin;
    PetscCall(MatDestroy(a));
    *a = by;
    PetscFunctionReturn(0);
}

static PetscErrorCode duplicate(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatDuplicate(*a, MAT_COPY_VALUES, &copy));
    PetscCall(replace(a, copy));
    PetscFunctionReturn(0);
}

/* Changes and destroys a copy; the original must stay unchanged. */
static PetscErrorCode duplicate_and_forget(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatDuplicate(*a, MAT_COPY_VALUES, &copy));
    PetscCall(MatScale(copy, 7));
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode duplicate_pattern(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatDuplicate(*a, MAT_DO_NOT_COPY_VALUES, &copy));
    PetscCall(MatCopy(*a, copy, SAME_NONZERO_PATTERN));
    PetscCall(replace(a, copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_same(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatConvert(*a, MATSAME, MAT_INITIAL_MATRIX, &copy));
    PetscCall(replace(a, copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_to_aij(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatConvert(*a, MATAIJ, MAT_INITIAL_MATRIX, &copy));
    PetscCall(replace(a, copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_to_ours(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatConvert(*a, FUR_PETSC_AIJ, MAT_INITIAL_MATRIX, &copy));
    PetscCall(replace(a, copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode scale(Mat *a)
{
    PetscFunctionBegin;
    PetscCall(MatScale(*a, -2));
    PetscFunctionReturn(0);
}

static PetscErrorCode shift(Mat *a)
{
    PetscFunctionBegin;
    PetscCall(MatShift(*a, 3));
    PetscFunctionReturn(0);
}

/* Adds an MATAIJ matrix with the same rows. */
static PetscErrorCode add(Mat *a)
{
    sample s = sample_grid(POINTS, 0.5);
    Mat other = sample_petsc(&s);

    PetscFunctionBegin;
    PetscErrorCode code = MatAXPY(*a, 2, other, DIFFERENT_NONZERO_PATTERN);
    PetscCall(MatDestroy(&other));
    PetscFunctionReturn(code);
}

static PetscErrorCode add_itself(Mat *a)
{
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatDuplicate(*a, MAT_COPY_VALUES, &copy));
    PetscErrorCode code = MatAYPX(*a, 2, copy, SAME_NONZERO_PATTERN);
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(code);
}

static PetscErrorCode scale_rows(Mat *a)
{
    Vec left;
    Vec right;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, &right, &left));
    x_fill(left);
    PetscCall(VecSet(right, 2));
    PetscErrorCode code = MatDiagonalScale(*a, left, right);
    PetscCall(VecDestroy(&left));
    PetscCall(VecDestroy(&right));
    PetscFunctionReturn(code);
}

static PetscErrorCode set_diagonal(Mat *a)
{
    Vec d;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, NULL, &d));
    x_fill(d);
    PetscErrorCode code = MatDiagonalSet(*a, d, ADD_VALUES);
    PetscCall(VecDestroy(&d));
    PetscFunctionReturn(code);
}

/* Sets new values at known positions after a product with the old values. */
static PetscErrorCode set_values(Mat *a)
{
    PetscInt begin;
    PetscInt end;
    Vec x;
    Vec y;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, &x, &y));
    x_fill(x);
    PetscErrorCode code = MatMult(*a, x, y);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(code);
    PetscCall(MatGetOwnershipRange(*a, &begin, &end));
    for (PetscInt row = begin; row < end; row++)
        PetscCall(MatSetValue(*a, row, row, noise((uint64_t)row, 9), ADD_VALUES));
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode zero_rows(Mat *a)
{
    const PetscInt rows[] = {0, 5};

    PetscFunctionBegin;
    PetscCall(MatZeroRows(*a, 2, rows, 3, NULL, NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode zero_rows_and_columns(Mat *a)
{
    const PetscInt rows[] = {0, 5};

    PetscFunctionBegin;
    PetscCall(MatZeroRowsColumns(*a, 2, rows, 3, NULL, NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode zero_entries(Mat *a)
{
    PetscFunctionBegin;
    PetscCall(MatZeroEntries(*a));
    PetscFunctionReturn(0);
}

static PetscErrorCode norm(Mat *a)
{
    PetscFunctionBegin;
    PetscCall(MatNorm(*a, NORM_FROBENIUS, &figure));
    PetscFunctionReturn(0);
}

static PetscErrorCode norm_of_rows(Mat *a)
{
    PetscFunctionBegin;
    PetscCall(MatNorm(*a, NORM_INFINITY, &figure));
    PetscFunctionReturn(0);
}

static PetscErrorCode trace(Mat *a)
{
    PetscScalar sum;

    PetscFunctionBegin;
    PetscCall(MatGetTrace(*a, &sum));
    figure = PetscRealPart(sum);
    PetscFunctionReturn(0);
}

static PetscErrorCode get_row(Mat *a)
{
    PetscInt begin;
    PetscInt count;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(*a, &begin, NULL));
    PetscCall(MatGetRow(*a, begin, &count, NULL, NULL));
    figure = count;
    PetscCall(MatRestoreRow(*a, begin, &count, NULL, NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode transpose(Mat *a)
{
    Mat turned;

    PetscFunctionBegin;
    PetscCall(MatTranspose(*a, MAT_INITIAL_MATRIX, &turned));
    PetscCall(replace(a, turned));
    PetscFunctionReturn(0);
}

static PetscErrorCode square(Mat *a)
{
    Mat product;

    PetscFunctionBegin;
    PetscCall(MatMatMult(*a, *a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    PetscCall(replace(a, product));
    PetscFunctionReturn(0);
}

static PetscErrorCode part(Mat *a)
{
    PetscInt begin;
    PetscInt end;
    IS rows;
    Mat made;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(*a, &begin, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - begin, begin, 1, &rows));
    PetscErrorCode code = MatCreateSubMatrix(*a, rows, rows, MAT_INITIAL_MATRIX, &made);
    PetscCall(ISDestroy(&rows));
    PetscCall(code);
    PetscCall(replace(a, made));
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply_and_add(Mat *a)
{
    Vec x;
    Vec y;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, &x, &y));
    x_fill(x);
    PetscCall(VecSet(y, 1));
    PetscErrorCode code = MatMultAdd(*a, x, y, y);
    PetscCall(VecNorm(y, NORM_2, &figure));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscFunctionReturn(code);
}

static PetscErrorCode get_values(Mat *a)
{
    PetscInt begin;
    PetscScalar value;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(*a, &begin, NULL));
    PetscCall(MatGetValue(*a, begin, begin, &value));
    figure = PetscRealPart(value);
    PetscFunctionReturn(0);
}

static PetscErrorCode sum_rows(Mat *a)
{
    Vec sums;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, NULL, &sums));
    PetscErrorCode code = MatGetRowSum(*a, sums);
    PetscCall(VecNorm(sums, NORM_2, &figure));
    PetscCall(VecDestroy(&sums));
    PetscFunctionReturn(code);
}

static PetscErrorCode find_row_maxima(Mat *a)
{
    Vec most;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, NULL, &most));
    PetscErrorCode code = MatGetRowMaxAbs(*a, most, NULL);
    PetscCall(VecNorm(most, NORM_2, &figure));
    PetscCall(VecDestroy(&most));
    PetscFunctionReturn(code);
}

static PetscErrorCode is_itself(Mat *a)
{
    PetscBool equal;

    PetscFunctionBegin;
    PetscCall(MatEqual(*a, *a, &equal));
    figure = equal;
    PetscFunctionReturn(0);
}

static PetscErrorCode triple(Mat *a)
{
    Mat product;

    PetscFunctionBegin;
    PetscCall(MatPtAP(*a, *a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    PetscCall(replace(a, product));
    PetscFunctionReturn(0);
}

static PetscErrorCode relax(Mat *a)
{
    Vec x;
    Vec b;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(*a, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscErrorCode code = MatSOR(
        *a, b, 1, (MatSORType)(SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x);
    PetscCall(VecNorm(x, NORM_2, &figure));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscFunctionReturn(code);
}

static PetscErrorCode count_entries(Mat *a)
{
    MatInfo info;

    PetscFunctionBegin;
    PetscCall(MatGetInfo(*a, MAT_GLOBAL_SUM, &info));
    figure = info.nz_used;
    PetscFunctionReturn(0);
}

static PetscErrorCode print(Mat *a)
{
    PetscViewer viewer;

    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &viewer));
    PetscErrorCode code = MatView(*a, viewer);
    PetscCall(PetscViewerDestroy(&viewer));
    PetscFunctionReturn(code);
}

static const struct {
    const char *name;
    PetscErrorCode (*call)(Mat *a);
    bool shell; /* a shell matrix supports the call, too */
} uses[] = {
    {"MatDuplicate", duplicate, true},
    {"MatDuplicate, forgotten", duplicate_and_forget, true},
    {"MatCopy", duplicate_pattern, true},
    {"MatConvert, MATSAME", convert_same, true},
    {"MatConvert, MATAIJ", convert_to_aij, true},
    {"MatConvert, FUR_PETSC_AIJ", convert_to_ours, true},
    {"MatScale", scale, true},
    {"MatShift", shift, true},
    {"MatAXPY", add, true},
    {"MatAYPX", add_itself, true},
    {"MatDiagonalScale", scale_rows, true},
    {"MatDiagonalSet", set_diagonal, true},
    {"MatSetValues", set_values, false},
    {"MatZeroRows", zero_rows, true},
    {"MatZeroRowsColumns", zero_rows_and_columns, true},
    {"MatZeroEntries", zero_entries, false},
    {"MatNorm, Frobenius", norm, false},
    {"MatNorm, infinity", norm_of_rows, false},
    {"MatGetTrace", trace, true},
    {"MatGetRow", get_row, false},
    {"MatTranspose", transpose, false},
    {"MatMatMult", square, false},
    {"MatCreateSubMatrix", part, true},
    {"MatView", print, true},
    {"MatMultAdd", multiply_and_add, true},
    {"MatGetValue", get_values, false},
    {"MatGetRowSum", sum_rows, true},
    {"MatGetRowMaxAbs", find_row_maxima, false},
    {"MatEqual", is_itself, true},
    {"MatPtAP", triple, false},
    {"MatSOR", relax, false},
    {"MatGetInfo", count_entries, false},
};
#define USES (int)(sizeof uses / sizeof *uses)

/* Stores A x (what = 0), A^T x (1) or the diagonal (2) in y. */
static void look(Mat a, int what, Vec y)
{
    Vec x;
    MUST(MatCreateVecs(a, &x, NULL));
    x_fill(x);
    if (what == 0)
        MUST(MatMult(a, x, y));
    else if (what == 1)
        MUST(MatMultTranspose(a, x, y));
    else
        MUST(MatGetDiagonal(a, y));
    MUST(VecDestroy(&x));
}

/* Both results are sums of at most 49 products with factors below 10 and some changes of them. Each
 * way has at most 60 roundings of terms whose magnitudes sum to less than 1e4. */
static void compare(Mat a, Mat other, const char *name)
{
    PetscReal difference;
    Vec y;
    Vec z;
    for (int what = 0; what < 3; what++) {
        MUST(MatCreateVecs(a, &y, NULL));
        MUST(VecDuplicate(y, &z));
        look(a, what, y);
        look(other, what, z);
        MUST(VecAXPY(y, -1, z));
        MUST(VecNorm(y, NORM_INFINITY, &difference));
        EXPECT(difference <= 2 * 60 * 0x1p-53 * 1e4, "%s, %d: they differ by %g", name, what,
               difference);
        MUST(VecDestroy(&y));
        MUST(VecDestroy(&z));
    }
}

/* Makes call i on `a` and on a PETSc matrix and compares the results. */
static void use(int i, Mat a)
{
    sample s = sample_grid(POINTS, 0.25);
    Mat theirs = sample_petsc(&s);
    MUST(uses[i].call(&theirs));
    PetscReal want = figure;
    MUST(uses[i].call(&a));
    EXPECT(PetscAbsReal(figure - want) <= 1e-12 * PetscAbsReal(want), "%s: %g, PETSc's %g",
           uses[i].name, figure, want);
    compare(a, theirs, uses[i].name);
    MUST(MatDestroy(&a));
    MUST(MatDestroy(&theirs));
}

/* Checks that PETSc reports an error for a call that the matrix type does not support. */
static void refuse(int i, Mat a)
{
    refusal_begin();
    PetscErrorCode code = uses[i].call(&a);
    EXPECT(code, "%s went well", uses[i].name);
    refusal_end(__FILE__, __LINE__, code, "");
    EXPECT(*refusal_sentence(), "%s: no sentence", uses[i].name);
    MUST(MatDestroy(&a));
}

static void use_matrices(void)
{
    sample s = sample_grid(POINTS, 0.25);
    for (int i = 0; i < USES; i++) {
        use(i, sample_ours(&s));
        if (uses[i].shell)
            use(i, sample_shell(&s));
        else
            refuse(i, sample_shell(&s));
    }
}

void test_user(void)
{
    MUST(fur_petsc_register());
    use_matrices();
}
