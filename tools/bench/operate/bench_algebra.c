/* furrow bench algebra: the small operations on matrices, compared with a copy of the matrix. Each
 * makes its result and releases it. GB/s count the bytes that an operation must read and write. */
#include <furrow/author/context.h>

#include <stdio.h>

#include "wall_race.h"

typedef struct algebra_case {
    bench *b;
    fur_csr *a;
    fur_csr *same;  /* A's pattern, other values */
    fur_csr *other; /* A's columns shifted by one */
    fur_csr *small; /* 2 x 2 */
    fur_vector *d;
    int32_t *list; /* of rows and columns, in random order */
    int64_t count;
    wall_race race;
} algebra_case;

typedef fur_status making(const algebra_case *c, fur_csr **out);

typedef struct maker {
    const algebra_case *c;
    making *make;
    double (*bytes_of)(const algebra_case *c); /* bytes that it reads; NULL: those of A */
} maker;

static double bytes_of(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    return 12.0 * (double)v->entries + 4.0 * (double)(v->rows + 1);
}

static double both(const algebra_case *c)
{
    return bytes_of(c->a) + bytes_of(c->other);
}

static double little(const algebra_case *c)
{
    (void)c;
    return 0;
}

static fur_status copy(const algebra_case *c, fur_csr **out)
{
    return fur_csr_transfer(c->a, c->b->context, out);
}

static fur_status add_same(const algebra_case *c, fur_csr **out)
{
    return fur_csr_add(c->a, fur_real(1), c->same, fur_real(1), out);
}

static fur_status add_other(const algebra_case *c, fur_csr **out)
{
    return fur_csr_add(c->a, fur_real(1.0 / 3), c->other, fur_real(2), out);
}

static fur_status multiply(const algebra_case *c, fur_csr **out)
{
    return fur_csr_multiply_elementwise(c->a, c->other, out);
}

static fur_status shift(const algebra_case *c, fur_csr **out)
{
    return fur_csr_shift(c->a, fur_real(2), out);
}

static fur_status lower(const algebra_case *c, fur_csr **out)
{
    return fur_csr_band(c->a, INT64_MIN, 0, out);
}

static fur_status middle(const algebra_case *c, fur_csr **out)
{
    int64_t n = fur_csr_get(c->a)->rows;
    return fur_csr_submatrix(c->a, n / 8, n - n / 8, n / 8, n - n / 8, out);
}

static fur_status some_rows(const algebra_case *c, fur_csr **out)
{
    return fur_csr_select(c->a, c->count, c->list, 0, NULL, out);
}

static fur_status some_of_both(const algebra_case *c, fur_csr **out)
{
    return fur_csr_select(c->a, c->count, c->list, c->count, c->list, out);
}

static fur_status side_by_side(const algebra_case *c, fur_csr **out)
{
    const fur_csr *blocks[] = {c->a, c->other};
    return fur_csr_from_blocks(1, 2, blocks, out);
}

static fur_status drop(const algebra_case *c, fur_csr **out)
{
    return fur_csr_drop(c->same, 0.1, out);
}

static fur_status kron(const algebra_case *c, fur_csr **out)
{
    return fur_csr_kron(c->a, c->small, out);
}

static fur_status diagonal(const algebra_case *c, fur_csr **out)
{
    return fur_csr_from_diagonal(c->d, out);
}

static fur_status make_once(void *self)
{
    const maker *m = self;
    fur_csr *made = NULL;
    fur_status status = m->make(m->c, &made);
    fur_csr_destroy(made);
    return status;
}

static fur_status scale(void *self)
{
    const algebra_case *c = self;
    return fur_csr_scale(c->same, c->d, c->d);
}

static fur_status norm1(void *self)
{
    const algebra_case *c = self;
    double norm;
    return fur_csr_norm(c->a, FUR_NORM_1, &norm);
}

static fur_status norm_inf(void *self)
{
    const algebra_case *c = self;
    double norm;
    return fur_csr_norm(c->a, FUR_NORM_INF, &norm);
}

static fur_status norm_frobenius(void *self)
{
    const algebra_case *c = self;
    double norm;
    return fur_csr_norm(c->a, FUR_NORM_FROBENIUS, &norm);
}

static fur_status compare(void *self)
{
    const algebra_case *c = self;
    fur_csr_difference found = {.size = sizeof found};
    return fur_csr_compare_within(c->a, c->other, 0, 0.5, &found);
}

/* Copies a host matrix with A's pattern, possibly with its columns shifted by one, to the
 * device. */
static fur_status send(const algebra_case *c, const fur_csr_view *pattern, fur_csr **out)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr *near = NULL;
    FUR_TRY(fur_csr_create(host, pattern, FUR_OWNERSHIP_BORROW, &near));
    fur_status status = fur_csr_transfer(near, c->b->context, out);
    fur_csr_destroy(near);
    return status;
}

/* Sets the columns of the second operand. A row is shifted by one to the right unless it would
 * leave the matrix. */
static void move_columns(const fur_csr_view *v, int32_t *columns)
{
    const int32_t *offsets = v->offsets;
    for (int64_t i = 0; i < v->rows; i++) {
        int32_t end = offsets[i + 1];
        bool fits = end > offsets[i] && v->columns[end - 1] + 1 < v->cols;
        for (int32_t k = offsets[i]; k < end; k++)
            columns[k] = v->columns[k] + fits;
    }
}

