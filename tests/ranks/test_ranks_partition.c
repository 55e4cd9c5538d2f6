/* Partitions. Solves of the arranged matrix on 1 to 8 ranks have the bits of the serial solve of
 * the permuted matrix. Also: parts by METIS and SCOTCH, if they are installed; partitions in files;
 * refusals. */
#include "ranks_support.h"

#include <furrow/partition.h>
#include <furrow/ranks_stencil.h>

#include <string.h>
#include <unistd.h>

#define ROWS 700

/* A solve with a partition. The first of `method`, `path` and `part` that is set gives the
 * partition. */
typedef struct arranged {
    solve_job solve;
    const char *method; /* NULL: use path */
    const char *path;   /* a file; NULL: use part */
    const int32_t *part;
    int parts; /* parts to make */
    int got;   /* parts that were made */
    int64_t halo_bytes;
    int32_t *order; /* ROWS numbers, set by rank 0; NULL: not wanted */
} arranged;

static bool has_library(const char *method)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(5);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 200);
    fur_partition_options options = {.size = sizeof options, .method = method, .parts = 2};
    fur_partition *p = NULL;
    fur_status status = fur_partition_create(a, &options, &p);
    if (status == FUR_UNSUPPORTED)
        printf("skipped: %s\n", fur_context_error(context));
    else
        ck_ok(context, status);
    fur_partition_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return status == FUR_OK;
}

static fur_status get_partition(fur_ranks *group, const arranged *job, const fur_ranks_csr *a,
                                fur_partition **out)
{
    fur_partition_options options = {
        .size = sizeof options, .method = job->method, .parts = job->parts};
    if (job->path)
        return fur_ranks_partition_read(a, job->path, out);
    if (!job->part)
        return fur_ranks_partition(a, &options, out);
    fur_context *context = fur_ranks_csr_context(a);
    return fur_ranks_pass_on(group, context,
                             fur_partition_from_parts(context, ROWS, job->part, out));
}

static fur_status solve_in(fur_ranks *group, arranged *job, fur_ranks_csr *a,
                           const fur_partition *p)
{
    int rank = fur_ranks_rank(group);
    const int64_t *bounds = fur_ranks_csr_bounds(a);
    fur_context *context = fur_ranks_csr_context(a);
    fur_value_type value = fur_ranks_csr_describe(a)->value_type;
    fur_solver_options options = {.size = sizeof options, .method = "cg", .max_iterations = 60};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_status status = fur_vector_create(context, value, bounds[rank + 1] - bounds[rank], &b);
    if (status == FUR_OK)
        status = fur_vector_create(context, value, bounds[rank + 1] - bounds[rank], &x);
    if (status == FUR_OK)
        status = fur_ranks_take_vector(a, p, job->solve.b, b);
    if (status == FUR_OK)
        status = fur_ranks_solve(a, &options, b, x, &report);
    if (status == FUR_OK)
        status = fur_ranks_give_vector(a, p, x, rank == 0 ? job->solve.x : NULL);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    if (rank > 0 || status != FUR_OK)
        return status;
    job->solve.report = report;
    job->got = fur_partition_parts(p);
    job->halo_bytes = fur_ranks_csr_describe(a)->halo_bytes;
    if (job->order)
        memcpy(job->order, fur_permutation_order(fur_partition_order(p)),
               ROWS * sizeof *job->order);
    return FUR_OK;
}

static fur_status arrange_and_solve(fur_ranks *group, void *user)
{
    arranged *job = user;
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_partition *p = NULL;
    const fur_csr *whole = fur_ranks_rank(group) == 0 ? job->solve.a : NULL;
    fur_status status = fur_ranks_csr_scatter(group, whole, job->solve.bounds, &a);
    if (status == FUR_OK)
        status = get_partition(group, job, a, &p);
    if (status == FUR_OK)
        status = fur_ranks_csr_arrange(a, p, &b);
    if (status == FUR_OK)
        status = solve_in(group, job, b, p);
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(b);
    fur_ranks_csr_destroy(a);
    return status;
}

