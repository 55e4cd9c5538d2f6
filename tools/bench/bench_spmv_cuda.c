/* furrow bench spmv on a GPU: every kernel and auto, compared with cuSPARSE. */
#include "bench_cuda.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "offset.h"
#include "atomics.h"

#define ROW_GRAIN 1024

#define PEER "cusparse"

typedef struct product {
    fur_spmv *plan;
    double plan_seconds;
    const fur_vector *x;
    fur_vector *y;
} product;

typedef struct cuda_case {
    bench *b;
    const char *name;
    fur_context *host;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
    /* On the host: */
    fur_csr *host_a;
    fur_vector *expected;
    fur_vector *bound; /* bound of the differences from `expected` */
    fur_vector *found;
    product products[RACE_CUDA_CONTENDERS];
    cuda_race race;
} cuda_case;

static fur_status run_product(void *self)
{
    const product *p = self;
    return fur_spmv_apply(p->plan, fur_real(1), p->x, fur_real(0), p->y);
}

/* Makes the plan twice and times the second, because kernels are loaded when they first run. */
static fur_status make_plan(cuda_case *c, const fur_spmv_options *options, product *p)
{
    for (int i = 0; i < 2; i++) {
        fur_spmv_destroy(p->plan);
        p->plan = NULL;
        FUR_TRY(fur_spmv_plan(c->a, options, &p->plan));
    }
    p->plan_seconds = fur_spmv_describe(p->plan)->seconds_plan;
    p->x = c->x;
    p->y = c->y;
    return FUR_OK;
}

/* Adds a plan to the race. A kernel that refuses the matrix, or for which memory is not sufficient,
 * is reported and left out. */
static fur_status add_plan(cuda_case *c, const char *label, const fur_spmv_options *options)
{
    product *p = &c->products[c->race.count];
    fur_status status = make_plan(c, options, p);
    if (status == FUR_UNSUPPORTED || status == FUR_OUT_OF_MEMORY) {
        fprintf(stderr, "%s: %s\n", c->name, fur_context_error(c->b->context));
        return FUR_OK;
    }
    FUR_TRY(status);
    cuda_race_add(&c->race, label, run_product, p);
    return FUR_OK;
}

static fur_status add_plans(cuda_case *c)
{
    int kernels = command_count(fur_spmv_kernel_at, c->b->context);
    for (int i = 0; i < kernels && c->race.count < RACE_CUDA_CONTENDERS - 2; i++) {
        fur_kernel_info kernel = *fur_spmv_kernel_at(c->b->context, i);
        fur_spmv_options options = {.size = sizeof options, .kernel = kernel.name};
        FUR_TRY(add_plan(c, kernel.name, &options));
    }
    fur_spmv_options estimated = {.size = sizeof estimated};
    fur_spmv_options measured = {.size = sizeof measured, .uses = 1000000, .measure = 1};
    FUR_TRY(add_plan(c, "auto", &estimated));
    return add_plan(c, "auto, measured", &measured);
}

typedef struct bounds {
    fur_csr_view a;
    const double *x;
    double *bound;
} bounds;

static void bound_rows(void *job, int64_t first, int64_t last)
{
    const bounds *b = job;
    const double *values = b->a.values;
    for (int64_t i = first; i < last; i++) {
        int64_t begin = offset_at(&b->a, i);
        int64_t end = offset_at(&b->a, i + 1);
        double size = 0;
        for (int64_t k = begin; k < end; k++)
            size += fabs(values[k] * b->x[b->a.columns[k]]);
        b->bound[i] = 0x1p-52 * (double)(end - begin + 1) * size;
    }
}

/* Two results of a row of n entries may each have an error of n / 2 eps of the row's sum of
 * |a||x|. */
static void compute_bound(cuda_case *c, const fur_vector *host_x)
{
    bounds b = {*fur_csr_get(c->host_a), fur_vector_const_data(host_x), fur_vector_data(c->bound)};
    fur_context_parallel(c->host, b.a.rows, ROW_GRAIN, bound_rows, &b);
}

/* Computes the product on the CPU. */
static fur_status compute_expected(cuda_case *c, const fur_vector *host_x)
{
    fur_spmv *plan = NULL;
    fur_spmv_options options = {.size = sizeof options, .uses = 1};
    FUR_TRY(fur_spmv_plan(c->host_a, &options, &plan));
    fur_status status = fur_spmv_apply(plan, fur_real(1), host_x, fur_real(0), c->expected);
    fur_spmv_destroy(plan);
    return status;
}

