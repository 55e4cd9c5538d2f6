/* Reads the sections of a .fur file. Threads take pieces in the order of the file, read them
 * directly into the arrays, and check each piece while it is in their cache. A mapped file needs
 * neither cleared memory nor copies, only its checksums. */
#include "binary_file.h"

#include <furrow/author/try.h>

#include "limit.h"
#include "parallel.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

/* Pieces that a thread takes at a time. They fill a huge page: otherwise two threads would clear
 * the same new page at once, and one of them in vain. */
#define RUN 8

static fur_status system_failure(const fur_binary_file *file, const char *action, int error)
{
    return fur_context_fail(file->context, FUR_IO_ERROR, "%.400s: cannot %s: %s", file->path,
                            action, strerror(error));
}

/* Reads up to `size` bytes of the file. Returns their number, or -1 with the reason in errno. */
static int64_t read_at(int descriptor, uint64_t at, void *to, uint64_t size)
{
    uint64_t done = 0;
    while (done < size) {
        ssize_t got =
            fur_system.pread(descriptor, (char *)to + done, size - done, (off_t)(at + done));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        done += got > 0 ? (uint64_t)got : 0;
    }
    return (int64_t)done;
}

static fur_status read_exactly(const fur_binary_file *file, uint64_t at, void *to, uint64_t size)
{
    int64_t got = read_at(file->descriptor, at, to, size);
    if (got < 0)
        return system_failure(file, "read", errno);
    if ((uint64_t)got < size)
        return FUR_BINARY_FAIL(file->context, file->path, at + (uint64_t)got,
                               "found the end of the file, expected %llu more bytes",
                               (unsigned long long)(size - (uint64_t)got));
    return FUR_OK;
}

/* Only a regular file has a size against which the header can be checked. */
static fur_status read_header(fur_binary_file *file)
{
    struct stat status;
    if (fur_system.fstat(file->descriptor, &status) != 0)
        return system_failure(file, "read", errno);
    if (!S_ISREG(status.st_mode))
        return fur_context_fail(file->context, FUR_IO_ERROR,
                                "%.400s: cannot read: it is not a regular file, as a binary file "
                                "must be; copy it to a disk first",
                                file->path);
    FUR_TRY(read_exactly(file, 0, &file->header, sizeof file->header));
    FUR_TRY(fur_binary_check(file->context, file->path, &file->header, (uint64_t)status.st_size));
    file->layout = fur_binary_lay_out(&file->header);
    return FUR_OK;
}

static fur_status check_limits(const fur_binary_file *file)
{
    fur_failure beyond = {.status = FUR_OK};
    fur_mtx_header header = fur_binary_describe(&file->header);
    if (fur_limits_check_header(&file->watch.limits, &header, (int64_t)file->header.file_size,
                                &beyond) == FUR_OK)
        return FUR_OK;
    return fur_context_fail(file->context, beyond.status, "%.400s: %s", file->path,
                            beyond.sentence);
}

fur_status fur_binary_open(fur_context *context, const char *path, const fur_read_limits *limits,
                           fur_binary_file *out)
{
    fur_binary_file file = {.context = context, .path = path, .arrays.context = context};
    FUR_TRY(fur_binary_need(context, path));
    FUR_TRY(fur_limits_check(context, limits));
    fur_watch_begin(&file.watch, &(fur_mtx_read_options){.limits = *limits});
    /* Do not wait for the other end if the path is a pipe. */
    file.descriptor = fur_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file.descriptor < 0)
        return system_failure(&file, "open", errno);
    fur_status status = read_header(&file);
    if (status == FUR_OK)
        status = check_limits(&file);
    if (status == FUR_OK)
        *out = file;
    else
        fur_system.close(file.descriptor);
    return status;
}

static fur_status check_sum(const fur_binary_file *file, uint64_t at, const void *bytes,
                            uint64_t size, uint64_t expected)
{
    uint64_t sum = fur_binary_sum(bytes, size);
    if (sum == expected)
        return FUR_OK;
    return FUR_BINARY_FAIL(
        file->context, file->path, at, "found the checksum %#llx of %llu bytes, expected %#llx",
        (unsigned long long)sum, (unsigned long long)size, (unsigned long long)expected);
}

static fur_status read_table(fur_binary_file *file)
{
    fur_binary_extent section = file->layout.sections[FUR_BINARY_TABLE];
    void *memory;
    FUR_TRY(fur_context_allocate(file->context, section.size, &memory));
    file->table = memory;
    FUR_TRY(read_exactly(file, section.at, file->table, section.size));
    return check_sum(file, section.at, file->table, section.size, file->header.table_sum);
}

