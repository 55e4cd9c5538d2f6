#include "context.h"

#include <algorithm>
#include <chrono>
#include <new>

/* All contexts, needed after a fork. Requires the GIL. It is never destroyed, as contexts may
 * outlive static objects. */
static std::vector<Context *> &contexts()
{
    static auto &all = *new std::vector<Context *>;
    return all;
}

/* Tells the library between the phases of a call whether Ctrl-C was pressed. The GIL is not held,
 * except in short calls. Only long calls take the GIL to check. */
int Context::interrupted(void *self)
{
    auto &next = static_cast<Context *>(self)->next_look_;
    auto now = std::chrono::steady_clock::now();
    bool first = next == std::chrono::steady_clock::time_point();
    if (!first && now < next)
        return has_exception();
    next = now + std::chrono::milliseconds(20);
    return !first && raised_by_signal();
}

furrow::context Context::make(Context *self, const std::string &device, int threads,
                              std::uintptr_t stream)
{
    auto options = fur_default<fur_context_options>();
    options.device = device.c_str();
    options.threads = threads;
    options.stream = reinterpret_cast<void *>(stream);
    options.interrupted = interrupted;
    options.interrupted_user = self;
    return furrow::context(&options);
}

Context::Context(const std::string &device, int threads, std::uintptr_t stream)
    : handle_(make(this, device, threads, stream)), device_(device),
      on_gpu_(std::string(fur_context_device(handle_)) == "cuda")
{
    contexts().push_back(this);
}

Context::~Context()
{
    auto &all = contexts();
    all.erase(std::remove(all.begin(), all.end(), this), all.end());
    sweep();
    if (lost_)
        handle_.release();
}

void Context::enter()
{
    user_ = std::this_thread::get_id();
    if (depth_++ == 0)
        next_look_ = {};
}

void Context::leave()
{
    if (--depth_ == 0)
        user_ = std::thread::id();
}

/* Requires the lock and the GIL. Releasing an object may release the last reference to another
 * object, which is then buried in turn. */
void Context::sweep()
{
    while (!dead_.empty()) {
        remains next = std::move(dead_.back());
        dead_.pop_back();
        if (!lost_)
            next.destroy(next.object);
    }
}

void Context::try_sweep()
{
    if (!dead_.empty() && mutex_.try_lock()) {
        sweep();
        mutex_.unlock();
    }
}

void Context::bury(remains &&object)
{
    dead_.push_back(std::move(object));
    try_sweep();
}

/* Runs in the child of a fork, which has only this thread. If another thread was using the context,
 * the context is lost. */
void Context::revive()
{
    bool ours = user_ == std::this_thread::get_id();
    lost_ = lost_ || on_gpu_ || (depth_ > 0 && !ours);
    new (&mutex_) std::recursive_timed_mutex;
    for (int i = 0; ours && i < depth_; i++)
        mutex_.lock();
    if (!ours)
        depth_ = 0;
}

void Context::after_fork_in_child()
{
    for (Context *context : contexts())
        context->revive();
}

void Context::leave_gpus()
{
    for (Context *context : contexts())
        context->lost_ = context->lost_ || context->on_gpu_;
}

static const char *why_lost(const Context &context)
{
    return context.on_gpu()
               ? "a GPU cannot be used in a child of fork: start processes by "
                 "multiprocessing's \"spawn\" or \"forkserver\""
               : "another thread was computing when this process forked, and its work is "
                 "lost: start processes by multiprocessing's \"spawn\" or \"forkserver\"";
}

Use::Use(Context &context, std::int64_t bytes) : context_(context)
{
    if (context.lost_)
        throw furrow::error(FUR_UNSUPPORTED, why_lost(context));
    context.try_sweep();
    if (bytes > brief || !context.mutex_.try_lock()) {
        released_.emplace();
        wait();
    }
    context.enter();
}

Use::Use(Context &context, const Use &) : context_(context)
{
    if (context.lost_)
        throw furrow::error(FUR_UNSUPPORTED, why_lost(context));
    wait();
    context.enter();
}

/* Takes the lock. Ctrl-C ends the wait for another thread. */
void Use::wait()
{
    while (!context_.mutex_.try_lock_for(std::chrono::milliseconds(20))) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
    }
}

Use::~Use()
{
    context_.leave();
    context_.mutex_.unlock();
}

void synchronize(Context &context)
{
    Use use(context);
    expect_ok(fur_context_synchronize(context.get()), context.get());
}

static std::vector<nb::tuple> devices()
{
    std::vector<nb::tuple> all;
    for (const fur_device_info &device : furrow::devices())
        all.push_back(nb::make_tuple(std::string(device.name), std::string(device.description),
                                     device.memory, device.usable != 0));
    return all;
}

void bind_context(nb::module_ &m)
{
    nb::class_<Context>(m, "Context")
        .def(nb::init<const std::string &, int, std::uintptr_t>(), nb::arg("device") = "cpu",
             nb::arg("threads") = 0, nb::arg("stream") = 0)
        .def_prop_ro("device", [](const Context &c) { return fur_context_device(c.get()); })
        .def_prop_ro("threads", [](const Context &c) { return fur_context_threads(c.get()); })
        .def_prop_ro("isa", [](const Context &c) { return fur_context_isa(c.get()); })
        .def_prop_ro("lost", &Context::lost)
        .def_prop_ro("notice", [](const Context &c) { return fur_context_notice(c.get()); })
        .def("synchronize", &synchronize);
    m.def("devices", &devices);
    m.def("after_fork_in_child", &Context::after_fork_in_child);
    m.def("leave_gpus", &Context::leave_gpus);
}
