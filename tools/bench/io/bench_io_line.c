/* The contenders of furrow bench io. */
#include "bench_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "offset.h"
#include "random.h"

#ifdef FURROW_HAVE_GZIP
#    include <isa-l/igzip_lib.h>
#endif
#ifdef FURROW_HAVE_ZSTD
#    include <zstd.h>
#endif

static uint64_t hash(int64_t row, int64_t col, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return random_mix(random_mix((uint64_t)row << 32 ^ (uint64_t)col) + bits);
}

fingerprint fingerprint_csr(const fur_csr *matrix)
{
    fur_csr_view a = *fur_csr_get(matrix);
    const double *values = a.values;
    fingerprint f = {.rows = a.rows, .cols = a.cols, .entries = a.entries};
    int64_t k = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        int64_t end = offset_at(&a, i + 1);
        for (; k < end; k++)
            f.sum += hash(i, a.columns[k], values[k]);
    }
    return f;
}

/* Returns the fingerprint of coordinates, including the mirror images that are not stored. */
static fingerprint fingerprint_coordinates(const peer_matrix *matrix)
{
    const peer_matrix *m = matrix;
    fingerprint f = {.rows = m->rows, .cols = m->cols, .entries = m->entries};
    for (int64_t k = 0; k < m->entries; k++) {
        int64_t row = m->row_indices[k] - m->base;
        int64_t col = m->col_indices[k] - m->base;
        double value = m->values ? m->values[k] : 1;
        f.sum += hash(row, col, value);
        if (m->mirror != 0 && row != col) {
            f.sum += hash(col, row, m->mirror * value);
            f.entries++;
        }
    }
    return f;
}

static bool fingerprint_equal(const fingerprint *a, const fingerprint *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->entries == b->entries && a->sum == b->sum;
}

#ifdef FURROW_HAVE_GZIP
/* Decompresses one member, as gzip makes of a file, of at most 4 GB: the library's limit for a
 * call. */
static int64_t run_inflate(const void *packed, size_t size, void *block, size_t room)
{
    struct inflate_state state;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = (uint8_t *)(uintptr_t)packed;
    state.avail_in = (uint32_t)size;
    int64_t made = size > UINT32_MAX ? -1 : 0;
    while (made >= 0 && state.block_state != ISAL_BLOCK_FINISH) {
        state.next_out = block;
        state.avail_out = (uint32_t)room;
        if (isal_inflate(&state) != ISAL_DECOMP_OK || state.avail_out == room)
            return -1;
        made += (int64_t)(room - state.avail_out);
    }
    return state.avail_in == 0 ? made : -1;
}
#endif

#ifdef FURROW_HAVE_ZSTD
static int64_t run_zstd(const void *packed, size_t size, void *block, size_t room)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {packed, size, 0};
    int64_t made = 0;
    size_t left = 1;
    while (stream && left != 0 && !ZSTD_isError(left)) {
        ZSTD_outBuffer out = {block, room, 0};
        left = ZSTD_decompressStream(stream, &out, &in);
        made += (int64_t)out.pos;
        if (out.pos < room && in.pos == size)
            break;
    }
    ZSTD_freeDStream(stream);
    return left == 0 ? made : -1;
}
#endif

static const unpacker unpackers[] = {
#ifdef FURROW_HAVE_GZIP
    {"isal_inflate", 2, {0x1f, 0x8b}, run_inflate},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"ZSTD_decompressStream", 4, {0x28, 0xb5, 0x2f, 0xfd}, run_zstd},
#endif
    {NULL, 0, {0}, NULL},
};

const unpacker *unpack_find(const void *data, size_t size)
{
    for (const unpacker *u = unpackers; u->name; u++)
        if (size >= u->magic_size && memcmp(data, u->magic, u->magic_size) == 0)
            return u;
    return NULL;
}

