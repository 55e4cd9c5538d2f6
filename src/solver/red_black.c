/* Red-black reduction (Golub and Van Loan, Matrix Computations, 2013, section 11.5; Elman and Golub
 * 1990). With the red rows before the black rows
 *
 *     A = [D E]      S = D - E W,  W = C^-1 F,   D and C diagonal
 *         [F C]
 *
 * A x = b becomes S x_red = b_red - E C^-1 b_black, and x_black = C^-1 b_black - W x_red.
 *
 * Conjugate gradients for S, preconditioned by D^-1, take half the iterations that they take for A,
 * preconditioned by both. Their polynomial is of the square of an operator with eigenvalues +-e. If
 * rows have two colours, no diagonal has a better condition than Jacobi's (Forsythe and Straus
 * 1955). The black residual is 0, so that the norm in the method is the norm of the whole system.
 *
 * D and E are stored as one matrix [D E]. It is applied to p, followed by t = -W p: q = [D E] (p,
 * t) = S p, by two products. For 7 points of f64 these move 204 bytes for a red and a black row,
 * and the vectors 96. The whole system moves 104 and 96 for each row.
 *
 * If A is a matrix, the blocks are made here. Other operators supply products with their own
 * blocks. On ranks these have their own contexts, because red rows have other bounds than all
 * rows. */
#include "red_black.h"

#include "colours.h"
#include "csr.h"
#include "vectors.h"

#include <furrow/author/operator.h>
#include <furrow/spmm.h>
#include <furrow/spmv.h>

#include <math.h>
#include <string.h>

/* A block of rows of A in the new numbering. Its values are the values of A at `from`. */
typedef struct block {
    fur_csr *matrix;
    fur_spmv *plan;
    fur_spmm *together; /* for several vectors; NULL until needed */
    int32_t *from;      /* where the context's kernels work */
} block;

struct fur_red_black {
    fur_context *context;
    const fur_operator *a;
    fur_operator *jacobi; /* Jacobi's preconditioner of A: own object, updated before the blocks */
    fur_dependent dependent;
    fur_permutation *order;
    fur_two_colours halves; /* the products; release is NULL if they use the blocks here */
    block to_red;           /* [D E] */
    block to_black;         /* W */
    int32_t *black_row;     /* row of A for each entry of W */
    fur_scalars *scalars;   /* NULL: red rows use the solver's context and scalars */
    fur_vector *scale;      /* D^-1, C^-1 */
    fur_operator *s;        /* S */
    fur_operator *m;        /* D^-1 */
    /* Parts of vectors, of the solver's and of `scale`. The parts of an iteration begin where these
     * vectors do. */
    fur_vector *work[2]; /* vectors of the method: p and q */
    fur_vector both;     /* p and t */
    fur_vector p;
    fur_vector t;
    fur_vector residual; /* g, then r_black */
    fur_vector g;
    fur_vector r_black;
    fur_vector q;
    fur_vector d; /* change of x_red */
    fur_vector red_scale;
    fur_vector black_scale;
    fur_scaling red_scaling;
    int lift; /* to_red and scale belong to 2^-lift A */
};

/* Entries begin .. begin + count - 1 of a vector, in a context that can access them. */
static fur_vector part_of(fur_context *context, const fur_vector *x, int64_t begin, int64_t count)
{
    fur_vector part = *x;
    part.context = context;
    if (x->data) /* a rank may have no entry */
        part.data = (char *)x->data + (size_t)begin * fur_value_size(x->value_type);
    part.size = count;
    part.owned = false;
    return part;
}

/* The values of a matrix as a vector. */
static fur_vector values_of(fur_context *context, const fur_csr_view *a)
{
    return (fur_vector){context, a->value_type, a->entries, (void *)(uintptr_t)a->values, false};
}

/* Updates the diagonal. */
static fur_status take_diagonal(fur_red_black *rb)
{
    FUR_TRY(fur_vector_permute(rb->order, rb->jacobi->scaling->d, rb->scale));
    rb->red_scaling = *rb->jacobi->scaling;
    rb->red_scaling.d = &rb->red_scale;
    rb->red_scaling.inverted = NULL;
    rb->lift = 0;
    return FUR_OK;
}

