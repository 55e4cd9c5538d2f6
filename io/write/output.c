/* Writes a file that has no name, or a temporary name, until it is complete. */
#include <furrow/author/context.h>
#include <furrow/author/files.h>
#include <furrow/author/try.h>

#include "arguments.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Number of names that are tried for a temporary file. */
#define ATTEMPTS 1000

/* The most links that lead to a file: the limit of the system. */
#define LINKS_MAX 40

/* Bytes for the name of a temporary file or of a descriptor. */
#define OWN_NAME_SIZE 64

struct fur_output {
    fur_context *context;
    int descriptor;
    int error;       /* of the first failed write; 0: none */
    int directory;   /* open directory of the target; -1: the target is written in place */
    bool replaces;   /* a file with the target's name exists */
    const char *own; /* the target's name in its directory */
    char temporary[OWN_NAME_SIZE]; /* name in that directory; "" while the file has no name */
    char target[PATH_MAX];         /* the path with links resolved */
    char path[];                   /* for messages */
};

static fur_status fail(const fur_output *output, int error)
{
    return fur_context_fail(output->context, FUR_IO_ERROR, "%.400s: cannot write: %s", output->path,
                            strerror(error));
}

/* Tells the watcher the name of the temporary file. NULL: it no longer exists. */
static void tell(const fur_output *output, const char *name)
{
    fur_file_watcher watcher = fur_context_watcher(output->context);
    if (watcher.watch)
        watcher.watch(watcher.user, output->directory, name);
}

/* Makes a temporary file with a name that is not in use. The first name is almost certainly free,
 * so that announcing it before the file exists endangers no other file. Returns an error number. */
static int make_temporary(fur_output *output, int (*make)(fur_output *output))
{
    int error = EEXIST;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int attempt = 0; attempt < ATTEMPTS && error == EEXIST; attempt++) {
        snprintf(output->temporary, sizeof output->temporary, ".furrow-%ld-%lld%09ld-%d.tmp",
                 (long)getpid(), (long long)now.tv_sec, now.tv_nsec, attempt);
        tell(output, output->temporary);
        error = make(output) == 0 ? 0 : errno;
    }
    if (error != 0) {
        output->temporary[0] = '\0';
        tell(output, NULL);
    }
    return error;
}

/* A file that replaces another is private until it has the permissions of the other. The
 * permissions of a new file follow the user's mask. */
static mode_t first_mode(const fur_output *output)
{
    return output->replaces ? 0600 : 0666;
}

static int create_named(fur_output *output)
{
    output->descriptor =
        fur_system.openat(output->directory, output->temporary,
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(output));
    return output->descriptor < 0 ? -1 : 0;
}

/* Prints a name by which a nameless file can be linked. */
static void print_descriptor(const fur_output *output, char name[OWN_NAME_SIZE])
{
    snprintf(name, OWN_NAME_SIZE, "/proc/self/fd/%d", output->descriptor);
}

/* Returns false if the system has no nameless files, or cannot link them later. */
static bool create_nameless(fur_output *output)
{
    char name[OWN_NAME_SIZE];
    output->descriptor = fur_system.openat(output->directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC,
                                           first_mode(output));
    if (output->descriptor < 0)
        return false;
    print_descriptor(output, name);
    if (fur_system.faccessat(AT_FDCWD, name, F_OK, 0) == 0)
        return true;
    fur_system.close(output->descriptor);
    output->descriptor = -1;
    return false;
}

static int link_as(const fur_output *output, const char *name)
{
    char descriptor[OWN_NAME_SIZE];
    print_descriptor(output, descriptor);
    return fur_system.linkat(AT_FDCWD, descriptor, output->directory, name, AT_SYMLINK_FOLLOW);
}

static int link_temporary(fur_output *output)
{
    return link_as(output, output->temporary);
}

