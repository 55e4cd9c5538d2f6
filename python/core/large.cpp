/* A C library gets each array of more than 32 MiB from the system and returns it. The system then
 * clears its pages at the first touch, which takes as long as a product. Therefore some memory of
 * large results is kept for later results. This does not cause a shortage: the system may reclaim
 * the pages. All functions require the GIL. */
#include "large.h"

#include "array.h"
#include "errors.h"

#include <cstdlib>
#include <list>

#include <sys/mman.h>

struct memory {
    void *start;
    std::size_t bytes;
};

/* Size of a huge page: an array needs some hundred of them instead of 10^5 small pages. Results are
 * thus aligned to cache lines, and are written past the caches. */
static constexpr std::size_t page = std::size_t(1) << 21;

/* Two arrays are kept, because a loop writes one while it reads the other. */
static constexpr std::size_t most_kept = 2;
static constexpr std::size_t most_bytes = std::size_t(1) << 29;

/* Freed memory, the most recent first. It is never destroyed, as arrays may outlive static
 * objects. */
static std::list<memory> &kept()
{
    static auto &all = *new std::list<memory>;
    return all;
}

static memory take_new(std::size_t bytes)
{
    memory made = {std::aligned_alloc(page, bytes), bytes};
    if (!made.start)
        throw furrow::error(
            FUR_OUT_OF_MEMORY,
            ("out of memory for a result of " + std::to_string(bytes) + " bytes").c_str());
    madvise(made.start, bytes, MADV_HUGEPAGE);
    return made;
}

/* Takes kept memory that is at most a quarter larger than needed. If there is none, allocates. */
static memory take(std::size_t bytes)
{
    for (auto at = kept().begin(); at != kept().end(); ++at)
        if (at->bytes >= bytes && at->bytes / 5 <= bytes / 4) {
            memory found = *at;
            kept().erase(at);
            return found;
        }
    return take_new(bytes);
}

static void give_up(memory old)
{
    if (old.bytes > most_bytes) {
        std::free(old.start);
        return;
    }
    madvise(old.start, old.bytes, MADV_FREE);
    kept().push_front(old);
    if (kept().size() > most_kept) {
        std::free(kept().back().start);
        kept().pop_back();
    }
}

/* Returns an array of bytes with undefined values. */
static nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> large(std::size_t bytes)
{
    auto taken = new memory(take((bytes + page - 1) / page * page));
    nb::capsule owner(taken, [](void *held) noexcept {
        give_up(*static_cast<memory *>(held));
        delete static_cast<memory *>(held);
    });
    return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(taken->start, {bytes}, owner);
}

void bind_large(nb::module_ &m)
{
    m.def("large", &large, nb::arg("bytes"));
}