/* Updates all values from A, at first and when they have changed. Meanwhile the values of [D E] are
 * workspace for the factors of black_row. */
static fur_status update(void *object)
{
    fur_red_black *rb = object;
    fur_context *context = rb->context;
    FUR_TRY(fur_dependent_check(&context->env, &rb->jacobi->dependent));
    if (rb->halves.release) /* the products still have the old values */
        return fur_env_fail(
            &context->env, FUR_UNSUPPORTED,
            "the reduced system of an operator (red-black) cannot be updated for new values");
    const fur_vector *inverse = rb->jacobi->scaling->d;
    fur_vector entries = values_of(context, rb->a->matrix);
    fur_vector red = values_of(context, fur_csr_get(rb->to_red.matrix));
    fur_vector black = values_of(context, fur_csr_get(rb->to_black.matrix));
    fur_vector factors = part_of(context, &red, 0, black.size);
    FUR_TRY(take_diagonal(rb));
    FUR_TRY(fur_vector_gather(inverse, rb->black_row, &factors));
    FUR_TRY(fur_vector_gather(&entries, rb->to_black.from, &black));
    FUR_TRY(fur_multiply_elementwise(&factors, &black, &black));
    FUR_TRY(fur_vector_gather(&entries, rb->to_red.from, &red));
    fur_csr_values_changed(rb->to_black.matrix);
    fur_csr_values_changed(rb->to_red.matrix);
    return FUR_OK;
}

static void release_block(fur_context *context, block *b)
{
    fur_spmm_destroy(b->together);
    fur_spmv_destroy(b->plan);
    fur_csr_destroy(b->matrix);
    fur_memory_release(context, b->from);
}

static fur_status make_block(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                             fur_value_type value, block *out)
{
    FUR_TRY(fur_csr_allocate(context, rows, cols, entries, value, FUR_I32, &out->matrix));
    return fur_memory_allocate(context, entries, sizeof *out->from, &out->from);
}

/* Allocates the blocks of A with these colours. */
static fur_status make_blocks(fur_red_black *rb, int64_t red)
{
    const fur_csr_view *a = rb->a->matrix;
    int64_t off_diagonal = (a->entries - a->rows) / 2;
    FUR_TRY(make_block(rb->context, red, a->rows, red + off_diagonal, a->value_type, &rb->to_red));
    FUR_TRY(
        make_block(rb->context, a->rows - red, red, off_diagonal, a->value_type, &rb->to_black));
    return fur_memory_allocate(rb->context, off_diagonal, sizeof *rb->black_row, &rb->black_row);
}

static fur_colour_blocks blocks_of(const fur_red_black *rb)
{
    return (fur_colour_blocks){
        .offsets = {fur_csr_offsets(rb->to_red.matrix), fur_csr_offsets(rb->to_black.matrix)},
        .columns = {fur_csr_columns(rb->to_red.matrix), fur_csr_columns(rb->to_black.matrix)},
        .from = {rb->to_red.from, rb->to_black.from},
        .row = rb->black_row,
    };
}

static fur_status multiply_red(void *user, const fur_vector *both, fur_vector *q)
{
    const fur_red_black *rb = user;
    return fur_spmv_apply(rb->to_red.plan, fur_real(1), both, fur_real(0), q);
}

static fur_status multiply_black(void *user, const fur_vector *p, fur_vector *t)
{
    const fur_red_black *rb = user;
    return fur_spmv_apply(rb->to_black.plan, fur_real(-1), p, fur_real(0), t);
}

static fur_status scale_red(void *user, double factor)
{
    fur_red_black *rb = user;
    fur_vector red = values_of(rb->context, fur_csr_get(rb->to_red.matrix));
    FUR_TRY(fur_vector_scale(&red, fur_real(factor)));
    fur_csr_values_changed(rb->to_red.matrix);
    return FUR_OK;
}

