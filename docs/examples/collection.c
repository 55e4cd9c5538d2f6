/* Reads all matrices of a folder into a table: plain (.mtx), compressed (.mtx.gz, .mtx.zst),
 * archives of the SuiteSparse collection (.tar.gz) and binary (.fur). If a file cannot be read, its
 * line says why and where, and the next file is read.
 *
 *     cc collection.c $(pkg-config --cflags --libs furrow) -o collection && ./collection FOLDER */
#include "example.h"

#include <furrow/author/files.h>

#include <dirent.h>
#include <string.h>

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Returns 1 if the name is the name of a matrix. A filter for scandir. */
static int is_matrix(const struct dirent *file)
{
    static const char *const endings[] = {".mtx", ".mtx.gz", ".mtx.zst", ".tar.gz", ".fur"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(file->d_name, endings[i]))
            return 1;
    return 0;
}

/* Reads the matrix and the header of a file of any of these kinds. */
static fur_status read_matrix(const char *path, fur_mtx_header *header, fur_csr **out)
{
    fur_mtx_read_options text = {.size = sizeof text, .header = header};
    fur_binary_read_options binary = {.size = sizeof binary, .header = header, .map = 1};
    return fur_binary_detect(path) ? fur_binary_read_csr(context, path, &binary, out)
                                   : fur_mtx_read_csr(context, path, &text, out);
}

/* Prints a file's line of the table. Returns 1 if the file was read. */
static int print_line(const char *folder, const char *name)
{
    char path[4096];
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    fur_csr *a = NULL;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        printf("%-24s its path is too long\n", name);
        return 0;
    }
    int failed = read_matrix(path, &header, &a) || fur_csr_measure(a, &figures);
    if (failed)
        printf("%-24s %s\n", name, fur_context_error(context));
    else
        printf("%-24s %9lld %9lld %11lld %9lld %9lld  %s %s\n", name, (long long)header.rows,
               (long long)header.cols, (long long)fur_csr_get(a)->entries,
               (long long)figures.row_max, (long long)figures.bandwidth,
               fur_mtx_field_name(header.field), fur_mtx_symmetry_name(header.symmetry));
    fur_csr_destroy(a);
    return !failed;
}

int main(int argc, char **argv)
{
    struct dirent **files = NULL;
    int read = 0;
    if (argc != 2)
        return fprintf(stderr, "usage: collection FOLDER\n"), 2;
    must(fur_context_create(NULL, &context));
    int count = scandir(argv[1], &files, is_matrix, alphasort);
    if (count < 0)
        return perror(argv[1]), 1;
    printf("%-24s %9s %9s %11s %9s %9s  %s\n", "file", "rows", "cols", "entries", "longest",
           "bandwidth", "kind");
    for (int i = 0; i < count; i++) {
        read += print_line(argv[1], files[i]->d_name);
        free(files[i]);
    }
    free(files);
    fur_context_destroy(context);
    printf("%d of %d files read\n", read, count);
    return read == 0 || read < count;
}
