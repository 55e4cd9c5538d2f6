/* The basis of LOBPCG. New vectors are made orthogonal to all others by classical Gram-Schmidt
 * twice, as in fur_eigs. X and P are combinations of the basis with orthonormal coefficients
 * (Hetmaniuk and Lehoucq, Basis selection in LOBPCG, 2006), so that they need no products. */
#include "lobpcg_space.h"

#include "asked.h"
#include "core.h"
#include "dense_symmetric.h"
#include "hashed.h"
#include "complex_number.h"
#include "orthogonal.h"
#include "value_type.h"

#include <float.h>
#include <string.h>

/* If orthogonalisation reduces a vector's norm to this many epsilon, the remainder is rounding. */
#define NOTHING 10

/* --- memory ----------------------------------------------------------------------------------- */

static fur_status make_numbers(fur_lobpcg_space *s, int64_t count, size_t size, void *out)
{
    return fur_env_allocate_zeros(&s->context->env, count, size, out);
}

static fur_status make_block(fur_lobpcg_space *s, int64_t count, fur_vectors **out)
{
    return fur_vectors_create(s->context, fur_operator_value_type(s->a), fur_operator_rows(s->a),
                              count, FUR_LAYOUT_COLUMNS, out);
}

/* Makes vectors of the columns of the blocks. */
static fur_status list_columns(fur_lobpcg_space *s)
{
    int64_t listed = s->basis->view.cols;
    FUR_TRY(make_numbers(s, listed + s->room, sizeof *s->columns, &s->columns));
    FUR_TRY(make_numbers(s, listed, sizeof *s->list, &s->list));
    for (int64_t j = 0; j < listed; j++) {
        s->columns[j] = fur_vectors_at(s->basis, j);
        s->list[j] = &s->columns[j];
    }
    for (int64_t j = 0; j < s->room; j++)
        s->columns[listed + j] = fur_vectors_at(s->image, j);
    return FUR_OK;
}

static fur_status make_small(fur_lobpcg_space *s)
{
    int64_t square = (int64_t)s->room * s->room;
    int64_t listed = s->basis->view.cols;
    FUR_TRY(make_numbers(s, square * s->parts, sizeof *s->h, &s->h));
    FUR_TRY(make_numbers(s, square * s->parts, sizeof *s->work, &s->work));
    FUR_TRY(make_numbers(s, square * s->parts, sizeof *s->small, &s->small));
    FUR_TRY(make_numbers(s, s->room, sizeof *s->theta, &s->theta));
    FUR_TRY(make_numbers(s, s->room, sizeof *s->values, &s->values));
    FUR_TRY(make_numbers(s, square, sizeof *s->combinations, &s->combinations));
    FUR_TRY(make_numbers(s, square, sizeof *s->c, &s->c));
    FUR_TRY(make_numbers(s, 2 * listed, sizeof *s->dots, &s->dots));
    s->sums = s->dots + listed;
    return FUR_OK;
}

/* Makes Y: the constraints' columns, orthonormalised, without linearly dependent ones. */
static fur_status take_constraints(fur_lobpcg_space *s, const fur_vectors *constraints)
{
    int count = (int)constraints->view.cols;
    fur_vectors y = fur_vectors_part(s->basis, 0, count);
    bool taken;
    FUR_TRY(fur_vectors_copy(constraints, &y));
    for (int j = 0; j < count; j++) {
        if (j > s->size)
            FUR_TRY(fur_vector_copy(s->list[j], s->list[s->size]));
        FUR_TRY(fur_lobpcg_space_take(s, &taken));
    }
    s->fixed = s->size;
    s->size = 0;
    return FUR_OK;
}

fur_status fur_lobpcg_space_make(const fur_operator *a, const fur_vectors *constraints, int room,
                                 fur_lobpcg_space *space)
{
    fur_value_type value = fur_operator_value_type(a);
    *space = (fur_lobpcg_space){
        .context = fur_operator_context(a),
        .a = a,
        .parts = fur_value_parts(value),
        .epsilon = fur_value_is_single(value) ? FLT_EPSILON : DBL_EPSILON,
        .room = room,
    };
    FUR_TRY(fur_block_product_make(a, &space->product));
    FUR_TRY(make_block(space, room + (constraints ? constraints->view.cols : 0), &space->basis));
    FUR_TRY(make_block(space, room, &space->image));
    FUR_TRY(list_columns(space));
    FUR_TRY(make_small(space));
    return constraints ? take_constraints(space, constraints) : FUR_OK;
}

void fur_lobpcg_space_release(fur_lobpcg_space *s)
{
    void *const memory[] = {s->columns, (void *)s->list, s->h, s->work, s->small, s->theta,
                            s->values,  s->combinations, s->c, s->dots};
    fur_block_product_release(&s->product);
    fur_vectors_destroy(s->basis);
    fur_vectors_destroy(s->image);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        fur_env_release(&s->context->env, memory[i]);
}

/* --- vectors ---------------------------------------------------------------------------------- */

