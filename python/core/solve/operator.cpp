#include "operator.h"

#include <furrow/author/operator.h>

#include "array.h"
#include "product.h"

void destroy(any_operator *op)
{
    delete op;
}

static Operator of_product(nb::handle self)
{
    const Product &p = nb::cast<const Product &>(self);
    return Operator(p.shared_context(), new any_operator{p.get()->as_operator(), {}},
                    nb::borrow(self));
}

/* ---- a function of Python ----------------------------------------------------------------------
 */

/* Returns a vector's entries as an array that is valid during a call. */
static nb::object array_of(const void *entries, std::int64_t size, fur_value_type value, bool gpu)
{
    auto length = static_cast<std::size_t>(size);
    void *data = const_cast<void *>(entries);
    if (gpu)
        return nb::cast(nb::ndarray<>(data, 1, &length, nb::handle(), nullptr, dtype_of(value),
                                      nb::device::cuda::value),
                        nb::rv_policy::reference);
    return nb::cast(nb::ndarray<nb::numpy>(data, 1, &length, nb::handle(), nullptr, dtype_of(value),
                                           nb::device::cpu::value),
                    nb::rv_policy::reference);
}

/* Runs call(x, y) of Python's function, which writes y. */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    fur_context *context = fur_vector_context(x);
    bool gpu = std::string(fur_context_device(context)) == "cuda";
    nb::gil_scoped_acquire gil;
    try {
        nb::handle call(static_cast<PyObject *>(user));
        fur_value_type value = fur_vector_value_type(x);
        call(array_of(fur_vector_const_data(x), fur_vector_size(x), value, gpu),
             array_of(fur_vector_data(y), fur_vector_size(y), value, gpu));
        return FUR_OK;
    } catch (...) {
        keep_exception();
        return fur_context_fail(context, FUR_CANCELLED,
                                "a Python function of the operator raised an exception");
    }
}

/* Makes an operator from a Python function. The handle keeps the function alive. */
static Operator of_function(std::shared_ptr<Context> context, std::int64_t rows, std::int64_t cols,
                            int value, nb::object call)
{
    auto definition = fur_default<fur_operator_definition>();
    definition.rows = rows;
    definition.cols = cols;
    definition.value_type = static_cast<fur_value_type>(value);
    definition.user = call.ptr();
    definition.apply = apply;
    return derive_operator(context, call, [&](auto out) {
        return fur_operator_create(context->get(), &definition, out);
    });
}

/* ---- use ---------------------------------------------------------------------------------------
 */

static void apply_operator(const Operator &a, const InArray &x, const OutArray &y)
{
    fur_context *context = a.context().get();
    Use use(a.context());
    furrow::vector in = vector_of(context, Dense(x, "x"));
    Result out(context, Dense(y, "out"));
    expect_ok(fur_operator_apply(a.op(), in, out), context);
    out.finish();
}

static void diagonal(const Operator &a, const OutArray &d)
{
    fur_context *context = a.context().get();
    Use use(a.context());
    Result out(context, Dense(d, "out"));
    expect_ok(fur_operator_diagonal(a.op(), out), context);
    out.finish();
}

void bind_operator(nb::module_ &m)
{
    nb::class_<Operator>(m, "Operator")
        .def_static("of_product", &of_product)
        .def_static("of_function", &of_function, nb::arg("context"), nb::arg("rows"),
                    nb::arg("cols"), nb::arg("value"), nb::arg("call"))
        .def_prop_ro("context", [](const Operator &a) { return a.shared_context(); })
        .def_prop_ro("rows", [](const Operator &a) { return fur_operator_rows(a.op()); })
        .def_prop_ro("cols", [](const Operator &a) { return fur_operator_cols(a.op()); })
        .def_prop_ro(
            "value",
            [](const Operator &a) { return static_cast<int>(fur_operator_value_type(a.op())); })
        .def("diagonal", &diagonal)
        .def("__call__", &apply_operator);
}
