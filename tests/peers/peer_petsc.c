/* Computes the reverse Cuthill-McKee order of PETSc, for compare_orders.py. Usage:
 *
 *     peer_petsc PATTERN ORDER REPEATS
 *
 * PATTERN holds a matrix in CSR form in the machine's byte order: int64 n and entries, int64
 * offsets[n + 1] and int32 columns[entries]. ORDER receives int32 order[n]. Prints the seconds of
 * the fastest repeat.
 *
 *     cc -O2 peer_petsc.c $(pkg-config --cflags --libs PETSc mpi) -o peer_petsc */
#include <petscmat.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct pattern {
    int64_t n;
    int64_t entries;
    PetscInt *offsets;
    PetscInt *columns;
    PetscScalar *values;
} pattern;

static void *checked(void *memory)
{
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void read_array(FILE *file, void *to, size_t size, int64_t count)
{
    if (fread(to, size, (size_t)count, file) != (size_t)count) {
        fputs("the pattern's file ends early\n", stderr);
        exit(EXIT_FAILURE);
    }
}

static pattern read_pattern(const char *path)
{
    pattern p;
    int64_t head[2];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    read_array(file, head, sizeof *head, 2);
    p.n = head[0];
    p.entries = head[1];
    int64_t *offsets = checked(malloc((size_t)(p.n + 1) * sizeof *offsets));
    p.offsets = checked(malloc((size_t)(p.n + 1) * sizeof *p.offsets));
    p.columns = checked(malloc((size_t)(p.entries + 1) * sizeof *p.columns));
    p.values = checked(calloc((size_t)p.entries + 1, sizeof *p.values));
    read_array(file, offsets, sizeof *offsets, p.n + 1);
    read_array(file, p.columns, sizeof *p.columns, p.entries);
    for (int64_t i = 0; i <= p.n; i++)
        p.offsets[i] = (PetscInt)offsets[i];
    free(offsets);
    fclose(file);
    return p;
}

static PetscErrorCode order(Mat matrix, int repeats, const char *path)
{
    double best = 1e300;
    IS rows = NULL;
    IS cols = NULL;
    const PetscInt *found;
    PetscInt n;

    for (int r = 0; r < repeats; r++) {
        PetscLogDouble begin;
        PetscLogDouble end;
        PetscCall(ISDestroy(&rows));
        PetscCall(ISDestroy(&cols));
        PetscCall(PetscTime(&begin));
        PetscCall(MatGetOrdering(matrix, MATORDERINGRCM, &rows, &cols));
        PetscCall(PetscTime(&end));
        best = end - begin < best ? end - begin : best;
    }
    PetscCall(ISGetSize(rows, &n));
    PetscCall(ISGetIndices(rows, &found));
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(found, sizeof *found, (size_t)n, file) != (size_t)n || fclose(file) != 0)
        perror(path);
    printf("%.9f\n", best);
    PetscCall(ISRestoreIndices(rows, &found));
    PetscCall(ISDestroy(&rows));
    PetscCall(ISDestroy(&cols));
    return 0;
}

int main(int argc, char **argv)
{
    Mat matrix;
    if (argc != 4) {
        fputs("usage: peer_petsc PATTERN ORDER REPEATS\n", stderr);
        return EXIT_FAILURE;
    }
    PetscCall(PetscInitialize(NULL, NULL, NULL, NULL));
    pattern p = read_pattern(argv[1]);
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, (PetscInt)p.n, (PetscInt)p.n, p.offsets,
                                        p.columns, p.values, &matrix));
    PetscCall(order(matrix, atoi(argv[3]), argv[2]));
    PetscCall(MatDestroy(&matrix));
    PetscCall(PetscFinalize());
    free(p.values);
    free(p.columns);
    free(p.offsets);
    return EXIT_SUCCESS;
}
