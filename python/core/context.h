/* A context shared by the threads of Python, and the objects made in it.
 *
 * A context belongs to one thread at a time: whoever uses it holds its lock. Nobody waits for the
 * lock with the GIL, so a thread that holds the lock may take the GIL, as callbacks do. The lock
 * may be taken again by the thread that holds it: a callback may compute. */
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

/* A text for the library, where an empty one stands for none. */
inline const char *or_null(const std::string &text)
{
    return text.empty() ? nullptr : text.c_str();
}

/* An object of the library that Python no longer needs, and what must outlive it. */
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
    /* As it was asked for: "cpu", "cuda:1". */
    const std::string &device() const
    {
        return device_;
    }
    /* Destroys now, or when the context is used next if another thread uses it. With the GIL. */
    void bury(remains &&object);

    /* Whether it was in use by another thread when the process forked, or is a GPU's. */
    bool lost() const
    {
        return lost_;
    }
    /* For os.register_at_fork. With the GIL. */
    static void after_fork_in_child();
    /* For atexit: what is on a GPU is left to the driver, as streams and CUDA itself may go first.
     * With the GIL. */
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
    std::thread::id user_; /* who holds the lock, and how often */
    int depth_ = 0;
    /* When Ctrl-C is looked for next in this use; the epoch: not asked yet. */
    std::chrono::steady_clock::time_point next_look_;
    bool lost_ = false; /* to a fork */
    std::vector<remains> dead_;
};

/* The use of a context: holds its lock, without the GIL unless the work takes no time. */
class Use
{
  public:
    /* Bytes that are touched in some microseconds. */
    static constexpr std::int64_t brief = 1 << 16;

    explicit Use(Context &context, std::int64_t bytes = INT64_MAX);
    /* Of a second context beside the first, where the GIL is not held any more. Two threads that
     * use the same two contexts must take them in the same order. */
    Use(Context &context, const Use &first);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    Context &context_;
    void wait();
    std::optional<nb::gil_scoped_release> released_;
};

/* The object that make(&object), a function of the library, makes in a context, whose lock is taken
 * meanwhile. */
template <typename Object, typename Make> Object *make_in(Context &context, Make make)
{
    Use use(context);
    Object *made = nullptr;
    expect_ok(make(&made), context.get());
    return made;
}

/* An object of the library as Python holds it. `kept` outlives it: borrowed arrays, what it was
 * made from. */
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
