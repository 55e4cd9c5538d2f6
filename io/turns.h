/* Pieces that threads make in any order and that leave one after the other. A piece that is ready
 * before its turn waits in a slot while its thread makes the next one, so that a thread which the
 * system holds up does not hold up the others. */
#ifndef FURROW_IO_TURNS_H
#define FURROW_IO_TURNS_H

#include <furrow/context.h>

#include <pthread.h>
#include <stdbool.h>

typedef struct fur_turns {
    fur_context *context;
    pthread_mutex_t lock;
    pthread_cond_t left; /* a slot has become free, or there is nothing more to make */
    int64_t pieces;
    int64_t slots;
    int64_t taken; /* pieces that are made or being made */
    int64_t gone;  /* pieces that have left: each had its turn */
    bool leaving;  /* a piece is on its way out */
    bool *ready;   /* by slot */
} fur_turns;

/* Memory for the state of the slots: see fur_turns_end. */
fur_status fur_turns_start(fur_context *context, int64_t pieces, int64_t slots, fur_turns *out);

/* The next piece to make, whose slot is piece % slots; waits until that is free. -1: no more. */
int64_t fur_turns_take(fur_turns *turns);

/* The piece is in its slot. */
void fur_turns_finish(fur_turns *turns, int64_t piece);

/* The piece whose turn it is to leave, if it is ready and no other thread is at that; -1: none. To
 * be asked after each fur_turns_finish and each fur_turns_left: who got -1 may leave the rest to
 * others.
 */
int64_t fur_turns_leave(fur_turns *turns);

/* That piece has left and its slot is free. */
void fur_turns_left(fur_turns *turns);

/* No piece is taken and none leaves from now on. */
void fur_turns_stop(fur_turns *turns);

void fur_turns_end(fur_turns *turns);

#endif
