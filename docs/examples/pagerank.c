/* PageRank of a directed graph (Brin and Page 1998): products with A^T by one plan, element-wise
 * operations and reductions, in a power iteration.
 *
 * A surfer follows one of the current page's links with probability 0.85, and else goes to any
 * page; from a page without links to any page, too. Entry (i, j) of the file is a link from page i
 * to j.
 *
 *     cc pagerank.c $(pkg-config --cflags --libs furrow) -lm -o pagerank && ./pagerank links.mtx */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLLOW 0.85
#define TOLERANCE 1e-14
#define MOST_STEPS 200

typedef struct web {
    fur_csr *links;
    fur_spmv *incoming;   /* y = A^T x */
    fur_vector *share;    /* 1 / number of links of a page, 0 without links */
    fur_vector *dangling; /* 1 for a page without links, else 0 */
    fur_vector *rank;     /* sums to 1 */
    fur_vector *next;     /* the rank after another step */
    fur_vector *weighted; /* rank times share */
} web;

/* share and dangling, from the lengths of the rows. */
static int count_links(web *w)
{
    const fur_csr_view *a = fur_csr_get(w->links);
    const int32_t *offsets = a->offsets;
    double *share = fur_vector_data(w->share);
    double *dangling = fur_vector_data(w->dangling);
    for (int64_t i = 0; i < a->rows; i++) {
        int32_t count = offsets[i + 1] - offsets[i];
        share[i] = count > 0 ? 1.0 / count : 0;
        dangling[i] = count == 0;
    }
    return 0;
}

static int read_web(fur_context *context, const char *path, web *w)
{
    const fur_spmv_options transposed = {.size = sizeof transposed, .op = FUR_OP_T};
    if (fur_mtx_read_csr(context, path, NULL, &w->links))
        return 1;
    int64_t pages = fur_csr_get(w->links)->rows;
    if (pages != fur_csr_get(w->links)->cols)
        return (int)fur_context_fail(context, FUR_INVALID, "%s: a graph needs a square matrix",
                                     path);
    fur_vector **vectors[] = {&w->share, &w->dangling, &w->rank, &w->next, &w->weighted};
    for (int i = 0; i < 5; i++)
        if (fur_vector_create(context, FUR_F64, pages, vectors[i]))
            return 1;
    return fur_spmv_plan(w->links, &transposed, &w->incoming) ||
           fur_vector_fill(w->rank, fur_real(1.0 / (double)pages)) || count_links(w);
}

/* next = the ranks after one step; *change = ||next - rank||_1; then rank = next. */
static int step(web *w, double *change)
{
    double pages = (double)fur_vector_size(w->rank);
    fur_scalar stranded;
    if (fur_dot(w->dangling, w->rank, &stranded))
        return 1;
    fur_scalar anywhere = fur_real((1 - FOLLOW + FOLLOW * stranded.re) / pages);
    int failed = fur_multiply_elementwise(w->rank, w->share, w->weighted) ||
                 fur_vector_fill(w->next, anywhere) ||
                 fur_spmv_apply(w->incoming, fur_real(FOLLOW), w->weighted, fur_real(1), w->next) ||
                 fur_axpby(fur_real(1), w->next, fur_real(-1), w->rank) ||
                 fur_norm1(w->rank, change);
    fur_vector *old = w->rank;
    w->rank = w->next;
    w->next = old;
    return failed;
}

static int iterate(web *w)
{
    double change = 1;
    int steps = 0;
    for (; change > TOLERANCE && steps < MOST_STEPS; steps++)
        if (step(w, &change))
            return 1;
    printf("%d steps, last change %.1e\n", steps, change);
    return 0;
}

/* The largest difference of a rank from what a plain loop over all links makes of the ranks. */
static int check(const web *w)
{
    const fur_csr_view *a = fur_csr_get(w->links);
    const int32_t *offsets = a->offsets;
    const double *rank = fur_vector_const_data(w->rank);
    double *expected = calloc((size_t)a->rows + 1, sizeof *expected);
    double anywhere = 0, sum = 0, worst = 0;
    if (!expected)
        return 1;
    for (int64_t i = 0; i < a->rows; i++) {
        int32_t count = offsets[i + 1] - offsets[i];
        sum += rank[i];
        anywhere += rank[i] * (count == 0 ? 1 : 1 - FOLLOW) / (double)a->rows;
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            expected[a->columns[k]] += FOLLOW * rank[i] / count;
    }
    for (int64_t i = 0; i < a->rows; i++)
        worst = fmax(worst, fabs(expected[i] + anywhere - rank[i]));
    free(expected);
    int right = worst < 1e-13 && fabs(sum - 1) < 1e-13;
    printf("ranks sum to %.15f, off by at most %.1e: %s\n", sum, worst, right ? "right" : "WRONG");
    return !right;
}

static void show_best(const web *w)
{
    const double *rank = fur_vector_const_data(w->rank);
    int64_t best = 0;
    for (int64_t i = 1; i < fur_vector_size(w->rank); i++)
        if (rank[i] > rank[best])
            best = i;
    printf("highest rank: page %lld with %.6f\n", (long long)best + 1, rank[best]);
}

static void destroy(web *w)
{
    fur_vector_destroy(w->weighted), fur_vector_destroy(w->next), fur_vector_destroy(w->rank);
    fur_vector_destroy(w->dangling), fur_vector_destroy(w->share);
    fur_spmv_destroy(w->incoming), fur_csr_destroy(w->links);
}

int main(int argc, char **argv)
{
    fur_context *context = NULL;
    web w = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: pagerank LINKS.mtx\n");
        return 2;
    }
    int failed =
        fur_context_create(NULL, &context) || read_web(context, argv[1], &w) || iterate(&w);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else if (fur_vector_size(w.rank) > 0)
        show_best(&w), failed = check(&w);
    destroy(&w);
    fur_context_destroy(context);
    return failed;
}
