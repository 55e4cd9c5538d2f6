/* A context's threads, which share the work of a loop.
 *
 * They start at the first loop that is worth them, wait for the next one a moment awake, then
 * asleep, and end with the context. A loop is cut in ranges that are handed out as threads come for
 * them, so that no range waits for a thread that the system does not run.
 *
 * A loop says how many threads it is worth. ROW_GRAIN and its like, in the sources, are the rows
 * and so on below which a further thread costs more than it brings. */
#ifndef FURROW_BASE_TEAM_H
#define FURROW_BASE_TEAM_H

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The body of a loop, for its indices begin .. end-1. Several threads run it, each for ranges of
 * its own. */
typedef void fur_body(void *job, int64_t begin, int64_t end);

/* The number of parts for work that is worth `worth` threads: some for each thread, so that one can
 * take over from another. 1 if one thread is to do it all. */
int fur_parts(int threads, int64_t worth);

/* The same with one part for each thread, where every part has memory of its own. */
int fur_lanes(int threads, int64_t worth);

/* The number of threads for a context that asked for `asked`; 0: OMP_NUM_THREADS, else one for each
 * processor. At most FUR_THREADS_MAX for every processor that the process may use. */
#define FUR_THREADS_MAX 8
int fur_team_size(int asked);

/* Makes env->team of env->threads threads, the caller's among them. */
fur_status fur_team_open(fur_env *env);
void fur_team_close(fur_env *env);

/* The threads that there are: fewer than env->threads once the system has refused one, which
 * *refusal then says. */
int fur_team_threads(const fur_env *env, const char **refusal);

/* Calls body(job, begin, end) for ranges that make up 0 .. count-1 and returns when all calls have.
 * `worth`: the ranges that would each be worth a thread. The range that begins with 0 is the
 * calling thread's. From within a body, or in a child of the process that made the team, the
 * calling thread does everything. */
void fur_parallel(const fur_env *env, int64_t worth, int64_t count, fur_body *body, void *job);

#ifdef __cplusplus
}
#endif
#endif
