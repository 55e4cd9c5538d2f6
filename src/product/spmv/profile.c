/* The profile of a matrix, from which its SpMV kernel is chosen. */
#include "spmv.h"

#include "split.h"

#include <math.h>
#include <stdlib.h>

#define LINE_BYTES 64
/* The number of windows of entries that are read, and their length. */
#define WINDOWS 32
#define WINDOW_ENTRIES 1024
/* Cache lines of x that a window remembers, by their lowest bits. */
#define LINES 1024

/* The entries of a window whose cache line of x is new in this window. */
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

/* Lines that neighbouring rows share are counted once a window. Even if all lines are shared, each
 * window counts the few lines that it begins with. This is harmless, because only ratios matter. */
static double far_entries(const fur_csr_view *a)
{
    if (a->entries == 0 || a->cols * (int64_t)fur_value_size(a->value_type) <= FUR_NEAR_BYTES)
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

/* Rows are sampled in runs of RUN_ROWS consecutive rows. An entry after LATE others of its row is
 * late: the processor does not look further ahead. */
#define RUNS 256
#define RUN_ROWS 16
#define LATE 32

/* Adds the figures of two consecutive rows with these lengths, for kernels that compute both at
 * once. */
static void look_at_pair(int64_t first, int64_t second, fur_spmv_profile *out)
{
    if (first + second > FUR_ROW_SEGMENT)
        out->long_pairs += (double)(first + second);
    else
        out->lone_entries += (double)llabs(first - second);
}

/* Adds the figures of a run of rows. */
static void look_at_rows(const fur_csr_view *a, int64_t begin, int64_t end, fur_spmv_profile *out)
{
    int64_t before = -1;
    for (int64_t i = begin; i < end; i++) {
        int64_t length = fur_offset_at(a, i + 1) - fur_offset_at(a, i);
        out->turns += before >= 0 && length != before;
        if (length <= FUR_ROW_SEGMENT) /* longer rows have several sums that do not wait */
            out->late_entries += (double)fur_larger(0, length - LATE);
        if ((i - begin) % 2)
            look_at_pair(before, length, out);
        before = length;
    }
}

/* Estimates the figures of all rows from a sample. */
static void sample_rows(const fur_csr_view *a, fur_spmv_profile *out)
{
    int runs = (int)fur_smaller(RUNS, a->rows / RUN_ROWS + 1);
    int64_t looked_at = 0;
    for (int run = 0; run < runs; run++) {
        int64_t begin = fur_split(a->rows, runs, run);
        int64_t end = fur_smaller(begin + RUN_ROWS, a->rows);
        look_at_rows(a, begin, end, out);
        looked_at += end - begin;
    }
    double scale = looked_at > 0 ? (double)a->rows / (double)looked_at : 0;
    double entries = (double)a->entries;
    out->turns *= scale;
    out->late_entries = fmin(scale * out->late_entries, entries);
    out->long_pairs = fmin(scale * out->long_pairs, entries);
    out->lone_entries = fmin(scale * out->lone_entries, entries - out->long_pairs);
}

void fur_spmv_profile_of(const fur_env *env, const fur_csr_view *a, fur_spmv_profile *out)
{
    *out = (fur_spmv_profile){.far_entries = far_entries(a)};
    fur_csr_figures(env, a, &out->rows);
    sample_rows(a, out);
}

static fur_status measure(const fur_csr *a, fur_spmv_profile *out)
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
    fur_spmv_profile_of(&a->context->env, &a->view, out);
    fur_csr_destroy(copy);
    return FUR_OK;
}

fur_status fur_spmv_measure(const fur_csr *a, fur_spmv_profile *out)
{
    FUR_TRY(measure(a, out));
    out->times = a->times;
    return FUR_OK;
}
