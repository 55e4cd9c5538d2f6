/* fast_matrix_market, a header-only C++ library, called as in its documentation. Its own CMake file
 * sets the macros without which it would use strtod. */
#include "peer_io.h"

#include <fast_matrix_market/app/triplet.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <vector>

#if !defined(FMM_USE_FAST_FLOAT) || !defined(FMM_USE_DRAGONBOX)
#    error "fast_matrix_market is configured differently than this benchmark needs"
#endif

namespace fmm = fast_matrix_market;

namespace
{

struct triplets {
    fmm::matrix_market_header header;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> cols;
    std::vector<double> values;
};

void read_triplets(const char *path, int threads, peer_matrix *out)
{
    auto *t = new triplets;
    *out = {};
    out->storage = t;
    std::ifstream file(path);
    fmm::read_options options;
    options.num_threads = threads;
    fmm::read_matrix_market_triplet(file, t->header, t->rows, t->cols, t->values, options);
    out->rows = t->header.nrows;
    out->cols = t->header.ncols;
    out->entries = static_cast<std::int64_t>(t->values.size());
    out->row_indices = t->rows.data();
    out->col_indices = t->cols.data();
    out->values = t->values.data();
}

bool write_triplets(const char *path, int threads, const peer_matrix *matrix)
{
    const auto *t = static_cast<const triplets *>(matrix->storage);
    std::ofstream file(path);
    fmm::write_options options;
    options.num_threads = threads;
    const fmm::matrix_market_header header(t->header.nrows, t->header.ncols);
    fmm::write_matrix_market_triplet(file, header, t->rows, t->cols, t->values, options);
    file.close();
    return file.good();
}

/* Catches all exceptions, because the caller is C. */
template <typename call> bool succeeds(const char *path, call &&attempt)
{
    try {
        return attempt();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s: fast_matrix_market: %s\n", path, e.what());
        return false;
    }
}

bool read_path(const char *path, int threads, peer_matrix *out)
{
    return succeeds(path, [&] {
        read_triplets(path, threads, out);
        return true;
    });
}

bool write_path(const char *path, int threads, const peer_matrix *matrix)
{
    return succeeds(path, [&] { return write_triplets(path, threads, matrix); });
}

void release(peer_matrix *matrix)
{
    delete static_cast<triplets *>(matrix->storage);
}

} // namespace

const peer_io peer_fmm = {"fmm", "fast_matrix_market", true, read_path, release, write_path};
