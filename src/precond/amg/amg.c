/* Algebraic multigrid: creation from options, and reports. */
#include "option_table.h"
#include "parts.h"
#include "value_type.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>
#include <furrow/solver.h>

/* In the order of fur_amg_smoother, of fur_amg_visits, and of the enumeration. */
static const char *const smoother_names[] = {"chebyshev", "jacobi", "gauss-seidel", NULL};
static const char *const visit_names[] = {"V", "W", "K", NULL};
static const char *const coarsening_names[] = {"aggregation", "classical", NULL};
enum { AGGREGATION, CLASSICAL };

const fur_option fur_amg_table[] = {
    FUR_OPTION_RANGE(INT, fur_amg_options, block, 1, 1, FUR_AMG_BLOCK_MAX,
                     "unknowns of a node, in neighbouring rows"),
    FUR_OPTION_PART(fur_amg_options, theta, 0, FUR_AMG_NONE,
                    "entries are strong above theta times the roots of their diagonals"),
    FUR_OPTION_RANGE(INT, fur_amg_options, levels, 0, 1, HUGE_VAL, "most levels"),
    FUR_OPTION_RANGE(LONG, fur_amg_options, coarsest, 300, 1, HUGE_VAL,
                     "coarsening ends at a level of at most this number of rows"),
    FUR_OPTION_OF(WORD, fur_amg_options, smoother, 0, smoother_names, "smoother of each level"),
    FUR_OPTION_RANGE(INT, fur_amg_options, sweeps, 2, 1, FUR_AMG_SWEEPS_MAX,
                     "degree of the polynomial, or number of sweeps"),
    FUR_OPTION_OF(CHOICE, fur_amg_options, cycle, FUR_AMG_K, visit_names,
                  "order in which a cycle visits the levels"),
    FUR_OPTION_YES(fur_amg_options, single, "stores levels and cycles in single precision"),
    FUR_OPTION_RANGE(FLAG, fur_amg_options, nonsymmetric, 0, FUR_AMG_AUTO, 1,
                     "restriction for a matrix that is not symmetric; -1: decided by the matrix"),
    FUR_OPTION_OF(WORD, fur_amg_options, coarsening, 0, coarsening_names,
                  "how the rows of the next level are chosen"),
    FUR_OPTION_RANGE(INT, fur_amg_options, aggressive, 0, 0, HUGE_VAL,
                     "number of finest levels that coarsen twice, for classical"),
    FUR_OPTION_END};

/* Returns the place of a word in a list that ends with NULL; 0 if the list does not hold it. */
static int place_of(const char *const words[], const char *word)
{
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static fur_status check_matrix(const fur_csr *a, int block)
{
    fur_env *env = &a->context->env;
    const fur_csr_view *v = &a->view;
    if (v->rows != v->cols)
        return fur_env_fail(env, FUR_INVALID,
                            "algebraic multigrid needs a square matrix; this one is %lld x %lld",
                            (long long)v->rows, (long long)v->cols);
    if (v->rows % block != 0)
        return fur_env_fail(env, FUR_INVALID,
                            "the matrix has %lld rows, which is not a multiple of the %d unknowns "
                            "of a node; change the option block",
                            (long long)v->rows, block);
    return FUR_OK;
}

static fur_status check_near(const fur_csr *a, const fur_vectors *near)
{
    fur_env *env = &a->context->env;
    if (!near)
        return FUR_OK;
    const fur_vectors_view *v = fur_vectors_get(near);
    if (fur_vectors_context(near) != a->context)
        return fur_env_fail(env, FUR_INVALID,
                            "the near-nullspace belongs to another context than the matrix");
    if (v->value_type != a->view.value_type || v->rows != a->view.rows)
        return fur_env_fail(
            env, FUR_INVALID,
            "the near-nullspace has %lld rows of type %s, but the matrix has %lld of type %s",
            (long long)v->rows, fur_value_name(v->value_type), (long long)a->view.rows,
            fur_value_name(a->view.value_type));
    return v->cols >= 1 && v->cols <= FUR_AMG_MODES_MAX
               ? FUR_OK
               : fur_env_fail(env, FUR_INVALID,
                              "the near-nullspace has %lld vectors; it can have 1 to %d",
                              (long long)v->cols, FUR_AMG_MODES_MAX);
}

/* Checks the coarsening. Classical coarsening is for one unknown a row. */
static fur_status check_coarsening(const fur_csr *a, const fur_amg_options *o)
{
    fur_env *env = &a->context->env;
    if (place_of(coarsening_names, o->coarsening) == AGGREGATION)
        return o->aggressive == 0
                   ? FUR_OK
                   : fur_env_fail(env, FUR_INVALID,
                                  "the option aggressive needs coarsening=classical");
    if (fur_value_is_complex(a->view.value_type))
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "classical multigrid needs a real matrix; this one has type %s",
                            fur_value_name(a->view.value_type));
    return o->block <= 1 && !o->near_nullspace
               ? FUR_OK
               : fur_env_fail(
                     env, FUR_INVALID,
                     "classical multigrid accepts no near-nullspace, and no option block above 1");
}

