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
#include <furrow/permutation.h>
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

/* How many classes there are; none is empty. */
FUR_API int64_t fur_classes_count(const fur_classes *classes);
/* The class of each row, on the host; valid as long as the classes. NULL without rows. */
FUR_API const int32_t *fur_classes_of_rows(const fur_classes *classes);
/* count + 1 numbers, on the host: rows of class k are those at places begin[k] .. begin[k+1]-1 of
 * the order by classes. */
FUR_API const int64_t *fur_classes_begin(const fur_classes *classes);
/* Rows of the smallest and of the largest class; 0 without rows. */
FUR_API int64_t fur_classes_smallest(const fur_classes *classes);
FUR_API int64_t fur_classes_largest(const fur_classes *classes);

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

#ifdef __cplusplus
}
#endif
#endif
