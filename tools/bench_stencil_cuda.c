/* furrow bench stencil on a GPU: every kernel, beside a copy of the vector and the stencil as a
 * matrix, in the library's best kernel and in cuSPARSE. */
#include "bench_cuda.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEER "cusparse"

/* A contender: a stencil, or a plan for its matrix, or a copy where both are NULL. */
typedef struct lane {
    struct cuda_case *owner;
    fur_stencil *stencil;
    fur_spmv *plan;
} lane;

typedef struct cuda_case {
    bench *b;
    const char *name;
    fur_stencil_definition definition;
    int64_t rows;
    fur_vector *x;
    fur_vector *y;
    fur_vector *expected; /* on the host, by its best kernel */
    fur_vector *found;
    fur_csr *a;
    lane lanes[RACE_CUDA_CONTENDERS];
    cuda_race race;
} cuda_case;

static size_t vector_bytes(const cuda_case *c)
{
    return (size_t)c->rows * fur_value_size(c->definition.value);
}

static fur_status run_copy(void *self)
{
    const cuda_case *c = ((const lane *)self)->owner;
    const cudaError_t error =
        cudaMemcpyAsync(fur_vector_data(c->y), fur_vector_const_data(c->x), vector_bytes(c),
                        cudaMemcpyDeviceToDevice, gpu_stream(c->b->gpu));
    return error == cudaSuccess
               ? FUR_OK
               : fur_context_fail(c->b->context, FUR_UNSUPPORTED, "cudaMemcpyAsync: %s",
                                  cudaGetErrorString(error));
}

static fur_status run_stencil(void *self)
{
    const lane *l = self;
    const cuda_case *c = l->owner;
    return fur_stencil_apply(l->stencil, fur_real(1), c->x, fur_real(0), c->y);
}

static fur_status run_matrix(void *self)
{
    const lane *l = self;
    const cuda_case *c = l->owner;
    return fur_spmv_apply(l->plan, fur_real(1), c->x, fur_real(0), c->y);
}

static fur_status fail_name(const cuda_case *c)
{
    return fur_context_fail(c->b->context, FUR_INVALID,
                            "'%s' is no stencil; use 3-point:N, 5-point:N, 7-point:N, 9-point:N, "
                            "13-point:N, 19-point:N or 27-point:N, with :f32 behind it for single "
                            "precision",
                            c->name);
}

/* Sets the definition from a name such as 7-point:256 or 7-point:256:f32. */
static fur_status parse(cuda_case *c)
{
    char *end = NULL;
    fur_stencil_definition *d = &c->definition;
    const long points = strtol(c->name, &end, 10);
    long long n = 0;
    if (strncmp(end, "-point:", 7) == 0) {
        n = strtoll(end + 7, &end, 10);
    }
    *d = (fur_stencil_definition){.size = sizeof *d, .value = FUR_F64, .extent = {n, n, n}};
    if (strcmp(end, ":f32") == 0) {
        d->value = FUR_F32;
        end += 4;
    }
    if (*end != '\0' || n < 1 || points < 0 || points > INT32_MAX ||
        !fur_stencil_named((int)points, d) || pow((double)n, d->axes) > 0x1p34) {
        return fail_name(c);
    }
    c->rows = 1;
    for (int axis = 0; axis < d->axes; axis++) {
        c->rows *= d->extent[axis];
    }
    return FUR_OK;
}

/* x in the case's type, in a context. */
static fur_status make_x(const cuda_case *c, fur_context *context, fur_vector **out)
{
    fur_vector *numbers = NULL;
    if (c->definition.value == FUR_F64) {
        return bench_numbers(context, c->rows, 1, 1, out);
    }
    COMMAND_TRY(bench_numbers(context, c->rows, 1, 1, &numbers));
    const fur_status status = fur_vector_convert(numbers, c->definition.value, out);
    fur_vector_destroy(numbers);
    return status;
}

/* The product on the host. */
static fur_status compute_expected(const cuda_case *c, fur_context *host)
{
    fur_stencil *stencil = NULL;
    fur_vector *x = NULL;
    fur_status status = make_x(c, host, &x);
    if (status == FUR_OK) {
        status = fur_stencil_create(host, &c->definition, &stencil);
    }
    if (status == FUR_OK) {
        status = fur_stencil_apply(stencil, fur_real(1), x, fur_real(0), c->expected);
    }
    fur_stencil_destroy(stencil);
    fur_vector_destroy(x);
    return status;
}

