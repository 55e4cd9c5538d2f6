/* Prints, compresses and writes the pieces of a text. They are written one after the other, because
 * the system serialises several threads that write to one file anyway. */
#include "failure.h"
#include "split.h"
#include "write.h"

#include <furrow/author/files.h>
#include <furrow/author/try.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The most bytes of the entries in a piece. Its buffer stays in a core's cache. */
#define PIECE_SIZE ((size_t)1 << 20)

/* Pieces by which a thread may be ahead of the next piece to be written. */
#define AHEAD 3

/* Pieces that threads make in any order, but that are written in order. A piece that is ready early
 * waits in a slot while its thread makes the next one. A thread that the system delays therefore
 * does not delay the others. */
typedef struct turns {
    fur_context *context;
    pthread_mutex_t lock;
    pthread_cond_t left; /* a slot has become free, or there is nothing more to make */
    int64_t pieces;
    int64_t slots;
    int64_t taken; /* pieces that are made or being made */
    int64_t gone;  /* pieces that have been written */
    bool leaving;  /* a piece is being written */
    bool *ready;   /* by slot */
} turns;

/* Allocates the state of the slots: see turns_end. */
static fur_status turns_start(fur_context *context, int64_t pieces, int64_t slots, turns *out)
{
    void *ready;
    FUR_TRY(fur_context_allocate(context, (size_t)slots * sizeof(bool), &ready));
    *out = (turns){.context = context, .pieces = pieces, .slots = slots, .ready = ready};
    memset(out->ready, 0, (size_t)slots * sizeof(bool));
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->left, NULL);
    return FUR_OK;
}

/* Returns the next piece to make, or -1 if there is none. Its slot is piece % slots. Waits until
 * the slot is free. */
static int64_t turns_take(turns *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->taken < t->pieces && t->taken - t->gone >= t->slots)
        pthread_cond_wait(&t->left, &t->lock);
    int64_t piece = t->taken < t->pieces ? t->taken++ : -1;
    pthread_mutex_unlock(&t->lock);
    return piece;
}

/* Marks a piece as ready in its slot. */
static void turns_finish(turns *t, int64_t piece)
{
    pthread_mutex_lock(&t->lock);
    t->ready[piece % t->slots] = true;
    pthread_mutex_unlock(&t->lock);
}

/* Returns the next piece to write, if it is ready and no other thread is writing, or -1. A thread
 * calls this after each turns_finish and each turns_left. After -1, other threads write the
 * rest. */
static int64_t turns_leave(turns *t)
{
    pthread_mutex_lock(&t->lock);
    bool now = !t->leaving && t->gone < t->pieces && t->ready[t->gone % t->slots];
    t->leaving |= now;
    int64_t piece = now ? t->gone : -1;
    pthread_mutex_unlock(&t->lock);
    return piece;
}

/* Marks this piece as written, and its slot as free. */
static void turns_left(turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->ready[t->gone % t->slots] = false;
    t->gone++;
    t->leaving = false;
    pthread_cond_broadcast(&t->left);
    pthread_mutex_unlock(&t->lock);
}

/* Stops: no further piece is taken or written. */
static void turns_stop(turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->pieces = 0;
    pthread_cond_broadcast(&t->left);
    pthread_mutex_unlock(&t->lock);
}

static void turns_end(turns *t)
{
    pthread_cond_destroy(&t->left);
    pthread_mutex_destroy(&t->lock);
    fur_context_release(t->context, t->ready);
}

/* The memory of one thread. */
typedef struct worker {
    char *text;  /* the text to compress; NULL if the file is not compressed */
    void *state; /* of the compressor */
    fur_failure failure;
} worker;

/* A piece in its final form. */
typedef struct slot {
    char *bytes;
    size_t size;
} slot;

typedef struct writing {
    fur_context *context;
    const fur_text *text;
    const fur_compressor *compressor; /* NULL: no compression */
    int64_t piece_entries;
    int64_t pieces;
    size_t text_room;
    size_t slot_room;
    int team;
    int slot_count;
    worker *workers;
    slot *slots;
    turns turns;
    const char *path;
    fur_output *output;
} writing;

/* Chooses the numbers of pieces, threads and slots. */
static writing plan(fur_context *context, const fur_text *text, const fur_compressor *compressor)
{
    writing w = {.context = context, .text = text, .compressor = compressor};
    w.piece_entries = (int64_t)(PIECE_SIZE / text->entry_size);
    w.pieces = text->entries > 0 ? (text->entries - 1) / w.piece_entries + 1 : 1;
    w.text_room = text->head_size + PIECE_SIZE;
    w.slot_room = compressor ? compressor->bound(w.text_room) : w.text_room;
    int threads = fur_context_threads(context);
    w.team = (int)fur_smaller(w.pieces, threads);
    w.slot_count = w.team + AHEAD * (w.team - 1);
    return w;
}

