/* Compares the estimates for kernels with measured times. Users of new machines can report them. */
#include "estimates.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <math.h>
#include <stdio.h>

#include "command.h"

/* Least seconds for which a kernel is timed, and products per measurement. */
#define RACE_SECONDS 0.02
#define BATCH 8

/* Estimate and measurement for one kernel. Unknown seconds are NAN. */
typedef struct race {
    const char *kernel;
    fur_spmv_estimate expected;
    double product;
    double plan;
} race;

/* Returns the shortest time of a product. */
static fur_status time_product(const fur_spmv *plan, const fur_vector *x, fur_vector *y,
                               double *least)
{
    fur_context *context = fur_vector_context(x);
    double spent = 0;
    *least = HUGE_VAL;
    while (spent < RACE_SECONDS) {
        double start = fur_seconds();
        for (int i = 0; i < BATCH; i++)
            FUR_TRY(fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
        FUR_TRY(fur_context_synchronize(context));
        double seconds = fur_seconds() - start;
        *least = fmin(*least, seconds / BATCH);
        spent += seconds;
    }
    return FUR_OK;
}

/* Times kernel `index` unless it refuses the matrix. */
static fur_status run_kernel(const fur_csr *a, int index, const fur_vector *x, fur_vector *y,
                             race *out)
{
    fur_context *context = fur_csr_context(a);
    *out =
        (race){fur_spmv_kernel_at(context, index)->name, FUR_DEFAULT(fur_spmv_estimate), NAN, NAN};
    FUR_TRY(fur_spmv_estimate_at(a, index, &out->expected));
    fur_spmv_options options = {.size = sizeof options, .kernel = out->kernel};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(a, &options, &plan);
    if (status == FUR_UNSUPPORTED || status == FUR_OUT_OF_MEMORY)
        return FUR_OK;
    if (status == FUR_OK) {
        out->plan = fur_spmv_describe(plan)->seconds_plan;
        status = time_product(plan, x, y, &out->product);
    }
    fur_spmv_destroy(plan);
    return status;
}

static json_t *seconds_to_json(double seconds)
{
    return seconds > 0 ? json_real(seconds) : json_null();
}

static json_t *race_to_json(const race *r)
{
    const char *refusal = r->expected.refusal;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", output_string(r->kernel),
                     "refusal", refusal ? output_string(refusal) : json_null(), "seconds_expected",
                     seconds_to_json(r->expected.seconds_product), "seconds_product",
                     seconds_to_json(r->product), "seconds_plan_expected",
                     seconds_to_json(r->expected.seconds_plan), "seconds_plan",
                     seconds_to_json(r->plan));
}

static void print_figure(double value)
{
    if (value > 0)
        printf(" %12.4g", value);
    else
        printf(" %12s", "-");
}

static void print_race(const race *r)
{
    printf("  %-16s", r->kernel);
    print_figure(1e6 * r->expected.seconds_product);
    print_figure(1e6 * r->product);
    print_figure(1e3 * r->expected.seconds_plan);
    print_figure(1e3 * r->plan);
    printf("%s%s\n", r->expected.refusal ? "  " : "",
           r->expected.refusal ? r->expected.refusal : "");
}

static fur_status put_all(output *out, const fur_csr *a, const fur_vector *x, fur_vector *y)
{
    fur_context *context = fur_csr_context(a);
    json_t *list = out->json ? json_array() : NULL;
    fur_status status = FUR_OK;
    if (!out->json)
        printf("\n  %-16s %12s %12s %12s %12s\n", "kernel", "expected us", "product us",
               "expected ms", "plan ms");
    for (int i = 1; status == FUR_OK && fur_spmv_kernel_at(context, i); i++) {
        race r;
        status = run_kernel(a, i, x, y, &r);
        if (status == FUR_OK && out->json)
            output_append(list, race_to_json(&r));
        else if (status == FUR_OK)
            print_race(&r);
    }
    if (out->json)
        output_member(out, "estimates", list);
    return status;
}

/* Returns the matrix of the product. */
static fur_status operand_of(const fur_csr *a, fur_op op, fur_csr **transpose)
{
    return op == FUR_OP_N ? FUR_OK : fur_csr_transpose(a, op == FUR_OP_H, transpose);
}

fur_status estimates_put(output *out, const fur_csr *a, fur_op op)
{
    fur_csr *transpose = NULL;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_status status = operand_of(a, op, &transpose);
    const fur_csr *operand = transpose ? transpose : a;
    const fur_csr_view view = *fur_csr_get(operand);
    if (status == FUR_OK)
        status = fur_vector_create(fur_csr_context(a), view.value_type, view.cols, &x);
    if (status == FUR_OK)
        status = fur_vector_create(fur_csr_context(a), view.value_type, view.rows, &y);
    if (status == FUR_OK)
        status = put_all(out, operand, x, y);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(transpose);
    return status;
}