/* Finds the colours and blocks of a matrix. *found = false if there are none. */
static fur_status divide_matrix(fur_red_black *rb, bool *found)
{
    static const fur_colour_services on_host = {fur_colours_find, fur_colours_split};
    const fur_colour_services *by =
        fur_is_remote(rb->context) ? &fur_services(rb->context)->colour : &on_host;
    fur_env *env = &rb->context->env;
    const fur_csr_view *a = rb->a->matrix;
    if (!by->find || !rb->jacobi)
        return FUR_OK;
    FUR_TRY(fur_permutation_allocate(rb->context, a->rows, &rb->order));
    fur_colours colours = {0, rb->order->order, rb->order->position};
    FUR_TRY(by->find(env, a, &colours));
    if (colours.red == 0)
        return FUR_OK;
    FUR_TRY(make_blocks(rb, colours.red));
    fur_colour_blocks blocks = blocks_of(rb);
    rb->halves = (fur_two_colours){.red = colours.red,
                                   .of_red = rb->context,
                                   .of_black = rb->context,
                                   .user = rb,
                                   .multiply_red = multiply_red,
                                   .scale_red = scale_red,
                                   .multiply_black = multiply_black};
    return by->split(env, a, &colours, &blocks, found);
}

static void release_nothing(void *user)
{
    (void)user;
}

/* Finds the colours of another operator. It is asked in any case, because all ranks must ask. */
static fur_status divide_operator(fur_red_black *rb, bool *found)
{
    const fur_operator_definition *d = &rb->a->definition;
    fur_two_colours halves = {0};
    int has = 0;
    FUR_TRY(d->two_colours(d->user, rb->jacobi ? rb->jacobi->scaling->d : NULL, &halves, &has));
    if (!has)
        return FUR_OK;
    rb->halves = halves;
    if (!halves.release)
        rb->halves.release = release_nothing;
    *found = rb->jacobi != NULL;
    if (!*found)
        return FUR_OK;
    return fur_permutation_create(rb->context, d->rows, halves.order, &rb->order);
}

static fur_status divide(fur_red_black *rb, bool *found)
{
    return rb->a->matrix ? divide_matrix(rb, found) : divide_operator(rb, found);
}

/* q = S p. The method's own p is not copied. */
static fur_status apply_s(void *user, const fur_vector *x, fur_vector *y)
{
    fur_red_black *rb = user;
    if (x->data != rb->p.data)
        FUR_TRY(fur_vector_copy(x, &rb->p));
    FUR_TRY(rb->halves.multiply_black(rb->halves.user, &rb->p, &rb->t));
    return rb->halves.multiply_red(rb->halves.user, &rb->both, y);
}

/* z = D^-1 r */
static fur_status apply_m(void *user, const fur_vector *x, fur_vector *y)
{
    const fur_red_black *rb = user;
    return fur_multiply_elementwise(&rb->red_scale, x, y);
}

static fur_status make_operator(fur_red_black *rb,
                                fur_status (*apply)(void *, const fur_vector *, fur_vector *),
                                fur_operator **out)
{
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = rb->p.size,
        .cols = rb->p.size,
        .value_type = rb->p.value_type,
        .user = rb,
        .apply = apply,
        .recordable = fur_operator_recordable(rb->a),
    };
    return fur_operator_create(rb->halves.of_red, &definition, out);
}

/* Sets the parts of the vectors. t follows p. The change of x_red replaces the residual, whose
 * permuted copy is then elsewhere. */
static void set_parts(fur_red_black *rb, fur_vector *const *work, const fur_vector *r)
{
    fur_context *whole = rb->context;
    fur_context *of_red = rb->halves.of_red;
    fur_context *of_black = rb->halves.of_black;
    int64_t red = rb->halves.red;
    int64_t black = work[0]->size - red;
    rb->both = part_of(whole, work[0], 0, red + black);
    rb->p = part_of(of_red, work[0], 0, red);
    rb->t = part_of(of_black, work[0], red, black);
    rb->residual = part_of(whole, work[1], 0, red + black);
    rb->g = part_of(of_red, work[1], 0, red);
    rb->r_black = part_of(of_black, work[1], red, black);
    rb->q = part_of(of_red, work[2], 0, red);
    rb->d = part_of(of_red, r, 0, red);
    rb->red_scale = part_of(of_red, rb->scale, 0, red);
    rb->black_scale = part_of(of_black, rb->scale, red, black);
    rb->work[0] = &rb->p;
    rb->work[1] = &rb->q;
}