/* Solves the permuted matrix serially and stores x in the original order. */
static void solve_permuted(const arranged *job, const fur_permutation *order, void *x)
{
    fur_context *context = fur_csr_context(job->solve.a);
    fur_value_type value = fur_csr_get(job->solve.a)->value_type;
    fur_solver_options options = {.size = sizeof options, .method = "cg", .max_iterations = 60};
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_solver *solver;
    fur_vector *given = vector_from(context, value, ROWS, job->solve.b);
    fur_vector *b = vector_from(context, value, ROWS, job->solve.b);
    fur_vector *result;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vector_create(context, value, ROWS, &result));
    ck_ok(context, fur_csr_permute(job->solve.a, order, order, &a));
    ck_ok(context, fur_vector_permute(order, given, b));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b, result, &report));
    ck_ok(context, fur_vector_unpermute(order, result, given));
    ck_ok(context, fur_vector_download(given, x));
    fur_solver_destroy(solver);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_vector_destroy(given);
    fur_vector_destroy(b);
    fur_vector_destroy(result);
}

/* Checks that x and the order are those of the serial library for every number of ranks. */
static void compare(arranged *job, rng *r, const fur_permutation *order)
{
    fur_value_type value = fur_csr_get(job->solve.a)->value_type;
    void *expected = entries_make(value, ROWS);
    int32_t got[ROWS];
    solve_permuted(job, order, expected);
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += ranks < 5 ? 1 : 3) {
        int64_t bounds[RANKS_MAX + 1];
        bounds_random(r, ranks % BOUND_KINDS, ranks, ROWS, bounds);
        job->solve.bounds = ranks == 4 ? NULL : bounds;
        job->solve.x = entries_make(value, ROWS);
        job->order = got;
        fur_status status = fur_ranks_run(ranks, NULL, arrange_and_solve, job);
        ck_assert_msg(status == FUR_OK, "%d ranks: %s", ranks, fur_context_error(NULL));
        ck_assert_int_eq(memcmp(got, fur_permutation_order(order), sizeof got), 0);
        ck_assert_msg(first_difference(value, ROWS, job->solve.x, expected) < 0, "%d ranks", ranks);
        free(job->solve.x);
    }
    free(expected);
}

