/* Solvers: methods by name, options, and workspace. drive.c has the solve itself. */
#include "complete.h"
#include "fused.h"
#include "lift.h"
#include "null_space.h"
#include "persistent.h"
#include "red_black.h"

#include "arguments.h"
#include "csr.h"
#include "env.h"
#include "names.h"
#include "target.h"
#include "value_type.h"

#include <furrow/author/options.h>
#include <furrow/author/recording.h>

#include <math.h>
#include <string.h>

#define FUR_METHOD(method) extern const fur_method method;
#include "methods.def"
#undef FUR_METHOD

#define FUR_METHOD(method) &method,
static const fur_method *const methods[] = {
#include "methods.def"
};
#undef FUR_METHOD

#define DEFAULT_METHOD "cg"
#define METHOD_COUNT ((int)(sizeof methods / sizeof *methods))

const fur_method_info *fur_solver_method_at(int index)
{
    return index >= 0 && index < METHOD_COUNT ? &methods[index]->info : NULL;
}

const fur_method *fur_method_find(const char *name)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (strcmp(methods[i]->info.name, name) == 0)
            return methods[i];
    return NULL;
}

static fur_status find_method(fur_context *context, const char *name, const fur_method **out)
{
    const fur_method *found = fur_method_find(name ? name : DEFAULT_METHOD);
    if (found) {
        *out = found;
        return FUR_OK;
    }
    char names[256] = "";
    for (int i = 0; i < METHOD_COUNT; i++)
        fur_names_add(names, sizeof names, methods[i]->info.name);
    return fur_context_fail(context, FUR_UNSUPPORTED, "there is no method \"%s\"; there are: %s",
                            name, names);
}

/* Checks the shape and type of another operator that belongs to A. It maps x of A to b of A, or x
 * to x. Error sentences call it `name`. */
static fur_status check_companion(const fur_operator *a, const char *name, const fur_operator *m,
                                  const fur_context *from, int64_t rows, int64_t cols)
{
    if (m)
        FUR_TRY(fur_operator_check(m));
    if (m && (fur_operator_rows(m) != rows || fur_operator_cols(m) != cols ||
              fur_operator_value_type(m) != fur_operator_value_type(a) ||
              fur_operator_context(m) != fur_operator_domain(a) || fur_operator_domain(m) != from))
        return fur_context_fail(fur_operator_context(a), FUR_INVALID,
                                "the %s differs from the matrix in size, value type or context; "
                                "it must be %lld x %lld",
                                name, (long long)rows, (long long)cols);
    return FUR_OK;
}

/* Checks the matrix that the options say the operator is. */
static fur_status check_matrix(const fur_operator *a, const fur_csr *matrix)
{
    const fur_csr_view *m = matrix ? fur_csr_get(matrix) : NULL;
    if (m && (m->rows != fur_operator_rows(a) || m->cols != fur_operator_cols(a) ||
              m->value_type != fur_operator_value_type(a) ||
              fur_csr_context(matrix) != fur_operator_context(a)))
        return fur_context_fail(fur_operator_context(a), FUR_INVALID,
                                "options.matrix differs from the operator in size, value type or "
                                "context; it must be A, of %lld x %lld",
                                (long long)fur_operator_rows(a), (long long)fur_operator_cols(a));
    return FUR_OK;
}

static fur_status check_damping(const fur_operator *a, const fur_method *method,
                                const fur_solver_options *o)
{
    fur_context *context = fur_operator_context(a);
    if (!(o->damp >= 0) || !(o->damp < HUGE_VAL))
        return fur_context_fail(context, FUR_INVALID, "damp must be finite and not negative");
    if (o->damp > 0 && method->kind == FUR_METHOD_SQUARE)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "%s solves A x = b without damping; lsqr, lsmr and cgnr have it",
                                method->info.name);
    if (o->damp > 0 && o->preconditioner && !method->damps_preconditioned)
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "%s accepts a preconditioner or damping, not both; cgnr accepts both",
            method->info.name);
    return FUR_OK;
}