/* Makes values and plans of the blocks of a matrix. */
static fur_status make_plans(fur_red_black *rb)
{
    FUR_TRY(update(rb));
    FUR_TRY(fur_spmv_plan(rb->to_red.matrix, NULL, &rb->to_red.plan));
    return fur_spmv_plan(rb->to_black.matrix, NULL, &rb->to_black.plan);
}

/* Makes scalars that are prepared like the solver's. */
static fur_status make_scalars(const fur_solver *solver, fur_context *context, fur_scalars **out)
{
    fur_solver own = *solver;
    FUR_TRY(fur_scalars_create(context, out));
    own.scalars = *out;
    return own.method->prepare ? own.method->prepare(&own) : FUR_OK;
}

/* Makes everything except the splitting: values, plans, operators. */
static fur_status complete(fur_red_black *rb, const fur_solver *solver)
{
    FUR_TRY(fur_vector_create(rb->context, fur_operator_value_type(rb->a), fur_operator_rows(rb->a),
                              &rb->scale));
    set_parts(rb, solver->work, solver->r);
    FUR_TRY(rb->halves.release ? take_diagonal(rb) : make_plans(rb));
    if (rb->halves.of_red != rb->context)
        FUR_TRY(make_scalars(solver, rb->halves.of_red, &rb->scalars));
    FUR_TRY(make_operator(rb, apply_s, &rb->s));
    FUR_TRY(make_operator(rb, apply_m, &rb->m));
    rb->m->scaling = &rb->red_scaling;
    rb->dependent = (fur_dependent){"the reduced system", rb, update, .reads = false};
    fur_dependent_join(&rb->dependent, &rb->a->dependent.made);
    return FUR_OK;
}

/* Makes Jacobi's preconditioner. If it does not exist, that is not a failure, and leaves no error
 * sentence. */
static fur_status make_jacobi(fur_red_black *rb)
{
    fur_env *env = &rb->context->env;
    char before[sizeof env->error];
    memcpy(before, env->error, sizeof before);
    fur_status status = fur_operator_jacobi(rb->a, &rb->jacobi);
    if (status != FUR_INVALID && status != FUR_UNSUPPORTED)
        return status;
    memcpy(env->error, before, sizeof before);
    return FUR_OK;
}

/* Returns whether A and M justify an analysis of the pattern. */
static bool is_candidate(const fur_operator *a, const fur_operator *preconditioner)
{
    if (preconditioner && !fur_operator_is_jacobi_of(preconditioner, a))
        return false;
    return a->matrix ? a->matrix->rows == a->matrix->cols && a->matrix->entries <= INT32_MAX
                     : a->definition.two_colours != NULL;
}

/* Copies the error sentence of a failure from the context of red rows to the solver's context. If
 * that context has failed more than `failures` times, it already has a sentence. */
static fur_status pass_on(const fur_red_black *rb, int64_t failures, fur_status status)
{
    return status != FUR_OK && rb->halves.of_red && rb->context->env.failures == failures
               ? fur_context_pass_on(rb->halves.of_red, rb->context, status)
               : status;
}

fur_status fur_red_black_create(const fur_solver *solver, const fur_operator *preconditioner,
                                fur_red_black **out)
{
    fur_context *context = solver->context;
    int64_t failures = context->env.failures;
    bool found = false;
    fur_red_black *rb;
    *out = NULL;
    if (!is_candidate(solver->a, preconditioner))
        return FUR_OK;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *rb, &rb));
    rb->context = context;
    rb->a = solver->a;
    fur_status status = make_jacobi(rb);
    if (status == FUR_OK)
        status = divide(rb, &found);
    if (status == FUR_OK && found)
        status = pass_on(rb, failures, complete(rb, solver));
    if (status == FUR_OK && found)
        *out = rb;
    else
        fur_red_black_release(rb);
    return status;
}

void fur_red_black_release(fur_red_black *reduction)
{
    if (!reduction)
        return;
    fur_context *context = reduction->context;
    fur_dependent_leave(&reduction->dependent);
    fur_operator_destroy(reduction->s);
    fur_operator_destroy(reduction->m);
    release_block(context, &reduction->to_red);
    release_block(context, &reduction->to_black);
    fur_memory_release(context, reduction->black_row);
    fur_vector_destroy(reduction->scale);
    fur_permutation_destroy(reduction->order);
    fur_operator_destroy(reduction->jacobi);
    fur_scalars_destroy(reduction->scalars);
    if (reduction->halves.release)
        reduction->halves.release(reduction->halves.user);
    fur_env_release(&context->env, reduction);
}

