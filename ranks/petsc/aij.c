/* A type of PETSc matrices that inherits from MATAIJ and uses the library's products. The library's
 * matrix is a shell matrix in addition to the entries. It is rebuilt if the entries have
 * changed. */
#include "shell.h"

#include <petsc/private/petscimpl.h>

#define SEQUENTIAL "seqaijfurrow"
#define PARALLEL "mpiaijfurrow"
/* The names by which the shell is composed with a matrix, and the matrix's state with the shell. */
#define SHELL "furrow_shell"
#define STATE "furrow_state"

typedef void (*operation)(void);

static PetscErrorCode is_ours(Mat mat, PetscBool *out)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)mat, out, SEQUENTIAL, PARALLEL, ""));
    PetscFunctionReturn(0);
}

static PetscErrorCode release_state(void *state)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(state));
    PetscFunctionReturn(0);
}

/* Stores the state of the entries from which a shell was made. */
static PetscErrorCode note_state(Mat shell, PetscObjectState now)
{
    PetscObjectState *state;
    PetscContainer container;

    PetscFunctionBegin;
    PetscCall(PetscNew(&state));
    *state = now;
    PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)shell), &container));
    PetscCall(PetscContainerSetPointer(container, state));
    PetscCall(PetscContainerSetUserDestroy(container, release_state));
    PetscCall(PetscObjectCompose((PetscObject)shell, STATE, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    PetscFunctionReturn(0);
}

static PetscErrorCode is_current(Mat shell, PetscObjectState now, PetscBool *out)
{
    PetscContainer container;
    PetscObjectState *state;

    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)shell, STATE, (PetscObject *)&container));
    PetscCall(PetscContainerGetPointer(container, (void **)&state));
    *out = *state == now ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

/* Reads the threads of each rank from -mat_furrow_threads, and makes the shell. */
static PetscErrorCode make_shell(Mat mat, PetscObjectState now, Mat *out)
{
    fur_ranks_options options = {.size = sizeof options};
    PetscInt threads = 0;
    const char *prefix;

    PetscFunctionBegin;
    PetscCall(MatGetOptionsPrefix(mat, &prefix));
    PetscCall(PetscOptionsGetInt(NULL, prefix, "-mat_furrow_threads", &threads, NULL));
    options.threads = (int)threads;
    PetscCall(fur_petsc_mat_convert(mat, &options, out));
    PetscCall(note_state(*out, now));
    PetscCall(PetscObjectCompose((PetscObject)mat, SHELL, (PetscObject)*out));
    PetscCall(PetscObjectDereference((PetscObject)*out));
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_aij_shell(Mat mat, Mat *out)
{
    PetscObjectState now;
    PetscBool ours;
    PetscBool current = PETSC_FALSE;

    PetscFunctionBegin;
    *out = NULL;
    PetscCall(is_ours(mat, &ours));
    if (!ours)
        PetscFunctionReturn(0);
    PetscCall(PetscObjectStateGet((PetscObject)mat, &now));
    PetscCall(PetscObjectQuery((PetscObject)mat, SHELL, (PetscObject *)out));
    if (*out)
        PetscCall(is_current(*out, now, &current));
    if (!current)
        PetscCall(make_shell(mat, now, out));
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply(Mat mat, Vec x, Vec y)
{
    Mat shell;

    PetscFunctionBegin;
    PetscCall(petsc_aij_shell(mat, &shell));
    PetscCall(MatMult(shell, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply_transposed(Mat mat, Vec x, Vec y)
{
    Mat shell;

    PetscFunctionBegin;
    PetscCall(petsc_aij_shell(mat, &shell));
    PetscCall(MatMultTranspose(shell, x, y));
    PetscFunctionReturn(0);
}

/* Gives a matrix the type `base` with other products and another type name. */
static PetscErrorCode create(Mat mat, MatType base, const char *name)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(mat, base));
    PetscCall(MatSetOperation(mat, MATOP_MULT, (operation)multiply));
    PetscCall(MatSetOperation(mat, MATOP_MULT_TRANSPOSE, (operation)multiply_transposed));
    PetscCall(PetscObjectChangeTypeName((PetscObject)mat, name));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_sequential(Mat mat)
{
    PetscFunctionBegin;
    PetscCall(create(mat, MATSEQAIJ, SEQUENTIAL));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_parallel(Mat mat)
{
    PetscFunctionBegin;
    PetscCall(create(mat, MATMPIAIJ, PARALLEL));
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_register(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(SEQUENTIAL, create_sequential));
    PetscCall(MatRegister(PARALLEL, create_parallel));
    PetscCall(MatRegisterRootName(FUR_PETSC_AIJ, SEQUENTIAL, PARALLEL));
    PetscCall(PCRegister(FUR_PETSC_PC, petsc_pc_create));
    PetscFunctionReturn(0);
}
