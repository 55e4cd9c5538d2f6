/* Starts the ranks of a run: processes of MPI, or threads of this process. */
#include "ranks_job.h"

#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "load.h"
#include "unfinished.h"

const line_option ranks_options[] = {
    {"ranks", "N", "Number of ranks, as threads of this process (default: the processes of MPI)",
     LINE_COUNT, .at = offsetof(ranks_request, ranks), .most = 1 << 20},
    {"device-transport", "WAY",
     "Transport between GPUs: peers, nccl or staged (default: the first that works)", LINE_TEXT,
     .at = offsetof(ranks_request, device_transport)},
    {"partition", "NAME|FILE",
     "Parts of the rows: contiguous (default), rcm, metis, scotch, bricks, or from FILE", LINE_FILE,
     .at = offsetof(ranks_request, partition)},
    {0},
};

/* Returns whether a launcher of MPI programs set one of its variables. */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
                                        "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static bool is_partition(const char *name)
{
    const char *method;
    for (int i = 0; (method = fur_partition_method_at(i)) != NULL; i++)
        if (strcmp(method, name) == 0)
            return true;
    return false;
}

/* Brings the matrix into the order of the requested partition. */
static fur_status arrange(ranks_job *j)
{
    const char *partition = j->request->partition;
    fur_partition_options options = {.size = sizeof options, .method = partition};
    fur_ranks_csr *arranged;
    if (!partition || strcmp(partition, "contiguous") == 0)
        return FUR_OK;
    FUR_TRY(is_partition(partition) ? fur_ranks_partition(j->a, &options, &j->partition)
                                    : fur_ranks_partition_read(j->a, partition, &j->partition));
    FUR_TRY(fur_ranks_csr_arrange(j->a, j->partition, &arranged));
    fur_ranks_csr_destroy(j->a);
    j->a = arranged;
    return FUR_OK;
}

/* Returns whether all ranks can read the file together, with the library's rules and limits. */
static bool is_for_all(const ranks_job *j)
{
    const command_common *common = &j->request->common;
    const fur_read_limits *l = &common->reading.limits;
    bool limited = l->shape != 0 || l->entries != 0 || l->unpacked != 0 || l->seconds > 0;
    return strcmp(j->name, "-") != 0 && !command_reads_specially(common) && !limited;
}

/* Distributes the matrix that rank 0 reads in the same way as furrow. */
static fur_status read_alone(ranks_job *j)
{
    loaded_matrix whole = {.matrix = NULL};
    fur_status status = FUR_OK;
    if (j->leads)
        status =
            ranks_pass(j, j->home,
                       command_while(j->home, "reading", j->name,
                                     load_matrix(j->home, &j->request->common, j->name, &whole)));
    status = fur_ranks_agree(j->group, status);
    if (status == FUR_OK)
        status = fur_ranks_csr_scatter(j->group, whole.matrix, NULL, &j->a);
    fur_csr_destroy(whole.matrix);
    return status;
}

static fur_status read_matrix(ranks_job *j)
{
    double start = fur_seconds();
    FUR_TRY(is_for_all(j) ? fur_ranks_csr_read(j->group, j->name, NULL, &j->a) : read_alone(j));
    FUR_TRY(arrange(j));
    j->seconds_load = fur_seconds() - start;
    j->context = fur_ranks_csr_context(j->a);
    j->value = fur_ranks_csr_describe(j->a)->value_type;
    return FUR_OK;
}

