/* Solves a system by AMGCL's cg with smoothed aggregation and SPAI(0), for compare_amg.py:
 *
 *     OMP_NUM_THREADS=2 peer_amgcl SYSTEM
 *
 * Solves to 1e-8 for b = 1. Prints the seconds of set-up and solve, iterations and the residual.
 *
 *     c++ -O3 -march=native -fopenmp -IAMGCL peer_amgcl.cpp -o peer_amgcl */
#include <amgcl/adapter/zero_copy.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>

#include <cstddef>
#include <tuple>
#include <vector>

#include "system_file.h"

using backend = amgcl::backend::builtin<double>;
using amg = amgcl::amg<backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>;
using solver = amgcl::make_solver<amg, amgcl::solver::cg<backend>>;

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: peer_amgcl SYSTEM\n", stderr);
        return EXIT_FAILURE;
    }
    const system_file s = read_system(argv[1]);
    const std::vector<ptrdiff_t> columns(s.columns, s.columns + s.entries);
    const std::vector<double> b(static_cast<std::size_t>(s.rows), 1.0);
    const auto a = amgcl::adapter::zero_copy(static_cast<std::size_t>(s.rows), s.offsets,
                                             columns.data(), s.values);
    solver::params options;
    options.solver.tol = 1e-8;
    options.solver.maxiter = 5000;
    for (int run = 0; run < RUNS; run++) {
        std::vector<double> x(static_cast<std::size_t>(s.rows), 0.0);
        const double begin = seconds_now();
        const solver solve(*a, options);
        const double made = seconds_now();
        const auto [iterations, residual] = solve(b, x);
        printf("%.6f %.6f %d %.2e\n", made - begin, seconds_now() - made,
               static_cast<int>(iterations), residual);
    }
    return EXIT_SUCCESS;
}
