#include "precond.h"

#include "array.h"
#include "csr.h"
#include "operator.h"
#include "options.h"

#include <nanobind/stl/vector.h>

static void take_amg(Keywords *given, fur_amg_options *amg)
{
    given->take("theta", amg->theta);
    given->take("levels", amg->levels);
    given->take("coarsest", amg->coarsest);
    given->take("smoother", amg->smoother);
    given->take("sweeps", amg->sweeps);
    given->take("single", amg->single);
    given->take("nonsymmetric", amg->nonsymmetric);
    given->take("coarsening", amg->kind);
    given->take("node", amg->block);
}

static void take_others(Keywords *given, fur_precond_options *o)
{
    given->take("fill", o->fill);
    given->take("shift", o->shift);
    given->take("modified", o->modified);
    given->take("coloured", o->coloured);
    given->take("degree", o->degree);
    given->take("drop", o->drop);
    given->take("unmatched", o->unmatched);
    given->take("block", o->block);
    given->take("diagonal", o->diagonal);
    given->take("apart", o->apart);
    given->take("symmetric", o->symmetric);
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
    } else {
        take_others(&given, &options);
    }
    given.finish(("the preconditioner " + kind).c_str());
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
