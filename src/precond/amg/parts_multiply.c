/* Products for which a context computes some rows. */
#include "parts.h"

#include <string.h>

static char *entry(char *array, int64_t i, size_t size)
{
    return array + (size_t)i * size;
}

/* Exchanges the entries of x that contexts need of each other. x is its whole array. */
static fur_status exchange(const fur_amg_part *part, size_t size, char *x)
{
    const fur_sharing *with = &part->of->with;
    for (int i = 0; i < part->give_count; i++) {
        const fur_amg_way *way = &part->give[i];
        for (int64_t k = 0; k < way->count; k++)
            memcpy(entry(part->packed, k, size), entry(x, way->entries[k], size), size);
        FUR_TRY(with->send(with->user, way->rank, part->packed, (size_t)way->count * size));
    }
    for (int i = 0; i < part->take_count; i++) {
        const fur_amg_way *way = &part->take[i];
        FUR_TRY(with->receive(with->user, way->rank, part->packed, (size_t)way->count * size));
        for (int64_t k = 0; k < way->count; k++)
            memcpy(entry(x, way->entries[k], size), entry(part->packed, k, size), size);
    }
    return FUR_OK;
}

/* Completes y: every context has only its rows. */
static fur_status complete(const fur_amg_part *part, size_t size, char *y)
{
    const fur_amg_parts *parts = part->of;
    const int64_t *bounds = part->y_bounds;
    int64_t most = 1;
    for (int rank = 0; rank < parts->with.ranks; rank++)
        if (bounds[rank + 1] - bounds[rank] > most)
            most = bounds[rank + 1] - bounds[rank];
    int own = parts->with.rank;
    memcpy(parts->mine, entry(y, bounds[own], size),
           (size_t)(bounds[own + 1] - bounds[own]) * size);
    FUR_TRY(parts->with.gather(parts->with.user, parts->mine, (size_t)most * size, parts->all));
    for (int rank = 0; rank < parts->with.ranks; rank++)
        memcpy(entry(y, bounds[rank], size), entry(parts->all, rank * most, size),
               (size_t)(bounds[rank + 1] - bounds[rank]) * size);
    return FUR_OK;
}

fur_status fur_amg_multiply_part(const fur_amg_part *part, double alpha, const fur_vector *x,
                                 bool add, fur_vector *y)
{
    const fur_amg_parts *parts = part->of;
    size_t size = fur_value_size(x->value_type);
    int own = parts->with.rank;
    fur_vector all = *x;
    fur_vector mine = *y;
    if (part->x_bounds) {
        all.data = (char *)x->data - (size_t)part->x_bounds[own] * size;
        FUR_TRY(exchange(part, size, all.data));
    }
    all.size = part->rows->view.cols;
    if (part->y_is_whole) {
        mine.data = entry(y->data, part->y_bounds[own], size);
        mine.size = part->rows->view.rows;
    }
    if (mine.size > 0)
        FUR_TRY(fur_spmv_apply(part->plan, fur_real(alpha), &all, fur_real(add), &mine));
    return part->y_is_whole ? complete(part, size, y->data) : FUR_OK;
}