/* Checks that the method can work with A and the other operators. */
static fur_status check_operators(const fur_operator *a, const fur_method *method,
                                  const fur_solver_options *o)
{
    fur_context *context = fur_operator_context(a);
    int64_t rows = fur_operator_rows(a);
    int64_t cols = fur_operator_cols(a);
    FUR_TRY(fur_operator_check(a));
    if (method->kind == FUR_METHOD_SQUARE && rows != cols)
        return fur_context_fail(context, FUR_INVALID,
                                "%s needs a square matrix; this one is %lld x %lld: for least "
                                "squares use lsqr, lsmr or cgnr",
                                method->info.name, (long long)rows, (long long)cols);
    if (method->kind == FUR_METHOD_SQUARE && fur_operator_domain(a) != context)
        return fur_context_fail(
            context, FUR_INVALID,
            "%s needs x and b in one context, but this operator has two contexts",
            method->info.name);
    if (method->kind == FUR_METHOD_LEAST_SQUARES && !o->adjoint)
        return fur_context_fail(context, FUR_INVALID,
                                "%s needs A^H; set options.adjoint, for example to the operator of "
                                "a plan with FUR_OP_H",
                                method->info.name);
    FUR_TRY(check_companion(a, "adjoint", o->adjoint, context, cols, rows));
    FUR_TRY(check_companion(a, "preconditioner", o->preconditioner, fur_operator_domain(a), cols,
                            cols));
    return check_matrix(a, o->matrix);
}

/* Returns the iterations between two reads of the scalars. On the CPU a read costs nothing. */
static int64_t default_interval(const fur_operator *a)
{
    fur_context *context = fur_operator_context(a);
    return fur_context_host(context) == context ? 1 : 0;
}

/* The default of max_iterations. Because of rounding, a small badly conditioned system can take
 * several times its number of rows. For a large system that many iterations would take too long. */
int64_t fur_solver_iterations(int64_t rows)
{
    return rows < (FUR_SOLVER_MAX_ITERATIONS - 100) / 10 ? 10 * rows + 100
                                                         : FUR_SOLVER_MAX_ITERATIONS;
}

double fur_solver_tolerance(const fur_solver_options *options, fur_value_type value)
{
    return options->rtol > 0 ? options->rtol : fur_value_is_single(value) ? 1e-5 : 1e-10;
}

static fur_status set_defaults(const fur_operator *a, const fur_method *method,
                               fur_solver_options *o)
{
    fur_context *context = fur_operator_context(a);
    int64_t rows = fur_shared_size(context, fur_operator_rows(a));
    if (!(o->rtol >= 0) || !(o->atol >= 0) || o->max_iterations < 0)
        return fur_context_fail(context, FUR_INVALID,
                                "rtol, atol and max_iterations must not be negative");
    if (o->check_every < 0)
        return fur_context_fail(context, FUR_INVALID, "check_every must not be negative");
    if (o->execution < FUR_EXECUTION_AUTO || o->execution > FUR_EXECUTION_PERSISTENT)
        return fur_context_fail(context, FUR_INVALID,
                                "execution is %d; use FUR_EXECUTION_AUTO, FUR_EXECUTION_PLAIN, "
                                "FUR_EXECUTION_RECORDED or FUR_EXECUTION_PERSISTENT",
                                (int)o->execution);
    if (o->restart < 0 || o->restart > FUR_SOLVER_MAX_RESTART)
        return fur_context_fail(context, FUR_INVALID, "restart must be from 0 to %d",
                                FUR_SOLVER_MAX_RESTART);
    o->method = method->info.name;
    o->rtol = fur_solver_tolerance(o, fur_operator_value_type(a));
    if (o->max_iterations == 0)
        o->max_iterations = fur_solver_iterations(rows);
    if (o->check_every == 0)
        o->check_every = default_interval(a);
    if (o->restart == 0)
        o->restart = method->default_restart;
    if (o->restart > rows) /* there are no more directions */
        o->restart = rows > 0 ? (int)rows : 1;
    return FUR_OK;
}

