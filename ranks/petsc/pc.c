/* The preconditioner "furrow". */
#include "shell.h"

#include <furrow/author/context.h>

#include <petsc/private/pcimpl.h>

#define KIND_BYTES 512

/* The type of the third argument of a function for PCSetFromOptions. */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *option_items;
#else
typedef PetscOptionItems option_items;
#endif

/* The data of this preconditioner. */
typedef struct inverse {
    char kind[KIND_BYTES]; /* from the options of PETSc, for a matrix of the solver */
    PetscBool whole;
    PetscBool fixed; /* the caller has given a matrix, possibly with an operator */
    Mat mat;         /* a reference, because it owns the group and the operator's context */
    const fur_operator *m;
    fur_ranks_precond *own; /* owns m; NULL: m is the caller's */
    PetscBool3 symmetric;   /* m^T = m */
} inverse;

static PetscErrorCode reset(PC pc)
{
    inverse *i = pc->data;

    PetscFunctionBegin;
    fur_ranks_precond_destroy(i->own);
    i->own = NULL;
    i->m = NULL;
    i->symmetric = PETSC_BOOL3_UNKNOWN;
    PetscCall(MatDestroy(&i->mat));
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(PC pc)
{
    PetscFunctionBegin;
    PetscCall(reset(pc));
    PetscCall(PetscFree(pc->data));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
    const inverse *i = pc->data;
    fur_ranks_csr *a;

    PetscFunctionBegin;
    PetscCall(fur_petsc_mat_ranks(i->mat, &a));
    PetscCall(petsc_apply(PetscObjectComm((PetscObject)pc), fur_ranks_csr_group(a), i->m, x, y));
    PetscFunctionReturn(0);
}

/* Tests whether the parts of all ranks are symmetric. Complex ones are Hermitian, and therefore not
 * symmetric. */
static PetscErrorCode find_symmetry(PC pc)
{
    inverse *i = pc->data;
    int symmetric = !PetscDefined(USE_COMPLEX) && fur_ranks_precond_hermitian(i->own);

    PetscFunctionBegin;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &symmetric, 1, MPI_INT, MPI_MIN,
                               PetscObjectComm((PetscObject)pc)));
    i->symmetric = symmetric ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
    PetscFunctionReturn(0);
}

/* The library cannot apply the transpose of a preconditioner, but a symmetric one is its own
 * transpose. */
static PetscErrorCode apply_transposed(PC pc, Vec x, Vec y)
{
    const inverse *i = pc->data;

    PetscFunctionBegin;
    if (i->symmetric == PETSC_BOOL3_UNKNOWN)
        PetscCall(find_symmetry(pc));
    PetscCheck(
        i->symmetric == PETSC_BOOL3_TRUE, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
        "this preconditioner has no transpose; use kind jacobi, or a method without transposes");
    PetscCall(apply(pc, x, y));
    PetscFunctionReturn(0);
}

/* Makes the preconditioner of a shell matrix, and keeps a reference to the matrix. */
static PetscErrorCode make(PC pc, Mat shell, const fur_ranks_precond_options *options)
{
    inverse *i = pc->data;
    fur_ranks_precond *own;
    fur_ranks_csr *a;

    PetscFunctionBegin;
    PetscCall(fur_petsc_mat_ranks(shell, &a));
    PETSC_TRY(PetscObjectComm((PetscObject)pc), fur_ranks_csr_group(a),
              fur_ranks_precond_create(a, options, &own));
    PetscCall(PetscObjectReference((PetscObject)shell));
    PetscCall(reset(pc));
    i->mat = shell;
    i->own = own;
    i->m = fur_ranks_precond_operator(own);
    PetscFunctionReturn(0);
}

/* Returns a reference to the shell matrix of `mat`, or to a new one that is made from its rows. */
static PetscErrorCode take_shell(Mat mat, Mat *out)
{
    PetscFunctionBegin;
    PetscCall(petsc_find_shell(mat, out));
    if (*out)
        PetscCall(PetscObjectReference((PetscObject)*out));
    else
        PetscCall(fur_petsc_mat_convert(mat, NULL, out));
    PetscFunctionReturn(0);
}

