/* Tests of furrow_petsc on the ranks that mpirun starts. */
#include "petsc_support.h"

int main(int argc, char **argv)
{
    if (PetscInitialize(&argc, &argv, NULL, NULL))
        return 1;
    seed_start();
    test_matrices();
    test_solves();
    test_refusals();
    test_user();
    test_preconditioners();
    return PetscFinalize() != 0;
}
