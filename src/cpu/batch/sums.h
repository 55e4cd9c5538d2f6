/* Dot products and norms of systems side by side, over the tree of docs/numerics.md. Each system
 * has the same lanes, leaves and subtrees as it would have alone. A template over VALUE. */
#define ROW ((int)(512 / sizeof(VALUE)))
#define LEAF (32 * ROW)
#define MAX_DEPTH 48

/* The sums of a lane, or a leaf, for each system. */
typedef double FN(lane)[SIDE];

/* Complete subtrees, from left to right. */
typedef struct FN(forest) {
    int64_t leaves;
    int depth;
    FN(lane) subtree[MAX_DEPTH];
} FN(forest);

static inline void FN(add_lanes)(const double *right, double *left)
{
#pragma omp simd
    for (int s = 0; s < SIDE; s++)
        left[s] += right[s];
}

static void FN(push_leaf)(FN(forest) * f, const double *leaf)
{
    memcpy(f->subtree[f->depth++], leaf, sizeof f->subtree[0]);
    for (int64_t bits = f->leaves++; bits & 1; bits >>= 1, f->depth--)
        FN(add_lanes)(f->subtree[f->depth - 1], f->subtree[f->depth - 2]);
}

static void FN(root)(FN(forest) * f, double *out)
{
    memset(out, 0, sizeof f->subtree[0]);
    for (; f->depth > 1; f->depth--)
        FN(add_lanes)(f->subtree[f->depth - 1], f->subtree[f->depth - 2]);
    if (f->depth == 1)
        memcpy(out, f->subtree[0], sizeof f->subtree[0]);
}

/* Lane 0 is the sum of all. */
static void FN(fold)(FN(lane) * lane)
{
    for (int half = ROW / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            FN(add_lanes)(lane[j + half], lane[j]);
}

/* The visitor of a walk. It visits `count` rows of a chunk, from row i on, and adds to two sums for
 * each lane. Row i is in the first lane. */
typedef void FN(visit)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two);

/* Visits all rows, and stores the two sums of each system. */
static void FN(walk)(FN(visit) * visit, void *job, int64_t rows, double *one, double *two)
{
    _Alignas(64) FN(lane) lanes[2][ROW];
    FN(forest) forest[2];
    forest[0].leaves = forest[1].leaves = 0;
    forest[0].depth = forest[1].depth = 0;
    for (int64_t leaf = 0; leaf < rows; leaf += LEAF) {
        int64_t end = fur_smaller(rows, leaf + LEAF);
        memset(lanes, 0, sizeof lanes);
        for (int64_t i = leaf; i < end; i += ROW)
            visit(job, i, (int)fur_smaller(ROW, end - i), lanes[0], lanes[1]);
        FN(fold)(lanes[0]);
        FN(push_leaf)(&forest[0], lanes[0][0]);
        if (two) {
            FN(fold)(lanes[1]);
            FN(push_leaf)(&forest[1], lanes[1][0]);
        }
    }
    FN(root)(&forest[0], one);
    if (two)
        FN(root)(&forest[1], two);
}

/* conj(x) y of a system, added to the real and the imaginary part of a sum. */
static inline double FN(dot_re)(VALUE x, VALUE y, double sum)
{
#if COMPLEX
    return fma((double)x.im, (double)y.im, fma((double)x.re, (double)y.re, sum));
#else
    return fma((double)x, (double)y, sum);
#endif
}

static inline double FN(dot_im)(VALUE x, VALUE y, double sum)
{
#if COMPLEX
    return fma(-(double)x.im, (double)y.re, fma((double)x.re, (double)y.im, sum));
#else
    (void)x, (void)y;
    return sum;
#endif
}

/* Rows whose norm is wanted. */
typedef struct FN(norm) {
    const VALUE *x;
    FN(lane) scale;
} FN(norm);

static void FN(visit_squares)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two)
{
    const FN(norm) *n = job;
    (void)two;
    for (int j = 0; j < count; j++) {
        const VALUE *x = n->x + (i + j) * SIDE;
#pragma omp simd
        for (int s = 0; s < SIDE; s++) {
#if COMPLEX
            double re = n->scale[s] * (double)x[s].re;
            double im = n->scale[s] * (double)x[s].im;
            one[j][s] = fma(im, im, fma(re, re, one[j][s]));
#else
            double re = n->scale[s] * (double)x[s];
            one[j][s] = fma(re, re, one[j][s]);
#endif
        }
    }
}

/* The max norm of system s, or NaN if an entry is NaN. */
static double FN(largest)(const VALUE *x, int64_t rows, int s)
{
    double most = 0;
    for (int64_t i = 0; i < rows; i++) {
#if COMPLEX
        double size = fur_magnitude(x[i * SIDE + s].re, x[i * SIDE + s].im);
#else
        double size = fabs((double)x[i * SIDE + s]);
#endif
        most = isnan(most) || most > size ? most : size;
    }
    return most;
}

/* 2-norms from the sums of squares of the wanted systems (NULL: all systems). If the squares may
 * have overflowed or lost bits, the norm is computed again with a scale. */
static void FN(norms_from)(const VALUE *x, int64_t rows, const double *squares, const REAL *wanted,
                           double *out)
{
    FN(norm) n = {.x = x};
    FN(lane) again;
    bool far = false;
    for (int s = 0; s < SIDE; s++) {
        bool near = (wanted && wanted[s] == 0) || (squares[s] >= 0x1p-960 && squares[s] <= DBL_MAX);
        n.scale[s] = 0;
        out[s] = near ? sqrt(squares[s]) : FN(largest)(x, rows, s);
        if (!near && out[s] != 0 && out[s] <= DBL_MAX) {
            n.scale[s] = scalbn(1, out[s] < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(out[s]));
            far = true;
        }
    }
    if (!far)
        return;
    FN(walk)(FN(visit_squares), &n, rows, again, NULL);
    for (int s = 0; s < SIDE; s++)
        out[s] = n.scale[s] != 0 ? sqrt(again[s]) / n.scale[s] : out[s];
}

static void FN(norms)(const VALUE *x, int64_t rows, double *out)
{
    FN(norm) n = {.x = x};
    FN(lane) squares;
    for (int s = 0; s < SIDE; s++)
        n.scale[s] = 1;
    FN(walk)(FN(visit_squares), &n, rows, squares, NULL);
    FN(norms_from)(x, rows, squares, NULL, out);
}
