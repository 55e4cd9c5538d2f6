#include "multigrid.h"

#include "operator.h"
#include "options.h"
#include "solver.h"
#include "stencil.h"

using Multigrid = Held<fur_multigrid, fur_multigrid_destroy>;

static Multigrid create(const Stencil &a, bool full, const nb::dict &keywords)
{
    Keywords given(keywords);
    auto options = fur_default<fur_multigrid_options>();
    options.cycle = full ? FUR_CYCLE_F : FUR_CYCLE_V;
    given.take_count("pre_sweeps", options.pre_sweeps, FUR_MULTIGRID_NO_SWEEPS);
    given.take_count("post_sweeps", options.post_sweeps, FUR_MULTIGRID_NO_SWEEPS);
    given.take_count("levels", options.levels);
    given.take_count("coarsest", options.coarsest);
    given.finish("multigrid");
    return Multigrid(a.shared_context(), make_in<fur_multigrid>(a.context(), [&](auto out) {
                         return fur_multigrid_create(a.get()->stencil, &options, out);
                     }));
}

static Operator as_operator(nb::handle self)
{
    const Multigrid &mg = nb::cast<const Multigrid &>(self);
    return derive_operator(mg.shared_context(), nb::borrow(self),
                           [&](auto out) { return fur_operator_from_multigrid(mg.get(), out); });
}

static void cycle(Multigrid &mg, const InArray &b, const OutArray &x)
{
    fur_context *context = mg.context().get();
    Use use(mg.context());
    furrow::vector right = vector_of(context, Dense(b, "b"));
    Result guess(context, Dense(x, "x"));
    expect_ok(fur_multigrid_cycle(mg.get(), right, guess), context);
    guess.finish();
}

/* Applies cycles from the initial guess in x and returns the report. */
static nb::dict solve(Multigrid &mg, const InArray &b, const OutArray &x, const nb::dict &keywords)
{
    fur_context *context = mg.context().get();
    Keywords given(keywords);
    double rtol = 0;
    std::int64_t most = 0;
    given.take_tolerance("rtol", rtol);
    given.take_count("maxiter", most);
    given.finish("multigrid");
    auto report = fur_default<fur_solver_report>();
    {
        Use use(mg.context());
        furrow::vector right = vector_of(context, Dense(b, "b"));
        Result guess(context, Dense(x, "x0"));
        expect_ok(fur_multigrid_solve(mg.get(), right, guess, rtol, most, &report), context);
        guess.finish();
    }
    return dict_of(report, true);
}

static nb::dict report(const Multigrid &mg)
{
    const fur_multigrid_report &r = *fur_multigrid_describe(mg.get());
    nb::dict made;
    made["levels"] = r.levels;
    made["points"] = r.points;
    made["coarsest"] = r.coarsest;
    return made;
}

void bind_multigrid(nb::module_ &m)
{
    nb::class_<Multigrid>(m, "Multigrid")
        .def_static("create", &create, nb::arg("stencil"), nb::arg("full"), nb::arg("options"))
        .def("operator", &as_operator)
        .def("cycle", &cycle)
        .def("solve", &solve)
        .def("report", &report);
}
