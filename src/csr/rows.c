/* Extracts some rows of a matrix as a matrix. */
#include "csr.h"
#include "team.h"

#define ROW_GRAIN 1024

typedef struct copying {
    const fur_csr_view *a;
    const int32_t *numbers; /* row numbers in a */
    fur_csr *out;
} copying;

/* The requested rows, with their numbers readable by the host. */
typedef struct selection {
    int64_t count;
    int32_t *numbers;
} selection;

static void copy_rows(void *job, int64_t begin, int64_t end)
{
    const copying *c = job;
    const fur_csr_view *a = c->a;
    const fur_csr_view *out = &c->out->view;
    int32_t *columns = fur_csr_columns(c->out);
    char *values = fur_csr_values(c->out);
    size_t size = fur_value_size(a->value_type);
    for (int64_t i = begin; i < end; i++) {
        int64_t from = fur_offset_at(a, c->numbers[i]);
        int64_t to = fur_offset_at(out, i);
        size_t count = (size_t)(fur_offset_at(out, i + 1) - to);
        memcpy(columns + to, a->columns + from, count * sizeof *columns);
        memcpy(values + (size_t)to * size, (const char *)a->values + (size_t)from * size,
               count * size);
    }
}

static void fill_rows(const fur_csr *a, const void *arguments, fur_csr *rows)
{
    const selection *s = arguments;
    if (rows->view.entries > 0)
        fur_parallel(&a->context->env, s->count / ROW_GRAIN, s->count, copy_rows,
                     &(copying){&a->view, s->numbers, rows});
}

static fur_status take_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const selection *s = arguments;
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    int64_t *starts;
    fur_csr *rows = NULL;
    FUR_TRY(fur_env_allocate(env, s->count + 1, sizeof *starts, &starts));
    starts[0] = 0;
    for (int64_t i = 0; i < s->count; i++)
        starts[i + 1] =
            starts[i] + fur_offset_at(v, s->numbers[i] + 1) - fur_offset_at(v, s->numbers[i]);
    FUR_TRY_DONE(fur_csr_allocate(a->context, s->count, v->cols, starts[s->count], v->value_type,
                                  fur_offset_for(starts[s->count]), &rows));
    fur_csr_set_offsets(rows, starts);
    fill_rows(a, s, rows);
    *out = rows;
done:
    fur_env_release(env, starts);
    return status;
}

static fur_status take_remote(const fur_csr *a, int64_t count, const int32_t *numbers,
                              fur_csr **out)
{
    fur_context *context = a->context;
    const fur_csr_services *device = &fur_services(context)->csr;
    const fur_csr_view *v = &a->view;
    int64_t entries = 0;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    fur_csr *rows = NULL;

    FUR_TRY_DONE(fur_memory_allocate(context, count + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(device->row_starts(&context->env, v, count, numbers, INT64_MAX, starts));
    FUR_TRY_DONE(fur_memory_copy(context, &entries, starts + count, sizeof entries));
    FUR_TRY_DONE(fur_csr_allocate(context, count, v->cols, entries, v->value_type,
                                  fur_offset_for(entries), &rows));
    FUR_TRY_DONE(device->take_rows(&context->env, v, numbers, starts, &rows->view));
    *out = rows;
    rows = NULL;
done:
    fur_csr_destroy(rows);
    fur_memory_release(context, starts);
    return status;
}

static fur_status take_again_remote(const fur_csr *a, const int32_t *numbers, fur_csr *rows)
{
    fur_context *context = a->context;
    const fur_csr_services *device = &fur_services(context)->csr;
    int64_t count = rows->view.rows;
    fur_status status = FUR_OK;
    int64_t *starts;
    FUR_TRY(fur_memory_allocate(context, count + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(device->row_starts(&context->env, &a->view, count, numbers, INT64_MAX, starts));
    FUR_TRY_DONE(device->take_rows(&context->env, &a->view, numbers, starts, &rows->view));
done:
    fur_memory_release(context, starts);
    return status;
}

fur_status fur_csr_take_rows_again(const fur_csr *a, const int32_t *numbers, fur_csr *rows)
{
    selection s = {rows->view.rows, NULL};
    if (fur_services(a->context)->csr.take_rows)
        return take_again_remote(a, numbers, rows);
    FUR_TRY(
        fur_memory_to_host(a->context, numbers, s.count * (int64_t)sizeof *numbers, &s.numbers));
    fur_status status = fur_csr_fill_on_host(a, fill_rows, &s, rows);
    fur_memory_drop(a->context, numbers, s.numbers);
    return status;
}

fur_status fur_csr_take_rows(const fur_csr *a, int64_t count, const int32_t *numbers, fur_csr **out)
{
    selection s = {count, NULL};
    if (fur_services(a->context)->csr.take_rows)
        return take_remote(a, count, numbers, out);
    FUR_TRY(fur_memory_to_host(a->context, numbers, count * (int64_t)sizeof *numbers, &s.numbers));
    fur_status status = fur_csr_on_host(a, take_here, &s, out);
    fur_memory_drop(a->context, numbers, s.numbers);
    return status;
}
