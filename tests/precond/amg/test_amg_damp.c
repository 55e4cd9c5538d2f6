/* The smoother is a contraction on every level: c E - A is positive definite, where E^-1 is the
 * scaling of the level. The modulus of the smoother's polynomial is below 1 between 0 and c. */
#include "spd.h"

#include "hierarchy.h"

#include <math.h>
#include <string.h>

#define PROBLEMS 240

/* Returns true if a dense symmetric matrix has Cholesky factors. Overwrites it. */
static bool is_definite(double *m, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (!(m[k * n + k] > 0))
            return false;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = m[i * n + k] / m[k * n + k];
            for (int64_t j = k + 1; factor != 0 && j <= i; j++)
                m[i * n + j] -= factor * m[j * n + k];
        }
    }
    return true;
}

/* Returns the dense matrix E^-1/2 (c E - A) E^-1/2. */
static double *shifted(const fur_amg_rung *rung)
{
    const fur_csr_view *a = fur_csr_get(rung->level.a);
    const int64_t *wide = a->offsets;
    const int32_t *narrow = a->offsets;
    const double *values = a->values;
    const double *scaling = fur_vector_const_data(rung->scaling);
    int64_t n = a->rows;
    double *m = calloc((size_t)(n * n), sizeof *m);
    for (int64_t i = 0; i < n; i++) {
        int64_t end = a->offset_type == FUR_I64 ? wide[i + 1] : narrow[i + 1];
        m[i * n + i] = 1.1 * rung->level.largest;
        for (int64_t k = a->offset_type == FUR_I64 ? wide[i] : narrow[i]; k < end; k++)
            m[i * n + a->columns[k]] -= values[k] * sqrt(scaling[i] * scaling[a->columns[k]]);
    }
    return m;
}

START_TEST(contracts)
{
    fur_context *context = context_make(NULL, 1);
    fur_amg_options options = {.size = sizeof options, .coarsest = 20};
    rng r = rng_stream((uint64_t)_i);
    char name[128];
    fur_csr *a;
    fur_amg *amg;
    ck_ok(context, spd_make(context, &r, 400, name, &a));
    ck_ok(context, fur_amg_create(a, &options, &amg));
    for (int i = 0; i < amg->levels; i++) {
        double *m = shifted(&amg->rung[i]);
        ck_assert_msg(is_definite(m, fur_csr_get(amg->rung[i].level.a)->rows), "%s, level %d", name,
                      i);
        free(m);
    }
    fur_amg_destroy(amg);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_turns(tests, contracts, PROBLEMS, 16);
}

int main(void)
{
    return run_tests("amg_damp", add);
}
