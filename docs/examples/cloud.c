/* Interpolates on a cloud of points: values are known at some points and wanted at all points. The
 * graph of the nearest neighbours has the Laplacian L = D - W. Conjugate gradients solve L x = 0
 * with the known values. The points lie on a spiral, with 0 and 1 known at its ends. So x is the
 * position of a point along the spiral, although only distances are used.
 *
 *     cc cloud.c $(pkg-config --cflags --libs furrow) -lm -o cloud && ./cloud cloud.svg */
#include "example.h"

#include <math.h>

#define POINTS 1000
#define NEIGHBOURS 8
#define WIDTH 0.05 /* weights are exp(-(distance / WIDTH)^2) */
#define TURNS 2
#define ENDS 0.02 /* known part at either end of the spiral */

static const double pi = 3.14159265358979;

/* Position of point i along the spiral, from 0 to 1. Not sorted by i. */
static double along(int64_t i)
{
    return fmod((double)i * 0.6180339887498949, 1);
}

static void make_points(double (*points)[2])
{
    for (int64_t i = 0; i < POINTS; i++) {
        double radius = sqrt(0.04 + 0.96 * along(i)), angle = 2 * pi * TURNS * (radius - 0.2) / 0.8;
        radius += 0.2 * (fmod((double)(i * i) * 0.7548776662466927, 1) - 0.5);
        points[i][0] = radius * cos(angle);
        points[i][1] = radius * sin(angle);
    }
}

/* Returns L = D - W for W = (G + G^T) / 2, with weights in place of G's squared distances. */
static fur_csr *make_laplacian(fur_csr *g)
{
    fur_csr *transposed, *w, *d, *l;
    fur_spmv *plan;
    double *weights = malloc((size_t)fur_csr_get(g)->entries * sizeof *weights);
    const double *squares = fur_csr_get(g)->values;
    for (int64_t k = 0; k < fur_csr_get(g)->entries; k++)
        weights[k] = exp(-squares[k] / (WIDTH * WIDTH));
    must(fur_csr_set_values(g, weights, FUR_OWNERSHIP_COPY));
    must(fur_csr_transpose(g, 0, &transposed));
    must(fur_csr_add(g, fur_real(0.5), transposed, fur_real(0.5), &w));
    must(fur_spmv_plan(w, NULL, &plan));
    fur_vector *ones = new_vector(POINTS, 1), *sums = new_vector(POINTS, 0);
    must(fur_spmv_apply(plan, fur_real(1), ones, fur_real(0), sums));
    must(fur_csr_from_diagonal(sums, &d));
    must(fur_csr_add(d, fur_real(1), w, fur_real(-1), &l));
    fur_vector_destroy(sums), fur_vector_destroy(ones), fur_spmv_destroy(plan);
    fur_csr_destroy(d), fur_csr_destroy(w), fur_csr_destroy(transposed), free(weights);
    return l;
}

/* Draws the graph, with points coloured by x. */
static void draw(const char *path, const fur_csr_view *g, double (*points)[2], const double *x)
{
    FILE *file = fopen(path, "w");
    if (!file)
        must(fur_context_fail(context, FUR_IO_ERROR, "%s: cannot be written", path));
    fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-480 -530 1050 960'>\n"
                  "<rect x='-480' y='-530' width='1050' height='960' fill='#fff'/>\n"
                  "<path stroke='#777' fill='none' d='");
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t k = i * NEIGHBOURS; k < (i + 1) * NEIGHBOURS; k++)
            fprintf(file, "M%.0f %.0fl%.0f %.0f", 500 * points[i][0], 500 * points[i][1],
                    500 * (points[g->columns[k]][0] - points[i][0]),
                    500 * (points[g->columns[k]][1] - points[i][1]));
    fprintf(file, "'/>\n");
    for (int64_t i = 0; i < g->rows; i++)
        fprintf(file, "<circle cx='%.0f' cy='%.0f' r='6' fill='hsl(%.0f,85%%,45%%)'/>\n",
                500 * points[i][0], 500 * points[i][1], 270 * x[i]);
    fprintf(file, "</svg>\n");
    fclose(file);
}

int main(int argc, char **argv)
{
    const fur_neighbours_options squared = {.size = sizeof squared, .squared = 1};
    static double points[POINTS][2];
    int32_t known[POINTS];
    int64_t count = 0;
    double worst = 0;
    fur_vectors *cloud;
    fur_csr *g;
    fur_classes *parts;
    fur_spmv *plan;
    fur_operator *op;
    must(fur_context_create(NULL, &context));
    make_points(points);
    const fur_vectors_view array = {
        .size = sizeof array, .rows = POINTS, .cols = 2, .value_type = FUR_F64, .data = points};
    must(fur_vectors_wrap(context, &array, FUR_OWNERSHIP_BORROW, &cloud));
    must(fur_neighbours(cloud, NEIGHBOURS, &squared, NULL, &g));
    must(fur_classes_from_components(g, &parts)); /* x is unique if there is one component */
    fur_csr *l = make_laplacian(g);

    fur_vector *values = new_vector(POINTS, 0), *b = new_vector(POINTS, 0);
    for (int32_t i = 0; i < POINTS; i++)
        if (along(i) < ENDS || along(i) > 1 - ENDS) {
            ((double *)fur_vector_data(values))[i] = along(i) > 0.5;
            known[count++] = i;
        }
    must(fur_csr_eliminate(l, count, known, fur_real(1), values, b));
    must(fur_spmv_plan(l, NULL, &plan));
    must(fur_operator_from_spmv(plan, &op));
    fur_vector *x = conjugate_gradients(op, b, 1e-10);
    const double *entries = fur_vector_const_data(x);
    for (int64_t i = 0; i < POINTS; i++)
        worst = fmax(worst, fabs(entries[i] - along(i)));
    int right = worst < 0.05 && fur_classes_get(parts)->count == 1;
    printf("%d points in %lld part, %lld known; off by at most %.3f of the spiral: %s\n", POINTS,
           (long long)fur_classes_get(parts)->count, (long long)count, worst,
           right ? "right" : "WRONG");
    if (argc > 1)
        draw(argv[1], fur_csr_get(g), points, entries);
    fur_vector_destroy(x), fur_vector_destroy(b), fur_vector_destroy(values);
    fur_operator_destroy(op), fur_spmv_destroy(plan), fur_csr_destroy(l);
    fur_classes_destroy(parts), fur_csr_destroy(g), fur_vectors_destroy(cloud);
    fur_context_destroy(context);
    return !right;
}
