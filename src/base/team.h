/* The threads of a context, which share the work of a loop.
 *
 * They start at the first loop that is large enough, and end with the context. Between loops they
 * spin for a moment, and then sleep. A loop is divided into ranges. Threads take ranges when they
 * are ready, so that no range waits for a thread that the system does not run.
 *
 * A loop states how many threads it justifies. ROW_GRAIN and similar constants in the sources are
 * the number of rows (and so on) that justify one more thread. */
#ifndef FURROW_BASE_TEAM_H
#define FURROW_BASE_TEAM_H

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The body of a loop, for indices begin .. end-1. Several threads run it, each for its own
 * ranges. */
typedef void fur_body(void *job, int64_t begin, int64_t end);

/* The number of parts for work that justifies `worth` threads. There are several parts for each
 * thread, so that threads can take over parts of others. 1 if one thread does everything. */
int fur_parts(int threads, int64_t worth);

/* As above, with one part for each thread. Use it if every part has its own memory. */
int fur_lanes(int threads, int64_t worth);

/* The number of threads for a context that asked for `asked`. 0: OMP_NUM_THREADS or else one thread
 * for each processor. At most FUR_THREADS_MAX for each processor that the process may use. */
#define FUR_THREADS_MAX 8
int fur_team_size(int asked);

/* Makes env->team with env->threads threads, including the caller's thread. */
fur_status fur_team_open(fur_env *env);
void fur_team_close(fur_env *env);

/* The number of threads that exist. It is less than env->threads after the system has refused a
 * thread. *refusal then tells why. */
int fur_team_threads(const fur_env *env, const char **refusal);

/* Calls body(job, begin, end) for ranges that together are 0 .. count-1, and returns when all calls
 * have returned. `worth`: the number of ranges that would each justify one thread. The calling
 * thread runs the range that begins with 0. From within a body, or in a child of the process that
 * made the team, the calling thread runs everything. */
void fur_parallel(const fur_env *env, int64_t worth, int64_t count, fur_body *body, void *job);

#ifdef __cplusplus
}
#endif
#endif