static fur_status make_reference(cuda_case *c)
{
    fur_context *host = fur_context_host(c->b->context);
    const fur_value value = c->definition.value;
    fur_status status = fur_vector_create(host, value, c->rows, &c->expected);
    if (status == FUR_OK) {
        status = fur_vector_create(host, value, c->rows, &c->found);
    }
    if (status == FUR_OK) {
        status = compute_expected(c, host);
    }
    return status == FUR_OK
               ? FUR_OK
               : fur_context_fail(c->b->context, status, "%s", fur_context_error(host));
}

static void add_lane(cuda_case *c, const char *label, fur_status (*run)(void *self))
{
    lane *l = &c->lanes[c->race.count];
    l->owner = c;
    cuda_race_add(&c->race, label, run, l);
}

/* What refuses the stencil is left out. */
static fur_status add_stencils(cuda_case *c)
{
    fur_context *context = c->b->context;
    const int kernels = fur_stencil_kernel_count(context);
    for (int i = 0; i < kernels && c->race.count < RACE_CUDA_CONTENDERS - 4; i++) {
        fur_stencil_kernel_info kernel;
        COMMAND_TRY(fur_stencil_kernel_get(context, i, &kernel));
        c->definition.kernel = kernel.name;
        fur_stencil **stencil = &c->lanes[c->race.count].stencil;
        const fur_status status = fur_stencil_create(context, &c->definition, stencil);
        if (status == FUR_UNSUPPORTED) {
            fprintf(stderr, "%s: %s\n", c->name, fur_context_error(context));
            continue;
        }
        COMMAND_TRY(status);
        add_lane(c, kernel.name, run_stencil);
    }
    return FUR_OK;
}

static fur_status add_plan(cuda_case *c, const char *label, const fur_spmv_options *options)
{
    COMMAND_TRY(fur_spmv_plan(c->a, options, &c->lanes[c->race.count].plan));
    add_lane(c, label, run_matrix);
    return FUR_OK;
}

/* The matrix in the library's best kernel and in all of the peer's; none for a matrix of 2^31
 * entries or more. */
static fur_status add_matrices(cuda_case *c)
{
    fur_context *context = c->b->context;
    const fur_spmv_options measured = {.size = sizeof measured, .uses = 1000000, .measure = 1};
    if (c->rows > INT32_MAX / c->definition.points) {
        return FUR_OK;
    }
    COMMAND_TRY(fur_stencil_assemble(c->lanes[1].stencil, &c->a));
    COMMAND_TRY(add_plan(c, "csr", &measured));
    for (int i = 0; i < fur_spmv_kernel_count(context); i++) {
        fur_spmv_kernel_info kernel;
        COMMAND_TRY(fur_spmv_kernel_get(context, i, &kernel));
        const fur_spmv_options options = {.size = sizeof options, .kernel = kernel.name};
        if (strncmp(kernel.name, PEER, strlen(PEER)) == 0) {
            COMMAND_TRY(add_plan(c, kernel.name, &options));
        }
    }
    return FUR_OK;
}

static bool is_peer(const cuda_contender *c)
{
    return strncmp(c->name, PEER, strlen(PEER)) == 0;
}

static double entry(const fur_vector *v, int64_t i)
{
    const void *data = fur_vector_const_data(v);
    return fur_vector_value(v) == FUR_F32 ? (double)((const float *)data)[i]
                                          : ((const double *)data)[i];
}

/* All but the peer add terms in one order. Two results of n terms in any orders differ by at most
 * n eps times the sum of |c||x|, where |x| is at most 1/3. */
static double bound_of(const cuda_case *c, int index)
{
    double sum = 0;
    for (int k = 0; k < c->definition.points; k++) {
        sum += fabs(c->definition.coefficients[k].re);
    }
    const double epsilon = c->definition.value == FUR_F32 ? 0x1p-23 : 0x1p-52;
    return is_peer(&c->race.contenders[index]) ? c->definition.points * epsilon * sum / 3 : 0;
}

/* The first entry that is off by more than the bound, -1 if there is none. */
static int64_t find_wrong(const cuda_case *c, double bound)
{
    int64_t wrong = c->rows;
#pragma omp parallel for reduction(min : wrong)
    for (int64_t i = 0; i < c->rows; i++) {
        if (!(fabs(entry(c->found, i) - entry(c->expected, i)) <= bound) && i < wrong) {
            wrong = i;
        }
    }
    return wrong < c->rows ? wrong : -1;
}

static fur_status check(const cuda_case *c, int index)
{
    COMMAND_TRY(fur_vector_fill(c->y, fur_real(NAN)));
    COMMAND_TRY(c->race.contenders[index].run(c->race.contenders[index].self));
    COMMAND_TRY(fur_vector_copy(c->y, c->found));
    const int64_t row = find_wrong(c, bound_of(c, index));
    if (row < 0) {
        return FUR_OK;
    }
    return fur_context_fail(c->b->context, FUR_INVALID,
                            "%s: %s gives %.17g at point %" PRId64 ", the CPU %.17g", c->name,
                            c->race.contenders[index].name, entry(c->found, row), row,
                            entry(c->expected, row));
}

