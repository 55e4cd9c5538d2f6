/* Ranges of bytes of a Matrix Market file. A line belongs to the rank in whose range it begins. */
#include "text_range.h"

#include <furrow/author/files.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 4096

static fur_status refuse(fur_ranks *g, const char *path, const char *doing)
{
    char reason[128];
    return group_fail(g, FUR_IO_ERROR, "%s: cannot %s: %s", path, doing,
                      strerror_r(errno, reason, sizeof reason));
}

/* Reads bytes of a file from `at` on. Returns fewer than requested only at its end, or -1 on a
 * system error. */
static int64_t read_at(fur_ranks *g, int file, int64_t at, char *to, int64_t bytes)
{
    int64_t done = 0;
    if (group_fault(g)) {
        errno = EIO;
        return -1;
    }
    while (done < bytes) {
        ssize_t got = pread(file, to + done, (size_t)(bytes - done), at + done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += got;
    }
    return done;
}

/* *body = the byte after the size line, or -1 if there is none or the file is not plain text.
 * Returns false on a system error. */
static bool find_body(fur_ranks *g, int file, int64_t *body)
{
    char piece[PIECE_BYTES];
    head_state state = LINE_BEGINS;
    *body = -1;
    for (int64_t at = 0;; at += PIECE_BYTES) {
        int64_t got = read_at(g, file, at, piece, PIECE_BYTES);
        if (got < 0)
            return false;
        if (got == 0 || (at == 0 && piece[0] != '%'))
            return true;
        for (int64_t i = 0; i < got; i++) {
            state = head_advance(state, piece[i]);
            if (state == BODY) {
                *body = at + i + 1;
                return true;
            }
        }
    }
}

/* *start = the first line that begins at or after `at`, or the end of the file. Returns false on a
 * system error. */
static bool find_line(fur_ranks *g, int file, int64_t body, int64_t at, int64_t end, int64_t *start)
{
    char piece[PIECE_BYTES];
    *start = at <= body ? body : end;
    for (int64_t from = at - 1; at > body && from < end; from += PIECE_BYTES) {
        int64_t got = read_at(g, file, from, piece, PIECE_BYTES);
        if (got < 0)
            return false;
        const char *found = got > 0 ? memchr(piece, '\n', (size_t)got) : NULL;
        if (found) {
            *start = from + (found - piece) + 1;
            return true;
        }
        if (got < PIECE_BYTES)
            return true;
    }
    return true;
}

/* Counts lines that are neither blank nor comments. */
static int64_t count_entries(const char *at, const char *end)
{
    int64_t count = 0;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        while (at < line_end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        count += at < line_end && *at != '%';
        at = line_end + 1;
    }
    return count;
}

void text_range_head(text_range *t, int64_t bytes, const fur_mtx_header *header)
{
    char head[HEAD_MAX];
    char *lines = t->memory + HEAD_MAX;
    t->entries = count_entries(lines, lines + bytes);
    int length =
        snprintf(head, sizeof head,
                 "%%%%MatrixMarket matrix coordinate %s %s\n%lld %lld "
                 "%lld\n",
                 fur_mtx_field_name(header->field), fur_mtx_symmetry_name(header->symmetry),
                 (long long)header->rows, (long long)header->cols, (long long)t->entries);
    memcpy(lines - length, head, (size_t)length);
    t->text = lines - length;
    t->bytes = (size_t)(length + bytes);
}

static fur_status read_range(fur_ranks *g, int file, const char *path, const fur_mtx_header *header,
                             text_range *t, bool *found)
{
    struct stat about;
    int64_t body;
    int64_t from;
    int64_t to;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return FUR_OK;
    int64_t end = about.st_size;
    t->file_bytes = end;
    if (!find_body(g, file, &body))
        return refuse(g, path, "read");
    if (body < 0)
        return FUR_OK;
    int64_t share = (end - body) / g->count;
    if (!find_line(g, file, body, body + share * g->rank, end, &from) ||
        !find_line(g, file, body, g->rank + 1 < g->count ? body + share * (g->rank + 1) : end, end,
                   &to))
        return refuse(g, path, "read");
    to = g->rank + 1 < g->count ? to : end;
    FUR_TRY(group_allocate(g, HEAD_MAX + to - from, 1, &t->memory));
    if (read_at(g, file, from, t->memory + HEAD_MAX, to - from) != to - from)
        return refuse(g, path, "read");
    text_range_head(t, to - from, header);
    *found = true;
    return FUR_OK;
}

fur_status text_range_read(fur_ranks *g, const char *path, const fur_mtx_header *header,
                           text_range *out, bool *found)
{
    *out = (text_range){0};
    *found = false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(g, path, "open");
    fur_status status = read_range(g, file, path, header, out, found);
    close(file);
    return status;
}

void text_range_release(fur_ranks *g, text_range *t)
{
    group_release(g, t->memory);
    t->memory = NULL;
}