static fur_status make_reference(cuda_case *c)
{
    fur_csr_view a = *fur_csr_get(c->host_a);
    fur_vector *host_x = NULL;
    FUR_TRY(fur_vector_create(c->host, FUR_F64, a.rows, &c->expected));
    FUR_TRY(fur_vector_create(c->host, FUR_F64, a.rows, &c->bound));
    FUR_TRY(fur_vector_create(c->host, FUR_F64, a.rows, &c->found));
    FUR_TRY(bench_numbers(c->host, a.cols, 1, 1, &host_x));
    compute_bound(c, host_x);
    fur_status status = compute_expected(c, host_x);
    fur_vector_destroy(host_x);
    return status;
}

typedef struct comparison {
    const double *found;
    const double *expected;
    const double *bound;
    _Atomic int64_t wrong;
} comparison;

static void compare_rows(void *job, int64_t begin, int64_t end)
{
    comparison *c = job;
    int64_t i = begin;
    while (i < end && fabs(c->found[i] - c->expected[i]) <= c->bound[i])
        i++;
    if (i < end)
        shared_least(&c->wrong, i);
}

/* Returns the first row whose difference exceeds the bound, or -1 if there is none. */
static int64_t find_wrong(const cuda_case *c)
{
    int64_t rows = fur_vector_size(c->found);
    comparison with = {.found = fur_vector_const_data(c->found),
                       .expected = fur_vector_const_data(c->expected),
                       .bound = fur_vector_const_data(c->bound),
                       .wrong = rows};
    fur_context_parallel(c->host, rows, ROW_GRAIN, compare_rows, &with);
    return with.wrong < rows ? with.wrong : -1;
}

static fur_status check(const cuda_case *c, int index)
{
    FUR_TRY(fur_vector_fill(c->y, fur_real(NAN)));
    FUR_TRY(run_product(c->race.contenders[index].self));
    FUR_TRY(fur_vector_copy(c->y, c->found));
    int64_t row = find_wrong(c);
    if (row < 0)
        return FUR_OK;
    return fur_context_fail(c->b->context, FUR_INVALID,
                            "%s: %s gives %.17g in row %lld, but the CPU gives %.17g", c->name,
                            c->race.contenders[index].name,
                            ((const double *)fur_vector_const_data(c->found))[row], (long long)row,
                            ((const double *)fur_vector_const_data(c->expected))[row]);
}

static fur_status check_all(const cuda_case *c)
{
    for (int i = 0; i < c->race.count; i++)
        FUR_TRY(check(c, i));
    return FUR_OK;
}

static bool is_peer(const cuda_contender *c)
{
    return strncmp(c->name, PEER, strlen(PEER)) == 0;
}

static fur_status check_peer(const cuda_case *c)
{
    bool found = !c->b->against;
    for (int i = 0; i < c->race.count; i++)
        found = found || is_peer(&c->race.contenders[i]);
    return found ? FUR_OK
                 : fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                    "%s: this build has no kernels of cuSPARSE to compare with; "
                                    "build with FURROW_WITH_CUSPARSE=ON",
                                    c->name);
}

/* Returns the better of the peer's algorithms. */
static cuda_base find_base(const cuda_race *r)
{
    cuda_base best = {0};
    for (int i = 0; i < r->count; i++) {
        if (is_peer(&r->contenders[i])) {
            cuda_base base = bench_cuda_base(r, i);
            best.cold = best.cold > 0 ? fmin(best.cold, base.cold) : base.cold;
            best.warm = best.warm > 0 ? fmin(best.warm, base.warm) : base.warm;
        }
    }
    return best;
}

/* Adds a case to the figures of one contender, stored under its name. */
static void add_to_summary(bench *b, const cuda_contender *c, cuda_base base)
{
    if (base.cold <= 0)
        return;
    if (!b->summary)
        b->summary = json_object();
    if (!json_object_get(b->summary, c->name))
        json_object_set_new(b->summary, c->name, json_pack("{s:[], s:[]}", "cold", "warm"));
    json_t *ratios = json_object_get(b->summary, c->name);
    output_append(json_object_get(ratios, "cold"), json_real(bench_cuda_ratio(base.cold, c->cold)));
    output_append(json_object_get(ratios, "warm"), json_real(bench_cuda_ratio(base.warm, c->warm)));
}