/* All but the copy. */
static fur_status check_all(const cuda_case *c)
{
    for (int i = 1; i < c->race.count; i++) {
        COMMAND_TRY(check(c, i));
    }
    return FUR_OK;
}

static fur_status check_peer(const cuda_case *c)
{
    bool found = !c->b->against;
    for (int i = 0; i < c->race.count; i++) {
        found = found || is_peer(&c->race.contenders[i]);
    }
    return found ? FUR_OK
                 : fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                    "%s: no kernel of cuSPARSE is in the race; to have them, build "
                                    "with FURROW_WITH_CUSPARSE=ON",
                                    c->name);
}

/* The better of the contenders whose names begin so; zeros without any. */
static cuda_base find_base(const cuda_race *r, const char *name)
{
    cuda_base best = {0};
    for (int i = 0; i < r->count; i++) {
        if (strncmp(r->contenders[i].name, name, strlen(name)) == 0) {
            const cuda_base base = bench_cuda_base(r, i);
            best.cold = best.cold > 0 ? fmin(best.cold, base.cold) : base.cold;
            best.warm = best.warm > 0 ? fmin(best.warm, base.warm) : base.warm;
        }
    }
    return best;
}

/* Of the matrix's lines GB/s are of its bytes as plain CSR; of all others two entries a point. */
static double bytes_of(const cuda_case *c, int index)
{
    const lane *l = &c->lanes[index];
    return l->plan ? (double)fur_spmv_describe(l->plan).csr_bytes : 2 * (double)vector_bytes(c);
}

static void report(const cuda_case *c)
{
    const cuda_race *r = &c->race;
    const cuda_base csr = find_base(r, "csr");
    double bytes[RACE_CUDA_CONTENDERS] = {0};
    const char *notes[RACE_CUDA_CONTENDERS] = {0};
    char texts[RACE_CUDA_CONTENDERS][96];
    for (int i = 0; i < r->count; i++) {
        const lane *l = &c->lanes[i];
        bytes[i] = bytes_of(c, i);
        snprintf(texts[i], sizeof texts[i], "%.4f ns a point, %.2fx csr%s%s",
                 1e9 * r->contenders[i].cold / (double)c->rows,
                 bench_cuda_ratio(csr.cold, r->contenders[i].cold), l->plan ? ", " : "",
                 l->plan ? fur_spmv_describe(l->plan).kernel : "");
        notes[i] = texts[i];
    }
    json_t *lines = bench_report_cuda(c->b, c->name, r, bytes, notes, find_base(r, PEER));
    for (int i = 0; i < r->count; i++) {
        const double point = 1e9 * r->contenders[i].cold / (double)c->rows;
        json_t *line = json_array_get(lines, (size_t)i);
        json_object_set_new(line, "ns_per_point", json_real(point));
        json_object_set_new(line, "ratio_csr",
                            json_real(bench_cuda_ratio(csr.cold, r->contenders[i].cold)));
    }
}

static fur_status run_steps(cuda_case *c)
{
    fur_context *context = c->b->context;
    COMMAND_TRY(parse(c));
    COMMAND_TRY(make_reference(c));
    COMMAND_TRY(make_x(c, context, &c->x));
    COMMAND_TRY(fur_vector_create(context, c->definition.value, c->rows, &c->y));
    add_lane(c, "copy", run_copy);
    COMMAND_TRY(add_stencils(c));
    COMMAND_TRY(add_matrices(c));
    COMMAND_TRY(check_peer(c));
    COMMAND_TRY(check_all(c));
    COMMAND_TRY(cuda_race_run(&c->race, c->b->gpu));
    report(c);
    return FUR_OK;
}

fur_status bench_stencil_cuda(bench *b, const char *name)
{
    cuda_case *c = calloc(1, sizeof *c);
    if (!c) {
        return fur_context_fail(b->context, FUR_OUT_OF_MEMORY, "out of memory");
    }
    c->b = b;
    c->name = name;
    const fur_status status = run_steps(c);
    for (int i = 0; i < RACE_CUDA_CONTENDERS; i++) {
        fur_spmv_destroy(c->lanes[i].plan);
        fur_stencil_destroy(c->lanes[i].stencil);
    }
    fur_csr_destroy(c->a);
    fur_vector_destroy(c->found);
    fur_vector_destroy(c->expected);
    fur_vector_destroy(c->y);
    fur_vector_destroy(c->x);
    free(c);
    return status;
}
