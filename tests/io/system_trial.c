/* See system_trial.h. */
#include "system_trial.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The bytes that all_short moves in a call: neither a power of two nor the size of anything. */
#define FEW_BYTES 4099

system_trial trial;

/* Counts a call. Returns true if this call must get the fault. */
static bool is_next(const char *name)
{
    if (atomic_fetch_add(&trial.calls, 1) + 1 != trial.at)
        return false;
    trial.hit = name;
    return true;
}

static bool fails(const char *name)
{
    if (trial.look)
        trial.look();
    if (trial.kind != TRIAL_FAILS || !is_next(name))
        return false;
    errno = trial.error;
    return true;
}

static bool is_interrupted(const char *name)
{
    if (trial.kind != TRIAL_IS_INTERRUPTED || !is_next(name))
        return false;
    errno = EINTR;
    return true;
}

static bool does_not_run(const char *name)
{
    return fails(name) || is_interrupted(name);
}

static size_t shorten(const char *name, size_t size)
{
    if (trial.all_short && size > FEW_BYTES)
        return FEW_BYTES;
    return trial.kind == TRIAL_IS_SHORT && is_next(name) && size > 1 ? 1 : size;
}

static bool is_taken(void)
{
    if (trial.taken <= 0)
        return false;
    trial.taken--;
    errno = EEXIST;
    return true;
}

static int try_openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) & ~O_DIRECTORY ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (fails("openat") || (flags & O_EXCL && is_taken()))
        return -1;
    if (trial.no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(directory, path, flags, mode);
}

/* Only F_DUPFD_CLOEXEC is supported. */
static int try_fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    int least = va_arg(arguments, int);
    va_end(arguments);
    return fails("fcntl") ? -1 : fcntl(descriptor, command, least);
}

static int try_close(int descriptor)
{
    bool failed = does_not_run("close");
    int error = errno;
    int result = close(descriptor);
    if (failed)
        errno = error;
    return failed ? -1 : result;
}

static int try_fstat(int descriptor, struct stat *out)
{
    return fails("fstat") ? -1 : fstat(descriptor, out);
}

static int try_fstatat(int directory, const char *path, struct stat *out, int flags)
{
    return fails("fstatat") ? -1 : fstatat(directory, path, out, flags);
}

static int try_faccessat(int directory, const char *path, int mode, int flags)
{
    if (fails("faccessat"))
        return -1;
    if (trial.no_proc && strncmp(path, "/proc/", 6) == 0) {
        errno = ENOENT;
        return -1;
    }
    return faccessat(directory, path, mode, flags);
}

static ssize_t try_readlinkat(int directory, const char *path, char *out, size_t room)
{
    return fails("readlinkat") ? -1 : readlinkat(directory, path, out, room);
}

static off_t try_lseek(int descriptor, off_t offset, int whence)
{
    return fails("lseek") ? -1 : lseek(descriptor, offset, whence);
}

static ssize_t try_read(int descriptor, void *to, size_t size)
{
    return does_not_run("read") ? -1 : read(descriptor, to, shorten("read", size));
}

static ssize_t try_pread(int descriptor, void *to, size_t size, off_t offset)
{
    return does_not_run("pread") ? -1 : pread(descriptor, to, shorten("pread", size), offset);
}

static ssize_t try_write(int descriptor, const void *from, size_t size)
{
    return does_not_run("write") ? -1 : write(descriptor, from, shorten("write", size));
}

static int try_fsync(int descriptor)
{
    return does_not_run("fsync") ? -1 : fsync(descriptor);
}

static int try_fchmod(int descriptor, mode_t mode)
{
    return fails("fchmod") ? -1 : fchmod(descriptor, mode);
}

static int try_fchown(int descriptor, uid_t owner, gid_t group)
{
    if (fails("fchown"))
        return -1;
    errno = EPERM;
    return trial.no_chown ? -1 : fchown(descriptor, owner, group);
}

static int try_linkat(int from_directory, const char *from, int to_directory, const char *to,
                      int flags)
{
    return fails("linkat") || is_taken() ? -1
                                         : linkat(from_directory, from, to_directory, to, flags);
}

static int try_renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return fails("renameat") ? -1 : renameat(from_directory, from, to_directory, to);
}

static int try_unlinkat(int directory, const char *path, int flags)
{
    return fails("unlinkat") ? -1 : unlinkat(directory, path, flags);
}

static void *try_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                      off_t offset)
{
    if (fails("mmap"))
        return MAP_FAILED;
    void *mapping = mmap(address, size, protection, flags, descriptor, offset);
    atomic_fetch_add(&trial.mapped, mapping != MAP_FAILED);
    return mapping;
}

static int try_munmap(void *address, size_t size)
{
    atomic_fetch_sub(&trial.mapped, 1);
    return munmap(address, size);
}

const fur_system_calls fur_system = {
    .openat = try_openat,
    .fcntl = try_fcntl,
    .close = try_close,
    .fstat = try_fstat,
    .fstatat = try_fstatat,
    .faccessat = try_faccessat,
    .readlinkat = try_readlinkat,
    .lseek = try_lseek,
    .read = try_read,
    .pread = try_pread,
    .write = try_write,
    .fsync = try_fsync,
    .fchmod = try_fchmod,
    .fchown = try_fchown,
    .linkat = try_linkat,
    .renameat = try_renameat,
    .unlinkat = try_unlinkat,
    .mmap = try_mmap,
    .munmap = try_munmap,
};
