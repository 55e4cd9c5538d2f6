#include "in_order.h"
#include "atomic.h"
#include "split.h"

typedef struct loop {
    int64_t count;
    int64_t run;
    void (*body)(void *user, int64_t begin, int64_t end);
    void *user;
    fur_shared taken; /* indices */
} loop;

/* A thread's part of the loop: runs, until none is left. */
static void take_runs(void *user, int64_t part, int64_t end)
{
    (void)part, (void)end;
    loop *l = user;
    for (;;) {
        int64_t begin = fur_shared_take(&l->taken, l->run);
        if (begin >= l->count)
            return;
        l->body(l->user, begin, fur_smaller(begin + l->run, l->count));
    }
}

void fur_in_order(fur_context *context, int64_t count, int64_t run,
                  void (*body)(void *user, int64_t begin, int64_t end), void *user)
{
    loop l = {.count = count, .run = run, .body = body, .user = user};
    int64_t runs = (count + run - 1) / run;
    fur_context_parallel(context, fur_smaller(runs, fur_context_threads(context)), 1, take_runs,
                         &l);
}

typedef struct search {
    fur_find *find;
    void *user;
    fur_shared first;
} search;

static void search_run(void *user, int64_t begin, int64_t end)
{
    search *s = user;
    if (begin >= atomic_load_explicit(&s->first, memory_order_relaxed))
        return;
    int64_t found = s->find(s->user, begin, end);
    if (found < end)
        fur_shared_least(&s->first, found);
}

int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find, void *user)
{
    search s = {.find = find, .user = user, .first = count};
    fur_in_order(context, count, run, search_run, &s);
    return s.first;
}
