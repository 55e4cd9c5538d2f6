/* Tests of algebraic multigrid by its internal functions: aggregates, the tentative prolongation,
 * Galerkin's product, symmetry and bits of a cycle, new values, refusals. */
#include "problems.h"

#include "hierarchy.h"

#include <math.h>
#include <string.h>

static const fur_amg_options defaults = {.size = sizeof defaults};

static const grid cube = {.extent = {19, 18, 17}, .coupling = {1, 1, 0.7}, .value = FUR_F64};

/* A grid whose hierarchy has two levels. */
static const grid block = {.extent = {11, 10, 9}, .coupling = {1, 1, 0.7}, .value = FUR_F64};

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_matrix(uint64_t hash, const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    for (int64_t i = 0; i <= v->rows; i++) {
        int64_t offset = offset_at(v, i);
        hash = hash_bytes(hash, &offset, sizeof offset);
    }
    if (v->entries == 0)
        return hash;
    hash = hash_bytes(hash, v->columns, (size_t)v->entries * sizeof *v->columns);
    return hash_bytes(hash, v->values, (size_t)v->entries * fur_value_size(v->value_type));
}

static uint64_t hash_vector(const fur_vector *x)
{
    return hash_bytes(0, fur_vector_const_data(x),
                      (size_t)fur_vector_size(x) * fur_value_size(fur_vector_value_type(x)));
}

/* Hashes the aggregates, the matrices, and one cycle for a random vector. */
static uint64_t hash_hierarchy(fur_amg *amg, const fur_csr *a)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    fur_context *context = fur_csr_context(a);
    rng r = rng_stream(3);
    fur_vector *b = vector_random(context, &r, fur_csr_get(a)->value_type, fur_csr_get(a)->rows);
    fur_vector *x = vector_random(context, &r, fur_csr_get(a)->value_type, fur_csr_get(a)->rows);
    const fur_amg_level *level;
    for (int i = 0; (level = fur_amg_level_at(amg, i)); i++) {
        hash = hash_matrix(hash, level->a);
        hash = hash_bytes(hash, &level->largest, sizeof level->largest);
        if (level->p)
            hash = hash_matrix(hash, level->p);
        if (level->aggregate)
            hash = hash_bytes(hash, level->aggregate, (size_t)level->nodes * sizeof(int32_t));
    }
    ck_ok(context, fur_amg_apply(amg, b, x));
    hash ^= hash_vector(x);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return hash;
}

