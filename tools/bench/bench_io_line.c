/* The contenders of furrow bench io. */
#include "bench_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reads by the library; the fingerprint only if it is asked for. */
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

/* Reads back, by the library, the file that has just been written, and takes its size. */
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

/* A contender's first run. What a floor finds is not looked at. */
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
                                "%s: %s has other entries than furrow reads", l->c->name, name);
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
