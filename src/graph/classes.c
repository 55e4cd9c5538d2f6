/* The object for rows that are divided into classes. */
#include "graph_classes.h"

#include "split.h"

/* Finds the beginning of each class. */
static void count_rows(fur_classes *c)
{
    for (int64_t i = 0; i < c->rows; i++)
        c->begin[c->of[i] + 1]++;
    for (int64_t k = 0; k < c->count; k++)
        c->begin[k + 1] += c->begin[k];
}

static void set_view(fur_classes *c)
{
    fur_classes_view *v = &c->view;
    *v = (fur_classes_view){
        .size = sizeof *v, .rows = c->rows, .count = c->count, .of_rows = c->of, .begin = c->begin};
    for (int64_t k = 0; k < c->count; k++) {
        int64_t size = c->begin[k + 1] - c->begin[k];
        v->smallest = k == 0 ? size : fur_smaller(v->smallest, size);
        v->largest = fur_larger(v->largest, size);
    }
}

/* Computes the classes on the host, in the context of the matrix or of its copy. */
static fur_status fill(const fur_csr *a, const fur_classification *how, const void *arguments,
                       fur_classes *c)
{
    fur_env *env = &c->context->env;
    fur_csr *copy = NULL;
    const fur_csr *near;
    fur_status status = FUR_OK;
    FUR_TRY(fur_env_allocate(env, c->rows, sizeof *c->of, &c->of));
    FUR_TRY_DONE(fur_csr_to_host(a, &near, &copy));
    FUR_TRY_DONE(fur_context_pass_on(near->context, c->context,
                                     how->by_host(near, arguments, c->of, &c->count)));
    FUR_TRY_DONE(fur_env_allocate_zeros(env, c->count + 1, sizeof *c->begin, &c->begin));
    count_rows(c);
done:
    fur_csr_destroy(copy);
    return status;
}

fur_status fur_classes_create(const fur_csr *a, const fur_classification *how,
                              const void *arguments, fur_classes **out)
{
    fur_env *env = &a->context->env;
    fur_classes *c = NULL;
    bool found = false;
    fur_status status = FUR_OK;
    if (a->view.rows != a->view.cols)
        return fur_env_fail(env, FUR_INVALID, "%s need a square matrix; this one is %lld x %lld",
                            how->name, (long long)a->view.rows, (long long)a->view.cols);
    FUR_TRY_DONE(fur_env_allocate_zeros(env, 1, sizeof *c, &c));
    c->context = a->context;
    c->rows = a->view.rows;
    if (fur_is_remote(a->context) && how->by_device)
        FUR_TRY_DONE(how->by_device(a, arguments, c, &found));
    if (!found)
        FUR_TRY_DONE(fill(a, how, arguments, c));
    set_view(c);
    *out = c;
    c = NULL;
done:
    fur_classes_destroy(c);
    return status;
}

void fur_classes_destroy(fur_classes *classes)
{
    if (!classes)
        return;
    fur_env *env = &classes->context->env;
    fur_permutation_destroy(classes->order);
    fur_env_release(env, classes->begin);
    fur_env_release(env, classes->of);
    fur_env_release(env, classes);
}

const fur_classes_view *fur_classes_get(const fur_classes *classes)
{
    static const fur_classes_view none = {.size = sizeof none};
    return classes ? &classes->view : &none;
}

fur_status fur_classes_order(const fur_classes *classes, fur_permutation **out)
{
    FUR_NEED(classes ? classes->context : NULL, classes, out);
    fur_env *env = &classes->context->env;
    if (classes->order)
        return fur_permutation_transfer(classes->order, classes->context, out);
    int64_t *next = NULL;
    int32_t *order = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, classes->count + 1, sizeof *next, &next));
    FUR_TRY_DONE(fur_env_allocate(env, classes->rows, sizeof *order, &order));
    memcpy(next, classes->begin, (size_t)(classes->count + 1) * sizeof *next);
    for (int64_t i = 0; i < classes->rows; i++)
        order[next[classes->of[i]]++] = (int32_t)i;
    status = fur_permutation_create(classes->context, classes->rows, order, out);
done:
    fur_env_release(env, order);
    fur_env_release(env, next);
    return status;
}
