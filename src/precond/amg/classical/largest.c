/* The largest weights of a row, which P keeps. */
#include "classical_data.h"

/* Returns true if weight x is kept rather than y. */
static bool is_larger(const fur_amg_list *l, int64_t x, int64_t y)
{
    double a = fabs(l->weight[x]);
    double b = fabs(l->weight[y]);
    return a > b || (a == b && l->column[x] < l->column[y]);
}

static void sort_places(const fur_amg_list *l, int count, int32_t *kept)
{
    for (int t = 1; t < count; t++)
        for (int k = t; k > 0 && l->column[kept[k]] < l->column[kept[k - 1]]; k--) {
            int32_t other = kept[k];
            kept[k] = kept[k - 1];
            kept[k - 1] = other;
        }
}

/* Finds the places of the largest weights, in the order of their columns. */
static int select_largest(const fur_amg_list *l, int32_t *kept)
{
    int count = 0;
    for (int32_t k = 0; k < l->count; k++) {
        int at = count;
        while (at > 0 && is_larger(l, k, kept[at - 1]))
            at--;
        if (at == FUR_AMG_INTERPOLATED)
            continue;
        count += count < FUR_AMG_INTERPOLATED;
        for (int t = count - 1; t > at; t--)
            kept[t] = kept[t - 1];
        kept[at] = k;
    }
    sort_places(l, count, kept);
    return count;
}

static int32_t column_of(const fur_amg_list *l, const int32_t *number, int32_t place)
{
    return number ? number[l->column[place]] : l->column[place];
}

/* Finds the places of the entries of P's row. */
static int find_planned(const fur_amg_list *l, const int32_t *number, const fur_csr_view *p,
                        int64_t i, int32_t *kept)
{
    const int64_t begin = fur_offset_at(p, i);
    const int count = (int)(fur_offset_at(p, i + 1) - begin);
    for (int t = 0; t < count; t++) {
        kept[t] = 0;
        while (column_of(l, number, kept[t]) != p->columns[begin + t])
            kept[t]++;
    }
    return count;
}

void fur_amg_set(fur_csr *p, int64_t k, double value)
{
    if (p->view.value_type == FUR_F64)
        ((double *)fur_csr_values(p))[k] = value;
    else
        ((float *)fur_csr_values(p))[k] = (float)value;
}

void fur_amg_write_row(const fur_amg_list *l, const int32_t *number, bool is_planned, int64_t i,
                       fur_csr *p)
{
    int32_t kept[FUR_AMG_INTERPOLATED];
    const int64_t begin = fur_offset_at(&p->view, i);
    int count = is_planned ? find_planned(l, number, &p->view, i, kept) : select_largest(l, kept);
    double all = 0;
    double sum = 0;
    for (int64_t k = 0; k < l->count; k++)
        all += l->weight[k];
    for (int k = 0; k < count; k++)
        sum += l->weight[kept[k]];
    double factor = sum != 0 ? all / sum : 1;
    for (int k = 0; k < count; k++) {
        fur_csr_columns(p)[begin + k] = column_of(l, number, kept[k]);
        fur_amg_set(p, begin + k, factor * l->weight[kept[k]]);
    }
}
