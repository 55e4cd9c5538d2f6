/* Several entries at one position of a matrix. */
#include "duplicates.h"

/* Returns M b for the preconditioner M of [4 1; 1 4]. The entry (0, 0) is given as 1 and 3. */
static fur_vector *apply_to(fur_context *context, const fur_precond_options *options,
                            fur_duplicates duplicates, const fur_vector *b)
{
    static const int32_t row[] = {0, 0, 0, 1, 1};
    static const int32_t col[] = {0, 0, 1, 0, 1};
    static const double values[] = {1, 3, 1, 1, 4};
    fur_coo_view coo = {sizeof coo, 2, 2, 5, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, duplicates, &a));
    ck_ok(context, fur_precond_create(a, options, &p));
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &x));
    ck_ok(context, fur_precond_apply(p, b, x));
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    return x;
}

void check_duplicates(rng *r, const fur_precond_options *options)
{
    fur_context *context = context_make(NULL, 1);
    fur_vector *b = vector_random(context, r, FUR_F64, 2);
    fur_vector *x = apply_to(context, options, FUR_DUPLICATES_KEEP, b);
    fur_vector *y = apply_to(context, options, FUR_DUPLICATES_SUM, b);
    ck_same_bits(x, y);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_context_destroy(context);
}
