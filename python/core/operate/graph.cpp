#include "graph.h"

#include "csr.h"

#include <algorithm>

/* Writes the class of each row, found by make(&classes). Returns the number of classes. */
template <typename Make>
static std::int64_t classes_of(const Csr &a, const OutArray &labels, Make make)
{
    if (offset_type_of(Dense(labels, "labels")) != FUR_I32)
        throw furrow::error(FUR_INVALID, "labels must have dtype int32");
    entries_of(Dense(labels, "labels"), a.view().rows);
    auto numbers = static_cast<std::int32_t *>(labels.data());
    Use use(a.context());
    fur_classes *made = nullptr;
    expect_ok(make(&made), a.context().get());
    std::int64_t count = fur_classes_get(made)->count;
    std::copy_n(fur_classes_get(made)->of_rows, a.view().rows, numbers);
    fur_classes_destroy(made);
    return count;
}

static std::int64_t components(const Csr &a, const OutArray &labels)
{
    return classes_of(a, labels,
                      [&](auto out) { return fur_classes_from_components(a.get(), out); });
}

static std::int64_t colours(const Csr &a, int distance, const OutArray &labels)
{
    auto options = fur_default<fur_colour_options>();
    options.distance = distance;
    return classes_of(a, labels,
                      [&](auto out) { return fur_classes_from_colours(a.get(), &options, out); });
}

void bind_graph(nb::module_ &m)
{
    m.def("components", &components, nb::arg("csr"), nb::arg("labels"));
    m.def("colours", &colours, nb::arg("csr"), nb::arg("distance"), nb::arg("labels"));
}
