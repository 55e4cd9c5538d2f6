/* Periodic work during a long call: checks for Ctrl-C and reports progress to Python. */
#ifndef FURROW_PYTHON_PULSE_H
#define FURROW_PYTHON_PULSE_H

#include "errors.h"

#include <chrono>

namespace nb = nanobind;

/* Takes the GIL at most 20 times a second. Exceptions of Python are kept for expect_ok(). */
class Pulse
{
  public:
    /* call: None, or a function. If it returns true, the library's call ends. */
    explicit Pulse(nb::handle call) : call_(call)
    {
    }
    /* Returns 1 to end the call. The GIL may be held or not. */
    template <typename... Words> int beat(Words... words)
    {
        auto now = std::chrono::steady_clock::now();
        if (now < next_)
            return has_exception();
        next_ = now + std::chrono::milliseconds(50);
        return ask(words...);
    }
    /* As above, but calls Python regardless of the time. */
    template <typename... Words> int ask(Words... words)
    {
        nb::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error();
            return !call_.is_none() && nb::cast<bool>(nb::bool_(call_(words...)));
        } catch (...) {
            keep_exception();
            return 1;
        }
    }

  private:
    nb::handle call_;
    std::chrono::steady_clock::time_point next_;
};

#endif