/* The bytes between two sections must be zero. */
static fur_status check_padding(const fur_binary_file *file)
{
    for (int i = 1; i < FUR_BINARY_SECTIONS; i++) {
        unsigned char padding[FUR_BINARY_ALIGNMENT];
        const fur_binary_extent *before = &file->layout.sections[i - 1];
        uint64_t at = before->at + before->size;
        uint64_t size = file->layout.sections[i].at - at;
        FUR_TRY(read_exactly(file, at, padding, size));
        for (uint64_t k = 0; k < size; k++)
            if (padding[k] != 0)
                return FUR_BINARY_FAIL(file->context, file->path, at + k,
                                       "found 0x%02x, expected 0x00", padding[k]);
    }
    return FUR_OK;
}

static fur_status allocate_arrays(fur_binary_file *file)
{
    for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
        FUR_TRY(fur_context_allocate(file->context, file->layout.sections[i].size,
                                     &file->arrays.of[i]));
    return FUR_OK;
}

/* The target of a piece in memory; piece_at is its position in the file. */
static void *piece_to(const fur_binary_file *file, const fur_binary_piece *piece)
{
    return (char *)file->arrays.of[piece->section] + piece->begin;
}

static uint64_t piece_at(const fur_binary_file *file, const fur_binary_piece *piece)
{
    return file->layout.sections[piece->section].at + piece->begin;
}

/* The pieces of a mapped file are already in place. */
static bool piece_is_there(const fur_binary_file *file, const fur_binary_piece *piece)
{
    return file->arrays.mapping ||
           read_at(file->descriptor, piece_at(file, piece), piece_to(file, piece), piece->size) ==
               (int64_t)piece->size;
}

static bool piece_is_good(fur_binary_file *file, int64_t index)
{
    fur_binary_piece piece = fur_binary_get_piece(&file->layout, index);
    return fur_watch_goes_on(&file->watch, 0) && piece_is_there(file, &piece) &&
           fur_binary_sum(piece_to(file, &piece), piece.size) == file->table[index];
}

/* Reads a piece that failed its check again, to describe the failure. */
static fur_status describe_piece(const fur_binary_file *file, int64_t index)
{
    fur_failure late = {.status = FUR_OK};
    if (fur_watch_tell(&file->watch, file->path, &late) != FUR_OK)
        return fur_failure_report(&late, file->context);
    fur_binary_piece piece = fur_binary_get_piece(&file->layout, index);
    void *to = piece_to(file, &piece);
    uint64_t at = piece_at(file, &piece);
    if (!file->arrays.mapping)
        FUR_TRY(read_exactly(file, at, to, piece.size));
    return check_sum(file, at, to, piece.size, file->table[index]);
}

/* Reads a piece that has failed again. If it is now valid, also checks the pieces after it. */
static fur_status read_again(const fur_binary_file *file, int64_t index)
{
    while (index < file->layout.pieces)
        FUR_TRY(describe_piece(file, index++));
    return FUR_OK;
}

static int64_t find_bad_piece(void *user, int64_t i, int64_t end)
{
    fur_binary_file *file = user;
    while (i < end && piece_is_good(file, i))
        i++;
    return i;
}

static fur_status read_pieces(fur_binary_file *file)
{
    int64_t pieces = file->layout.pieces;
    int64_t bad = fur_find_first(file->context, pieces, RUN, find_bad_piece, file);
    return bad < pieces ? read_again(file, bad) : FUR_OK;
}

fur_status fur_binary_load(fur_binary_file *file)
{
    FUR_TRY(read_table(file));
    FUR_TRY(check_padding(file));
    if (!file->arrays.mapping)
        FUR_TRY(allocate_arrays(file));
    return read_pieces(file);
}

void fur_binary_map(fur_binary_file *file)
{
    uint64_t size = file->layout.file_size;
    void *mapping = fur_system.mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (mapping == MAP_FAILED)
        return;
    file->arrays.mapping = mapping;
    file->arrays.mapped = size;
    for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
        if (file->layout.sections[i].size > 0)
            file->arrays.of[i] = (char *)mapping + file->layout.sections[i].at;
}

static bool is_mapped(const fur_binary_arrays *arrays, const void *array)
{
    return (uintptr_t)array - (uintptr_t)arrays->mapping < arrays->mapped;
}

void fur_binary_release(fur_binary_arrays *arrays)
{
    for (int i = 0; i < FUR_BINARY_SECTIONS; i++)
        if (!is_mapped(arrays, arrays->of[i]))
            fur_context_release(arrays->context, arrays->of[i]);
    if (arrays->mapping)
        fur_system.munmap(arrays->mapping, arrays->mapped);
}

void fur_binary_close(fur_binary_file *file)
{
    fur_system.close(file->descriptor);
    fur_context_release(file->context, file->table);
    fur_binary_release(&file->arrays);
}
