/* Structs of furrow_ranks of every size that docs/contract.md allows or refuses. Each struct is in
 * an allocation of exactly its size, so that the address sanitizer finds a read beyond it. */
#include "ranks_support.h"

#include <furrow/partition.h>
#include <furrow/ranks_precond.h>
#include <furrow/ranks_stencil.h>

#include <string.h>

/* More bytes than any struct in any version has. */
#define TOO_LONG 2048

static const int64_t offsets[] = {0, 1};
static const double entry[] = {2};

/* Makes a diagonal matrix with one row on each rank. */
static fur_status make_matrix(fur_ranks *group, fur_ranks_csr **out)
{
    const int64_t column = fur_ranks_rank(group);
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = 1,
                           .cols = fur_ranks_count(group),
                           .value_type = FUR_F64,
                           .offsets = offsets,
                           .columns = &column,
                           .values = entry};
    return fur_ranks_csr_create(group, &rows, out);
}

static fur_status take_rows(fur_ranks *group, const void *given)
{
    fur_ranks_csr *a = NULL;
    fur_status status = fur_ranks_csr_create(group, given, &a);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status take_partition(fur_ranks *group, const void *given)
{
    fur_ranks_csr *a = NULL;
    fur_partition *p = NULL;
    fur_status status = make_matrix(group, &a);
    if (status == FUR_OK)
        status = fur_ranks_partition(a, given, &p);
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status take_stencil(fur_ranks *group, const void *given)
{
    fur_ranks_stencil *s = NULL;
    fur_status status = fur_ranks_stencil_create(group, given, NULL, &s);
    fur_ranks_stencil_destroy(s);
    return status;
}

static fur_status take_precond(fur_ranks *group, const void *given)
{
    fur_ranks_csr *a = NULL;
    fur_ranks_precond *m = NULL;
    fur_status status = make_matrix(group, &a);
    if (status == FUR_OK)
        status = fur_ranks_precond_create(a, given, &m);
    fur_ranks_precond_destroy(m);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status take_precond_kind(fur_ranks *group, const void *given)
{
    fur_ranks_precond_options options = {.size = sizeof options, .precond = given};
    return take_precond(group, &options);
}

static fur_status take_amg(fur_ranks *group, const void *given)
{
    fur_precond_options kind = {.size = sizeof kind, .kind = "amg", .amg = given};
    fur_ranks_precond_options options = {.size = sizeof options, .precond = &kind, .whole = 1};
    return take_precond(group, &options);
}

static fur_status take_solver(fur_ranks *group, const void *given)
{
    fur_ranks_csr *a = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_status status = make_matrix(group, &a);
    if (status != FUR_OK)
        return status;
    status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 1, &b);
    if (status == FUR_OK)
        status = fur_vector_create(fur_ranks_csr_context(a), FUR_F64, 1, &x);
    if (status == FUR_OK)
        status = fur_vector_fill(b, fur_real(1));
    if (status == FUR_OK)
        status = fur_vector_fill(x, fur_real(0));
    if (status == FUR_OK)
        status = fur_ranks_solve(a, given, b, x, NULL);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    fur_ranks_csr_destroy(a);
    return status;
}

static fur_status nothing(fur_ranks *group, const void *given)
{
    (void)given;
    return fur_ranks_agree(group, FUR_OK);
}

/* A struct of the interface and a call that reads it. */
typedef struct kind {
    const char *name;
    size_t size;
    fur_status (*take)(fur_ranks *group, const void *options);
    void (*fill)(void *options, int rank);
} kind;

static void fill_rows(void *options, int rank)
{
    static const int64_t columns[] = {0, 1};
    fur_ranks_rows *rows = options;
    rows->rows = 1;
    rows->cols = 2;
    rows->value_type = FUR_F64;
    rows->offsets = offsets;
    rows->columns = columns + rank;
    rows->values = entry;
}

static void fill_stencil(void *options, int rank)
{
    fur_stencil_definition *d = options;
    (void)rank;
    d->value_type = FUR_F64;
    d->extent[0] = 8;
    fur_stencil_named(3, d);
}

static void fill_nothing(void *options, int rank)
{
    (void)options;
    (void)rank;
}

#define KIND(type, take, fill)                                                                     \
    {                                                                                              \
#        type, sizeof(type), take, fill                                                            \
    }
static const kind kinds[] = {
    KIND(fur_ranks_options, nothing, fill_nothing),
    KIND(fur_ranks_rows, take_rows, fill_rows),
    KIND(fur_partition_options, take_partition, fill_nothing),
    KIND(fur_stencil_definition, take_stencil, fill_stencil),
    KIND(fur_ranks_precond_options, take_precond, fill_nothing),
    KIND(fur_precond_options, take_precond_kind, fill_nothing),
    KIND(fur_amg_options, take_amg, fill_nothing),
    KIND(fur_solver_options, take_solver, fill_nothing),
};

/* A struct of `size` bytes whose member `size` holds `said`. */
typedef struct given {
    const kind *kind;
    size_t size;
    size_t said;
    bool unknown; /* its last byte is set */
} given;

static void *make_struct(const given *g, int rank)
{
    char *room = calloc(1, TOO_LONG);
    char *own = malloc(g->size);
    g->kind->fill(room, rank);
    memcpy(room, &g->said, sizeof g->said);
    memcpy(own, room, g->size);
    if (g->unknown)
        own[g->size - 1] = 1;
    free(room);
    return own;
}

static fur_status take_on_rank(fur_ranks *group, void *user)
{
    const given *g = user;
    void *options = make_struct(g, fur_ranks_rank(group));
    fur_status status = g->kind->take(group, options);
    free(options);
    return status;
}

static fur_status take(const given *g)
{
    bool of_group = strcmp(g->kind->name, "fur_ranks_options") == 0;
    void *options = of_group ? make_struct(g, 0) : NULL;
    fur_status status = fur_ranks_run(2, options, take_on_rank, (void *)(uintptr_t)g);
    free(options);
    return status;
}

START_TEST(a_size_that_no_version_has_is_refused)
{
    static const size_t sizes[] = {0, 1, 8, 17, 1032, TOO_LONG};
    const kind *k = &kinds[_i];
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        given g = {.kind = k, .size = TOO_LONG, .said = sizes[i]};
        ck_assert_int_eq(take(&g), FUR_INVALID);
        ck_assert_msg(strstr(fur_context_error(NULL), k->name) &&
                          strstr(fur_context_error(NULL), ".size = "),
                      "%s", fur_context_error(NULL));
    }
}
END_TEST

/* A shorter struct, which lacks the last members, is accepted. So is a longer struct whose
 * additional members are zero. */
START_TEST(an_older_and_a_newer_struct_are_taken)
{
    const kind *k = &kinds[_i];
    for (size_t size = 2 * sizeof size; size <= k->size + 64; size += sizeof size) {
        given g = {.kind = k, .size = size, .said = size};
        bool lacks = k->fill != fill_nothing && size < k->size;
        fur_status status = take(&g);
        if (!lacks)
            ck_assert_msg(status == FUR_OK, "%s of %zu bytes: %s", k->name, size,
                          fur_context_error(NULL));
        else
            ck_assert_msg(status == FUR_OK || !strstr(fur_context_error(NULL), ".size = "),
                          "%s of %zu bytes: %s", k->name, size, fur_context_error(NULL));
    }
}
END_TEST

START_TEST(a_newer_struct_that_asks_for_something_unknown_is_refused)
{
    given g = {.kind = &kinds[_i],
               .size = kinds[_i].size + 64,
               .said = kinds[_i].size + 64,
               .unknown = true};
    ck_assert_int_eq(take(&g), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(NULL), kinds[_i].name));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, a_size_that_no_version_has_is_refused, 0, COUNT_OF(kinds));
    tcase_add_loop_test(tests, an_older_and_a_newer_struct_are_taken, 0, COUNT_OF(kinds));
    tcase_add_loop_test(tests, a_newer_struct_that_asks_for_something_unknown_is_refused, 0,
                        COUNT_OF(kinds));
}

int main(void)
{
    return run_tests("ranks_options", add);
}
