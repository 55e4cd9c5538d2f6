/* Samples rows of a matrix for the guess. On a device they are fetched in three steps that wait:
 * the row numbers are sent, the beginnings of their entries are fetched, and then the entries. */
#include "recognise.h"
#include "split.h"

/* The extracted rows, on the device. */
typedef struct remote_rows {
    int32_t *numbers;
    int64_t *starts;
    char *entries; /* all values, then all columns */
} remote_rows;

/* Chooses one row of each of `count` parts, at an irregular place. Rows at equal distances might
 * all lie at one end of a grid's lines. */
static int64_t choose_row(int64_t rows, int count, int i)
{
    uint64_t anywhere = ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    int64_t begin = fur_split(rows, count, i);
    int64_t end = fur_split(rows, count, i + 1);
    return begin + (int64_t)(anywhere % (uint64_t)(end - begin));
}

static void set_range(fur_sample *s, int i, int64_t begin, int64_t end)
{
    s->begin[i] = begin;
    s->length[i] = end - begin > FUR_STENCIL_POINTS ? 0 : (int)(end - begin);
}

static void find_here(const fur_csr_view *a, fur_sample *s)
{
    for (int i = 0; i < s->count; i++)
        set_range(s, i, fur_offset_at(a, s->row[i]), fur_offset_at(a, s->row[i] + 1));
    s->columns = a->columns;
    s->values = a->values;
}

/* Fetches the beginnings of the rows, and the numbers of their entries. */
static fur_status fetch_starts(const fur_csr *a, const remote_rows *far, fur_sample *s,
                               int64_t *entries)
{
    fur_context *context = a->context;
    const fur_csr_services *device = &fur_services(context)->csr;
    int32_t numbers[FUR_SAMPLE_MAX];
    int64_t starts[FUR_SAMPLE_MAX + 1];
    int64_t count = s->count;
    for (int i = 0; i < s->count; i++)
        numbers[i] = (int32_t)s->row[i];
    FUR_TRY(fur_memory_copy(context, far->numbers, numbers, count * (int64_t)sizeof *numbers));
    FUR_TRY(device->row_starts(&context->env, &a->view, count, far->numbers, FUR_STENCIL_POINTS,
                               far->starts));
    FUR_TRY(fur_memory_copy(context, starts, far->starts, (count + 1) * (int64_t)sizeof *starts));
    for (int i = 0; i < s->count; i++)
        set_range(s, i, starts[i], starts[i + 1]);
    *entries = starts[count];
    return FUR_OK;
}

static fur_status fetch_entries(const fur_csr *a, remote_rows *far, int64_t entries, fur_sample *s)
{
    fur_context *context = a->context;
    const fur_csr_services *device = &fur_services(context)->csr;
    int64_t value_bytes = entries * (int64_t)fur_value_size(a->view.value_type);
    int64_t bytes = value_bytes + entries * (int64_t)sizeof *s->columns;
    FUR_TRY(fur_memory_allocate(context, bytes, 1, &far->entries));
    FUR_TRY(fur_env_allocate(&context->env, bytes, 1, &s->fetched));
    const fur_csr_view rows = {
        sizeof rows,        s->count, a->view.cols, entries,
        a->view.value_type, FUR_I64,  far->starts,  (int32_t *)(void *)(far->entries + value_bytes),
        far->entries};
    FUR_TRY(device->take_rows(&context->env, &a->view, far->numbers, far->starts, &rows));
    FUR_TRY(fur_memory_copy(context, s->fetched, far->entries, bytes));
    s->values = s->fetched;
    s->columns = (const int32_t *)(const void *)((const char *)s->fetched + value_bytes);
    return FUR_OK;
}

static fur_status fetch(const fur_csr *a, fur_sample *s)
{
    fur_context *context = a->context;
    fur_status status = FUR_OK;
    remote_rows far = {NULL, NULL, NULL};
    int64_t entries = 0;
    FUR_TRY_DONE(fur_memory_allocate(context, s->count, sizeof *far.numbers, &far.numbers));
    FUR_TRY_DONE(fur_memory_allocate(context, s->count + 1, sizeof *far.starts, &far.starts));
    FUR_TRY_DONE(fetch_starts(a, &far, s, &entries));
    if (entries > 0)
        FUR_TRY_DONE(fetch_entries(a, &far, entries, s));
done:
    fur_memory_release(context, far.entries);
    fur_memory_release(context, far.starts);
    fur_memory_release(context, far.numbers);
    if (status != FUR_OK)
        fur_sample_release(context, s);
    return status;
}

fur_status fur_sample_take(const fur_csr *a, int count, fur_sample *out)
{
    out->count = (int)fur_smaller(a->view.rows, count);
    out->columns = NULL;
    out->values = out->fetched = NULL;
    for (int i = 0; i < out->count; i++)
        out->row[i] = choose_row(a->view.rows, out->count, i);
    out->copy = NULL;
    if (fur_services(a->context)->csr.take_rows)
        return fetch(a, out);
    FUR_TRY(fur_csr_to_host(a, &a, &out->copy));
    find_here(&a->view, out);
    return FUR_OK;
}

void fur_sample_release(fur_context *context, fur_sample *s)
{
    fur_csr_destroy(s->copy);
    fur_env_release(&context->env, s->fetched);
}
