/* Shared by the tests of stencils on the CPU and on a GPU. It draws random stencils on grids of
 * every boundary and the vectors of a product. It finds the entries that a row refers to. Its
 * comparisons name the stencil that failed. */
#ifndef FURROW_TESTS_STENCIL_TRIAL_H
#define FURROW_TESTS_STENCIL_TRIAL_H

#include "support.h"

#define MAX_POINTS 729 /* all offsets within FUR_STENCIL_RADIUS */
#define BOUNDARIES 27  /* combinations of boundaries on three axes */

/* Sets a combination of boundaries, which has a digit for each axis. */
void set_boundaries(fur_stencil_definition *d, int combination);

/* Draws different offsets within the radius in random order: `most` of them, or all if there are
 * fewer. Returns their number. */
int offsets_random(rng *r, int axes, int radius, int most, fur_stencil_offset *offsets);

/* A stencil and a product with it, on the host. Vectors end at unmapped pages. */
typedef struct stencil_trial {
    fur_stencil_definition d; /* with constants; fields are added in a context */
    fur_stencil_offset offsets[MAX_POINTS];
    fur_scalar coefficients[MAX_POINTS];
    bool fields; /* fields instead of constants */
    void *field_entries[MAX_POINTS];
    int64_t rows;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y; /* y before the product */
    void *expected;
} stencil_trial;

stencil_trial *trial_open(fur_value_type value, int boundaries);
void trial_close(stencil_trial *t);

/* Set the points in random order: those of a named stencil, or some within d.axes axes, with
 * constants in f64. */
void trial_take_named(stencil_trial *t, rng *r, int points);
void trial_draw_offsets(stencil_trial *t, rng *r, int points, int radius);
/* Sets the extents to those given, or draws them from `count` extents, with at most `most` rows. */
void trial_set_extents(stencil_trial *t, const int64_t extent[3]);
void trial_draw_extents(stencil_trial *t, rng *r, const int64_t *extents, int count, int64_t most);
/* Draw alpha, beta, x, y and the fields. If y is to be overwritten, it is NaN. */
void trial_draw_product(stencil_trial *t, rng *r);
void trial_draw_fields(stencil_trial *t, rng *r);
/* Puts infinity and NaN into x. They must reach the rows that refer to them, and no other rows. */
void trial_poison(stencil_trial *t, rng *r);

/* Allocates an entry for each point of the grid, up to an unmapped page: zeros, random, or copied.
 */
void *trial_zeros(const stencil_trial *t);
void *trial_random(const stencil_trial *t, rng *r);
void *trial_copy(const stencil_trial *t, const void *entries);
void trial_release(const stencil_trial *t, void *entries);

/* Returns the point at position i of an axis of n points, or -1 if there is none. */
int64_t point_of(fur_boundary boundary, int64_t n, int64_t i);
/* Returns the entry of x that offset k of row p refers to, or -1 if there is none. */
int64_t trial_neighbour(const stencil_trial *t, int64_t p, int k);
/* Returns the coefficient of offset k in row p, rounded to the value type. */
fur_scalar trial_coefficient(const stencil_trial *t, int64_t p, int k);
/* Returns whether beta is 0, so that the old entries of y are ignored. */
bool trial_overwrites(const stencil_trial *t);

/* Return a + b, and a b + c with one rounding for each product of parts. */
fur_scalar entry_add(fur_value_type value, fur_scalar a, fur_scalar b);
fur_scalar entry_fma(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c);

/* A stencil in a context, with vectors for its fields. */
typedef struct made {
    fur_stencil *s; /* NULL: the kernel refused the stencil */
    fur_vector *fields[MAX_POINTS];
} made;

made trial_make(const stencil_trial *t, fur_context *context, const char *kernel);
/* Makes a stencil as trial_make, but the named kernel may refuse it with FUR_UNSUPPORTED and a
 * message. At most one of the two names is neither NULL nor "single". */
made trial_try(const stencil_trial *t, fur_context *context, const char *kernel,
               const char *sweep_kernel);
void made_destroy(made *m);

/* Returns a vector of the entries: on the CPU it borrows them, on a GPU it copies them. */
fur_vector *trial_vector(const stencil_trial *t, fur_context *context, void *entries);
/* Returns alpha S x + beta y; trial_release frees it. */
void *trial_product(const stencil_trial *t, fur_context *context, const fur_stencil *s);

/* Checks that all entries, computed by a kernel of that name, have the expected bits. */
void trial_check(const stencil_trial *t, fur_context *context, const char *kernel,
                 const void *entries, const void *expected);
/* Checks that each part differs by at most relative (|alpha| |S| |x| + |beta| |y|) + absolute. */
void trial_check_near(const stencil_trial *t, fur_context *context, const char *kernel,
                      const void *entries, const void *expected, double relative, double absolute);

#endif
