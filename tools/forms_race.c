/* Times the forms of an operator. */
#include "forms.h"

#include "plain.h"

#ifdef FURROW_HAVE_CUDA
#    include "race_cuda.h"
#endif

/* What failed would have failed in forms_check. */
static void run_on_cpu(void *self)
{
    (void)form_run(self);
}

static double vector_bytes(const forms *f)
{
    return (double)f->rows * (double)fur_value_size(f->definition.value);
}

static void run_copy(void *self)
{
    const forms *f = self;
    const int64_t doubles = (int64_t)vector_bytes(f) / (int64_t)sizeof(double);
    plain_copy(doubles, fur_vector_const_data(f->x), fur_vector_data(f->y));
}

/* The copy is one of vectors of the grid. The least of the times counts: a run is only one product,
 * and whatever else the machine does can only lengthen it. */
static fur_status race_on_cpu(forms *f, int rounds)
{
    race r = {.rounds = rounds, .cold = true};
    for (int i = 0; i < f->count; i++) {
        race_add(&r, f->forms[i].kernel, run_on_cpu, &f->forms[i]);
    }
    race_add(&r, "copy", run_copy, f);
    race_run(&r, 0, &f->timing->reader);
    for (int i = 0; i < f->count; i++) {
        f->forms[i].seconds = r.contenders[i].least;
    }
    f->copy_rate = 2 * vector_bytes(f) / r.contenders[f->count].least;
    return FUR_OK;
}

#ifdef FURROW_HAVE_CUDA
static fur_status race_on_gpu(forms *f)
{
    cuda_race r = {.count = 0};
    for (int i = 0; i < f->count; i++) {
        cuda_race_add(&r, f->forms[i].kernel, form_run, &f->forms[i]);
    }
    COMMAND_TRY(cuda_race_run(&r, f->timing->gpu));
    for (int i = 0; i < f->count; i++) {
        f->forms[i].seconds = r.contenders[i].cold;
    }
    f->copy_rate = r.copy_rate;
    return FUR_OK;
}
#endif

fur_status forms_race(forms *f, int rounds)
{
#ifdef FURROW_HAVE_CUDA
    if (f->timing->gpu) {
        return race_on_gpu(f);
    }
#endif
    return race_on_cpu(f, rounds);
}