START_TEST(any_number_of_threads_gives_the_same_bits)
{
    static const fur_amg_options ways[] = {
        {.size = sizeof(fur_amg_options)},
        {.size = sizeof(fur_amg_options), .single = 1, .cycle = FUR_AMG_K},
        {.size = sizeof(fur_amg_options), .smoother = "jacobi", .cycle = FUR_AMG_W},
        {.size = sizeof(fur_amg_options), .smoother = "gauss-seidel", .nonsymmetric = 1},
        {.size = sizeof(fur_amg_options), .coarsening = "classical"},
        {.size = sizeof(fur_amg_options), .coarsening = "classical", .aggressive = 2}};
    const fur_amg_options *options = &ways[_i % 6];
    grid g = cube;
    g.value = (fur_value_type)((_i + _i / 6) % FUR_VALUE_COUNT);
    uint64_t expected = 0;
    if (options->coarsening && value_is_complex(g.value))
        return;
    for (int threads = 1; threads <= 8; threads += TEST_SLOW || threads == 4 ? 4 : 1) {
        fur_context *context = context_make(NULL, threads);
        g.offset = threads % 2 ? FUR_I64 : FUR_I32;
        fur_csr *a = grid_matrix(context, &g);
        fur_amg *amg;
        ck_ok(context, fur_amg_create(a, options, &amg));
        uint64_t hash = hash_hierarchy(amg, a);
        expected = threads == 1 ? hash : expected;
        ck_assert_msg(hash == expected, "%d threads, %s", threads, fur_offset_name(g.offset));
        fur_amg_destroy(amg);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

/* Every node is in an aggregate. Each aggregate is connected, and contains a root and all
 * neighbours of the root. */
START_TEST(aggregates_are_a_root_and_neighbours)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = grid_matrix(context, &cube);
    fur_amg *amg;
    ck_ok(context, fur_amg_create(a, NULL, &amg));
    const fur_amg_level *level = fur_amg_level_at(amg, 0);
    const fur_amg_graph *graph = &amg->rung[0].step.strong;
    bool *has_root = calloc((size_t)level->aggregates, sizeof *has_root);
    int64_t near_most = 0;
    for (int64_t i = 0; i < level->nodes; i++) {
        int32_t own = level->aggregate[i];
        int32_t same = 0;
        ck_assert(own >= 0 && own < level->aggregates);
        for (int32_t k = 0; k < graph->count[i]; k++)
            same += level->aggregate[graph->column[graph->begin[i] + k]] == own;
        ck_assert_int_gt(same, 0);
        has_root[own] = has_root[own] || same == graph->count[i];
        near_most = graph->count[i] > near_most ? graph->count[i] : near_most;
    }
    for (int64_t k = 0; k < level->aggregates; k++)
        ck_assert(has_root[k]);
    ck_assert_int_eq(near_most, 6);
    free(has_root);
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static double t_entry(const fur_amg *amg, int64_t row, int mode)
{
    return ((const double *)amg->rung[0].step.tentative)[row * amg->modes + mode];
}

/* Returns t_x . y over the rows of an aggregate, where y is a column of the near-nullspace, or of T
 * if `near` is NULL. */
static double project(const fur_amg *amg, int32_t aggregate, int x, int y, const double *near)
{
    const fur_amg_level *level = &amg->rung[0].level;
    double sum = 0;
    for (int64_t row = 0; row < level->nodes * level->block; row++)
        if (level->aggregate[row / level->block] == aggregate)
            sum +=
                t_entry(amg, row, x) * (near ? near[row * amg->modes + y] : t_entry(amg, row, y));
    return sum;
}

/* T^H T = I, except for columns that are 0 because an aggregate has too few rows. T T^H B = B up to
 * errors of some roundings for each of the m rows of an aggregate. */
START_TEST(tentative_prolongation_has_the_near_nullspace)
{
    fur_context *context = context_make(NULL, 2);
    fur_vectors *points;
    fur_vectors *modes;
    fur_amg *amg;
    fur_csr *a = elastic_plate(context, 12, 0.3, false, &points);
    ck_ok(context, fur_amg_rigid_modes(points, &modes));
    fur_amg_options o = defaults;
    o.block = 2;
    o.near_nullspace = modes;
    o.coarsest = 20;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    const fur_amg_level *level = fur_amg_level_at(amg, 0);
    const double *near = fur_vectors_get(modes)->data;
    int64_t rows = fur_vectors_get(modes)->rows;
    double bound = 1000 * value_epsilon(FUR_F64);
    ck_assert_int_eq(amg->modes, 3);
    ck_assert_int_gt(level->aggregates, 5);
    for (int32_t k = 0; k < level->aggregates; k++)
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++)
                ck_assert_double_le(fabs(project(amg, k, x, y, NULL) - (x == y)), bound);
    for (int64_t row = 0; row < rows; row++)
        for (int y = 0; y < 3; y++) {
            double sum = 0;
            for (int x = 0; x < 3; x++)
                sum += t_entry(amg, row, x) * project(amg, level->aggregate[row / 2], x, y, near);
            ck_assert_double_le(fabs(sum - near[row * 3 + y]), 50 * bound);
        }
    fur_amg_destroy(amg);
    fur_vectors_destroy(modes);
    fur_vectors_destroy(points);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* If A maps constants to 0, D^-1 A' maps them to 0 too, and P preserves them: P sqrt(m) = 1. */
START_TEST(prolongation_keeps_constants)
{
    fur_context *context = context_make(NULL, 2);
    grid g = cube;
    g.neumann = true;
    g.coupling[1] = 1e-4; /* weak entries are added to the diagonal */
    fur_csr *a = grid_matrix(context, &g);
    fur_amg *amg;
    ck_ok(context, fur_amg_create(a, NULL, &amg));
    const fur_amg_level *level = fur_amg_level_at(amg, 0);
    const fur_csr_view *p = fur_csr_get(level->p);
    double *size = calloc((size_t)level->aggregates, sizeof *size);
    for (int64_t i = 0; i < level->nodes; i++)
        size[level->aggregate[i]] += 1;
    for (int64_t i = 0; i < p->rows; i++) {
        double sum = 0;
        for (int64_t k = offset_at(p, i); k < offset_at(p, i + 1); k++)
            sum += ((const double *)p->values)[k] * sqrt(size[p->columns[k]]);
        ck_assert_double_le(fabs(sum - 1), 100 * value_epsilon(FUR_F64));
    }
    free(size);
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static long double *expand(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    long double *full = calloc((size_t)(v->rows * v->cols), sizeof *full);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            full[i * v->cols + v->columns[k]] = ((const double *)v->values)[k];
    return full;
}

/* A_c = P^T (A P): with row lengths below n, each entry is within 2 (n + 2) u of |P|^T |A| |P|. */
START_TEST(coarse_matrices_are_galerkins)
{
    fur_context *context = context_make(NULL, 2);
    grid g = {.extent = {11, 10, 3}, .coupling = {1, 0.8, 0.5}, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    fur_amg *amg;
    fur_amg_options o = defaults;
    o.coarsest = 10;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    const fur_amg_level *level = fur_amg_level_at(amg, 0);
    int64_t n = fur_csr_get(level->p)->rows;
    int64_t m = fur_csr_get(level->p)->cols;
    long double *fine = expand(level->a);
    long double *p = expand(level->p);
    long double *coarse = expand(fur_amg_level_at(amg, 1)->a);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            long double sum = 0;
            long double size = 0;
            for (int64_t k = 0; k < n; k++)
                for (int64_t l = 0; l < n && p[k * m + i] != 0; l++) {
                    long double term = p[k * m + i] * fine[k * n + l] * p[l * m + j];
                    sum += term;
                    size += fabsl(term);
                }
            long double bound =
                2 * (long double)(n + 2) * (long double)value_epsilon(FUR_F64) * size;
            ck_assert(fabsl(sum - coarse[i * m + j]) <= bound);
        }
    free(fine), free(p), free(coarse);
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The cycle is symmetric and positive: y.Mx = conj(x.My) up to some hundred roundings of ||x||
 * ||My||, and x.Mx > 0. */
START_TEST(cycles_are_symmetric_and_positive)
{
    fur_context *context = context_make(NULL, 2);
    static const char *const smoothers[] = {"chebyshev", "jacobi", "gauss-seidel"};
    grid g = cube;
    g.value = (fur_value_type)((_i + _i / 12) % FUR_VALUE_COUNT);
    fur_amg_options o = defaults;
    o.cycle = _i % 2 ? FUR_AMG_W : FUR_AMG_V;
    o.smoother = smoothers[_i / 2 % 3];
    o.levels = _i % 12 < 6 ? 0 : 1; /* 0: the default; 1: one level, which is only smoothed */
    fur_csr *a = grid_matrix(context, &g);
    fur_amg *amg;
    rng r = rng_stream((uint64_t)_i);
    int64_t n = fur_csr_get(a)->rows;
    fur_vector *x = vector_random(context, &r, g.value, n);
    fur_vector *y = vector_random(context, &r, g.value, n);
    fur_vector *mx = vector_random(context, &r, g.value, n);
    fur_vector *my = vector_random(context, &r, g.value, n);
    fur_scalar xmy;
    fur_scalar ymx;
    fur_scalar xmx;
    double x_norm;
    double my_norm;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    ck_ok(context, fur_amg_apply(amg, x, mx));
    ck_ok(context, fur_amg_apply(amg, y, my));
    ck_ok(context, fur_dot(x, my, &xmy));
    ck_ok(context, fur_dot(y, mx, &ymx));
    ck_ok(context, fur_dot(x, mx, &xmx));
    ck_ok(context, fur_norm2(x, &x_norm));
    ck_ok(context, fur_norm2(my, &my_norm));
    double bound = 500 * value_epsilon(g.value) * x_norm * my_norm;
    ck_assert_double_le(fabs(xmy.re - ymx.re) + fabs(xmy.im + ymx.im), bound);
    ck_assert_double_gt(xmx.re, 0);
    fur_amg_destroy(amg);
    fur_vector_destroy(my), fur_vector_destroy(mx);
    fur_vector_destroy(y), fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* If A = A^H bit for bit, the restriction made with `nonsymmetric` is P^H. */
START_TEST(restriction_of_symmetric_matrices_is_the_adjoint)
{
    fur_context *context = context_make(NULL, 2);
    grid g = block;
    g.value = (fur_value_type)_i;
    fur_csr *a = grid_matrix(context, &g);
    fur_amg_options o = defaults;
    fur_amg *plain;
    fur_amg *other;
    o.levels = 2;          /* products are Hermitian only up to rounding */
    o.smoother = "jacobi"; /* both smoothers use Gershgorin's bound */
    ck_ok(context, fur_amg_create(a, &o, &plain));
    o.nonsymmetric = 1;
    ck_ok(context, fur_amg_create(a, &o, &other));
    ck_assert_ptr_nonnull(fur_amg_level_at(plain, 1));
    ck_assert(hash_hierarchy(plain, a) == hash_hierarchy(other, a));
    fur_amg_destroy(other);
    fur_amg_destroy(plain);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that fur_amg_predict reads `rows` rows, and predicts the bytes of the hierarchy up to the
 * relative `tolerance`. */
static void ck_predicted(const fur_csr *a, const fur_amg_options *o, int64_t rows, double tolerance)
{
    fur_amg_prediction p = FUR_DEFAULT(fur_amg_prediction);
    fur_amg *amg;
    ck_ok(fur_csr_context(a), fur_amg_predict(a, o, &p));
    ck_ok(fur_csr_context(a), fur_amg_create(a, o, &amg));
    double ratio = (double)p.bytes / (double)fur_amg_describe(amg)->bytes;
    ck_assert_msg(fabs(ratio - 1) <= tolerance, "predicted %.3f of it", ratio);
    ck_assert_int_eq(p.rows, rows);
    fur_amg_destroy(amg);
}

/* The prediction is exact if it reads all rows. Otherwise it is within a fifth: a ball of rows has
 * other shares of boundary and levels than the grid. */
START_TEST(memory_is_known_before)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    const int64_t side = _i == 0 ? 20 : 45;
    grid g = {.extent = {side, side - 1, side - 2}, .coupling = {1, 1, 0.7}, .value = FUR_F64};
    g.jump = _i == 2 ? 100 : 0;
    fur_csr *a = grid_matrix(context, &g);
    ck_predicted(a, NULL, _i == 0 ? fur_csr_get(a)->rows : 60000, _i == 0 ? 0 : 0.2);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Checks that the prediction fails if an allocation fails while it selects rows, or somewhat
 * later. */
static void ck_cut_fails(const fur_csr *a, const fur_vectors *modes)
{
    memory m = {0};
    fur_context *counting = context_counting(&m, NULL, 2);
    fur_csr *same = NULL;
    fur_vectors *near = NULL;
    fur_amg_prediction p = FUR_DEFAULT(fur_amg_prediction);
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, counting, &same));
    ck_ok(counting, fur_vectors_create(counting, FUR_F64, fur_csr_get(a)->rows, 3,
                                       fur_vectors_get(modes)->layout, &near));
    ck_ok(counting, fur_vectors_upload(fur_vectors_get(modes)->data, near));
    const fur_amg_options o = {.size = sizeof o, .block = 2, .near_nullspace = near};
    for (int first = 1; first <= 12; first++) {
        m.fail_at = m.calls + first;
        ck_assert_int_eq(fur_amg_predict(same, &o, &p), FUR_OUT_OF_MEMORY);
    }
    fur_vectors_destroy(near);
    fur_csr_destroy(same);
    fur_context_destroy(counting);
    ck_assert_int_eq(m.outstanding, 0);
}

/* The prediction is right for plates: it selects rows of the near-nullspace too, and complete
 * nodes. */
START_TEST(memory_of_plates_is_known_before)
{
    fur_context *context = context_make(NULL, 2);
    fur_vectors *points;
    fur_vectors *modes;
    fur_csr *a = elastic_plate(context, 210, 0.3, true, &points);
    ck_ok(context, fur_amg_rigid_modes(points, &modes));
    const fur_amg_options o = {.size = sizeof o, .block = 2, .near_nullspace = modes};
    if (!TEST_SLOW)
        ck_predicted(a, &o, 60000, 0.1);
    ck_cut_fails(a, modes);
    fur_vectors_destroy(modes);
    fur_vectors_destroy(points);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* New values with the same strong entries give the hierarchy that is made from them afresh. The
 * update allocates nothing, with two exceptions: sweeps by colours, and a matrix that was a
 * stencil. In the last case the first values are a stencil and the new values are not. */
START_TEST(new_values_are_taken_over)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    grid g = cube;
    g.jump = _i < 6 ? 2 : 0;
    fur_csr *a = grid_matrix(context, &g);
    g.coupling[0] = 1.5;
    g.coupling[2] = 0.9;
    g.jump = _i < 7 ? g.jump : 2;
    fur_csr *other = grid_matrix(context, &g);
    fur_amg_options o = defaults;
    o.single = _i % 2;
    o.nonsymmetric = _i > 3;
    o.smoother = _i == 2 || _i == 3 ? "gauss-seidel" : "chebyshev";
    o.theta = FUR_AMG_NONE;
    fur_amg *amg;
    fur_amg *fresh;
    ck_ok(context, fur_amg_create(a, &o, &amg));
    ck_ok(context, fur_amg_create(other, &o, &fresh));
    uint64_t before = hash_hierarchy(amg, a);
    int64_t calls = m.calls;
    ck_ok(context, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
    ck_assert(m.calls == calls || _i == 2 || _i == 3 || _i > 5);
    ck_assert(hash_hierarchy(amg, a) == hash_hierarchy(fresh, other));
    ck_assert(hash_hierarchy(amg, a) != before);
    fur_amg_destroy(fresh);
    fur_csr_destroy(other);
    fur_vector *x;
    ck_ok(context, fur_vector_create(context, FUR_F64, fur_csr_get(a)->rows, &x));
    fur_vector *y;
    ck_ok(context, fur_vector_create(context, FUR_F64, fur_csr_get(a)->rows, &y));
    fur_csr_destroy(a);
    ck_fails(context, FUR_INVALID,
             "the multigrid cannot be used any more, because an object that it was created from "
             "has been destroyed",
             fur_amg_apply(amg, x, y));
    fur_vector_destroy(y), fur_vector_destroy(x);
    fur_amg_destroy(amg);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(rigid_modes_are_turns_and_shifts)
{
    static const double places[] = {1, 2, 3, 5, 4, 9};
    static const double expected[6][6] = {{1, 0, 0, 0, -3, 1}, {0, 1, 0, 3, 0, -2},
                                          {0, 0, 1, -1, 2, 0}, {1, 0, 0, 0, 3, -1},
                                          {0, 1, 0, -3, 0, 2}, {0, 0, 1, 1, -2, 0}};
    fur_context *context = context_make(NULL, 1);
    fur_vectors *points;
    fur_vectors *modes;
    ck_ok(context, fur_vectors_create(context, FUR_F64, 2, 3, FUR_LAYOUT_ROWS, &points));
    ck_ok(context, fur_vectors_upload(places, points));
    ck_ok(context, fur_amg_rigid_modes(points, &modes));
    const fur_vectors_view *v = fur_vectors_get(modes);
    ck_assert(v->rows == 6 && v->cols == 6);
    for (int k = 0; k < 36; k++)
        ck_assert_double_eq(((const double *)v->data)[k], expected[k / 6][k % 6]);
    fur_vectors_destroy(modes);
    fur_vectors_destroy(points);
    ck_ok(context, fur_vectors_create(context, FUR_C64, 2, 3, FUR_LAYOUT_ROWS, &points));
    ck_fails(context, FUR_INVALID,
             "rigid body modes need points with 2 or 3 real coordinates; these have 3 of type c64",
             fur_amg_rigid_modes(points, &modes));
    fur_vectors_destroy(points);
    fur_context_destroy(context);
}
END_TEST

static void refused(const fur_csr *a, fur_amg_options o, fur_status status, const char *sentence)
{
    fur_amg *amg = NULL;
    o.size = sizeof o;
    ck_fails(fur_csr_context(a), status, sentence, fur_amg_create(a, &o, &amg));
    ck_assert_ptr_null(amg);
}

START_TEST(wrong_options_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    grid g = {.extent = {5, 5, 1}, .coupling = {1, 1, 0}, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    fur_vectors *near;
    ck_ok(context, fur_vectors_create(context, FUR_F64, 24, 1, FUR_LAYOUT_ROWS, &near));
    refused(a, (fur_amg_options){.block = 17}, FUR_INVALID,
            "block of \"amg\" must be from 1 to 16; it is 17");
    refused(a, (fur_amg_options){.block = 2}, FUR_INVALID,
            "the matrix has 25 rows, which is not a multiple of the 2 unknowns of a node; change "
            "the option block");
    refused(a, (fur_amg_options){.theta = 1}, FUR_INVALID,
            "theta of \"amg\" must be from 0 to below 1; it is 1");
    refused(a, (fur_amg_options){.theta = (double)NAN}, FUR_INVALID,
            "theta of \"amg\" must be from 0 to below 1; it is nan");
    refused(a, (fur_amg_options){.levels = -1}, FUR_INVALID,
            "levels of \"amg\" must be at least 1; it is -1");
    refused(a, (fur_amg_options){.coarsest = -1}, FUR_INVALID,
            "coarsest of \"amg\" must be at least 1; it is -1");
    refused(a, (fur_amg_options){.sweeps = 17}, FUR_INVALID,
            "sweeps of \"amg\" must be from 1 to 16; it is 17");
    refused(a, (fur_amg_options){.cycle = (fur_amg_visits)3}, FUR_INVALID,
            "cycle of \"amg\" must be from 0 to 2; it is 3");
    refused(a, (fur_amg_options){.smoother = "kaczmarz"}, FUR_INVALID,
            "smoother of \"amg\" is \"kaczmarz\"; it must be one of: chebyshev, jacobi, "
            "gauss-seidel");
    refused(a, (fur_amg_options){.near_nullspace = near}, FUR_INVALID,
            "the near-nullspace has 24 rows of type f64, but the matrix has 25 of type f64");
    fur_vectors_destroy(near);
    ck_ok(context, fur_vectors_create(context, FUR_F64, 25, 17, FUR_LAYOUT_ROWS, &near));
    refused(a, (fur_amg_options){.near_nullspace = near}, FUR_INVALID,
            "the near-nullspace has 17 vectors; it can have 1 to 16");
    fur_vectors_destroy(near);
    fur_csr_destroy(a);
    rng r = rng_stream(1);
    a = matrix_random(context, &r, &shapes[shape_find("tall")], FUR_F64, FUR_I32);
    fur_amg *amg = NULL;
    ck_assert_int_eq(fur_amg_create(a, NULL, &amg), FUR_INVALID);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A NaN is refused at creation. A NaN in new values is refused until better values are set. */
START_TEST(what_is_not_finite_is_refused)
{
    static const char sentence[] = "level 0 of multigrid has an entry that is not finite, or too "
                                   "large compared with its diagonal entry; scale the matrix";
    fur_context *context = context_make(NULL, 2);
    grid g = {.extent = {30, 30, 1}, .coupling = {1, 1, 0}, .value = FUR_F64};
    fur_csr *a = grid_matrix(context, &g);
    const fur_csr_view *v = fur_csr_get(a);
    double *good = malloc((size_t)v->entries * sizeof *good);
    double *bad = malloc((size_t)v->entries * sizeof *bad);
    memcpy(good, v->values, (size_t)v->entries * sizeof *good);
    memcpy(bad, v->values, (size_t)v->entries * sizeof *bad);
    bad[200] = (double)NAN;
    fur_amg *amg;
    fur_vector *b;
    fur_vector *x;
    ck_ok(context, fur_vector_create(context, FUR_F64, v->rows, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, v->rows, &x));
    ck_ok(context, fur_amg_create(a, NULL, &amg));
    ck_ok(context, fur_csr_set_values(a, bad, FUR_OWNERSHIP_COPY));
    ck_assert_int_eq(fur_amg_apply(amg, b, x), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), sentence));
    refused(a, defaults, FUR_INVALID, sentence);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_amg_apply(amg, b, x));
    fur_amg_destroy(amg);
    fur_vector_destroy(x), fur_vector_destroy(b);
    fur_csr_destroy(a);
    free(bad), free(good);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, any_number_of_threads_gives_the_same_bits, 0,
                        6 * (TEST_SLOW ? 1 : FUR_VALUE_COUNT));
    tcase_add_test(tests, aggregates_are_a_root_and_neighbours);
    tcase_add_test(tests, tentative_prolongation_has_the_near_nullspace);
    tcase_add_test(tests, prolongation_keeps_constants);
    tcase_add_test(tests, coarse_matrices_are_galerkins);
    tcase_add_loop_test(tests, cycles_are_symmetric_and_positive, 0,
                        12 * (TEST_SLOW ? 1 : FUR_VALUE_COUNT));
    tcase_add_loop_test(tests, restriction_of_symmetric_matrices_is_the_adjoint, 0,
                        FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, memory_is_known_before, 0, TEST_SLOW ? 1 : 3);
    tcase_add_test(tests, memory_of_plates_is_known_before);
    tcase_add_turns(tests, new_values_are_taken_over, 8, 2);
    tcase_add_test(tests, rigid_modes_are_turns_and_shifts);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_test(tests, what_is_not_finite_is_refused);
}

int main(void)
{
    return run_tests("amg", add_tests);
}
