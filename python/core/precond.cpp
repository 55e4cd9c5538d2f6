#include "precond.h"

#include "array.h"
#include "csr.h"
#include "operator.h"
#include "options.h"

#include <nanobind/stl/vector.h>

#include <set>

/* nonsymmetric: -1 unless the caller says it. */
static void take_amg(Keywords *given, fur_amg_options *amg)
{
    amg->nonsymmetric = -1;
    given->take_tolerance("theta", amg->theta, FUR_AMG_NONE);
    given->take_count("levels", amg->levels);
    given->take_count("coarsest", amg->coarsest);
    given->take("smoother", amg->smoother);
    given->take_count("sweeps", amg->sweeps);
    given->take_flag("single", amg->single);
    given->take_flag("nonsymmetric", amg->nonsymmetric);
    given->take("coarsening", amg->kind);
    given->take_count("node", amg->block);
    given->take("aggressive", amg->aggressive);
}

using Kinds = std::set<std::string>;

/* The options of factors of A at given positions. */
static void take_factors(Keywords *given, const std::string &kind, fur_precond_options *o)
{
    if (!Kinds{"ic0", "ilu0", "ilu", "ilut", "schwarz"}.count(kind))
        return;
    given->take("shift", o->shift);
    if (kind == "ilut") {
        given->take_tolerance("drop", o->drop);
        given->take_flag("unmatched", o->unmatched);
    } else {
        given->take_flag("modified", o->modified);
    }
    if (Kinds{"ic0", "ilu0", "ilu"}.count(kind))
        given->take_flag("coloured", o->coloured);
    if (Kinds{"ilu", "ilut"}.count(kind))
        given->take_count("fill", o->fill);
}

static void take_inverses(Keywords *given, const std::string &kind, fur_precond_options *o)
{
    if (kind == "fsai") {
        given->take("fill", o->fill);
        given->take("steps", o->steps);
        given->take_count("grow", o->grow);
        given->take_tolerance("gain", o->gain);
    } else if (kind == "spai") {
        given->take_flag("diagonal", o->diagonal);
    } else if (kind == "chebyshev") {
        given->take_count("degree", o->degree);
    }
}

static void take_blocks(Keywords *given, const std::string &kind, fur_precond_options *o)
{
    if (Kinds{"bjacobi", "schwarz"}.count(kind))
        given->take_count("block", o->block);
    if (kind == "bjacobi")
        given->take_flag("narrow", o->narrow);
    if (kind == "schwarz") {
        given->take_flag("apart", o->apart);
        given->take_flag("symmetric", o->symmetric);
    }
}

/* Whether A is not Hermitian, by more than rounding. */
static bool is_asymmetric(const Csr &a)
{
    auto traits = fur_default<fur_csr_traits>();
    Use use(a.context());
    expect_ok(fur_csr_examine(a.get(), &traits), a.context().get());
    return !traits.hermitian;
}

static Precond create(nb::handle matrix, const std::string &kind, const nb::dict &keywords)
{
    const Csr &a = nb::cast<const Csr &>(matrix);
    Keywords given(keywords);
    auto amg = fur_default<fur_amg_options>();
    auto options = fur_default<fur_precond_options>();
    options.kind = kind.c_str();
    if (kind == "amg") {
        take_amg(&given, &amg);
        options.amg = &amg;
    }
    take_factors(&given, kind, &options);
    take_inverses(&given, kind, &options);
    take_blocks(&given, kind, &options);
    given.finish("the preconditioner " + kind);
    if (amg.nonsymmetric < 0)
        amg.nonsymmetric = is_asymmetric(a);
    fur_precond *made = make_in<fur_precond>(
        a.context(), [&](auto out) { return fur_precond_create(a.get(), &options, out); });
    return Precond(a.shared_context(), made, nb::borrow(matrix));
}

static Operator as_operator(nb::handle self)
{
    const Precond &p = nb::cast<const Precond &>(self);
    return derive_operator(p.shared_context(), nb::borrow(self),
                           [&](auto out) { return fur_operator_from_precond(p.get(), out); });
}

static void update(Precond &p)
{
    Use use(p.context());
    expect_ok(fur_precond_update(p.get()), p.context().get());
}

static nb::dict report(const Precond &p)
{
    const fur_precond_report &r = *fur_precond_describe(p.get());
    nb::dict made;
    made["kind"] = r.kind;
    made["entries"] = r.entries;
    made["bytes"] = r.bytes;
    made["seconds_setup"] = r.seconds_setup;
    made["shift"] = r.shift;
    made["levels"] = r.levels;
    made["symmetric"] = r.symmetric != 0;
    made["raised"] = r.raised;
    return made;
}

/* Names and sentences of a table of the library. */
static nb::dict table(const fur_method_info *(*at)(int))
{
    nb::dict made;
    for (int i = 0; at(i); i++)
        made[at(i)->name] = at(i)->summary;
    return made;
}

void bind_precond(nb::module_ &m)
{
    nb::class_<Precond>(m, "Precond")
        .def_static("create", &create)
        .def("operator", &as_operator)
        .def("update", &update)
        .def("report", &report);
    m.def("preconds", [] { return table(fur_precond_at); });
    m.def("methods", [] { return table(fur_solver_method_at); });
}
