/* A step between the bytes of a file and its text: the file itself, a decompressor or an archive.
 * Each stage reads from the stage below, and allows its user to look ahead. */
#ifndef FURROW_IO_STAGE_H
#define FURROW_IO_STAGE_H

#include "limit.h"

/* Bytes that every stage can at least prefetch. */
#define FUR_STAGE_AHEAD 65536

typedef struct fur_stage fur_stage;
struct fur_stage {
    /* Reads the next bytes, at least one and at most `room`; *got = 0 at the end. */
    fur_status (*read)(fur_stage *stage, char *to, size_t room, size_t *got, fur_failure *failure);
    /* frees resources other than its memory; NULL: nothing to free */
    void (*release)(fur_stage *stage);
    fur_context *context;
    const char *name; /* of the input, for messages */
    fur_stage *below; /* NULL: this stage is the file */
    fur_watch *watch; /* the watch of the file; NULL: none */
    const char *at;   /* prefetched bytes, from `at` to `end` */
    const char *end;
    char *window; /* where prefetched bytes are stored */
    size_t capacity;
    int64_t offset; /* of `end` in the stage's bytes */
    bool complete;  /* there are no bytes after `end` */
};

/* Allocates a stage and a window of `capacity` bytes. The stage is the first member of a struct of
 * `size` bytes, whose other members are zero. Only this function allocates, so that other threads
 * may read later. */
fur_status fur_stage_create(fur_context *context, const char *name, size_t size, size_t capacity,
                            fur_failure *failure, void *out);

/* Releases the stage and the stages below it, down to `last`, which is kept. */
void fur_stage_close(fur_stage *stage, const fur_stage *last);

/* Reads the prefetched bytes first, then with the stage's own function. */
fur_status fur_stage_read(fur_stage *stage, char *to, size_t room, size_t *got,
                          fur_failure *failure);

/* Prefetches until there are at least `wanted` bytes, at most FUR_STAGE_AHEAD, or the stage ends.
 * Prefetched bytes may move. */
fur_status fur_stage_ahead(fur_stage *stage, size_t wanted, fur_failure *failure);

/* Skips `count` bytes. *left = the number of bytes that were missing. */
fur_status fur_stage_skip(fur_stage *stage, int64_t count, int64_t *left, fur_failure *failure);

/* Returns the number of prefetched bytes. */
static inline size_t fur_stage_size(const fur_stage *stage)
{
    return (size_t)(stage->end - stage->at);
}

/* Returns the position of the next byte in the stage's bytes. */
static inline int64_t fur_stage_offset(const fur_stage *stage)
{
    return stage->offset - (stage->end - stage->at);
}

/* The lowest stage: a file, a pipe, a device, or memory that replaces a file. */
typedef struct fur_file {
    fur_stage stage;
    int descriptor;     /* -1: the file is in memory */
    int64_t size;       /* -1: a pipe or another source without a size */
    const char *memory; /* NULL: the file has a descriptor */
} fur_file;

/* Opens `path`, or standard input if it is "-". `name` is used in messages and must outlive the
 * stage. Returns FUR_IO_ERROR if the path cannot be opened for reading or is a directory. */
fur_status fur_file_open(fur_context *context, const char *path, const char *name,
                         fur_failure *failure, fur_file **out);

/* Makes a stage of bytes in memory, which are read in place. */
fur_status fur_file_borrow(fur_context *context, const void *memory, size_t size, const char *name,
                           fur_failure *failure, fur_file **out);

/* Returns to the first byte. Returns false if this is impossible, as for a pipe. */
bool fur_file_rewind(fur_file *file);

/* If the bytes of *top are compressed, puts a decompressing stage on top. Returns FUR_UNSUPPORTED
 * if this build lacks the library for the format. */
fur_status fur_decompress(fur_stage **top, fur_failure *failure);

/* Make a stage with the decompressed bytes of the stage below, which it owns on success. Reading
 * returns FUR_MALFORMED if the data is damaged or ends too early. */
fur_status fur_decompress_gzip(fur_stage *below, fur_failure *failure, fur_stage **out);
fur_status fur_decompress_zstd(fur_stage *below, fur_failure *failure, fur_stage **out);

/* Returns FUR_MALFORMED: the compressed bytes of `stage` end too early. */
fur_status fur_decompress_truncated(const fur_stage *stage, fur_failure *failure);

/* Returns FUR_MALFORMED: the compressed bytes of `stage` are damaged shortly before the next byte.
 * `what` describes the finding. */
fur_status fur_decompress_damaged(const fur_stage *stage, const char *what, fur_failure *failure);

/* Size of a member's name: the longest path of the system. */
#define FUR_MEMBER_SIZE 4096

/* The wanted member of an archive. The SuiteSparse Matrix Collection (Davis, Hu 2011) ships
 * name.tar.gz with the matrix name/name.mtx. It also has, in any order, name/name_b.mtx for a
 * right-hand side, name/name_x.mtx and similar files. */
typedef struct fur_member {
    const char *suffix; /* NULL: name/name.mtx; "b": name/name_b.mtx */
    bool found;
    /* The name that is wanted or was found. If it is empty, it is not known yet, and the skipped
     * matrices are recorded below. */
    char name[FUR_MEMBER_SIZE];
    int others;                 /* number of members *.mtx */
    int listed;                 /* number of them in the list */
    char last[FUR_MEMBER_SIZE]; /* the last of them */
    char list[256];             /* their names for a message, as far as they fit */
} fur_member;

/* Returns whether the member `name` is the wanted one. If so, sets `found` and `name`. */
bool fur_member_is(fur_member *member, const char *name);

/* Call this after name/name.mtx was not found. If there is only one member *.mtx, it becomes the
 * wanted member. */
bool fur_member_settle(fur_member *member);

/* Returns FUR_IO_ERROR: the archive `name` does not have the member. */
fur_status fur_member_missing(const fur_member *member, const char *name, fur_failure *failure);

/* Copies a name for a message, without control characters and truncated if needed. Returns its
 * length. */
size_t fur_member_print(const char *name, char *out, size_t room);

/* Bytes of a block of a tar archive. The first block identifies the format. */
#define FUR_TAR_BLOCK 512

bool fur_tar_is(const char *head, size_t size);

/* Searches the archive in the stage below for the member. If it exists, sets member->found, and
 * *out is a stage with its bytes on top of the stage below. Otherwise neither changes. Returns
 * FUR_MALFORMED if the archive is damaged or the member is not a plain file. */
fur_status fur_untar(fur_stage *below, fur_member *member, fur_failure *failure, fur_stage **out);

#endif
