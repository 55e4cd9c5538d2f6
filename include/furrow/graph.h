/* Colours, levels, components and matchings of a square matrix's pattern, and nearest neighbours.
 *
 *     fur_classes_from_colours(a, NULL, &colours);
 *     fur_classes_order(colours, &p);
 *     fur_csr_permute(a, p, p, &b);                      the rows of one colour stand together
 *
 * They tell which rows can be worked on at once, which rows belong together, and which entries can
 * be on the diagonal. The graph of a matrix has a vertex for each row, and an edge between i and j
 * != i if A(i, j) or A(j, i) is stored. All results are the same on every device and for any number
 * of threads. In a CUDA context colours at distance 1 of a symmetric pattern, in the order of the
 * rows, are found on the device. All other results are found on the host. */
#ifndef FURROW_GRAPH_H
#define FURROW_GRAPH_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/reorder.h>
#include <furrow/triangular.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A division of rows into classes 0 .. count-1: levels, colours or components.
 *
 * Use it in one thread at a time, as its context. It keeps 4 bytes a row and 8 bytes a class on the
 * host. If a device found it, it also keeps 8 bytes a row there. It does not need the matrix. */
typedef struct fur_classes fur_classes;

/* Finds the levels of the rows of a triangle. The caller destroys *out.
 *
 * A row is on level 0 if it has no entry in the triangle, otherwise one level above the highest row
 * that it has an entry of (Anderson and Saad 1989). The diagonal is ignored. Rows of one level can
 * be solved at once. The number of levels is the number of steps of a triangular solve.
 *
 * Errors: FUR_INVALID if A is not square or the triangle is unknown. */
FUR_API fur_status fur_classes_from_levels(const fur_csr *a, fur_triangle triangle,
                                           fur_classes **out);

/* Order in which rows take colours.
 *
 * Each row takes the first colour that no earlier neighbour has. */
typedef enum fur_colour_order {
    /* Two colours, if two are enough and A has a symmetric pattern with a full diagonal; otherwise
     * the order of the rows. */
    FUR_COLOUR_ORDER_AUTO = 0,
    FUR_COLOUR_ORDER_ROWS,    /* the order of their numbers */
    FUR_COLOUR_ORDER_LARGEST, /* by falling (degree, index) (Welsh and Powell 1967) */
    /* By a hash of their index: the result of rows taken in parallel (Jones and Plassmann 1993). */
    FUR_COLOUR_ORDER_HASHED
} fur_colour_order;

/* Options of fur_classes_from_colours. */
typedef struct fur_colour_options {
    size_t size; /* sizeof(fur_colour_options) */
    /* 1 (default): rows with an edge have different colours. 2: also rows with a common neighbour,
     * as for a Jacobian by differences (Curtis, Powell and Reid 1974). Its time is proportional to
     * the sum of the squares of the degrees. */
    int distance;
    fur_colour_order order; /* default FUR_COLOUR_ORDER_AUTO */
} fur_colour_options;

/* Finds colours for the rows. The caller destroys *out.
 *
 * At distance 1 there are at most as many colours as the largest degree plus one.
 *
 * Errors: FUR_INVALID if A is not square or an option is unknown. */
FUR_API fur_status fur_classes_from_colours(const fur_csr *a, const fur_colour_options *options,
                                            fur_classes **out);

/* Finds the connected components, numbered by their first rows.
 *
 * The caller destroys *out.
 *
 * Errors: FUR_INVALID if A is not square. */
FUR_API fur_status fur_classes_from_components(const fur_csr *a, fur_classes **out);

/* Destroys the classes; NULL does nothing. */
FUR_API void fur_classes_destroy(fur_classes *classes);

/* The classes, in arrays on the host. */
typedef struct fur_classes_view {
    size_t size;            /* of the library's struct */
    int64_t rows;           /* rows of the matrix */
    int64_t count;          /* number of classes; none is empty */
    const int32_t *of_rows; /* the class of each row */
    /* count + 1 numbers: the rows of class k are at places begin[k] .. begin[k+1]-1 of
     * fur_classes_order. */
    const int64_t *begin;
    int64_t smallest; /* rows of the smallest class; 0 for a matrix of 0 rows */
    int64_t largest;  /* rows of the largest class */
} fur_classes_view;

/* Returns the classes. The result is valid as long as the classes.
 *
 * For NULL all members are 0. */
FUR_API const fur_classes_view *fur_classes_get(const fur_classes *classes);

/* Makes the permutation that sorts rows by class. The caller destroys *out.
 *
 * Within a class rows stay in their order. The permutation is in the matrix's context. With
 * colours, fur_csr_permute(a, p, p) has a triangle with as many levels as colours. */
FUR_API fur_status fur_classes_order(const fur_classes *classes, fur_permutation **out);

/* Report of fur_matching_find. */
typedef struct fur_matching_report {
    size_t size;    /* sizeof(fur_matching_report) */
    double product; /* log2 of the product of the moduli of the matched entries */
    /* The least of these moduli after scaling by r and c. It is 1 in exact arithmetic. */
    double smallest;
    int64_t moved;  /* rows that change their place */
    double seconds; /* duration of the call */
} fur_matching_report;

