/* The tables of furrow bench io. */
#include "bench_io.h"

#include <stdio.h>

#define ROUNDS 5

/* Bytes a second. */
static double rate(const io_case *c, int index)
{
    return c->lines[index].bytes / c->race.contenders[index].seconds;
}

/* The peer's line with as many threads, or its only one; 0, which is the floor's, if it has none.
 */
static int find_peer(const io_case *c, const peer_io *peer, int threads)
{
    for (int i = 1; i < c->race.count; i++)
        if (c->lines[i].peer == peer && c->lines[i].threads == (peer->threaded ? threads : 1))
            return i;
    return 0;
}

/* How many times faster one of the library's lines is than each peer. */
static json_t *make_ratios(const io_case *c, int index)
{
    json_t *over = json_object();
    for (int p = 0; p < IO_PEERS && c->peers[p] && c->lines[index].context; p++) {
        int slow = find_peer(c, c->peers[p], c->lines[index].threads);
        if (slow > 0) {
            json_object_set_new(over, c->peers[p]->name,
                                json_real(race_ratio(&c->race, slow, index)));
        }
    }
    return over;
}

static json_t *make_row(const io_case *c, int index)
{
    const contender *raced = &c->race.contenders[index];
    return json_pack("{s:o, s:i, s:f, s:f, s:f, s:f, s:o}", "name", output_string(raced->name),
                     "threads", c->lines[index].threads, "bytes", c->lines[index].bytes, "seconds",
                     raced->seconds, "mbps", rate(c, index) / 1e6, "of_floor",
                     rate(c, index) / rate(c, 0), "over", make_ratios(c, index));
}

static void print_row(const json_t *row)
{
    const char *name = NULL;
    json_t *ratio = NULL;
    json_t *over = json_object_get(row, "over");
    printf("  %-32s %9.1f %9.0f %8.0f%%", json_string_value(json_object_get(row, "name")),
           1e3 * json_real_value(json_object_get(row, "seconds")),
           json_real_value(json_object_get(row, "mbps")),
           100 * json_real_value(json_object_get(row, "of_floor")));
    json_object_foreach(over, name, ratio)
    {
        printf("  %.2fx %s", json_real_value(ratio), name);
    }
    printf("\n");
}

static void print_table(const char *title, const json_t *rows)
{
    size_t index = 0;
    json_t *row = NULL;
    printf("  %-32s %9s %9s %9s  speed-up\n", title, "ms", "MB/s", "of floor");
    json_array_foreach(rows, index, row)
    {
        print_row(row);
    }
    fflush(stdout);
}

fur_status io_finish_table(io_case *c, const char *title)
{
    fur_status status = FUR_OK;
    json_t *rows = json_array();
    c->race.rounds = c->b->rounds ? c->b->rounds : ROUNDS;
    race_run(&c->race, c->b->seconds, NULL);
    for (int i = 0; i < c->race.count && status == FUR_OK; i++) {
        output_append(rows, make_row(c, i));
        status = c->lines[i].failed ? io_fail(&c->lines[i], c->race.contenders[i].name) : FUR_OK;
    }
    if (!c->b->common->json && status == FUR_OK)
        print_table(title, rows);
    output_append(c->tables,
                  json_pack("{s:o, s:o}", "table", output_string(title), "contenders", rows));
    c->race = (race){0};
    return status;
}
