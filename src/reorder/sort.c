/* Each thread counts and moves a part of the items; the parts of a digit follow each other. */
#include "sort.h"
#include "split.h"

#include <string.h>

typedef struct digit {
    int shift;
    int32_t values; /* how many there are, a power of two */
} digit;

static inline int32_t digit_of(digit d, uint64_t item)
{
    return (int32_t)(item >> d.shift & ((uint64_t)d.values - 1));
}

static void count_digits(const uint64_t *items, int64_t count, int team, digit d, int32_t *counts)
{
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int part = 0; part < team; part++) {
        int32_t *own = counts + (int64_t)part * d.values;
        memset(own, 0, (size_t)d.values * sizeof *own);
        for (int64_t i = fur_split(count, team, part); i < fur_split(count, team, part + 1); i++)
            own[digit_of(d, items[i])]++;
    }
}

/* Counts become the places where each part's items with a digit begin. */
static void sum_counts(int team, int32_t values, int32_t *counts)
{
    int32_t place = 0;
    for (int32_t value = 0; value < values; value++) {
        for (int part = 0; part < team; part++) {
            int32_t *cell = &counts[(int64_t)part * values + value];
            int32_t found = *cell;
            *cell = place;
            place += found;
        }
    }
}

static void move_items(const uint64_t *items, int64_t count, int team, digit d, int32_t *counts,
                       uint64_t *out)
{
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int part = 0; part < team; part++) {
        int32_t *place = counts + (int64_t)part * d.values;
        for (int64_t i = fur_split(count, team, part); i < fur_split(count, team, part + 1); i++)
            out[place[digit_of(d, items[i])]++] = items[i];
    }
}

uint64_t *fur_sort_items(uint64_t *items, uint64_t *room, int64_t count, int32_t key_max, int team,
                         int32_t *counts)
{
    int bits = 1;
    while (key_max >> bits > 0)
        bits++;
    int digits = (bits + FUR_DIGIT_BITS - 1) / FUR_DIGIT_BITS;
    int width = (bits + digits - 1) / digits;
    for (int i = 0; i < digits; i++) {
        digit d = {32 + i * width, 1 << width};
        count_digits(items, count, team, d, counts);
        sum_counts(team, d.values, counts);
        move_items(items, count, team, d, counts, room);
        uint64_t *sorted = room;
        room = items;
        items = sorted;
    }
    return items;
}

void fur_input_order(const int32_t *index, int64_t count, int32_t *scratch, int32_t *order)
{
    uint64_t *items = (uint64_t *)scratch;
    int32_t counts[1 << FUR_DIGIT_BITS];
    int32_t last = 0;
    for (int64_t v = 0; v < count; v++) {
        items[v] = fur_item(index[v], (int32_t)v);
        last = index[v] > last ? index[v] : last;
    }
    const uint64_t *sorted = fur_sort_items(items, items + count, count, last, 1, counts);
    for (int64_t i = 0; i < count; i++)
        order[i] = fur_item_number(sorted[i]);
}
