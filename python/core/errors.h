/* Converts failures of the library to exceptions of furrow._errors, and keeps exceptions of
 * callbacks. */
#ifndef FURROW_PYTHON_ERRORS_H
#define FURROW_PYTHON_ERRORS_H

#include <furrow/furrow.hpp>

#include <nanobind/nanobind.h>

/* Keeps the exception that a callback is handling, until the library's call has returned. */
void keep_exception() noexcept;

/* Returns whether this thread keeps an exception. */
bool has_exception() noexcept;

/* Returns whether this thread keeps an exception, after checking for Ctrl-C. Python reports Ctrl-C
 * to the main thread only. Takes the GIL. */
bool raised_by_signal() noexcept;

/* Throws the exception of a callback in this thread's call. Otherwise throws the failure for a
 * status other than FUR_OK. Requires the context's lock. */
void expect_ok(fur_status status, const fur_context *context);

void bind_errors(nanobind::module_ &m);

#endif
