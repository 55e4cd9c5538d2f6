/* Reads options from Python's keywords. */
#ifndef FURROW_PYTHON_OPTIONS_H
#define FURROW_PYTHON_OPTIONS_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <furrow/base.h>

#include <cstdint>
#include <limits>
#include <list>
#include <string>

/* Keywords that are taken one by one. None stands for the library's default. Texts live as long as
 * this object. A value of the wrong type is refused with a message. */
class Keywords
{
  public:
    explicit Keywords(const nanobind::dict &given)
        : left_(nanobind::cast<nanobind::dict>(given.attr("copy")()))
    {
    }
    /* Sets the member if its keyword is given. */
    void take(const char *name, const char *&member)
    {
        if (nanobind::object value = pop(name))
            member = texts_.emplace_back(text_of(name, value)).c_str();
    }
    void take(const char *name, double &member)
    {
        if (nanobind::object value = pop(name))
            member = number_of(name, value);
    }
    template <typename Integer> void take(const char *name, Integer &member)
    {
        if (nanobind::object value = pop(name))
            member = integer_of<Integer>(name, value);
    }
    void take_flag(const char *name, int &member)
    {
        if (nanobind::object value = pop(name))
            member = flag_of(name, value);
    }
    /* Sets a tolerance. The library treats 0 as its default, so `none` replaces a 0 that was given.
     * If `none` is not given, the smallest number above 0 replaces it. */
    void take_tolerance(const char *name, double &member,
                        double none = std::numeric_limits<double>::denorm_min())
    {
        nanobind::object value = pop(name);
        if (value && (member = number_of(name, value)) == 0)
            member = none;
    }
    /* Sets a count. The library treats 0 as its default, so `none` replaces a 0 that was given. If
     * `none` is 0, the library does not allow a count of 0, and a 0 is refused. */
    template <typename Integer> void take_count(const char *name, Integer &member, Integer none = 0)
    {
        nanobind::object value = pop(name);
        if (!value)
            return;
        auto count = integer_of<Integer>(name, value);
        if (count < (none == 0))
            throw nanobind::value_error((std::string(name) + " is " + std::to_string(count) +
                                         "; it should be at least " + (none == 0 ? "1" : "0"))
                                            .c_str());
        member = count == 0 ? none : count;
    }
    /* Returns the value of an option from the library's tables as text; "" if it is not given. */
    std::string text_of_option(const fur_option &o)
    {
        nanobind::object value = pop(o.name);
        if (!value)
            return "";
        switch (o.type) {
        case FUR_OPTION_FLAG:
            return std::to_string(flag_of(o.name, value));
        case FUR_OPTION_INT:
        case FUR_OPTION_LONG:
            return std::to_string(integer_of<std::int64_t>(o.name, value));
        case FUR_OPTION_REAL:
        case FUR_OPTION_SHARE:
            return nanobind::repr(nanobind::float_(number_of(o.name, value))).c_str();
        default:
            return word_of(o.name, value);
        }
    }
    /* Refuses keywords that were not taken. known: the names of the existing options. */
    void finish(const std::string &what, const std::string &known = "") const
    {
        if (left_.size() > 0) {
            nanobind::str name = nanobind::repr((*left_.begin()).first);
            throw nanobind::type_error((what + " has no option " + name.c_str() + known).c_str());
        }
    }

  private:
    /* Returns the value of a keyword; an empty object if it is None or not given. */
    nanobind::object pop(const char *name)
    {
        nanobind::object value = left_.attr("pop")(name, nanobind::none());
        return value.is_none() ? nanobind::object() : value;
    }
    [[noreturn]] static void refuse(const char *name, nanobind::handle value, const char *wanted)
    {
        PyErr_Clear();
        std::string shown = nanobind::repr(value).c_str();
        throw nanobind::type_error(
            (std::string(name) + " is " + shown + "; it should be " + wanted).c_str());
    }
    static std::string text_of(const char *name, nanobind::handle value)
    {
        if (!PyUnicode_Check(value.ptr()))
            refuse(name, value, "a text");
        const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), nullptr);
        if (!text)
            throw nanobind::python_error();
        return text;
    }
    /* Returns a word that cannot end its option and begin another. */
    static std::string word_of(const char *name, nanobind::handle value)
    {
        std::string word = text_of(name, value);
        if (word.empty() || word.find_first_of(",=") != std::string::npos)
            refuse(name, value, "one word");
        return word;
    }
    static double number_of(const char *name, nanobind::handle value)
    {
        double number = PyComplex_Check(value.ptr()) ? -1 : PyFloat_AsDouble(value.ptr());
        if (number == -1 && (PyComplex_Check(value.ptr()) || PyErr_Occurred()))
            refuse(name, value, "a number");
        return number;
    }
    template <typename Integer> static Integer integer_of(const char *name, nanobind::handle value)
    {
        auto index = nanobind::steal(PyNumber_Index(value.ptr()));
        if (!index)
            refuse(name, value, "an integer");
        long long number = PyLong_AsLongLong(index.ptr());
        bool fits = number >= std::numeric_limits<Integer>::min() &&
                    number <= std::numeric_limits<Integer>::max();
        if (!fits || (number == -1 && PyErr_Occurred()))
            refuse(name, value, "an integer in range");
        return static_cast<Integer>(number);
    }
    static int flag_of(const char *name, nanobind::handle value)
    {
        bool flag = PyIndex_Check(value.ptr()) || /* or NumPy's bool, which is not an index */
                    (nanobind::hasattr(value, "dtype") &&
                     nanobind::str(value.attr("dtype")).equal(nanobind::str("bool")));
        int truth = flag ? PyObject_IsTrue(value.ptr()) : -1;
        if (truth < 0)
            refuse(name, value, "True or False");
        return truth;
    }

    nanobind::dict left_;
    std::list<std::string> texts_;
};

#endif
