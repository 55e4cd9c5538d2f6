/* Stencils: matrix-free operators on grids, and stencils found in matrices. */
#ifndef FURROW_PYTHON_STENCIL_H
#define FURROW_PYTHON_STENCIL_H

#include "csr.h"

/* A stencil with its variable coefficients. Members are destroyed from the last to the first. */
struct any_stencil {
    std::vector<furrow::vector> fields;
    furrow::stencil stencil;
};

void destroy(any_stencil *s);

using Stencil = Held<any_stencil, destroy>;
using Recognised = Held<fur_recognised, fur_recognised_destroy>;

void bind_stencil(nb::module_ &m);

#endif
