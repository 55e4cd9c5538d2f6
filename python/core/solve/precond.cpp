#include "precond.h"

#include "array.h"
#include "csr.h"
#include "operator.h"
#include "options.h"

#include <nanobind/stl/vector.h>

/* Returns "fill=10,drop=0.001" for keywords. Keywords that are not options of the kind remain. */
static std::string options_text(Keywords *given, const std::string &kind)
{
    std::string text;
    const fur_option *o;
    for (int i = 0; (o = fur_precond_option_at(kind.c_str(), i)); i++) {
        std::string value = given->text_of_option(*o);
        if (!value.empty())
            text += (text.empty() ? "" : ",") + std::string(o->name) + "=" + value;
    }
    return text;
}

static Precond create(nb::handle matrix, const std::string &kind, const nb::dict &keywords)
{
    const Csr &a = nb::cast<const Csr &>(matrix);
    auto options = fur_default<fur_precond_options>();
    Keywords given(keywords);
    std::string text = options_text(&given, kind);
    std::string names;
    const fur_option *o;
    for (int i = 0; (o = fur_precond_option_at(kind.c_str(), i)); i++)
        names += (names.empty() ? "; it has " : ", ") + std::string(o->name);
    given.finish("the preconditioner " + kind, names);
    if (!text.empty())
        text = kind + (kind.find(':') == std::string::npos ? ":" : ",") + text;
    options.kind = text.empty() ? kind.c_str() : text.c_str();
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

/* Returns the names and descriptions in a table of the library. */
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
    m.def("precond_options", [](const std::string &kind) {
        nb::dict made;
        const fur_option *o;
        for (int i = 0; (o = fur_precond_option_at(kind.c_str(), i)); i++)
            made[o->name] = o->summary;
        return made;
    });
    m.def("methods", [] { return table(fur_solver_method_at); });
}
