/* The profile of a matrix on which the choice of its SpMV kernel rests. */
#include "spmv.h"

#include "split.h"

/* x of this size stays in the second-level cache. */
#define NEAR_BYTES (1 << 20)
#define LINE_BYTES 64
/* Windows of entries that are looked at, and their length. */
#define WINDOWS 32
#define WINDOW_ENTRIES 1024
/* Lines of x that a window remembers, by their lowest bits. */
#define LINES 1024

/* Entries of a window whose line of x was not met before in it. */
static int64_t new_lines(const fur_csr_view *a, int64_t begin, int64_t end)
{
    int64_t seen[LINES];
    int64_t count = 0;
    int64_t line_entries = LINE_BYTES / (int64_t)fur_value_size(a->value_type);
    for (int i = 0; i < LINES; i++)
        seen[i] = -1;
    for (int64_t k = begin; k < end; k++) {
        int64_t line = a->columns[k] / line_entries;
        count += seen[line % LINES] != line;
        seen[line % LINES] = line;
    }
    return count;
}

/* Lines that neighbours in the matrix share are counted once a window, so a matrix in which all are
 * shared still shows the few a window opens with: harmless, as ratios matter. */
static double far_entries(const fur_csr_view *a)
{
    if (a->entries == 0 || a->cols * (int64_t)fur_value_size(a->value_type) <= NEAR_BYTES)
        return 0;
    int64_t found = 0;
    int64_t looked_at = 0;
    for (int w = 0; w < WINDOWS; w++) {
        int64_t begin = fur_split(a->entries, WINDOWS, w);
        int64_t end = begin + WINDOW_ENTRIES < a->entries ? begin + WINDOW_ENTRIES : a->entries;
        found += new_lines(a, begin, end);
        looked_at += end - begin;
    }
    return (double)a->entries * (double)found / (double)looked_at;
}

fur_status fur_spmv_measure(const fur_csr *a, fur_spmv_profile *out)
{
    const fur_remote *device = fur_services(a->context);
    fur_csr *copy;
    if (a->profiled) {
        *out = a->profile;
        return FUR_OK;
    }
    if (device->csr.profile)
        return device->csr.profile(&a->context->env, &a->view, out);
    FUR_TRY(fur_csr_to_host(a, &a, &copy));
    fur_csr_figures(&a->context->env, &a->view, &out->rows);
    out->far_entries = far_entries(&a->view);
    fur_csr_destroy(copy);
    return FUR_OK;
}
