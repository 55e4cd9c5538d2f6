/* Makes a matrix from a function of its rows, on all threads. */
#include "generate_kinds.h"

#include "command.h"

typedef struct rows_job {
    fur_context *context;
    int64_t rows;
    generate_row *row;
    const void *self;
    int64_t *offsets;
    int32_t *narrow; /* 32-bit copy of the offsets, if the entries fit */
    int32_t *columns;
    double *values;
} rows_job;

#define ROW_GRAIN 4096

static fur_status reserve(rows_job *job, int64_t count, size_t size, void **out)
{
    return fur_context_allocate(job->context, (size_t)count * size, out);
}

static void run(rows_job *job, void (*work)(void *user, int64_t begin, int64_t end))
{
    fur_context_parallel(job->context, job->rows, ROW_GRAIN, work, job);
}

static void count_rows(void *user, int64_t begin, int64_t end)
{
    const rows_job *job = user;
    for (int64_t i = begin; i < end; i++)
        job->offsets[i + 1] = job->row(job->self, i, NULL, NULL);
}

static void count_entries(rows_job *job)
{
    job->offsets[0] = 0;
    run(job, count_rows);
    for (int64_t i = 0; i < job->rows; i++)
        job->offsets[i + 1] += job->offsets[i];
}

static void write_rows(void *user, int64_t begin, int64_t end)
{
    const rows_job *job = user;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = job->offsets[i];
        job->row(job->self, i, job->columns + first, job->values + first);
    }
}

static void narrow_offsets(void *user, int64_t begin, int64_t end)
{
    const rows_job *job = user;
    for (int64_t i = begin; i < end; i++)
        job->narrow[i + 1] = (int32_t)job->offsets[i + 1];
}

static fur_status make_arrays(rows_job *job)
{
    void *memory = NULL;
    FUR_TRY(reserve(job, job->rows + 1, sizeof *job->offsets, &memory));
    job->offsets = memory;
    count_entries(job);
    int64_t entries = job->offsets[job->rows];
    FUR_TRY(reserve(job, entries, sizeof *job->columns, &memory));
    job->columns = memory;
    FUR_TRY(reserve(job, entries, sizeof *job->values, &memory));
    job->values = memory;
    run(job, write_rows);
    if (entries <= INT32_MAX) {
        FUR_TRY(reserve(job, job->rows + 1, sizeof *job->narrow, &memory));
        job->narrow = memory;
        job->narrow[0] = 0;
        run(job, narrow_offsets);
    }
    return FUR_OK;
}

static fur_status make_matrix(rows_job *job, fur_csr **out)
{
    FUR_TRY(make_arrays(job));
    fur_csr_view arrays = {.size = sizeof arrays,
                           .rows = job->rows,
                           .cols = job->rows,
                           .entries = job->offsets[job->rows],
                           .value_type = FUR_F64,
                           .offset_type = job->narrow ? FUR_I32 : FUR_I64,
                           .offsets = job->narrow ? (void *)job->narrow : job->offsets,
                           .columns = job->columns,
                           .values = job->values};
    FUR_TRY(fur_csr_create(job->context, &arrays, FUR_OWNERSHIP_ADOPT, out));
    job->columns = NULL;
    job->values = NULL;
    if (!job->narrow)
        job->offsets = NULL;
    job->narrow = NULL;
    return FUR_OK;
}

fur_status generate_rows(fur_context *context, int64_t rows, generate_row *row, const void *self,
                         fur_csr **out)
{
    rows_job job = {.context = context, .rows = rows, .row = row, .self = self};
    fur_status status = make_matrix(&job, out);
    fur_context_release(context, job.offsets);
    fur_context_release(context, job.narrow);
    fur_context_release(context, job.columns);
    fur_context_release(context, job.values);
    return status;
}