/* PETSc calls this again if the entries of the matrix have changed. */
static PetscErrorCode set_up(PC pc)
{
    inverse *i = pc->data;
    fur_precond_options kind = {.size = sizeof kind, .kind = i->kind};
    fur_ranks_precond_options options = {
        .size = sizeof options, .precond = &kind, .whole = i->whole == PETSC_TRUE};
    Mat shell;

    PetscFunctionBegin;
    if (i->fixed)
        PetscFunctionReturn(0);
    PetscCall(take_shell(pc->pmat, &shell));
    PetscErrorCode code = make(pc, shell, &options);
    PetscCall(MatDestroy(&shell));
    PetscCall(code);
    PetscFunctionReturn(0);
}

static PetscErrorCode set_from_options(PC pc, option_items PetscOptionsObject)
{
    inverse *i = pc->data;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "Options of furrow");
    PetscCall(PetscOptionsString("-pc_furrow_kind",
                                 "preconditioner KIND[:NAME=VALUE,...], such as ilut:fill=20 "
                                 "(kinds, options: furrow kernels)",
                                 "", i->kind, i->kind, sizeof i->kind, NULL));
    PetscCall(PetscOptionsBool("-pc_furrow_whole", "make it from the full matrix on every rank", "",
                               i->whole, &i->whole, NULL));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

static PetscErrorCode view(PC pc, PetscViewer viewer)
{
    const inverse *i = pc->data;
    const fur_precond_report *report = fur_ranks_precond_describe(i->own);
    PetscBool ascii;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii)
        PetscFunctionReturn(0);
    if (!i->m)
        PetscCall(PetscViewerASCIIPrintf(viewer, "  kind %s, not set up\n", i->kind));
    else if (!i->own)
        PetscCall(PetscViewerASCIIPrintf(viewer, "  an operator of the caller's\n"));
    else
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  kind %s, %s; rank 0 has %lld entries, made in %.3g s\n",
            report ? report->kind : i->kind,
            fur_ranks_precond_exact(i->own) ? "the same on any number of ranks"
                                            : "of each rank's own rows",
            report ? (long long)report->entries : 0, report ? report->seconds_setup : 0));
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_pc_create(PC pc)
{
    inverse *i;

    PetscFunctionBegin;
    PetscCall(PetscNew(&i));
    PetscCall(PetscStrncpy(i->kind, "jacobi", sizeof i->kind));
    i->symmetric = PETSC_BOOL3_UNKNOWN;
    pc->data = i;
    pc->ops->setup = set_up;
    pc->ops->apply = apply;
    pc->ops->applytranspose = apply_transposed;
    pc->ops->setfromoptions = set_from_options;
    pc->ops->view = view;
    pc->ops->reset = reset;
    pc->ops->destroy = destroy;
    PetscFunctionReturn(0);
}

/* Marks pc as a preconditioner of a matrix that the caller has given. */
static PetscErrorCode fix(PC pc)
{
    PetscFunctionBegin;
    PetscCall(fur_petsc_register());
    PetscCall(PCSetType(pc, FUR_PETSC_PC));
    ((inverse *)pc->data)->fixed = PETSC_TRUE;
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_pc_ranks(PC pc, Mat mat, const fur_ranks_precond_options *options)
{
    fur_ranks_csr *a;
    Mat shell;

    PetscFunctionBegin;
    PetscCheck(pc, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(fur_petsc_mat_ranks(mat, &a));
    PetscCall(petsc_find_shell(mat, &shell));
    PetscCall(fix(pc));
    PetscCall(make(pc, shell, options));
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_pc_operator(PC pc, Mat mat, const fur_operator *m)
{
    fur_ranks_csr *a;
    Mat shell;

    PetscFunctionBegin;
    PetscCheck(pc && m, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(fur_petsc_mat_ranks(mat, &a));
    PetscCheck(fur_operator_context(m) == fur_ranks_csr_context(a),
               PetscObjectComm((PetscObject)mat), PETSC_ERR_ARG_INCOMP,
               "the operator belongs to another context than the matrix; create it in "
               "fur_ranks_csr_context");
    PetscCall(petsc_find_shell(mat, &shell));
    PetscCall(fix(pc));
    PetscCall(PetscObjectReference((PetscObject)shell));
    PetscCall(reset(pc));
    ((inverse *)pc->data)->mat = shell;
    ((inverse *)pc->data)->m = m;
    PetscFunctionReturn(0);
}
