#include "triangular.h"

#include "csr.h"
#include "operator.h"

using Trsv = Held<fur_trsv, fur_trsv_destroy>;

static Trsv plan(nb::handle matrix, bool lower, int op, bool unit, const std::string &schedule,
                 bool many)
{
    const Csr &a = nb::cast<const Csr &>(matrix);
    auto options = fur_default<fur_trsv_options>();
    options.schedule = or_null(schedule);
    options.many = many;
    auto triangle = lower ? FUR_TRIANGLE_LOWER : FUR_TRIANGLE_UPPER;
    auto diagonal = unit ? FUR_DIAGONAL_UNIT : FUR_DIAGONAL_STORED;
    fur_trsv *made = make_in<fur_trsv>(a.context(), [&](auto out) {
        return fur_trsv_plan(a.get(), triangle, static_cast<fur_op>(op), diagonal, &options, out);
    });
    return Trsv(a.shared_context(), made, nb::borrow(matrix));
}

static Operator as_operator(nb::handle self)
{
    const Trsv &t = nb::cast<const Trsv &>(self);
    return derive_operator(t.shared_context(), nb::borrow(self),
                           [&](auto out) { return fur_operator_from_trsv(t.get(), out); });
}

/* Solves for each right-hand side in place. The arrays receive the solutions. */
static void solve_many(const Trsv &t, const std::vector<OutArray> &arrays)
{
    fur_context *context = t.context().get();
    Use use(t.context());
    std::vector<Result> vectors;
    for (const OutArray &array : arrays)
        vectors.emplace_back(context, Dense(array, "b"));
    std::vector<fur_vector *> x(vectors.begin(), vectors.end());
    std::vector<const fur_vector *> b(vectors.begin(), vectors.end());
    expect_ok(
        fur_trsv_apply_many(t.get(), fur_real(1), static_cast<int>(x.size()), b.data(), x.data()),
        context);
    for (const Result &vector : vectors)
        vector.finish();
}

static nb::dict report(const Trsv &t)
{
    const fur_trsv_report &r = *fur_trsv_describe(t.get());
    nb::dict made;
    made["entries"] = r.entries;
    made["levels"] = r.levels;
    made["level_max"] = r.level_max;
    made["schedule"] = r.schedule;
    made["reason"] = r.reason;
    made["tasks"] = r.tasks;
    made["bytes"] = r.bytes;
    made["seconds_plan"] = r.seconds_plan;
    return made;
}

void bind_triangular(nb::module_ &m)
{
    nb::class_<Trsv>(m, "Trsv")
        .def_static("plan", &plan, nb::arg("csr"), nb::arg("lower"), nb::arg("op"), nb::arg("unit"),
                    nb::arg("schedule"), nb::arg("many"))
        .def("operator", &as_operator)
        .def("solve_many", &solve_many)
        .def("report", &report);
}