static fur_status make_operands(algebra_case *c, const fur_csr *a)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr_view v = *fur_csr_get(a);
    fur_vector *numbers = NULL;
    int32_t *columns = NULL;
    FUR_TRY(bench_numbers(host, v.entries, 1, 1, &numbers));
    fur_status status =
        fur_context_allocate(host, (size_t)v.entries * sizeof *columns, (void **)&columns);
    if (status == FUR_OK) {
        v.values = fur_vector_const_data(numbers);
        status = send(c, &v, &c->same);
    }
    if (status == FUR_OK) {
        move_columns(&v, columns);
        v.columns = columns;
        status = send(c, &v, &c->other);
    }
    fur_context_release(host, columns);
    fur_vector_destroy(numbers);
    return status;
}

static fur_status make_small(algebra_case *c)
{
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const double values[] = {1, 2, 3, 4};
    const fur_csr_view v = {sizeof v, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, values};
    return send(c, &v, &c->small);
}

static fur_status load(algebra_case *c, const char *name)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr *a = NULL;
    FUR_TRY(bench_load(c->b, host, name, &a));
    const fur_csr_view *v = fur_csr_get(a);
    fur_status status =
        v->value_type == FUR_F64 && v->offset_type == FUR_I32 && v->rows == v->cols
            ? make_operands(c, a)
            : fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                               "%s: this benchmark needs a square f64 matrix with int32 offsets",
                               name);
    if (status == FUR_OK)
        status = fur_csr_transfer(a, c->b->context, &c->a);
    fur_csr_destroy(a);
    return status;
}

/* Lists half of the numbers below n, each once, in scattered order. */
static fur_status make_list(algebra_case *c)
{
    int64_t n = fur_csr_get(c->a)->rows;
    int64_t stride = 7919;
    while (n % stride == 0)
        stride += 2;
    c->count = n / 2;
    FUR_TRY(fur_context_allocate(c->b->context, (size_t)n * sizeof *c->list, (void **)&c->list));
    for (int64_t i = 0; i < c->count; i++)
        c->list[i] = (int32_t)(i * stride % n);
    return FUR_OK;
}

static void add(algebra_case *c, const char *name, fur_status (*run)(void *self), double bytes)
{
    race_about *about = wall_race_add(&c->race, name, run, c, 0);
    about->exact = true;
    about->bytes = bytes;
}

/* Adds contenders that make a matrix. Each is run once to find the size of its result. */
static fur_status add_makers(algebra_case *c, maker *all)
{
    static const struct {
        const char *name;
        making *make;
        double (*bytes_of)(const algebra_case *c);
    } kinds[] = {{"copy", copy, NULL},
                 {"A + B, same pattern", add_same, both},
                 {"A / 3 + 2 B", add_other, both},
                 {"element-wise product", multiply, both},
                 {"A - 2 I", shift, NULL},
                 {"lower triangle", lower, NULL},
                 {"rows and columns", middle, NULL},
                 {"rows of a list", some_rows, NULL},
                 {"both of a list", some_of_both, NULL},
                 {"[A, B]", side_by_side, both},
                 {"drop below 0.1", drop, NULL},
                 {"kron(A, 2 x 2)", kron, NULL},
                 {"from a diagonal", diagonal, little}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fur_csr *made = NULL;
        all[i] = (maker){c, kinds[i].make, kinds[i].bytes_of};
        FUR_TRY(all[i].make(c, &made));
        race_about *about = wall_race_add(&c->race, kinds[i].name, make_once, &all[i], 0);
        about->exact = true;
        about->bytes = bytes_of(made) + (all[i].bytes_of ? all[i].bytes_of(c) : bytes_of(c->a));
        snprintf(about->note, sizeof about->note, "%lld entries",
                 (long long)fur_csr_get(made)->entries);
        fur_csr_destroy(made);
    }
    return FUR_OK;
}

static fur_status run_case(algebra_case *c, const char *name)
{
    maker makers[WALL_RACERS];
    FUR_TRY(load(c, name));
    FUR_TRY(make_small(c));
    FUR_TRY(make_list(c));
    double values = 8.0 * (double)fur_csr_get(c->a)->entries;
    FUR_TRY(bench_numbers(c->b->context, fur_csr_get(c->a)->rows, 3, 2, &c->d));
    FUR_TRY(fur_vector_fill(c->d, fur_real(1)));
    FUR_TRY(add_makers(c, makers));
    add(c, "scale", scale, bytes_of(c->a) + values);
    add(c, "norm 1", norm1, bytes_of(c->a));
    add(c, "norm infinity", norm_inf, values);
    add(c, "norm Frobenius", norm_frobenius, values);
    add(c, "within a tolerance", compare, both(c));
    return wall_race_run(c->b, &c->race, bench_matrix(name, c->a));
}

fur_status bench_algebra(bench *b, const char *name)
{
    algebra_case c = {.b = b};
    fur_status status = run_case(&c, name);
    fur_context_release(b->context, c.list);
    fur_vector_destroy(c.d);
    fur_csr_destroy(c.small);
    fur_csr_destroy(c.other);
    fur_csr_destroy(c.same);
    fur_csr_destroy(c.a);
    return status;
}
