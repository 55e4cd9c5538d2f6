#include "errors.h"

#include <exception>
#include <utility>

namespace nb = nanobind;

static thread_local std::exception_ptr kept;

void keep_exception() noexcept
{
    kept = std::current_exception();
}

bool has_exception() noexcept
{
    return kept != nullptr;
}

bool raised_by_signal() noexcept
{
    nb::gil_scoped_acquire gil;
    try {
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
    } catch (...) {
        keep_exception();
    }
    return has_exception();
}

void expect_ok(fur_status status, const fur_context *context)
{
    if (kept)
        std::rethrow_exception(std::exchange(kept, nullptr));
    furrow::check(status, context);
}

/* furrow._errors.make chooses the class for a status. If the library only reports that the call was
 * cancelled, the exception that cancelled it is raised instead. */
static void translate(const std::exception_ptr &thrown, void *)
{
    try {
        std::rethrow_exception(kept ? std::exchange(kept, nullptr) : thrown);
    } catch (nb::python_error &raised) {
        raised.restore();
    } catch (const furrow::error &failure) {
        nb::object made = nb::module_::import_("furrow._errors")
                              .attr("make")(static_cast<int>(failure.status()), failure.what());
        PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.ptr())), made.ptr());
    }
}

void bind_errors(nb::module_ &m)
{
    nb::register_exception_translator(translate);
    m.def("status_name",
          [](int status) { return fur_status_name(static_cast<fur_status>(status)); });
}