bool fur_red_black_works(const fur_red_black *reduction)
{
    return reduction && !reduction->dependent.refusal[0];
}

fur_status fur_red_black_lift(fur_red_black *rb, int exponent)
{
    double factor = scalbn(1, exponent - rb->lift);
    fur_scalar *constant = &rb->red_scaling.constant;
    if (exponent == rb->lift)
        return FUR_OK;
    rb->lift = exponent;
    *constant = fur_complex(factor * constant->re, factor * constant->im);
    FUR_TRY(rb->halves.scale_red(rb->halves.user, 1 / factor));
    return fur_vector_scale(rb->scale, fur_real(factor));
}

/* g = r_red - E C^-1 r_black, and its norm; q is workspace */
static fur_status reduce(fur_red_black *rb, const fur_vector *r, double *norm)
{
    FUR_TRY(fur_vector_permute(rb->order, r, &rb->residual));
    FUR_TRY(fur_vector_fill(&rb->p, fur_real(0)));
    FUR_TRY(fur_multiply_elementwise(&rb->black_scale, &rb->r_black, &rb->t));
    FUR_TRY(rb->halves.multiply_red(rb->halves.user, &rb->both, &rb->q));
    FUR_TRY(fur_axpby(fur_real(-1), &rb->q, fur_real(1), &rb->g));
    return fur_norm2(&rb->g, norm);
}

/* x += (d, C^-1 r_black - W d), with `spare` as workspace */
static fur_status extend(fur_red_black *rb, fur_vector *spare, fur_vector *x)
{
    FUR_TRY(fur_vector_copy(&rb->d, &rb->p));
    FUR_TRY(fur_multiply_elementwise(&rb->black_scale, &rb->r_black, &rb->t));
    FUR_TRY(rb->halves.multiply_black(rb->halves.user, &rb->p, &rb->r_black));
    FUR_TRY(fur_axpby(fur_real(1), &rb->r_black, fur_real(1), &rb->t));
    FUR_TRY(fur_vector_unpermute(rb->order, &rb->both, spare));
    return fur_axpby(fur_real(1), spare, fur_real(1), x);
}

/* Derives the spectrum of M A, with Jacobi's M, from the spectrum of D^-1 S that the method knows
 * after a pass. Its eigenvalues are 1 +- sigma, and the eigenvalues of D^-1 S are 1 - sigma^2. The
 * report has the widest spectrum. */
static void widen_spectrum(fur_pass *s, double condition, double norm)
{
    double smallest = s->condition > 0 ? s->norm / s->condition : 0;
    double largest = 1 + sqrt(fmax(1 - smallest, 0));
    bool wider = smallest > 0 && largest * largest / smallest > condition;
    s->condition = wider ? largest * largest / smallest : condition;
    s->norm = wider ? largest : norm;
}

/* Replaces the whole system by the reduced system, and begins the pass. If the remaining residual
 * is in the black rows, the pass does not run. */
static fur_status enter(fur_red_black *rb, fur_pass *s, bool *runs)
{
    s->products++;
    FUR_TRY(reduce(rb, s->r, &s->residual));
    FUR_TRY(fur_vector_fill(&rb->d, fur_real(0)));
    *runs = !(s->residual <= s->target);
    if (!*runs) {
        s->outcome = FUR_OUTCOME_CONVERGED;
        return FUR_OK;
    }
    s->a = rb->s;
    s->preconditioner = rb->m;
    s->r = &rb->g;
    s->x = &rb->d;
    s->work = rb->work;
    s->scalars = rb->scalars ? rb->scalars : s->scalars;
    s->condition = 0;
    return FUR_OK;
}

