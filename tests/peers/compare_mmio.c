/* Compares three readers entry by entry on every .mtx file in the folders given: the reference
 * mmio, Furrow's mmio and fur_mtx_read_csr.
 *
 *     compare_mmio REFERENCE_DUMP OWN_DUMP FOLDER...
 *
 * The dumps are mmio_dump built with one mmio each. They run as separate processes, because the
 * reference may crash or not return. Exit status 77, skipped, if no file is found. */
#include <furrow/furrow.h>

#include "mmio_dump.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77
#define UNSUPPORTED_TYPE 15
#define PREMATURE_EOF 12

/* Files that a reader refuses, and the reason. */
static const struct {
    const char *file;
    int mmio; /* status that both mmio return */
    fur_status status;
    const char *reason;
} exceptions[] = {
    {"fmm_vector.mtx", UNSUPPORTED_TYPE, FUR_OK, "mmio knows no vectors"},
    {"fmm_vector_array_real_general.mtx", UNSUPPORTED_TYPE, FUR_OK, "mmio knows no vectors"},
    {"ss_fullcha.mtx", PREMATURE_EOF, FUR_MALFORMED,
     "fscanf stops at a comment; the diagonal of this hermitian matrix is not real"},
    {"sprs_hermitian.mtx", 0, FUR_MALFORMED, "the diagonal of a hermitian matrix is not real"},
    {"fmm_matrix_coordinate_complex_hermitian.mtx", 0, FUR_MALFORMED,
     "the diagonal of a hermitian matrix is not real"},
    {"fmm_coordinate_hermitian_real_row.mtx", 0, FUR_MALFORMED, "hermitian without complex values"},
    {"matrix1int.mtx", 0, FUR_MALFORMED, "fractions in an integer file"},
};

typedef struct dump {
    char *bytes;
    size_t size;
    mmio_dump head;
    const int32_t *row;
    const int32_t *col;
    const double *values;
} dump;

static void expected_outcome(const char *file, int *mmio, fur_status *status)
{
    *mmio = 0;
    *status = FUR_OK;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(file, exceptions[i].file) == 0) {
            *mmio = exceptions[i].mmio;
            *status = exceptions[i].status;
        }
}

/* Sets the members of a dump from its bytes. Copies the values. */
static void take_apart(dump *d)
{
    memcpy(&d->head, d->bytes, sizeof d->head);
    size_t entries = (size_t)d->head.entries;
    d->row = (const int32_t *)(void *)(d->bytes + sizeof d->head);
    d->col = d->row + entries;
    size_t before = sizeof d->head + 2 * entries * sizeof(int32_t);
    size_t bytes = entries * (size_t)d->head.parts * sizeof(double);
    double *values = malloc(bytes + 1);
    if (d->head.status == 0)
        memcpy(values, d->bytes + before, bytes);
    d->values = values;
}

/* Runs a program on a file and reads its dump. */
static bool run(const char *program, const char *path, dump *out)
{
    char command[4096];
    snprintf(command, sizeof command, "'%s' '%s'", program, path);
    FILE *pipe = popen(command, "r");
    size_t capacity = 1 << 20;
    out->bytes = malloc(capacity);
    out->size = 0;
    for (size_t got = 1; pipe && got > 0; out->size += got) {
        if (out->size == capacity)
            out->bytes = realloc(out->bytes, capacity *= 2);
        got = fread(out->bytes + out->size, 1, capacity - out->size, pipe);
    }
    bool whole = pipe && pclose(pipe) == 0 && out->size >= sizeof out->head;
    if (whole)
        take_apart(out);
    return whole;
}

static void release(dump *d)
{
    free(d->bytes);
    free((void *)(uintptr_t)d->values);
}

/* A coordinate list under construction. It has memory for two parts of each value. */
typedef struct list {
    int64_t count;
    int32_t *row;
    int32_t *col;
    double *values;
} list;

static void append(list *l, bool complex, int32_t row, int32_t col, double re, double im)
{
    int64_t k = l->count++;
    l->row[k] = row;
    l->col[k] = col;
    if (complex) {
        l->values[2 * k] = re;
        l->values[2 * k + 1] = im;
    } else {
        l->values[k] = re;
    }
}

/* Appends entry k. If the matrix is symmetric, the entry is moved to the lower triangle, or to the
 * upper triangle if `mirrored`. */
static void append_entry(list *l, const dump *d, int32_t k, bool mirrored)
{
    char symmetry = d->head.code[3];
    bool complex = d->head.parts == 2;
    double re = d->head.parts > 0 ? d->values[d->head.parts * k] : 1;
    double im = complex ? d->values[2 * k + 1] : 0;
    int32_t row = d->row[k] - 1, col = d->col[k] - 1;
    bool exchange = symmetry != 'G' && (row < col) != mirrored;
    if (exchange && row != col) {
        int32_t swap = row;
        row = col;
        col = swap;
        re = symmetry == 'K' ? -re : re;
        im = symmetry == 'K' || symmetry == 'H' ? -im : im;
    }
    append(l, complex, row, col, re, im);
}

