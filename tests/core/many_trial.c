#include "many_trial.h"

#include <string.h>

many_trial many_random(rng *r, fur_value_type value, int64_t n, int count)
{
    many_trial t = {.value = value, .n = n, .count = count};
    ck_assert_int_le(count, MAX_MANY);
    for (int k = 0; k < count; k++) {
        t.x[k] = entries_random(r, value, n);
        t.alpha[k] = rng_scalar(r, value);
    }
    t.y = entries_random(r, value, n);
    return t;
}

void many_release(many_trial *t)
{
    for (int k = 0; k < t->count; k++)
        free(t->x[k]);
    free(t->y);
}

/* A vector of a trial in a context. It begins `shift` entries after the start of `memory`. */
typedef struct placed {
    fur_vector *memory;
    fur_vector *vector;
} placed;

static placed place(fur_context *context, const many_trial *t, const void *entries, int64_t shift)
{
    placed p;
    ck_ok(context, fur_vector_create(context, t->value, t->n + shift + 1, &p.memory));
    char *data = fur_vector_data(p.memory);
    ck_ok(context,
          fur_vector_wrap(context, t->value, t->n, data + (size_t)shift * fur_value_size(t->value),
                          FUR_OWNERSHIP_BORROW, &p.vector));
    ck_ok(context, fur_vector_upload(entries, p.vector));
    return p;
}

static void remove_placed(placed *p)
{
    fur_vector_destroy(p->vector);
    fur_vector_destroy(p->memory);
}

/* All vectors of a trial in a context. */
typedef struct many_vectors {
    placed memory[MAX_MANY];
    const fur_vector *x[MAX_MANY];
    placed y;
} many_vectors;

static void vectors_open(fur_context *context, const many_trial *t, int64_t shift, many_vectors *v)
{
    for (int k = 0; k < t->count; k++) {
        v->memory[k] = place(context, t, t->x[k], k % 2 * shift);
        v->x[k] = v->memory[k].vector;
    }
    v->y = place(context, t, t->y, shift);
}

static void vectors_close(const many_trial *t, many_vectors *v)
{
    for (int k = 0; k < t->count; k++)
        remove_placed(&v->memory[k]);
    remove_placed(&v->y);
}

many_results many_one_by_one(fur_context *context, const many_trial *t)
{
    many_results r = {.norm = 0};
    many_vectors v;
    vectors_open(context, t, 0, &v);
    fur_vector *y = v.y.vector;
    for (int k = 0; k < t->count; k++)
        ck_ok(context, fur_dot(v.x[k], y, &r.dots[k]));
    for (int k = 0; k < t->count; k++)
        ck_ok(context, fur_axpby(t->alpha[k], v.x[k], fur_real(1), y));
    ck_ok(context, fur_norm2(y, &r.norm));
    for (int k = 0; k < t->count; k++)
        ck_ok(context, fur_dot(v.x[k], y, &r.after[k]));
    r.y = vector_entries(y);
    vectors_close(t, &v);
    return r;
}

static void ck_same(fur_context *context, const many_trial *t, const char *what,
                    fur_value_type value, int64_t n, const void *a, const void *b)
{
    int64_t i = first_difference(value, n, a, b);
    ck_assert_msg(i < 0, "%s of %d vectors of %lld entries of %s, isa %s, %d threads: number %lld",
                  what, t->count, (long long)t->n, fur_value_name(t->value),
                  fur_context_isa(context), fur_context_threads(context), (long long)i);
}

/* Checks that y is the expected sum. Then restores the entries of y. */
static void check_sum(fur_context *context, const many_trial *t, const char *what,
                      const many_results *expected, fur_vector *y)
{
    void *sum = vector_entries(y);
    ck_same(context, t, what, t->value, t->n, sum, expected->y);
    free(sum);
    ck_ok(context, fur_vector_upload(t->y, y));
}

void many_check(fur_context *context, const many_trial *t, const many_results *expected,
                int64_t shift)
{
    many_vectors v;
    double norm;
    fur_scalar dots[MAX_MANY];
    vectors_open(context, t, shift, &v);
    fur_vector *y = v.y.vector;
    ck_ok(context, fur_dot_many(t->count, v.x, y, dots));
    ck_same(context, t, "dot_many", FUR_C128, t->count, dots, expected->dots);
    ck_ok(context, fur_axpy_many(t->count, t->alpha, v.x, y));
    check_sum(context, t, "axpy_many", expected, y);
    ck_ok(context, fur_axpy_many_norm2(t->count, t->alpha, v.x, y, &norm));
    ck_same(context, t, "norm of axpy_many_norm2", FUR_F64, 1, &norm, &expected->norm);
    check_sum(context, t, "axpy_many_norm2", expected, y);
    ck_ok(context, fur_axpy_many_dots(t->count, t->alpha, v.x, y, dots));
    ck_same(context, t, "dots of axpy_many_dots", FUR_C128, t->count, dots, expected->after);
    check_sum(context, t, "axpy_many_dots", expected, y);
    vectors_close(t, &v);
}
