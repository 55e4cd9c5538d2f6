/* Finds the properties of a matrix that decide how to solve with it. */
#include <furrow/author/context.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/solver.h>

#include "arguments.h"
#include "complex_number.h"
#include "offsets.h"
#include "value_type.h"

#include <math.h>

/* An asymmetry of this number of epsilons is rounding. */
#define ROUNDING 16

/* Largest number of submatrices, and largest number of their rows. */
#define BLOCKS 64
#define BLOCK_ROWS 32

/* The rows are examined in this number of parts, for any number of threads, so that the result is
 * the same. */
#define PARTS 64
/* Fewer entries than this are not worth a second thread. */
#define SMALL_ENTRIES 50000

/* Properties of some rows. */
typedef struct part {
    fur_csr_traits traits;
    double most; /* the largest difference of a pair so far */
} part;

/* A on the host, its conjugate transpose if it is square, and sqrt |A(i, i)|. */
typedef struct analysis {
    const fur_csr_view *a;
    const fur_csr_view *t;
    double *roots;
    double epsilon;
    double tiny; /* the smallest number that division takes */
    void (*rows)(struct analysis *l, part *p, int64_t begin, int64_t end);
    part parts[PARTS];
} analysis;

static fur_csr_traits nothing(const fur_csr_view *a)
{
    return (fur_csr_traits){.rows = a->rows,
                            .cols = a->cols,
                            .entries = a->entries,
                            .nonfinite_row = -1,
                            .nonfinite_col = -1,
                            .zero_row = -1,
                            .row = -1,
                            .col = -1,
                            .indefinite_row = -1};
}

/* |z| without overflow, by operations that round in the same way everywhere. */
static double modulus(fur_scalar z)
{
    double re = fabs(z.re);
    double im = fabs(z.im);
    if (im == 0)
        return re;
    double large = re > im ? re : im;
    double ratio = large > 0 ? (re > im ? im : re) / large : 0;
    return large * sqrt(1 + ratio * ratio);
}

static fur_scalar entry(const fur_csr_view *a, int64_t k)
{
    fur_value_type value = a->value_type;
    if (!fur_value_is_complex(value))
        return fur_real(fur_value_part(value, a->values, k));
    return fur_complex(fur_value_part(value, a->values, 2 * k),
                       fur_value_part(value, a->values, 2 * k + 1));
}

static int64_t offset(const fur_csr_view *a, int64_t row)
{
    return fur_offsets_get(a->offset_type, a->offsets, row);
}

static bool is_zero(fur_scalar z)
{
    return z.re == 0 && z.im == 0;
}

/* Examines the diagonal entry of a row: its sign, and whether it dominates the row. */
static void examine_row(analysis *l, fur_csr_traits *t, int64_t row)
{
    const fur_csr_view *a = l->a;
    fur_scalar d = fur_real(0);
    double others = 0;
    for (int64_t k = offset(a, row); k < offset(a, row + 1); k++) {
        fur_scalar z = entry(a, k);
        if (!fur_is_finite(z) && t->nonfinite_row < 0) {
            t->nonfinite_row = row;
            t->nonfinite_col = a->columns[k];
        }
        if (a->columns[k] == row)
            d = fur_complex(d.re + z.re, d.im + z.im);
        else
            others += modulus(z);
    }
    t->empty_rows += others == 0 && is_zero(d);
    if (a->rows != a->cols)
        return;
    t->dominant_rows += modulus(d) >= others * (1 - ROUNDING * l->epsilon);
    t->diagonal_positive += d.im == 0 && d.re > 0;
    t->diagonal_negative += d.im == 0 && d.re < 0;
    if (modulus(d) < l->tiny && t->diagonal_zero++ == 0)
        t->zero_row = row;
    l->roots[row] = sqrt(modulus(d));
}

static void examine_rows(analysis *l, part *p, int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; row++)
        examine_row(l, &p->traits, row);
}

/* Counts the pair A(row, col), conj A(col, row) if it differs. Keeps the pair with the largest
 * difference. */
static double compare(part *p, int64_t row, int64_t col, fur_scalar here, fur_scalar there,
                      bool stored)
{
    fur_csr_traits *t = &p->traits;
    if (here.re == there.re && here.im == there.im)
        return 0;
    double distance = modulus(fur_complex(here.re - there.re, here.im - there.im));
    if (t->asymmetric_pairs++ == 0 || distance > p->most) {
        fur_scalar opposite = fur_conjugate(there);
        p->most = distance;
        t->row = stored ? row : col;
        t->col = stored ? col : row;
        t->entry = stored ? here : opposite;
        t->opposite = stored ? opposite : here;
    }
    return distance;
}

/* Compares the entries right of the diagonal in a row with the column below it, and the diagonal
 * with its conjugate. */
