/* Sets of numbers, each with one of two parities (Tarjan 1975). Each number stores an earlier
 * number of its set, and whether both have the same parity.
 *
 * The literal 2 i says "i is even", 2 i + 1 says "i is odd". link[i] is a literal that says the
 * same as 2 i. It is 2 i for the first number of a set. Before sets are joined, it is 2 i for every
 * number. */
#ifndef FURROW_AUTHOR_PARITY_H
#define FURROW_AUTHOR_PARITY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the equivalent literal of the first number of the set.
 *
 * It shortens the links on the way. */
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

/* Makes both literals equivalent. Returns false if they already contradict each other. */
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

/* Gives i and j different parities. Returns false if their parities are already equal. */
static inline bool fur_parity_part(uint32_t *link, uint32_t i, uint32_t j)
{
    return fur_parity_join(link, 2 * i, 2 * j + 1);
}

#endif
