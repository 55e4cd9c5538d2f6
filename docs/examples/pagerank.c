/* PageRank of a directed graph (Brin and Page 1998) by a power iteration. Uses products with A^T by
 * one plan, element-wise operations and reductions.
 *
 * With probability 0.85 a surfer follows one of the current page's links, otherwise the surfer goes
 * to any page. From a page without links the surfer always goes to any page. Entry (i, j) of the
 * file is a link from page i to page j.
 *
 *     cc pagerank.c $(pkg-config --cflags --libs furrow) -lm -o pagerank && ./pagerank links.mtx */
#include "example.h"

#include <math.h>

#define FOLLOW 0.85

/* Sets share_i = 1 / number of links of page i, and dangling_i = 1 for a page without links. All
 * other entries stay 0. */
static void count_links(const fur_csr_view *a, double *share, double *dangling)
{
    const int32_t *offsets = a->offsets;
    for (int64_t i = 0; i < a->rows; i++)
        if (offsets[i] < offsets[i + 1])
            share[i] = 1.0 / (offsets[i + 1] - offsets[i]);
        else
            dangling[i] = 1;
}

/* Returns 1 if the ranks sum to 1 and do not change in one more step. The step is a plain loop over
 * all links. `anywhere` is the probability that a page gains from surfers who go to any page. */
static int check(const fur_csr_view *a, const double *rank, double anywhere, double *expected)
{
    const int32_t *offsets = a->offsets;
    double sum = 0, worst = 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            expected[a->columns[k]] += FOLLOW * rank[i] / (offsets[i + 1] - offsets[i]);
    for (int64_t i = 0; i < a->rows; i++) {
        sum += rank[i];
        worst = fmax(worst, fabs(expected[i] + anywhere - rank[i]));
    }
    int right = worst < 1e-13 && fabs(sum - 1) < 1e-13;
    printf("ranks sum to %.15f, off by at most %.1e: %s\n", sum, worst, right ? "right" : "WRONG");
    return right;
}

int main(int argc, char **argv)
{
    const fur_spmv_options transposed = {.size = sizeof transposed, .op = FUR_OP_T};
    fur_csr *links;
    fur_spmv *incoming; /* y = A^T x */
    double change = 1, anywhere = 0;
    int steps = 0;
    if (argc != 2)
        return fprintf(stderr, "usage: pagerank LINKS.mtx\n"), 2;
    must(fur_context_create(NULL, &context));
    must(fur_mtx_read_csr(context, argv[1], NULL, &links));
    const fur_csr_view *a = fur_csr_get(links);
    if (a->rows != a->cols || a->rows == 0)
        must(fur_context_fail(context, FUR_INVALID, "%s: a graph is a square matrix", argv[1]));
    must(fur_spmv_plan(links, &transposed, &incoming));
    fur_vector *share = new_vector(a->rows, 0), *dangling = new_vector(a->rows, 0);
    fur_vector *rank = new_vector(a->rows, 1.0 / (double)a->rows);
    fur_vector *next = new_vector(a->rows, 0), *weighted = new_vector(a->rows, 0);
    count_links(a, fur_vector_data(share), fur_vector_data(dangling));

    for (; change > 1e-14 && steps < 200; steps++) {
        fur_scalar stranded; /* probability of a page without links */
        must(fur_dot(dangling, rank, &stranded));
        anywhere = (1 - FOLLOW + FOLLOW * stranded.re) / (double)a->rows;
        must(fur_multiply_elementwise(rank, share, weighted));
        must(fur_vector_fill(next, fur_real(anywhere)));
        must(fur_spmv_apply(incoming, fur_real(FOLLOW), weighted, fur_real(1), next));
        must(fur_axpby(fur_real(1), next, fur_real(-1), rank)); /* rank = next - rank */
        must(fur_norm1(rank, &change));
        must(fur_vector_copy(next, rank));
    }
    printf("%d steps, last change %.1e\n", steps, change);
    must(fur_vector_fill(weighted, fur_real(0)));
    int right = check(a, fur_vector_const_data(rank), anywhere, fur_vector_data(weighted));

    fur_vector_destroy(weighted), fur_vector_destroy(next), fur_vector_destroy(rank);
    fur_vector_destroy(dangling), fur_vector_destroy(share);
    fur_spmv_destroy(incoming), fur_csr_destroy(links), fur_context_destroy(context);
    return !right;
}
