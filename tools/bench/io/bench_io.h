/* The parts of furrow bench io. A case is one file and has several tables. A line of a table is a
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

/* A summary of the contents that a reader has found. The sum, modulo 2^64, of a hash of each
 * entry's row, column and bits does not depend on their order. */
typedef struct fingerprint {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    uint64_t sum;
} fingerprint;

/* A decompressor from memory to memory. Its speed is the bound for reading a compressed file. */
typedef struct unpacker {
    const char *name; /* its function */
    size_t magic_size;
    unsigned char magic[4]; /* the first bytes of such data */
    /* Decompresses everything, each block over the previous one. Returns the number of bytes, or -1
     * for invalid data. */
    int64_t (*run)(const void *packed, size_t size, void *block, size_t room);
} unpacker;

typedef fur_status io_read(fur_context *context, const char *path, fur_csr **out);

/* One of the library's two file formats. */
typedef struct io_format {
    io_read *read;
    fur_status (*write)(const fur_csr *matrix, const char *path);
} io_format;

typedef struct io_case io_case;

/* A contender: the floor, the library in a context, or a peer. */
typedef struct io_line {
    io_case *c;
    void (*run)(void *self);
    int threads;                    /* 0: the floor */
    fur_context *context;           /* of the library; NULL for others */
    const fur_csr *matrix;          /* its input for writing */
    const peer_io *peer;            /* a peer; NULL for others */
    const peer_matrix *coordinates; /* its input for writing */
    bool check;                     /* the next run fills `found` */
    bool failed;
    fingerprint found;
    double bytes; /* uncompressed bytes that a run reads or writes */
} io_line;

struct io_case {
    bench *b;
    const char *name;
    const io_format *format;
    scratch folder;
    char generated[IO_PATH]; /* folder of the case's file and of written files */
    char text[IO_PATH];
    char binary[IO_PATH];
    const char *path;    /* the file to read */
    const char *written; /* the file to write */
    double bytes;        /* of the file to read, uncompressed */
    void *packed;        /* the bytes of a compressed file */
    int64_t packed_size;
    const unpacker *unpacker; /* NULL: the file is not compressed */
    char *block;
    int context_count; /* one with one thread, and one with all threads if there are more */
    fur_context *contexts[IO_CONTEXTS];
    fur_csr *matrices[IO_CONTEXTS];
    const peer_io *peers[IO_PEERS]; /* the peers in the race, then NULL */
    peer_matrix coordinates[IO_PEERS];
    fingerprint expected;
    race race; /* race and lines of the current table */
    io_line lines[RACE_CONTENDERS];
    json_t *tables;
};

/* Returns the fingerprint of an f64 matrix in a context on the CPU. */
fingerprint fingerprint_csr(const fur_csr *matrix);

/* Returns NULL if the data is not compressed, or if the build lacks the library for its format. */
const unpacker *unpack_find(const void *data, size_t size);

/* Adds a contender to the table and runs it once. If its entries differ from the expected ones, the
 * benchmark ends. A peer that fails is reported and left out, unless --against demands it. */
fur_status io_add(io_case *c, const char *name, const io_line *line);

/* The functions of contenders, where self is their io_line. The floors move the bytes without
 * parsing them. */
void io_run_floor_read(void *self);
void io_run_floor_unpack(void *self);
void io_run_floor_write(void *self);
void io_run_read(void *self);
void io_run_map(void *self);
void io_run_write(void *self);
void io_run_peer_read(void *self);
void io_run_peer_write(void *self);

/* Reports a contender that has failed. */
fur_status io_fail(const io_line *line, const char *name);

#endif
