/* A C library takes each array of more than 32 MiB from the system and gives it back; the system
 * clears its pages at the first touch, which takes as long as a product. So some memory of large
 * results is kept for the next ones. Who runs short of memory gets it all the same: the system may
 * take its pages. All functions run with the GIL. */
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

/* A page of the larger kind, of which the system needs some hundred where it needs 10^5 small ones;
 * so results begin with a cache line, too, and are written past the caches. */
static constexpr std::size_t page = std::size_t(1) << 21;

/* Two: a loop writes one while it reads another. */
static constexpr std::size_t most_kept = 2;
static constexpr std::size_t most_bytes = std::size_t(1) << 29;

/* Given up, the last first. Never destroyed, as arrays may outlive static objects. */
static std::list<memory> &kept()
{
    static auto &all = *new std::list<memory>;
    return all;
}

static memory take_new(std::size_t bytes)
{
    memory made = {std::aligned_alloc(page, bytes), bytes};
    if (!made.start)
        throw furrow::error(FUR_OUT_OF_MEMORY,
                            ("a result of " + std::to_string(bytes) + " bytes: no memory").c_str());
    madvise(made.start, bytes, MADV_HUGEPAGE);
    return made;
}

/* Of kept memory a quarter may stay without use. */
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

/* An array of bytes, whose values are any. */
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
