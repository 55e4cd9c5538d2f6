/* Steps of classical multigrid. They are made on the host, from a copy of a device's matrix, and
 * copied back. */
#include "classical_data.h"

typedef struct request {
    double theta;
    bool aggressive;
    fur_amg_classical *made;
} request;

/* As fur_csr_algorithm. */
static fur_status coarsen(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const request *r = arguments;
    FUR_TRY(fur_amg_take_stage(a, r->theta, r->made, out));
    return r->aggressive ? fur_amg_take_second(a, r->theta, r->made, out) : FUR_OK;
}

fur_status fur_amg_coarsen(const fur_csr *a, double theta, bool aggressive, fur_amg_step *step)
{
    FUR_TRY(fur_env_allocate_zeros(&fur_csr_context(a)->env, 1, sizeof *step->classical,
                                   &step->classical));
    request r = {theta, aggressive, step->classical};
    FUR_TRY(fur_csr_on_host(a, coarsen, &r, &step->p));
    step->aggregates = step->p->view.cols;
    return FUR_OK;
}

fur_status fur_amg_coarsen_again(const fur_csr *a, const fur_amg_step *step)
{
    const fur_amg_classical *c = step->classical;
    return fur_csr_fill_on_host(a, c->second ? fur_amg_second_again : fur_amg_interpolate_again, c,
                                step->p);
}

void fur_amg_release_classical(fur_context *context, fur_amg_classical *c)
{
    if (!c)
        return;
    fur_amg_release_second(&context->host->env, c->second);
    fur_amg_release_stage(&context->host->env, c);
    fur_env_release(&context->env, c);
}

int64_t fur_amg_classical_bytes(const fur_amg_classical *c)
{
    return fur_amg_stage_bytes(c) + (c->second ? fur_amg_second_bytes(c->second) : 0);
}
