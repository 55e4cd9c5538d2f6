/* Colours computed by a device, equal to the colours of colouring.c. */
#include "graph_classes.h"

/* The device's arrays. The order and its inverse are arrays of the classes. */
typedef struct far_colours {
    fur_context *context;
    const fur_csr_view *a;
    int32_t *of;
} far_colours;

/* Finds two colours. If they do not exist, c->count stays 0. */
static fur_status take_two(const far_colours *f, fur_classes *c)
{
    fur_env *env = &f->context->env;
    fur_colours two = {0, c->order->order, c->order->position};
    FUR_TRY(fur_services(f->context)->colour.find(env, f->a, &two));
    if (two.red == 0)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(env, 3, sizeof *c->begin, &c->begin));
    c->begin[0] = 0;
    c->begin[1] = two.red;
    c->begin[2] = c->rows;
    c->count = 2;
    FUR_TRY(fur_memory_copy(f->context, c->of, two.position, c->rows * (int64_t)sizeof *c->of));
    for (int64_t i = 0; i < c->rows; i++)
        c->of[i] = c->of[i] >= two.red;
    return FUR_OK;
}

/* Finds as many colours as the order needs. */
static fur_status take_first(far_colours *f, fur_classes *c)
{
    fur_env *env = &f->context->env;
    const fur_class_services *device = &fur_services(f->context)->classes;
    FUR_TRY(fur_memory_allocate(f->context, c->rows, sizeof *f->of, &f->of));
    FUR_TRY(device->colour(env, f->a, f->of, &c->count));
    FUR_TRY(fur_env_allocate(env, c->count + 1, sizeof *c->begin, &c->begin));
    FUR_TRY(device->arrange(env, c->rows, c->count, f->of, c->order->order, c->order->position,
                            c->begin));
    return fur_memory_copy(f->context, c->of, f->of, c->rows * (int64_t)sizeof *c->of);
}

/* Returns whether the device can colour this matrix with these options. */
static fur_status suits(const fur_csr *a, const fur_colour_options *o, bool *suits)
{
    const fur_remote *device = fur_services(a->context);
    *suits = a->view.rows > 0 && o->distance == 1 && o->order <= FUR_COLOUR_ORDER_ROWS &&
             device->classes.colour && device->colour.find;
    return *suits ? device->classes.is_symmetric(&a->context->env, &a->view, suits) : FUR_OK;
}

fur_status fur_colours_by_device(const fur_csr *a, const void *arguments, fur_classes *c,
                                 bool *found)
{
    const fur_colour_options *o = arguments;
    far_colours f = {a->context, &a->view, NULL};
    FUR_TRY(suits(a, o, found));
    if (!*found)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(&c->context->env, c->rows, sizeof *c->of, &c->of));
    FUR_TRY(fur_permutation_allocate(c->context, c->rows, &c->order));
    fur_status status = FUR_OK;
    if (o->order == FUR_COLOUR_ORDER_AUTO)
        status = take_two(&f, c);
    if (status == FUR_OK && c->count == 0)
        status = take_first(&f, c);
    fur_memory_release(c->context, f.of);
    return status;
}
