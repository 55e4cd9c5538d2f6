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

/* Lists on the device. They hold indices of own entries of x and of own rows. */
typedef struct device_lists {
    int32_t *give; /* entries to send, ordered by target */
    int64_t give_count;
    int32_t *own; /* own entries that are stored in the boundary's x from own_at on */
    int64_t own_at;
    int64_t own_count;
    int32_t *boundary;
    int64_t boundary_rows;
    int64_t columns; /* number of the boundary's columns */
    size_t value_size;
} device_lists;

/* packed_i = x_give[i] */
cudaError_t device_pack(const device_lists *l, const void *x, void *packed, cudaStream_t stream);
/* outer_own_at+i = x_own[i] */
cudaError_t device_keep(const device_lists *l, const void *x, void *outer, cudaStream_t stream);
/* y_boundary[i] = sum_k a_ik outer_k. Each row is added in the same order as elsewhere in the
 * library. */
cudaError_t device_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                        cudaStream_t stream);

/* An inbox on each rank's device. Its first word tells that it was given up. Then it has, for two
 * turns, words with entries of the boundary's x. Three entries are whole words (mail.cuh), whatever
 * their size. */
#define INBOX_RANKS 16
#define INBOX_GROUP 3

/* Entries that are exchanged between this rank and another. */
typedef struct inbox_list {
    void *words;    /* where the receiver has them in even turns; */
    int64_t length; /* in odd turns they are this number of words later */
    int32_t first;  /* first index in `give`, or first received column */
    int32_t count;
    int32_t begin; /* first group, numbered over all ranks; `end`: after the last */
    int32_t end;
} inbox_list;

/* The ranks with which words are exchanged, in order. Every turn sends words both ways, even if
 * only a group without entries, so that no rank is more than one turn ahead. */
typedef struct inbox_plan {
    unsigned *turn; /* number of turns so far, on the device, followed by a ticket */
    void *box;      /* this rank's own box */
    int count;
    int most_blocks;
    int32_t give_groups;
    int32_t take_groups;
    struct {
        inbox_list give;
        inbox_list take;
    } with[INBOX_RANKS];
} inbox_plan;

/* Returns the groups of `count` entries, at least one, and their words. */
int32_t inbox_groups(int64_t count);
int64_t inbox_words(int64_t count, size_t value_size);

/* Sends entries of x to all targets, and fills the boundary's x with own and received entries. */
cudaError_t inbox_exchange(const device_lists *l, const inbox_plan *p, const void *x, void *outer,
                           cudaStream_t stream);

/* Memory on each rank's device where other ranks store parcels. Its first word tells that it was
 * given up. Then it has, for two turns, a word of each rank that tells that its parcels have
 * arrived, and for two turns `room` bytes for parcels. */
typedef struct landing_plan {
    void *box[INBOX_RANKS]; /* the boxes of all ranks */
    size_t room;
    int ranks;
    int rank;
    unsigned *turn; /* number of passes so far, on the device, followed by two tickets */
    int most_blocks;
} landing_plan;

#define PASS_STATE_BYTES 12

int64_t landing_bytes(int ranks, size_t room);

/* Sends all parcels, and takes the received parcels after all ranks have sent theirs. */
cudaError_t landing_pass(const landing_plan *p, const fur_passing *pass, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