static void examine_pairs(const analysis *l, part *p, int64_t row)
{
    fur_csr_traits *traits = &p->traits;
    const fur_csr_view *a = l->a;
    const fur_csr_view *t = l->t;
    int64_t k = offset(a, row);
    int64_t m = offset(t, row);
    int64_t k_end = offset(a, row + 1);
    int64_t m_end = offset(t, row + 1);
    double largest = 0;
    double most = 0;
    while (k < k_end || m < m_end) {
        int64_t here_col = k < k_end ? a->columns[k] : INT64_MAX;
        int64_t there_col = m < m_end ? t->columns[m] : INT64_MAX;
        int64_t col = here_col < there_col ? here_col : there_col;
        fur_scalar here = here_col == col ? entry(a, k++) : fur_real(0);
        fur_scalar there = there_col == col ? entry(t, m++) : fur_real(0);
        double size = fmax(modulus(here), modulus(there));
        double distance = col < row ? 0 : compare(p, row, col, here, there, here_col == col);
        largest = size > largest ? size : largest;
        most = distance > most ? distance : most;
        if (col > row && size > l->roots[row] * l->roots[col] * (1 + ROUNDING * l->epsilon) &&
            traits->indefinite_row < 0)
            traits->indefinite_row = row;
    }
    if (most > traits->asymmetry * largest)
        traits->asymmetry = most / largest;
}

static void examine_pairs_of(analysis *l, part *p, int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; row++)
        examine_pairs(l, p, row);
}

static void examine_parts(void *user, int64_t begin, int64_t end)
{
    analysis *l = user;
    for (int64_t i = begin; i < end; i++)
        l->rows(l, &l->parts[i], i * l->a->rows / PARTS, (i + 1) * l->a->rows / PARTS);
}

/* Returns the first of two rows, where -1 means no row. */
static int64_t first_row(int64_t a, int64_t b)
{
    return a >= 0 ? a : b;
}

/* Adds the properties of a part to those of all rows. Parts come in their order. */
static void join(const part *p, double *most, fur_csr_traits *all)
{
    const fur_csr_traits *t = &p->traits;
    if (all->nonfinite_row < 0)
        all->nonfinite_col = t->nonfinite_col;
    all->nonfinite_row = first_row(all->nonfinite_row, t->nonfinite_row);
    all->zero_row = first_row(all->zero_row, t->zero_row);
    all->indefinite_row = first_row(all->indefinite_row, t->indefinite_row);
    all->empty_rows += t->empty_rows;
    all->diagonal_positive += t->diagonal_positive;
    all->diagonal_negative += t->diagonal_negative;
    all->diagonal_zero += t->diagonal_zero;
    all->dominant_rows += t->dominant_rows;
    all->asymmetric_pairs += t->asymmetric_pairs;
    all->asymmetry = fmax(all->asymmetry, t->asymmetry);
    if (t->row >= 0 && (all->row < 0 || p->most > *most)) {
        *most = p->most;
        all->row = t->row;
        all->col = t->col;
        all->entry = t->entry;
        all->opposite = t->opposite;
    }
}

/* Examines all rows by a function, and adds their properties. */
static fur_status examine_all(analysis *l, fur_context *context,
                              void (*rows)(analysis *, part *, int64_t, int64_t),
                              fur_csr_traits *all)
{
    double most = 0;
    l->rows = rows;
    for (int i = 0; i < PARTS; i++)
        l->parts[i] = (part){nothing(l->a), 0};
    int64_t grain = l->a->entries < SMALL_ENTRIES ? PARTS : 1;
    FUR_TRY(fur_context_parallel(context, PARTS, grain, examine_parts, l));
    for (int i = 0; i < PARTS; i++)
        join(&l->parts[i], &most, all);
    return FUR_OK;
}

/* A principal submatrix with its rows and columns scaled so that its diagonal is 1. */
typedef struct block {
    int n;
    int64_t rows[BLOCK_ROWS]; /* increasing */
    fur_scalar entries[BLOCK_ROWS][BLOCK_ROWS];
} block;

static int find_row(const block *b, int64_t row)
{
    int i = 0;
    while (i < b->n && b->rows[i] < row)
        i++;
    return i;
}

static void add_row(block *b, int64_t row)
{
    int at = find_row(b, row);
    if (b->n == BLOCK_ROWS || (at < b->n && b->rows[at] == row))
        return;
    for (int i = b->n++; i > at; i--)
        b->rows[i] = b->rows[i - 1];
    b->rows[at] = row;
}

