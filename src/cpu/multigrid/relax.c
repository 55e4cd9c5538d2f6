/* Red-black Gauss-Seidel with overrelaxation. All neighbours of a point have the other colour. The
 * result therefore does not depend on the order within a colour or on the number of threads.
 *
 * Both colours are done in one pass. The second colour follows the first at a distance of one
 * plane, in the cache. Each thread has consecutive planes. At their boundary the second colour
 * needs the first colour of the neighbouring thread's plane. The first and the last plane of each
 * thread therefore get the first colour before all others.
 *
 * Bytes a point: three entries, for b and for x, read and written. */
#ifndef FUR_TEMPLATE
#    include "relax.h"
#    include "scalar.h"
#    include "split.h"
#    include "team.h"

#    define POINT_GRAIN 16384

typedef struct sweep {
    const fur_grid *g;
    fur_colour first;
    const void *b;
    void *x;
} sweep;

#    define FUR_TEMPLATE "multigrid/relax.c"
#    include "foreach_value.h"

/* A step of a sweep over planes that are divided into parts. */
typedef void relax_planes(const sweep *s, int64_t begin, int64_t end);
typedef struct step {
    const sweep *sweep;
    int parts;
    relax_planes *relax;
} step;

static void relax_parts(void *job, int64_t begin, int64_t end)
{
    const step *s = job;
    int64_t planes = s->sweep->g->axis[2].points;
    for (int64_t part = begin; part < end; part++)
        s->relax(s->sweep, fur_split(planes, s->parts, (int)part),
                 fur_split(planes, s->parts, (int)part + 1));
}

/* Each thread has one part, because the planes at the ends of a part are fetched twice. */
static void run_sweep(const fur_env *env, const sweep *s)
{
    static relax_planes *const ends[] = {relax_ends_f32, relax_ends_f64};
    static relax_planes *const rest[] = {relax_rest_f32, relax_rest_f64};
    int64_t most = fur_smaller(s->g->axis[2].points, fur_grid_points(s->g) / POINT_GRAIN);
    int parts = fur_lanes(env->threads, most);
    fur_parallel(env, parts, parts, relax_parts, &(step){s, parts, ends[s->g->value_type]});
    fur_parallel(env, parts, parts, relax_parts, &(step){s, parts, rest[s->g->value_type]});
}

/* Relaxes in place, so that `spare` is not used. */
fur_status ISA(multigrid_relax)(fur_env *env, const fur_grid *g, fur_colour first, int sweeps,
                                const void *b, void *x, void *spare)
{
    (void)spare;
    const sweep s = {g, first, b, x};
    for (int i = 0; i < sweeps; i++)
        run_sweep(env, &s);
    return FUR_OK;
}
#elif !COMPLEX
#    include "line.h"

/* The points of one colour in line (j, k). */
static void FN(relax_line)(const sweep *s, fur_colour colour, int64_t j, int64_t k)
{
    const FN(line) line = FN(line_at)(s->g, j, k, s->b, s->x);
    const FN(line) *l = &line;
    int64_t parity = (j + k + (int64_t)colour) % 2;
    int64_t last = l->points - 1;
    VALUE omega = (VALUE)s->g->omega;
    VALUE *x = (VALUE *)s->x + FN(line_start)(s->g, j, k);
    if (parity == 0)
        x[0] = V(fma)(omega, FN(residual_at)(l, 0) / FN(diagonal_at)(l, 0), x[0]);
#    pragma omp simd
    for (int64_t i = 2 - parity; i < last; i += 2)
        x[i] =
            V(fma)(omega, FN(residual_between)(l, i, i - 1, i + 1) / FN(diagonal_at)(l, i), x[i]);
    if (last > 0 && last % 2 == parity)
        x[last] = V(fma)(omega, FN(residual_at)(l, last) / FN(diagonal_at)(l, last), x[last]);
}

static void FN(relax_plane)(const sweep *s, fur_colour colour, int64_t k)
{
    for (int64_t j = 0; j < s->g->axis[1].points; j++)
        FN(relax_line)(s, colour, j, k);
}

/* The first colour in the first and the last of the planes begin <= k < end. */
static void FN(relax_ends)(const sweep *s, int64_t begin, int64_t end)
{
    FN(relax_plane)(s, s->first, begin);
    if (end - 1 > begin)
        FN(relax_plane)(s, s->first, end - 1);
}

/* The first colour in the planes between the ends, and the second colour in all planes. */
static void FN(relax_rest)(const sweep *s, int64_t begin, int64_t end)
{
    fur_colour second = s->first == FUR_RED ? FUR_BLACK : FUR_RED;
    for (int64_t k = begin + 1; k < end - 1; k++)
        for (int64_t j = 0; j < s->g->axis[1].points; j++) {
            FN(relax_line)(s, s->first, j, k);
            FN(relax_line)(s, second, j, k - 1);
        }
    for (int64_t k = end - 2 > begin ? end - 2 : begin; k < end; k++)
        FN(relax_plane)(s, second, k);
}
#endif
