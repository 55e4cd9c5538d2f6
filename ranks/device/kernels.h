/* Kernels of the halo between GPUs. */
#ifndef FURROW_RANKS_KERNELS_H
#define FURROW_RANKS_KERNELS_H

#include <furrow/csr.h>
#include <furrow/author/sharing.h>

#include <cuda_runtime_api.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lists on the device. Numbers of own entries of x, and of own rows. */
typedef struct device_lists {
    int32_t *give; /* to send, of all targets one after the other */
    int64_t give_count;
    int32_t *own; /* in the boundary's x, from own_at on */
    int64_t own_at;
    int64_t own_count;
    int32_t *boundary;
    int64_t boundary_rows;
    int64_t columns; /* of the boundary */
    size_t value_size;
} device_lists;

/* packed_i = x_give[i] */
cudaError_t device_pack(const device_lists *l, const void *x, void *packed, cudaStream_t stream);
/* outer_own_at+i = x_own[i] */
cudaError_t device_keep(const device_lists *l, const void *x, void *outer, cudaStream_t stream);
/* y_boundary[i] = sum_k a_ik outer_k, each row as everywhere in the library */
cudaError_t device_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                        cudaStream_t stream);

/* An inbox on each rank's device: a word that says that it was given up, then for two turns words
 * of entries of the boundary's x. Three entries are whole words (mail.cuh), whatever their size. */
#define INBOX_RANKS 16
#define INBOX_GROUP 3

/* Entries that pass between this rank and another. */
typedef struct inbox_list {
    void *words;    /* where the receiver has them in even turns; in odd ones it is */
    int64_t length; /* so many words behind */
    int32_t first;  /* in `give`, or of the columns that are taken */
    int32_t count;
    int32_t begin; /* the first group, counted over all ranks, and the one behind the last */
    int32_t end;
} inbox_list;

/* Ranks with which words pass, in their order: both ways in every turn, if only of a group without
 * entries, so that none is ahead by more than one turn. */
typedef struct inbox_plan {
    unsigned *turn; /* turns so far, on the device; behind it a ticket */
    void *box;      /* this rank's own */
    int count;
    int most_blocks;
    int32_t give_groups;
    int32_t take_groups;
    struct {
        inbox_list give;
        inbox_list take;
    } with[INBOX_RANKS];
} inbox_plan;

/* Groups of so many entries, at least one, and their words. */
int32_t inbox_groups(int64_t count);
int64_t inbox_words(int64_t count, size_t value_size);

/* Entries of x to all targets, and the boundary's x of own entries and those that arrive. */
cudaError_t inbox_exchange(const device_lists *l, const inbox_plan *p, const void *x, void *outer,
                           cudaStream_t stream);

/* Memory of each rank's device where others put parcels: a word that says that it was given up, for
 * two turns a word of each rank that says that its parcels are there, and for two turns `room`
 * bytes for these. */
typedef struct landing_plan {
    void *box[INBOX_RANKS]; /* of all ranks */
    size_t room;
    int ranks;
    int rank;
    unsigned *turn; /* passes so far, on the device; behind it two tickets */
    int most_blocks;
} landing_plan;

#define PASS_STATE_BYTES 12

int64_t landing_bytes(int ranks, size_t room);

/* Gives all parcels, and takes them once those of all ranks are there. */
cudaError_t landing_pass(const landing_plan *p, const fur_passing *pass, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