/* Replaces defaults in the options by their values for this matrix. */
static void settle(fur_amg *amg)
{
    fur_amg_options *o = &amg->options;
    amg->smoother = (fur_amg_smoother)place_of(smoother_names, o->smoother);
    if (o->nonsymmetric && !o->smoother)
        amg->smoother = FUR_AMG_GAUSS_SEIDEL;
    if (o->levels == 0 || o->levels > FUR_AMG_LEVELS_MAX)
        o->levels = FUR_AMG_LEVELS_MAX;
    amg->classical = place_of(coarsening_names, o->coarsening) == CLASSICAL;
    amg->theta = o->theta == FUR_AMG_NONE ? 0
                 : o->theta > 0           ? o->theta
                 : amg->classical         ? FUR_AMG_THETA_CLASSICAL
                                          : FUR_AMG_THETA;
    amg->modes = o->near_nullspace ? (int)fur_vectors_get(o->near_nullspace)->cols : o->block;
    amg->value = amg->a->view.value_type;
    if (o->single)
        amg->value = fur_value_is_complex(amg->value) ? FUR_C64 : FUR_F32;
    amg->report.smoother = smoother_names[amg->smoother];
}

/* Returns the bytes that a plan keeps besides the matrix, if it has its own format. */
static int64_t format_bytes(const fur_amg_product *a)
{
    const fur_spmv_report *plan = fur_spmv_describe(a->plan);
    return plan->bytes == plan->csr_bytes
               ? 0
               : plan->bytes - plan->csr_bytes + fur_csr_bytes(&a->matrix->view);
}

static int64_t bytes_of(const fur_amg_rung *rung, int64_t value)
{
    const fur_amg_step *step = &rung->step;
    const fur_csr *made[] = {rung->own, step->p, step->r, step->ap, step->q, step->adjoint};
    int64_t rows = rung->level.a->view.rows;
    int64_t bytes = rows * 4 * value + fur_amg_coloured_bytes(&rung->coloured) +
                    format_bytes(&rung->times_a) + format_bytes(&step->times_p) +
                    format_bytes(&step->times_r);
    for (int i = 0; i < 6; i++)
        bytes += made[i] ? fur_csr_bytes(&made[i]->view) : 0;
    for (int i = 0; i < 3; i++)
        bytes += rung->kept[i] ? rows * value : 0;
    if (step->classical)
        bytes += fur_amg_classical_bytes(step->classical);
    else if (step->p)
        bytes += step->strong.nodes * 16 + rung->level.a->view.entries * 4 +
                 rows * value * step->p->view.cols / step->aggregates;
    return bytes;
}

/* Returns the bytes that the sweeps of a level move, and the steps to and from the next level. */
static double traffic_of(const fur_amg_rung *rung, int sweeps, double value)
{
    const fur_csr *p = rung->step.p;
    double rows = (double)rung->level.a->view.rows;
    double product = (double)fur_csr_bytes(&rung->level.a->view) + 3 * rows * value +
                     fur_amg_coloured_traffic(&rung->coloured);
    if (!p)
        return 2 * product;
    return 2 * sweeps * (product + 6 * rows * value) + 4 * rows * value +
           2 * (double)fur_csr_bytes(&p->view) + 2 * (rows + (double)p->view.cols) * value;
}

