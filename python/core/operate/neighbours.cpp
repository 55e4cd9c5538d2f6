#include "neighbours.h"

#include "csr.h"

/* Returns the graph of the k nearest neighbours of each row of `points`. */
static Csr neighbours(std::shared_ptr<Context> context, const InArray &points, std::int64_t k,
                      const std::string &method, bool squared, bool with_self)
{
    auto options = fur_default<fur_neighbours_options>();
    options.method = or_null(method);
    options.squared = squared;
    options.with_self = with_self;
    fur_csr *made = nullptr;
    {
        Use use(*context);
        furrow::vectors cloud = block_of(context->get(), Dense(points, "points"));
        expect_ok(fur_neighbours(cloud, k, &options, nullptr, &made), context->get());
    }
    return Csr(std::move(context), made);
}

void bind_neighbours(nb::module_ &m)
{
    m.def("neighbours", &neighbours, nb::arg("context"), nb::arg("points"), nb::arg("k"),
          nb::arg("method"), nb::arg("squared"), nb::arg("with_self"));
}
