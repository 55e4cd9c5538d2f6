/* The operating system's own calls. */
#include "system.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const fur_system_calls fur_system = {
    .openat = openat,
    .fcntl = fcntl,
    .close = close,
    .fstat = fstat,
    .fstatat = fstatat,
    .faccessat = faccessat,
    .readlinkat = readlinkat,
    .lseek = lseek,
    .read = read,
    .pread = pread,
    .write = write,
    .fsync = fsync,
    .fchmod = fchmod,
    .fchown = fchown,
    .linkat = linkat,
    .renameat = renameat,
    .unlinkat = unlinkat,
    .mmap = mmap,
    .munmap = munmap,
};
