/* Finding, applying and timing of orders. */
#include "reordering.h"

#include <math.h>
#include <string.h>

#include "product.h"

/* A race takes about so long, within these bounds; a round of it at least so long for each side. */
#define ROUNDS_LEAST 3
#define ROUNDS_MOST 30
#define BATCH_MOST 1000
#define RACE_SECONDS 0.4
#define ROUND_SECONDS 2e-3

/* Less than this is what the machine's own ups and downs look like. */
#define WORTHWHILE 0.95

/* Words for the order. */
static const char NONE[] = "none";
static const char AUTO[] = "auto";
static const char AUTOMATIC[] = "rcm";
static const char NOTHING_BETTER[] = "no better order was found";

static fur_status order_once(const loaded_matrix *a, const reordering_request *request,
                             reordering *r)
{
    fur_reorder_options options = {.size = sizeof options, .allow_worse = request->allow_worse};
    double start = command_seconds();
    r->found = FUR_DEFAULT(fur_reorder_report);
    COMMAND_TRY(fur_reorder(a->matrix, request->method, &options, &r->found, &r->order));
    COMMAND_TRY(fur_context_synchronize(fur_csr_context(a->matrix)));
    double ordered = command_seconds();
    COMMAND_TRY(fur_csr_permute(a->matrix, r->order, r->order, &r->matrix));
    COMMAND_TRY(fur_context_synchronize(fur_csr_context(a->matrix)));
    r->seconds_order = ordered - start;
    r->seconds_permute = command_seconds() - ordered;
    return FUR_OK;
}

fur_status reordering_create(const loaded_matrix *a, const reordering_request *request,
                             reordering *out)
{
    double order = INFINITY;
    double permute = INFINITY;
    for (int64_t i = 0; i < request->repeat; i++) {
        reordering_destroy(out);
        COMMAND_TRY(order_once(a, request, out));
        order = fmin(order, out->seconds_order);
        permute = fmin(permute, out->seconds_permute);
    }
    out->seconds_order = order;
    out->seconds_permute = permute;
    return FUR_OK;
}

void reordering_destroy(reordering *r)
{
    fur_csr_destroy(r->matrix);
    fur_permutation_destroy(r->order);
    *r = (reordering){0};
}

/* One side of the race. */
typedef struct runner {
    product product;
    int64_t batch;
    double seconds; /* the least so far */
} runner;

typedef struct race_track {
    runner sides[2]; /* before and after */
    fur_vector *x;
    fur_vector *y;
} race_track;

static fur_status prepare(race_track *track, const fur_csr *before, const fur_csr *after,
                          const fur_spmv_options *options)
{
    fur_context *context = fur_csr_context(before);
    fur_csr_view view = *fur_csr_get(before);
    COMMAND_TRY(product_create(before, options, &track->sides[0].product));
    COMMAND_TRY(product_create(after, options, &track->sides[1].product));
    COMMAND_TRY(fur_vector_create(context, view.value_type, view.cols, &track->x));
    COMMAND_TRY(fur_vector_create(context, view.value_type, view.rows, &track->y));
    return fur_vector_fill(track->x, fur_real(1.0));
}

/* The first product meets cold caches and kernels not loaded yet; the second says how many make a
 * round. */
static fur_status warm_up(const race_track *track, runner *side)
{
    double seconds = 0.0;
    COMMAND_TRY(product_time(&side->product, track->x, track->y, 1, &seconds));
    COMMAND_TRY(product_time(&side->product, track->x, track->y, 1, &seconds));
    side->batch = (int64_t)fmin(BATCH_MOST, 1.0 + ROUND_SECONDS / fmax(seconds, 1e-9));
    side->seconds = INFINITY;
    return FUR_OK;
}

static fur_status run_round(const race_track *track, runner *side)
{
    double seconds = 0.0;
    COMMAND_TRY(product_time(&side->product, track->x, track->y, side->batch, &seconds));
    side->seconds = fmin(side->seconds, seconds);
    return FUR_OK;
}

static fur_status run(race_track *track)
{
    runner *sides = track->sides;
    COMMAND_TRY(warm_up(track, &sides[0]));
    COMMAND_TRY(warm_up(track, &sides[1]));
    double stop = command_seconds() + RACE_SECONDS;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (round >= ROUNDS_LEAST && command_seconds() > stop)
            break;
        COMMAND_TRY(run_round(track, &sides[0]));
        COMMAND_TRY(run_round(track, &sides[1]));
    }
    return FUR_OK;
}

fur_status reordering_race(const fur_csr *a, const fur_spmv_options *options, reordering *r)
{
    race_track track = {.x = NULL};
    fur_status status = prepare(&track, a, r->matrix, options);
    if (status == FUR_OK)
        status = run(&track);
    if (status == FUR_OK) {
        r->seconds_before = track.sides[0].seconds;
        r->seconds_after = track.sides[1].seconds;
    }
    fur_vector_destroy(track.y);
    fur_vector_destroy(track.x);
    product_destroy(&track.sides[1].product);
    product_destroy(&track.sides[0].product);
    return status;
}

bool reordering_is_identity(const reordering *r)
{
    return r->found.components_kept == r->found.components;
}

