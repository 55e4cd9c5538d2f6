#include "io.h"

#include "csr.h"
#include "pulse.h"

#include <nanobind/stl/vector.h>

/* Options for reading from Python: the members of fur_mtx_read_options by name. */
struct Reading {
    int convert = FUR_MTX_AS_STORED;
    bool keep_triangle = false;
    int duplicates = FUR_DUPLICATES_SUM;
    std::string member; /* empty: none */
    bool mirrored_lower = false;
    bool drop_zeros = false;
    bool allow_trailing = false;
    bool refuse_nonfinite = false;
    bool refuse_range = false;
    bool refuse_dialects = false;
    std::int64_t most_shape = 0;
    std::int64_t most_entries = 0;
    std::int64_t most_unpacked = 0;
    double seconds = 0;
};

/* Receives progress and warnings while a file is read. */
struct Hearing {
    explicit Hearing(nb::handle progress) : pulse(progress)
    {
    }
    Pulse pulse;
    std::vector<std::string> warnings;
    fur_mtx_header header = fur_default<fur_mtx_header>();
};

static fur_read_limits limits_of(const Reading &r)
{
    return {r.most_shape, r.most_entries, r.most_unpacked, r.seconds};
}

static fur_mtx_read_options options_of(const Reading &r, Hearing *h)
{
    auto o = fur_default<fur_mtx_read_options>();
    o.convert = static_cast<fur_mtx_convert>(r.convert);
    o.keep_triangle = r.keep_triangle;
    o.duplicates = static_cast<fur_duplicates>(r.duplicates);
    o.header = &h->header;
    o.member = or_null(r.member);
    o.mirrored = r.mirrored_lower ? FUR_MTX_MIRRORED_LOWER : FUR_MTX_MIRRORED_ERROR;
    o.drop_zeros = r.drop_zeros;
    o.allow_trailing = r.allow_trailing;
    o.refuse_nonfinite = r.refuse_nonfinite;
    o.refuse_range = r.refuse_range;
    o.refuse_dialects = r.refuse_dialects;
    o.warn = [](void *user, const char *sentence) {
        static_cast<Hearing *>(user)->warnings.emplace_back(sentence);
    };
    o.progress = [](void *user, std::int64_t done, std::int64_t total) {
        return static_cast<Hearing *>(user)->pulse.beat(done, total);
    };
    o.user = h;
    o.limits = limits_of(r);
    return o;
}

static nb::dict dict_of(const fur_mtx_header &h)
{
    nb::dict made;
    made["format"] = fur_mtx_format_name(h.format);
    made["field"] = fur_mtx_field_name(h.field);
    made["symmetry"] = fur_mtx_symmetry_name(h.symmetry);
    made["rows"] = h.rows;
    made["cols"] = h.cols;
    made["entries"] = h.entries_in_file;
    return made;
}

/* Calls read(&options, &matrix) with the context's lock. Returns matrix, header and warnings. */
template <typename Read>
static nb::tuple hear(const std::shared_ptr<Context> &context, const Reading &reading,
                      nb::handle progress, Read read)
{
    Hearing h(progress);
    auto options = options_of(reading, &h);
    fur_csr *made = make_in<fur_csr>(*context, [&](auto out) { return read(&options, out); });
    return nb::make_tuple(Csr(context, made), dict_of(h.header), h.warnings);
}

static nb::tuple read_mtx(std::shared_ptr<Context> context, const std::string &path,
                          const Reading &reading, nb::handle progress)
{
    return hear(context, reading, progress, [&](auto options, auto made) {
        return fur_mtx_read_csr(context->get(), path.c_str(), options, made);
    });
}

static nb::tuple read_mtx_from_memory(std::shared_ptr<Context> context, nb::bytes text,
                                      const Reading &reading, nb::handle progress)
{
    const void *bytes = text.data();
    std::size_t size = text.size();
    return hear(context, reading, progress, [&](auto options, auto made) {
        return fur_mtx_read_csr_from_memory(context->get(), bytes, size, options, made);
    });
}

static nb::tuple read_binary(std::shared_ptr<Context> context, const std::string &path, bool map,
                             const Reading &reading)
{
    auto header = fur_default<fur_mtx_header>();
    auto options = fur_default<fur_binary_read_options>();
    options.header = &header;
    options.map = map;
    options.limits = limits_of(reading);
    fur_csr *made = make_in<fur_csr>(*context, [&](auto out) {
        return fur_binary_read_csr(context->get(), path.c_str(), &options, out);
    });
    return nb::make_tuple(Csr(context, made), dict_of(header), std::vector<std::string>());
}

