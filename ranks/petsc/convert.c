/* Makes matrices from files and from PETSc's matrices. */
#include "shell.h"

/* Rows of a PETSc matrix in the library's integers. NULL before they are allocated. */
typedef struct row_copy {
    int64_t *offsets;
    int64_t *columns;
    PetscScalar *values;
} row_copy;

static PetscErrorCode count_rows(Mat a, PetscInt begin, PetscInt end, row_copy *r)
{
    PetscInt count;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1((size_t)(end - begin) + 1, &r->offsets));
    r->offsets[0] = 0;
    for (PetscInt row = begin; row < end; row++) {
        PetscCall(MatGetRow(a, row, &count, NULL, NULL));
        r->offsets[row - begin + 1] = r->offsets[row - begin] + count;
        PetscCall(MatRestoreRow(a, row, &count, NULL, NULL));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode copy_rows(Mat a, PetscInt begin, PetscInt end, row_copy *r)
{
    const PetscInt *columns;
    const PetscScalar *values;
    PetscInt count;

    PetscFunctionBegin;
    PetscCall(count_rows(a, begin, end, r));
    PetscCall(PetscMalloc1((size_t)r->offsets[end - begin], &r->columns));
    PetscCall(PetscMalloc1((size_t)r->offsets[end - begin], &r->values));
    for (PetscInt row = begin; row < end; row++) {
        int64_t at = r->offsets[row - begin];
        PetscCall(MatGetRow(a, row, &count, &columns, &values));
        for (PetscInt k = 0; k < count; k++)
            r->columns[at + k] = columns[k];
        PetscCall(PetscArraycpy(r->values + at, values, (size_t)count));
        PetscCall(MatRestoreRow(a, row, &count, &columns, &values));
    }
    PetscFunctionReturn(0);
}

/* Makes the library's matrix from a PETSc matrix's rows. All ranks agree on the result. */
static fur_status take_rows(Mat a, fur_ranks *group, row_copy *r, fur_ranks_csr **out)
{
    PetscInt begin = 0;
    PetscInt end = 0;
    PetscInt cols = 0;
    PetscInt own_cols = 0;
    PetscErrorCode code = MatGetOwnershipRange(a, &begin, &end);
    if (!code)
        code = MatGetSize(a, NULL, &cols);
    if (!code)
        code = MatGetLocalSize(a, NULL, &own_cols);
    if (!code)
        code = copy_rows(a, begin, end, r);
    if (code)
        return fur_ranks_agree(group,
                               fur_ranks_fail(group, FUR_INVALID,
                                              "rank %d cannot read its rows: error %d of PETSc",
                                              fur_ranks_rank(group), (int)code));
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = end - begin,
                           .cols = cols,
                           .value_type = petsc_value(),
                           .offsets = r->offsets,
                           .columns = r->columns,
                           .values = r->values,
                           .own_cols = own_cols};
    return fur_ranks_csr_create(group, &rows, out);
}

/* Makes the Mat that owns a matrix and its group, or closes both. */
static PetscErrorCode own(MPI_Comm comm, fur_ranks *group, fur_status status, fur_ranks_csr *a,
                          Mat *out)
{
    PetscErrorCode code;

    PetscFunctionBegin;
    if (status == FUR_OK)
        code = petsc_wrap(comm, a, PETSC_TRUE, out);
    else
        code = PetscError(comm, __LINE__, PETSC_FUNCTION_NAME, __FILE__, petsc_code(status),
                          PETSC_ERROR_INITIAL, "%s", fur_ranks_error(group));
    if (code) {
        fur_ranks_csr_destroy(a);
        fur_ranks_close(group);
    }
    PetscFunctionReturn(code);
}

PetscErrorCode fur_petsc_mat_read(MPI_Comm comm, const char *path, const fur_ranks_options *options,
                                  Mat *out)
{
    fur_ranks *group;
    fur_ranks_csr *a = NULL;

    PetscFunctionBegin;
    PetscCheck(path && out, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    PetscCall(petsc_open(comm, options, &group));
    fur_status status = fur_ranks_csr_read(group, path, NULL, &a);
    PetscCall(own(comm, group, status, a, out));
    PetscFunctionReturn(0);
}

PetscErrorCode fur_petsc_mat_convert(Mat a, const fur_ranks_options *options, Mat *out)
{
    fur_ranks *group;
    fur_ranks_csr *made = NULL;
    row_copy rows = {0};
    PetscBool known;
    PetscBool shell;
    PetscBool assembled;

    PetscFunctionBegin;
    PetscCheck(a && out, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "%s was given NULL", __func__);
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    PetscCall(MatAssembled(a, &assembled));
    PetscCheck(assembled, comm, PETSC_ERR_ARG_WRONGSTATE,
               "the matrix is not assembled; call MatAssemblyBegin and MatAssemblyEnd first");
    PetscCall(MatHasOperation(a, MATOP_GET_ROW, &known));
    PetscCall(PetscObjectTypeCompare((PetscObject)a, MATSHELL, &shell));
    PetscCheck(known && !shell, comm, PETSC_ERR_SUP,
               "the matrix has a type without MatGetRow; convert it to MATAIJ by MatConvert first");
    PetscCall(petsc_open(comm, options, &group));
    fur_status status = take_rows(a, group, &rows, &made);
    PetscCall(PetscFree(rows.offsets));
    PetscCall(PetscFree(rows.columns));
    PetscCall(PetscFree(rows.values));
    PetscCall(own(comm, group, status, made, out));
    PetscFunctionReturn(0);
}
