/* Writing matrices and vectors as text: threads print entries in pieces and compress them; the
 * pieces leave in order, into a file that appears when it is complete (output.c). */
#ifndef FURROW_IO_WRITE_H
#define FURROW_IO_WRITE_H

#include <furrow/mtx.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Printing entries, a line each (print.c): entries of an array, as numbers of a field. */
typedef struct fur_print_numbers {
    const void *values;
    fur_value_type value_type;
    fur_mtx_field field; /* pattern: none; integer: the values fit int64_t; complex: pairs */
} fur_print_numbers;

/* Entries of a matrix, or of its lower triangle. */
typedef struct fur_print_matrix {
    fur_csr_view view;
    fur_mtx_symmetry symmetry;
    fur_print_numbers numbers;
} fur_print_matrix;

/* Whether a file of that symmetry stores the entry: all of a general matrix, else those of the
 * lower triangle. */
static inline int fur_print_is_stored(fur_mtx_symmetry symmetry, int64_t row, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL || col < row ||
           (col == row && symmetry != FUR_MTX_SKEW_SYMMETRIC);
}

/* Bytes that the numbers of an entry take at most, each with what stands behind it. */
size_t fur_print_numbers_size(fur_mtx_field field);
/* The same with row and column. */
size_t fur_print_entry_size(fur_mtx_field field);

/* Print entries begin .. end-1 of a fur_print_numbers, of a fur_print_matrix; return the end of the
 * text. */
char *fur_print_array(const void *numbers, int64_t begin, int64_t end, char *out);
char *fur_print_coordinates(const void *matrix, int64_t begin, int64_t end, char *out);

/* A long text, a line for each of many entries, printed by several threads (text_write.c). */
typedef struct fur_text {
    const char *head; /* what comes first */
    size_t head_size;
    int64_t entries;
    size_t entry_size; /* bytes that one takes at most */
    /* Prints the entries begin .. end-1, at least one, and returns the end of what it wrote. Called
     * by several threads at the same time. */
    char *(*print)(const void *user, int64_t begin, int64_t end, char *out);
    const void *user;
} fur_text;

/* Replaces the file, or writes to a pipe, device or "-", as furrow/output.h says, compressed if the
 * end of its name says so. The threads of the context print pieces of about equal size into buffers
 * of their own, a megabyte a thread. Where a piece is cut does not depend on their number, nor does
 * any byte of the file. sync: see fur_output_commit. */
fur_status fur_text_write(fur_context *context, const char *path, const fur_text *text, bool sync);

/* Compressing a text piece by piece (compress.c): each piece becomes a gzip member (RFC 1952) or a
 * zstd frame (RFC 8878) of its own, so that threads can make them apart, and the pieces one after
 * the other are a valid file. */
typedef struct fur_compressor {
    /* Bytes that `size` bytes of text become at most. */
    size_t (*bound)(size_t size);
    /* Makes what one thread compresses with. */
    fur_status (*start)(fur_context *context, void **state);
    /* Compresses a text; returns the bytes of the result, 0 if that fails. */
    size_t (*compress)(void *state, const char *text, size_t size, char *out, size_t room);
    /* Gives back what start made; accepts NULL. */
    void (*stop)(fur_context *context, void *state);
} fur_compressor;

extern const fur_compressor fur_compressor_gzip; /* there if FURROW_HAVE_GZIP is defined */
extern const fur_compressor fur_compressor_zstd; /* there if FURROW_HAVE_ZSTD is defined */

/* The compressor that the end of the path asks for: .gz, .zst; NULL for every other path: plain
 * text. FUR_UNSUPPORTED if this build lacks the library for it. */
fur_status fur_compressor_find(fur_context *context, const char *path, const fur_compressor **out);

/* Pieces that threads make in any order and that leave one after the other (turns.c). A piece that
 * is ready before its turn waits in a slot while its thread makes the next one, so that a thread
 * which the system holds up does not hold up the others. */
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

/* The piece whose turn it is to leave, if it is ready and no other thread is writing; -1: none. A
 * thread asks after each fur_turns_finish and each fur_turns_left; after -1 others do the rest. */
int64_t fur_turns_leave(fur_turns *turns);

/* That piece has left and its slot is free. */
void fur_turns_left(fur_turns *turns);

/* No piece is taken and none leaves from now on. */
void fur_turns_stop(fur_turns *turns);

void fur_turns_end(fur_turns *turns);

#endif
