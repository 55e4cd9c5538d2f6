/* A ring of slots under one lock, which is taken a few times for a piece. */
#include "try.h"
#include "write.h"

#include <string.h>

fur_status fur_turns_start(fur_context *context, int64_t pieces, int64_t slots, fur_turns *out)
{
    void *ready;
    FUR_TRY(fur_context_allocate(context, (size_t)slots * sizeof(bool), &ready));
    *out = (fur_turns){.context = context, .pieces = pieces, .slots = slots, .ready = ready};
    memset(out->ready, 0, (size_t)slots * sizeof(bool));
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->left, NULL);
    return FUR_OK;
}

int64_t fur_turns_take(fur_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->taken < turns->pieces && turns->taken - turns->gone >= turns->slots)
        pthread_cond_wait(&turns->left, &turns->lock);
    int64_t piece = turns->taken < turns->pieces ? turns->taken++ : -1;
    pthread_mutex_unlock(&turns->lock);
    return piece;
}

void fur_turns_finish(fur_turns *turns, int64_t piece)
{
    pthread_mutex_lock(&turns->lock);
    turns->ready[piece % turns->slots] = true;
    pthread_mutex_unlock(&turns->lock);
}

int64_t fur_turns_leave(fur_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    bool now =
        !turns->leaving && turns->gone < turns->pieces && turns->ready[turns->gone % turns->slots];
    turns->leaving |= now;
    int64_t piece = now ? turns->gone : -1;
    pthread_mutex_unlock(&turns->lock);
    return piece;
}

void fur_turns_left(fur_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    turns->ready[turns->gone % turns->slots] = false;
    turns->gone++;
    turns->leaving = false;
    pthread_cond_broadcast(&turns->left);
    pthread_mutex_unlock(&turns->lock);
}

void fur_turns_stop(fur_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    turns->pieces = 0;
    pthread_cond_broadcast(&turns->left);
    pthread_mutex_unlock(&turns->lock);
}

void fur_turns_end(fur_turns *turns)
{
    pthread_cond_destroy(&turns->left);
    pthread_mutex_destroy(&turns->lock);
    fur_context_release(turns->context, turns->ready);
}