/* Makes a list of `count` vectors in this context with this size. If count is 0, the list stays
 * NULL. */
static fur_status make_vectors(const fur_solver *s, fur_context *context, int64_t size, int count,
                               fur_vector ***out)
{
    if (count == 0)
        return FUR_OK;
    FUR_TRY(fur_context_allocate(s->context, (size_t)count * sizeof **out, (void **)out));
    for (int i = 0; i < count; i++)
        (*out)[i] = NULL;
    for (int i = 0; i < count; i++)
        FUR_TRY(fur_vector_create(context, fur_operator_value_type(s->a), size, &(*out)[i]));
    return FUR_OK;
}

static void destroy_vectors(const fur_solver *s, int count, fur_vector **vectors)
{
    for (int i = 0; vectors && i < count; i++)
        fur_vector_destroy(vectors[i]);
    fur_context_release(s->context, vectors);
}

static int count_work(const fur_solver *s)
{
    return s->method->workspace + s->method->vectors_a_restart * s->options.restart;
}

static fur_status make_workspace(fur_solver *s)
{
    fur_value_type value = fur_operator_value_type(s->a);
    int64_t doubles = s->method->scratch ? s->method->scratch(s->options.restart) : 0;
    FUR_TRY(fur_vector_create(s->context, value, fur_operator_rows(s->a), &s->r));
    FUR_TRY(fur_vector_create(s->domain, value, fur_operator_cols(s->a), &s->correction));
    FUR_TRY(make_vectors(s, s->domain, fur_operator_cols(s->a), count_work(s), &s->work));
    FUR_TRY(make_vectors(s, s->context, fur_operator_rows(s->a), s->method->range_workspace,
                         &s->range));
    FUR_TRY(
        fur_context_allocate(s->context, (size_t)doubles * sizeof(double), (void **)&s->scratch));
    FUR_TRY(fur_scalars_create(s->context, &s->scalars));
    return s->method->prepare ? s->method->prepare(s) : FUR_OK;
}

/* Makes the nullspace of the options, which are not needed after that, and M with projected
 * results. */
static fur_status make_null_space(fur_solver *s)
{
    fur_solver_options *o = &s->options;
    if ((o->null_space || o->null_constant) && s->method->kind == FUR_METHOD_LEAST_SQUARES)
        return fur_context_fail(s->context, FUR_UNSUPPORTED,
                                "%s does not accept null_space: it finds the least-squares "
                                "solution of a singular system without it",
                                s->method->info.name);
    FUR_TRY(fur_null_space_create(s->a, o, s->correction, s->r, &s->null_space));
    if (s->null_space && s->null_space->preconditioner)
        o->preconditioner = s->null_space->preconditioner;
    o->null_space = NULL;
    return FUR_OK;
}

/* Returns whether iterations may be executed in this way. */
static bool wants(const fur_solver *s, fur_execution execution)
{
    return s->method->runs_ahead &&
           (s->options.execution == FUR_EXECUTION_AUTO || s->options.execution == execution);
}

static bool is_recordable(const fur_solver *s)
{
    const fur_operator *m = s->options.preconditioner;
    return fur_operator_recordable(s->a) && (!m || fur_operator_recordable(m));
}

/* Makes the objects with which a device does many iterations at once, if it can. */
static fur_status make_ahead(fur_solver *s)
{
    const fur_operator *m = s->options.preconditioner;
    if (!s->red_black && wants(s, FUR_EXECUTION_PERSISTENT) && (!m || fur_operator_scaling(m)))
        s->persistent = fur_persistent_plan(s->a);
    if (s->method->runs_ahead && !s->red_black)
        s->fused = fur_fused_plan(s->a);
    if (s->persistent || !wants(s, FUR_EXECUTION_RECORDED) || !is_recordable(s) ||
        fur_context_host(s->context) == s->context)
        return FUR_OK;
    return fur_recording_create(s->context, &s->recording);
}

