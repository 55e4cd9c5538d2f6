/* Radix sort. For each digit, every part counts its items by digit, and then moves them. Items with
 * the same digit stay in the order of the parts. */
#include "sort.h"
#include "split.h"
#include "team.h"

#include <string.h>

typedef struct digit {
    int shift;
    int32_t values; /* number of values, a power of two */
} digit;

static inline int32_t digit_of(digit d, uint64_t item)
{
    return (int32_t)(item >> d.shift & ((uint64_t)d.values - 1));
}

/* A sort by one digit. */
typedef struct pass {
    int64_t count;
    int parts;
    digit digit;
    const uint64_t *items;
    uint64_t *out;
    int32_t *counts; /* of each part */
} pass;

static void count_digits(void *job, int64_t begin, int64_t end)
{
    const pass *p = job;
    const digit d = p->digit;
    for (int part = (int)begin; part < end; part++) {
        int32_t *own = p->counts + (int64_t)part * d.values;
        int64_t stop = fur_split(p->count, p->parts, part + 1);
        memset(own, 0, (size_t)d.values * sizeof *own);
        for (int64_t i = fur_split(p->count, p->parts, part); i < stop; i++)
            own[digit_of(d, p->items[i])]++;
    }
}

/* Replaces counts by places. They are the places where each part's items with this digit begin. */
static void sum_counts(const pass *p)
{
    int32_t values = p->digit.values;
    int32_t place = 0;
    for (int32_t value = 0; value < values; value++) {
        for (int part = 0; part < p->parts; part++) {
            int32_t *cell = &p->counts[(int64_t)part * values + value];
            int32_t found = *cell;
            *cell = place;
            place += found;
        }
    }
}

static void move_items(void *job, int64_t begin, int64_t end)
{
    const pass *p = job;
    const digit d = p->digit;
    for (int part = (int)begin; part < end; part++) {
        int32_t *place = p->counts + (int64_t)part * d.values;
        int64_t stop = fur_split(p->count, p->parts, part + 1);
        for (int64_t i = fur_split(p->count, p->parts, part); i < stop; i++)
            p->out[place[digit_of(d, p->items[i])]++] = p->items[i];
    }
}

static void run_parts(const fur_env *env, fur_body *body, pass *p)
{
    if (p->parts > 1)
        fur_parallel(env, p->parts, p->parts, body, p);
    else
        body(p, 0, 1);
}

uint64_t *fur_sort_items(const fur_env *env, uint64_t *items, uint64_t *room, int64_t count,
                         int32_t key_max, int parts, int32_t *counts)
{
    int bits = 1;
    while (key_max >> bits > 0)
        bits++;
    int digits = (bits + FUR_DIGIT_BITS - 1) / FUR_DIGIT_BITS;
    int width = (bits + digits - 1) / digits;
    for (int i = 0; i < digits; i++) {
        pass p = {count, parts, {32 + i * width, 1 << width}, items, room, counts};
        run_parts(env, count_digits, &p);
        sum_counts(&p);
        run_parts(env, move_items, &p);
        uint64_t *sorted = room;
        room = items;
        items = sorted;
    }
    return items;
}

/* Moves the item at `root` down until the items below it are smaller. */
static void sift(uint64_t *items, int64_t root, int64_t count)
{
    uint64_t item = items[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && items[child + 1] > items[child])
            child++;
        if (items[child] <= item)
            break;
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

/* Heapsort (Williams 1964). */
void fur_sort_in_place(uint64_t *items, int64_t count)
{
    for (int64_t root = count / 2 - 1; root >= 0; root--)
        sift(items, root, count);
    for (int64_t last = count - 1; last > 0; last--) {
        uint64_t largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sift(items, 0, last);
    }
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
    const uint64_t *sorted = fur_sort_items(NULL, items, items + count, count, last, 1, counts);
    for (int64_t i = 0; i < count; i++)
        order[i] = fur_item_number(sorted[i]);
}