static void complete_report(fur_amg *amg)
{
    fur_amg_report *report = &amg->report;
    const fur_csr_view *first = &amg->a->view;
    int64_t rows = 0;
    int64_t entries = 0;
    double visits = 1;
    report->size = sizeof *report;
    report->levels = amg->levels;
    report->coarsest = amg->rung[amg->levels - 1].level.a->view.rows;
    report->dense = amg->dense.inverse != NULL;
    report->bytes = (amg->dense.order + 1) * amg->dense.order * (int64_t)sizeof(double);
    for (int i = 0; i < amg->levels; i++) {
        rows += amg->rung[i].level.a->view.rows;
        entries += amg->rung[i].level.a->view.entries;
        report->bytes_cycle += visits * traffic_of(&amg->rung[i], amg->options.sweeps,
                                                   (double)fur_value_size(amg->value));
        visits *= amg->options.cycle != FUR_AMG_V && i > 0 ? 2 : 1;
        report->bytes += bytes_of(&amg->rung[i], (int64_t)fur_value_size(amg->value));
    }
    report->grid_complexity = first->rows > 0 ? (double)rows / (double)first->rows : 1;
    report->operator_complexity = first->entries > 0 ? (double)entries / (double)first->entries : 1;
}

fur_status fur_amg_take(const fur_csr *a, const fur_amg_options *given, fur_amg_options *o)
{
    fur_csr_traits traits = FUR_DEFAULT(fur_csr_traits);
    FUR_TAKE_OPTIONS(a->context, fur_amg_options, o, given);
    FUR_TRY(fur_options_complete(a->context, "amg", fur_amg_table, o));
    FUR_TRY(check_matrix(a, o->block));
    FUR_TRY(check_near(a, o->near_nullspace));
    FUR_TRY(check_coarsening(a, o));
    if (o->nonsymmetric != FUR_AMG_AUTO)
        return FUR_OK;
    FUR_TRY(fur_csr_examine(a, &traits));
    o->nonsymmetric = !traits.hermitian;
    return FUR_OK;
}

fur_status fur_amg_create(const fur_csr *a, const fur_amg_options *options, fur_amg **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    double start = fur_seconds();
    fur_env *env = &a->context->env;
    fur_amg_options o;
    fur_amg *amg;
    FUR_TRY(fur_amg_take(a, options, &o));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *amg, &amg));
    amg->context = a->context;
    amg->a = a;
    amg->options = o;
    settle(amg);
    fur_status status = fur_amg_build(amg);
    if (status != FUR_OK) {
        fur_amg_destroy(amg);
        return status;
    }
    amg->options.near_nullspace = NULL; /* already read */
    complete_report(amg);
    amg->report.seconds_setup = fur_seconds() - start;
    amg->dependent = (fur_dependent){"the multigrid", amg, fur_amg_refresh, .reads = true};
    fur_dependent_join(&amg->dependent, &a->made);
    *out = amg;
    return FUR_OK;
}

void fur_amg_destroy(fur_amg *amg)
{
    if (!amg)
        return;
    fur_dependent_leave(&amg->dependent);
    for (int i = 0; i < FUR_AMG_LEVELS_MAX; i++) /* a level that failed is not counted */
        fur_amg_release_rung(amg->context, &amg->rung[i]);
    fur_amg_release_parts(amg);
    fur_amg_release_program(amg->context, &amg->program);
    fur_scalars_destroy(amg->scalars);
    fur_env_release(&amg->context->env, amg->dense.x);
    fur_memory_release(amg->context, amg->dense.inverse);
    fur_env_release(&amg->context->env, amg);
}

const fur_amg_report *fur_amg_describe(const fur_amg *amg)
{
    static const fur_amg_report none = {.size = sizeof none, .smoother = ""};
    return amg ? &amg->report : &none;
}

const fur_amg_level *fur_amg_level_at(const fur_amg *amg, int index)
{
    return amg && index >= 0 && index < amg->levels ? &amg->rung[index].level : NULL;
}
