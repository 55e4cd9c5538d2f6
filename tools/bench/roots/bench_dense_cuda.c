/* furrow bench dense: the steps of a dense product on a GPU, and cuBLAS, timed in turn. Some
 * entries of each result are compared with sums in long double, and all entries with the result of
 * step 1. */
#include "bench_cuda.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dense.h"
#include "peer_cuda.h"

/* Rounds of small products and of large products. */
#define ROUNDS 21
#define LARGE_ROUNDS 7
#define LARGE 4096

#define RACERS 12
#define SEED_A 1
#define SEED_B 2
/* Number of entries of a result that are checked. */
#define SAMPLES 200

/* The relative error of the entries that cuBLAS rounds to tf32. */
static const double TF32_CUT = 0x1p-10;

typedef struct racer {
    char name[40];
    const dense_step *step; /* NULL: cuBLAS */
    bool tf32;
    double input_error;
    bool skipped;
    bool result_ok;
    bool same_bits; /* same bits as step 1 */
    double rounds[ROUNDS];
    double seconds; /* median of `rounds` */
    char note[80];
} racer;

typedef struct dense_case {
    bench *b;
    const char *type;
    bool is_double;
    int n;
    fur_vector *x[4]; /* A, B, C, and C of step 1 */
    peer_cublas cublas;
    cudaEvent_t start;
    cudaEvent_t stop;
    int count;
    racer racers[RACERS];
} dense_case;

static fur_status check(const dense_case *c, int error, const char *call)
{
    return error == 0 ? FUR_OK
                      : fur_context_fail(c->b->context, FUR_UNSUPPORTED, "%s: %s", call,
                                         cudaGetErrorString((cudaError_t)error));
}

static dense_product product_of(const dense_case *c)
{
    return (dense_product){c->n, fur_vector_const_data(c->x[0]), fur_vector_const_data(c->x[1]),
                           fur_vector_data(c->x[2]), c->b->timing->stream};
}

/* cuBLAS sees column-major matrices, so that it computes C^T = B^T A^T. */
static int run_cublas(const dense_case *c, bool tf32)
{
    static const float one = 1;
    static const float zero = 0;
    static const double one_double = 1;
    static const double zero_double = 0;
    const peer_cublas *p = &c->cublas;
    const dense_product x = product_of(c);
    int n = c->n;
    if (c->is_double)
        return p->dgemm(p->handle, 0, 0, n, n, n, &one_double, x.b, n, x.a, n, &zero_double, x.c,
                        n);
    int status = p->set_math_mode(p->handle, tf32 ? PEER_CUBLAS_TF32 : PEER_CUBLAS_DEFAULT);
    return status != 0 ? status
                       : p->sgemm(p->handle, 0, 0, n, n, n, &one, x.b, n, x.a, n, &zero, x.c, n);
}

static int run(const dense_case *c, const racer *one)
{
    const dense_product product = product_of(c);
    return one->step ? one->step->run(&product) : run_cublas(c, one->tf32);
}

static racer *add(dense_case *c, const char *name)
{
    racer *one = &c->racers[c->count++];
    *one = (racer){.result_ok = true};
    snprintf(one->name, sizeof one->name, "%s", name);
    return one;
}

static void add_all(dense_case *c)
{
    const dense_step *step;
    for (int i = 0; (step = dense_step_at(c->is_double, i)) && c->count < RACERS - 2; i++) {
        racer *one = add(c, step->name);
        one->step = step;
        one->input_error = step->input_error;
        one->tf32 = step->input_error > 0;
    }
    if (!c->cublas.handle)
        return;
    add(c, c->is_double ? "cublasDgemm" : "cublasSgemm");
    if (!c->is_double) {
        racer *one = add(c, "cublasSgemm, tf32");
        one->tf32 = true;
        one->input_error = TF32_CUT;
    }
}

static fur_status prepare(dense_case *c)
{
    fur_context *context = c->b->context;
    void *stream = c->b->timing->stream;
    int64_t count = (int64_t)c->n * c->n;
    for (int i = 0; i < 4; i++)
        FUR_TRY(fur_vector_create(context, c->is_double ? FUR_F64 : FUR_F32, count, &c->x[i]));
    FUR_TRY(check(c, dense_fill(c->is_double, SEED_A, count, fur_vector_data(c->x[0]), stream),
                  "filling A"));
    FUR_TRY(check(c, dense_fill(c->is_double, SEED_B, count, fur_vector_data(c->x[1]), stream),
                  "filling B"));
    FUR_TRY(check(c, (int)cudaEventCreate(&c->start), "cudaEventCreate"));
    FUR_TRY(check(c, (int)cudaEventCreate(&c->stop), "cudaEventCreate"));
    c->cublas = peer_cublas_open(stream, false);
    add_all(c);
    return FUR_OK;
}

