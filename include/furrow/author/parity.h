/* Sets of numbers, each of which has one of two parities (Tarjan 1975): each number knows an
 * earlier one of its set, and whether both have one parity.
 *
 * The literal 2 i says "i is even", 2 i + 1 "i is odd". link[i] says the same as 2 i. It is 2 i for
 * the first number of a set, as it is for every number before sets are joined. */
#ifndef FURROW_AUTHOR_PARITY_H
#define FURROW_AUTHOR_PARITY_H

#include <stdbool.h>
#include <stdint.h>

/* The literal of the first number of the set that says the same. Links on the way become shorter.
 */
static inline uint32_t fur_parity_find(uint32_t *link, uint32_t literal)
{
    for (;;) {
        uint32_t *own = &link[literal >> 1];
        uint32_t next = *own ^ (literal & 1);
        if (next == literal)
            return literal;
        uint32_t beyond = link[next >> 1] ^ (next & 1);
        *own = beyond ^ (literal & 1);
        literal = beyond;
    }
}

/* From now on both literals say the same. False: they say the opposite already. */
static inline bool fur_parity_join(uint32_t *link, uint32_t a, uint32_t b)
{
    uint32_t one = fur_parity_find(link, a);
    uint32_t other = fur_parity_find(link, b);
    if (one >> 1 < other >> 1)
        link[other >> 1] = one ^ (other & 1);
    else if (one >> 1 > other >> 1)
        link[one >> 1] = other ^ (one & 1);
    return one >> 1 != other >> 1 || one == other;
}

/* Gives i and j different parities. False: they have the same already. */
static inline bool fur_parity_part(uint32_t *link, uint32_t i, uint32_t j)
{
    return fur_parity_join(link, 2 * i, 2 * j + 1);
}

#endif
