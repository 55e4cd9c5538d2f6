#include "in_order.h"

#include <stdatomic.h>

typedef struct loop {
    int64_t count;
    int64_t run;
    void (*body)(void *user, int64_t begin, int64_t end);
    void *user;
    _Atomic int64_t taken; /* runs */
} loop;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A thread's part of the loop: runs, until none is left. */
static void take_runs(void *user, int64_t part, int64_t end)
{
    (void)part, (void)end;
    loop *l = user;
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&l->taken, 1, memory_order_relaxed) * l->run;
        if (begin >= l->count)
            return;
        l->body(l->user, begin, smaller(begin + l->run, l->count));
    }
}

void fur_in_order(fur_context *context, int64_t count, int64_t run,
                  void (*body)(void *user, int64_t begin, int64_t end), void *user)
{
    loop l = {.count = count, .run = run, .body = body, .user = user};
    int64_t runs = (count + run - 1) / run;
    fur_context_parallel(context, smaller(runs, fur_context_threads(context)), 1, take_runs, &l);
}

typedef struct search {
    fur_find *find;
    void *user;
    _Atomic int64_t first;
} search;

static void search_run(void *user, int64_t begin, int64_t end)
{
    search *s = user;
    int64_t known = atomic_load_explicit(&s->first, memory_order_relaxed);
    if (begin >= known)
        return;
    int64_t found = s->find(s->user, begin, end);
    while (found < end && found < known &&
           !atomic_compare_exchange_weak_explicit(&s->first, &known, found, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find, void *user)
{
    search s = {.find = find, .user = user, .first = count};
    fur_in_order(context, count, run, search_run, &s);
    return s.first;
}
