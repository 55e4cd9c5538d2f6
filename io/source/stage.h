/* A step on the way from the bytes of a file to its text: the file itself, a decompressor, an
 * archive. Each reads from the one below, and all can be looked at ahead of reading. */
#ifndef FURROW_IO_STAGE_H
#define FURROW_IO_STAGE_H

#include "limit.h"

/* Every stage can look at least so far ahead. */
#define FUR_STAGE_AHEAD 65536

typedef struct fur_stage fur_stage;
struct fur_stage {
    /* The next bytes, at least one and at most `room`; *got = 0 at the end. */
    fur_status (*read)(fur_stage *stage, char *to, size_t room, size_t *got, fur_failure *failure);
    void (*release)(fur_stage *stage); /* what it holds besides its memory; NULL: nothing */
    fur_context *context;
    const char *name; /* of the input, for sentences */
    fur_stage *below; /* NULL: this is the file */
    fur_watch *watch; /* of the file: whether to read on; NULL: always */
    const char *at;   /* what was read ahead: from at to end */
    const char *end;
    char *window; /* where it is read to */
    size_t capacity;
    int64_t offset; /* of end in the stage's bytes */
    bool complete;  /* there is nothing beyond end */
};

/* Memory for a stage, the first member of a struct of `size` bytes that is otherwise zero, with a
 * window of `capacity` bytes. Only this allocates: reading may go on in other threads. */
fur_status fur_stage_create(fur_context *context, const char *name, size_t size, size_t capacity,
                            fur_failure *failure, void *out);

/* Releases the stage and those below it down to `last`, which stays. */
void fur_stage_close(fur_stage *stage, const fur_stage *last);

/* Reads what was read ahead, then by the stage's own function. */
fur_status fur_stage_read(fur_stage *stage, char *to, size_t room, size_t *got,
                          fur_failure *failure);

/* Reads ahead until there are at least `wanted` bytes, at most FUR_STAGE_AHEAD, or the end. What
 * was read ahead may move. */
fur_status fur_stage_ahead(fur_stage *stage, size_t wanted, fur_failure *failure);

/* Passes over `count` bytes; *left is how many of them there were not. */
fur_status fur_stage_skip(fur_stage *stage, int64_t count, int64_t *left, fur_failure *failure);

/* Bytes read ahead. */
static inline size_t fur_stage_size(const fur_stage *stage)
{
    return (size_t)(stage->end - stage->at);
}

/* Where the next byte stands among the stage's bytes. */
static inline int64_t fur_stage_offset(const fur_stage *stage)
{
    return stage->offset - (stage->end - stage->at);
}

/* The lowest stage: a file, a pipe, a device, or memory that takes the place of a file. */
typedef struct fur_file {
    fur_stage stage;
    int descriptor;     /* -1: memory */
    int64_t size;       /* -1: a pipe or another thing without a size */
    const char *memory; /* NULL: a descriptor */
} fur_file;

/* Opens `path`, or standard input if it is "-". `name` stands for it in sentences and must outlive
 * the stage. FUR_IO_ERROR if it cannot be opened for reading or is a directory. */
fur_status fur_file_open(fur_context *context, const char *path, const char *name,
                         fur_failure *failure, fur_file **out);

/* The bytes, which are read where they are. */
fur_status fur_file_borrow(fur_context *context, const void *memory, size_t size, const char *name,
                           fur_failure *failure, fur_file **out);

/* Goes back to the first byte. False if that cannot be done, as with a pipe. */
bool fur_file_rewind(fur_file *file);

/* If what *top has is compressed, puts the stage that decompresses it on top. FUR_UNSUPPORTED if
 * this build lacks the library for it. */
fur_status fur_decompress(fur_stage **top, fur_failure *failure);

/* The stages: each has the decompressed bytes of the one below, which it takes over if
 * it is made. FUR_MALFORMED where the data is damaged or ends too early. */
fur_status fur_decompress_gzip(fur_stage *below, fur_failure *failure, fur_stage **out);
fur_status fur_decompress_zstd(fur_stage *below, fur_failure *failure, fur_stage **out);

/* FUR_MALFORMED: the compressed bytes of `stage` end where more are expected. */
fur_status fur_decompress_truncated(const fur_stage *stage, fur_failure *failure);

/* FUR_MALFORMED: the compressed bytes of `stage` are wrong shortly before the next one; `what` was
 * found there. */
fur_status fur_decompress_damaged(const fur_stage *stage, const char *what, fur_failure *failure);

/* Room for the name of a member, as long as the longest path of the system. */
#define FUR_MEMBER_SIZE 4096

/* Which member of an archive is meant. The SuiteSparse Matrix Collection (Davis, Hu 2011) ships
 * name.tar.gz with the matrix name/name.mtx, and beside it, in any order, name/name_b.mtx for a
 * right-hand side, name/name_x.mtx and the like. */
typedef struct fur_member {
    const char *suffix; /* NULL: name/name.mtx; "b": name/name_b.mtx */
    bool found;
    /* The name that is looked for, or was found. Empty: it is not known yet, and the matrices that
     * are passed over are noted below. */
    char name[FUR_MEMBER_SIZE];
    int others;                 /* members *.mtx */
    int listed;                 /* how many of them are in the list */
    char last[FUR_MEMBER_SIZE]; /* the last of them */
    char list[256];             /* names for a sentence, as many as fit */
} fur_member;

/* Whether the member `name` of the archive is meant; sets found and name if it is. */
bool fur_member_is(fur_member *member, const char *name);

/* After a search in vain for name/name.mtx: if there is only one member *.mtx, it is what is looked
 * for from now on. */
bool fur_member_settle(fur_member *member);

/* FUR_IO_ERROR: the archive `name` does not have the member. */
fur_status fur_member_missing(const fur_member *member, const char *name, fur_failure *failure);

/* Copies a name for a sentence: without control characters, cut off if it has to be. Returns its
 * length. */
size_t fur_member_print(const char *name, char *out, size_t room);

/* Bytes of a block of a tar archive, by the first of which it is recognised. */
#define FUR_TAR_BLOCK 512

bool fur_tar_is(const char *head, size_t size);

/* Looks through the archive of the stage below for the member. If it is there, member->found is
 * set and *out is a stage with its bytes, on top of the one below; else neither changes.
 * FUR_MALFORMED if the archive is broken or the member is not a plain file. */
fur_status fur_untar(fur_stage *below, fur_member *member, fur_failure *failure, fur_stage **out);

#endif
