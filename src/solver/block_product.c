/* Products of operators and blocks of vectors. */
#include "block_product.h"

fur_status fur_block_product_make(const fur_operator *a, fur_block_product *out)
{
    const fur_spmm_options options = {.size = sizeof options, .layout = FUR_LAYOUT_COLUMNS};
    *out = (fur_block_product){.a = a};
    return a->csr ? fur_spmm_plan(a->csr, &options, &out->plan) : FUR_OK;
}

void fur_block_product_release(fur_block_product *product)
{
    fur_spmm_destroy(product->plan);
    product->plan = NULL;
}

bool fur_block_product_shares(const fur_block_product *product)
{
    return product->plan && !fur_spmm_describe(product->plan)->by_columns;
}

fur_status fur_block_product_apply(const fur_block_product *product, const fur_vectors *x,
                                   fur_vectors *y)
{
    if (product->plan)
        return fur_spmm_apply(product->plan, fur_real(1), x, fur_real(0), y);
    for (int64_t j = 0; j < x->view.cols; j++) {
        const fur_vector from = fur_vectors_at(x, j);
        fur_vector to = fur_vectors_at(y, j);
        FUR_TRY(fur_operator_apply(product->a, &from, &to));
    }
    return FUR_OK;
}
