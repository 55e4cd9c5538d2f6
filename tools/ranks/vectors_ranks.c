/* Reads and writes distributed vectors. */
#include "ranks_job.h"

#include <furrow/author/context.h>

#include "load.h"

fur_status ranks_pass(const ranks_job *j, const fur_context *context, fur_status status)
{
    return fur_ranks_pass_on(j->group, context, status);
}

fur_status ranks_vector(const ranks_job *j, fur_context *context, const int64_t *bounds,
                        fur_vector **out)
{
    int rank = fur_ranks_rank(j->group);
    return ranks_pass(j, context,
                      fur_vector_create(context, j->value, bounds[rank + 1] - bounds[rank], out));
}

/* Permutes entries from the order of the file to the order of the partition. */
static fur_status arrange(const ranks_job *j, fur_vector **whole)
{
    const int32_t *order = fur_permutation_order(fur_partition_order(j->partition));
    size_t size = fur_value_size(j->value);
    int64_t rows = fur_vector_size(*whole);
    fur_vector *arranged;
    FUR_TRY(fur_vector_create(j->home, j->value, rows, &arranged));
    const char *from = fur_vector_const_data(*whole);
    char *to = fur_vector_data(arranged);
    for (int64_t i = 0; i < rows; i++)
        memcpy(to + (size_t)i * size, from + (size_t)order[i] * size, size);
    fur_vector_destroy(*whole);
    *whole = arranged;
    return FUR_OK;
}

fur_status ranks_deal(const ranks_job *j, fur_vector *whole, const int64_t *bounds, fur_vector *x)
{
    fur_status status = FUR_OK;
    if (whole && j->partition)
        status = ranks_pass(j, j->home, arrange(j, &whole));
    status = fur_ranks_agree(j->group, status);
    if (status == FUR_OK)
        status =
            fur_ranks_scatter(j->group, bounds, whole ? fur_vector_const_data(whole) : NULL, x);
    fur_vector_destroy(whole);
    return status;
}

fur_status ranks_load(const ranks_job *j, const char *path, const int64_t *bounds, fur_vector *x)
{
    vector_request request = {.path = path, .value = j->value};
    fur_vector *whole = NULL;
    fur_status status = FUR_OK;
    if (!path)
        return ranks_pass(j, fur_vector_context(x), fur_vector_fill(x, fur_real(1)));
    request.size = bounds[fur_ranks_count(j->group)];
    if (j->leads)
        status =
            ranks_pass(j, j->home,
                       command_while(j->home, "reading", path,
                                     load_vector(j->home, &j->request->common, &request, &whole)));
    status = fur_ranks_agree(j->group, status);
    return status == FUR_OK ? ranks_deal(j, whole, bounds, x) : status;
}

fur_status ranks_save(const ranks_job *j, const int64_t *bounds, const fur_vector *x)
{
    const save_target *target = &j->request->solver.out;
    fur_vector *whole = NULL;
    fur_status status = FUR_OK;
    if (!target->path)
        return FUR_OK;
    if (j->leads)
        status = ranks_pass(
            j, j->home,
            fur_vector_create(j->home, j->value, bounds[fur_ranks_count(j->group)], &whole));
    status = fur_ranks_agree(j->group, status);
    void *all = whole ? fur_vector_data(whole) : NULL;
    if (status == FUR_OK)
        status = j->partition ? fur_ranks_give_vector(j->a, j->partition, x, all)
                              : fur_ranks_gather(j->group, bounds, x, all);
    if (status == FUR_OK && j->leads)
        status = ranks_pass(j, j->home, save_vector(whole, target, NULL));
    fur_vector_destroy(whole);
    return fur_ranks_agree(j->group, status);
}