double reordering_pays_after(const reordering *r)
{
    double gain = r->seconds_before - r->seconds_after;
    if (gain <= 0.0 || reordering_is_identity(r))
        return INFINITY;
    return (r->seconds_order + r->seconds_permute) / gain;
}

const char *reordering_method(fur_context *context, int index)
{
    (void)context;
    const fur_method_info *method = fur_reorder_method_at(index);
    return method ? method->name : NULL;
}

/* What --reorder takes: the methods between "none" and "auto". */
static const char *choice_name(fur_context *context, int index)
{
    (void)context;
    if (index == 0)
        return NONE;
    const char *method = reordering_method(context, index - 1);
    if (method)
        return method;
    return fur_reorder_method_at(index - 2) ? AUTO : NULL;
}

const char *reordering_parse(struct argp_state *state, const char *text)
{
    command_choice(state, "--reorder", choice_name, text);
    return text;
}

static bool is(const char *method, const char *name)
{
    return strcmp(method, name) == 0;
}

static void keep(reordering_choice *choice, const char *reason)
{
    fur_permutation_destroy(choice->r.order);
    fur_csr_destroy(choice->r.matrix);
    choice->r.order = NULL;
    choice->r.matrix = NULL;
    choice->reason = reason;
}

static void use(loaded_matrix *a, reordering_choice *choice, const char *method, const char *reason)
{
    fur_csr_destroy(a->matrix);
    a->matrix = choice->r.matrix;
    choice->r.matrix = NULL;
    choice->used = method;
    choice->reason = reason;
}

static fur_status choose_by_time(loaded_matrix *a, const fur_spmv_options *options,
                                 reordering_choice *choice)
{
    fur_csr_view view = *fur_csr_get(a->matrix);
    reordering_request request = {.method = AUTOMATIC, .repeat = 1};
    if (view.rows != view.cols) {
        keep(choice, "the matrix is not square");
        return FUR_OK;
    }
    COMMAND_TRY(reordering_create(a, &request, &choice->r));
    if (reordering_is_identity(&choice->r)) {
        keep(choice, NOTHING_BETTER);
        return FUR_OK;
    }
    COMMAND_TRY(reordering_race(a->matrix, options, &choice->r));
    if (choice->r.seconds_after < WORTHWHILE * choice->r.seconds_before)
        use(a, choice, AUTOMATIC, "products measure faster in it");
    else
        keep(choice, "products measure no faster in another");
    return FUR_OK;
}

fur_status reordering_choose(loaded_matrix *a, const fur_spmv_options *options,
                             reordering_choice *choice)
{
    reordering_request request = {.method = choice->asked, .repeat = 1};
    choice->used = NONE;
    if (!choice->asked || is(choice->asked, NONE))
        return FUR_OK;
    if (is(choice->asked, AUTO))
        return choose_by_time(a, options, choice);
    COMMAND_TRY(reordering_create(a, &request, &choice->r));
    if (reordering_is_identity(&choice->r))
        keep(choice, NOTHING_BETTER);
    else
        use(a, choice, choice->asked, "asked for");
    return FUR_OK;
}

/* *x moved by one of fur_vector_permute and fur_vector_unpermute. */
static fur_status move(const reordering_choice *choice, fur_vector **x,
                       fur_status (*by)(const fur_permutation *permutation, const fur_vector *x,
                                        fur_vector *y))
{
    fur_vector *moved = NULL;
    if (!choice->r.order)
        return FUR_OK;
    COMMAND_TRY(fur_vector_create(fur_vector_context(*x), fur_vector_value_type(*x),
                                  fur_vector_size(*x), &moved));
    fur_status status = by(choice->r.order, *x, moved);
    if (status != FUR_OK) {
        fur_vector_destroy(moved);
        return status;
    }
    fur_vector_destroy(*x);
    *x = moved;
    return FUR_OK;
}

fur_status reordering_enter(const reordering_choice *choice, fur_vector **x)
{
    return move(choice, x, fur_vector_permute);
}

fur_status reordering_leave(const reordering_choice *choice, fur_vector **x)
{
    return move(choice, x, fur_vector_unpermute);
}

fur_status reordering_original(const reordering_choice *choice, int64_t *row)
{
    fur_permutation *order = NULL;
    if (!choice->r.order)
        return FUR_OK;
    fur_context *host = fur_context_host(fur_permutation_context(choice->r.order));
    COMMAND_TRY(fur_permutation_transfer(choice->r.order, host, &order));
    *row = fur_permutation_order(order)[*row];
    fur_permutation_destroy(order);
    return FUR_OK;
}

void reordering_put(output *out, const reordering_choice *choice)
{
    output_text(out, "reorder", "order", choice->used);
    if (!choice->reason)
        return;
    output_flag(out, "reorder_kept", "file's order kept", is(choice->used, NONE));
    output_text(out, "reorder_reason", "because", choice->reason);
    if (choice->r.seconds_order > 0.0) {
        output_seconds(out, "seconds_order", "time to order", choice->r.seconds_order);
        output_seconds(out, "seconds_permute", "time to permute", choice->r.seconds_permute);
    }
    if (choice->r.seconds_before > 0.0) {
        output_seconds(out, "seconds_spmv_before", "product before", choice->r.seconds_before);
        output_seconds(out, "seconds_spmv_after", "product after", choice->r.seconds_after);
    }
}
