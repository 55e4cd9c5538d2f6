/* Sorts numbers by keys. One sort is a stable radix sort, whose result is the same for any number
 * of threads. The other sorts in place. */
#ifndef FURROW_BASE_SORT_H
#define FURROW_BASE_SORT_H

#include "env.h"

#include <stdint.h>

#define FUR_DIGIT_BITS 11
#define FUR_INPUT_ORDER_SCRATCH 4

/* An item. Its key is in the upper half. */
static inline uint64_t fur_item(int32_t key, int32_t number)
{
    return (uint64_t)(uint32_t)key << 32 | (uint32_t)number;
}

static inline int32_t fur_item_key(uint64_t item)
{
    return (int32_t)(item >> 32);
}

static inline int32_t fur_item_number(uint64_t item)
{
    return (int32_t)(uint32_t)item;
}

/* Sorts `count` items, fewer than 2^31, by keys that are at most key_max. The items are divided
 * into `parts` parts for the threads of env. For one part env may be NULL. `room` has space for
 * `count` items more. `counts` has 2^FUR_DIGIT_BITS elements for each part. Returns items or room,
 * whichever has the result. */
uint64_t *fur_sort_items(const fur_env *env, uint64_t *items, uint64_t *room, int64_t count,
                         int32_t key_max, int parts, int32_t *counts);

/* Sorts items by key and number, in place. No input order is slow. */
void fur_sort_in_place(uint64_t *items, int64_t count);

/* Sets the order in which `count` vertices have ascending indices, all different. scratch:
 * FUR_INPUT_ORDER_SCRATCH int32_t for every vertex, aligned to 8 bytes. */
void fur_input_order(const int32_t *index, int64_t count, int32_t *scratch, int32_t *order);

#endif
