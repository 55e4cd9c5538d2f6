/* The end of a solve on one rank or several: its figures, and a message on failure. */
#ifndef FURROW_TOOLS_VERDICT_H
#define FURROW_TOOLS_VERDICT_H

#include "output.h"

typedef struct verdict {
    const char *name;   /* name of A, for people */
    const char *method; /* the method that found x */
    const fur_solver_report *report;
    const fur_csr_traits *traits; /* properties of A; NULL: unknown */
    fur_value_type value;         /* value type of A */
    bool least_squares;           /* a least-squares solution counts as success */
    bool quiet;                   /* prints no notes and warnings */
    const char *out;              /* the file that contains x; NULL: none */
} verdict;

/* Adds the figures of a report that do not depend on the solver. */
void verdict_put(output *out, const fur_solver_report *report);

/* Returns FUR_OK if x is a solution. Otherwise returns FUR_INVALID with the reason and advice. */
fur_status verdict_judge(fur_context *context, const verdict *v);

#endif
