/* Options from Python's keywords. */
#ifndef FURROW_PYTHON_OPTIONS_H
#define FURROW_PYTHON_OPTIONS_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <list>
#include <string>

/* Keywords that are taken one by one; texts live as long as this. */
class Keywords
{
  public:
    explicit Keywords(const nanobind::dict &given)
        : left_(nanobind::cast<nanobind::dict>(given.attr("copy")()))
    {
    }
    /* Sets the member if its keyword is there. */
    template <typename Member> void take(const char *name, Member &member)
    {
        if (!left_.contains(name))
            return;
        nanobind::object value = left_.attr("pop")(name);
        if constexpr (std::is_same_v<Member, const char *>)
            member = texts_.emplace_back(nanobind::cast<std::string>(value)).c_str();
        else if constexpr (std::is_same_v<Member, int>)
            member = nanobind::cast<int>(nanobind::int_(value)); /* True, too */
        else
            member = nanobind::cast<Member>(value);
    }
    /* Refuses keywords that nobody has taken. */
    void finish(const char *what) const
    {
        if (left_.size() > 0) {
            auto name = nanobind::cast<std::string>(nanobind::str((*left_.begin()).first));
            throw nanobind::type_error((std::string(what) + " has no option " + name).c_str());
        }
    }

  private:
    nanobind::dict left_;
    std::list<std::string> texts_;
};

#endif
