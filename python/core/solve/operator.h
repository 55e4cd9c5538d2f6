/* Linear operators made from plans, preconditioners, and Python functions. */
#ifndef FURROW_PYTHON_OPERATOR_H
#define FURROW_PYTHON_OPERATOR_H

#include "context.h"

/* An operator that may belong to another object. The handle keeps that object in `kept`. */
struct any_operator {
    const fur_operator *op;
    furrow::linear_operator owned; /* NULL: the other object owns the operator */
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

/* Returns the operator that make(&handle) makes from another object, and keeps that object alive.
 */
template <typename Make>
Operator derive_operator(std::shared_ptr<Context> context, nb::object from, Make make)
{
    fur_operator *op = make_in<fur_operator>(*context, make);
    return Operator(std::move(context), new any_operator{op, furrow::linear_operator(op)},
                    std::move(from));
}

void bind_operator(nb::module_ &m);

#endif
