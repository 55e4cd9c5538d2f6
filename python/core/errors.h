/* Failures of the library as exceptions of furrow._errors, and exceptions of callbacks. */
#ifndef FURROW_PYTHON_ERRORS_H
#define FURROW_PYTHON_ERRORS_H

#include <furrow/furrow.hpp>
#include <nanobind/nanobind.h>

/* Keeps the exception that is being handled, in a callback, until the library's call has returned.
 */
void keep_exception() noexcept;

/* Whether this thread has one. */
bool has_exception() noexcept;

/* Whether this thread has one, or now gets one of Ctrl-C, of which only the main thread is told.
 * Takes the GIL. */
bool raised_by_signal() noexcept;

/* Throws what a callback of this thread's call has raised; else the failure of a status other than
 * FUR_OK. With the context's lock. */
void expect_ok(fur_status status, const fur_context *context);

void bind_errors(nanobind::module_ &m);

#endif
