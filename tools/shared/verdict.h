/* The end of a solve, of one rank or of several: its figures, and the sentence about a failure. */
#ifndef FURROW_TOOLS_VERDICT_H
#define FURROW_TOOLS_VERDICT_H

#include "output.h"

typedef struct verdict {
    const char *name;   /* of A, for people */
    const char *method; /* by which x was found */
    const fur_solver_report *report;
    const fur_csr_traits *traits; /* of A; NULL: not known */
    fur_value_type value;         /* of A */
    bool least_squares;           /* a least-squares solution counts as success */
    bool quiet;                   /* without notes and warnings */
    const char *out;              /* the file that has x; NULL: there is none */
} verdict;

/* Adds the figures of a report that do not depend on who solved. */
void verdict_put(output *out, const fur_solver_report *report);

/* FUR_OK if x is a solution, else FUR_INVALID with a sentence that says why and what to do. */
fur_status verdict_judge(fur_context *context, const verdict *v);

#endif
