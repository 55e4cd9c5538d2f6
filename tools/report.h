/* A page for browsers about one reordering: one file that needs nothing else. */
#ifndef FURROW_TOOLS_REPORT_H
#define FURROW_TOOLS_REPORT_H

#include "reordering.h"

typedef struct report_facts {
    const char *path; /* of the matrix */
    const char *method;
    const fur_csr *original;
    const reordering *reordering; /* with its race */
    const fur_order_figures *before;
    const fur_order_figures *after;
} report_facts;

fur_status report_save(fur_context *context, const report_facts *facts, const char *path);

#endif
