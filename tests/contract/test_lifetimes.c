/* Objects that outlive their context and the objects from which they were made
 * (docs/contract.md). */
#include "objects.h"
#include "support.h"

/* Number and length of the random programs. */
#define PROGRAMS (TEST_SLOW ? 100 : 400)
#define LONGEST 600

static const uint8_t nothing[1]; /* a program that draws zeros */

static void begin(world *w, run *r, fur_value_type value)
{
    ck_assert(run_begin(r, nothing, 0, 2, 0));
    ck_assert(world_begin(w, r, value));
}

static void end(world *w, run *r)
{
    world_end(w);
    run_end(r);
    free(r->log);
}

/* Returns the `which`-th kind of a role, or NULL after the last. */
static const object_kind *kind_of(object_role role, int which)
{
    for (int i = 0; i < object_kind_count; i++)
        if (object_kinds[i].role == role && which-- == 0)
            return &object_kinds[i];
    return NULL;
}

/* Makes an object of the kind and all its sources. The first source is of the `which`-th kind of
 * its role; all other sources are of the first kind. Returns NULL if the object cannot be made. */
/* The recursion ends, because kinds are made only from earlier kinds of the table. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static object *build(world *w, const object_kind *kind, int which)
{
    object *from[2] = {NULL, NULL};
    object *made;
    for (int i = 0; i < 2 && kind->from[i] != ROLE_NONE; i++) {
        const object_kind *source = kind_of(kind->from[i], i == 0 ? which : 0);
        from[i] = source ? build(w, source, 0) : NULL;
        if (!from[i])
            return NULL;
    }
    fur_status status = object_make(w, kind, from, &made);
    ck_assert_msg(status == FUR_OK || kind->role == ROLE_OPERATOR, "%s: %s", kind->name,
                  fur_context_error(w->r->context));
    return made;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool comes_from(const object *o, const object *source)
{
    for (int i = 0; i < 2; i++)
        if (o->from[i] && (o->from[i] == source || comes_from(o->from[i], source)))
            return true;
    return false;
}

static void check_refused(const world *w, const object *o, const char *what, fur_status status)
{
    const char *sentence = fur_context_error(w->r->context);
    ck_assert_msg(status == FUR_INVALID && strstr(sentence, "has been destroyed"), "%s, %s: %s, %s",
                  o->kind->name, what, fur_status_name(status), sentence);
}

/* Checks that the object refuses every use, and that no object can be made from it. */
static void check_orphan(world *w, object *o)
{
    for (unsigned way = 0; way < o->kind->ways; way++)
        check_refused(w, o, "used", o->kind->use(w, o->handle, way));
    for (int i = 0; i < object_kind_count; i++) {
        const object_kind *kind = &object_kinds[i];
        object *from[2] = {o, NULL};
        object *made;
        if (kind->from[0] == o->kind->role && !kind->borrowed)
            check_refused(w, o, kind->name, object_make(w, kind, from, &made));
    }
}

/* Makes an object of this kind, destroys its n-th source, and uses the object. Returns false if the
 * object has fewer sources. */
static bool try_without(const object_kind *kind, int which, int n)
{
    world w;
    run r;
    begin(&w, &r, FUR_F64);
    object *o = build(&w, kind, which);
    object *source = NULL;
    for (int i = 0; o && i < w.count && !source; i++)
        if (comes_from(o, &w.objects[i]) && n-- == 0)
            source = &w.objects[i];
    if (source && source->kind->borrowed)
        ; /* is destroyed with its owner */
    else if (source) {
        object_destroy(&w, source);
        if (o->handle && object_is_orphan(o))
            check_orphan(&w, o);
        else if (o->handle)
            for (unsigned way = 0; way < o->kind->ways; way++)
                (void)o->kind->use(&w, o->handle, way);
    }
    end(&w, &r);
    return source != NULL;
}

/* An object whose source is destroyed refuses to be used. Loops over the kinds. */
START_TEST(what_has_lost_its_source_refuses_to_be_used)
{
    const object_kind *kind = &object_kinds[_i];
    for (int which = 0; kind->from[0] && kind_of(kind->from[0], which); which++)
        for (int n = 0; try_without(kind, which, n);)
            n++;
}
END_TEST

/* An object works after its context is destroyed. Loops over the kinds. */
START_TEST(an_object_outlives_its_context)
{
    world w;
    run r;
    begin(&w, &r, FUR_F64);
    object *o = build(&w, &object_kinds[_i], 0);
    if (o) {
        fur_status before = o->kind->use(&w, o->handle, 0);
        fur_context_destroy(r.context);
        w.has_context = false;
        ck_assert_int_eq(before, FUR_OK);
        ck_assert_int_eq(o->kind->use(&w, o->handle, 0), FUR_OK);
    }
    end(&w, &r);
}
END_TEST

/* A destroyed context exists until its last object is destroyed. A class that is moved member by
 * member needs this. */
START_TEST(a_context_ends_with_its_last_object)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    fur_vector *x = NULL;
    fur_operator *op = NULL;
    fur_context *other = context_make(NULL, 1);
    void *bytes = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 5, &x));
    ck_ok(context, fur_context_allocate(context, 100, &bytes));
    fur_context_destroy(context);
    ck_assert_int_gt(m.outstanding, 2);
    ck_ok(context, fur_vector_fill(x, fur_real(3)));
    ck_assert_ptr_eq(fur_vector_context(x), context);
    fur_vector_destroy(x);
    ck_assert_int_gt(m.outstanding, 1);
    fur_context_release(context, bytes);
    ck_assert_int_eq(m.outstanding, 0);

    context = context_counting(&m, NULL, 2);
    fur_operator_definition d = {.size = sizeof d, .value_type = FUR_F64, .domain = context};
    d.apply = (fur_status(*)(void *, const fur_vector *, fur_vector *))(void (*)(void))abort;
    ck_ok(other, fur_operator_create(other, &d, &op));
    fur_context_destroy(context);
    ck_assert_int_gt(m.outstanding, 0);
    ck_assert_ptr_eq(fur_operator_domain(op), context);
    fur_operator_destroy(op);
    ck_assert_int_eq(m.outstanding, 0);
    fur_context_destroy(other);
}
END_TEST

/* Random programs destroy objects in any order. Loops over seeds. */
START_TEST(objects_may_be_destroyed_in_any_order)
{
    rng random = rng_stream((uint64_t)_i);
    uint8_t program[LONGEST];
    for (int n = 0; n < PROGRAMS / 10; n++) {
        run r;
        for (int i = 0; i < LONGEST; i++)
            program[i] = (uint8_t)rng_bits(&random);
        ck_assert(run_begin(&r, program, sizeof program, 2, 0));
        objects_program(&r);
        run_end(&r);
        free(r.log);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, what_has_lost_its_source_refuses_to_be_used, 0, object_kind_count);
    tcase_add_loop_test(tests, an_object_outlives_its_context, 0, object_kind_count);
    tcase_add_test(tests, a_context_ends_with_its_last_object);
    tcase_add_loop_test(tests, objects_may_be_destroyed_in_any_order, 0, 10);
}

int main(void)
{
    return run_tests("lifetimes", add_tests);
}
