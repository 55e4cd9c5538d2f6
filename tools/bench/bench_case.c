/* Shared functions of the benchmarks: matrices by name, the record of a case, and the numbers for
 * vectors. */
#include "bench.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <string.h>

#include "generate.h"
#include "load.h"
#include "output.h"

#define ENTRY_GRAIN 16384

fur_status bench_load(const bench *b, fur_context *context, const char *name, fur_csr **out)
{
    if (generate_knows(name))
        return generate_matrix(context, name, out);
    loaded_matrix loaded = {0};
    FUR_TRY(load_matrix(context, b->common, name, &loaded));
    *out = loaded.matrix;
    return FUR_OK;
}

void bench_keep(bench *b, json_t *record, const record_column *columns)
{
    output_append(b->results, record);
    if (!b->common->json)
        record_print(record, columns);
}

void bench_report(bench *b, json_t *record, const race *r)
{
    static const record_column columns[] = {{"", "name", -22, 0, 0, ""},
                                            {"us", "seconds", 12, 2, 1e6, ""},
                                            {"GB/s", "gbps", 8, 1, 1, ""},
                                            {"of read", "of_read", 7, 0, 100, "%"},
                                            {"speed-up", "ratio", 7, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    json_t *lines = json_array();
    for (int i = 0; i < r->count; i++) {
        const contender *c = &r->contenders[i];
        double rate = c->about.bytes / c->seconds;
        json_t *figures = json_pack("{s:f, s:f, s:f, s:f}", "seconds", c->seconds, "gbps",
                                    rate / 1e9, "of_read", rate / r->read_rate, "ratio", c->ratio);
        output_append(lines, record_line(c->name, &c->about, c->seconds, c->ratio, figures));
    }
    json_object_set_new(record, "read_gbps", json_real(r->read_rate / 1e9));
    if (r->contenders[0].about.role == RACE_PEER)
        json_object_set_new(record, "against", output_string(r->contenders[0].name));
    json_object_set_new(record, "contenders", lines);
    bench_keep(b, record, columns);
}

json_t *bench_matrix(const char *name, const fur_csr *a)
{
    fur_csr_view view = *fur_csr_get(a);
    return json_pack("{s:o, s:I, s:I}", "case", output_string(name), "rows", (json_int_t)view.rows,
                     "entries", (json_int_t)view.entries);
}

static race_role role_of(const char *name)
{
    return strncmp(name, "auto", 4) == 0       ? RACE_AUTO
           : strncmp(name, "cusparse", 8) == 0 ? RACE_PEER
                                               : RACE_KERNEL;
}

race_about bench_product(const char *name, const fur_csr *a, const fur_spmv *plan)
{
    const char *kernel = fur_spmv_describe(plan)->kernel;
    /* "half" is not in the list of kernels. */
    const fur_kernel_info *listed = command_find(fur_spmv_kernel_at, fur_csr_context(a), kernel);
    return (race_about){.role = role_of(name),
                        .kernel = kernel,
                        .exact = !listed || listed->exact,
                        .flops = 2 * (double)fur_csr_get(a)->entries};
}

typedef struct numbers {
    double *x;
    int64_t first;
    int64_t stride;
} numbers;

static void fill_numbers(void *job, int64_t begin, int64_t end)
{
    const numbers *n = job;
    for (int64_t i = begin; i < end; i++) {
        uint32_t hash = (uint32_t)(2654435761U * (uint64_t)(n->stride * i + n->first));
        n->x[i] = ((double)hash - 0x1p31) / (3 * 0x1p31);
    }
}

fur_status bench_numbers(fur_context *context, int64_t n, int64_t first, int64_t stride,
                         fur_vector **out)
{
    fur_context *host = fur_context_host(context);
    fur_vector *made = NULL;
    FUR_TRY(fur_vector_create(host, FUR_F64, n, &made));
    double *x = fur_vector_data(made);
    fur_context_parallel(host, n, ENTRY_GRAIN, fill_numbers, &(numbers){x, first, stride});
    if (context == host) {
        *out = made;
        return FUR_OK;
    }
    fur_status status = fur_vector_wrap(context, FUR_F64, n, x, FUR_OWNERSHIP_COPY, out);
    fur_vector_destroy(made);
    return status;
}
