#include "ranks_reductions.h"

#include <furrow/author/scalars.h>
#include <furrow/author/try.h>

#include <string.h>

static fur_status reduce(fur_vector *const *x, fur_vector *y, fur_scalar *out)
{
    const fur_vector *const many[REDUCED_MANY] = {x[0], x[1], x[2], x[3], x[4]};
    const fur_scalar alpha[REDUCED_MANY] = {{0.5, 0.1}, {-1, 0}, {0.25, -1}, {2, 0}, {0.1, 0.2}};
    fur_scalars *scalars;
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    fur_coefficient step = {fur_real(-0.5), NULL, 0, 0};
    FUR_TRY(fur_dot(x[0], y, &out[0]));
    FUR_TRY(fur_norm1(y, &out[1].re));
    FUR_TRY(fur_norm2(y, &out[2].re));
    FUR_TRY(fur_norm_max(y, &out[3].re));
    FUR_TRY(fur_axpy_norm2(fur_real(0.75), x[1], y, &out[4].re));
    FUR_TRY(fur_dot_many(REDUCED_MANY, many, y, out + 5));
    FUR_TRY(fur_axpy_many_norm2(REDUCED_MANY, alpha, many, y, &out[10].re));
    FUR_TRY(fur_axpy_many_dots(REDUCED_MANY, alpha, many, y, out + 11));
    FUR_TRY(fur_scalars_create(fur_vector_context(y), &scalars));
    FUR_TRY(fur_axpy_norms_into(step, x[2], x[3], fur_real(1), y, scalars, 0, 1));
    FUR_TRY(fur_scalars_get(scalars, &state));
    out[16] = state.value[0];
    out[17] = state.value[1];
    fur_scalars_destroy(scalars);
    FUR_TRY(fur_vector_scale(y, fur_real(1e30)));
    FUR_TRY(fur_norm2(y, &out[18].re));
    if (fur_value_size(fur_vector_value_type(y)) > 8 || fur_vector_value_type(y) == FUR_F64)
        FUR_TRY(fur_vector_scale(y, fur_real(1e200))); /* the squares of the entries overflow */
    return fur_norm2(y, &out[19].re);
}

static fur_status reduce_part(reductions *job, fur_context *context, int64_t begin, int64_t end,
                              fur_scalar *out)
{
    size_t skip = (size_t)begin * fur_value_size(job->value);
    fur_vector *x[REDUCED_MANY];
    fur_vector *y;
    for (int k = 0; k < REDUCED_MANY; k++)
        FUR_TRY(fur_vector_wrap(context, job->value, end - begin, (char *)job->x[k] + skip,
                                FUR_OWNERSHIP_COPY, &x[k]));
    FUR_TRY(fur_vector_wrap(context, job->value, end - begin, (char *)job->y + skip,
                            FUR_OWNERSHIP_COPY, &y));
    FUR_TRY(reduce(x, y, out));
    for (int k = 0; k < REDUCED_MANY; k++)
        fur_vector_destroy(x[k]);
    fur_vector_destroy(y);
    return FUR_OK;
}

fur_status reduce_on_ranks(fur_ranks *group, void *user)
{
    reductions *job = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_scalar results[REDUCED_RESULTS] = {{0, 0}};
    FUR_TRY(fur_ranks_csr_scatter(group, rank == 0 ? job->a : NULL, job->bounds, &a));
    fur_status status = reduce_part(job, fur_ranks_csr_context(a), job->bounds[rank],
                                    job->bounds[rank + 1], results);
    fur_ranks_pass_on(group, fur_ranks_csr_context(a), status);
    if (rank == fur_ranks_count(group) - 1)
        memcpy(job->results, results, sizeof results);
    fur_ranks_csr_destroy(a);
    return fur_ranks_agree(group, status);
}

static fur_csr *diagonal_matrix(fur_context *context, int64_t rows)
{
    int32_t *index = malloc((size_t)(rows + 1) * sizeof *index);
    double *values = calloc((size_t)rows + 1, sizeof *values);
    fur_csr *a = NULL;
    for (int64_t i = 0; i < rows; i++)
        index[i] = (int32_t)i;
    fur_coo_view coo = {sizeof coo, rows, rows, rows, FUR_F64, index, index, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(index);
    free(values);
    return a;
}

reductions reductions_make(fur_context *context, rng *r, fur_value_type value, int64_t rows)
{
    reductions job = {.value = value, .rows = rows, .a = diagonal_matrix(context, rows)};
    for (int k = 0; k < REDUCED_MANY; k++)
        job.x[k] = entries_random(r, value, rows);
    job.y = entries_random(r, value, rows);
    return job;
}

void reductions_free(const reductions *job)
{
    for (int k = 0; k < REDUCED_MANY; k++)
        free(job->x[k]);
    free(job->y);
    fur_csr_destroy(job->a);
}

void reduce_alone(reductions *job, fur_context *context, fur_scalar *out)
{
    ck_ok(context, reduce_part(job, context, 0, job->rows, out));
}

void ck_reductions(const reductions *job, const fur_scalar *expected, int ranks, const char *how)
{
    for (int i = 0; i < REDUCED_RESULTS; i++)
        ck_assert_msg(memcmp(&job->results[i], &expected[i], sizeof expected[i]) == 0,
                      "result %d of %lld %s entries on %d ranks, %s: %a and not %a", i,
                      (long long)job->rows, fur_value_name(job->value), ranks, how,
                      job->results[i].re, expected[i].re);
}
