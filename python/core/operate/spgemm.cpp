#include "spgemm.h"

#include "csr.h"

using Spgemm = Held<fur_spgemm, fur_spgemm_destroy>;

/* Both matrices must be in one context. The plan keeps them alive. */
static Spgemm plan(nb::handle left, nb::handle right)
{
    const Csr &a = nb::cast<const Csr &>(left);
    const Csr &b = nb::cast<const Csr &>(right);
    fur_spgemm *made = make_in<fur_spgemm>(
        a.context(), [&](auto out) { return fur_spgemm_plan(a.get(), b.get(), nullptr, out); });
    return Spgemm(a.shared_context(), made, nb::make_tuple(left, right));
}

static Csr multiply(const Spgemm &p)
{
    return Csr(p.shared_context(), make_in<fur_csr>(p.context(), [&](auto out) {
                   return fur_spgemm_multiply(p.get(), fur_real(1), out);
               }));
}

static void apply(const Spgemm &p, Csr &c)
{
    Use use(p.context());
    expect_ok(fur_spgemm_apply(p.get(), fur_real(1), c.get()), p.context().get());
}

static nb::dict report(const Spgemm &p)
{
    const fur_spgemm_report &r = *fur_spgemm_describe(p.get());
    nb::dict made;
    made["entries"] = r.entries;
    made["products"] = r.products;
    made["bytes"] = r.bytes;
    made["seconds_plan"] = r.seconds_plan;
    return made;
}

static Csr triple(const Csr &r, const Csr &a, const Csr &p)
{
    return derive(a, [&](auto out) { return fur_csr_triple(r.get(), a.get(), p.get(), out); });
}

static Csr sddmm(const Csr &a, double alpha, const InArray &x, const InArray &y, double beta)
{
    fur_context *context = a.context().get();
    fur_csr *made = nullptr;
    {
        Use use(a.context());
        furrow::vectors left = block_of(context, Dense(x, "X"));
        furrow::vectors right = block_of(context, Dense(y, "Y"));
        expect_ok(fur_sddmm_multiply(fur_real(alpha), left, right, fur_real(beta), a.get(), &made),
                  context);
    }
    return Csr(a.shared_context(), made);
}

void bind_spgemm(nb::module_ &m)
{
    nb::class_<Spgemm>(m, "Spgemm")
        .def_static("plan", &plan, nb::arg("a"), nb::arg("b"))
        .def("multiply", &multiply)
        .def("apply", &apply)
        .def("report", &report);
    m.def("triple", &triple, nb::arg("r"), nb::arg("a"), nb::arg("p"));
    m.def("sddmm", &sddmm, nb::arg("a"), nb::arg("alpha"), nb::arg("x"), nb::arg("y"),
          nb::arg("beta"));
}
