/* Shell preconditioners. */
#include "shell.h"

/* The context of a shell preconditioner. */
typedef struct inverse {
    Mat mat; /* a reference, for the group and the operator's context are in it */
    const fur_operator *m;
    fur_ranks_precond *own; /* that has m; NULL: it is the caller's */
} inverse;

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
    inverse *i;
    fur_ranks_csr *a;

    PetscFunctionBegin;
    PetscCall(PCShellGetContext(pc, &i));
    PetscCall(fur_petsc_mat_ranks(i->mat, &a));
    PetscCall(petsc_apply(PetscObjectComm((PetscObject)pc), fur_ranks_csr_group(a), i->m, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(PC pc)
{
    inverse *i;

    PetscFunctionBegin;
    PetscCall(PCShellGetContext(pc, &i));
    fur_ranks_precond_destroy(i->own);
    PetscCall(MatDestroy(&i->mat));
    PetscCall(PetscFree(i));
    PetscFunctionReturn(0);
}

/* What a preconditioner of this type was before ends with the type. */
static PetscErrorCode set(PC pc, Mat mat, const fur_operator *m, fur_ranks_precond *own)
{
    inverse *i;

    PetscFunctionBegin;
    PetscCall(PetscObjectReference((PetscObject)mat));
    PetscCall(PetscNew(&i));
    *i = (inverse){mat, m, own};
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, i));
    PetscCall(PCShellSetApply(pc, apply));
    PetscCall(PCShellSetDestroy(pc, destroy));
    PetscCall(PCShellSetName(pc, "furrow"));
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_pc_ranks(PC pc, Mat mat, const fur_ranks_precond_options *options)
{
    fur_ranks_csr *a;
    fur_ranks_precond *m;

    PetscFunctionBegin;
    PetscCheck(pc, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(fur_petsc_mat_ranks(mat, &a));
    PETSC_TRY(PetscObjectComm((PetscObject)mat), fur_ranks_csr_group(a),
              fur_ranks_precond_create(a, options, &m));
    PetscCall(set(pc, mat, fur_ranks_precond_operator(m), m));
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_pc_operator(PC pc, Mat mat, const fur_operator *m)
{
    fur_ranks_csr *a;

    PetscFunctionBegin;
    PetscCheck(pc && m, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(fur_petsc_mat_ranks(mat, &a));
    PetscCheck(fur_operator_context(m) == fur_ranks_csr_context(a),
               PetscObjectComm((PetscObject)mat), PETSC_ERR_ARG_INCOMP,
               "the operator is not one of the matrix's context; make it in "
               "fur_ranks_csr_context");
    PetscCall(set(pc, mat, m, NULL));
    PetscFunctionReturn(0);
}
