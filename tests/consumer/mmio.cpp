// The reading part of mmio.c in C++, with the call that reads all entries at once.
#include "mmio.h"

#include <cstdio>
#include <numeric>
#include <vector>

int main()
{
    std::FILE *file = std::tmpfile();
    if (!file)
        return 1;
    std::fputs("%%MatrixMarket matrix coordinate real general\n% three entries\n3 2 3\n"
               "1 1 0.5\n2 2 1.5\n3 1 2\n",
               file);
    std::rewind(file);

    MM_typecode code;
    int rows = 0, cols = 0, entries = 0;
    if (mm_read_banner(file, &code) != 0 || !mm_is_general(code) ||
        mm_read_mtx_crd_size(file, &rows, &cols, &entries) != 0 || entries != 3)
        return 1;
    std::vector<int> row_indices(3), col_indices(3);
    std::vector<double> values(3);
    if (mm_read_mtx_crd_data(file, rows, cols, entries, row_indices.data(), col_indices.data(),
                             values.data(), code) != 0)
        return 1;
    std::fclose(file);
    double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::printf("%d x %d, last row %d, sum %g\n", rows, cols, row_indices[2], sum);
    return row_indices[2] == 3 && col_indices[1] == 2 && sum >= 4 && sum <= 4 ? 0 : 1;
}
