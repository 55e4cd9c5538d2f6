/* Two ranks of one process multiply a diagonal matrix. */
#include <furrow/ranks.h>

#include <stdio.h>

static fur_status multiply(fur_ranks *group, void *user)
{
    const int64_t offsets[] = {0, 1};
    const int64_t column = fur_ranks_rank(group);
    const double value = 2 + fur_ranks_rank(group);
    fur_ranks_rows rows = {sizeof rows, 1, 2, FUR_F64, offsets, &column, &value, 0};
    fur_ranks_csr *a = NULL;
    fur_vector *x = NULL, *y = NULL;
    fur_status status = fur_ranks_csr_create(group, &rows, &a);
    if (status != FUR_OK)
        return status;
    status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 1, &x);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 1, &y);
    if (status == FUR_OK)
        status = fur_vector_fill(x, fur_real(1));
    if (status == FUR_OK)
        status = fur_ranks_multiply(a, x, y);
    if (status == FUR_OK)
        status = fur_ranks_gather_vector(a, y, fur_ranks_rank(group) == 0 ? user : NULL);
    fur_vector_destroy(x), fur_vector_destroy(y), fur_ranks_csr_destroy(a);
    return status;
}

int main(void)
{
    double y[2] = {0, 0};
    if (fur_ranks_run(2, NULL, multiply, y) != FUR_OK) {
        fprintf(stderr, "%s\n", fur_context_error(NULL));
        return 1;
    }
    return !(y[0] == 2 && y[1] == 3);
}
