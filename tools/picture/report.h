/* A page for browsers about one reordering: one file that needs nothing else. */
#ifndef FURROW_TOOLS_REPORT_H
#define FURROW_TOOLS_REPORT_H

#include <furrow/furrow.h>

typedef struct report_facts {
    const char *path; /* of the matrix */
    const char *method;
    const fur_csr *original;
    const fur_csr *reordered;
    const fur_reorder_report *found;
    const fur_order_figures *before;
    const fur_order_figures *after;
    double seconds_order;
    double seconds_permute;
    double seconds_before; /* of one product */
    double seconds_after;
    double pays_after; /* products after which ordering has paid back; infinite: never */
} report_facts;

fur_status report_save(fur_context *context, const report_facts *facts, const char *path);

#endif
