/* Finite elements: assembly of a stiffness matrix from coordinates, and the matrix as a file.
 *
 * Linear triangles on the unit square, whose inner nodes are moved at random. Every triangle adds a
 * 3 x 3 matrix to a coordinate list, in which positions occur several times; fur_csr_from_coo adds
 * them up. Boundary nodes have given values and are no unknowns. Such elements reproduce a linear
 * function exactly (the patch test), by which the solution is checked.
 *
 *     cc elements.c $(pkg-config --cflags --libs furrow) -lm -o elements && ./elements K.mtx */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 40 /* squares along an edge, each of two triangles */
#define NODES ((SIDE + 1) * (SIDE + 1))
#define UNKNOWNS ((SIDE - 1) * (SIDE - 1))
#define MOST_ENTRIES (9 * 2 * SIDE * SIDE)

typedef struct mesh {
    double x[NODES], y[NODES];
    int32_t unknown[NODES]; /* its number, -1 for a node of the boundary */
} mesh;

/* Coordinate list of the matrix, and the right-hand side that the boundary values give. */
typedef struct assembly {
    int64_t count;
    int32_t row[MOST_ENTRIES], col[MOST_ENTRIES];
    double value[MOST_ENTRIES];
    double right[UNKNOWNS];
} assembly;

static double exact(double x, double y)
{
    return 1 + 2 * x + 3 * y;
}

/* Uniform in [-0.5, 0.5), the same on every machine. */
static double jitter(uint32_t *state)
{
    *state = 1664525 * *state + 1013904223;
    return *state / 4294967296.0 - 0.5;
}

static void make_mesh(mesh *m)
{
    uint32_t state = 1;
    int32_t unknowns = 0;
    for (int j = 0, node = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++, node++) {
            int inner = i > 0 && i < SIDE && j > 0 && j < SIDE;
            m->x[node] = (i + (inner ? 0.4 * jitter(&state) : 0)) / SIDE;
            m->y[node] = (j + (inner ? 0.4 * jitter(&state) : 0)) / SIDE;
            m->unknown[node] = inner ? unknowns++ : -1;
        }
}

/* Adds the stiffness of one triangle: K(a, b) = (b_a b_b + c_a c_b) / (4 area). */
static void add_triangle(const mesh *m, const int node[3], assembly *k)
{
    double b[3], c[3];
    for (int a = 0; a < 3; a++) {
        int next = node[(a + 1) % 3], last = node[(a + 2) % 3];
        b[a] = m->y[next] - m->y[last];
        c[a] = m->x[last] - m->x[next];
    }
    double area = (b[0] * c[1] - b[1] * c[0]) / 2;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int32_t row = m->unknown[node[r]], col = m->unknown[node[s]];
            double value = (b[r] * b[s] + c[r] * c[s]) / (4 * area);
            if (row < 0)
                continue;
            if (col < 0) {
                k->right[row] -= value * exact(m->x[node[s]], m->y[node[s]]);
                continue;
            }
            k->row[k->count] = row;
            k->col[k->count] = col;
            k->value[k->count++] = value;
        }
}

static void add_all(const mesh *m, assembly *k)
{
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            int corner = j * (SIDE + 1) + i;
            add_triangle(m, (int[3]){corner, corner + 1, corner + SIDE + 1}, k);
            add_triangle(m, (int[3]){corner + 1, corner + SIDE + 2, corner + SIDE + 1}, k);
        }
}

/* The matrix, written to path as symmetric and read again: it must come back to the bit. */
static int make_matrix(fur_context *context, const assembly *k, const char *path, fur_csr **out)
{
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = UNKNOWNS,
                        .cols = UNKNOWNS,
                        .entries = k->count,
                        .value_type = FUR_F64,
                        .row_indices = k->row,
                        .col_indices = k->col,
                        .values = k->value};
    fur_mtx_write_options options = {.size = sizeof options,
                                     .symmetry = FUR_MTX_SYMMETRIC,
                                     .comment = "linear triangles on the unit square"};
    fur_csr *back = NULL;
    int equal = 0;
    int failed = fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, out) ||
                 fur_mtx_write_csr(*out, path, &options) ||
                 fur_mtx_read_csr(context, path, NULL, &back) ||
                 fur_csr_compare(*out, back, &equal);
    fur_csr_destroy(back);
    if (!failed && !equal)
        failed = (int)fur_context_fail(context, FUR_INVALID, "%s is not what was written", path);
    return failed;
}

static int solve(fur_context *context, const fur_csr *a, double *right, double *x)
{
    fur_spmv *plan = NULL;
    fur_operator *op = NULL, *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_vector *b = NULL, *solution = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    int failed = fur_spmv_plan(a, NULL, &plan) || fur_operator_from_spmv(plan, &op) ||
                 fur_operator_jacobi(op, &jacobi);
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi, .rtol = 1e-13};
    failed = failed || fur_solver_create(op, &options, &solver) ||
             fur_vector_wrap(context, FUR_F64, UNKNOWNS, right, FUR_OWNERSHIP_BORROW, &b) ||
             fur_vector_wrap(context, FUR_F64, UNKNOWNS, x, FUR_OWNERSHIP_BORROW, &solution) ||
             fur_solver_solve(solver, b, solution, &report);
    if (!failed)
        printf("%lld entries, %s in %lld iterations\n", (long long)fur_csr_get(a)->entries,
               fur_outcome_name(report.outcome), (long long)report.iterations);
    fur_vector_destroy(solution), fur_vector_destroy(b), fur_solver_destroy(solver);
    fur_operator_destroy(jacobi), fur_operator_destroy(op), fur_spmv_destroy(plan);
    return failed;
}

/* Whether x is the exact function at all inner nodes. */
static int check(const mesh *m, const double *x)
{
    double worst = 0;
    for (int node = 0; node < NODES; node++)
        if (m->unknown[node] >= 0)
            worst = fmax(worst, fabs(x[m->unknown[node]] - exact(m->x[node], m->y[node])));
    printf("off by at most %.1e: %s\n", worst, worst < 1e-10 ? "right" : "WRONG");
    return !(worst < 1e-10);
}

int main(int argc, char **argv)
{
    fur_context *context = NULL;
    fur_csr *matrix = NULL;
    mesh *m = calloc(1, sizeof *m);
    assembly *k = calloc(1, sizeof *k);
    double *x = calloc(UNKNOWNS, sizeof *x);
    if (argc != 2 || !m || !k || !x) {
        fprintf(stderr, argc != 2 ? "usage: elements OUT.mtx\n" : "out of memory\n");
        free(x), free(k), free(m);
        return 2;
    }
    make_mesh(m);
    add_all(m, k);
    int failed = fur_context_create(NULL, &context) || make_matrix(context, k, argv[1], &matrix) ||
                 solve(context, matrix, k->right, x);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else
        failed = check(m, x);
    fur_csr_destroy(matrix), fur_context_destroy(context);
    free(x), free(k), free(m);
    return failed;
}
