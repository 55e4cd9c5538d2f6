/* The values of a step, from any form in which they are stored; a template over VALUE. */

/* `form` and `stream` (the steps come from memory) are constants of the enclosing loop. */
INLINE FUR_LANES(VALUE_NAME)
    FN(load_step)(const step_values *s, steps_form form, int64_t at, bool stream)
{
    const uint8_t *number = s->kept;
    const VALUE *wide = (const VALUE *)s->kept + at * LANES;
    const float *single = (const float *)s->kept + at * (int64_t)(LANES * sizeof(VALUE) / 8);
    switch (form) {
    case STEPS_NUMBER:
        return V(load)((const VALUE *)(const void *)s->table.values + number[at] * LANES);
    case STEPS_SINGLE:
        if (stream)
            fur_prefetch_ahead(single);
        return V(load_single)(single);
    default:
        if (stream)
            fur_prefetch_ahead(wide);
        return V(load)(wide);
    }
}
