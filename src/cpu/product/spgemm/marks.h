/* A set of columns that returns them in order. One bit stands for a column, one bit for a word of
 * 64 columns, and one bit for 4096 columns. Only nonempty words are visited. A row therefore needs
 * no sorting, and takes time in proportion to its columns. The columns of one word are added at
 * once (as in the compressed B of Deveci, Trott and Rajamanickam 2018). */
#ifndef FURROW_CPU_SPGEMM_MARKS_H
#define FURROW_CPU_SPGEMM_MARKS_H

#include "split.h"

#include <stdint.h>

#define MARKS_WORD 6 /* 2^6 columns a word, 2^6 words a group, 2^6 groups a crowd */
#define MARKS_LAST 63

typedef struct marks {
    uint64_t *columns; /* bits of columns */
    uint64_t *words;   /* bits of nonempty words of `columns` */
    uint64_t *groups;  /* bits of nonempty words of `words` */
    int64_t low;       /* only the words low to high - 1 of `groups` may be nonempty */
    int64_t high;
} marks;

static inline int64_t marks_words(int64_t count)
{
    return (count + MARKS_LAST) >> MARKS_WORD;
}

/* Words of memory for a set of columns less than `cols`. */
static inline int64_t marks_room(int64_t cols)
{
    int64_t columns = marks_words(cols);
    int64_t words = marks_words(columns);
    return columns + words + marks_words(words);
}

/* Makes the empty set in this memory. The memory must be zero. It is zero again after
 * marks_empty. */
static inline marks marks_open(uint64_t *room, int64_t cols)
{
    int64_t columns = marks_words(cols);
    uint64_t *words = room + columns;
    return (marks){room, words, words + marks_words(columns), INT64_MAX, 0};
}

static inline void marks_add_word(marks *m, int32_t word, uint64_t bits)
{
    uint64_t before = m->columns[word];
    m->columns[word] = before | bits;
    if (before)
        return;
    int32_t group = word >> MARKS_WORD;
    uint64_t others = m->words[group];
    m->words[group] = others | UINT64_C(1) << (word & MARKS_LAST);
    if (!others)
        m->groups[group >> MARKS_WORD] |= UINT64_C(1) << (group & MARKS_LAST);
}

/* Adds columns in rising order. Columns of one word are added at once. */
static inline void marks_add(marks *m, const int32_t *columns, int64_t count)
{
    if (count == 0)
        return;
    int32_t word = columns[0] >> MARKS_WORD;
    int32_t last = columns[count - 1] >> MARKS_WORD;
    m->low = fur_smaller(m->low, word >> 2 * MARKS_WORD);
    m->high = fur_larger(m->high, (last >> 2 * MARKS_WORD) + 1);
    uint64_t bits = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t next = columns[k] >> MARKS_WORD;
        if (next != word) {
            marks_add_word(m, word, bits);
            word = next;
            bits = 0;
        }
        bits |= UINT64_C(1) << (columns[k] & MARKS_LAST);
    }
    marks_add_word(m, word, bits);
}

/* Removes the lowest bit of *word, whose index is `index`. Returns the bit's number in the
 * array. */
static inline int32_t marks_next(uint64_t *word, int64_t index)
{
    int32_t bit = __builtin_ctzll(*word);
    *word &= *word - 1;
    return (int32_t)(index << MARKS_WORD) + bit;
}

/* Removes all columns, and writes them in order to `to`. If `to` is NULL, which is a constant, they
 * are only counted. Returns their number. */
static inline __attribute__((always_inline)) int64_t marks_empty(marks *m, int32_t *to)
{
    int64_t count = 0;
    for (int64_t i = m->low; i < m->high; i++) {
        uint64_t groups = m->groups[i];
        m->groups[i] = 0;
        while (groups) {
            int32_t group = marks_next(&groups, i);
            uint64_t words = m->words[group];
            m->words[group] = 0;
            while (words) {
                int32_t word = marks_next(&words, group);
                uint64_t columns = m->columns[word];
                m->columns[word] = 0;
                if (!to)
                    count += __builtin_popcountll(columns);
                else
                    while (columns)
                        to[count++] = marks_next(&columns, word);
            }
        }
    }
    m->low = INT64_MAX;
    m->high = 0;
    return count;
}

#endif
