#include "petsc_support.h"

#include <furrow/author/context.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long long seed;

void expect_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    PetscMPIInt rank;
    va_list arguments;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    fprintf(stderr, "%s:%d: rank %d: %s: ", file, line, rank, condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    MPI_Abort(PETSC_COMM_WORLD, 1);
}

void seed_start(void)
{
    const char *given = getenv("FURROW_SEED");
    seed = given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL);
    MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, PETSC_COMM_WORLD);
    MUST(PetscPrintf(PETSC_COMM_WORLD, "FURROW_SEED=%llu\n", seed));
}

const fur_ranks_options *place(void)
{
    static const fur_ranks_options gpus = {
        .size = sizeof gpus, .device = "cuda", .device_transport = "peers"};
    PetscBool wanted;
    MUST(PetscOptionsHasName(NULL, NULL, "-furrow_cuda", &wanted));
    return wanted ? &gpus : NULL;
}

/* Mixes 64 bits (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bits(uint64_t a, uint64_t b)
{
    return mix(seed ^ mix(a ^ mix(b)));
}

PetscReal noise(uint64_t a, uint64_t b)
{
    return (PetscReal)((double)(bits(a, b) >> 11) * 0x1p-52 - 1);
}

sample sample_grid(PetscInt points, PetscReal wind)
{
    PetscInt rows = points * points * points;
    return (sample){.rows = rows, .cols = rows, .points = points, .wind = wind};
}

static int grid_row(const sample *s, PetscInt row, PetscInt *columns, PetscScalar *values)
{
    PetscInt n = s->points;
    PetscInt at[3] = {row % n, row / n % n, row / n / n};
    PetscInt step[3] = {1, n, n * n};
    int count = 0;
    for (int d = 2; d >= 0; d--)
        if (at[d] > 0) {
            columns[count] = row - step[d];
            values[count++] = -1 - s->wind;
        }
    columns[count] = row;
    values[count++] = 6 + PetscAbsReal(noise((uint64_t)row, 1));
    for (int d = 0; d < 3; d++)
        if (at[d] < n - 1) {
            columns[count] = row + step[d];
            values[count++] = -1 + s->wind;
        }
    return count;
}

static int scattered_row(const sample *s, PetscInt row, PetscInt *columns, PetscScalar *values)
{
    int count = 0;
    PetscInt column = (PetscInt)(bits((uint64_t)row, 2) % (uint64_t)s->cols);
    while (count < ROW_MAX && column < s->cols) {
        columns[count] = column;
        values[count] = noise((uint64_t)row, (uint64_t)column + 100);
        column +=
            1 + (PetscInt)(bits((uint64_t)row, 1000 + (uint64_t)count) % ((uint64_t)s->cols / 4));
        count++;
    }
    return count;
}

int sample_row(const sample *s, PetscInt row, PetscInt *columns, PetscScalar *values)
{
    return s->points > 0 ? grid_row(s, row, columns, values)
                         : scattered_row(s, row, columns, values);
}

static PetscInt own_share(const sample *s, PetscInt all)
{
    PetscMPIInt rank;
    PetscMPIInt ranks;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    if (!s->skew || ranks == 1)
        return all / ranks + (all % ranks > rank);
    return rank == 0 ? 1 : rank == ranks - 1 ? all - 1 : 0;
}

Mat sample_petsc(const sample *s)
{
    PetscInt begin;
    PetscInt end;
    PetscInt columns[ROW_MAX];
    PetscScalar values[ROW_MAX];
    Mat a;
    MUST(MatCreateAIJ(PETSC_COMM_WORLD, own_share(s, s->rows), own_share(s, s->cols), s->rows,
                      s->cols, ROW_MAX, NULL, ROW_MAX, NULL, &a));
    MUST(MatGetOwnershipRange(a, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        int count = sample_row(s, row, columns, values);
        MUST(MatSetValues(a, 1, &row, count, columns, values, INSERT_VALUES));
    }
    MUST(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    MUST(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return a;
}

Mat sample_ours(const sample *s)
{
    Mat theirs = sample_petsc(s);
    Mat a;
    MUST(MatConvert(theirs, FUR_PETSC_AIJ, MAT_INITIAL_MATRIX, &a));
    MUST(MatDestroy(&theirs));
    return a;
}

Mat sample_shell(const sample *s)
{
    Mat theirs = sample_petsc(s);
    Mat a;
    MUST(fur_petsc_mat_convert(theirs, NULL, &a));
    MUST(MatDestroy(&theirs));
    return a;
}

fur_csr *sample_serial(fur_context *context, const sample *s)
{
    int64_t *offsets = malloc(((size_t)s->rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)s->rows * ROW_MAX * sizeof *columns);
    PetscScalar *values = malloc((size_t)s->rows * ROW_MAX * sizeof *values);
    PetscInt row_columns[ROW_MAX];
    fur_csr *a = NULL;
    offsets[0] = 0;
    for (PetscInt row = 0; row < s->rows; row++) {
        int count = sample_row(s, row, row_columns, values + offsets[row]);
        for (int k = 0; k < count; k++)
            columns[offsets[row] + k] = (int32_t)row_columns[k];
        offsets[row + 1] = offsets[row] + count;
    }
    fur_csr_view view = {.size = sizeof view,
                         .rows = s->rows,
                         .cols = s->cols,
                         .entries = offsets[s->rows],
                         .value_type = FUR_F64,
                         .offset_type = FUR_I64,
                         .offsets = offsets,
                         .columns = columns,
                         .values = values};
    fur_status status = fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a);
    EXPECT(status == FUR_OK, "%s", fur_context_error(context));
    free(offsets);
    free(columns);
    free(values);
    return a;
}

PetscScalar x_entry(PetscInt i)
{
    return noise((uint64_t)i, 3);
}

void x_fill(Vec x)
{
    PetscInt begin;
    PetscInt end;
    PetscScalar *entries;
    MUST(VecGetOwnershipRange(x, &begin, &end));
    MUST(VecGetArrayWrite(x, &entries));
    for (PetscInt i = begin; i < end; i++)
        entries[i - begin] = x_entry(i);
    MUST(VecRestoreArrayWrite(x, &entries));
}

fur_context *context_alone(void)
{
    fur_context *context = NULL;
    EXPECT(fur_context_create(NULL, &context) == FUR_OK, "%s", fur_context_error(NULL));
    return context;
}

PetscScalar *multiply_alone(const fur_csr *a, fur_op op)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *view = fur_csr_get(a);
    int64_t in = op == FUR_OP_N ? view->cols : view->rows;
    int64_t out = op == FUR_OP_N ? view->rows : view->cols;
    fur_spmv_options options = {.size = sizeof options, .op = op};
    PetscScalar *x_entries = malloc((size_t)in * sizeof *x_entries);
    PetscScalar *y_entries = malloc((size_t)out * sizeof *y_entries);
    fur_spmv *plan = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    for (int64_t i = 0; i < in; i++)
        x_entries[i] = x_entry((PetscInt)i);
    fur_status status = fur_spmv_plan(a, &options, &plan);
    if (status == FUR_OK)
        status = fur_vector_wrap(context, FUR_F64, in, x_entries, FUR_OWNERSHIP_BORROW, &x);
    if (status == FUR_OK)
        status = fur_vector_wrap(context, FUR_F64, out, y_entries, FUR_OWNERSHIP_BORROW, &y);
    if (status == FUR_OK)
        status = fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y);
    EXPECT(status == FUR_OK, "%s", fur_context_error(context));
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_spmv_destroy(plan);
    free(x_entries);
    return y_entries;
}

PetscScalar *multiply_sample(const sample *s, fur_op op)
{
    fur_context *context = context_alone();
    fur_csr *a = sample_serial(context, s);
    PetscScalar *y = multiply_alone(a, op);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return y;
}

static char sentence[1024];

/* An error handler that stores the message that PETSc would print. */
static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file,
                           PetscErrorCode code, PetscErrorType type, const char *message,
                           void *user)
{
    (void)comm;
    (void)line;
    (void)function;
    (void)file;
    (void)user;
    if (type == PETSC_ERROR_INITIAL)
        snprintf(sentence, sizeof sentence, "%s", message);
    return code;
}

void refusal_begin(void)
{
    sentence[0] = '\0';
    MUST(PetscPushErrorHandler(keep, NULL));
}

void refusal_end(const char *file, int line, PetscErrorCode code, const char *part)
{
    char first[sizeof sentence];
    MUST(PetscPopErrorHandler());
    memcpy(first, sentence, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, PETSC_COMM_WORLD);
    if (!code || !strstr(sentence, part) || strcmp(first, sentence) != 0)
        expect_failed(file, line, part, "status %d, \"%s\"; on rank 0 \"%s\"", (int)code, sentence,
                      first);
}

const char *refusal_sentence(void)
{
    return sentence;
}