/* Returns the bytes of the path before its last name. */
static size_t directory_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Finds the target: the path with links resolved, whether it exists or not. */
static int follow_links(fur_output *output)
{
    char content[PATH_MAX];
    size_t size = strlen(output->path), at = 0;
    const char *next = output->path;
    for (int links = 0; links <= LINKS_MAX; links++) {
        if (at + size >= sizeof output->target)
            return ENAMETOOLONG;
        memcpy(output->target + at, next, size);
        output->target[at + size] = '\0';
        ssize_t got = fur_system.readlinkat(AT_FDCWD, output->target, content, sizeof content);
        if (got < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        next = content;
        size = (size_t)got;
        at = content[0] == '/' ? 0 : directory_size(output->target);
    }
    return ELOOP;
}

/* Splits the target into an open directory and a name in it. */
static int open_directory(fur_output *output)
{
    char directory[PATH_MAX];
    size_t size = directory_size(output->target);
    output->own = output->target + size;
    if (!*output->own)
        return size > 0 ? EISDIR : ENOENT;
    memcpy(directory, output->target, size);
    directory[size] = '\0';
    output->directory =
        fur_system.openat(AT_FDCWD, size > 0 ? directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return output->directory < 0 ? errno : 0;
}

static int create_file(fur_output *output)
{
    int error = follow_links(output);
    if (error == 0)
        error = open_directory(output);
    if (error == 0 && !create_nameless(output))
        error = make_temporary(output, create_named);
    return error;
}

/* Copies owner, group and permissions of the file that is replaced. Only root may change an owner.
 * If the group cannot be set, the group gets no more permissions than everybody. */
static int take_after(const fur_output *output, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    if (fur_system.fchown(output->descriptor, old->st_uid, old->st_gid) != 0 &&
        fur_system.fchown(output->descriptor, (uid_t)-1, old->st_gid) != 0)
        mode = (mode & 0707) | (mode & 0007) << 3;
    return fur_system.fchmod(output->descriptor, mode) == 0 ? 0 : errno;
}

static int replace_file(fur_output *output, const struct stat *old)
{
    output->replaces = true;
    if (fur_system.faccessat(AT_FDCWD, output->path, W_OK, 0) != 0)
        return errno;
    int error = create_file(output);
    return error == 0 ? take_after(output, old) : error;
}

static int write_in_place(fur_output *output)
{
    output->descriptor = fur_system.openat(AT_FDCWD, output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return output->descriptor < 0 ? errno : 0;
}

static int write_to_descriptor(fur_output *output, int descriptor)
{
    if (descriptor == STDOUT_FILENO)
        fflush(stdout);
    output->descriptor = fur_system.fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return output->descriptor < 0 ? errno : 0;
}

/* Returns the descriptor of this process that a path refers to, or -1. */
static int find_descriptor(const char *path)
{
    static const char folder[] = "/dev/fd/";
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if (strncmp(path, folder, sizeof folder - 1) != 0)
        return -1;
    const char *number = path + sizeof folder - 1;
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && digits < 9 && !number[digits] ? atoi(number) : -1;
}

static int open_destination(fur_output *output, int descriptor)
{
    struct stat status;
    if (descriptor >= 0)
        return write_to_descriptor(output, descriptor);
    if (fur_system.fstatat(AT_FDCWD, output->path, &status, 0) == 0)
        return S_ISREG(status.st_mode) ? replace_file(output, &status) : write_in_place(output);
    return errno == ENOENT ? create_file(output) : errno;
}

/* Removes the remains of the file. Errors are ignored, because an earlier error is reported. */
static void release(fur_output *output)
{
    if (output->descriptor >= 0)
        fur_system.close(output->descriptor);
    if (output->temporary[0]) {
        fur_system.unlinkat(output->directory, output->temporary, 0);
        tell(output, NULL);
    }
    if (output->directory >= 0)
        fur_system.close(output->directory);
    fur_context_release(output->context, output);
}

fur_status fur_output_create(fur_context *context, const char *path, fur_output **out)
{
    FUR_NEED(context, context, path, out);
    const char *shown = strcmp(path, "-") == 0 ? "standard output" : path;
    size_t size = strlen(shown) + 1;
    void *memory;
    FUR_TRY(fur_context_allocate(context, sizeof(fur_output) + size, &memory));
    fur_output *output = memory;
    *output = (fur_output){.context = context, .descriptor = -1, .directory = -1};
    memcpy(output->path, shown, size);
    int error = open_destination(output, find_descriptor(path));
    if (error == 0) {
        *out = output;
        return FUR_OK;
    }
    fur_status status = fail(output, error);
    release(output);
    return status;
}

fur_status fur_output_write(fur_output *output, const void *bytes, size_t size)
{
    FUR_NEED(NULL, output);
    if (size > 0 && !bytes)
        output->error = EINVAL;
    FUR_NEED_IF(size > 0, output->context, bytes);
    for (size_t done = 0; done < size && output->error == 0;) {
        ssize_t written =
            fur_system.write(output->descriptor, (const char *)bytes + done, size - done);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            output->error = written == 0 ? EIO : errno;
    }
    return output->error == 0 ? FUR_OK : fail(output, output->error);
}

/* Writes a file or directory to the disk. EINVAL means that it cannot be synchronised. */
static int sync_descriptor(int descriptor)
{
    while (fur_system.fsync(descriptor) != 0)
        if (errno != EINTR)
            return errno == EINVAL ? 0 : errno;
    return 0;
}

/* Some file systems report a failed write only when a descriptor is closed. A duplicate is closed,
 * because the file needs its own descriptor to get its name. */
static int close_duplicate(const fur_output *output)
{
    int error = EINTR;
    while (error == EINTR) {
        int duplicate = fur_system.fcntl(output->descriptor, F_DUPFD_CLOEXEC, 0);
        error = duplicate >= 0 && fur_system.close(duplicate) == 0 ? 0 : errno;
    }
    return error;
}

/* Gives the file its name. A nameless file is linked directly if the name is free. Otherwise it
 * first gets a temporary name, because only a named file can replace another. */
static int give_name(fur_output *output)
{
    bool nameless = !output->temporary[0];
    if (nameless && !output->replaces) {
        if (link_as(output, output->own) == 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    int error = nameless ? make_temporary(output, link_temporary) : 0;
    if (error == 0 && fur_system.renameat(output->directory, output->temporary, output->directory,
                                          output->own) != 0)
        error = errno;
    if (error == 0) {
        output->temporary[0] = '\0';
        tell(output, NULL);
    }
    return error;
}

/* A directory with permission to write but not to read cannot be synchronised. */
static int sync_directory(const fur_output *output)
{
    int directory = fur_system.openat(output->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return errno == EACCES ? 0 : errno;
    int error = sync_descriptor(directory);
    fur_system.close(directory);
    return error;
}

/* Completes the file: writes its bytes to the disk if requested, then gives it its name. */
static int settle(fur_output *output, bool sync)
{
    bool in_place = output->directory < 0;
    int error = output->error;
    if (error == 0 && sync && !in_place)
        error = sync_descriptor(output->descriptor);
    if (error == 0)
        error = close_duplicate(output);
    if (error == 0 && !in_place)
        error = give_name(output);
    if (error == 0 && sync && !in_place)
        error = sync_directory(output);
    return error;
}

fur_status fur_output_commit(fur_output *output, int sync)
{
    FUR_NEED(NULL, output);
    int error = settle(output, sync != 0);
    fur_status status = error == 0 ? FUR_OK : fail(output, error);
    release(output);
    return status;
}

void fur_output_abandon(fur_output *output)
{
    if (output)
        release(output);
}
