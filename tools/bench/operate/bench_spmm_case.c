#include "bench_spmm_case.h"

#include <furrow/author/context.h>
#include <furrow/author/kernels.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the bits of all rows agree. */
static bool same_bits(const fur_vectors *x, const fur_vectors *y)
{
    const fur_vectors_view *a = fur_vectors_get(x);
    const fur_vectors_view *b = fur_vectors_get(y);
    return memcmp(a->data, b->data, (size_t)(a->rows * a->cols) * sizeof(double)) == 0;
}

fur_status spmm_load(const bench *b, const char *case_name, fur_csr **out, int64_t *cols)
{
    fur_context *host = fur_context_host(b->context);
    char name[4096];
    snprintf(name, sizeof name, "%s", case_name);
    char *at = strrchr(name, '@');
    *cols = at ? strtoll(at + 1, NULL, 10) : 0;
    if (at)
        *at = '\0';
    fur_csr *near = NULL;
    FUR_TRY(bench_load(b, host, name, &near));
    const fur_csr_view *v = fur_csr_get(near);
    fur_status status = FUR_OK;
    if (v->value_type != FUR_F64 || v->offset_type != FUR_I32 || v->entries == 0)
        status = fur_context_fail(host, FUR_UNSUPPORTED,
                                  "%s: this benchmark needs a real matrix with 1 to 2^31-1 entries",
                                  case_name);
    if (status != FUR_OK || host == b->context) {
        *out = near;
        return status;
    }
    status = fur_csr_transfer(near, b->context, out);
    fur_csr_destroy(near);
    return status;
}

/* Fills blocks with numbers of both signs, the same in both layouts. */
static fur_status fill_x(spmm_case *c)
{
    const fur_vectors_view *x = fur_vectors_get(c->x[FUR_LAYOUT_ROWS]);
    fur_vector *numbers = NULL;
    FUR_TRY(bench_numbers(fur_context_host(c->b->context), x->rows * x->cols, 1, 1, &numbers));
    fur_status status = fur_vectors_upload(fur_vector_const_data(numbers), c->x[FUR_LAYOUT_ROWS]);
    fur_vector_destroy(numbers);
    FUR_TRY(status);
    return fur_vectors_copy(c->x[FUR_LAYOUT_ROWS], c->x[FUR_LAYOUT_COLUMNS]);
}

static fur_status make_blocks(spmm_case *c)
{
    const fur_csr_view *a = fur_csr_get(c->a);
    for (int layout = 0; layout < 2; layout++) {
        FUR_TRY(fur_vectors_create(c->b->context, FUR_F64, a->cols, c->cols, (fur_layout)layout,
                                   &c->x[layout]));
        FUR_TRY(fur_vectors_create(c->b->context, FUR_F64, a->rows, c->cols, (fur_layout)layout,
                                   &c->y[layout]));
    }
    return fill_x(c);
}

/* Makes vectors of the columns of the column-major blocks. */
static fur_status make_columns(spmm_case *c)
{
    c->x_column = calloc((size_t)c->cols, sizeof(fur_vector *));
    c->y_column = calloc((size_t)c->cols, sizeof(fur_vector *));
    if (!c->x_column || !c->y_column)
        return fur_context_fail(c->b->context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int64_t j = 0; j < c->cols; j++) {
        FUR_TRY(fur_vectors_column(c->x[FUR_LAYOUT_COLUMNS], j, &c->x_column[j]));
        FUR_TRY(fur_vectors_column(c->y[FUR_LAYOUT_COLUMNS], j, &c->y_column[j]));
    }
    return FUR_OK;
}

/* Adds a plan for both layouts. */
static fur_status add_kernel(spmm_case *c, const char *kernel)
{
    static const char *const orders[] = {"rows", "columns"};
    for (int layout = 0; layout < 2; layout++) {
        spmm_product *p = &c->products[c->count];
        fur_spmm_options options = {
            .size = sizeof options, .kernel = kernel, .layout = (fur_layout)layout};
        *p = (spmm_product){.of = c, .layout = (fur_layout)layout};
        fur_status status = fur_spmm_plan(c->a, &options, &p->plan);
        if (status == FUR_OK)
            status = spmm_run(p);
        if (status == FUR_UNSUPPORTED) {
            fprintf(stderr, "%s: %s\n", c->name, fur_context_error(c->b->context));
            fur_spmm_destroy(p->plan);
            continue;
        }
        c->count++;
        FUR_TRY(status);
        snprintf(p->name, sizeof p->name, "%s, in %s", kernel, orders[layout]);
    }
    return FUR_OK;
}

/* Adds single products first, then all kernels except the reference. */
static fur_status add_products(spmm_case *c)
{
    const fur_spmv_options options = {.size = sizeof options, .uses = 1000};
    const fur_kernel_info *kernel;
    FUR_TRY(fur_spmv_plan(c->a, &options, &c->single));
    c->products[c->count++] = (spmm_product){.of = c, .name = "single products"};
    for (int i = 1; (kernel = fur_spmm_kernel_at(c->b->context, i)); i++)
        FUR_TRY(add_kernel(c, kernel->name));
    return add_kernel(c, "auto");
}

