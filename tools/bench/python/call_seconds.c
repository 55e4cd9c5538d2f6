/* The time of a product so small that only the cost of the call counts, for race_python_gpu.py:
 *
 *     cc -O2 -shared -fPIC tools/bench/python/call_seconds.c -o libcall_seconds.so -lfurrow */
#include <furrow/author/clock.h>
#include <furrow/furrow.h>

#include <math.h>

/* The product with a 5-point stencil on a 10^2 grid, on the GPU. */
typedef struct call {
    fur_context *context;
    fur_product *product;
    fur_vector *x;
    fur_vector *y;
} call;

static fur_status prepare(call *c)
{
    const fur_context_options where = {.size = sizeof where, .device = "cuda"};
    const fur_product_options often = {.size = sizeof often, .uses = 1000};
    fur_stencil_definition grid = {
        .size = sizeof grid, .value_type = FUR_F64, .extent = {10, 10, 1}};
    fur_stencil *stencil;
    fur_csr *a;
    fur_stencil_named(5, &grid);
    fur_status status = fur_context_create(&where, &c->context);
    if (status == FUR_OK)
        status = fur_stencil_create(c->context, &grid, &stencil);
    if (status == FUR_OK)
        status = fur_stencil_assemble(stencil, &a);
    if (status == FUR_OK)
        status = fur_product_create(a, &often, &c->product);
    if (status == FUR_OK)
        status = fur_vector_create(c->context, FUR_F64, 100, &c->x);
    if (status == FUR_OK)
        status = fur_vector_create(c->context, FUR_F64, 100, &c->y);
    return status == FUR_OK ? fur_vector_fill(c->x, fur_real(1)) : status;
}

/* Returns the seconds of a call, as the mean of `calls` calls that are queued together, or NaN on
 * failure. Its objects are kept until the process ends. */
double call_seconds(int calls)
{
    static call c;
    if (!c.y && prepare(&c) != FUR_OK)
        return NAN;
    fur_context_synchronize(c.context);
    double begin = fur_seconds();
    fur_status status = FUR_OK;
    for (int i = 0; i < calls && status == FUR_OK; i++)
        status = fur_operator_apply(fur_product_operator(c.product), c.x, c.y);
    if (status == FUR_OK)
        status = fur_context_synchronize(c.context);
    return status == FUR_OK ? (fur_seconds() - begin) / calls : NAN;
}
