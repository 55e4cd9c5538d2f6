/* What the pattern of a square matrix says: which rows can be worked on at once, which belong
 * together, and which entries can stand on the diagonal.
 *
 * Its graph has a vertex for each row and an edge between i and j != i where A(i, j) or A(j, i) is
 * stored. All results are the same on every device and for any number of threads. In a CUDA context
 * colours at distance 1 of a symmetric pattern, in the order of the rows, are found on the device;
 * all else is found on the host. */
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

/* A division of rows into classes 0 .. count-1: levels, colours or components. Used by one thread
 * at a time, as its context. Keeps 4 bytes a row and 8 a class, on the host, and where a device
 * found it 8 a row there; needs the matrix no more. */
typedef struct fur_classes fur_classes;

/* The levels of the rows of a triangle, the diagonal not looked at: a row is on level 0 if it has
 * no entries there, else one above the highest of the rows of its entries (Anderson and Saad 1989).
 * Rows of one level can be solved at once; the count is the number of steps of a triangular solve.
 * FUR_INVALID unless A is square. */
FUR_API fur_status fur_classes_from_levels(const fur_csr *a, fur_triangle triangle,
                                           fur_classes **out);

/* In which order rows take their colours: each takes the first that no neighbour before it has. */
typedef enum fur_colour_order {
    /* Two colours, if the rows have two and A is symmetric in its pattern with a full diagonal;
     * else the order of the rows. */
    FUR_COLOUR_ORDER_AUTO = 0,
    FUR_COLOUR_ORDER_ROWS,    /* as they are numbered */
    FUR_COLOUR_ORDER_LARGEST, /* by falling (degree, index) (Welsh and Powell 1967) */
    /* By a hash of their index: what rows taken in parallel give (Jones and Plassmann 1993). */
    FUR_COLOUR_ORDER_HASHED
} fur_colour_order;

typedef struct fur_colour_options {
    size_t size; /* sizeof(fur_colour_options) */
    /* 1, or 0: rows with an edge have different colours. 2: rows with a common neighbour, too, as
     * for a Jacobian by differences (Curtis, Powell and Reid 1974); takes the sum of the squares of
     * the degrees of time. */
    int distance;
    fur_colour_order order;
} fur_colour_options;

/* Colours for the rows: at most one more than the largest degree at distance 1. FUR_INVALID unless
 * A is square. */
FUR_API fur_status fur_classes_from_colours(const fur_csr *a, const fur_colour_options *options,
                                            fur_classes **out);

/* The connected components, numbered by their first rows. FUR_INVALID unless A is square. */
FUR_API fur_status fur_classes_from_components(const fur_csr *a, fur_classes **out);

/* Destroys the classes. */
FUR_API void fur_classes_destroy(fur_classes *classes);

/* The classes, in arrays on the host. */
typedef struct fur_classes_view {
    size_t size;            /* of the library's struct */
    int64_t rows;           /* of the matrix */
    int64_t count;          /* classes; none is empty */
    const int32_t *of_rows; /* the class of each row */
    /* count + 1 numbers: rows of class k are at places begin[k] .. begin[k+1]-1 of the order by
     * classes. */
    const int64_t *begin;
    int64_t smallest; /* rows of the smallest class; 0 without rows */
    int64_t largest;  /* rows of the largest class */
} fur_classes_view;

/* The view is valid as long as the classes. For NULL all zero. */
FUR_API const fur_classes_view *fur_classes_get(const fur_classes *classes);

/* The rows by class, within one in their order, as a permutation in the matrix's context: with
 * colours fur_csr_permute(a, p, p) has a triangle of as many levels. */
FUR_API fur_status fur_classes_order(const fur_classes *classes, fur_permutation **out);

typedef struct fur_matching_report {
    size_t size;    /* sizeof(fur_matching_report) */
    double product; /* log2 of the product of the moduli of the matched entries */
    double
        smallest;  /* the least of these moduli after scaling by r and c, and 1 without rounding */
    int64_t moved; /* rows that change their place */
    double seconds;
} fur_matching_report;