void io_run_floor_read(void *self)
{
    io_line *l = self;
    int descriptor = open(l->c->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    while (got > 0)
        got = read(descriptor, l->c->block, IO_BLOCK);
    l->failed = got < 0;
    close(descriptor);
}

void io_run_floor_unpack(void *self)
{
    io_line *l = self;
    const io_case *c = l->c;
    l->failed = c->unpacker->run(c->packed, (size_t)c->packed_size, c->block, IO_BLOCK) < 0;
}

void io_run_floor_write(void *self)
{
    io_line *l = self;
    int descriptor = open(l->c->written, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t put = 1;
    for (double left = l->bytes; left > 0 && put > 0; left -= (double)put)
        put = write(descriptor, l->c->block, left < IO_BLOCK ? (size_t)left : IO_BLOCK);
    l->failed = put <= 0;
    close(descriptor);
}

/* Reads by the library. Computes the fingerprint only if it is requested. */
static bool read_csr(io_read *read_file, fur_context *context, const char *path, fingerprint *found)
{
    fur_csr *matrix = NULL;
    if (read_file(context, path, &matrix) != FUR_OK)
        return false;
    if (found)
        *found = fingerprint_csr(matrix);
    fur_csr_destroy(matrix);
    return true;
}

void io_run_read(void *self)
{
    io_line *l = self;
    l->failed = !read_csr(l->c->format->read, l->context, l->c->path, l->check ? &l->found : NULL);
}

static fur_status map_file(fur_context *context, const char *path, fur_csr **out)
{
    fur_binary_read_options options = {.size = sizeof options, .map = 1};
    return fur_binary_read_csr(context, path, &options, out);
}

void io_run_map(void *self)
{
    io_line *l = self;
    l->failed = !read_csr(map_file, l->context, l->c->path, l->check ? &l->found : NULL);
}

void io_run_peer_read(void *self)
{
    io_line *l = self;
    peer_matrix matrix = {0};
    l->failed = !l->peer->read(l->c->path, l->threads, &matrix);
    if (l->check && !l->failed)
        l->found = fingerprint_coordinates(&matrix);
    l->peer->release(&matrix);
}

/* Reads the written file back with the library, and takes its size. */
static void check_written(io_line *l)
{
    struct stat file = {0};
    l->failed = stat(l->c->written, &file) != 0 ||
                !read_csr(l->c->format->read, l->c->contexts[0], l->c->written, &l->found);
    l->bytes = (double)file.st_size;
}

void io_run_write(void *self)
{
    io_line *l = self;
    l->failed = l->c->format->write(l->matrix, l->c->written) != FUR_OK;
    if (l->check && !l->failed)
        check_written(l);
}

void io_run_peer_write(void *self)
{
    io_line *l = self;
    l->failed = !l->peer->write(l->c->written, l->threads, l->coordinates);
    if (l->check && !l->failed)
        check_written(l);
}

fur_status io_fail(const io_line *line, const char *name)
{
    fur_context *context = line->c->b->context;
    if (line->context)
        return fur_context_fail(context, FUR_IO_ERROR, "%s", fur_context_error(line->context));
    return fur_context_fail(context, FUR_IO_ERROR, "%s: %s failed", line->c->name, name);
}

/* Checks a contender's first run. The result of a floor is not checked. */
static fur_status check(io_line *l, const char *name)
{
    l->found = l->c->expected;
    l->check = true;
    l->run(l);
    l->check = false;
    if (l->failed)
        return io_fail(l, name);
    if (!fingerprint_equal(&l->found, &l->c->expected)) {
        return fur_context_fail(l->c->b->context, FUR_INVALID,
                                "%s: %s and furrow read different entries", l->c->name, name);
    }
    return FUR_OK;
}

fur_status io_add(io_case *c, const char *name, const io_line *line)
{
    io_line *l = &c->lines[c->race.count];
    char label[32];
    *l = *line;
    l->c = c;
    snprintf(label, sizeof label, l->threads ? "%s, %d thread%s" : "%s", name, l->threads,
             l->threads == 1 ? "" : "s");
    fur_status status = check(l, label);
    if (l->peer && l->failed && !c->b->against) {
        fprintf(stderr, "%s\n", fur_context_error(c->b->context));
        return FUR_OK;
    }
    if (status == FUR_OK)
        race_add(&c->race, label, l->run, l);
    return status;
}
