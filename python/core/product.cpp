#include "product.h"

static Product plan(nb::handle self, int op, const std::string &kernel, const std::string &order,
                    std::int64_t uses, bool rounded, int half)
{
    const Csr &a = nb::cast<const Csr &>(self);
    auto options = fur_default<fur_product_options>();
    options.op = static_cast<fur_op>(op);
    options.kernel = or_null(kernel);
    options.order = or_null(order);
    options.uses = uses;
    options.values = rounded ? FUR_STORED_F32 : FUR_STORED_EXACT;
    options.half = static_cast<fur_half>(half);
    std::unique_ptr<ordered_product> made;
    {
        Use use(a.context());
        furrow::product product(a.get(), &options);
        furrow::linear_operator permuted;
        if (const fur_permutation *order = product.order())
            permuted = furrow::linear_operator(a.context().get(), [&](auto out) {
                return fur_operator_permute(product.as_operator(), order, out);
            });
        std::int64_t bytes = product.describe().bytes;
        made.reset(new ordered_product{std::move(product), std::move(permuted), bytes});
    }
    return Product(a.shared_context(), made.release(), nb::borrow(self));
}

void destroy(ordered_product *p)
{
    delete p;
}

/* Makes `at` a vector at an address on A's device, with A's dtype, unless it already is. */
static fur_vector *take(const Product &p, vector_at &at, std::uintptr_t address, std::int64_t size)
{
    if (at.address == address && at.size == size)
        return at.vector;
    fur_context *context = p.context().get();
    fur_value_type value = fur_operator_value_type(p.get()->as_operator());
    auto ownership = size > 0 ? FUR_OWNERSHIP_BORROW : FUR_OWNERSHIP_COPY;
    at.size = -1;
    at.vector = furrow::vector(context, [&](auto out) {
        return fur_vector_wrap(context, value, size, reinterpret_cast<void *>(address), ownership,
                               out);
    });
    at.address = address;
    at.size = size;
    return at.vector;
}

/* Computes y = op(A) x; both vectors are given by address and size. */
static void multiply_at(const Product &p, std::uintptr_t x, std::int64_t x_size, std::uintptr_t y,
                        std::int64_t y_size)
{
    Use use(p.context(), p.get()->bytes);
    fur_vector *in = take(p, p.get()->x, x, x_size);
    fur_vector *out = take(p, p.get()->y, y, y_size);
    expect_ok(fur_operator_apply(p.get()->as_operator(), in, out), p.context().get());
}

/* Returns an attribute. Its name is a Python string that is created once. */
static nb::object attribute(nb::handle object, PyObject *name)
{
    PyObject *found = PyObject_GetAttr(object.ptr(), name);
    if (!found)
        throw nb::python_error();
    return nb::steal(found);
}

static std::int64_t number(nb::handle object, PyObject *name)
{
    return nb::cast<std::int64_t>(attribute(object, name));
}

/* Finds the address and size of a vector of CuPy. Returns false if the array does not have that
 * dtype or has gaps. For the most recent array only the number of dimensions is read again, because
 * a caller can set the shape. */
static bool find_vector(nb::handle array, nb::handle dtype, known_array *known)
{
    static PyObject *const names[] = {
        PyUnicode_InternFromString("ndim"),  PyUnicode_InternFromString("dtype"),
        PyUnicode_InternFromString("flags"), PyUnicode_InternFromString("c_contiguous"),
        PyUnicode_InternFromString("size"),  PyUnicode_InternFromString("data"),
        PyUnicode_InternFromString("ptr")};
    if (number(array, names[0]) != 1)
        return false;
    if (known->weak.is_valid() && known->weak().is(array))
        return true;
    if (!attribute(array, names[1]).is(dtype) ||
        !nb::cast<bool>(attribute(attribute(array, names[2]), names[3])))
        return false;
    known->size = number(array, names[4]);
    known->address = nb::cast<std::uintptr_t>(attribute(attribute(array, names[5]), names[6]));
    known->weak = nb::steal(PyWeakref_NewRef(array.ptr(), nullptr));
    if (!known->weak.is_valid())
        throw nb::python_error();
    return true;
}

/* Computes y = op(A) x for arrays of CuPy. Returns false and does nothing unless both are plain
 * vectors. A call by address takes less than a microsecond, a call by DLPack takes three. */
static bool multiply_cupy(const Product &p, nb::handle x, nb::handle y, nb::handle dtype)
{
    known_array &from = p.get()->from;
    known_array &to = p.get()->to;
    if (!x.type().is(y.type()) || !find_vector(x, dtype, &from) || !find_vector(y, dtype, &to))
        return false;
    multiply_at(p, from.address, from.size, to.address, to.size);
    return true;
}

/* Computes y = op(A) x. The arrays have A's dtype and lie on its device. */
static void multiply(const Product &p, const InArray &x, const OutArray &y)
{
    fur_context *context = p.context().get();
    Use use(p.context(), p.get()->bytes);
    furrow::vector in = vector_of(context, Dense(x, "x"));
    Result out(context, Dense(y, "out"));
    expect_ok(fur_operator_apply(p.get()->as_operator(), in, out), context);
    out.finish();
}

static nb::dict report(const Product &p)
{
    const fur_product_report &r = p.get()->product.describe();
    nb::dict made;
    made["kernel"] = r.kernel;
    made["reason"] = r.reason;
    made["bytes"] = r.bytes;
    made["csr_bytes"] = r.csr_bytes;
    made["seconds_plan"] = r.seconds_plan;
    made["seconds_estimated"] = r.seconds_estimated;
    made["order"] = r.order;
    made["order_reason"] = r.order_reason;
    made["seconds_order"] = r.seconds_order;
    made["seconds_before"] = r.seconds_before;
    made["seconds_after"] = r.seconds_after;
    return made;
}

static BlockProduct plan_block(nb::handle self, int op, bool columns)
{
    const Csr &a = nb::cast<const Csr &>(self);
    auto options = fur_default<fur_spmm_options>();
    options.op = static_cast<fur_op>(op);
    options.layout = columns ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
    fur_spmm *made = make_in<fur_spmm>(
        a.context(), [&](auto out) { return fur_spmm_plan(a.get(), &options, out); });
    return BlockProduct(a.shared_context(), made, nb::borrow(self));
}

/* Computes Y = op(A) X. */
static void multiply_block(const BlockProduct &p, const InArray &x, const OutArray &y)
{
    fur_context *context = p.context().get();
    Use use(p.context());
    furrow::vectors in = block_of(context, Dense(x, "x"));
    BlockResult out(context, Dense(y, "out"));
    expect_ok(fur_spmm_apply(p.get(), fur_real(1), in, fur_real(0), out), context);
    out.finish();
}

void bind_product(nb::module_ &m)
{
    nb::class_<Product>(m, "Product")
        .def_static("plan", &plan, nb::arg("csr"), nb::arg("op") = 0, nb::arg("kernel") = "",
                    nb::arg("order") = "", nb::arg("uses") = 0, nb::arg("rounded") = false,
                    nb::arg("half") = 0)
        .def_prop_ro("context", [](const Product &p) { return p.shared_context(); })
        .def("report", &report)
        .def("at", &multiply_at)
        .def("of_cupy", &multiply_cupy)
        .def("__call__", &multiply);
    nb::class_<BlockProduct>(m, "BlockProduct")
        .def_static("plan", &plan_block, nb::arg("csr"), nb::arg("op") = 0,
                    nb::arg("columns") = false)
        .def("__call__", &multiply_block);
}