/* Allocates a zeroed array, whose elements have to be released one by one. */
static fur_status make_array(fur_context *context, int count, size_t size, void **out)
{
    FUR_TRY(fur_context_allocate(context, (size_t)count * size, out));
    memset(*out, 0, (size_t)count * size);
    return FUR_OK;
}

static fur_status make_slots(writing *w)
{
    void *memory;
    FUR_TRY(make_array(w->context, w->slot_count, sizeof *w->slots, &memory));
    w->slots = memory;
    for (int i = 0; i < w->slot_count; i++) {
        FUR_TRY(fur_context_allocate(w->context, w->slot_room, &memory));
        w->slots[i].bytes = memory;
    }
    return FUR_OK;
}

static fur_status make_workers(writing *w)
{
    void *memory;
    FUR_TRY(make_array(w->context, w->team, sizeof *w->workers, &memory));
    w->workers = memory;
    for (int i = 0; w->compressor && i < w->team; i++) {
        FUR_TRY(fur_context_allocate(w->context, w->text_room, &memory));
        w->workers[i].text = memory;
        FUR_TRY(w->compressor->start(w->context, &w->workers[i].state));
    }
    return FUR_OK;
}

static void release(writing *w)
{
    for (int i = 0; w->slots && i < w->slot_count; i++)
        fur_context_release(w->context, w->slots[i].bytes);
    for (int i = 0; w->workers && w->compressor && i < w->team; i++) {
        fur_context_release(w->context, w->workers[i].text);
        w->compressor->stop(w->context, w->workers[i].state);
    }
    fur_context_release(w->context, w->slots);
    fur_context_release(w->context, w->workers);
}

/* Prints a piece. The first piece begins with the head. */
static size_t print_piece(const writing *w, int64_t index, char *out)
{
    const fur_text *text = w->text;
    int64_t begin = index * w->piece_entries;
    int64_t end = fur_smaller(begin + w->piece_entries, text->entries);
    char *at = out;
    if (index == 0) {
        memcpy(at, text->head, text->head_size);
        at += text->head_size;
    }
    if (begin < end)
        at = text->print(text->user, begin, end, at);
    return (size_t)(at - out);
}

/* Prints a piece into its slot, compressed if requested. */
static fur_status make_piece(writing *w, worker *own, int64_t index)
{
    slot *to = &w->slots[index % w->slot_count];
    if (!w->compressor) {
        to->size = print_piece(w, index, to->bytes);
        return FUR_OK;
    }
    size_t size = print_piece(w, index, own->text);
    to->size = w->compressor->compress(own->state, own->text, size, to->bytes, w->slot_room);
    return to->size > 0 ? FUR_OK
                        : fur_failure_set(&own->failure, FUR_IO_ERROR,
                                          "%.400s: cannot be compressed", w->path);
}

/* Writes pieces that are ready. One thread at a time writes, and the output stores the first
 * error. */
static void write_ready_pieces(writing *w)
{
    for (int64_t index = turns_leave(&w->turns); index >= 0; index = turns_leave(&w->turns)) {
        const slot *from = &w->slots[index % w->slot_count];
        if (fur_output_write(w->output, from->bytes, from->size) != FUR_OK)
            turns_stop(&w->turns);
        turns_left(&w->turns);
    }
}

/* A thread's part: makes pieces until none is left. */
static void write_pieces(void *user, int64_t part, int64_t end)
{
    (void)end;
    writing *w = user;
    worker *own = &w->workers[part];
    for (int64_t index = turns_take(&w->turns); index >= 0; index = turns_take(&w->turns)) {
        if (make_piece(w, own, index) != FUR_OK)
            turns_stop(&w->turns);
        turns_finish(&w->turns, index);
        write_ready_pieces(w);
    }
}

static fur_status report(const writing *w)
{
    for (int i = 0; i < w->team; i++)
        FUR_TRY(fur_failure_report(&w->workers[i].failure, w->context));
    return FUR_OK;
}

static fur_status end_file(writing *w, bool sync)
{
    fur_status status = report(w);
    if (status == FUR_OK)
        return fur_output_commit(w->output, sync);
    fur_output_abandon(w->output);
    return status;
}

static fur_status write_file(writing *w, bool sync)
{
    FUR_TRY(make_slots(w));
    FUR_TRY(make_workers(w));
    FUR_TRY(turns_start(w->context, w->pieces, w->slot_count, &w->turns));
    fur_status status = fur_output_create(w->context, w->path, &w->output);
    if (status == FUR_OK) {
        fur_context_parallel(w->context, w->team, 1, write_pieces, w);
        status = end_file(w, sync);
    }
    turns_end(&w->turns);
    return status;
}

fur_status fur_text_write(fur_context *context, const char *path, const fur_text *text, bool sync)
{
    const fur_compressor *compressor = NULL;
    FUR_TRY(fur_compressor_find(context, path, &compressor));
    writing w = plan(context, text, compressor);
    w.path = path;
    fur_status status = write_file(&w, sync);
    release(&w);
    return status;
}
