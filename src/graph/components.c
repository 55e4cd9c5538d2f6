/* Connected components, found by src/reorder. */
#include "components.h"
#include "graph_classes.h"

/* Numbers the components by their first rows. On entry `of` has each row's component in another
 * order. `number` is workspace for the new numbers. */
static int64_t renumber(int64_t rows, int32_t *of, int32_t *number)
{
    int32_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        number[i] = -1;
    for (int64_t i = 0; i < rows; i++) {
        if (number[of[i]] < 0)
            number[of[i]] = count++;
        of[i] = number[of[i]];
    }
    return count;
}

/* Numbers each component by the first place of its rows. */
static void number_by_place(int64_t rows, const fur_components *c, int32_t *of)
{
    for (int64_t place = 0; place < c->isolated; place++)
        of[c->order[place]] = (int32_t)place;
    for (int64_t s = 0; s < c->count; s++)
        for (int64_t place = c->spans[s].begin; place < c->spans[s].end && place < rows; place++)
            of[c->order[place]] = c->spans[s].begin;
}

static fur_status classify(const fur_csr *a, const void *arguments, int32_t *of, int64_t *count)
{
    fur_env *env = &a->context->env;
    fur_pattern pattern = {.offsets = NULL};
    fur_walk walk;
    fur_components c = {.order = NULL};
    int32_t *number = NULL;
    (void)arguments;
    FUR_TRY(fur_pattern_create(env, a->context->backend, &a->view, &pattern));
    fur_status status = fur_walk_open(env, &pattern, &walk);
    if (status == FUR_OK) {
        status = fur_components_create(env, &pattern, &walk, &c);
        fur_walk_close(env, &walk);
    }
    if (status == FUR_OK)
        status = fur_env_allocate(env, a->view.rows, sizeof *number, &number);
    if (status == FUR_OK) {
        number_by_place(a->view.rows, &c, of);
        *count = renumber(a->view.rows, of, number);
    }
    fur_env_release(env, number);
    fur_components_release(env, &c);
    fur_pattern_release(env, &pattern);
    return status;
}

static const fur_classification how = {"components", classify, NULL};

fur_status fur_classes_from_components(const fur_csr *a, fur_classes **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    return fur_classes_create(a, &how, NULL, out);
}
