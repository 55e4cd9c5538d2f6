/* Reductions of shared vectors, of all value types and with bounds of all kinds: the bits of whole
 * ones. */
#include "ranks_support.h"

#include <furrow/scalars.h>

#include <string.h>

#define MANY 5

/* Whole vectors, and what reductions give. */
typedef struct reductions {
    fur_csr *a; /* diagonal: gives the ranks a context */
    const int64_t *bounds;
    void *x[MANY];
    void *y;
    fur_value_type value;
    int64_t rows;
    fur_scalar results[32];
} reductions;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        fur_status try_status = (call);                                                            \
        if (try_status != FUR_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

static fur_status reduce(fur_vector *const *x, fur_vector *y, fur_scalar *out)
{
    const fur_vector *const many[MANY] = {x[0], x[1], x[2], x[3], x[4]};
    const fur_scalar alpha[MANY] = {{0.5, 0.1}, {-1, 0}, {0.25, -1}, {2, 0}, {0.1, 0.2}};
    fur_scalars *scalars;
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    fur_coefficient step = {fur_real(-0.5), NULL, 0, 0};
    TRY(fur_dot(x[0], y, &out[0]));
    TRY(fur_norm1(y, &out[1].re));
    TRY(fur_norm2(y, &out[2].re));
    TRY(fur_norm_max(y, &out[3].re));
    TRY(fur_axpy_norm2(fur_real(0.75), x[1], y, &out[4].re));
    TRY(fur_dot_many(MANY, many, y, out + 5));
    TRY(fur_axpy_many_norm2(MANY, alpha, many, y, &out[10].re));
    TRY(fur_axpy_many_dots(MANY, alpha, many, y, out + 11));
    TRY(fur_scalars_create(fur_vector_context(y), &scalars));
    TRY(fur_axpy_norms_into(step, x[2], x[3], fur_real(1), y, scalars, 0, 1));
    TRY(fur_scalars_get(scalars, &state));
    out[16] = state.value[0];
    out[17] = state.value[1];
    fur_scalars_destroy(scalars);
    TRY(fur_vector_scale(y, fur_real(1e30)));
    TRY(fur_norm2(y, &out[18].re));
    if (fur_value_size(fur_vector_value_type(y)) > 8 || fur_vector_value_type(y) == FUR_F64)
        TRY(fur_vector_scale(y, fur_real(1e200))); /* squares overflow */
    return fur_norm2(y, &out[19].re);
}

static fur_status reduce_part(reductions *job, fur_context *context, int64_t begin, int64_t end,
                              fur_scalar *out)
{
    size_t skip = (size_t)begin * fur_value_size(job->value);
    fur_vector *x[MANY];
    fur_vector *y;
    for (int k = 0; k < MANY; k++)
        TRY(fur_vector_wrap(context, job->value, end - begin, (char *)job->x[k] + skip,
                            FUR_OWNERSHIP_COPY, &x[k]));
    TRY(fur_vector_wrap(context, job->value, end - begin, (char *)job->y + skip, FUR_OWNERSHIP_COPY,
                        &y));
    TRY(reduce(x, y, out));
    for (int k = 0; k < MANY; k++)
        fur_vector_destroy(x[k]);
    fur_vector_destroy(y);
    return FUR_OK;
}

static fur_status work(fur_ranks *group, void *user)
{
    reductions *job = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_scalar results[32] = {{0, 0}};
    TRY(fur_ranks_csr_scatter(group, rank == 0 ? job->a : NULL, job->bounds, &a));
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

static void compare(rng *r, fur_value_type value, int64_t rows, int turn)
{
    fur_context *context = context_make(NULL, 1);
    reductions job = {.value = value, .rows = rows, .a = diagonal_matrix(context, rows)};
    fur_scalar expected[32] = {{0, 0}};
    for (int k = 0; k < MANY; k++)
        job.x[k] = entries_random(r, value, rows);
    job.y = entries_random(r, value, rows);
    ck_ok(context, reduce_part(&job, context, 0, rows, expected));
    for (int kind = 0; kind < BOUND_KINDS; kind++) {
        int64_t bounds[RANKS_MOST + 1];
        int ranks = 1 + (turn + kind) % RANKS_MOST;
        fur_ranks_options options = {.size = sizeof options, .threads = 1 + kind % 2};
        bounds_random(r, kind, ranks, rows, bounds);
        job.bounds = bounds;
        fur_status status = fur_ranks_run(ranks, &options, work, &job);
        ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        for (int i = 0; i < 20; i++)
            ck_assert_msg(memcmp(&job.results[i], &expected[i], sizeof expected[i]) == 0,
                          "result %d of %lld %s entries on %d ranks, bounds %d: %a and not %a", i,
                          (long long)rows, fur_value_name(value), ranks, kind, job.results[i].re,
                          expected[i].re);
    }
    for (int k = 0; k < MANY; k++)
        free(job.x[k]);
    free(job.y);
    fur_csr_destroy(job.a);
    fur_context_destroy(context);
}

START_TEST(reductions_of_parts)
{
    rng r = rng_stream((uint64_t)_i);
    static const int64_t sizes[] = {1, 63, 1025, 5000, 17000};
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int turn = 0; turn < (TEST_SLOW ? 1 : 2); turn++)
            compare(&r, (fur_value_type)_i, sizes[s], s + 3 * turn);
}
END_TEST

static fur_status misfit(fur_ranks *group, void *user)
{
    const reductions *job = user;
    int rank = fur_ranks_rank(group);
    fur_ranks_csr *a = NULL;
    fur_vector *x = NULL;
    double norm;
    TRY(fur_ranks_csr_scatter(group, rank == 0 ? job->a : NULL, job->bounds, &a));
    fur_status status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 7, &x);
    if (status == FUR_OK)
        status = fur_norm2(x, &norm);
    fur_ranks_pass_on(group, fur_ranks_csr_context(a), status);
    fur_vector_destroy(x);
    fur_ranks_csr_destroy(a);
    return fur_ranks_agree(group, status);
}

START_TEST(vectors_of_another_size)
{
    fur_context *context = context_make(NULL, 1);
    int64_t bounds[] = {0, 7, 20};
    reductions job = {.a = diagonal_matrix(context, 20), .bounds = bounds};
    ck_assert_int_eq(fur_ranks_run(2, NULL, misfit, &job), FUR_UNSUPPORTED);
    ck_assert_str_eq(fur_context_error(NULL), "a vector of 7 entries is not one that the context "
                                              "shares: its part has 13");
    fur_csr_destroy(job.a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_of_parts, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, vectors_of_another_size);
}

int main(void)
{
    return run_tests("ranks_reduce", add);
}
