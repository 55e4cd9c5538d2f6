#include "stencil.h"

#include "operator.h"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

using Offset = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

void destroy(any_stencil *s)
{
    delete s;
}

/* ---- making ------------------------------------------------------------------------------------
 */

/* Returns axes, offsets and coefficients of a named stencil. The axes are empty if there is none.
 */
static nb::tuple named(int points)
{
    auto d = fur_default<fur_stencil_definition>();
    std::vector<Offset> offsets;
    std::vector<double> coefficients;
    if (fur_stencil_named(points, &d))
        for (int k = 0; k < d.points; k++) {
            offsets.emplace_back(d.offsets[k].x, d.offsets[k].y, d.offsets[k].z);
            coefficients.push_back(d.coefficients[k].re);
        }
    return nb::make_tuple(offsets.empty() ? 0 : d.axes, offsets, coefficients);
}

static void lay_grid(const std::vector<std::int64_t> &extent, const std::vector<int> &boundary,
                     fur_stencil_definition *d)
{
    if (extent.empty() || extent.size() > 3 || boundary.size() != extent.size())
        throw furrow::error(FUR_INVALID, "a grid has one, two or three axes");
    d->axes = static_cast<int>(extent.size());
    for (std::size_t axis = 0; axis < extent.size(); axis++) {
        d->extent[axis] = extent[axis];
        d->boundary[axis] = static_cast<fur_boundary>(boundary[axis]);
    }
}

static std::vector<fur_stencil_offset> neighbours(const std::vector<Offset> &offsets)
{
    std::vector<fur_stencil_offset> made;
    for (auto [x, y, z] : offsets)
        made.push_back({x, y, z});
    return made;
}

/* Makes a stencil from constant coefficients or from fields; the other list is empty. Fields are
 * arrays of one axis that the handle keeps alive. */
static Stencil create(std::shared_ptr<Context> context, int value,
                      const std::vector<std::int64_t> &extent, const std::vector<int> &boundary,
                      const std::vector<Offset> &offsets,
                      const std::vector<std::complex<double>> &coefficients,
                      const std::vector<InArray> &fields, const std::string &kernel,
                      nb::object kept)
{
    auto d = fur_default<fur_stencil_definition>();
    d.value_type = static_cast<fur_value_type>(value);
    lay_grid(extent, boundary, &d);
    std::vector<fur_stencil_offset> places = neighbours(offsets);
    d.points = static_cast<int>(places.size());
    d.offsets = places.data();
    d.kernel = or_null(kernel);
    std::vector<fur_scalar> constants;
    for (std::complex<double> c : coefficients)
        constants.push_back(fur_complex(c.real(), c.imag()));
    std::unique_ptr<any_stencil> made;
    {
        Use use(*context);
        std::vector<furrow::vector> vectors;
        std::vector<const fur_vector *> handles;
        for (const InArray &field : fields)
            handles.push_back(
                vectors.emplace_back(vector_of(context->get(), Dense(field, "coefficients")))
                    .get());
        d.coefficients = fields.empty() ? constants.data() : nullptr;
        d.fields = fields.empty() ? nullptr : handles.data();
        furrow::stencil stencil(context->get(), d);
        made.reset(new any_stencil{std::move(vectors), std::move(stencil)});
    }
    return Stencil(std::move(context), made.release(), std::move(kept));
}

/* ---- use ---------------------------------------------------------------------------------------
 */

static Operator operator_of_stencil(nb::handle self)
{
    const Stencil &s = nb::cast<const Stencil &>(self);
    return derive_operator(s.shared_context(), nb::borrow(self), [&](auto out) {
        return fur_operator_from_stencil(s.get()->stencil, out);
    });
}

/* Y = S X. */
static void multiply_block(const Stencil &s, const InArray &x, const OutArray &y)
{
    fur_context *context = s.context().get();
    Use use(s.context());
    furrow::vectors in = block_of(context, Dense(x, "x"));
    BlockResult out(context, Dense(y, "out"));
    s.get()->stencil.apply_block(fur_real(1), in, fur_real(0), out);
    out.finish();
}

/* Repeats x := S x + alpha b `count` times; b may be None. */
static void sweep(const Stencil &s, std::int64_t count, double alpha,
                  const std::optional<InArray> &b, const OutArray &x, const OutArray &work)
{
    fur_context *context = s.context().get();
    Use use(s.context());
    std::optional<furrow::vector> right;
    if (b)
        right.emplace(vector_of(context, Dense(*b, "b")));
    Result swept(context, Dense(x, "x"));
    furrow::vector room = vector_of(context, Dense(work, "work"));
    expect_ok(fur_stencil_sweep(s.get()->stencil, count, fur_real(alpha),
                                right ? right->get() : nullptr, swept, room),
              context);
    swept.finish();
}

static Csr assemble(const Stencil &s)
{
    return Csr(s.shared_context(), make_in<fur_csr>(s.context(), [&](auto out) {
                   return fur_stencil_assemble(s.get()->stencil, out);
               }));
}

static nb::dict report(const Stencil &s)
{
    const fur_stencil_report &r = s.get()->stencil.describe();
    nb::dict made;
    made["kernel"] = r.kernel;
    made["reason"] = r.reason;
    made["bytes"] = r.bytes;
    return made;
}

/* ---- recognition -------------------------------------------------------------------------------
 */

static nb::dict dict_of(const fur_recognise_report &r)
{
    nb::dict made;
    made["recognised"] = r.recognised != 0;
    made["reason"] = r.reason;
    made["extent"] = std::vector<std::int64_t>(r.extent, r.extent + r.axes);
    made["points"] = r.points;
    made["variable"] = r.variable != 0;
    made["rows_differing"] = r.rows_differing;
    made["bytes"] = r.bytes;
    made["seconds"] = r.seconds;
    return made;
}

/* Returns the report and the stencil, or None if nothing was found. */
static nb::tuple recognise(const Csr &a)
{
    auto report = fur_default<fur_recognise_report>();
    auto made = make_in<fur_recognised>(a.context(), [&](auto out) {
        return fur_stencil_recognise(a.get(), nullptr, &report, out);
    });
    nb::object found = made ? nb::cast(Recognised(a.shared_context(), made)) : nb::none();
    return nb::make_tuple(dict_of(report), found);
}

static Operator operator_of_recognised(nb::handle self)
{
    const Recognised &r = nb::cast<const Recognised &>(self);
    return derive_operator(r.shared_context(), nb::borrow(self),
                           [&](auto out) { return fur_operator_from_recognised(r.get(), out); });
}

void bind_stencil(nb::module_ &m)
{
    nb::class_<Stencil>(m, "Stencil")
        .def_static("create", &create, nb::arg("context"), nb::arg("value"), nb::arg("extent"),
                    nb::arg("boundary"), nb::arg("offsets"), nb::arg("coefficients"),
                    nb::arg("fields"), nb::arg("kernel"), nb::arg("kept"))
        .def_prop_ro("context", [](const Stencil &s) { return s.shared_context(); })
        .def("operator", &operator_of_stencil)
        .def("multiply_block", &multiply_block)
        .def("sweep", &sweep, nb::arg("count"), nb::arg("alpha"), nb::arg("b").none(), nb::arg("x"),
             nb::arg("work"))
        .def("assemble", &assemble)
        .def("report", &report);
    nb::class_<Recognised>(m, "Recognised").def("operator", &operator_of_recognised);
    m.def("named_stencil", &named);
    m.def("recognise", &recognise);
}
