/* Linear operators: of plans, preconditioners, and functions of Python. */
#ifndef FURROW_PYTHON_OPERATOR_H
#define FURROW_PYTHON_OPERATOR_H

#include "context.h"

/* An operator that may belong to another object, which `kept` of the handle is. */
struct any_operator {
    const fur_operator *op;
    furrow::linear_operator owned; /* NULL: the other object's */
};

void destroy(any_operator *op);

class Operator : public Held<any_operator, destroy>
{
  public:
    using Held::Held;
    const fur_operator *op() const
    {
        return get()->op;
    }
    bool square() const
    {
        return fur_operator_rows(op()) == fur_operator_cols(op());
    }
};

/* The operator that make(&handle) makes from another object, which it keeps alive. */
template <typename Make>
Operator derive_operator(std::shared_ptr<Context> context, nb::object from, Make make)
{
    fur_operator *op = make_in<fur_operator>(*context, make);
    return Operator(std::move(context), new any_operator{op, furrow::linear_operator(op)},
                    std::move(from));
}

void bind_operator(nb::module_ &m);

#endif