/* Called after the method's pass, if it ran: restores the whole system, and updates x. */
static fur_status leave(fur_red_black *rb, const fur_pass *whole, bool ran, fur_pass *s)
{
    s->a = whole->a;
    s->preconditioner = whole->preconditioner;
    s->r = whole->r;
    s->x = whole->x;
    s->work = whole->work;
    s->scalars = whole->scalars;
    if (ran)
        widen_spectrum(s, whole->condition, whole->norm);
    if (s->outcome == FUR_OUTCOME_INDEFINITE_PRECONDITIONER && !whole->preconditioner)
        s->outcome = FUR_OUTCOME_INDEFINITE; /* D^-1 is not definite, and so A is not */
    if (s->outcome == FUR_OUTCOME_CONVERGED || s->iterations > whole->iterations)
        return extend(rb, s->r, s->x);
    s->residual = whole->residual; /* x is unchanged */
    return FUR_OK;
}

static fur_status run(fur_red_black *rb, const fur_method *method, fur_pass *s)
{
    const fur_pass whole = *s;
    bool runs;
    FUR_TRY(enter(rb, s, &runs));
    if (runs)
        FUR_TRY(method->run(s));
    return leave(rb, &whole, runs, s);
}

fur_status fur_red_black_run(fur_red_black *reduction, const fur_method *method, fur_pass *s)
{
    int64_t failures = reduction->context->env.failures;
    return pass_on(reduction, failures, run(reduction, method, s));
}

/* --- several at once ---------------------------------------------------------------------------
 */

typedef struct together {
    const fur_red_black *rb;
    const fur_vectors *p; /* blocks of p and t, and of q */
    const fur_vectors *q;
} together;

/* Rows of the first columns of a column-major block. */
static fur_vectors rows_of(const fur_vectors *x, int64_t first, int64_t rows, int count)
{
    fur_vectors part = fur_vectors_part(x, 0, count);
    part.view.data = (char *)part.view.data + (size_t)first * fur_value_size(part.view.value_type);
    part.view.rows = rows;
    return part;
}

/* The columns of q = S times the columns of p. */
static fur_status multiply(void *user, int count)
{
    const together *t = user;
    int64_t red = t->rb->p.size;
    int64_t black = t->rb->t.size;
    fur_vectors both = rows_of(t->p, 0, red + black, count);
    fur_vectors of_red = rows_of(t->p, 0, red, count);
    fur_vectors of_black = rows_of(t->p, red, black, count);
    fur_vectors image = rows_of(t->q, 0, red, count);
    FUR_TRY(
        fur_spmm_apply(t->rb->to_black.together, fur_real(-1), &of_red, fur_real(0), &of_black));
    return fur_spmm_apply(t->rb->to_red.together, fur_real(1), &both, fur_real(0), &image);
}

static fur_status plan_together(block *b)
{
    const fur_spmm_options options = {.size = sizeof options, .layout = FUR_LAYOUT_COLUMNS};
    return b->together ? FUR_OK : fur_spmm_plan(b->matrix, &options, &b->together);
}

fur_status fur_red_black_run_block(fur_red_black *reduction, const fur_method *method,
                                   fur_pass_block *passes, const fur_vectors *p,
                                   const fur_vectors *q)
{
    fur_red_black own[FUR_PASS_BLOCK]; /* each has the vectors of one solve */
    fur_pass whole[FUR_PASS_BLOCK];
    fur_vector **work[FUR_PASS_BLOCK];
    together t = {reduction, p, q};
    fur_pass_block reduced = {.multiply = multiply, .user = &t};
    FUR_TRY(plan_together(&reduction->to_black));
    FUR_TRY(plan_together(&reduction->to_red));
    for (int j = 0; j < passes->active; j++)
        work[j] = passes->solves[j]->work;
    for (int j = 0; j < passes->active; j++) {
        fur_pass *s = passes->solves[j];
        int at = reduced.active;
        bool runs;
        own[at] = *reduction;
        whole[at] = *s;
        set_parts(&own[at], work[at], s->r);
        FUR_TRY(enter(&own[at], s, &runs));
        if (runs)
            reduced.solves[reduced.active++] = s;
        else
            FUR_TRY(leave(&own[at], &whole[at], false, s));
    }
    fur_pass_block running = reduced; /* at the end it has no active solves */
    if (running.active > 0)
        FUR_TRY(method->run_block(&running));
    for (int j = 0; j < reduced.active; j++)
        FUR_TRY(leave(&own[j], &whole[j], true, reduced.solves[j]));
    return FUR_OK;
}
