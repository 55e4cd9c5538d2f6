#include "spd.h"

#include <math.h>
#include <string.h>

#define CORNERS 8

typedef enum field { CONSTANT, JUMPS, LOG_NORMAL, ANISOTROPIC, FIELDS } field;

/* A mesh of a box, its coefficients, and the entries that were added. */
typedef struct mesh {
    rng *r;
    int dimensions;
    bool simplices;
    int64_t extent[3]; /* points along each axis */
    field field;
    double contrast; /* largest ratio of coefficients */
    double stretch;  /* factor of the cells' length along the second axis */
    double jitter;   /* random shift of points, in cells */
    int inclusion;   /* side of the blocks with one coefficient, in cells */
    int32_t *number; /* row of each point, -1 on the boundary */
    double *points;
    int64_t rows;
    int64_t count;
    int32_t *i;
    int32_t *j;
    double *values;
} mesh;

/* The nodes of an element, and the gradients of its basis functions at a quadrature point. */
typedef struct element {
    int nodes;
    int64_t node[CORNERS];
    double gradient[CORNERS][3];
} element;

/* Returns a log-uniform number in [1, most]. */
static double log_uniform(rng *r, double most)
{
    return pow(most, (1 + rng_unit(r)) / 2);
}

static double normal(rng *r)
{
    double sum = 0;
    for (int k = 0; k < 12; k++)
        sum += rng_unit(r) / 2;
    return sum;
}

static void add(mesh *m, int64_t i, int64_t j, double value)
{
    m->i[m->count] = (int32_t)i;
    m->j[m->count] = (int32_t)j;
    m->values[m->count++] = value;
}

/* Maps gradients from the reference element by the inverse of the Jacobian. Returns the modulus of
 * its determinant. */
static double map_gradients(const mesh *m, element *e)
{
    double jacobian[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, m->dimensions == 2}};
    double inverse[3][3];
    double determinant = 0;
    for (int k = 0; k < e->nodes; k++)
        for (int a = 0; a < m->dimensions; a++)
            for (int b = 0; b < m->dimensions; b++)
                jacobian[a][b] += m->points[3 * e->node[k] + a] * e->gradient[k][b];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            inverse[b][a] =
                jacobian[(a + 1) % 3][(b + 1) % 3] * jacobian[(a + 2) % 3][(b + 2) % 3] -
                jacobian[(a + 1) % 3][(b + 2) % 3] * jacobian[(a + 2) % 3][(b + 1) % 3];
    for (int a = 0; a < 3; a++)
        determinant += jacobian[0][a] * inverse[a][0];
    for (int k = 0; k < e->nodes; k++) {
        double old[3] = {e->gradient[k][0], e->gradient[k][1], e->gradient[k][2]};
        for (int a = 0; a < 3; a++)
            e->gradient[k][a] =
                (old[0] * inverse[0][a] + old[1] * inverse[1][a] + old[2] * inverse[2][a]) /
                determinant;
    }
    return fabs(determinant);
}

/* Adds weight times grad u . D grad v. D is the identity plus `along` times the projection on the
 * direction. */
static void add_element(mesh *m, element *e, double weight, double along, const double *direction)
{
    weight *= map_gradients(m, e);
    for (int k = 0; k < e->nodes; k++)
        for (int l = 0; l < e->nodes; l++) {
            double plain = 0;
            double left = 0;
            double right = 0;
            for (int a = 0; a < m->dimensions; a++) {
                plain += e->gradient[k][a] * e->gradient[l][a];
                left += e->gradient[k][a] * direction[a];
                right += e->gradient[l][a] * direction[a];
            }
            int32_t i = m->number[e->node[k]];
            int32_t j = m->number[e->node[l]];
            if (i >= 0 && j >= 0)
                add(m, i, j, weight * (plain + along * left * right));
        }
}

/* Returns the corner of a cell. Bit k of `bits` is the offset on axis k. */
static int64_t corner(const mesh *m, const int64_t *at, int bits)
{
    return at[0] + (bits & 1) +
           m->extent[0] * (at[1] + (bits >> 1 & 1) + m->extent[1] * (at[2] + (bits >> 2 & 1)));
}

