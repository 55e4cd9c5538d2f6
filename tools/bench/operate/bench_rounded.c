/* furrow bench rounded: products by the values of a matrix, and by these values in single
 * precision, which move half the bytes of values. Generated matrices get random values, which no
 * other form can store in fewer bytes. */
#include <furrow/author/context.h>

#include <stdio.h>

#include "generate.h"
#include "load.h"
#include "output.h"
#include "wall_race.h"

/* Products that are timed together, so that a GPU has a queue of them. */
#define PRODUCTS 20

typedef struct product {
    fur_spmv *plan;
    fur_vector *x;
    fur_vector *y;
} product;

typedef struct rounded_case {
    bench *b;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
    product products[2];
    wall_race race;
} rounded_case;

static fur_status run_products(void *self)
{
    const product *p = self;
    for (int i = 0; i < PRODUCTS; i++)
        FUR_TRY(fur_spmv_apply(p->plan, fur_real(1), p->x, fur_real(0), p->y));
    return FUR_OK;
}

static fur_status load(rounded_case *c, const char *name)
{
    fur_context *host = fur_context_host(c->b->context);
    loaded_matrix loaded = {0};
    fur_vector *values = NULL;
    if (!generate_knows(name))
        FUR_TRY(load_matrix(c->b->context, c->b->common, name, &loaded));
    c->a = loaded.matrix;
    if (c->a)
        return FUR_OK;
    fur_csr *made = NULL;
    FUR_TRY(generate_matrix(host, name, &made));
    fur_status status = bench_numbers(host, fur_csr_get(made)->entries, 1, 1, &values);
    if (status == FUR_OK)
        status = fur_csr_set_values(made, fur_vector_data(values), FUR_OWNERSHIP_COPY);
    fur_vector_destroy(values);
    if (status == FUR_OK)
        status = fur_csr_transfer(made, c->b->context, &c->a);
    fur_csr_destroy(made);
    return status;
}

static fur_status add(rounded_case *c, int index, const char *name, fur_stored values)
{
    product *p = &c->products[index];
    fur_spmv_options options = {.size = sizeof options, .uses = 1000, .values = values};
    FUR_TRY(fur_spmv_plan(c->a, &options, &p->plan));
    p->x = c->x;
    p->y = c->y;
    const fur_spmv_report *report = fur_spmv_describe(p->plan);
    race_about *about = wall_race_add(&c->race, name, run_products, p, 0);
    about->exact = true;
    about->kernel = report->kernel;
    about->bytes = PRODUCTS * (double)report->bytes;
    snprintf(about->note, sizeof about->note, "%d products, %s, %.0f%% of CSR's bytes", PRODUCTS,
             report->kernel, 100.0 * (double)report->bytes / (double)report->csr_bytes);
    return FUR_OK;
}

static fur_status run_case(rounded_case *c, const char *name)
{
    FUR_TRY(load(c, name));
    const fur_csr_view *v = fur_csr_get(c->a);
    if (v->value_type != FUR_F64)
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED, "%s: this benchmark needs type f64",
                                name);
    FUR_TRY(bench_numbers(c->b->context, v->cols, 3, 2, &c->x));
    FUR_TRY(fur_vector_create(c->b->context, FUR_F64, v->rows, &c->y));
    FUR_TRY(add(c, 0, "exact", FUR_STORED_EXACT));
    FUR_TRY(add(c, 1, "f32", FUR_STORED_F32));
    return wall_race_run(c->b, &c->race, bench_matrix(name, c->a));
}

fur_status bench_rounded(bench *b, const char *name)
{
    rounded_case c = {.b = b};
    fur_status status = run_case(&c, name);
    fur_spmv_destroy(c.products[1].plan);
    fur_spmv_destroy(c.products[0].plan);
    fur_vector_destroy(c.y);
    fur_vector_destroy(c.x);
    fur_csr_destroy(c.a);
    return status;
}
