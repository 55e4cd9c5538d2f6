// What reductions need of a context: at most two doubles a block, and one ticket.
#ifndef FURROW_CUDA_REDUCTION_CUH
#define FURROW_CUDA_REDUCTION_CUH

#define FUR_REDUCTION_THREADS 128
// The last block combines the others' results 32 to one for each of its threads.
#define FUR_REDUCTION_BLOCKS (32 * FUR_REDUCTION_THREADS)

#define FUR_PARTIALS (2 * FUR_REDUCTION_BLOCKS)
#define FUR_TICKETS 1

#endif