/* Adds a simplex of Kuhn's triangulation: from the first corner along the axes in the given
 * order. */
static void add_simplex(mesh *m, const int64_t *at, const int *axes, double weight, double along,
                        const double *direction)
{
    element e = {.nodes = m->dimensions + 1};
    int bits = 0;
    e.node[0] = corner(m, at, 0);
    for (int k = 0; k < m->dimensions; k++) {
        bits |= 1 << axes[k];
        e.node[k + 1] = corner(m, at, bits);
        e.gradient[k + 1][k] = 1;
        e.gradient[0][k] = -1;
    }
    add_element(m, &e, weight, along, direction);
}

static void add_simplices(mesh *m, const int64_t *at, double weight, double along,
                          const double *direction)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < (m->dimensions == 2 ? 2 : 6); k++)
        add_simplex(m, at, orders[k], weight, along, direction);
}

/* Adds a cell by Gauss's rule of two points along each axis. */
static void add_cell(mesh *m, const int64_t *at, double weight, double along,
                     const double *direction)
{
    int nodes = 1 << m->dimensions;
    for (int point = 0; point < nodes; point++) {
        element e = {.nodes = nodes};
        for (int k = 0; k < nodes; k++) {
            e.node[k] = corner(m, at, k);
            for (int a = 0; a < m->dimensions; a++) {
                double slope = k >> a & 1 ? 1 : -1;
                for (int b = 0; b < m->dimensions; b++) {
                    double t = 0.5 + ((point >> b & 1) - 0.5) / sqrt(3);
                    if (b != a)
                        slope *= k >> b & 1 ? t : 1 - t;
                }
                e.gradient[k][a] = slope;
            }
        }
        add_element(m, &e, weight, along, direction);
    }
}

/* Returns the coefficient of the block of cells that contains `at`. It depends on the block and the
 * salt only. */
static double jump(const mesh *m, const int64_t *at, uint64_t salt)
{
    uint64_t block = salt;
    for (int a = 0; a < 3; a++)
        block = block * 1000003 + (uint64_t)(at[a] / m->inclusion);
    rng own = {block};
    rng_bits(&own);
    return rng_bits(&own) % 3 == 0 ? m->contrast : 1;
}

static void add_cells(mesh *m, uint64_t salt)
{
    double direction[3] = {rng_unit(m->r), rng_unit(m->r), rng_unit(m->r)};
    int64_t cells[3];
    int64_t at[3];
    for (int a = 0; a < 3; a++)
        cells[a] = m->extent[a] > 1 ? m->extent[a] - 1 : 1;
    for (at[2] = 0; at[2] < cells[2]; at[2]++)
        for (at[1] = 0; at[1] < cells[1]; at[1]++)
            for (at[0] = 0; at[0] < cells[0]; at[0]++) {
                double weight = 1;
                if (m->field == JUMPS)
                    weight = jump(m, at, salt);
                if (m->field == LOG_NORMAL)
                    weight = exp(log(m->contrast) / 6 * normal(m->r));
                (m->simplices ? add_simplices : add_cell)(
                    m, at, weight, m->field == ANISOTROPIC ? m->contrast : 0, direction);
            }
}

/* Places the points and numbers the rows. Points on the first face have no row. If `closed`, no
 * point on the boundary has a row. */
static void place_points(mesh *m)
{
    int64_t all = m->extent[0] * m->extent[1] * m->extent[2];
    bool closed = rng_below(m->r, 2);
    m->number = malloc((size_t)all * sizeof *m->number);
    m->points = malloc((size_t)all * 3 * sizeof *m->points);
    for (int64_t p = 0; p < all; p++) {
        int64_t at[3] = {p % m->extent[0], p / m->extent[0] % m->extent[1],
                         p / m->extent[0] / m->extent[1]};
        bool fixed = at[0] == 0;
        for (int a = 0; a < m->dimensions; a++) {
            double shift = m->jitter * rng_unit(m->r);
            m->points[3 * p + a] = ((double)at[a] + shift) * (a == 1 ? m->stretch : 1);
            fixed |= closed && (at[a] == 0 || at[a] + 1 == m->extent[a]);
        }
        m->number[p] = fixed ? -1 : (int32_t)m->rows++;
    }
}