/* Gathers the neighbours of a row and their neighbours, up to BLOCK_ROWS rows. */
static void gather(const analysis *l, int64_t row, block *b)
{
    *b = (block){.n = 0};
    add_row(b, row);
    for (int level = 0; level < 2; level++) {
        block before = *b;
        for (int i = 0; i < before.n; i++)
            for (int64_t k = offset(l->a, before.rows[i]); k < offset(l->a, before.rows[i] + 1);
                 k++)
                add_row(b, l->a->columns[k]);
    }
    for (int i = 0; i < b->n; i++) {
        for (int64_t k = offset(l->a, b->rows[i]); k < offset(l->a, b->rows[i] + 1); k++) {
            int j = find_row(b, l->a->columns[k]);
            double scale = j < b->n ? l->roots[b->rows[i]] * l->roots[b->rows[j]] : 0;
            if (j < b->n && b->rows[j] == l->a->columns[k] && scale > 0)
                b->entries[i][j] =
                    fur_complex(entry(l->a, k).re / scale, entry(l->a, k).im / scale);
        }
    }
}

/* Computes row i of Cholesky's factor in place of the lower triangle. Returns true if its pivot is
 * not negative. `tolerance` is the largest effect of rounding on a pivot of 0. */
static bool factor_row(block *b, int i, double tolerance)
{
    for (int j = 0; j <= i; j++) {
        fur_scalar sum = b->entries[i][j];
        for (int k = 0; k < j; k++) {
            fur_scalar x = b->entries[i][k];
            fur_scalar y = b->entries[j][k];
            sum.re -= x.re * y.re + x.im * y.im;
            sum.im -= x.im * y.re - x.re * y.im;
        }
        double pivot = i == j ? sqrt(sum.re > tolerance ? sum.re : tolerance) : 0;
        if (i == j && sum.re < -tolerance)
            return false;
        b->entries[i][j] =
            i == j ? fur_real(pivot)
                   : fur_complex(sum.re / b->entries[j][j].re, sum.im / b->entries[j][j].re);
    }
    return true;
}

/* Factors some submatrices by Cholesky's method, until one is not positive semidefinite. */
static void examine_blocks(const analysis *l, fur_csr_traits *t)
{
    double tolerance = BLOCK_ROWS * ROUNDING * l->epsilon;
    int64_t count = t->rows < BLOCKS ? t->rows : BLOCKS;
    for (int64_t number = 0; number < count && t->indefinite_row < 0; number++) {
        block b;
        gather(l, number * t->rows / count, &b);
        t->blocks++;
        for (int i = 0; i < b.n && t->indefinite_row < 0; i++)
            if (!factor_row(&b, i, tolerance))
                t->indefinite_row = b.rows[i];
    }
}

/* Returns the first row whose diagonal entry is <= 0 or not stored. */
static int64_t find_not_positive(const analysis *l, const fur_csr_traits *t)
{
    for (int64_t row = 0; row < t->rows; row++)
        for (int64_t k = offset(l->a, row); k < offset(l->a, row + 1); k++)
            if (l->a->columns[k] == row && !(entry(l->a, k).re > 0))
                return row;
    return t->zero_row;
}

static fur_status examine_square(analysis *l, const fur_csr *a, fur_csr_traits *t)
{
    fur_csr *transpose = NULL;
    FUR_TRY(fur_csr_transpose(a, 1, &transpose));
    l->t = fur_csr_get(transpose);
    fur_status status = examine_all(l, fur_csr_context(a), examine_pairs_of, t);
    t->hermitian = t->asymmetry <= ROUNDING * l->epsilon;
    if (!t->hermitian)
        t->indefinite_row = -1;
    else if (t->diagonal_positive < t->rows)
        t->indefinite_row = find_not_positive(l, t);
    else
        examine_blocks(l, t);
    fur_csr_destroy(transpose);
    return status;
}

/* Examines a matrix on the host. */
static fur_status examine(const fur_csr *a, fur_csr_traits *traits)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *view = fur_csr_get(a);
    bool single = fur_value_is_single(view->value_type);
    analysis l = {
        .a = view, .epsilon = single ? 0x1p-23 : 0x1p-52, .tiny = single ? 0x1p-126 : 0x1p-1022};
    void *roots;
    *traits = nothing(view);
    FUR_TRY(fur_context_allocate(context, (size_t)view->rows * sizeof(double), &roots));
    l.roots = roots;
    fur_status status = examine_all(&l, context, examine_rows, traits);
    if (status == FUR_OK && view->rows == view->cols && traits->nonfinite_row < 0)
        status = examine_square(&l, a, traits);
    fur_context_release(context, roots);
    return status;
}

fur_status fur_csr_examine(const fur_csr *a, fur_csr_traits *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    fur_csr *near = NULL;
    fur_csr_traits traits;
    FUR_CHECK_REPORT(context, fur_csr_traits, out);
    if (host != context)
        FUR_TRY(fur_csr_transfer(a, host, &near));
    fur_status status = examine(near ? near : a, &traits);
    if (status != FUR_OK && near)
        fur_context_fail(context, status, "%s", fur_context_error(host));
    fur_csr_destroy(near);
    FUR_TRY(status);
    fur_report_fill(out, &traits, sizeof traits);
    return FUR_OK;
}
