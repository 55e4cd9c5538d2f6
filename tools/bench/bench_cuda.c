/* Tables of the benchmarks on a GPU. */
#include "bench_cuda.h"

cuda_base bench_cuda_base(const cuda_race *r, int index)
{
    cuda_base base = {r->contenders[index].cold, r->contenders[index].warm};
    return base;
}

double bench_cuda_ratio(double base, double seconds)
{
    return seconds > 0 ? base / seconds : 0;
}

static double rate(double bytes, double seconds)
{
    return seconds > 0 ? bytes / seconds : 0;
}

static json_t *figures_to_json(double seconds, double bytes, double copy_rate, double base)
{
    json_t *figures =
        json_pack("{s:f, s:f}", "seconds", seconds, "gbps", rate(bytes, seconds) / 1e9);
    if (copy_rate > 0)
        json_object_set_new(figures, "of_copy", json_real(rate(bytes, seconds) / copy_rate));
    if (base > 0)
        json_object_set_new(figures, "ratio", json_real(bench_cuda_ratio(base, seconds)));
    return figures;
}

static json_t *line_to_json(const cuda_race *r, const cuda_contender *c, cuda_base base)
{
    json_t *heats = json_object();
    double bytes = c->about.bytes;
    if (!r->by_bus)
        json_object_set_new(heats, "cold",
                            figures_to_json(c->cold, bytes, r->copy_rate, base.cold));
    json_object_set_new(heats, "warm", figures_to_json(c->warm, bytes, r->copy_rate, base.warm));
    return record_line(c->name, &c->about, c->warm, bench_cuda_ratio(base.warm, c->warm), heats);
}

void bench_report_cuda(bench *b, json_t *record, const cuda_race *r, cuda_base base)
{
    static const record_column both[] = {{"", "name", -22, 0, 0, ""},
                                         {"cold us", "cold.seconds", 10, 2, 1e6, ""},
                                         {"GB/s", "cold.gbps", 8, 1, 1, ""},
                                         {"of copy", "cold.of_copy", 8, 0, 100, "%"},
                                         {"ratio", "cold.ratio", 7, 2, 1, ""},
                                         {"warm us", "warm.seconds", 10, 2, 1e6, ""},
                                         {"GB/s", "warm.gbps", 8, 1, 1, ""},
                                         {"of copy", "warm.of_copy", 8, 0, 100, "%"},
                                         {"ratio", "warm.ratio", 7, 2, 1, ""},
                                         {"", "note", 0, 0, 0, ""},
                                         {0}};
    static const record_column by_bus[] = {{"", "name", -22, 0, 0, ""},
                                           {"us", "warm.seconds", 10, 2, 1e6, ""},
                                           {"GB/s", "warm.gbps", 8, 1, 1, ""},
                                           {"ratio", "warm.ratio", 7, 2, 1, ""},
                                           {0}};
    json_t *lines = json_array();
    for (int i = 0; i < r->count; i++)
        output_append(lines, line_to_json(r, &r->contenders[i], base));
    json_object_set_new(record, "contenders", lines);
    if (!r->by_bus)
        json_object_set_new(record, "copy_gbps", json_real(r->copy_rate / 1e9));
    bench_keep(b, record, r->by_bus ? by_bus : both);
}
