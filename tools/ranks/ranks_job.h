/* What furrow-ranks does on each rank. */
#ifndef FURROW_TOOLS_RANKS_JOB_H
#define FURROW_TOOLS_RANKS_JOB_H

#include "ranks_line.h"

#include <furrow/ranks.h>

/* The whole job of one rank; rank 0 prints. user: a ranks_line. */
fur_status ranks_job(fur_ranks *group, void *user);

#endif
