/* Algebraic multigrid on a GPU. Hierarchy, cycles and solves have the bits of the CPU, for all
 * types and options and with new values. This holds for nodes of several unknowns, and for a
 * nonsymmetric graph of strong entries. */
#include "cuda_support.h"
#include "problems.h"

#include <furrow/precond.h>

#include <string.h>

#define SIDE (test_small() ? 9 : 21)

static fur_csr *to(const fur_csr *a, fur_context *context)
{
    fur_csr *moved = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, context, &moved));
    return moved;
}

static void ck_same_level_matrix(const fur_csr *far, const fur_csr *near, int level,
                                 const char *name)
{
    fur_csr *moved = to(far, fur_csr_context(near));
    int equal = 0;
    ck_ok(fur_csr_context(near), fur_csr_compare(moved, near, &equal));
    ck_assert_msg(equal, "%s of level %d differs", name, level);
    fur_csr_destroy(moved);
}

static void ck_same_aggregates(const fur_amg_level *far, const fur_amg_level *near, int index)
{
    size_t bytes = (size_t)near->nodes * sizeof *near->aggregate;
    int32_t *moved = malloc(bytes);
    ck_cuda(cudaMemcpy(moved, far->aggregate, bytes, cudaMemcpyDeviceToHost));
    ck_assert_msg(memcmp(moved, near->aggregate, bytes) == 0, "aggregates of level %d differ",
                  index);
    free(moved);
}

static void ck_same_levels(const fur_amg *far, const fur_amg *near)
{
    const fur_amg_level *expected;
    ck_assert_int_eq(fur_amg_describe(far)->levels, fur_amg_describe(near)->levels);
    for (int i = 0; (expected = fur_amg_level_at(near, i)); i++) {
        const fur_amg_level *level = fur_amg_level_at(far, i);
        ck_assert_int_eq(level->aggregates, expected->aggregates);
        if (expected->aggregate)
            ck_same_aggregates(level, expected, i);
        ck_same_level_matrix(level->a, expected->a, i, "A");
        if (expected->p)
            ck_same_level_matrix(level->p, expected->p, i, "P");
        ck_assert_msg(memcmp(&level->gershgorin, &expected->gershgorin, sizeof(double)) == 0,
                      "Gershgorin's bound of level %d", i);
        ck_assert_msg(memcmp(&level->largest, &expected->largest, sizeof(double)) == 0,
                      "the eigenvalue of level %d is %a, not %a", i, level->largest,
                      expected->largest);
    }
}

/* Checks that a cycle from the same random vectors has the same bits on both devices. */
static void ck_same_cycle(fur_amg *far, fur_context *gpu, fur_amg *near, const fur_csr *a)
{
    fur_context *host = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    size_t bytes = (size_t)v->rows * fur_value_size(v->value_type);
    rng r = rng_stream(5);
    fur_vector *b = vector_random(host, &r, v->value_type, v->rows);
    fur_vector *x = vector_random(host, &r, v->value_type, v->rows);
    fur_vector *far_b;
    fur_vector *far_x;
    ck_ok(gpu, fur_vector_create(gpu, v->value_type, v->rows, &far_b));
    ck_ok(gpu, fur_vector_create(gpu, v->value_type, v->rows, &far_x));
    ck_ok(gpu, fur_vector_upload(fur_vector_const_data(b), far_b));
    ck_ok(gpu, fur_vector_upload(fur_vector_const_data(x), far_x));
    ck_ok(host, fur_amg_apply(near, b, x));
    ck_ok(gpu, fur_amg_apply(far, far_b, far_x));
    void *moved = malloc(bytes + 1);
    ck_ok(gpu, fur_vector_download(far_x, moved));
    ck_assert_msg(memcmp(moved, fur_vector_const_data(x), bytes) == 0, "a cycle differs");
    free(moved);
    fur_vector_destroy(far_x), fur_vector_destroy(far_b);
    fur_vector_destroy(x), fur_vector_destroy(b);
}

/* Replaces A by 1.25 A on both devices. */
static void take_new_values(fur_csr *near, fur_csr *far)
{
    const fur_csr_view *v = fur_csr_get(near);
    size_t bytes = (size_t)v->entries * fur_value_size(v->value_type);
    void *values = malloc(bytes);
    memcpy(values, v->values, bytes);
    bool single = v->value_type == FUR_F32 || v->value_type == FUR_C64;
    for (size_t i = 0; i < bytes / (single ? 4 : 8); i++)
        if (single)
            ((float *)values)[i] *= 1.25F;
        else
            ((double *)values)[i] *= 1.25;
    ck_ok(fur_csr_context(near), fur_csr_set_values(near, values, FUR_OWNERSHIP_COPY));
    ck_ok(fur_csr_context(far), fur_csr_set_values(far, values, FUR_OWNERSHIP_COPY));
    free(values);
}

