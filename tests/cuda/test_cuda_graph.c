/* Colours of rows on a GPU equal the CPU's, for patterns of all kinds: two colours, more colours
 * than a word has bits, symmetric or not, with and without rows. */
#include "cuda_support.h"

#include <furrow/graph.h>

#include <string.h>

#define SIDE (test_small() ? 6 : 23)

/* Returns a band matrix with up to `width` entries on each side of the diagonal. Each entry is kept
 * with a probability of `keep` percent. If not `symmetric`, its mirror image may be missing. */
static fur_csr *band(fur_context *context, rng *r, int64_t n, int64_t width, unsigned keep,
                     bool symmetric)
{
    int64_t most = n * (2 * width + 1);
    int32_t *row = malloc((size_t)(most + 1) * sizeof *row);
    int32_t *col = malloc((size_t)(most + 1) * sizeof *col);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i > width ? i - width : 0; j <= i; j++) {
            if (i != j && rng_below(r, 100) >= keep)
                continue;
            row[count] = (int32_t)i;
            col[count++] = (int32_t)j;
            if (i == j || (!symmetric && rng_below(r, 2) == 0))
                continue;
            row[count] = (int32_t)j;
            col[count++] = (int32_t)i;
        }
    void *values = entries_random(r, FUR_F64, count);
    fur_coo_view coo = {sizeof coo, n, n, count, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* Returns the order by classes, copied to the host. */
static fur_permutation *order_of(const fur_classes *c, fur_context *host)
{
    fur_permutation *made;
    fur_permutation *moved;
    ck_ok(host, fur_classes_order(c, &made));
    ck_ok(host, fur_permutation_transfer(made, host, &moved));
    fur_permutation_destroy(made);
    return moved;
}

static void ck_same_classes(const fur_classes *far, const fur_classes *near, fur_context *host,
                            int64_t rows)
{
    int64_t count = fur_classes_get(near)->count;
    ck_assert_int_eq(fur_classes_get(far)->count, count);
    ck_assert(memcmp(fur_classes_get(far)->begin, fur_classes_get(near)->begin,
                     (size_t)(count + 1) * sizeof(int64_t)) == 0);
    if (rows == 0)
        return;
    size_t bytes = (size_t)rows * sizeof(int32_t);
    fur_permutation *one = order_of(far, host);
    fur_permutation *other = order_of(near, host);
    ck_assert(memcmp(fur_classes_get(far)->of_rows, fur_classes_get(near)->of_rows, bytes) == 0);
    ck_assert(memcmp(fur_permutation_order(one), fur_permutation_order(other), bytes) == 0);
    ck_assert(memcmp(fur_permutation_position(one), fur_permutation_position(other), bytes) == 0);
    fur_permutation_destroy(other);
    fur_permutation_destroy(one);
}

/* Compares the colours of both devices for all orders and distances. */
static void check(fur_context *gpu, const fur_csr *a)
{
    fur_context *host = fur_csr_context(a);
    fur_csr *there;
    ck_ok(host, fur_csr_transfer(a, gpu, &there));
    for (int order = FUR_COLOUR_ORDER_AUTO; order <= FUR_COLOUR_ORDER_HASHED; order++) {
        const fur_colour_options o = {.size = sizeof o,
                                      .order = (fur_colour_order)order,
                                      .distance = order == FUR_COLOUR_ORDER_HASHED ? 2 : 1};
        fur_classes *near;
        fur_classes *far;
        ck_ok(host, fur_classes_from_colours(a, &o, &near));
        ck_ok(gpu, fur_classes_from_colours(there, &o, &far));
        ck_same_classes(far, near, host, fur_csr_get(a)->rows);
        fur_classes_destroy(far);
        fur_classes_destroy(near);
    }
    fur_csr_destroy(there);
}

START_TEST(bands_have_the_colours_of_the_cpu)
{
    static const int64_t rows[] = {0, 1, 2, 33, 300, 5000};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(2600);
    for (int k = 0; k < 6; k++)
        for (int symmetric = 0; symmetric < 2; symmetric++)
            for (int wide = 0; wide < 2; wide++) {
                fur_csr *a = band(fur_context_host(gpu), &r, rows[k], wide ? 80 : 3,
                                  50 + 49 * (unsigned)wide, symmetric);
                check(gpu, a);
                fur_csr_destroy(a);
            }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(grids_have_the_colours_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    static const int points[] = {5, 9, 13, 27};
    for (int k = 0; k < 4; k++) {
        fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
        ck_assert(fur_stencil_named(points[k], &d));
        for (int axis = 0; axis < d.axes; axis++)
            d.extent[axis] = SIDE + axis;
        fur_stencil *s;
        fur_csr *a;
        ck_ok(host, fur_stencil_create(host, &d, &s));
        ck_ok(host, fur_stencil_assemble(s, &a));
        check(gpu, a);
        fur_csr_destroy(a);
        fur_stencil_destroy(s);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, bands_have_the_colours_of_the_cpu);
    tcase_add_test(tests, grids_have_the_colours_of_the_cpu);
}

int main(void)
{
    return run_gpu_tests("cuda_graph", add_tests);
}
