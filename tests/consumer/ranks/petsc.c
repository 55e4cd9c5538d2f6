/* PETSc multiplies by a matrix of the library. */
#include <furrow/petsc.h>

int main(int argc, char **argv)
{
    Mat aij, a;
    Vec x, y;
    PetscScalar sum;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(MatCreateConstantDiagonal(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 3,
                                        &aij));
    PetscCall(MatConvert(aij, MATAIJ, MAT_INPLACE_MATRIX, &aij));
    PetscCall(fur_petsc_mat_convert(aij, NULL, &a));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(a, x, y));
    PetscCall(VecSum(y, &sum));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&aij));
    PetscCall(PetscFinalize());
    return PetscRealPart(sum) != 6;
}
