/* furrow-ranks: products and solves on several ranks. A failure on one of them ends all, with one
 * sentence of rank 0 and status 1. */
#include "ranks_job.h"

#include "command.h"

#include <stdio.h>
#include <stdlib.h>

/* What a launcher of MPI programs sets. */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
                                        "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static int complain(const char *sentence)
{
    fprintf(stderr, "furrow-ranks: %s\n", sentence);
    return 1;
}

static int run_processes(ranks_line *line, const fur_ranks_options *options)
{
    fur_ranks *group;
    fur_status status = is_launched() ? fur_ranks_open_mpi(NULL, options, &group)
                                      : fur_ranks_open_alone(options, &group);
    if (status != FUR_OK)
        return complain(fur_context_error(NULL));
    status = ranks_job(group, line);
    int result = status != FUR_OK;
    if (status != FUR_OK && fur_ranks_rank(group) == 0)
        complain(fur_ranks_error(group));
    fur_ranks_close(group);
    return result;
}

int main(int argc, char **argv)
{
    ranks_line line;
    command_check_output();
    ranks_line_parse(argc, argv, &line);
    fur_ranks_options options = {.size = sizeof options,
                                 .threads = line.threads,
                                 .device = line.device,
                                 .device_transport = line.device_transport};
    if (line.ranks == 0)
        return run_processes(&line, &options);
    if (fur_ranks_run(line.ranks, &options, ranks_job, &line) == FUR_OK)
        return 0;
    return complain(fur_context_error(NULL));
}
