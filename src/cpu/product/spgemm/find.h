/* The sorted columns of a row of A B. Few columns are sorted by insertion. Columns that lie close
 * together are found in a window, and all others in a set of marks. */
#ifndef FURROW_CPU_SPGEMM_FIND_H
#define FURROW_CPU_SPGEMM_FIND_H

#include "marks.h"
#include "product.h"
#include "repeat.h"
#include "window.h"

#include <string.h>

/* If a row has at most this much work, products and entries of A together, its columns are sorted
 * by insertion. */
#define LITTLE_WORK 24
/* Scanning this many places of a window takes as long as one product with marks. */
#define WINDOW_PER_WORK 32
/* A window is considered only if the rows of B have at least this many entries on average. */
#define WINDOW_LEAST_LENGTH 4

/* The data with which a lane finds columns. */
typedef struct finder {
    const spgemm_step *step;
    marks wide;
    uint8_t *window;
} finder;

/* Words of memory for a finder. All of them are zero. */
static inline int64_t finder_room(int64_t cols)
{
    return marks_room(cols) + WINDOW_BYTES / (int64_t)sizeof(uint64_t);
}

static inline finder finder_open(const spgemm_step *s, int lane)
{
    uint64_t *room = s->marks + lane * s->room;
    return (finder){s, marks_open(room, s->b->cols), (uint8_t *)(room + marks_room(s->b->cols))};
}

/* A walk over the rows of B that form a row of A B. A row of B that has the same columns as the row
 * before is skipped, as in matrices of blocks. */
typedef struct walk {
    int64_t next; /* entry of A */
    int64_t end;
    int32_t before; /* column of the last entry */
    const int32_t *columns;
    int64_t count;
} walk;

static inline walk walk_row(const spgemm_step *s, int64_t i)
{
    return (walk){fur_offset_at(s->a, i), fur_offset_at(s->a, i + 1), -1, NULL, 0};
}

/* Moves to the next row of B that is not empty. Returns false if there is none. */
static inline bool walk_on(const spgemm_step *s, walk *w)
{
    while (w->next < w->end) {
        int32_t k = s->a->columns[w->next++];
        bool is_same = k - 1 == w->before && s->state->repeats_b[k] & REPEATS_SAME;
        int64_t from = fur_offset_at(s->b, k);
        w->before = k;
        w->count = fur_offset_at(s->b, k + 1) - from;
        if (w->count > 0 && !is_same) {
            w->columns = s->b->columns + from;
            return true;
        }
    }
    return false;
}

/* The first column of a row, and the number of columns from it to the last one. */
typedef struct extent {
    int32_t first;
    int64_t width;
} extent;

static inline extent find_extent(const spgemm_step *s, int64_t i)
{
    int32_t first = INT32_MAX;
    int32_t last = -1;
    for (walk w = walk_row(s, i); walk_on(s, &w);) {
        int32_t end = w.columns[w.count - 1];
        first = w.columns[0] < first ? w.columns[0] : first;
        last = end > last ? end : last;
    }
    return (extent){first, last - (int64_t)first + 1};
}

/* Returns whether a window is best for row i, whose work is about `work`. If it is, *x is set. The
 * ends of a short row of B cost as much as marking the row, so that a window does not pay there. */
static inline bool suits_window(const spgemm_step *s, int64_t i, int64_t work, extent *x)
{
    int64_t entries = fur_offset_at(s->a, i + 1) - fur_offset_at(s->a, i);
    if (work < WINDOW_LEAST_LENGTH * entries)
        return false;
    *x = find_extent(s, i);
    return x->width > 0 && x->width <= WINDOW_COLUMNS && x->width / WINDOW_PER_WORK <= work;
}

/* Inserts a column into a sorted list. Returns the end of the list. */
static inline int32_t *insert_column(int32_t *list, int32_t *end, int32_t column)
{
    int32_t *at = end;
    while (at > list && at[-1] >= column)
        at--;
    if (at < end && *at == column)
        return end;
    memmove(at + 1, at, (size_t)(end - at) * sizeof *at);
    *at = column;
    return end + 1;
}

static inline int32_t *insert_row(const spgemm_step *s, int64_t i, int32_t *to)
{
    int32_t *end = to;
    for (walk w = walk_row(s, i); walk_on(s, &w);)
        for (int64_t k = 0; k < w.count; k++)
            end = insert_column(to, end, w.columns[k]);
    return end;
}

static inline void add_to_window(const finder *f, int64_t i, int32_t first)
{
    for (walk w = walk_row(f->step, i); walk_on(f->step, &w);)
        window_add(f->window, first, w.columns, w.count);
}

static inline void add_to_marks(finder *f, int64_t i)
{
    for (walk w = walk_row(f->step, i); walk_on(f->step, &w);)
        marks_add(&f->wide, w.columns, w.count);
}

/* Writes the columns of row i, whose work is about `work`. Returns the end of the list. */
static inline int32_t *find_row(finder *f, int64_t i, int64_t work, int32_t *to)
{
    if (work <= LITTLE_WORK)
        return insert_row(f->step, i, to);
    extent x;
    if (suits_window(f->step, i, work, &x)) {
        add_to_window(f, i, x.first);
        return window_take(f->window, x.first, x.width, to);
    }
    add_to_marks(f, i);
    return to + marks_empty(&f->wide, to);
}

/* The number of columns that find_row would write. */
static inline int64_t find_count(finder *f, int64_t i, int64_t work)
{
    int32_t columns[LITTLE_WORK];
    if (work <= LITTLE_WORK)
        return insert_row(f->step, i, columns) - columns;
    extent x;
    if (suits_window(f->step, i, work, &x)) {
        add_to_window(f, i, x.first);
        return window_count(f->window, x.width);
    }
    add_to_marks(f, i);
    return marks_empty(&f->wide, NULL);
}

#endif