fur_status fur_solver_pass_on(const fur_solver *solver, int64_t failures, fur_status status)
{
    return solver->context->env.failures == failures
               ? fur_context_pass_on(solver->domain, solver->context, status)
               : status;
}

static void join(fur_solver *s)
{
    const fur_operator *operators[] = {s->a, s->options.adjoint, s->options.preconditioner};
    const fur_csr *matrix = s->options.matrix;
    for (int i = 0; i < FUR_SOLVER_SOURCES; i++)
        s->source[i] = (fur_dependent){"the solver", s, NULL, .reads = true,
                                       .main = i > 0 ? &s->source[0] : NULL};
    for (int i = FUR_OF_A; i <= FUR_OF_PRECONDITIONER; i++)
        if (operators[i])
            fur_dependent_join(&s->source[i], &operators[i]->dependent.made);
    if (matrix)
        fur_dependent_join(&s->source[FUR_OF_MATRIX], &matrix->made);
}

fur_status fur_solver_check(const fur_solver *solver)
{
    return fur_dependent_check(&solver->context->env, &solver->source[0]);
}

fur_status fur_solver_create(const fur_operator *a, const fur_solver_options *options,
                             fur_solver **out)
{
    FUR_NEED(fur_operator_context(a), a, out);
    fur_context *context = fur_operator_context(a);
    fur_solver_options o;
    const fur_method *method = NULL;
    FUR_TAKE_OPTIONS(context, fur_solver_options, &o, options);
    FUR_TRY(find_method(context, o.method, &method));
    FUR_TRY(check_operators(a, method, &o));
    FUR_TRY(check_damping(a, method, &o));
    FUR_TRY(set_defaults(a, method, &o));

    void *memory;
    FUR_TRY(fur_context_allocate(context, sizeof(fur_solver), &memory));
    fur_solver *solver = memory;
    *solver = (fur_solver){.context = context,
                           .domain = fur_operator_domain(a),
                           .a = a,
                           .method = method,
                           .options = o};
    join(solver);
    int64_t failures = context->env.failures;
    fur_status status = fur_solver_pass_on(solver, failures, make_workspace(solver));
    if (status == FUR_OK)
        status = fur_complete_make(solver);
    if (status == FUR_OK)
        status = make_null_space(solver);
    if (status == FUR_OK && method->reduces && !o.no_reduction)
        status = fur_red_black_create(solver, o.preconditioner, &solver->red_black);
    if (status == FUR_OK)
        status = make_ahead(solver);
    if (status != FUR_OK) {
        fur_solver_destroy(solver);
        return status;
    }
    *out = solver;
    return FUR_OK;
}

void fur_solver_destroy(fur_solver *solver)
{
    if (!solver)
        return;
    for (int i = 0; i < FUR_SOLVER_SOURCES; i++)
        fur_dependent_leave(&solver->source[i]);
    fur_together_release(solver->context, solver->together);
    fur_red_black_release(solver->red_black);
    fur_lift_release(solver->lift);
    fur_null_space_release(solver->null_space);
    fur_complete_release(solver);
    destroy_vectors(solver, count_work(solver), solver->work);
    destroy_vectors(solver, solver->method->range_workspace, solver->range);
    fur_vector_destroy(solver->r);
    fur_vector_destroy(solver->correction);
    fur_scalars_destroy(solver->scalars);
    fur_recording_destroy(solver->recording);
    fur_persistent_release(solver->persistent);
    fur_fused_release(solver->fused);
    fur_context_release(solver->context, solver->scratch);
    fur_context_release(solver->context, solver);
}
