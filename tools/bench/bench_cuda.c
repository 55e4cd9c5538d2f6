/* The tables of the benchmarks on a GPU. */
#include "bench_cuda.h"

#include <stdio.h>

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

static void print_head(const char *name, const cuda_race *r)
{
    if (r->by_bus) {
        printf("\n%s\n  %-22s %10s %8s %7s\n", name, "", "us", "GB/s", "ratio");
        return;
    }
    printf("\n%s: the run copies %.0f GB/s\n  %-22s", name, r->copy_rate / 1e9, "");
    printf(" %10s %8s %9s %7s", "cold us", "GB/s", "of copy", "ratio");
    printf(" %10s %8s %9s %7s\n", "warm us", "GB/s", "of copy", "ratio");
}

/* copy_rate: 0 where it is nothing to compare with. */
static void print_figures(double seconds, double bytes, double copy_rate, double base)
{
    printf(" %10.2f %8.1f", 1e6 * seconds, rate(bytes, seconds) / 1e9);
    if (copy_rate > 0)
        printf(" %8.0f%%", 100 * rate(bytes, seconds) / copy_rate);
    if (base > 0)
        printf(" %7.2f", bench_cuda_ratio(base, seconds));
    else
        printf(" %7s", "-");
}

static void print_line(const cuda_race *r, const cuda_contender *c, double bytes, cuda_base base,
                       const char *note)
{
    printf("  %-22s", c->name);
    if (!r->by_bus)
        print_figures(c->cold, bytes, r->copy_rate, base.cold);
    print_figures(c->warm, bytes, r->copy_rate, base.warm);
    printf("  %s\n", note);
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

static json_t *line_to_json(const cuda_race *r, const cuda_contender *c, double bytes,
                            cuda_base base, const char *note)
{
    json_t *line = json_pack("{s:o, s:f, s:o}", "name", output_string(c->name), "bytes", bytes,
                             "note", output_string(note));
    if (!r->by_bus)
        json_object_set_new(line, "cold", figures_to_json(c->cold, bytes, r->copy_rate, base.cold));
    json_object_set_new(line, "warm", figures_to_json(c->warm, bytes, r->copy_rate, base.warm));
    return line;
}

json_t *bench_report_cuda(bench *b, const char *name, const cuda_race *r, const double *bytes,
                          const char *const *notes, cuda_base base)
{
    json_t *lines = json_array();
    if (!b->common->json)
        print_head(name, r);
    for (int i = 0; i < r->count; i++) {
        const cuda_contender *c = &r->contenders[i];
        const char *note = notes && notes[i] ? notes[i] : "";
        output_append(lines, line_to_json(r, c, bytes[i], base, note));
        if (!b->common->json)
            print_line(r, c, bytes[i], base, note);
    }
    fflush(stdout);
    json_t *kept = json_pack("{s:o, s:o}", "case", output_string(name), "contenders", lines);
    if (!r->by_bus)
        json_object_set_new(kept, "copy_gbps", json_real(r->copy_rate / 1e9));
    output_append(b->results, kept);
    return lines;
}
