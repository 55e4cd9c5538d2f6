#include "reorder.h"

#include "csr.h"

#include <nanobind/stl/optional.h>

#include <algorithm>

/* Converts an order of `size` numbers on the host for the library; NULL for None. Requires the
 * lock. */
static furrow::permutation permutation_of(fur_context *context, std::int64_t size,
                                          const std::optional<InArray> &order)
{
    if (!order)
        return furrow::permutation(static_cast<fur_permutation *>(nullptr));
    Dense array(*order, "order");
    if (offset_type_of(array) != FUR_I32)
        throw furrow::error(FUR_INVALID, "an order must have dtype int32");
    auto numbers = static_cast<const std::int32_t *>(entries_of(array, size));
    return furrow::permutation(
        context, furrow::span<const std::int32_t>(numbers, static_cast<std::size_t>(size)));
}

/* Finds an order with a method, writes it on the host, and returns the report. */
static nb::dict reorder(const Csr &a, const std::string &method, bool allow_worse,
                        const OutArray &order)
{
    auto options = fur_default<fur_reorder_options>();
    options.allow_worse = allow_worse;
    auto report = fur_default<fur_reorder_report>();
    auto numbers = static_cast<std::int32_t *>(order.data());
    entries_of(Dense(order, "order"), a.view().rows);
    {
        Use use(a.context());
        furrow::permutation found(a.context().get(), [&](auto out) {
            return fur_reorder(a.get(), method.c_str(), &options, &report, out);
        });
        std::copy_n(found.order().data(), found.size(), numbers);
    }
    nb::dict made;
    made["components"] = report.components;
    made["components_kept"] = report.components_kept;
    made["bandwidth_before"] = report.bandwidth_before;
    made["bandwidth_after"] = report.bandwidth_after;
    made["seconds"] = report.seconds;
    return made;
}

static nb::dict measure(const Csr &a, const std::optional<InArray> &order)
{
    auto f = fur_default<fur_order_figures>();
    {
        fur_context *context = a.context().get();
        Use use(a.context());
        furrow::permutation p = permutation_of(context, a.view().rows, order);
        expect_ok(fur_order_measure(a.get(), p, &f), context);
    }
    nb::dict made;
    made["bandwidth"] = f.bandwidth;
    made["profile"] = f.profile;
    made["wavefront_max"] = f.wavefront_max;
    made["wavefront_rms"] = f.wavefront_rms;
    return made;
}

static Csr permute(const Csr &a, const std::optional<InArray> &rows,
                   const std::optional<InArray> &cols)
{
    fur_context *context = a.context().get();
    fur_csr *made = nullptr;
    {
        Use use(a.context());
        furrow::permutation r = permutation_of(context, a.view().rows, rows);
        furrow::permutation c = permutation_of(context, a.view().cols, cols);
        expect_ok(fur_csr_permute(a.get(), r, c, &made), context);
    }
    return Csr(a.shared_context(), made);
}

static nb::dict methods()
{
    nb::dict made;
    for (int i = 0; fur_reorder_method_at(i); i++)
        made[fur_reorder_method_at(i)->name] = fur_reorder_method_at(i)->summary;
    return made;
}

void bind_reorder(nb::module_ &m)
{
    m.def("reorder", &reorder, nb::arg("csr"), nb::arg("method"), nb::arg("allow_worse"),
          nb::arg("order"));
    m.def("measure_order", &measure, nb::arg("csr"), nb::arg("order").none());
    m.def("permute", &permute, nb::arg("csr"), nb::arg("rows").none(), nb::arg("cols").none());
    m.def("orders", &methods);
}