/* Returns whether an entry of the result is within its error bound, which holds for any order of
 * additions. The sums of tensor cores may be truncated instead of rounded. */
static bool is_right(const dense_case *c, const racer *one, int64_t row, int64_t col, double found)
{
    const double rounding = (one->tf32 ? 4 : 1) * (c->is_double ? 0x1p-53 : 0x1p-24);
    long double sum = 0;
    long double size = 0;
    for (int64_t k = 0; k < c->n; k++) {
        long double term = (long double)dense_entry(SEED_A, row * c->n + k) *
                           (long double)dense_entry(SEED_B, k * c->n + col);
        sum += term;
        size += fabsl(term);
    }
    double bound = (1 + 1e-3) * (c->n * rounding + one->input_error * (2 + one->input_error));
    return fabsl((long double)found - sum) <= (long double)bound * size;
}

static fur_status read_entry(const dense_case *c, int64_t at, double *out)
{
    const char *data = fur_vector_const_data(c->x[2]);
    float single = 0;
    size_t size = c->is_double ? sizeof *out : sizeof single;
    void *to = c->is_double ? (void *)out : (void *)&single;
    FUR_TRY(check(c, (int)cudaMemcpy(to, data + (size_t)at * size, size, cudaMemcpyDeviceToHost),
                  "reading the result"));
    *out = c->is_double ? *out : (double)single;
    return FUR_OK;
}

/* Checks the corners, and random entries. */
static fur_status check_samples(const dense_case *c, racer *one)
{
    const int64_t last = c->n - 1;
    for (int i = 0; i < SAMPLES && one->result_ok; i++) {
        int64_t row = i < 4 ? i / 2 * last : (int64_t)i * 7919 % c->n;
        int64_t col = i < 4 ? i % 2 * last : (int64_t)i * 104729 % c->n;
        double found = 0;
        FUR_TRY(read_entry(c, row * c->n + col, &found));
        one->result_ok = is_right(c, one, row, col, found);
        if (!one->result_ok)
            snprintf(one->note, sizeof one->note, "wrong: (%lld, %lld) is %.9g", (long long)row,
                     (long long)col, found);
    }
    return FUR_OK;
}

/* Computes the first product of a contender, in memory filled with NaN, without timing. A contender
 * for which this GPU has too little memory is left out. */
static fur_status try_out(dense_case *c, racer *one)
{
    void *stream = c->b->timing->stream;
    int64_t count = (int64_t)c->n * c->n;
    int64_t different = 0;
    FUR_TRY(fur_vector_fill(c->x[2], fur_real(NAN)));
    int error = run(c, one);
    if (error != 0) {
        one->skipped = true;
        snprintf(one->note, sizeof one->note, "left out: error %d", error);
        (void)cudaGetLastError();
        return FUR_OK;
    }
    FUR_TRY(fur_context_synchronize(c->b->context));
    FUR_TRY(check_samples(c, one));
    if (one == c->racers)
        FUR_TRY(fur_vector_copy(c->x[2], c->x[3]));
    FUR_TRY(check(c,
                  dense_compare(c->is_double, count, fur_vector_const_data(c->x[2]),
                                fur_vector_const_data(c->x[3]), stream, &different),
                  "comparing results"));
    one->same_bits = different == 0;
    if (one->same_bits && one != c->racers)
        snprintf(one->note, sizeof one->note, "bits of step 1");
    return FUR_OK;
}

static fur_status time_once(const dense_case *c, const racer *one, double *seconds)
{
    cudaStream_t stream = c->b->timing->stream;
    float milliseconds = 0;
    FUR_TRY(check(c, (int)cudaEventRecord(c->start, stream), "cudaEventRecord"));
    FUR_TRY(check(c, run(c, one), one->name));
    FUR_TRY(check(c, (int)cudaEventRecord(c->stop, stream), "cudaEventRecord"));
    FUR_TRY(check(c, (int)cudaEventSynchronize(c->stop), one->name));
    FUR_TRY(check(c, (int)cudaEventElapsedTime(&milliseconds, c->start, c->stop),
                  "cudaEventElapsedTime"));
    *seconds = 1e-3 * (double)milliseconds;
    return FUR_OK;
}

