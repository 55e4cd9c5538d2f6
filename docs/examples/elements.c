/* Finite elements: assembles a stiffness matrix from coordinates, and writes it to a file.
 *
 * The elements are linear triangles on the unit square, whose inner nodes have irregular positions.
 * Every triangle adds a 3 x 3 matrix to a coordinate list. fur_csr_from_coo sums entries at the
 * same position. Boundary nodes have given values and are not unknowns. Such elements reproduce a
 * linear function exactly (the patch test), which checks the solution.
 *
 *     cc elements.c $(pkg-config --cflags --libs furrow) -lm -o elements && ./elements K.mtx */
#include "example.h"

#include <math.h>

#define SIDE 40 /* squares along an edge; a square has two triangles */
#define NODES ((SIDE + 1) * (SIDE + 1))
#define UNKNOWNS ((SIDE - 1) * (SIDE - 1))
#define MAX_ENTRIES (9 * 2 * SIDE * SIDE)

static double x[NODES], y[NODES];
static int32_t unknown[NODES]; /* number of the unknown; -1 on the boundary */

/* The coordinate list, and the right-hand side from the boundary values. */
static int32_t row[MAX_ENTRIES], col[MAX_ENTRIES];
static double value[MAX_ENTRIES], right_side[UNKNOWNS];
static int64_t entries;

static double exact(int node)
{
    return 1 + 2 * x[node] + 3 * y[node];
}

static void make_mesh(void)
{
    int32_t unknowns = 0;
    for (int node = 0; node < NODES; node++) {
        int i = node % (SIDE + 1), j = node / (SIDE + 1);
        int inner = i > 0 && i < SIDE && j > 0 && j < SIDE;
        x[node] = (i + (inner ? 0.2 * sin(7 * node) : 0)) / SIDE;
        y[node] = (j + (inner ? 0.2 * cos(5 * node) : 0)) / SIDE;
        unknown[node] = inner ? unknowns++ : -1;
    }
}

/* Adds the stiffness of a triangle of nodes n: K(r, s) = (b_r b_s + c_r c_s) / (4 area). */
static void add_triangle(const int n[3])
{
    double b[3], c[3];
    for (int r = 0; r < 3; r++) {
        b[r] = y[n[(r + 1) % 3]] - y[n[(r + 2) % 3]];
        c[r] = x[n[(r + 2) % 3]] - x[n[(r + 1) % 3]];
    }
    double area = (b[0] * c[1] - b[1] * c[0]) / 2;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int32_t i = unknown[n[r]], j = unknown[n[s]];
            double k = (b[r] * b[s] + c[r] * c[s]) / (4 * area);
            if (i >= 0 && j >= 0)
                row[entries] = i, col[entries] = j, value[entries++] = k;
            else if (i >= 0)
                right_side[i] -= k * exact(n[s]);
        }
}

int main(int argc, char **argv)
{
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = UNKNOWNS,
                        .cols = UNKNOWNS,
                        .value_type = FUR_F64,
                        .row_indices = row,
                        .col_indices = col,
                        .values = value};
    fur_mtx_write_options options = {.size = sizeof options, .symmetry = FUR_MTX_SYMMETRIC};
    fur_csr *assembled, *matrix;
    fur_spmv *plan;
    fur_operator *a;
    fur_vector *b;
    double worst = 0;
    if (argc != 2)
        return fprintf(stderr, "usage: elements OUT.mtx\n"), 2;
    make_mesh();
    for (int corner = 0; corner < NODES - SIDE - 1; corner++)
        if (corner % (SIDE + 1) < SIDE) {
            add_triangle((int[3]){corner, corner + 1, corner + SIDE + 1});
            add_triangle((int[3]){corner + 1, corner + SIDE + 2, corner + SIDE + 1});
        }
    must(fur_context_create(NULL, &context));
    coo.entries = entries;
    must(fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &assembled));
    must(fur_mtx_write_csr(assembled, argv[1], &options));
    must(fur_mtx_read_csr(context, argv[1], NULL, &matrix)); /* solve with the file */
    must(fur_spmv_plan(matrix, NULL, &plan));
    must(fur_operator_from_spmv(plan, &a));
    must(fur_vector_wrap(context, FUR_F64, UNKNOWNS, right_side, FUR_OWNERSHIP_BORROW, &b));
    fur_vector *solution = conjugate_gradients(a, b, 1e-13);
    const double *u = fur_vector_const_data(solution);
    for (int node = 0; node < NODES; node++)
        if (unknown[node] >= 0)
            worst = fmax(worst, fabs(u[unknown[node]] - exact(node)));
    printf("%lld entries, off by at most %.1e: %s\n", (long long)fur_csr_get(matrix)->entries,
           worst, worst < 1e-10 ? "right" : "WRONG");

    fur_vector_destroy(solution), fur_vector_destroy(b), fur_operator_destroy(a);
    fur_spmv_destroy(plan), fur_csr_destroy(matrix), fur_csr_destroy(assembled);
    fur_context_destroy(context);
    return !(worst < 1e-10);
}