static void put_matrix(ranks_job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    output_count(&j->out, "rows", "rows", r->rows);
    output_count(&j->out, "cols", "columns", r->cols);
    output_count(&j->out, "entries", "entries", r->entries);
    output_text(&j->out, "value", "value type", fur_value_name(r->value_type));
    output_count(&j->out, "ranks", "ranks", fur_ranks_count(j->group));
    output_text(&j->out, "transport", "transport", fur_ranks_transport(j->group));
    output_text(&j->out, "device", "device", fur_context_device(j->context));
    if (fur_ranks_device_transport(j->group)[0])
        output_text(&j->out, "device_transport", "between devices",
                    fur_ranks_device_transport(j->group));
    output_text(&j->out, "partition", "order of rows",
                j->request->partition ? j->request->partition : "contiguous");
    output_count(&j->out, "threads", "threads of a rank", fur_context_threads(j->context));
    output_count(&j->out, "halo_bytes", "bytes of a halo", r->halo_bytes);
    output_number(&j->out, "imbalance", "most work over mean", r->imbalance);
    output_seconds(&j->out, "seconds_halo", "waiting for halos", r->seconds_halo);
    output_seconds(&j->out, "seconds_load", "time to load", j->seconds_load);
}

static fur_status try_files(const ranks_job *j)
{
    return j->leads ? ranks_pass(j, j->home, request_try_files(j->home, &j->request->solver))
                    : FUR_OK;
}

static fur_status run(ranks_job *j)
{
    FUR_TRY(fur_ranks_agree(j->group, try_files(j)));
    FUR_TRY(read_matrix(j));
    FUR_TRY(fur_ranks_agree(j->group, j->request->work(j)));
    put_matrix(j);
    return FUR_OK;
}

/* Prints the results and judges a solve. */
static fur_status tell(ranks_job *j)
{
    fur_status status = FUR_OK;
    if (j->leads)
        status = ranks_pass(j, j->home, output_end(&j->out, j->home));
    j->out.object = NULL;
    FUR_TRY(fur_ranks_agree(j->group, status));
    return fur_ranks_agree(j->group, ranks_judge(j));
}

static void release(ranks_job *j)
{
    if (j->out.object)
        json_decref(j->out.object);
    fur_vector_destroy(j->x);
    fur_vector_destroy(j->y);
    fur_ranks_csr_destroy(j->a);
    fur_partition_destroy(j->partition);
    fur_context_destroy(j->home);
}

/* Runs a rank from start to end. */
static fur_status run_rank(fur_ranks *group, void *user)
{
    ranks_request *request = user;
    ranks_job j = {.request = request,
                   .name = request->common.operands[0],
                   .group = group,
                   .leads = fur_ranks_rank(group) == 0,
                   .out = {.json = true}}; /* only rank 0 prints */
    fur_context_options home = {.size = sizeof home};
    if (j.leads)
        home.watcher = unfinished_watcher;
    fur_status status = ranks_pass(&j, NULL, fur_context_create(&home, &j.home));
    status = fur_ranks_agree(group, status);
    if (j.leads)
        j.out = output_begin(request->common.json);
    if (status == FUR_OK)
        status = run(&j);
    if (status == FUR_OK)
        status = tell(&j);
    release(&j);
    return fur_ranks_agree(group, status);
}

/* Runs as a process of MPI, or alone if no launcher started it. */
static fur_status run_process(ranks_request *request, const fur_ranks_options *options)
{
    fur_ranks *group;
    fur_status status = is_launched() ? fur_ranks_open_mpi(NULL, options, &group)
                                      : fur_ranks_open_alone(options, &group);
    if (status != FUR_OK) {
        command_error("%s", fur_context_error(NULL));
        return status;
    }
    status = run_rank(group, request);
    if (status != FUR_OK && fur_ranks_rank(group) == 0)
        command_error("%s", fur_ranks_error(group));
    fur_ranks_close(group);
    return status;
}

static fur_status run_threads(ranks_request *request, const fur_ranks_options *options)
{
    fur_status status = fur_ranks_run(request->ranks, options, run_rank, request);
    if (status != FUR_OK)
        command_error("%s", fur_context_error(NULL));
    return status;
}

int ranks_start(ranks_request *request)
{
    fur_ranks_options options = {.size = sizeof options,
                                 .threads = request->common.threads,
                                 .device = request->common.device,
                                 .device_transport = request->device_transport};
    fur_status status =
        request->ranks > 0 ? run_threads(request, &options) : run_process(request, &options);
    if (status != FUR_OK)
        interrupt_pass_on();
    return status == FUR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
