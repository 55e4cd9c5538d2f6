#include "solver.h"

#include "array.h"
#include "csr.h"
#include "operator.h"
#include "options.h"
#include "pulse.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

/* Replaces a max_iterations of 0 that the caller gave. */
static constexpr std::int64_t no_iterations = -1;

/* Reports a solve to Python while it runs, and collects its residuals. */
class Watch
{
  public:
    /* every: calls Python at every iteration, not only from time to time. Removes no_iterations
     * from the options: a solve without iterations ends when the monitor receives the residual of
     * the initial guess. */
    Watch(nb::handle call, bool every, fur_solver_options *options)
        : pulse_(call), every_(every), none_(options->max_iterations == no_iterations)
    {
        if (none_)
            options->max_iterations = 0;
        options->monitor = monitor;
        options->monitor_user = this;
    }
    /* Before each call, Python's array receives x. its_own: x of the iteration is copied first. */
    void show(const Result *x, bool its_own)
    {
        shown_ = x;
        its_own_ = its_own;
    }
    static int monitor(void *user, const fur_solver_progress *p)
    {
        auto self = static_cast<Watch *>(user);
        self->iterations_.push_back(p->iteration);
        self->residuals_.push_back(p->residual);
        if (self->none_ || (self->shown_ && !self->bring(p)))
            return 1;
        return self->every_ ? self->pulse_.ask(p->iteration, p->residual)
                            : self->pulse_.beat(p->iteration, p->residual);
    }
    /* Called when an attempt of a choice of methods begins (report NULL) or has ended. */
    static void attempt(void *user, const fur_choice *choice, const fur_solver_report *report)
    {
        auto self = static_cast<Watch *>(user);
        if (!report) {
            self->iterations_.clear();
            self->residuals_.clear();
        } else {
            self->attempts_.emplace_back(std::string(choice->method) + ", " + choice->precond +
                                         ": " + fur_outcome_name(report->outcome) + "; tried as " +
                                         choice->reason);
        }
    }
    /* Returns a report whose outcome says why the solve ended. */
    fur_solver_report corrected(fur_solver_report report) const
    {
        if (none_ && report.outcome == FUR_OUTCOME_STOPPED)
            report.outcome = FUR_OUTCOME_MAX_ITERATIONS;
        return report;
    }
    /* Returns the reported iterations and their residuals. */
    std::vector<std::int64_t> take_iterations()
    {
        return std::move(iterations_);
    }
    std::vector<double> take_residuals()
    {
        return std::move(residuals_);
    }
    std::vector<std::string> take_attempts()
    {
        return std::move(attempts_);
    }

  private:
    /* Copies x to Python's array. */
    bool bring(const fur_solver_progress *p) noexcept
    {
        try {
            if (its_own_)
                expect_ok(fur_solver_iterate(p, *shown_), fur_vector_context(*shown_));
            shown_->finish();
            return true;
        } catch (...) {
            keep_exception();
            return false;
        }
    }
    Pulse pulse_;
    bool every_;
    bool none_;
    const Result *shown_ = nullptr;
    bool its_own_ = false;
    std::vector<std::int64_t> iterations_;
    std::vector<double> residuals_;
    std::vector<std::string> attempts_;
};

/* Says what to try next. For a singular system, says which system was solved. */
static std::string advice_of(const fur_solver_report &r)
{
    char size[32];
    if (r.outcome != FUR_OUTCOME_LEAST_SQUARES || !(r.outside > 0))
        return fur_outcome_advice(r.outcome);
    std::snprintf(size, sizeof size, "%.1e", r.outside);
    return std::string("A is singular, and a part of b, ") + size +
           " of its norm, is outside its range; x solves the system without that part";
}

nb::dict dict_of(const fur_solver_report &r, bool square)
{
    nb::dict made;
    made["outcome"] = fur_outcome_name(r.outcome);
    made["advice"] = advice_of(r);
    made["converged"] =
        fur_outcome_solved(r.outcome) || (r.outcome == FUR_OUTCOME_LEAST_SQUARES && !square);
    made["stopped"] = r.outcome == FUR_OUTCOME_MAX_ITERATIONS || r.outcome == FUR_OUTCOME_STOPPED;
    made["iterations"] = r.iterations;
    made["residual"] = r.residual;
    made["residual_recurrence"] = r.residual_recurrence;
    made["seconds"] = r.seconds;
    made["method"] = r.method;
    made["products"] = r.products;
    made["condition"] = r.condition;
    made["norm"] = r.norm;
    made["normal_residual"] = r.normal_residual;
    made["residual_bound"] = r.residual_bound;
    made["error_a_norm"] = r.error_a_norm;
    made["backward_error"] = r.backward_error;
    made["residual_scaled"] = r.residual_scaled;
    made["backward_error_rows"] = r.backward_error_rows;
    made["scale"] = r.scale ? r.scale : "none";
    made["outside"] = r.outside;
    return made;
}

static fur_solver_options options_of(Keywords *given)
{
    auto o = fur_default<fur_solver_options>();
    given->take("method", o.method);
    given->take_tolerance("rtol", o.rtol);
    given->take("atol", o.atol);
    given->take_count("maxiter", o.max_iterations, no_iterations);
    given->take("check_every", o.check_every);
    given->take_count("restart", o.restart);
    given->take_count("s", o.restart);
    given->take("damp", o.damp);
    given->take_flag("no_reduction", o.no_reduction);
    given->take_flag("bounds", o.bounds);
    given->take_flag("null_constant", o.null_constant);
    given->finish("a solver");
    return o;
}

/* Returns the library's operator of a Python object; NULL for None. */
static const fur_operator *op_of(nb::handle object)
{
    return object.is_none() ? nullptr : nb::cast<const Operator &>(object).op();
}