fur_status fur_lobpcg_space_take(fur_lobpcg_space *s, bool *taken)
{
    fur_vector *v = fur_lobpcg_vector(s, s->size);
    double before;
    double norm;
    *taken = false;
    FUR_TRY(fur_env_pause(&v->context->env));
    FUR_TRY(fur_norm2(v, &before));
    FUR_TRY(fur_orthogonalise(s->fixed + s->size, s->list, v, s->sums, s->dots, &norm));
    s->broken |= !(before < HUGE_VAL && norm < HUGE_VAL);
    if (s->broken || !(norm > NOTHING * s->epsilon * before))
        return FUR_OK;
    *taken = true;
    s->size++;
    return fur_vector_scale(v, fur_real(1 / norm));
}

fur_status fur_lobpcg_space_start(fur_lobpcg_space *s, int count)
{
    uint64_t hashed = 0;
    for (bool taken; s->size < count && !s->broken;) {
        fur_vector *v = fur_lobpcg_vector(s, s->size);
        FUR_TRY(fur_vector_fill_hashed(v, hashed));
        FUR_TRY(fur_lobpcg_space_take(s, &taken));
        hashed += (uint64_t)(fur_vector_size(v) * s->parts);
    }
    s->ritz = s->size;
    return FUR_OK;
}

/* --- S^H A S ---------------------------------------------------------------------------------- */

static double *entry_of(const fur_lobpcg_space *s, int i, int j)
{
    return s->h + ((int64_t)i * s->room + j) * s->parts;
}

static fur_scalar get(const fur_lobpcg_space *s, int i, int j)
{
    const double *entry = entry_of(s, i, j);
    return fur_complex(entry[0], s->parts == 2 ? entry[1] : 0);
}

static void set(const fur_lobpcg_space *s, int i, int j, fur_scalar value)
{
    double *entry = entry_of(s, i, j);
    entry[0] = value.re;
    if (s->parts == 2)
        entry[1] = value.im;
}

/* Computes column j from dot products, after A s_j was made orthogonal to Y. */
static fur_status measure(fur_lobpcg_space *s, int j)
{
    fur_vector *image = fur_lobpcg_image(s, j);
    double norm;
    FUR_TRY(fur_env_pause(&image->context->env));
    FUR_TRY(fur_orthogonalise(s->fixed, s->list, image, s->sums, s->dots, &norm));
    FUR_TRY(fur_dot_many(s->size, fur_reading(s->list + s->fixed), image, s->sums));
    s->norm = fmax(s->norm, norm);
    s->broken |= !(norm < HUGE_VAL);
    for (int i = 0; i < s->size; i++)
        set(s, i, j, s->sums[i]);
    return FUR_OK;
}

/* Completes the rows of the columns from `first` on. Returns how far the entries that were measured
 * twice, or must be real, are from Hermitian. */
static double complete(const fur_lobpcg_space *s, int first)
{
    double gap = 0;
    for (int j = first; j < s->size; j++)
        for (int i = 0; i <= j; i++) {
            fur_scalar own = get(s, i, j);
            fur_scalar other = i < first ? own : fur_conjugate(get(s, j, i));
            gap = fmax(gap, fmax(fabs(own.re - other.re), fabs(own.im - other.im)));
            set(s, j, i, i == j ? fur_real(own.re) : fur_conjugate(own));
            if (i == j)
                set(s, j, j, fur_real(own.re));
        }
    return gap;
}

fur_status fur_lobpcg_space_multiply(fur_lobpcg_space *s, int first)
{
    const fur_vectors x = fur_vectors_part(s->basis, s->fixed + first, s->size - first);
    fur_vectors y = fur_vectors_part(s->image, first, s->size - first);
    FUR_TRY(fur_block_product_apply(&s->product, &x, &y));
    s->products += s->size - first;
    for (int j = first; j < s->size; j++)
        FUR_TRY(measure(s, j));
    s->asymmetric |= complete(s, first) > FUR_EIGS_ASYMMETRY * s->norm;
    return FUR_OK;
}

/* --- Ritz vectors ----------------------------------------------------------------------------- */

static fur_scalar *combination(const fur_lobpcg_space *s, int j)
{
    return s->combinations + (int64_t)j * s->size;
}

static double norm_of(const fur_lobpcg_space *s, const fur_scalar *x)
{
    double norm = 0;
    for (int l = 0; l < s->size; l++)
        norm = fur_length(norm, fur_modulus(x[l]));
    return norm;
}

/* sum_l conj(x_l) y_l */
static fur_scalar dot_of(const fur_lobpcg_space *s, const fur_scalar *x, const fur_scalar *y)
{
    fur_scalar sum = fur_real(0);
    for (int l = 0; l < s->size; l++)
        sum = fur_sum(sum, fur_times(fur_conjugate(x[l]), y[l]));
    return sum;
}

