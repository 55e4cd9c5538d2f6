/* Why a solve has found no solution. */
#ifndef FURROW_TOOLS_UNSOLVED_H
#define FURROW_TOOLS_UNSOLVED_H

#include <furrow/furrow.h>

typedef struct unsolved {
    const char *name; /* of the system */
    const char *method;
    const fur_csr *a; /* NULL: a stencil, which is symmetric */
    const fur_solver_report *report;
} unsolved;

/* Fails with what the method met and what to do. Whether A is symmetric is asked only here, after a
 * failure: it takes as long as some iterations, and where a solve converges, the residual of A
 * itself has shown that nothing is wrong. */
fur_status unsolved_explain(fur_context *context, const unsolved *u);

#endif
