/* For tests that write files: they run in a new folder, which is removed at the end. */
#ifndef FURROW_TESTS_SCRATCH_H
#define FURROW_TESTS_SCRATCH_H

#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void scratch_write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void scratch_write(const char *path, const char *text)
{
    scratch_write_bytes(path, text, strlen(text));
}

/* Returns the file's text; the caller frees it. */
static inline char *scratch_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    ck_assert_uint_eq(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* Returns the number of files in the current folder. */
static inline int scratch_count(void)
{
    DIR *folder = opendir(".");
    ck_assert_ptr_nonnull(folder);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static inline void scratch_empty(void)
{
    DIR *folder = opendir(".");
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (unlink(entry->d_name) != 0)
            rmdir(entry->d_name);
    if (folder)
        closedir(folder);
}

/* Calls run_tests in a new folder and removes the folder afterwards. */
static inline int scratch_run(const char *name, void (*add)(TCase *tests))
{
    char folder[] = "/tmp/furrow-test-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 2;
    int status = run_tests(name, add);
    scratch_empty();
    if (chdir("/") != 0 || rmdir(folder) != 0)
        return 2;
    return status;
}

#endif