static fur_csr *assemble(fur_context *context, const dump *d, bool expand)
{
    size_t room = 2 * (size_t)d->head.entries + 1;
    list l = {.row = malloc(room * sizeof *l.row),
              .col = malloc(room * sizeof *l.col),
              .values = malloc(room * 2 * sizeof *l.values)};
    for (int32_t k = 0; k < d->head.entries; k++)
        append_entry(&l, d, k, false);
    for (int32_t k = 0; k < d->head.entries && expand && d->head.code[3] != 'G'; k++)
        if (d->row[k] != d->col[k])
            append_entry(&l, d, k, true);
    fur_coo_view coo = {.size = sizeof coo,
                        .rows = d->head.rows,
                        .cols = d->head.cols,
                        .entries = l.count,
                        .value_type = d->head.parts == 2 ? FUR_C128 : FUR_F64,
                        .row_indices = l.row,
                        .col_indices = l.col,
                        .values = l.values};
    fur_csr *matrix = NULL;
    if (fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &matrix) != FUR_OK)
        printf("%s\n", fur_context_error(context));
    free(l.row);
    free(l.col);
    free(l.values);
    return matrix;
}

/* Returns whether fur_mtx_read_csr reads the matrix of the dump. */
static bool compare_matrix(fur_context *context, const char *path, const dump *d, bool expand)
{
    fur_mtx_read_options options = {.size = sizeof options, .keep_triangle = !expand};
    fur_csr *expected = assemble(context, d, expand), *found = NULL;
    int equal = 0;
    if (fur_mtx_read_csr(context, path, &options, &found) != FUR_OK)
        printf("%s\n", fur_context_error(context));
    else if (expected && fur_csr_compare(expected, found, &equal) == FUR_OK && !equal)
        printf("%s: the entries differ from those of mmio\n", path);
    fur_csr_destroy(found);
    fur_csr_destroy(expected);
    return equal;
}

static bool compare_status(fur_context *context, const char *path, fur_status expected)
{
    fur_csr *matrix = NULL;
    fur_status status = fur_mtx_read_csr(context, path, NULL, &matrix);
    fur_csr_destroy(matrix);
    if (status != expected)
        printf("%s: %s, expected %s\n", path, fur_status_name(status), fur_status_name(expected));
    return status == expected;
}

static bool compare_dumps(const char *path, const dump *reference, const dump *own, int mmio)
{
    if (reference->head.status != mmio || own->head.status != mmio)
        printf("%s: the reference mmio returns %d, Furrow's %d, expected %d\n", path,
               reference->head.status, own->head.status, mmio);
    else if (reference->size != own->size || memcmp(reference->bytes, own->bytes, own->size) != 0)
        printf("%s: the two mmio differ in an entry\n", path);
    else
        return true;
    return false;
}

/* Returns whether both dumps and fur_mtx_read_csr agree, or give the outcomes expected for this
 * file. */
static bool compare_readers(fur_context *context, const char *path, const char *file,
                            const dump *reference, const dump *own)
{
    int mmio;
    fur_status status;
    expected_outcome(file, &mmio, &status);
    bool same = compare_dumps(path, reference, own, mmio);
    if (mmio != 0 || status != FUR_OK)
        return compare_status(context, path, status) && same;
    return compare_matrix(context, path, reference, true) &&
           compare_matrix(context, path, reference, false) && same;
}

static bool compare_file(fur_context *context, char *const *programs, const char *path,
                         const char *file)
{
    dump reference = {.bytes = NULL}, own = {.bytes = NULL};
    bool same = run(programs[0], path, &reference) && run(programs[1], path, &own);
    if (same)
        same = compare_readers(context, path, file, &reference, &own);
    else
        printf("%s: an mmio crashed or did not return\n", path);
    release(&reference);
    release(&own);
    return same;
}

/* Compares the files of a folder. Adds to the number of files and to the number of files that
 * differ. */
static void compare_folder(fur_context *context, char *const *programs, const char *folder,
                           int *files, int *different)
{
    DIR *directory = opendir(folder);
    if (!directory) {
        printf("SKIPPED %s: no such folder\n", folder);
        return;
    }
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".mtx") != 0)
            continue;
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ++*files;
        *different += !compare_file(context, programs, path, entry->d_name);
    }
    closedir(directory);
}

int main(int count, char **arguments)
{
    fur_context *context;
    int files = 0, different = 0;
    if (count < 4 || fur_context_create(NULL, &context) != FUR_OK)
        return 2;
    for (int i = 3; i < count; i++)
        compare_folder(context, arguments + 1, arguments[i], &files, &different);
    fur_context_destroy(context);
    printf("%d files, %d differ\n", files, different);
    return different > 0 ? 1 : files == 0 ? SKIPPED : 0;
}