static void take_room(mesh *m, int64_t entries)
{
    m->i = malloc((size_t)entries * sizeof *m->i);
    m->j = malloc((size_t)entries * sizeof *m->j);
    m->values = malloc((size_t)entries * sizeof *m->values);
}

static void choose_field(mesh *m)
{
    m->field = (field)rng_below(m->r, FIELDS);
    m->contrast = m->field == CONSTANT ? 1 : log_uniform(m->r, m->field == ANISOTROPIC ? 1e4 : 1e8);
    m->inclusion = 1 + (int)rng_below(m->r, 4);
    m->stretch = rng_below(m->r, 3) ? 1 : log_uniform(m->r, 100);
    m->jitter = rng_below(m->r, 2) ? 0.2 : 0;
}

static void make_mesh(mesh *m, int64_t rows, char *name)
{
    static const char *const fields[] = {"constant", "jumps", "log-normal", "anisotropic"};
    int64_t side = llround(pow((double)rows, 1.0 / m->dimensions));
    choose_field(m);
    for (int a = 0; a < 3; a++)
        m->extent[a] = a < m->dimensions ? side + 1 + rng_below(m->r, 4) : 1;
    place_points(m);
    take_room(m, m->extent[0] * m->extent[1] * m->extent[2] * (m->dimensions == 2 ? 64 : 512));
    add_cells(m, rng_bits(m->r));
    free(m->number), free(m->points);
    (void)snprintf(name, 128, "%s in %dD, %s, contrast %.1e, stretched by %.3g%s",
                   m->simplices ? "P1" : "Q1", m->dimensions, fields[m->field], m->contrast,
                   m->stretch, m->jitter > 0 ? ", points moved" : "");
}

/* Adds an edge of a graph. If i = j, adds the weight to the diagonal only (grounds the node). */
static void add_edge(mesh *m, int64_t i, int64_t j, double weight)
{
    add(m, i, i, weight);
    if (i == j)
        return;
    add(m, j, j, weight);
    add(m, i, j, -weight);
    add(m, j, i, -weight);
}

/* Makes the Laplacian of a random tree with additional edges. If `near` is small, edges connect
 * close numbers. */
static void make_graph(mesh *m, int64_t rows, char *name)
{
    int64_t near = rng_below(m->r, 2) ? 3 + rng_below(m->r, 30) : rows;
    m->contrast = log_uniform(m->r, 1e8);
    m->rows = rows;
    take_room(m, 20 * rows);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = rng_below(m->r, 4); i > 0 && k >= 0; k--) {
            int64_t back = 1 + rng_below(m->r, i < near ? i : near);
            add_edge(m, i, i - back, log_uniform(m->r, m->contrast));
        }
        if (i == 0 || rng_below(m->r, 100) == 0)
            add_edge(m, i, i, log_uniform(m->r, m->contrast));
    }
    (void)snprintf(name, 128, "graph, edges over %lld numbers, weights to %.1e", (long long)near,
                   m->contrast);
}

/* Replaces A by S A S for a random diagonal S. */
static void scale(mesh *m, double most)
{
    double *s = malloc((size_t)m->rows * sizeof *s);
    for (int64_t i = 0; i < m->rows; i++)
        s[i] = log_uniform(m->r, most);
    for (int64_t k = 0; k < m->count; k++)
        m->values[k] *= s[m->i[k]] * s[m->j[k]];
    free(s);
}

fur_status spd_make(fur_context *context, rng *r, int64_t rows, char name[128], fur_csr **out)
{
    mesh m = {.r = r};
    int kind = (int)rng_below(r, SPD_KINDS);
    m.dimensions = kind % 2 ? 3 : 2;
    m.simplices = kind / 2 == 0;
    if (kind == SPD_KINDS - 1)
        make_graph(&m, rows, name);
    else
        make_mesh(&m, rows, name);
    if (rng_below(r, 4) == 0) {
        scale(&m, 1e4);
        strcat(name, ", scaled");
    }
    fur_coo_view coo = {sizeof coo, m.rows, m.rows, m.count, FUR_F64, m.i, m.j, m.values};
    fur_status status = fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, out);
    free(m.i), free(m.j), free(m.values);
    return status;
}
