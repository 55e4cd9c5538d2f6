/* Cycles of several contexts, which all have made the same hierarchy. On the first levels each
 * context works on some rows only, and gets the entries that these rows need from the other
 * contexts (furrow/author/sharing.h). Arrays keep their length, and entries of other contexts keep
 * their place. */
#ifndef FURROW_AMG_PARTS_H
#define FURROW_AMG_PARTS_H

#include "hierarchy.h"

#include <furrow/author/sharing.h>

/* Entries of x that pass between this context and another. */
typedef struct fur_amg_way {
    int rank;
    int64_t count;
    int32_t *entries;
} fur_amg_way;

/* y = A x on this context's rows. */
struct fur_amg_part {
    const fur_amg_parts *of;
    const int64_t *x_bounds; /* NULL: x is whole on all */
    const int64_t *y_bounds;
    bool y_is_whole; /* the parts of y of other contexts are fetched, too */
    int64_t *offsets;
    fur_csr *rows;
    fur_spmv *plan;
    int32_t *lists; /* lists of all ways */
    fur_amg_way *give;
    fur_amg_way *take;
    int give_count;
    int take_count;
    char *packed;
};

struct fur_amg_parts {
    fur_sharing with;
    fur_context *context;
    int cut;                                  /* levels of which each context has some rows */
    int64_t *bounds[FUR_AMG_LEVELS_MAX];      /* bounds of these levels and of the next level */
    fur_vector *whole[FUR_AMG_LEVELS_MAX][7]; /* the whole vectors whose parts the levels now use */
    char *mine;                               /* to gather the right-hand side of level `cut` */
    char *all;
};

/* fur_amg_multiply with a part. */
fur_status fur_amg_multiply_part(const fur_amg_part *part, double alpha, const fur_vector *x,
                                 bool add, fur_vector *y);

void fur_amg_release_part(fur_context *context, fur_amg_part *part);
void fur_amg_release_parts(fur_amg *amg);

#endif