fur_status spmm_open(spmm_case *c, int64_t cols)
{
    c->cols = cols;
    FUR_TRY(make_blocks(c));
    FUR_TRY(make_columns(c));
    return add_products(c);
}

void spmm_close(spmm_case *c)
{
    for (int i = 0; i < c->count; i++)
        fur_spmm_destroy(c->products[i].plan);
    for (int64_t j = 0; j < c->cols; j++) {
        if (c->x_column)
            fur_vector_destroy(c->x_column[j]);
        if (c->y_column)
            fur_vector_destroy(c->y_column[j]);
    }
    free(c->x_column);
    free(c->y_column);
    fur_spmv_destroy(c->single);
    fur_vectors_destroy(c->expected);
    for (int layout = 0; layout < 2; layout++) {
        fur_vectors_destroy(c->y[layout]);
        fur_vectors_destroy(c->x[layout]);
    }
    *c = (spmm_case){.b = c->b, .name = c->name, .a = c->a};
}

fur_status spmm_run(const spmm_product *p)
{
    const spmm_case *c = p->of;
    if (p->plan)
        return fur_spmm_apply(p->plan, fur_real(1), c->x[p->layout], fur_real(0), c->y[p->layout]);
    for (int64_t j = 0; j < c->cols; j++)
        FUR_TRY(
            fur_spmv_apply(c->single, fur_real(1), c->x_column[j], fur_real(0), c->y_column[j]));
    return FUR_OK;
}

/* Copies Y of a product to the host, in row-major layout. */
static fur_status take_result(const spmm_product *p, fur_vectors **out)
{
    const spmm_case *c = p->of;
    fur_layout layout = p->plan ? p->layout : FUR_LAYOUT_COLUMNS;
    const fur_vectors_view *y = fur_vectors_get(c->y[layout]);
    FUR_TRY(fur_vectors_fill(c->y[layout], fur_real(NAN)));
    FUR_TRY(spmm_run(p));
    FUR_TRY(fur_vectors_create(fur_context_host(c->b->context), FUR_F64, y->rows, y->cols,
                               FUR_LAYOUT_ROWS, out));
    return fur_vectors_copy(c->y[layout], *out);
}

static bool is_exact(const spmm_product *p)
{
    return !p->plan || command_find(fur_spmm_kernel_at, fur_csr_context(p->of->a),
                                    fur_spmm_describe(p->plan)->kernel)
                           ->exact;
}

fur_status spmm_check(spmm_case *c)
{
    FUR_TRY(take_result(&c->products[0], &c->expected));
    for (int i = 1; i < c->count; i++) {
        fur_vectors *found = NULL;
        fur_status status = FUR_OK;
        if (is_exact(&c->products[i]))
            status = take_result(&c->products[i], &found);
        bool same = !found || same_bits(found, c->expected);
        fur_vectors_destroy(found);
        FUR_TRY(status);
        if (!same)
            return fur_context_fail(c->b->context, FUR_INVALID,
                                    "%s: the bits of %s differ from single products", c->name,
                                    c->products[i].name);
    }
    fur_vectors_destroy(c->expected);
    c->expected = NULL;
    return FUR_OK;
}

static fur_status run_columns(spmm_case *c, int64_t cols, fur_status (*contest)(spmm_case *c))
{
    fur_status status = spmm_open(c, cols);
    if (status == FUR_OK)
        status = spmm_check(c);
    if (status == FUR_OK)
        status = contest(c);
    spmm_close(c);
    return status;
}

fur_status spmm_each(bench *b, const char *name, const int64_t *counts,
                     fur_status (*contest)(spmm_case *c))
{
    spmm_case c = {.b = b, .name = name};
    int64_t asked;
    fur_status status = spmm_load(b, name, &c.a, &asked);
    if (status == FUR_OK && asked > 0)
        status = run_columns(&c, asked, contest);
    for (int i = 0; status == FUR_OK && asked <= 0 && counts[i] > 0; i++)
        status = run_columns(&c, counts[i], contest);
    fur_csr_destroy(c.a);
    return status;
}

race_about spmm_about(const spmm_product *p)
{
    const spmm_case *c = p->of;
    const fur_csr_view *a = fur_csr_get(c->a);
    const char *kernel = p->plan ? fur_spmm_describe(p->plan)->kernel : "";
    double entries = (double)a->entries;
    double vectors = (double)(a->rows + a->cols) * (double)c->cols * sizeof(double);
    return (race_about){
        .role = strncmp(kernel, "cusparse", 8) == 0 ? RACE_PEER
                : strncmp(p->name, "auto", 4) == 0  ? RACE_AUTO
                                                    : RACE_KERNEL,
        .exact = is_exact(p),
        .bytes = entries * 12 + ((double)a->rows + 1) * 4 + vectors,
        .flops = 2 * entries * (double)c->cols,
    };
}

json_t *spmm_record(const spmm_case *c)
{
    char name[4096];
    snprintf(name, sizeof name, "%.*s, %lld columns", (int)strcspn(c->name, "@"), c->name,
             (long long)c->cols);
    json_t *record = bench_matrix(name, c->a);
    json_object_set_new(record, "columns", json_integer(c->cols));
    return record;
}
