/* The parts of furrow bench io: a case is one file and has tables; a line of a table is a
 * contender. */
#ifndef FURROW_TOOLS_BENCH_IO_H
#define FURROW_TOOLS_BENCH_IO_H

#include "bench.h"
#include "peer_io.h"
#include "scratch.h"

#define IO_BLOCK (1 << 20)
#define IO_CONTEXTS 2
#define IO_PEERS 2
#define IO_PATH (PATH_MAX + 16)

/* What a reader found in a file, without keeping it.
 * The sum, modulo 2^64, of a hash of each entry's row, column and bits: the same in any order. */
typedef struct fingerprint {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    uint64_t sum;
} fingerprint;

/* A decompressor alone, from memory to memory: the speed that reading a compressed file is held
 * against. */
typedef struct unpacker {
    const char *name; /* the function that does it */
    size_t magic_size;
    unsigned char magic[4]; /* what such data begins with */
    /* Decompresses all, each block over the one before. The bytes it made, -1 if the data is bad.
     */
    int64_t (*run)(const void *packed, size_t size, void *block, size_t room);
} unpacker;

typedef fur_status io_read(fur_context *context, const char *path, fur_csr **out);

/* One of the library's two kinds of files. */
typedef struct io_format {
    io_read *read;
    fur_status (*write)(const fur_csr *matrix, const char *path);
} io_format;

typedef struct io_case io_case;

/* One contender: the floor, the library in a context, or a peer. */
typedef struct io_line {
    io_case *c;
    void (*run)(void *self);
    int threads;                    /* 0: the floor */
    fur_context *context;           /* the library's, else NULL */
    const fur_csr *matrix;          /* what it writes */
    const peer_io *peer;            /* a peer's, else NULL */
    const peer_matrix *coordinates; /* what it writes */
    bool check;                     /* the next run fills found */
    bool failed;
    fingerprint found;
    double bytes; /* that a run reads or writes, uncompressed */
} io_line;

struct io_case {
    bench *b;
    const char *name;
    const io_format *format;
    scratch folder;
    char generated[IO_PATH]; /* files in it: the case's, and those written */
    char text[IO_PATH];
    char binary[IO_PATH];
    const char *path;    /* of the file to read */
    const char *written; /* of the file to write */
    double bytes;        /* of the file to read, uncompressed */
    void *packed;        /* a compressed file's own bytes */
    int64_t packed_size;
    const unpacker *unpacker; /* NULL: it is not compressed */
    char *block;
    int context_count; /* one with one thread, one with all if that is more */
    fur_context *contexts[IO_CONTEXTS];
    fur_csr *matrices[IO_CONTEXTS];
    const peer_io *peers[IO_PEERS]; /* that are raced with; then NULL */
    peer_matrix coordinates[IO_PEERS];
    fingerprint expected;
    race race; /* of the table at hand, and its lines */
    io_line lines[RACE_CONTENDERS];
    json_t *tables;
};

/* The fingerprint of a matrix of f64 in a context on the CPU. */
fingerprint fingerprint_csr(const fur_csr *matrix);

/* NULL if the data is not compressed, or in a way that the build has no library for. */
const unpacker *unpack_find(const void *data, size_t size);

/* Adds a contender to the table: its first run, the race's entry. One that gives other entries than
 * expected ends the benchmark; a peer that fails is told of and left out unless --against demands
 * it. */
fur_status io_add(io_case *c, const char *name, const io_line *line);

/* The functions of contenders; self is their io_line. The floors move the bytes and do not look at
 * them. */
void io_run_floor_read(void *self);
void io_run_floor_unpack(void *self);
void io_run_floor_write(void *self);
void io_run_read(void *self);
void io_run_map(void *self);
void io_run_write(void *self);
void io_run_peer_read(void *self);
void io_run_peer_write(void *self);

/* The sentence about a contender that failed. */
fur_status io_fail(const io_line *line, const char *name);

#endif
