/* A typical program for mmio, in C that is also C++. It reads a coordinate file given by name,
 * makes the indices zero-based, and prints the matrix as a Matrix Market file. It must build
 * unchanged with the reference mmio and with Furrow's. */
#include <stdio.h>
#include <stdlib.h>

#include "mmio.h"

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

int main(int argc, char *argv[])
{
    MM_typecode matcode;
    FILE *f;
    int M, N, nz, read = 0;
    int *I, *J;
    double *val;

    if (argc < 2)
        return fail("usage: mmio_program FILE");
    if ((f = fopen(argv[1], "r")) == NULL)
        return fail("cannot open the file");
    if (mm_read_banner(f, &matcode) != 0)
        return fail("no Matrix Market banner");
    if (mm_is_complex(matcode) && mm_is_matrix(matcode) && mm_is_sparse(matcode)) {
        char *type = mm_typecode_to_str(matcode);
        fprintf(stderr, "this program does not read [%s]\n", type);
        free(type);
        return 1;
    }
    if (mm_read_mtx_crd_size(f, &M, &N, &nz) != 0)
        return fail("no size line");

    I = (int *)malloc((size_t)nz * sizeof(int));
    J = (int *)malloc((size_t)nz * sizeof(int));
    val = (double *)malloc((size_t)nz * sizeof(double));
    while (read < nz && fscanf(f, "%d %d %lg\n", &I[read], &J[read], &val[read]) == 3)
        read++;
    if (f != stdin)
        fclose(f);

    mm_initialize_typecode(&matcode);
    mm_set_matrix(&matcode);
    mm_set_coordinate(&matcode);
    mm_set_real(&matcode);
    mm_write_banner(stdout, matcode);
    mm_write_mtx_crd_size(stdout, M, N, read);
    for (int i = 0; i < read; i++)
        fprintf(stdout, "%d %d %20.19g\n", I[i], J[i], val[i]);

    free(I);
    free(J);
    free(val);
    return read == nz ? 0 : fail("an entry is missing");
}