/* The rows in an order in which the product of the moduli on the diagonal is largest: B =
 * fur_csr_permute(a, order, NULL) has B(i, i) = A(order[i], i) != 0. Unless NULL, r and c become
 * scales with |r_i A(i, j) c_j| <= 1, and 1 on the diagonal of B, up to rounding: fur_csr_scale(a,
 * r, c). For matrices with zeros on the diagonal, before a factorisation without pivots. Shortest
 * augmenting paths with scaling vectors (Duff and Koster 2001); of two that are equally long, to
 * the lower column. O(entries log(rows)) time in most cases, O(rows entries log(rows)) in the
 * worst. report may be NULL. FUR_INVALID unless A is square, r and c have A's context, value type
 * and size, and are apart; for an entry that is not finite, naming its row; and if fewer rows than
 * there are can be matched: the sentence says how many. */
FUR_API fur_status fur_matching_find(const fur_csr *a, fur_vector *r, fur_vector *c,
                                     fur_matching_report *report, fur_permutation **order);

/* Nearest neighbours: the graph of a cloud of points, as a sparse matrix.
 *
 * Points x_0 .. x_{n-1} in d dimensions are the rows of a block of n x d. Row i of the result has
 * k entries, at the columns of the k points nearest to x_i, with their distances as values:
 *
 *     G(i, j) = |x_i - x_j|^2, or its square root
 *
 * Of points at equal computed distances those of lower index are taken. A distance is computed in
 * the points' value type from differences of coordinates, in the order of dimensions
 * (docs/numerics.md), and no method looks at anything else: so a result has the same bits for any
 * number of threads, by any method, and on a GPU. It is not symmetric: j may be among the nearest
 * of i, and i not among those of j.
 *
 * Two methods find them. "brute" computes all n^2 distances, in tiles. "grid", for up to
 * FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions, lays a grid whose lines follow the points: they lie
 * between the ranks of the points in each coordinate, so that cells are small where points are
 * many. Points are sorted along a Z-shaped curve through the cells (Morton 1966), packed into boxes
 * of neighbours on the curve and these into larger ones (Kamel and Faloutsos 1993), and a search
 * leaves out every box that lies farther away than the k-th neighbour found so far (Roussopoulos,
 * Kelley and Vincent 1995). Its time is about proportional to n log n + n k for points of any
 * density, clustered, in layers, or many at one place; in a cloud whose points are all about
 * equally far from each other no box can be left out, and "grid" is "brute" with detours. */

/* The most dimensions in which there is a grid. */
#define FUR_NEIGHBOURS_GRID_DIMENSIONS 4

typedef struct fur_neighbours_options {
    size_t size; /* sizeof(fur_neighbours_options) */
    /* NULL or "auto": what is expected to be fastest; "brute"; "grid". */
    const char *method;
    int squared;   /* 1: values are squared distances; 0: distances */
    int with_self; /* 1: a point is one of its own neighbours; 0: it is not, but points that lie
                      where it lies are, at distance 0 */
} fur_neighbours_options;

typedef struct fur_neighbours_report {
    size_t size;         /* sizeof(fur_neighbours_report) */
    const char *method;  /* "brute" or "grid" */
    const char *reason;  /* why it was chosen, one sentence; both live as long as the program */
    int64_t bytes;       /* of the points, read once, and the result, written once */
    double seconds_plan; /* until the points were sorted; 0 for "brute" */
    double seconds;      /* of the call */
} fur_neighbours_report;

/* *out = the n x n matrix G of the k nearest neighbours of each point, with sorted rows of k
 * entries, in the points' context and value type. Distances of 0, between points at one place, are
 * stored. Layout and stride of the points are any. options and report may be NULL. In a CUDA
 * context the device does it for k up to 128 and up to 64 dimensions, else the host, on a copy.
 * Waits. Takes, meanwhile, a copy of the points, and for "grid" 28 bytes a point more, on a GPU 44.
 *
 * FUR_INVALID unless the points are of a real type, have a dimension, and every coordinate is
 * finite: the sentence names the first point that has another; and unless 1 <= k < n (k <= n with
 * with_self). FUR_OVERFLOW for more than 2^31-1 points. FUR_UNSUPPORTED for "grid" in more
 * dimensions than FUR_NEIGHBOURS_GRID_DIMENSIONS. */
FUR_API fur_status fur_neighbours(const fur_vectors *points, int64_t k,
                                  const fur_neighbours_options *options,
                                  fur_neighbours_report *report, fur_csr **out);

#ifdef __cplusplus
}
#endif
#endif
