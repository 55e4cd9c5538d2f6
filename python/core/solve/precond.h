/* Preconditioners. */
#ifndef FURROW_PYTHON_PRECOND_H
#define FURROW_PYTHON_PRECOND_H

#include "context.h"

using Precond = Held<fur_precond, fur_precond_destroy>;

void bind_precond(nb::module_ &m);

#endif
