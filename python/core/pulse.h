/* What happens now and then during a long call: Ctrl-C is noticed, and Python is told how far it
 * is. */
#ifndef FURROW_PYTHON_PULSE_H
#define FURROW_PYTHON_PULSE_H

#include "errors.h"

#include <chrono>

namespace nb = nanobind;

/* Beats at most 20 times a second: only then it takes the GIL. What Python raises is kept for
 * expect_ok(). */
class Pulse
{
  public:
    /* call: None, or a function whose result, if it is true, ends the call of the library. */
    explicit Pulse(nb::handle call) : call_(call)
    {
    }
    /* 1 to end the call. Without the GIL, or with it. */
    template <typename... Words> int beat(Words... words)
    {
        auto now = std::chrono::steady_clock::now();
        if (now < next_)
            return has_exception();
        next_ = now + std::chrono::milliseconds(50);
        return ask(words...);
    }
    /* The same, whenever it is. */
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
