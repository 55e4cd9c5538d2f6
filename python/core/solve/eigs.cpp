#include "eigs.h"

#include "array.h"
#include "operator.h"
#include "options.h"
#include "pulse.h"

#include <nanobind/stl/optional.h>

static int monitor(void *pulse, const fur_eigs_progress *p)
{
    return static_cast<Pulse *>(pulse)->beat(p->iteration, p->converged, p->residual);
}

static nb::dict dict_of(const fur_eigs_report &r)
{
    nb::dict made;
    made["outcome"] = fur_outcome_name(r.outcome);
    made["advice"] = fur_eigs_advice(r.outcome);
    made["converged"] = r.converged;
    made["iterations"] = r.iterations;
    made["products"] = r.products;
    made["restarts"] = r.restarts;
    made["norm"] = r.norm;
    made["seconds"] = r.seconds;
    return made;
}

/* Returns the columns of an array as vectors. */
static std::vector<Result> columns_of(fur_context *context, const Dense &array, std::int64_t count)
{
    if (array.axes != 2 || array.shape[1] != count || (array.shape[0] > 1 && array.stride[0] != 1))
        throw furrow::error(FUR_INVALID,
                            "vectors should be an array with contiguous columns (order='F')");
    auto size = static_cast<std::int64_t>(fur_value_size(value_type_of(array)));
    std::vector<Result> columns;
    for (std::int64_t k = 0; k < count; k++) {
        Dense column = array;
        column.axes = 1;
        column.data = static_cast<const char *>(array.data) + k * array.stride[1] * size;
        columns.emplace_back(context, column);
    }
    return columns;
}

/* The outputs of both methods. */
struct results {
    double *values;
    double *residuals;
    OutArray vectors;
};

/* Runs call(values, residuals, vectors, report) on the results and returns the report. */
template <typename Call>
static nb::dict find(const Operator &a, std::int64_t count, const results &out, Call call)
{
    fur_context *context = a.context().get();
    auto report = fur_default<fur_eigs_report>();
    {
        Use use(a.context());
        auto columns = columns_of(context, Dense(out.vectors, "vectors"), count);
        std::vector<fur_vector *> handles;
        for (const Result &column : columns)
            handles.push_back(column);
        expect_ok(call(context, handles.data(), &report), context);
        for (const Result &column : columns)
            column.finish();
    }
    return dict_of(report);
}

static results results_of(std::int64_t count, const OutArray &values, const OutArray &residuals,
                          const OutArray &vectors)
{
    entries_of(Dense(values, "values"), count);
    entries_of(Dense(residuals, "residuals"), count);
    return {static_cast<double *>(values.data()), static_cast<double *>(residuals.data()), vectors};
}

static nb::dict eigs(const Operator &a, int count, int which, const OutArray &values,
                     const OutArray &residuals, const OutArray &vectors, nb::handle call,
                     const nb::dict &keywords)
{
    results out = results_of(count, values, residuals, vectors);
    Pulse pulse(call);
    Keywords given(keywords);
    auto options = fur_default<fur_eigs_options>();
    options.count = count;
    options.which = static_cast<fur_eigs_which>(which);
    options.monitor = monitor;
    options.monitor_user = &pulse;
    given.take_tolerance("tol", options.tolerance);
    given.take_count("ncv", options.basis);
    given.take_count("maxiter", options.max_iterations);
    given.finish("eigsh");
    return find(a, count, out, [&](fur_context *, fur_vector **columns, fur_eigs_report *report) {
        return fur_eigs(a.op(), &options, out.values, out.residuals, columns, report);
    });
}

static nb::dict lobpcg(const Operator &a, int count, int which, const OutArray &values,
                       const OutArray &residuals, const OutArray &vectors, nb::handle m,
                       const std::optional<InArray> &constraints, nb::handle call,
                       const nb::dict &keywords)
{
    results out = results_of(count, values, residuals, vectors);
    Pulse pulse(call);
    Keywords given(keywords);
    auto options = fur_default<fur_lobpcg_options>();
    options.count = count;
    options.which = static_cast<fur_eigs_which>(which);
    options.preconditioner = m.is_none() ? nullptr : nb::cast<const Operator &>(m).op();
    options.monitor = monitor;
    options.monitor_user = &pulse;
    given.take_tolerance("tol", options.tolerance);
    given.take_count("maxiter", options.max_iterations);
    given.finish("lobpcg");
    return find(a, count, out, [&](fur_context *context, fur_vector **columns, auto *report) {
        std::optional<furrow::vectors> apart;
        if (constraints)
            apart.emplace(block_of(context, Dense(*constraints, "Y")));
        options.constraints = apart ? apart->get() : nullptr;
        return fur_lobpcg(a.op(), &options, out.values, out.residuals, columns, report);
    });
}

void bind_eigs(nb::module_ &m)
{
    m.def("eigs", &eigs, nb::arg("a"), nb::arg("count"), nb::arg("which"), nb::arg("values"),
          nb::arg("residuals"), nb::arg("vectors"), nb::arg("call").none(), nb::arg("options"));
    m.def("lobpcg", &lobpcg, nb::arg("a"), nb::arg("count"), nb::arg("which"), nb::arg("values"),
          nb::arg("residuals"), nb::arg("vectors"), nb::arg("m").none(),
          nb::arg("constraints").none(), nb::arg("call").none(), nb::arg("options"));
}