/* Sets combinations 0 .. count - 1 to the Ritz vectors, and sets their values. */
static void find_ritz(fur_lobpcg_space *s, int count, bool largest)
{
    int n = s->size;
    for (int i = 0; i < n; i++)
        memcpy(s->work + (int64_t)i * n * s->parts, entry_of(s, i, 0),
               (size_t)(n * s->parts) * sizeof *s->work);
    fur_dense_symmetric_eigen(s->parts, n, s->work, s->theta, s->small);
    s->norm = fmax(s->norm, fmax(fabs(s->theta[0]), fabs(s->theta[n - 1])));
    for (int j = 0; j < count; j++) {
        int from = largest ? n - 1 - j : j;
        const double *z = s->small + (int64_t)from * n * s->parts;
        s->values[j] = s->theta[from];
        for (int l = 0; l < n; l++)
            combination(s, j)[l] =
                fur_complex(z[l * s->parts], s->parts == 2 ? z[l * s->parts + 1] : 0);
    }
}

/* Orthonormalises combination `at` against those before it. Returns false if only rounding
 * remains. */
static bool orthonormalise(const fur_lobpcg_space *s, int at)
{
    fur_scalar *own = combination(s, at);
    for (int times = 0; times < 2; times++) {
        for (int j = 0; j < at; j++) {
            const fur_scalar *other = combination(s, j);
            fur_scalar part = fur_negative(dot_of(s, other, own));
            for (int l = 0; l < s->size; l++)
                own[l] = fur_sum(own[l], fur_times(part, other[l]));
        }
        double norm = norm_of(s, own);
        if (!(norm > NOTHING * DBL_EPSILON))
            return false;
        for (int l = 0; l < s->size; l++)
            own[l] = fur_scaled(1 / norm, own[l]);
    }
    return true;
}

/* Finds the combinations for P, which follow X. Returns the number of combinations of X and P. */
static int find_directions(const fur_lobpcg_space *s, int count, const bool *active)
{
    int found = count;
    for (int j = 0; j < count; j++) {
        if (!active[j] || found == s->size)
            continue;
        fur_scalar *own = combination(s, found);
        memcpy(own, combination(s, j), (size_t)s->size * sizeof *own);
        for (int l = 0; l < s->ritz; l++)
            own[l] = fur_real(0);
        found += orthonormalise(s, found);
    }
    return found;
}

/* S^H A S of the next basis. X^H A X is diagonal, X^H A P = 0, and P^H A P follows from the
 * combinations. */
static void project(const fur_lobpcg_space *s, int count, int found)
{
    fur_scalar *image = s->c; /* (S^H A S) times the combinations of P */
    for (int j = count; j < found; j++)
        for (int i = 0; i < s->size; i++) {
            fur_scalar sum = fur_real(0);
            for (int l = 0; l < s->size; l++)
                sum = fur_sum(sum, fur_times(get(s, i, l), combination(s, j)[l]));
            image[(int64_t)j * s->size + i] = sum;
        }
    for (int i = 0; i < found; i++)
        for (int j = 0; j <= i; j++) {
            fur_scalar own = i < count && i == j ? fur_real(s->values[i]) : fur_real(0);
            if (j >= count)
                own = dot_of(s, combination(s, i), image + (int64_t)j * s->size);
            set(s, i, j, i == j ? fur_real(own.re) : own);
            set(s, j, i, i == j ? fur_real(own.re) : fur_conjugate(own));
        }
}

/* Multiplies S and A S by the combinations. */
static fur_status combine(const fur_lobpcg_space *s, int found)
{
    fur_vectors basis = fur_vectors_part(s->basis, s->fixed, s->size);
    fur_vectors image = fur_vectors_part(s->image, 0, s->size);
    for (int l = 0; l < s->size; l++)
        for (int j = 0; j < s->size; j++)
            s->c[(int64_t)l * s->size + j] = j < found ? combination(s, j)[l] : fur_real(0);
    FUR_TRY(fur_vectors_multiply(fur_real(1), &basis, s->c, fur_real(0), &basis));
    return fur_vectors_multiply(fur_real(1), &image, s->c, fur_real(0), &image);
}

fur_status fur_lobpcg_space_rotate(fur_lobpcg_space *s, int count, bool largest, const bool *active)
{
    find_ritz(s, count, largest);
    int found = find_directions(s, count, active);
    project(s, count, found);
    FUR_TRY(combine(s, found));
    s->size = found;
    s->ritz = count;
    s->directions = found - count;
    return FUR_OK;
}

fur_status fur_lobpcg_space_refresh(fur_lobpcg_space *s)
{
    int count = s->ritz;
    s->size = 0;
    s->directions = 0;
    for (int j = 0; j < count; j++) {
        bool taken;
        FUR_TRY(fur_lobpcg_space_take(s, &taken));
        s->broken |= !taken;
        if (s->broken)
            return FUR_OK;
    }
    FUR_TRY(fur_lobpcg_space_multiply(s, 0));
    for (int j = 0; j < count; j++)
        s->values[j] = get(s, j, j).re;
    return FUR_OK;
}
