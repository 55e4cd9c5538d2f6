/* A typical program for mmio: it reads the banner, the size and the entries, and writes them. */
#include "mmio.h"

#include <stdio.h>

int main(void)
{
    MM_typecode code;
    int rows, cols, entries;
    double sum = 0;
    FILE *file = tmpfile();
    if (!file)
        return 1;

    mm_initialize_typecode(&code);
    mm_set_matrix(&code);
    mm_set_coordinate(&code);
    mm_set_real(&code);
    mm_set_general(&code);
    if (mm_write_banner(file, code) != 0 || mm_write_mtx_crd_size(file, 3, 2, 3) != 0)
        return 1;
    fprintf(file, "1 1 0.5\n2 2 1.5\n3 1 2\n");
    rewind(file);

    if (mm_read_banner(file, &code) != 0 || !mm_is_real(code) || !mm_is_sparse(code))
        return 1;
    if (mm_read_mtx_crd_size(file, &rows, &cols, &entries) != 0)
        return 1;
    for (int i = 0; i < entries; i++) {
        int row, col;
        double value;
        if (fscanf(file, "%d %d %lg\n", &row, &col, &value) != 3)
            return 1;
        sum += value;
    }
    printf("%d x %d, %d entries, sum %g\n", rows, cols, entries, sum);
    fclose(file);
    return rows == 3 && cols == 2 && entries == 3 && sum >= 4 && sum <= 4 ? 0 : 1;
}