/* Describes a contender by its product's plan. */
static void tell(const cuda_case *c, cuda_contender *one)
{
    const product *p = one->self;
    fur_spmv_report plan = *fur_spmv_describe(p->plan);
    race_about *about = &one->about;
    *about = bench_product(one->name, c->a, p->plan);
    about->bytes = (double)plan.csr_bytes;
    about->bytes_own = (double)plan.bytes;
    about->plan_seconds = p->plan_seconds;
    snprintf(about->note, sizeof about->note, "plan %.1f products%s%s", p->plan_seconds / one->warm,
             about->role == RACE_AUTO ? ", " : "", about->role == RACE_AUTO ? plan.kernel : "");
}

static void report(cuda_case *c)
{
    cuda_race *r = &c->race;
    cuda_base base = find_base(r);
    json_t *record = bench_matrix(c->name, c->a);
    json_object_set_new(record, "against", json_string("cuSPARSE"));
    for (int i = 0; i < r->count; i++) {
        cuda_contender *one = &r->contenders[i];
        tell(c, one);
        if (one->about.role == RACE_AUTO)
            add_to_summary(c->b, one, base);
    }
    bench_report_cuda(c->b, record, r, base);
}

/* Copies the matrix to the device. The host keeps its data for the checks. */
static fur_status move_to_device(cuda_case *c)
{
    fur_context *context = c->b->context;
    fur_csr_view a = *fur_csr_get(c->host_a);
    FUR_TRY(make_reference(c));
    FUR_TRY(fur_csr_transfer(c->host_a, context, &c->a));
    fur_csr_destroy(c->host_a);
    c->host_a = NULL;
    FUR_TRY(bench_numbers(context, a.cols, 1, 1, &c->x));
    return fur_vector_create(context, FUR_F64, a.rows, &c->y);
}

static fur_status prepare(cuda_case *c)
{
    FUR_TRY(bench_load(c->b, c->host, c->name, &c->host_a));
    fur_csr_view a = *fur_csr_get(c->host_a);
    if (a.value_type != FUR_F64 || a.entries == 0) {
        return fur_context_fail(c->host, FUR_UNSUPPORTED,
                                "%s: this benchmark needs a real matrix with entries", c->name);
    }
    return move_to_device(c);
}

static fur_status run_steps(cuda_case *c)
{
    fur_status status = prepare(c);
    if (status != FUR_OK) { /* the message may be in the host's context */
        const char *sentence = fur_context_error(c->host);
        return *sentence ? fur_context_fail(c->b->context, status, "%s", sentence) : status;
    }
    FUR_TRY(add_plans(c));
    FUR_TRY(check_peer(c));
    FUR_TRY(check_all(c));
    FUR_TRY(cuda_race_run(&c->race, c->b->timing->gpu));
    report(c);
    return FUR_OK;
}

fur_status bench_spmv_cuda(bench *b, const char *name)
{
    cuda_case c = {.b = b, .name = name, .host = fur_context_host(b->context)};
    fur_status status = run_steps(&c);
    for (int i = 0; i < RACE_CUDA_CONTENDERS; i++)
        fur_spmv_destroy(c.products[i].plan);
    fur_vector_destroy(c.found);
    fur_vector_destroy(c.bound);
    fur_vector_destroy(c.expected);
    fur_csr_destroy(c.host_a);
    fur_vector_destroy(c.y);
    fur_vector_destroy(c.x);
    fur_csr_destroy(c.a);
    return status;
}

/* Replaces the list of ratios by their geometric mean and the smallest. */
static json_t *sum_up(const json_t *ratios, double *mean, double *least)
{
    size_t index;
    const json_t *ratio;
    double logarithms = 0;
    *least = INFINITY;
    json_array_foreach((json_t *)ratios, index, ratio)
    {
        logarithms += log(json_real_value(ratio));
        *least = fmin(*least, json_real_value(ratio));
    }
    *mean = exp(logarithms / (double)json_array_size(ratios));
    return json_pack("{s:f, s:f, s:i}", "geometric_mean", *mean, "least", *least, "cases",
                     (int)json_array_size(ratios));
}

fur_status bench_spmv_cuda_end(bench *b)
{
    const char *name;
    json_t *ratios;
    json_object_foreach(b->summary, name, ratios)
    {
        double cold;
        double warm;
        double least_cold;
        double least_warm;
        json_object_set_new(ratios, "cold",
                            sum_up(json_object_get(ratios, "cold"), &cold, &least_cold));
        json_object_set_new(ratios, "warm",
                            sum_up(json_object_get(ratios, "warm"), &warm, &least_warm));
        if (!b->common->json) {
            printf("\n%s over " PEER ": geometric mean %.2f cold, %.2f warm; least %.2f cold, "
                   "%.2f warm\n",
                   name, cold, warm, least_cold, least_warm);
        }
    }
    return FUR_OK;
}
