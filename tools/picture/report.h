/* A page for browsers about a reordering. It is a single file that needs no other file. */
#ifndef FURROW_TOOLS_REPORT_H
#define FURROW_TOOLS_REPORT_H

#include <furrow/furrow.h>

/* A matrix before and after reordering. */
typedef struct report_facts {
    const char *path; /* path of the matrix */
    const char *method;
    const fur_csr *original;
    fur_csr *reordered;
    fur_reorder_report found;
    fur_order_figures before;
    fur_order_figures after;
    double seconds_order;
    double seconds_permute;
    double products[2]; /* seconds of one product, before and after */
} report_facts;

/* Returns the number of products after which ordering and permuting have paid off:
 * (order + permute) / (before - after). Infinite if they never do. */
double report_pays_after(const report_facts *facts);

fur_status report_save(fur_context *context, const report_facts *facts, const char *path);

#endif