/* Orders the rows so that the product of the moduli on the diagonal is largest.
 *
 * - a: a square matrix, for example with zeros on the diagonal, before a factorization without
 *   pivoting.
 * - r, c: NULL, or filled with scales of rows and columns: |r_i A(i, j) c_j| <= 1, and 1 on the
 *   diagonal of B, up to rounding. fur_csr_scale(a, r, c) applies them.
 * - report: NULL, or filled.
 * - order: the permutation; the caller destroys it. B = fur_csr_permute(a, order, NULL) has B(i, i)
 *   = A(order[i], i) != 0.
 *
 * The method is shortest augmenting paths with scaling vectors (Duff and Koster 2001). Of two
 * equally long paths it takes the path to the lower column. The time is O(entries log(rows)) in
 * most cases, O(rows entries log(rows)) in the worst case.
 *
 * Errors: FUR_INVALID if A is not square, r or c has another context, value type or size, or r and
 * c overlap. FUR_INVALID if an entry is nonfinite (the sentence names its row), or if not all rows
 * can be matched (the sentence says how many can). */
FUR_API fur_status fur_matching_find(const fur_csr *a, fur_vector *r, fur_vector *c,
                                     fur_matching_report *report, fur_permutation **order);

/* Nearest neighbours: the graph of a cloud of points, as a sparse matrix.
 *
 * Points x_0 .. x_{n-1} in d dimensions are the rows of a block of n x d. Row i of the result has k
 * entries, at the columns of the k points nearest to x_i. Their values are the distances:
 *
 *     G(i, j) = |x_i - x_j|^2, or its square root
 *
 * If computed distances are equal, the points of lower index are taken. A distance is computed in
 * the points' value type from differences of coordinates, in the order of dimensions
 * (docs/numerics.md). Every method decides by these distances alone. So a result has the same bits
 * for any number of threads, by any method, and on a GPU. It is not symmetric: j may be among the
 * nearest of i although i is not among the nearest of j.
 *
 * There are two methods. "brute" computes all n^2 distances, in tiles. "grid", for up to
 * FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions, uses a grid whose lines lie between the ranks of the
 * points in each coordinate. So cells are small where there are many points. Points are sorted
 * along a Z-shaped curve through the cells (Morton 1966). They are packed into boxes of neighbours
 * on the curve, and these into larger boxes (Kamel and Faloutsos 1993). A search skips every box
 * that is farther away than the k-th neighbour found so far (Roussopoulos, Kelley and Vincent
 * 1995). Its time is about proportional to n log n + n k for points of any density: clustered, in
 * layers, or many at one place. If all points are about equally far from each other, no box can be
 * skipped, and "grid" is slower than "brute". */

/* Largest number of dimensions of method "grid". */
#define FUR_NEIGHBOURS_GRID_DIMENSIONS 4

/* Options of fur_neighbours. */
typedef struct fur_neighbours_options {
    size_t size; /* sizeof(fur_neighbours_options) */
    /* "brute" or "grid". NULL or "auto": the method that is expected to be fastest. */
    const char *method;
    int squared; /* 1: values are squared distances; 0: distances. Default 0 */
    /* 1: a point is one of its own neighbours. 0: it is not, but other points at the same place
     * are, at distance 0. Default 0 */
    int with_self;
} fur_neighbours_options;

/* Report of fur_neighbours. */
typedef struct fur_neighbours_report {
    size_t size;         /* sizeof(fur_neighbours_report) */
    const char *method;  /* "brute" or "grid" */
    const char *reason;  /* why it was chosen, one sentence; both live as long as the program */
    int64_t bytes;       /* bytes of the points, read once, and of the result, written once */
    double seconds_plan; /* until the points were sorted; 0 for "brute" */
    double seconds;      /* duration of the call */
} fur_neighbours_report;

/* Makes the n x n matrix G of the k nearest neighbours of each point.
 *
 * - points: n points of d real coordinates, in any layout.
 * - k: entries of each row, 1 <= k < n (k <= n with options->with_self).
 * - options: NULL means all defaults.
 * - report: NULL, or filled.
 * - out: the matrix, with sorted rows, in the points' context and value type. Distances of 0 are
 *   stored. The caller destroys it.
 *
 * In a CUDA context the device computes G for k up to 128 and up to 64 dimensions. Otherwise the
 * host does, on a copy. The call waits for the result. It allocates a copy of the points meanwhile,
 * and for "grid" 28 bytes a point, on a GPU 44.
 *
 * Errors: FUR_INVALID if the points are complex or have no dimension, a coordinate is nonfinite
 * (the sentence names the first such point), or k is out of range. FUR_OVERFLOW for more than
 * 2^31-1 points. FUR_UNSUPPORTED for "grid" in more than FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions.
 */
FUR_API fur_status fur_neighbours(const fur_vectors *points, int64_t k,
                                  const fur_neighbours_options *options,
                                  fur_neighbours_report *report, fur_csr **out);

#ifdef __cplusplus
}
#endif
#endif
