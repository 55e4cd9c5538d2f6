/* The system calls that read and write files. The library calls them only through this table. A
 * test can therefore make each call fail: it links its own table. The library's table, which is
 * alone in its source, then stays in the archive. Calls that only advise the system (madvise,
 * posix_fadvise) are not here, because their failure has no effect. */
#ifndef FURROW_BASE_SYSTEM_H
#define FURROW_BASE_SYSTEM_H

#include <sys/stat.h>
#include <sys/types.h>

/* The functions of POSIX. */
typedef struct fur_system_calls {
    int (*openat)(int directory, const char *path, int flags, ...);
    int (*fcntl)(int descriptor, int command, ...);
    int (*close)(int descriptor);
    int (*fstat)(int descriptor, struct stat *out);
    int (*fstatat)(int directory, const char *path, struct stat *out, int flags);
    int (*faccessat)(int directory, const char *path, int mode, int flags);
    ssize_t (*readlinkat)(int directory, const char *path, char *out, size_t room);
    off_t (*lseek)(int descriptor, off_t offset, int whence);
    ssize_t (*read)(int descriptor, void *to, size_t size);
    ssize_t (*pread)(int descriptor, void *to, size_t size, off_t offset);
    ssize_t (*write)(int descriptor, const void *from, size_t size);
    int (*fsync)(int descriptor);
    int (*fchmod)(int descriptor, mode_t mode);
    int (*fchown)(int descriptor, uid_t owner, gid_t group);
    int (*linkat)(int from_directory, const char *from, int to_directory, const char *to,
                  int flags);
    int (*renameat)(int from_directory, const char *from, int to_directory, const char *to);
    int (*unlinkat)(int directory, const char *path, int flags);
    void *(*mmap)(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset);
    int (*munmap)(void *address, size_t size);
} fur_system_calls;

extern const fur_system_calls fur_system;

#endif
