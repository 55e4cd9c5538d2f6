/* A context shared by the threads of Python, and the objects made in it.
 *
 * One thread uses a context at a time and holds its lock. No thread waits for the lock while it
 * holds the GIL. Therefore a thread that holds the lock may take the GIL, as callbacks do. The lock
 * is recursive, because a callback may compute. */
#ifndef FURROW_PYTHON_CONTEXT_H
#define FURROW_PYTHON_CONTEXT_H

#include "errors.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace nb = nanobind;

/* Converts a text for the library, which uses NULL for a missing text. */
inline const char *or_null(const std::string &text)
{
    return text.empty() ? nullptr : text.c_str();
}

/* An object of the library that Python no longer needs, and references that must outlive it. */
struct remains {
    void *object;
    void (*destroy)(void *object);
    nb::object kept;
};

class Context
{
  public:
    Context(const std::string &device, int threads, std::uintptr_t stream);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    fur_context *get() const
    {
        return handle_.get();
    }
    bool on_gpu() const
    {
        return on_gpu_;
    }
    /* The name of the device as the caller gave it: "cpu", "cuda:1". */
    const std::string &device() const
    {
        return device_;
    }
    /* Destroys the object now, or at the next use of the context if another thread is using it.
     * Requires the GIL. */
    void bury(remains &&object);

    /* True after a fork if another thread was using the context or if it is on a GPU. */
    bool lost() const
    {
        return lost_;
    }
    /* For os.register_at_fork. Requires the GIL. */
    static void after_fork_in_child();
    /* For atexit. Leaves objects on GPUs to the driver, because streams and CUDA may end before
     * them. Requires the GIL. */
    static void leave_gpus();

  private:
    friend class Use;
    static int interrupted(void *self);
    static furrow::context make(Context *self, const std::string &device, int threads,
                                std::uintptr_t stream);
    void enter();
    void leave();
    void sweep();
    void try_sweep();
    void revive();

    furrow::context handle_;
    std::string device_;
    bool on_gpu_;
    std::recursive_timed_mutex mutex_;
    std::thread::id user_; /* the thread that holds the lock, `depth_` times */
    int depth_ = 0;
    /* Time of the next check for Ctrl-C in this use. The epoch means: not checked yet. */
    std::chrono::steady_clock::time_point next_look_;
    bool lost_ = false; /* whether a fork made the context unusable */
    std::vector<remains> dead_;
};

/* Uses a context: holds its lock, and releases the GIL unless the work is very short. */
class Use
{
  public:
    /* Work on fewer bytes takes only microseconds. */
    static constexpr std::int64_t brief = 1 << 16;

    explicit Use(Context &context, std::int64_t bytes = INT64_MAX);
    /* Uses a second context while the first is in use and the GIL is released. If two threads use
     * the same two contexts, they must take them in the same order to avoid a deadlock. */
    Use(Context &context, const Use &first);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    Context &context_;
    void wait();
    std::optional<nb::gil_scoped_release> released_;
};

/* Returns the object that the library's function make(&object) creates in a context. Takes the lock
 * of the context. */
template <typename Object, typename Make> Object *make_in(Context &context, Make make)
{
    Use use(context);
    Object *made = nullptr;
    expect_ok(make(&made), context.get());
    return made;
}

/* An object of the library, held by Python. `kept` outlives it: borrowed arrays, or the objects
 * from which it was made. */
template <typename Handle, void (*destroy)(Handle *)> class Held
{
  public:
    Held(std::shared_ptr<Context> context, Handle *handle, nb::object kept = nb::none())
        : context_(std::move(context)), handle_(handle), kept_(std::move(kept))
    {
    }
    Held(Held &&other) noexcept
        : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)),
          kept_(std::move(other.kept_))
    {
    }
    ~Held()
    {
        if (handle_)
            context_->bury({handle_, [](void *object) { destroy(static_cast<Handle *>(object)); },
                            std::move(kept_)});
    }
    Handle *get() const
    {
        return handle_;
    }
    Context &context() const
    {
        return *context_;
    }
    const std::shared_ptr<Context> &shared_context() const
    {
        return context_;
    }

  private:
    std::shared_ptr<Context> context_;
    Handle *handle_;
    nb::object kept_;
};

/* Waits for the context's work. */
void synchronize(Context &context);

void bind_context(nb::module_ &m);

#endif
