/* Shared by the tests of stencils on the CPU and on a GPU. It draws random stencils on grids of
 * every boundary and the vectors of a product. It finds the entries that a row refers to. Its
 * comparisons name the stencil that failed. */
#ifndef FURROW_TESTS_STENCIL_TRIAL_H
#define FURROW_TESTS_STENCIL_TRIAL_H

#include "support.h"

#define MAX_POINTS 729 /* all within FUR_STENCIL_RADIUS */
#define BOUNDARIES 27  /* combinations, on three axes */

/* A combination of boundaries: a digit an axis. */
void set_boundaries(fur_stencil_definition *d, int combination);

/* Offsets within the radius, each once, in random order: `most` of them, or all that there are. How
 * many they are. */
int offsets_random(rng *r, int axes, int radius, int most, fur_stencil_offset *offsets);

/* A stencil and a product by it, on the host. Vectors end at unmapped pages. */
typedef struct stencil_trial {
    fur_stencil_definition d; /* of the constants; fields join it in a context */
    fur_stencil_offset offsets[MAX_POINTS];
    fur_scalar coefficients[MAX_POINTS];
    bool fields; /* in place of constants */
    void *field_entries[MAX_POINTS];
    int64_t rows;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y; /* before */
    void *expected;
} stencil_trial;

stencil_trial *trial_open(fur_value_type value, int boundaries);
void trial_close(stencil_trial *t);

/* Points in random order: a named stencil's; some of d.axes axes, with constants in f64. */
void trial_take_named(stencil_trial *t, rng *r, int points);
void trial_draw_offsets(stencil_trial *t, rng *r, int points, int radius);
/* Sets the extents: to those given, or to a draw from `count` extents, with at most `most` rows. */
void trial_set_extents(stencil_trial *t, const int64_t extent[3]);
void trial_draw_extents(stencil_trial *t, rng *r, const int64_t *extents, int count, int64_t most);
/* alpha, beta, x, y and the fields; y is NaN where it is to be overwritten. */
void trial_draw_product(stencil_trial *t, rng *r);
void trial_draw_fields(stencil_trial *t, rng *r);
/* Infinity and NaN in x, which must reach the rows that refer to them, and no others. */
void trial_poison(stencil_trial *t, rng *r);

/* Allocates an entry for each point of the grid, up to an unmapped page: zeros, random, copied. */
void *trial_zeros(const stencil_trial *t);
void *trial_random(const stencil_trial *t, rng *r);
void *trial_copy(const stencil_trial *t, const void *entries);
void trial_release(const stencil_trial *t, void *entries);

/* Returns the point at position i of an axis of n points, or -1 if there is none. */
int64_t point_of(fur_boundary boundary, int64_t n, int64_t i);
/* The entry of x that offset k of row p refers to; -1: none. */
int64_t trial_neighbour(const stencil_trial *t, int64_t p, int k);
/* The coefficient of offset k in row p, rounded. */
fur_scalar trial_coefficient(const stencil_trial *t, int64_t p, int k);
/* beta = 0: the old entries of y do not matter. */
bool trial_overwrites(const stencil_trial *t);

/* a + b, and a b + c with one rounding for each product of parts. */
fur_scalar entry_add(fur_value_type value, fur_scalar a, fur_scalar b);
fur_scalar entry_fma(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c);

/* A stencil in a context, with vectors for its fields. */
typedef struct made {
    fur_stencil *s; /* NULL: refused */
    fur_vector *fields[MAX_POINTS];
} made;

made trial_make(const stencil_trial *t, fur_context *context, const char *kernel);
/* The kernels named, at most one of them not NULL or "single", may also refuse the stencil, with
 * FUR_UNSUPPORTED and a sentence that says so. */
made trial_try(const stencil_trial *t, fur_context *context, const char *kernel,
               const char *sweep_kernel);
void made_destroy(made *m);

/* The entries on the CPU, borrowed where they are; on a GPU a copy. */
fur_vector *trial_vector(const stencil_trial *t, fur_context *context, void *entries);
/* alpha S x + beta y, to be given to trial_release. */
void *trial_product(const stencil_trial *t, fur_context *context, const fur_stencil *s);

/* All entries, found by a kernel of that name, have the bits expected. */
void trial_check(const stencil_trial *t, fur_context *context, const char *kernel,
                 const void *entries, const void *expected);
/* Each part is as near as relative (|alpha| |S| |x| + |beta| |y|) + absolute. */
void trial_check_near(const stencil_trial *t, fur_context *context, const char *kernel,
                      const void *entries, const void *expected, double relative, double absolute);

#endif
