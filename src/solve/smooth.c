/* Finds whether a matrix belongs to a grid with smooth coefficients, for which geometric multigrid
 * is fast. */
#include "choose.h"

#include <furrow/author/try.h>

#include <stdio.h>

/* From this number of rows on the set-up is worth its time. */
#define ROWS 10000

/* Largest ratio of couplings of the scaled matrix. For smooth coefficients it is near 1. At Neumann
 * boundaries it is less than 2. At jumps by a factor of 10 it is 2.5 or more. */
#define SPREAD_MAX 2

/* Iterations of a trial: about the time of algebraic multigrid's set-up and solve. */
#define TRIAL 100

/* Returns the stencil that a product found in its matrix; NULL if none. */
static const fur_recognise_report *find_stencil(const fur_product *product)
{
    const fur_recognise_report *found = fur_product_describe(product)->recognition;
    return found && found->recognised ? found : NULL;
}

static bool may_suit(const fur_csr_traits *t, const fur_product *product)
{
    const fur_recognise_report *found = find_stencil(product);
    return found && found->points == 2 * found->axes + 1 && t->rows >= ROWS && t->hermitian &&
           t->diagonal_positive == t->rows && t->indefinite_row < 0 && !fur_product_order(product);
}

fur_status fur_make_grid(const fur_csr *a, const fur_csr_traits *t, const fur_product *product,
                         fur_precond **out)
{
    const fur_precond_options options = {.size = sizeof options, .kind = "grid"};
    fur_precond *made = NULL;
    *out = NULL;
    if (!may_suit(t, product))
        return FUR_OK;
    fur_status status = fur_precond_create(a, &options, &made);
    if (status == FUR_UNSUPPORTED) /* singular, or complex */
        return FUR_OK;
    FUR_TRY(status);
    if (fur_precond_describe(made)->spread <= SPREAD_MAX)
        *out = made;
    else
        fur_precond_destroy(made);
    return FUR_OK;
}

void fur_choose_grid(fur_choice *out)
{
    *out = (fur_choice){
        .size = sizeof *out, .method = "cg", .precond = "grid", .trial = TRIAL, .place = -1};
    snprintf(out->reason, sizeof out->reason,
             "the matrix is symmetric with a positive diagonal, and a stencil on a grid whose "
             "coefficients are smooth");
}