static nb::dict read_header(Context &context, const std::string &path)
{
    auto header = fur_default<fur_mtx_header>();
    auto read = fur_binary_detect(path.c_str()) ? fur_binary_read_header : fur_mtx_read_header;
    {
        Use use(context);
        expect_ok(read(context.get(), path.c_str(), &header), context.get());
    }
    return dict_of(header);
}

static void write_mtx(const Csr &a, const std::string &path, int symmetry, bool pattern,
                      bool integer, const std::string &comment, bool sync)
{
    auto options = fur_default<fur_mtx_write_options>();
    options.symmetry = static_cast<fur_mtx_symmetry>(symmetry);
    options.pattern = pattern;
    options.integer = integer;
    options.comment = or_null(comment);
    options.sync = sync;
    Use use(a.context());
    expect_ok(fur_mtx_write_csr(a.get(), path.c_str(), &options), a.context().get());
}

static void write_mtx_block(Context &context, const InArray &x, const std::string &path,
                            const std::string &comment, bool sync)
{
    auto options = fur_default<fur_mtx_write_options>();
    options.comment = or_null(comment);
    options.sync = sync;
    Use use(context);
    furrow::vectors block = block_of(context.get(), Dense(x, "x"));
    expect_ok(fur_mtx_write_vectors(block, path.c_str(), &options), context.get());
}

static void write_binary(const Csr &a, const std::string &path, int symmetry, bool pattern,
                         bool sync)
{
    auto origin = fur_default<fur_mtx_header>();
    bool complex = a.view().value_type == FUR_C64 || a.view().value_type == FUR_C128;
    origin.field = pattern ? FUR_MTX_PATTERN : complex ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
    origin.symmetry = static_cast<fur_mtx_symmetry>(symmetry);
    auto options = fur_default<fur_binary_write_options>();
    options.origin = &origin;
    options.sync = sync;
    Use use(a.context());
    expect_ok(fur_binary_write_csr(a.get(), path.c_str(), &options), a.context().get());
}

void bind_io(nb::module_ &m)
{
    nb::class_<Reading>(m, "Reading")
        .def(nb::init<>())
        .def_rw("convert", &Reading::convert)
        .def_rw("keep_triangle", &Reading::keep_triangle)
        .def_rw("duplicates", &Reading::duplicates)
        .def_rw("member", &Reading::member)
        .def_rw("mirrored_lower", &Reading::mirrored_lower)
        .def_rw("drop_zeros", &Reading::drop_zeros)
        .def_rw("allow_trailing", &Reading::allow_trailing)
        .def_rw("refuse_nonfinite", &Reading::refuse_nonfinite)
        .def_rw("refuse_range", &Reading::refuse_range)
        .def_rw("refuse_dialects", &Reading::refuse_dialects)
        .def_rw("most_shape", &Reading::most_shape)
        .def_rw("most_entries", &Reading::most_entries)
        .def_rw("most_unpacked", &Reading::most_unpacked)
        .def_rw("seconds", &Reading::seconds);
    m.def("is_binary",
          [](const std::string &path) { return fur_binary_detect(path.c_str()) != 0; });
    m.def("read_mtx", &read_mtx, nb::arg("context"), nb::arg("path"), nb::arg("reading"),
          nb::arg("progress").none() = nb::none());
    m.def("read_mtx_from_memory", &read_mtx_from_memory, nb::arg("context"), nb::arg("text"),
          nb::arg("reading"), nb::arg("progress").none() = nb::none());
    m.def("read_binary", &read_binary);
    m.def("read_header", &read_header);
    m.def("write_mtx", &write_mtx, nb::arg("csr"), nb::arg("path"), nb::arg("symmetry") = 0,
          nb::arg("pattern") = false, nb::arg("integer") = false, nb::arg("comment") = "",
          nb::arg("sync") = false);
    m.def("write_mtx_block", &write_mtx_block, nb::arg("context"), nb::arg("x"), nb::arg("path"),
          nb::arg("comment") = "", nb::arg("sync") = false);
    m.def("write_binary", &write_binary);
}
