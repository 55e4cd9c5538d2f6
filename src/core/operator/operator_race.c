/* Races two operators against each other. */
#include <furrow/author/clock.h>

#include "core.h"

#include <math.h>

#define ROUNDS_LEAST 2
#define ROUNDS_MAX 30
#define ROUNDS_AIMED 200
#define BATCH_MAX 1000

/* Times `count` products, and waits for all of them together. */
static fur_status time_products(const fur_operator *op, const fur_vector *x, fur_vector *y,
                                int64_t count, double *seconds)
{
    double start = fur_seconds();
    for (int64_t i = 0; i < count; i++)
        FUR_TRY(fur_operator_apply(op, x, y));
    FUR_TRY(fur_context_synchronize(op->context));
    *seconds = (fur_seconds() - start) / (double)count;
    return FUR_OK;
}

/* The first product of each operator meets cold caches and kernels that are not loaded. The second
 * product determines the number of products in a round. */
static fur_status race(const fur_operator *const operators[2], double seconds, const fur_vector *x,
                       fur_vector *y, double least[2])
{
    int64_t batch[2];
    double stop = fur_seconds() + seconds;
    for (int i = 0; i < 2; i++) {
        FUR_TRY(time_products(operators[i], x, y, 1, &least[i]));
        FUR_TRY(time_products(operators[i], x, y, 1, &least[i]));
        batch[i] = (int64_t)fmin(BATCH_MAX, 1 + seconds / ROUNDS_AIMED / fmax(least[i], 1e-9));
    }
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (round >= ROUNDS_LEAST && fur_seconds() > stop)
            break;
        for (int i = 0; i < 2; i++) {
            double one;
            FUR_TRY(time_products(operators[i], x, y, batch[i], &one));
            least[i] = fmin(least[i], one);
        }
    }
    return FUR_OK;
}

fur_status fur_operator_race(const fur_operator *const operators[2], double seconds,
                             double least[2])
{
    FUR_NEED(NULL, operators, least);
    FUR_NEED(fur_operator_context(operators[0]), operators[0], operators[1]);
    fur_context *context = operators[0]->context;
    const fur_operator_definition *a = &operators[0]->definition;
    const fur_operator_definition *b = &operators[1]->definition;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    double found[2];
    fur_status status;
    if (operators[1]->context != context || a->rows != b->rows || a->cols != b->cols ||
        a->value_type != b->value_type || !(seconds >= 0))
        return fur_context_fail(context, FUR_INVALID,
                                "both operators need the same shape, value type and context, and "
                                "the seconds must be 0 or more");
    FUR_TRY_DONE(fur_vector_create(context, a->value_type, a->cols, &x));
    FUR_TRY_DONE(fur_vector_create(context, a->value_type, a->rows, &y));
    FUR_TRY_DONE(fur_vector_fill(x, fur_real(1)));
    FUR_TRY_DONE(race(operators, seconds, x, y, found));
    memcpy(least, found, sizeof found);
done:
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return status;
}