START_TEST(methods)
{
    const char *method = fur_partition_method_at(_i);
    if (!has_library(method))
        return;
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    fur_csr *a = matrix_definite(context, &r, value, ROWS);
    fur_partition_options options = {.size = sizeof options, .method = method};
    fur_partition *p;
    void *b = entries_random(&r, value, ROWS);
    arranged job = {.solve = {.a = a, .b = b}, .method = method};
    ck_ok(context, fur_partition_create(a, &options, &p));
    compare(&job, &r, fur_partition_order(p));
    ck_assert_int_eq(job.got, fur_partition_parts(p));
    ck_assert_int_eq(job.got, _i < 2 ? 0 : ROWS / 64);
    fur_partition_destroy(p);
    free(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A partition by the caller may have empty parts, and fewer parts than there are ranks. */
START_TEST(own_parts)
{
    static const int parts[] = {1, 3, 60, 1 << 18};
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, ROWS);
    void *b = entries_random(&r, FUR_F64, ROWS);
    int32_t part[ROWS];
    fur_partition *p;
    for (int i = 0; i < ROWS; i++)
        part[i] = (int32_t)rng_below(&r, parts[_i]);
    ck_ok(context, fur_partition_from_parts(context, ROWS, part, &p));
    arranged job = {.solve = {.a = a, .b = b}, .part = part};
    compare(&job, &r, fur_partition_order(p));
    char path[64];
    snprintf(path, sizeof path, "ranks_partition_%d.mtx", (int)getpid());
    ck_ok(context, fur_partition_write(p, path));
    fur_partition *again;
    ck_ok(context, fur_partition_read(context, path, ROWS, &again));
    ck_assert_int_eq(memcmp(fur_partition_of_rows(again), part, sizeof part), 0);
    job = (arranged){.solve = {.a = a, .b = b}, .path = path};
    compare(&job, &r, fur_partition_order(p));
    unlink(path);
    fur_partition_destroy(again);
    fur_partition_destroy(p);
    free(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Returns the matrix of a grid whose points are numbered at random. */
static fur_csr *scrambled_grid(fur_context *context, rng *r)
{
    enum { SIDE = 40 };
    int32_t *row = malloc(5 * SIDE * SIDE * sizeof *row);
    int32_t *col = malloc(5 * SIDE * SIDE * sizeof *col);
    double *values = malloc(5 * SIDE * SIDE * sizeof *values);
    int32_t *name = rng_order(r, SIDE * SIDE);
    int64_t count = 0;
    fur_csr *a;
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int j = 0; j < SIDE * SIDE; j++) {
            int distance = abs(i % SIDE - j % SIDE) + abs(i / SIDE - j / SIDE);
            if (distance > 1)
                continue;
            row[count] = name[i];
            col[count] = name[j];
            values[count++] = distance == 0 ? 4 : -1;
        }
    fur_coo_view coo = {sizeof coo, SIDE * SIDE, SIDE * SIDE, count, FUR_F64, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(row);
    free(col);
    free(values);
    free(name);
    return a;
}

static fur_status measure_halo(fur_ranks *group, void *user)
{
    arranged *job = user;
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_partition *p = NULL;
    fur_partition_options options = {.size = sizeof options, .method = job->method};
    const fur_csr *whole = fur_ranks_rank(group) == 0 ? job->solve.a : NULL;
    fur_status status = fur_ranks_csr_scatter(group, whole, NULL, &a);
    if (status == FUR_OK)
        status = fur_ranks_partition(a, &options, &p);
    if (status == FUR_OK)
        status = fur_ranks_csr_arrange(a, p, &b);
    if (status == FUR_OK && whole)
        job->halo_bytes = fur_ranks_csr_describe(b)->halo_bytes;
    if (status == FUR_OK && fur_ranks_csr_describe(b)->imbalance > 1.3)
        status = fur_ranks_fail(group, FUR_INVALID, "imbalance %g",
                                fur_ranks_csr_describe(b)->imbalance);
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(b);
    fur_ranks_csr_destroy(a);
    return status;
}

/* A good partition has a small halo. In random order, nearly all of 1600 points are in a halo. At
 * least 80 pairs of points connect 4 parts of a 40 x 40 grid, which gives 160 entries. Strips in
 * rcm's order have 3 times 2 times 40 entries, or somewhat more. */
START_TEST(halo)
{
    static const int64_t most[] = {INT64_MAX, 500 * 8, 400 * 8, 400 * 8};
    const char *method = fur_partition_method_at(_i);
    if (!has_library(method))
        return;
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    fur_csr *a = scrambled_grid(context, &r);
    arranged job = {.solve = {.a = a}, .method = method};
    fur_status status = fur_ranks_run(4, NULL, measure_halo, &job);
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
    printf("%s: a halo of %lld bytes on 4 ranks\n", method, (long long)job.halo_bytes);
    ck_assert_int_le(job.halo_bytes, most[_i]);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Repeated calls return equal parts, and each row is in a part. */
START_TEST(repeated)
{
    const char *method = fur_partition_method_at(_i);
    if (!has_library(method))
        return;
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(0);
    fur_csr *a = scrambled_grid(context, &r);
    fur_partition_options options = {.size = sizeof options, .method = method};
    fur_partition *first;
    ck_ok(context, fur_partition_create(a, &options, &first));
    for (int i = 0; i < 5; i++) {
        fur_partition *p;
        ck_ok(context, fur_partition_create(a, &options, &p));
        ck_assert_int_eq(memcmp(fur_partition_of_rows(p), fur_partition_of_rows(first),
                                (size_t)fur_partition_rows(p) * sizeof(int32_t)),
                         0);
        fur_partition_destroy(p);
    }
    ck_assert_int_eq(fur_partition_begin(first)[fur_partition_parts(first)], 1600);
    fur_partition_destroy(first);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Partitions of matrices without edges, and without rows, succeed. */
START_TEST(without_edges)
{
    fur_context *context = context_make(NULL, 1);
    for (int method = 0; fur_partition_method_at(method); method++) {
        fur_partition_options options = {.size = sizeof options,
                                         .method = fur_partition_method_at(method)};
        for (int64_t rows = 0; has_library(options.method) && rows <= 300; rows += 300) {
            fur_csr *a;
            fur_partition *p;
            fur_coo_view coo = {sizeof coo, rows, rows, 0, FUR_F64, NULL, NULL, NULL};
            ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
            ck_ok(context, fur_partition_create(a, &options, &p));
            ck_assert_int_eq(fur_partition_rows(p), rows);
            fur_partition_destroy(p);
            fur_csr_destroy(a);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns the stencil of 5 or 7 points on a grid, which may be periodic. */
static fur_stencil_definition grid_of(const int64_t extent[3], fur_boundary boundary)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
    memcpy(d.extent, extent, sizeof d.extent);
    for (int i = 0; i < 3; i++)
        d.boundary[i] = boundary;
    fur_stencil_named(extent[2] > 1 ? 7 : 5, &d);
    return d;
}

typedef struct place {
    uint64_t code; /* Morton code: bits 3k, 3k + 1, 3k + 2 are bit k of z, y, x */
    int64_t point;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a;
    const place *q = b;
    return p->code != q->code ? (p->code < q->code ? -1 : 1) : p->point < q->point ? -1 : 1;
}

/* Returns the brick of each point, found by sorting Morton codes. */
static int32_t *sort_bricks(const int64_t extent[3], const int64_t side[3])
{
    int64_t points = extent[0] * extent[1] * extent[2];
    place *places = malloc((size_t)points * sizeof *places);
    int32_t *part = malloc((size_t)points * sizeof *part);
    int32_t number = 0;
    for (int64_t i = 0; i < points; i++) {
        const int64_t at[] = {i % extent[0] / side[0], i / extent[0] % extent[1] / side[1],
                              i / extent[0] / extent[1] / side[2]};
        places[i] = (place){.point = i};
        for (int k = 0; k < 60; k++)
            places[i].code |= (uint64_t)(at[2 - k % 3] >> (k / 3) & 1) << k;
    }
    qsort(places, (size_t)points, sizeof *places, compare_places);
    for (int64_t i = 0; i < points; i++) {
        number += i > 0 && places[i].code != places[i - 1].code;
        part[places[i].point] = number;
    }
    free(places);
    return part;
}

/* A grid that is cut into bricks, the expected part of each point, and the bytes of the halos. */
typedef struct cut_grid {
    fur_stencil_definition definition;
    const int64_t *extent; /* option of the partition; NULL: the grid is recognised */
    const int32_t *part;
    int64_t halo_bytes;
} cut_grid;

static fur_status cut(fur_ranks *group, void *user)
{
    cut_grid *job = user;
    fur_ranks_stencil *s = NULL;
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_partition *p = NULL;
    fur_partition_options options = {.size = sizeof options, .method = "bricks"};
    if (job->extent)
        memcpy(options.extent, job->extent, sizeof options.extent);
    fur_status status = fur_ranks_stencil_create(group, &job->definition, NULL, &s);
    if (status == FUR_OK)
        status = fur_ranks_stencil_assemble(s, &a);
    if (status == FUR_OK)
        status = fur_ranks_partition(a, &options, &p);
    if (status == FUR_OK)
        status = fur_ranks_csr_arrange(a, p, &b);
    if (status == FUR_OK)
        ck_assert_int_eq(memcmp(fur_partition_of_rows(p), job->part,
                                (size_t)fur_partition_rows(p) * sizeof *job->part),
                         0);
    if (status == FUR_OK && fur_ranks_rank(group) == 0)
        job->halo_bytes = fur_ranks_csr_describe(b)->halo_bytes;
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(b);
    fur_ranks_csr_destroy(a);
    fur_ranks_stencil_destroy(s);
    return status;
}

/* Bricks are as expected for a recognised or a given grid of any shape, on any number of ranks. */
START_TEST(bricks)
{
    static const struct {
        int64_t extent[3];
        int64_t side[3];
        fur_boundary boundary;
    } grids[] = {{{33, 20, 17}, {16, 16, 8}, FUR_BOUNDARY_DIRICHLET},
                 {{150, 70, 1}, {64, 32, 1}, FUR_BOUNDARY_DIRICHLET},
                 {{20, 100, 20}, {16, 16, 8}, FUR_BOUNDARY_PERIODIC},
                 {{1, 90, 120}, {1, 64, 32}, FUR_BOUNDARY_DIRICHLET}};
    int32_t *part = sort_bricks(grids[_i].extent, grids[_i].side);
    /* Too many rows of a periodic grid wrap for the grid to be recognised. */
    bool wraps = grids[_i].boundary == FUR_BOUNDARY_PERIODIC;
    for (int told = wraps; told < 2; told++)
        for (int ranks = 1; ranks <= RANKS_MAX; ranks += 3) {
            cut_grid job = {.definition = grid_of(grids[_i].extent, grids[_i].boundary),
                            .extent = told ? grids[_i].extent : NULL,
                            .part = part};
            fur_status status = fur_ranks_run(ranks, NULL, cut, &job);
            ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
        }
    free(part);
}
END_TEST

/* Bricks need less communication than slabs. On 8 ranks a cube of 32^3 points gives cubes of 16^3,
 * which have 24 faces of 16^2 points between them. Slabs have 14 faces of 32^2 points. */
START_TEST(bricks_send_less_than_slabs)
{
    static const int64_t extent[] = {32, 32, 32};
    static const int64_t side[] = {16, 16, 8};
    int32_t *part = sort_bricks(extent, side);
    cut_grid job = {.definition = grid_of(extent, FUR_BOUNDARY_DIRICHLET), .part = part};
    fur_status status = fur_ranks_run(8, NULL, cut, &job);
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(NULL));
    ck_assert_int_eq(job.halo_bytes, 24 * 16 * 16 * 8);
    free(part);
}
END_TEST

START_TEST(no_bricks)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(0);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 700);
    fur_partition *p = NULL;
    fur_partition_options options = {.size = sizeof options, .method = "bricks"};
    ck_assert_int_eq(fur_partition_create(a, &options, &p), FUR_UNSUPPORTED);
    ck_assert_ptr_eq(strstr(fur_context_error(context), "\"bricks\" needs the matrix of a grid: "),
                     fur_context_error(context));
    for (int i = 0; i < 4; i++) {
        static const int64_t wrong[][3] = {
            {700, 1, 0}, {-7, -100, 1}, {7, 10, 11}, {INT64_MAX, INT64_MAX, 2}};
        memcpy(options.extent, wrong[i], sizeof options.extent);
        ck_assert_int_eq(fur_partition_create(a, &options, &p), FUR_INVALID);
        ck_assert_ptr_nonnull(strstr(fur_context_error(context), "does not match the 700 rows"));
    }
    options.extent[0] = 7;
    options.extent[1] = 100;
    options.extent[2] = 1;
    ck_ok(context, fur_partition_create(a, &options, &p));
    ck_assert_int_eq(fur_partition_parts(p), 4);
    fur_partition_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Files that are not a partition of 3 rows, with their error messages. %s: the path. */
static const struct {
    const char *text;
    const char *sentence;
} bad_files[] = {
    {"%%MatrixMarket matrix array integer general\n2 1\n0\n1\n",
     "%s has the parts of 2 rows, but the matrix has 3 rows; give a partition of this matrix"},
    {"%%MatrixMarket matrix array integer general\n3 1\n0\n-1\n0\n",
     "%s: row 2, counting from 1, has the part -1; parts are integers from 0 to 1048575"},
    {"%%MatrixMarket matrix array real general\n3 1\n0\n1\n0.5\n",
     "%s: row 3, counting from 1, has the part 0.5; parts are integers from 0 to 1048575"},
    {"%%MatrixMarket matrix array real general\n3 1\nnan\n1\n1\n",
     "%s: row 1, counting from 1, has the part nan; parts are integers from 0 to 1048575"},
    {"%%MatrixMarket matrix array integer general\n3 1\n0\n1048576\n0\n",
     "%s: row 2, counting from 1, has the part 1.04858e+06; parts are integers from 0 to 1048575"},
};

static fur_status read_partition(fur_ranks *group, void *user)
{
    const int64_t offsets[] = {0, 0, 0, 0};
    int ranks = fur_ranks_count(group);
    int rank = fur_ranks_rank(group);
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = 3 * (rank + 1) / ranks - 3 * rank / ranks,
                           .cols = 3,
                           .value_type = FUR_F64,
                           .offsets = offsets};
    fur_ranks_csr *a = NULL;
    fur_partition *p = NULL;
    fur_status status = fur_ranks_csr_create(group, &rows, &a);
    if (status == FUR_OK)
        status = fur_ranks_partition_read(a, user, &p);
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(a);
    return status;
}

START_TEST(files_that_do_not_fit)
{
    char path[64];
    char sentence[256];
    snprintf(path, sizeof path, "ranks_partition_%d.mtx", (int)getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(bad_files[_i].text, file);
    fclose(file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(sentence, sizeof sentence, bad_files[_i].sentence, path);
#pragma GCC diagnostic pop
    for (int ranks = 1; ranks <= 5; ranks += 2) {
        ck_assert_int_eq(fur_ranks_run(ranks, NULL, read_partition, path), FUR_INVALID);
        ck_assert_str_eq(fur_context_error(NULL), sentence);
    }
    unlink(path);
}
END_TEST

/* Calls that are refused on all ranks with the same message. */
typedef enum refusal {
    METHODS_DIFFER,
    PARTS_DIFFER,
    GRIDS_DIFFER,
    ORDERS_DIFFER,
    UNKNOWN,
    MANY,
    WIDE,
    UNSIZED
} refusal;

static fur_status ask(fur_ranks *group, refusal what, const fur_ranks_csr *a, fur_partition **p)
{
    int rank = fur_ranks_rank(group);
    fur_context *context = fur_ranks_csr_context(a);
    const int32_t part[] = {0, 1, what == ORDERS_DIFFER ? rank : 0};
    fur_partition_options o = {.size = sizeof o, .method = "rcm", .parts = 0};
    if (what == ORDERS_DIFFER)
        return fur_ranks_pass_on(group, context, fur_partition_from_parts(context, 3, part, p));
    o.method = what == METHODS_DIFFER && rank == 2 ? "contiguous" : o.method;
    o.parts = what == PARTS_DIFFER ? 1 + rank / 2 : what == MANY ? 4 : 0;
    for (int i = 0; what == GRIDS_DIFFER && i < 3; i++)
        o.extent[i] = i == rank / 2 ? 3 : 1;
    o.method = what == UNKNOWN ? "zoltan" : o.method;
    o.size = what == UNSIZED ? 0 : o.size;
    return fur_ranks_partition(a, &o, p);
}

static fur_status refuse(fur_ranks *group, void *user)
{
    const int64_t offsets[] = {0, 0};
    refusal what = *(refusal *)user;
    fur_ranks_rows rows = {.size = sizeof rows,
                           .rows = 1,
                           .cols = what == WIDE ? 4 : 3,
                           .value_type = FUR_F64,
                           .offsets = offsets};
    fur_ranks_csr *a = NULL;
    fur_ranks_csr *b = NULL;
    fur_partition *p = NULL;
    fur_status status = fur_ranks_csr_create(group, &rows, &a);
    if (status == FUR_OK)
        status = ask(group, what, a, &p);
    if (status == FUR_OK)
        status = fur_ranks_csr_arrange(a, p, &b);
    fur_partition_destroy(p);
    fur_ranks_csr_destroy(b);
    fur_ranks_csr_destroy(a);
    return status;
}

START_TEST(refusals)
{
    static const char *const sentences[] = {
        [METHODS_DIFFER] = "ranks 0 and 2 gave different methods, parts or grids of a partition; "
                           "all ranks must give the same",
        [PARTS_DIFFER] = "ranks 0 and 2 gave different methods, parts or grids of a partition; all "
                         "ranks must give the same",
        [GRIDS_DIFFER] = "ranks 0 and 2 gave different methods, parts or grids of a partition; all "
                         "ranks must give the same",
        [ORDERS_DIFFER] = "ranks 0 and 1 have different partitions; all ranks must give the same",
        [UNKNOWN] =
            "there is no partition \"zoltan\"; use contiguous, rcm, metis, scotch or bricks",
        [MANY] = "a matrix of 3 rows cannot have 4 parts; use 1 to 3, or 0 for the default",
        [WIDE] =
            "the matrix is 3 x 4; a partition needs a square matrix with at most 2147483647 rows",
        [UNSIZED] = ("fur_partition_options says that it has 0 bytes; write .size = "
                     "sizeof(fur_partition_options)"
                     ", which are 48 in furrow " FUR_VERSION ", and set nothing beyond them"),
    };
    refusal what = (refusal)_i;
    ck_assert_int_eq(fur_ranks_run(3, NULL, refuse, &what), FUR_INVALID);
    ck_assert_str_eq(fur_context_error(NULL), sentences[_i]);
}
END_TEST

START_TEST(arguments)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(0);
    fur_csr *a = matrix_definite(context, &r, FUR_F64, 10);
    fur_partition *p = NULL;
    const int32_t part[] = {0, -3};
    ck_assert_int_eq(fur_partition_create(NULL, NULL, &p), FUR_INVALID);
    ck_assert_int_eq(fur_partition_create(a, NULL, NULL), FUR_INVALID);
    ck_assert_int_eq(fur_partition_from_parts(context, 2, part, &p), FUR_INVALID);
    ck_assert_str_eq(fur_context_error(context),
                     "row 2, counting from 1, is in part -3; parts have numbers from 0 to 1048575");
    ck_assert_int_eq(fur_partition_from_parts(context, -1, part, &p), FUR_OVERFLOW);
    ck_ok(context, fur_partition_create(a, NULL, &p));
    ck_assert_int_eq(fur_partition_write(p, "nothing.mtx"), FUR_INVALID);
    ck_assert_int_ne(access("nothing.mtx", F_OK), 0);
    ck_assert_ptr_null(fur_partition_begin(p));
    fur_partition_destroy(p);
    fur_partition_destroy(NULL);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, methods, 0, 4);
    tcase_add_turns(tests, own_parts, 4, 2);
    tcase_add_loop_test(tests, halo, 0, 4);
    tcase_add_loop_test(tests, repeated, 2, 4);
    tcase_add_test(tests, without_edges);
    tcase_add_turns(tests, bricks, 4, 2);
    tcase_add_test(tests, bricks_send_less_than_slabs);
    tcase_add_test(tests, no_bricks);
    tcase_add_loop_test(tests, files_that_do_not_fit, 0, COUNT_OF(bad_files));
    tcase_add_loop_test(tests, refusals, 0, UNSIZED + 1);
    tcase_add_test(tests, arguments);
}

int main(void)
{
    return run_tests("ranks_partition", add);
}
