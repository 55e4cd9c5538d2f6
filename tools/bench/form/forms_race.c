/* Times the forms of an operator. */
#include "forms.h"

#include "plain.h"

#ifdef FURROW_HAVE_CUDA
#    include "race_cuda.h"
#endif

/* Runs a product. The status is ignored, because the same product has succeeded before. */
static void run_on_cpu(void *self)
{
    const forms_racer *racer = self;
    (void)racer->run(racer->self);
}

static double vector_bytes(const forms *f)
{
    return (double)f->rows * (double)fur_value_size(f->definition.value_type);
}

/* The reference for the speed of products: a copy of a vector of the grid. */
static void run_copy(void *self)
{
    const forms *f = self;
    int64_t doubles = (int64_t)vector_bytes(f) / (int64_t)sizeof(double);
    plain_copy(f->context, doubles, fur_vector_const_data(f->x), fur_vector_data(f->y));
}

/* Times on the CPU. The shortest time counts, because other work of the machine can only lengthen a
 * run. */
static void race_on_cpu(const forms *f, int rounds, int count, forms_racer *racers,
                        double *copy_rate)
{
    race r = {.rounds = rounds, .cold = true};
    for (int i = 0; i < count; i++)
        race_add(&r, "", run_on_cpu, &racers[i]);
    race_add(&r, "copy", run_copy, (void *)(uintptr_t)f);
    race_run(&r, 0, &f->timing->reader);
    for (int i = 0; i < count; i++)
        racers[i].seconds = r.contenders[i].least;
    *copy_rate = 2 * vector_bytes(f) / r.contenders[count].least;
}

#ifdef FURROW_HAVE_CUDA
static fur_status copy_on_gpu(void *self)
{
    const forms *f = self;
    return fur_vector_copy(f->x, f->y);
}

static fur_status race_on_gpu(const forms *f, int count, forms_racer *racers, double *copy_rate)
{
    cuda_race r = {.count = 0};
    for (int i = 0; i < count; i++)
        cuda_race_add(&r, "", racers[i].run, racers[i].self);
    cuda_race_add(&r, "copy", copy_on_gpu, (void *)(uintptr_t)f);
    FUR_TRY(cuda_race_run(&r, f->timing->gpu));
    for (int i = 0; i < count; i++)
        racers[i].seconds = r.contenders[i].cold;
    *copy_rate = 2 * vector_bytes(f) / r.contenders[count].cold;
    return FUR_OK;
}
#endif

fur_status forms_race_in_turn(const forms *f, int rounds, int count, forms_racer *racers,
                              double *copy_rate)
{
#ifdef FURROW_HAVE_CUDA
    if (f->timing->gpu)
        return race_on_gpu(f, count, racers, copy_rate);
#endif
    race_on_cpu(f, rounds, count, racers, copy_rate);
    return FUR_OK;
}

fur_status forms_race(forms *f, int rounds)
{
    int count = f->count;
    forms_racer racers[FORMS_MAX];
    for (int i = 0; i < count; i++)
        racers[i] = (forms_racer){.run = form_run, .self = &f->forms[i]};
    FUR_TRY(forms_race_in_turn(f, rounds, count, racers, &f->copy_rate));
    for (int i = 0; i < count; i++)
        f->forms[i].seconds = racers[i].seconds;
    return FUR_OK;
}

double form_ns_per_point(const form *c)
{
    return 1e9 * c->seconds / (double)c->owner->rows;
}

double form_gbps(const form *c)
{
    return 1e-9 * (double)c->bytes / c->seconds;
}

double form_of_copy(const form *c)
{
    return 1e9 * form_gbps(c) / c->owner->copy_rate;
}

double form_ratio(const form *c)
{
    return c->seconds / c->owner->forms[0].seconds;
}

static double bytes_per_point(const form *c)
{
    return (double)c->bytes / (double)c->owner->rows;
}

const record_column forms_columns[] = {{"", "name", -11, 0, 0, ""},
                                       {"kernel", "kernel", -15, 0, 0, ""},
                                       {"ns/point", "ns_per_point", 9, 4, 1, ""},
                                       {"B/point", "bytes_per_point", 9, 1, 1, ""},
                                       {"GB/s", "gbps", 8, 1, 1, ""},
                                       {"of copy", "percent_of_copy", 7, 0, 1, "%"},
                                       {"ratio", "ratio", 8, 2, 1, ""},
                                       {0}};

/* The stencil is compared with the matrix, whatever its kernel. */
static json_t *form_to_json(const form *c)
{
    const forms *f = c->owner;
    double over_csr = f->forms[1].seconds / c->seconds;
    race_about about = {.role = c->plan             ? RACE_PEER
                                : c == &f->forms[0] ? RACE_AUTO
                                                    : RACE_KERNEL,
                        .kernel = c->kernel,
                        .exact = c->exact,
                        .bytes = (double)c->bytes,
                        .flops = 2 * (double)fur_csr_get(f->a)->entries};
    return record_line(c->name, &about, c->seconds, over_csr,
                       json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "seconds", c->seconds,
                                 "ns_per_point", form_ns_per_point(c), "bytes_per_point",
                                 bytes_per_point(c), "gbps", form_gbps(c), "percent_of_copy",
                                 100 * form_of_copy(c), "ratio", form_ratio(c), "speed_up",
                                 over_csr, "max_difference", c->difference));
}

json_t *forms_to_json(const forms *f)
{
    json_t *lines = json_array();
    for (int i = 0; i < f->count; i++)
        output_append(lines, form_to_json(&f->forms[i]));
    return lines;
}