/* Compares hierarchies, cycles and iterations of both devices, also after new values. */
static void check(fur_context *gpu, fur_csr *a, const fur_amg_options *options,
                  const fur_amg_options *far_options)
{
    fur_context *host = fur_csr_context(a);
    fur_csr *far_a = to(a, gpu);
    fur_amg *near;
    fur_amg *far;
    ck_ok(host, fur_amg_create(a, options, &near));
    ck_ok(gpu, fur_amg_create(far_a, far_options, &far));
    ck_same_levels(far, near);
    ck_same_cycle(far, gpu, near, a);
    take_new_values(a, far_a);
    ck_same_levels(far, near);
    ck_same_cycle(far, gpu, near, a);
    const char *method = options->cycle == FUR_AMG_K ? "fgmres" : "cg";
    ck_assert_int_eq(iterations(far, far_a, method, 1e-4, true),
                     iterations(near, a, method, 1e-4, true));
    fur_amg_destroy(far);
    fur_amg_destroy(near);
    fur_csr_destroy(far_a);
}

static const fur_amg_options ways[] = {
    {.size = sizeof(fur_amg_options)},
    {.size = sizeof(fur_amg_options), .single = 1, .cycle = FUR_AMG_K, .coarsest = 20},
    {.size = sizeof(fur_amg_options), .smoother = "jacobi", .cycle = FUR_AMG_W, .coarsest = 5},
    {.size = sizeof(fur_amg_options), .theta = FUR_AMG_NONE, .sweeps = 3, .levels = 2},
    {.size = sizeof(fur_amg_options), .smoother = "gauss-seidel"},
    {.size = sizeof(fur_amg_options), .nonsymmetric = 1, .smoother = "jacobi"},
    {.size = sizeof(fur_amg_options), .coarsening = "classical"},
    {.size = sizeof(fur_amg_options), .coarsening = "classical", .aggressive = 1, .coarsest = 5}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Grids have the bits of the CPU. Loops over options and value types. */
START_TEST(grids_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    grid g = {.extent = {SIDE, SIDE - 1, SIDE - 2},
              .coupling = {1, 1, 0.7},
              .value = (fur_value_type)(_i / WAYS),
              .offset = (fur_offset_type)(_i % 2)};
    if (ways[_i % WAYS].coarsening && value_is_complex(g.value)) {
        fur_context_destroy(gpu);
        return;
    }
    fur_csr *a = grid_matrix(host, &g);
    check(gpu, a, &ways[_i % WAYS], &ways[_i % WAYS]);
    fur_csr_destroy(a);
    g.jump = 1e6;
    g.neumann = true;
    a = grid_matrix(host, &g);
    check(gpu, a, &ways[_i % WAYS], &ways[_i % WAYS]);
    fur_csr_destroy(a);
    fur_context_destroy(gpu);
}
END_TEST

/* Plates, with two unknowns at each node, have the bits of the CPU. The near-nullspace is the
 * constants, then the rigid modes. */
START_TEST(plates_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    fur_vectors *points;
    fur_vectors *modes;
    fur_vectors *far_modes;
    fur_csr *a = elastic_plate(host, 2 * SIDE, 0.3, true, &points);
    fur_amg_options o = {.size = sizeof o, .block = 2};
    check(gpu, a, &o, &o);
    ck_ok(host, fur_amg_rigid_modes(points, &modes));
    const fur_vectors_view *m = fur_vectors_get(modes);
    double *entries = malloc((size_t)(m->rows * m->cols) * sizeof *entries);
    ck_ok(host, fur_vectors_download(modes, entries));
    ck_ok(gpu, fur_vectors_create(gpu, FUR_F64, m->rows, m->cols, m->layout, &far_modes));
    ck_ok(gpu, fur_vectors_upload(entries, far_modes));
    free(entries);
    fur_amg_options far_o = o;
    o.near_nullspace = modes;
    far_o.near_nullspace = far_modes;
    check(gpu, a, &o, &far_o);
    fur_vectors_destroy(far_modes);
    fur_vectors_destroy(modes);
    fur_vectors_destroy(points);
    fur_csr_destroy(a);
    fur_context_destroy(gpu);
}
END_TEST

/* Random patterns with a strong diagonal have the bits of the CPU. Loops over the shapes. */
START_TEST(any_pattern_has_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(1900 + (uint64_t)_i);
    const fur_amg_options o = {.size = sizeof o, .coarsest = 3, .theta = 0.25};
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_csr *a = matrix_random(host, &r, &shapes[_i], (fur_value_type)value,
                                   (fur_offset_type)rng_below(&r, 2));
        const fur_csr_view *v = fur_csr_get(a);
        fur_amg *near = NULL;
        fur_amg *far = NULL;
        if (v->rows == v->cols && fur_amg_create(a, &o, &near) == FUR_OK) {
            fur_csr *far_a = to(a, gpu);
            ck_ok(gpu, fur_amg_create(far_a, &o, &far));
            ck_same_levels(far, near);
            ck_same_cycle(far, gpu, near, a);
            fur_amg_destroy(far);
            fur_csr_destroy(far_a);
        }
        fur_amg_destroy(near);
        fur_csr_destroy(a);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, grids_have_the_bits_of_the_cpu, 0, WAYS * FUR_VALUE_COUNT);
    tcase_add_test(tests, plates_have_the_bits_of_the_cpu);
    tcase_add_loop_test(tests, any_pattern_has_the_bits_of_the_cpu, 0, shape_count);
}

int main(void)
{
    return run_gpu_tests("cuda_amg", add_tests);
}
