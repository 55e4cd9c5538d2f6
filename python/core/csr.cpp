#include "csr.h"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <functional>

std::int64_t bytes_of(const Csr &a)
{
    const fur_csr_view &v = a.view();
    auto entry = static_cast<std::int64_t>(fur_value_size(v.value_type) + sizeof *v.columns);
    return v.entries * entry +
           (v.rows + 1) * static_cast<std::int64_t>(fur_offset_size(v.offset_type));
}

static fur_csr_view view_of(std::int64_t rows, std::int64_t cols, const Dense &data,
                            const Dense &indices, const Dense &indptr)
{
    auto view = fur_default<fur_csr_view>();
    view.rows = rows;
    view.cols = cols;
    view.entries = data.axes == 1 ? data.shape[0] : -1;
    view.value_type = value_type_of(data);
    view.offset_type = offset_type_of(indptr);
    view.values = entries_of(data, view.entries);
    if (offset_type_of(indices) != FUR_I32)
        throw furrow::error(FUR_INVALID, "indices has dtype int64, but must have int32");
    view.columns = static_cast<const std::int32_t *>(entries_of(indices, view.entries));
    view.offsets = entries_of(indptr, rows + 1);
    return view;
}

static void make_csr(Csr *self, std::shared_ptr<Context> context, std::int64_t rows,
                     std::int64_t cols, const InArray &data, const InArray &indices,
                     const InArray &indptr, bool copy, nb::object kept)
{
    fur_csr_view view = view_of(rows, cols, Dense(data, "data"), Dense(indices, "indices"),
                                Dense(indptr, "indptr"));
    auto ownership = copy ? FUR_OWNERSHIP_COPY : FUR_OWNERSHIP_BORROW;
    fur_csr *made = make_in<fur_csr>(
        *context, [&](auto out) { return fur_csr_create(context->get(), &view, ownership, out); });
    new (self) Csr(std::move(context), made, copy ? nb::none() : std::move(kept));
}

static Csr from_coo(std::shared_ptr<Context> context, std::int64_t rows, std::int64_t cols,
                    const InArray &data, const InArray &row, const InArray &col, bool keep)
{
    auto coo = fur_default<fur_coo_view>();
    Dense values(data, "data");
    coo.rows = rows;
    coo.cols = cols;
    coo.entries = values.axes == 1 ? values.shape[0] : -1;
    coo.value_type = value_type_of(values);
    coo.values = entries_of(values, coo.entries);
    coo.row_indices = static_cast<const std::int32_t *>(entries_of(Dense(row, "row"), coo.entries));
    coo.col_indices = static_cast<const std::int32_t *>(entries_of(Dense(col, "col"), coo.entries));
    auto duplicates = keep ? FUR_DUPLICATES_KEEP : FUR_DUPLICATES_SUM;
    fur_csr *made = make_in<fur_csr>(*context, [&](auto out) {
        return fur_csr_from_coo(context->get(), &coo, duplicates, out);
    });
    return Csr(std::move(context), made);
}

/* Copies the matrix to a context on another device. */
static fur_csr *transfer(const Csr &a, Context &context)
{
    bool ours_first = std::less<>()(&a.context(), &context);
    Use first(ours_first ? a.context() : context);
    Use second(ours_first ? context : a.context(), first);
    fur_csr *made = nullptr;
    expect_ok(fur_csr_transfer(a.get(), context.get(), &made), a.context().get());
    return made;
}

