/* Shell matrices. */
#include "shell.h"

/* The context of a shell matrix, which its duplicates share. */
typedef struct shell {
    fur_ranks_csr *a;
    fur_ranks_csr *transposed; /* made by the first product that needs it */
    PetscBool owns;
} shell;

typedef void (*operation)(void);

PetscErrorCode petsc_code(fur_status status)
{
    switch (status) {
    case FUR_OUT_OF_MEMORY:
        return PETSC_ERR_MEM;
    case FUR_INVALID:
        return PETSC_ERR_ARG_WRONG;
    case FUR_OVERFLOW:
        return PETSC_ERR_ARG_OUTOFRANGE;
    case FUR_IO_ERROR:
        return PETSC_ERR_FILE_READ;
    case FUR_UNSUPPORTED:
        return PETSC_ERR_SUP;
    default:
        return PETSC_ERR_LIB;
    }
}

PetscErrorCode petsc_open(MPI_Comm comm, const fur_ranks_options *options, fur_ranks **out)
{
    PetscFunctionBegin;
    fur_status status = fur_ranks_open_mpi(&comm, options, out);
    PetscCheck(status == FUR_OK, comm, petsc_code(status), "%s", fur_context_error(NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply(Mat mat, const fur_ranks_csr *a, Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(petsc_apply(PetscObjectComm((PetscObject)mat), fur_ranks_csr_group(a),
                          fur_ranks_csr_operator(a), x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply(Mat mat, Vec x, Vec y)
{
    shell *s;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(mat, &s));
    PetscCall(apply(mat, s->a, x, y));
    PetscFunctionReturn(0);
}

/* Multiplies by A^T even if entries are complex. PETSc derives A^H from it. */
static PetscErrorCode multiply_transposed(Mat mat, Vec x, Vec y)
{
    shell *s;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(mat, &s));
    if (!s->transposed)
        PETSC_TRY(PetscObjectComm((PetscObject)mat), fur_ranks_csr_group(s->a),
                  fur_ranks_csr_transpose(s->a, 0, &s->transposed));
    PetscCall(apply(mat, s->transposed, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode get_diagonal(Mat mat, Vec d)
{
    shell *s;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(mat, &s));
    PetscCall(petsc_diagonal(PetscObjectComm((PetscObject)mat), fur_ranks_csr_group(s->a),
                             fur_ranks_csr_operator(s->a), d));
    PetscFunctionReturn(0);
}

/* Prints figures of the matrix, for -ksp_view and for users. */
static PetscErrorCode view(Mat mat, PetscViewer viewer)
{
    PetscBool ascii;
    shell *s;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    PetscCheck(
        ascii, PetscObjectComm((PetscObject)mat), PETSC_ERR_SUP,
        "a matrix of furrow_petsc can be viewed as text only; convert it to MATAIJ by MatConvert");
    PetscCall(MatShellGetContext(mat, &s));
    const fur_ranks_report *report = fur_ranks_csr_describe(s->a);
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  furrow: %lld entries of type %s, %d ranks, device %s\n",
                                     (long long)report->entries, fur_value_name(report->value_type),
                                     fur_ranks_count(fur_ranks_csr_group(s->a)),
                                     fur_context_device(fur_ranks_csr_context(s->a))));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  halo of a product: %lld bytes, imbalance %.3g\n",
                                     (long long)report->halo_bytes, report->imbalance));
    PetscFunctionReturn(0);
}

/* PETSc 3.18 calls this function without testing whether it exists. */
static PetscErrorCode refuse_row(Mat mat, PetscInt row, PetscInt *count, PetscInt *columns[],
                                 PetscScalar *values[])
{
    (void)row;
    (void)count;
    (void)columns;
    (void)values;
    PetscFunctionBegin;
    SETERRQ(PetscObjectComm((PetscObject)mat), PETSC_ERR_SUP,
            "a shell matrix of furrow_petsc gives no rows; use a matrix of type " FUR_PETSC_AIJ);
}

/* Called when the last matrix that shares the context is destroyed. */
static PetscErrorCode destroy(void *context)
{
    shell *s = context;

    PetscFunctionBegin;
    fur_ranks *group = fur_ranks_csr_group(s->a);
    fur_ranks_csr_destroy(s->transposed);
    if (s->owns) {
        fur_ranks_csr_destroy(s->a);
        fur_ranks_close(group);
    }
    PetscCall(PetscFree(s));
    PetscFunctionReturn(0);
}

/* Makes a shell matrix with the shape on this rank and on all ranks, in PETSc's integers. */
static PetscErrorCode make_shell(MPI_Comm comm, shell *s, Mat *out)
{
    const fur_ranks_report *report = fur_ranks_csr_describe(s->a);
    int rank = fur_ranks_rank(fur_ranks_csr_group(s->a));
    const int64_t *rows = fur_ranks_csr_bounds(s->a) + rank;
    const int64_t *cols = fur_ranks_csr_column_bounds(s->a) + rank;
    PetscInt all_rows;
    PetscInt all_cols;

    PetscFunctionBegin;
    PetscCall(PetscIntCast(report->rows, &all_rows));
    PetscCall(PetscIntCast(report->cols, &all_cols));
    PetscCall(MatCreateShell(comm, (PetscInt)(rows[1] - rows[0]), (PetscInt)(cols[1] - cols[0]),
                             all_rows, all_cols, s, out));
    PetscCall(MatShellSetVecType(*out, petsc_on_gpu(fur_ranks_csr_context(s->a)) ? VECCUDA
                                                                                 : VECSTANDARD));
    PetscCall(MatShellSetOperation(*out, MATOP_MULT, (operation)multiply));
    PetscCall(MatShellSetOperation(*out, MATOP_MULT_TRANSPOSE, (operation)multiply_transposed));
    PetscCall(MatShellSetOperation(*out, MATOP_GET_DIAGONAL, (operation)get_diagonal));
    PetscCall(MatShellSetOperation(*out, MATOP_VIEW, (operation)view));
    PetscCall(MatShellSetOperation(*out, MATOP_GET_ROW, (operation)refuse_row));
    PetscCall(MatShellSetContextDestroy(*out, destroy));
    PetscFunctionReturn(0);
}

/* Refuses matrices for which this PETSc has no vectors. */
static fur_status check_vectors(const fur_ranks_csr *a)
{
    fur_ranks *group = fur_ranks_csr_group(a);
    fur_value_type value = fur_ranks_csr_describe(a)->value_type;
    if (value != petsc_value())
        return fur_ranks_fail(group, FUR_UNSUPPORTED,
                              "the matrix has entries of type %s, but this PETSc has type %s; use "
                              "a PETSc with the type of the matrix",
                              fur_value_name(value), fur_value_name(petsc_value()));
    if (petsc_on_gpu(fur_ranks_csr_context(a)) && !PetscDefined(HAVE_CUDA))
        return fur_ranks_fail(group, FUR_UNSUPPORTED,
                              "the matrix is on a GPU, but this PETSc was configured without CUDA; "
                              "configure PETSc --with-cuda=1, or use the CPU");
    return FUR_OK;
}

PetscErrorCode petsc_wrap(MPI_Comm comm, fur_ranks_csr *a, PetscBool owns, Mat *out)
{
    fur_ranks *group = fur_ranks_csr_group(a);
    Mat mat;
    shell *s;

    PetscFunctionBegin;
    PETSC_TRY(comm, group, fur_ranks_agree(group, check_vectors(a)));
    PetscCall(PetscNew(&s));
    *s = (shell){.a = a, .owns = owns};
    PetscCall(make_shell(comm, s, &mat));
    *out = mat;
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_mat_wrap(MPI_Comm comm, fur_ranks_csr *a, Mat *out)
{
    PetscFunctionBegin;
    PetscCheck(a && out, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(petsc_wrap(comm, a, PETSC_FALSE, out));
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_find_shell(Mat mat, Mat *out)
{
    PetscBool is_shell = PETSC_FALSE;
    operation product = NULL;

    PetscFunctionBegin;
    PetscCall(petsc_aij_shell(mat, out));
    PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATSHELL, &is_shell));
    if (is_shell)
        PetscCall(MatShellGetOperation(mat, MATOP_MULT, &product));
    if (product == (operation)multiply)
        *out = mat;
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_mat_ranks(Mat mat, fur_ranks_csr **out)
{
    Mat found;
    shell *s;

    PetscFunctionBegin;
    PetscCheck(mat && out, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(petsc_find_shell(mat, &found));
    PetscCheck(found, PetscObjectComm((PetscObject)mat), PETSC_ERR_ARG_WRONG,
               "the matrix is not a matrix of furrow_petsc; create it by fur_petsc_mat_convert");
    PetscCall(MatShellGetContext(found, &s));
    *out = s->a;
    PetscFunctionReturn(0);
}