/* Returns the columns of an array as vectors of a null space, which the solver's creation reads.
 * Returns no vectors if there is no array. Requires the context's lock. */
static furrow::vectors null_space_of(fur_context *context, const std::optional<InArray> &columns)
{
    return columns ? block_of(context, Dense(*columns, "null_space")) : furrow::vectors();
}

/* Returns A as a matrix; NULL for None. */
static const fur_csr *matrix_of(nb::handle object)
{
    return object.is_none() ? nullptr : nb::cast<const Csr &>(object).get();
}

/* Solves from the initial guess in x. Returns the report, the residuals, and no attempts.
 * matrix: A if it is a matrix, for the report.
 * iterate: receives x of the iteration that is passed to `call`. If it is x itself, it contains
 * what the method has stored so far. */
static nb::tuple solve(const Operator &a, nb::handle matrix, const InArray &b, const OutArray &x,
                       nb::handle m, nb::handle adjoint, nb::handle call, bool every,
                       const std::optional<OutArray> &iterate,
                       const std::optional<InArray> &null_space, const nb::dict &keywords)
{
    fur_context *context = a.context().get();
    Keywords given(keywords);
    fur_solver_options options = options_of(&given);
    Watch watch(call, every, &options);
    options.preconditioner = op_of(m);
    options.adjoint = op_of(adjoint);
    options.matrix = matrix_of(matrix);
    auto report = fur_default<fur_solver_report>();
    {
        Use use(a.context());
        furrow::vector right = vector_of(context, Dense(b, "b"));
        Result guess(context, Dense(x, "x0"));
        std::optional<Result> told;
        if (iterate && iterate->data() == x.data())
            watch.show(&guess, false);
        else if (iterate)
            watch.show(&told.emplace(context, Dense(*iterate, "iterate")), true);
        furrow::vectors null = null_space_of(context, null_space);
        options.null_space = null;
        furrow::solver solver(a.op(), &options);
        expect_ok(fur_solver_solve(solver, right, guess, &report), context);
        guess.finish();
    }
    nb::dict made = dict_of(watch.corrected(report), a.square());
    made["residual_iterations"] = watch.take_iterations();
    return nb::make_tuple(made, watch.take_residuals(), watch.take_attempts());
}

/* Solves for each column of B, from the initial guess in this column of X. Returns a report for
 * each column. */
static nb::list solve_block(const Operator &a, nb::handle matrix, const InArray &b,
                            const OutArray &x, nb::handle m,
                            const std::optional<InArray> &null_space, const nb::dict &keywords)
{
    fur_context *context = a.context().get();
    Keywords given(keywords);
    fur_solver_options options = options_of(&given);
    Watch watch(nb::none(), false, &options);
    options.preconditioner = op_of(m);
    options.matrix = matrix_of(matrix);
    std::vector<fur_solver_report> reports(b.ndim() == 2 ? b.shape(1) : 0,
                                           fur_default<fur_solver_report>());
    {
        Use use(a.context());
        furrow::vectors right = block_of(context, Dense(b, "b"));
        BlockResult guess(context, Dense(x, "x0"));
        furrow::vectors null = null_space_of(context, null_space);
        options.null_space = null;
        furrow::solver solver(a.op(), &options);
        expect_ok(fur_solver_solve_block(solver, right, guess, reports.data()), context);
        guess.finish();
    }
    nb::list made;
    for (const fur_solver_report &report : reports)
        made.append(dict_of(watch.corrected(report), a.square()));
    return made;
}

/* Solves with methods that the library chooses, one after the other. */
static nb::tuple solve_matrix(const Csr &a, const InArray &b, const OutArray &x, nb::handle call,
                              const std::string &precond, int scale,
                              const std::optional<InArray> &null_space, const nb::dict &keywords)
{
    fur_context *context = a.context().get();
    Keywords given(keywords);
    fur_solver_options options = options_of(&given);
    Watch watch(call, false, &options);
    auto choice = fur_default<fur_solve_options>();
    choice.solver = &options;
    choice.precond = or_null(precond);
    choice.watch = Watch::attempt;
    choice.watch_user = &watch;
    choice.scale = static_cast<fur_scale>(scale);
    auto report = fur_default<fur_solver_report>();
    {
        Use use(a.context());
        furrow::vector right = vector_of(context, Dense(b, "b"));
        Result guess(context, Dense(x, "x0"));
        furrow::vectors null = null_space_of(context, null_space);
        options.null_space = null;
        expect_ok(fur_solve(a.get(), right, guess, &choice, &report), context);
        guess.finish();
    }
    nb::dict made = dict_of(watch.corrected(report), a.square());
    made["residual_iterations"] = watch.take_iterations();
    return nb::make_tuple(made, watch.take_residuals(), watch.take_attempts());
}

void bind_solver(nb::module_ &m)
{
    m.def("solve", &solve, nb::arg("a"), nb::arg("matrix").none(), nb::arg("b"), nb::arg("x"),
          nb::arg("m").none(), nb::arg("adjoint").none(), nb::arg("call").none(), nb::arg("every"),
          nb::arg("iterate").none(), nb::arg("null_space").none(), nb::arg("options"));
    m.def("solve_block", &solve_block, nb::arg("a"), nb::arg("matrix").none(), nb::arg("b"),
          nb::arg("x"), nb::arg("m").none(), nb::arg("null_space").none(), nb::arg("options"));
    m.def("solve_matrix", &solve_matrix, nb::arg("a"), nb::arg("b"), nb::arg("x"),
          nb::arg("call").none(), nb::arg("precond"), nb::arg("scale"),
          nb::arg("null_space").none(), nb::arg("options"));
}