/* Returns the matrix in another context. It shares the arrays if that context can read them. */
static Csr share(nb::handle self, std::shared_ptr<Context> context)
{
    const Csr &a = nb::cast<const Csr &>(self);
    if (a.context().device() != context->device()) {
        fur_csr *made = transfer(a, *context);
        return Csr(std::move(context), made);
    }
    if (context->on_gpu())
        synchronize(a.context()); // pending writes to the arrays must finish first
    fur_csr *made = make_in<fur_csr>(*context, [&](auto out) {
        return fur_csr_create(context->get(), &a.view(), FUR_OWNERSHIP_BORROW, out);
    });
    return Csr(std::move(context), made, nb::borrow(self));
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

template <typename Array>
static nb::object array_at(const void *data, std::int64_t size, nb::dlpack::dtype dtype,
                           nb::handle owner, int device)
{
    auto length = static_cast<std::size_t>(size);
    return nb::cast(Array(const_cast<void *>(data), 1, &length, owner, nullptr, dtype, device));
}

/* Returns data, indices and indptr in the memory of the matrix. On the CPU they are NumPy arrays,
 * read-only unless the caller will own them. On a GPU they are arrays for DLPack. */
static nb::tuple arrays(nb::handle self, bool writable)
{
    const Csr &a = nb::cast<const Csr &>(self);
    const fur_csr_view &v = a.view();
    bool gpu = a.context().on_gpu();
    auto make = gpu        ? array_at<nb::ndarray<>>
                : writable ? array_at<nb::ndarray<nb::numpy>>
                           : array_at<nb::ndarray<nb::numpy, nb::ro>>;
    int device = gpu ? nb::device::cuda::value : nb::device::cpu::value;
    return nb::make_tuple(make(v.values, v.entries, dtype_of(v.value_type), self, device),
                          make(v.columns, v.entries, dtype_of(FUR_I32), self, device),
                          make(v.offsets, v.rows + 1, dtype_of(v.offset_type), self, device));
}

static void set_values(Csr &a, const InArray &data)
{
    const void *values = entries_of(Dense(data, "data"), a.view().entries);
    Use use(a.context());
    expect_ok(fur_csr_set_values(a.get(), values, FUR_OWNERSHIP_COPY), a.context().get());
}

/* ---- results -----------------------------------------------------------------------------------
 */

static const std::int64_t *places_of(const InArray &array, std::int64_t size, const char *name)
{
    Dense places(array, name);
    if (offset_type_of(places) != FUR_I64)
        throw furrow::error(FUR_INVALID, (std::string(name) + " must have dtype int64").c_str());
    return static_cast<const std::int64_t *>(entries_of(places, size));
}

/* values[k] = A(rows[k], cols[k]), as complex128. */
static void entries_at(const Csr &a, const InArray &rows, const InArray &cols,
                       const OutArray &values)
{
    Dense out(values, "values");
    std::int64_t size = out.axes == 1 ? out.shape[0] : -1;
    const std::int64_t *row = places_of(rows, size, "rows");
    const std::int64_t *col = places_of(cols, size, "cols");
    if (value_type_of(out) != FUR_C128)
        throw furrow::error(FUR_INVALID, "values must have dtype complex128");
    auto *value = static_cast<std::complex<double> *>(const_cast<void *>(entries_of(out, size)));
    Use use(a.context(), size * Use::brief / 64);
    for (std::int64_t k = 0; k < size; k++) {
        fur_scalar found;
        expect_ok(fur_csr_entry(a.get(), row[k], col[k], &found), a.context().get());
        value[k] = {found.re, found.im};
    }
}

static void diagonal(const Csr &a, const OutArray &out)
{
    fur_context *context = a.context().get();
    Use use(a.context());
    furrow::vector d(context, [&](auto made) { return fur_csr_diagonal(a.get(), made); });
    Result y(context, Dense(out, "out"));
    expect_ok(fur_vector_copy(d, y), context);
    y.finish();
}

static bool equal(const Csr &a, const Csr &b)
{
    int same = 0;
    Use use(a.context());
    expect_ok(fur_csr_compare(a.get(), b.get(), &same), a.context().get());
    return same != 0;
}

static double norm(const Csr &a, const std::string &kind)
{
    auto which = kind == "1"     ? FUR_NORM_1
                 : kind == "inf" ? FUR_NORM_INF
                 : kind == "max" ? FUR_NORM_MAX
                                 : FUR_NORM_FROBENIUS;
    double result = 0;
    Use use(a.context());
    expect_ok(fur_csr_norm(a.get(), which, &result), a.context().get());
    return result;
}

static bool symmetric(const Csr &a, int symmetry)
{
    auto found = fur_default<fur_csr_asymmetry>();
    Use use(a.context());
    expect_ok(fur_csr_find_asymmetry(a.get(), static_cast<fur_symmetry>(symmetry), &found),
              a.context().get());
    return !found.found;
}

static nb::dict measure(const Csr &a)
{
    auto s = fur_default<fur_csr_statistics>();
    {
        Use use(a.context());
        expect_ok(fur_csr_measure(a.get(), &s), a.context().get());
    }
    nb::dict made;
    made["row_min"] = s.row_min;
    made["row_max"] = s.row_max;
    made["row_mean"] = s.row_mean;
    made["empty_rows"] = s.empty_rows;
    made["bandwidth"] = s.bandwidth;
    made["profile"] = s.profile;
    return made;
}

/* ---- matrices of matrices ----------------------------------------------------------------------
 */

static fur_scalar scalar_of(std::complex<double> value)
{
    return fur_complex(value.real(), value.imag());
}

static Csr add(const Csr &a, std::complex<double> alpha, const Csr &b, std::complex<double> beta)
{
    return derive(a, [&](auto out) {
        return fur_csr_add(a.get(), scalar_of(alpha), b.get(), scalar_of(beta), out);
    });
}

/* Returns alpha A. Its values have the bits of products with a scalar. */
static Csr scaled(const Csr &a, std::complex<double> alpha)
{
    return derive(a, [&](auto out) {
        return fur_csr_add(a.get(), scalar_of(alpha), a.get(), fur_real(0), out);
    });
}

static Csr converted(const Csr &a, int value)
{
    return derive(a, [&](auto out) {
        return fur_csr_convert(a.get(), static_cast<fur_value_type>(value), a.view().offset_type,
                               out);
    });
}

static Csr transposed(const Csr &a, bool conjugate)
{
    return derive(a, [&](auto out) { return fur_csr_transpose(a.get(), conjugate, out); });
}

static Csr multiplied(const Csr &a, const Csr &b)
{
    return derive(a, [&](auto out) { return fur_csr_multiply(a.get(), b.get(), out); });
}

static Csr multiplied_elementwise(const Csr &a, const Csr &b)
{
    return derive(a, [&](auto out) { return fur_csr_multiply_elementwise(a.get(), b.get(), out); });
}

static Csr kron(const Csr &a, const Csr &b)
{
    return derive(a, [&](auto out) { return fur_csr_kron(a.get(), b.get(), out); });
}

static Csr submatrix(const Csr &a, std::int64_t row_begin, std::int64_t row_end,
                     std::int64_t col_begin, std::int64_t col_end)
{
    return derive(a, [&](auto out) {
        return fur_csr_submatrix(a.get(), row_begin, row_end, col_begin, col_end, out);
    });
}

/* Selects rows and columns. An empty list selects all: Python never passes an empty selection. */
static Csr selected(const Csr &a, const std::vector<std::int32_t> &rows,
                    const std::vector<std::int32_t> &cols)
{
    return derive(a, [&](auto out) {
        return fur_csr_select(
            a.get(), static_cast<std::int64_t>(rows.size()), rows.empty() ? nullptr : rows.data(),
            static_cast<std::int64_t>(cols.size()), cols.empty() ? nullptr : cols.data(), out);
    });
}

static Csr band(const Csr &a, std::int64_t lowest, std::int64_t highest)
{
    return derive(a, [&](auto out) { return fur_csr_band(a.get(), lowest, highest, out); });
}

static Csr dropped(const Csr &a, double tolerance)
{
    return derive(a, [&](auto out) { return fur_csr_drop(a.get(), tolerance, out); });
}

static Csr shifted(const Csr &a, std::complex<double> shift)
{
    return derive(a, [&](auto out) { return fur_csr_shift(a.get(), scalar_of(shift), out); });
}

void bind_csr(nb::module_ &m)
{
    nb::class_<Csr>(m, "Csr")
        .def("__init__", &make_csr, nb::arg("context"), nb::arg("rows"), nb::arg("cols"),
             nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("copy"),
             nb::arg("kept").none())
        .def_static("from_coo", &from_coo, nb::arg("context"), nb::arg("rows"), nb::arg("cols"),
                    nb::arg("data"), nb::arg("row"), nb::arg("col"), nb::arg("keep") = false)
        .def("share", &share)
        .def_prop_ro("context", [](const Csr &a) { return a.shared_context(); })
        .def_prop_ro("rows", [](const Csr &a) { return a.view().rows; })
        .def_prop_ro("cols", [](const Csr &a) { return a.view().cols; })
        .def_prop_ro("entries", [](const Csr &a) { return a.view().entries; })
        .def_prop_ro("value", [](const Csr &a) { return static_cast<int>(a.view().value_type); })
        .def_prop_ro("nbytes", [](const Csr &a) { return bytes_of(a); })
        .def("arrays", &arrays, nb::arg("writable") = false)
        .def("set_values", &set_values)
        .def("entries_at", &entries_at)
        .def("diagonal", &diagonal)
        .def("equal", &equal)
        .def("norm", &norm)
        .def("symmetric", &symmetric)
        .def("measure", &measure)
        .def("add", &add)
        .def("scaled", &scaled)
        .def("converted", &converted)
        .def("transposed", &transposed)
        .def("multiplied", &multiplied)
        .def("multiplied_elementwise", &multiplied_elementwise)
        .def("kron", &kron)
        .def("submatrix", &submatrix)
        .def("selected", &selected)
        .def("band", &band)
        .def("shifted", &shifted)
        .def("dropped", &dropped);
}