static fur_status run_rounds(dense_case *c)
{
    int rounds = c->n < LARGE ? ROUNDS : LARGE_ROUNDS;
    for (int i = 0; i < c->count; i++)
        FUR_TRY(try_out(c, &c->racers[i]));
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < c->count; i++)
            if (!c->racers[i].skipped)
                FUR_TRY(time_once(c, &c->racers[i], &c->racers[i].rounds[round]));
    for (int i = 0; i < c->count; i++)
        if (!c->racers[i].skipped)
            c->racers[i].seconds = race_median(c->racers[i].rounds, rounds);
    return FUR_OK;
}

/* Returns cuBLAS's time in the same arithmetic, or 0 without cuBLAS. */
static double base_of(const dense_case *c, const racer *of)
{
    double seconds = 0;
    for (int i = 0; i < c->count; i++)
        if (!c->racers[i].step && c->racers[i].tf32 == of->tf32)
            seconds = c->racers[i].seconds;
    return seconds;
}

static double ratio_of(double base, double seconds)
{
    return seconds > 0 ? base / seconds : 0;
}

static void keep_rows(const dense_case *c, const char *title)
{
    static const record_column columns[] = {{"", "name", -34, 0, 0, ""},
                                            {"ms", "seconds", 10, 3, 1e3, ""},
                                            {"TFLOP/s", "tflops", 9, 2, 1, ""},
                                            {"of cuBLAS", "of_cublas", 10, 1, 100, "%"},
                                            {"step", "step_speedup", 7, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    json_t *lines = json_array();
    const double flops = 2 * pow(c->n, 3);
    for (int i = 0; i < c->count; i++) {
        const racer *one = &c->racers[i];
        double before = i > 0 ? c->racers[i - 1].seconds : one->seconds;
        output_append(lines,
                      json_pack("{s:o, s:f, s:f, s:f, s:f, s:b, s:b, s:o}", "name",
                                output_string(one->name), "seconds", one->seconds, "tflops",
                                1e-12 * ratio_of(flops, one->seconds), "of_cublas",
                                ratio_of(base_of(c, one), one->seconds), "step_speedup",
                                ratio_of(before, one->seconds), "result_ok", one->result_ok,
                                "same_bits", one->same_bits, "note", output_string(one->note)));
    }
    output_append(c->b->results,
                  json_pack("{s:o, s:o}", "case", output_string(title), "rows", lines));
    if (!c->b->common->json) {
        printf("\n%s\n", title);
        record_print_lines(lines, columns);
    }
}

/* Returns an error if a step multiplies wrongly. The table shows which step. */
static fur_status judge(const dense_case *c, const char *title)
{
    for (int i = 0; i < c->count; i++)
        if (!c->racers[i].result_ok)
            return fur_context_fail(c->b->context, FUR_INVALID, "%s: %s gives a wrong product",
                                    title, c->racers[i].name);
    return FUR_OK;
}

static void release(dense_case *c)
{
    peer_cublas_close(&c->cublas);
    if (c->stop)
        cudaEventDestroy(c->stop);
    if (c->start)
        cudaEventDestroy(c->start);
    for (int i = 0; i < 4; i++)
        fur_vector_destroy(c->x[i]);
}

static fur_status run_type(bench *b, int n, bool is_double)
{
    dense_case c = {.b = b, .type = is_double ? "f64" : "f32", .is_double = is_double, .n = n};
    char title[64];
    snprintf(title, sizeof title, "%d x %d %s", n, n, c.type);
    fur_status status = prepare(&c);
    if (status == FUR_OK)
        status = run_rounds(&c);
    if (status == FUR_OK) {
        keep_rows(&c, title);
        status = judge(&c, title);
    }
    release(&c);
    return status;
}

fur_status bench_dense_cuda(bench *b, const char *name)
{
    char *end = NULL;
    const long n = strtol(name, &end, 10);
    if (*end != '\0' || n < DENSE_UNIT || n > DENSE_MAX || n % DENSE_UNIT != 0)
        return fur_context_fail(
            b->context, FUR_INVALID,
            "'%s' is not a number of rows for the dense ladder; use a multiple of %d up to %d",
            name, DENSE_UNIT, DENSE_MAX);
    FUR_TRY(run_type(b, (int)n, true));
    return run_type(b, (int)n, false);
}
