/* Furrow for C++17 and later: owners of the handles of furrow.h, exceptions, and spans of arrays.
 *
 *     furrow::context context;
 *     auto a = furrow::csr::read_mtx(context, "a.mtx");
 *     furrow::spmv plan(a);
 *     furrow::vector x(context, std::vector<double>(a.cols(), 1.0));
 *     furrow::vector y(context, FUR_F64, a.rows());
 *     plan.apply(1.0, x, 0.0, y);
 *
 * The C headers say what each function computes: a member function calls the C function of the same
 * name. An owner destroys its object. It can be moved but not copied. It converts to the plain
 * handle, so every function of the C interface accepts it. It keeps no other object alive: destroy
 * an object before the object that it was made from, and before the context. Objects of one scope
 * do so by themselves. A failure throws furrow::error. Threads are as in C: use a context and its
 * objects in one thread at a time. */
#ifndef FURROW_FURROW_HPP
#define FURROW_FURROW_HPP

#include <furrow/author.h>
#include <furrow/furrow.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#    include <span>
#endif

namespace furrow
{

/* A call that failed. what() is the context's sentence. */
class error : public std::runtime_error
{
  public:
    error(fur_status status, const char *sentence)
        : std::runtime_error(*sentence ? sentence : fur_status_name(status)), status_(status)
    {
    }
    fur_status status() const noexcept
    {
        return status_;
    }

  private:
    fur_status status_;
};

/* Throws furrow::error if the status is not FUR_OK.
 *
 * context: has the sentence; NULL means the sentence of this thread. */
inline void check(fur_status status, const fur_context *context)
{
    if (status != FUR_OK)
        throw error(status, fur_context_error(context));
}

#if __cplusplus >= 202002L
template <typename T> using span = std::span<T>;
#else
/* An array that the span does not own, like std::span of C++20. */
template <typename T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    /* The span of an array or a container. */
    template <typename Array,
              typename From = std::remove_pointer_t<decltype(std::data(std::declval<Array &>()))>,
              typename = std::enable_if_t<std::is_convertible_v<From (*)[], T (*)[]>>>
    constexpr span(Array &&array) : data_(std::data(array)), size_(std::size(array))
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const
    {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/* The tag of an element type: its fur_value_type or fur_offset_type. */
template <typename T> struct tag;
template <> struct tag<float> : std::integral_constant<fur_value_type, FUR_F32> {
};
template <> struct tag<double> : std::integral_constant<fur_value_type, FUR_F64> {
};
template <> struct tag<std::complex<float>> : std::integral_constant<fur_value_type, FUR_C64> {
};
template <> struct tag<std::complex<double>> : std::integral_constant<fur_value_type, FUR_C128> {
};
template <> struct tag<std::int32_t> : std::integral_constant<fur_offset_type, FUR_I32> {
};
template <> struct tag<std::int64_t> : std::integral_constant<fur_offset_type, FUR_I64> {
};

/* The element type of an array or a container. */
template <typename Array>
using element_t =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const Array &>()))>>;

/* A coefficient: a real or complex number, or a fur_scalar. */
struct scalar : fur_scalar {
    scalar(fur_scalar value) : fur_scalar(value)
    {
    }
    scalar(double value) : fur_scalar(fur_real(value))
    {
    }
    scalar(std::complex<double> value) : fur_scalar(fur_complex(value.real(), value.imag()))
    {
    }
};

/* The owner of an object of the C interface; NULL after it has been moved from. */
template <typename Handle, void (*destroy)(Handle *)> class owner
{
  public:
    owner() noexcept = default;
    explicit owner(Handle *handle) noexcept : handle_(handle)
    {
    }
    /* Owns the object that call(&handle) makes, where call is a function of the C interface. The
     * context has the sentence of a failure. */
    template <typename Call, typename = std::enable_if_t<std::is_invocable_v<Call, Handle **>>>
    owner(const fur_context *context, Call call)
    {
        furrow::check(call(&handle_), context);
    }
    owner(owner &&other) noexcept : handle_(other.release())
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        owner taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~owner()
    {
        destroy(handle_);
    }
    Handle *get() const noexcept
    {
        return handle_;
    }
    operator Handle *() const noexcept
    {
        return handle_;
    }
    /* Returns the object, which then belongs to the caller. */
    Handle *release() noexcept
    {
        return std::exchange(handle_, nullptr);
    }

  private:
    Handle *handle_ = nullptr;
};

/* An owner that also knows the context of its object, for sentences of failures. */
template <typename Handle, void (*destroy)(Handle *)>
class owner_in_context : public owner<Handle, destroy>
{
  public:
    template <typename Call>
    owner_in_context(fur_context *context, Call call)
        : owner<Handle, destroy>(context, call), context_(context)
    {
    }
    fur_context *context() const noexcept
    {
        return context_;
    }

  private:
    fur_context *context_;
};

/* Returns the devices of this machine: the CPU, then the GPUs. */
inline std::vector<fur_device_info> devices()
{
    std::vector<fur_device_info> all;
    while (const fur_device_info *next = fur_device_at(static_cast<int>(all.size())))
        all.push_back(*next);
    return all;
}

/* A context; see furrow/context.h. */
class context : public owner<fur_context, fur_context_destroy>
{
  public:
    explicit context(const fur_context_options *options = nullptr)
        : owner(nullptr, [=](auto out) { return fur_context_create(options, out); })
    {
    }
    /* Makes a context on a device of devices(), by its name: "cpu", "cuda:0". */
    explicit context(const std::string &device)
        : owner(nullptr, [&](auto out) {
              auto options = fur_default<fur_context_options>();
              options.device = device.c_str();
              return fur_context_create(&options, out);
          })
    {
    }
    void synchronize()
    {
        furrow::check(fur_context_synchronize(get()), get());
    }
    /* Calls work(begin, end) on the context's threads, for ranges that cover 0 .. count - 1 once.
     * An exception in it ends the program. */
    template <typename Work> void parallel(std::int64_t count, std::int64_t grain, Work &&work)
    {
        using Own = std::remove_reference_t<Work>;
        auto call = [](void *user, std::int64_t begin, std::int64_t end) noexcept {
            (*static_cast<Own *>(user))(begin, end);
        };
        void *user = const_cast<void *>(static_cast<const void *>(std::addressof(work)));
        furrow::check(fur_context_parallel(get(), count, grain, call, user), get());
    }
};

/* A vector; see furrow/vector.h. */
class vector : public owner<fur_vector, fur_vector_destroy>
{
  public:
    using owner::owner;
    /* Makes a vector of `size` zeros. */
    vector(fur_context *context, fur_value_type value, std::int64_t size)
        : owner(context, [=](auto out) { return fur_vector_create(context, value, size, out); })
    {
    }
    /* Copies an array. */
    template <typename Array, typename T = element_t<Array>>
    vector(fur_context *context, const Array &entries)
        : vector(wrap(context, span<const T>(entries), FUR_OWNERSHIP_COPY))
    {
    }
    /* Makes a vector that uses the array in place. The array must outlive it. */
    template <typename Array> static vector borrow(fur_context *context, Array &entries)
    {
        using T = element_t<Array>;
        return wrap(context, span<const T>(span<T>(entries)), FUR_OWNERSHIP_BORROW);
    }
    static vector read_mtx(fur_context *context, const std::string &path,
                           const fur_mtx_read_options *options = nullptr)
    {
        return vector(context, [&](auto out) {
            return fur_mtx_read_vector(context, path.c_str(), options, out);
        });
    }
    /* Reads the content of a file in memory, which may be compressed. */
    static vector read_mtx_from_memory(fur_context *context, const std::string &text,
                                       const fur_mtx_read_options *options = nullptr)
    {
        return vector(context, [&](auto out) {
            return fur_mtx_read_vector_from_memory(context, text.data(), text.size(), options, out);
        });
    }
    static vector read_binary(fur_context *context, const std::string &path,
                              const fur_binary_read_options *options = nullptr)
    {
        return vector(context, [&](auto out) {
            return fur_binary_read_vector(context, path.c_str(), options, out);
        });
    }
    void write_binary(const std::string &path,
                      const fur_binary_write_options *options = nullptr) const
    {
        done(fur_binary_write_vector(get(), path.c_str(), options));
    }
    void write_mtx(const std::string &path, const fur_mtx_write_options *options = nullptr) const
    {
        done(fur_mtx_write_vector(get(), path.c_str(), options));
    }
    std::int64_t size() const
    {
        return fur_vector_size(get());
    }
    fur_value_type value_type() const
    {
        return fur_vector_value_type(get());
    }
    /* Returns the entries, in the memory of the context's device. They must be of type T. */
    template <typename T> span<T> entries() const
    {
        require<T>(size());
        return {static_cast<T *>(fur_vector_data(get())), static_cast<std::size_t>(size())};
    }
    template <typename T> std::vector<T> download() const
    {
        std::vector<T> entries(static_cast<std::size_t>(size()));
        require<T>(size());
        done(fur_vector_download(get(), entries.data()));
        return entries;
    }
    template <typename Array> void upload(const Array &entries)
    {
        require<element_t<Array>>(static_cast<std::int64_t>(std::size(entries)));
        done(fur_vector_upload(std::data(entries), get()));
    }
    void fill(scalar value)
    {
        done(fur_vector_fill(get(), value));
    }
    void scale(scalar alpha)
    {
        done(fur_vector_scale(get(), alpha));
    }
    vector convert(fur_value_type value) const
    {
        return vector(fur_vector_context(get()),
                      [&](auto out) { return fur_vector_convert(get(), value, out); });
    }

  private:
    template <typename T>
    static vector wrap(fur_context *context, span<const T> entries, fur_ownership ownership)
    {
        return vector(context, [&](auto out) {
            return fur_vector_wrap(context, tag<T>::value,
                                   static_cast<std::int64_t>(entries.size()),
                                   const_cast<T *>(entries.data()), ownership, out);
        });
    }
    void done(fur_status status) const
    {
        furrow::check(status, fur_vector_context(get()));
    }
    /* Throws unless the vector has `count` entries of type T. */
    template <typename T> void require(std::int64_t count) const
    {
        if (tag<T>::value != value_type() || count != size())
            done(fur_context_fail(fur_vector_context(get()), FUR_INVALID,
                                  "the vector has %lld entries of type %s, not %lld of type %s",
                                  static_cast<long long>(size()), fur_value_name(value_type()),
                                  static_cast<long long>(count), fur_value_name(tag<T>::value)));
    }
};

namespace detail
{
/* Throws unless there is one factor for each vector. */
inline void check_factors(span<const fur_scalar> alpha, span<const fur_vector *const> x,
                          const fur_vector *y)
{
    fur_context *context = fur_vector_context(y);
    if (alpha.size() != x.size())
        furrow::check(fur_context_fail(context, FUR_INVALID,
                                       "there are %zu factors for %zu vectors", alpha.size(),
                                       x.size()),
                      context);
}
inline std::vector<std::complex<double>> numbers(const std::vector<fur_scalar> &scalars)
{
    std::vector<std::complex<double>> out;
    for (fur_scalar s : scalars)
        out.emplace_back(s.re, s.im);
    return out;
}
} // namespace detail

inline void copy(const fur_vector *x, fur_vector *y)
{
    furrow::check(fur_vector_copy(x, y), fur_vector_context(x));
}
inline void axpby(scalar alpha, const fur_vector *x, scalar beta, fur_vector *y)
{
    furrow::check(fur_axpby(alpha, x, beta, y), fur_vector_context(x));
}
inline void multiply_elementwise(const fur_vector *x, const fur_vector *y, fur_vector *z)
{
    furrow::check(fur_multiply_elementwise(x, y, z), fur_vector_context(x));
}
inline std::complex<double> dot(const fur_vector *x, const fur_vector *y)
{
    fur_scalar sum = {0, 0};
    furrow::check(fur_dot(x, y, &sum), fur_vector_context(x));
    return {sum.re, sum.im};
}
/* Computes y += sum_k alpha[k] x[k]. */
inline void axpy_many(span<const fur_scalar> alpha, span<const fur_vector *const> x, fur_vector *y)
{
    detail::check_factors(alpha, x, y);
    furrow::check(fur_axpy_many(static_cast<int>(x.size()), alpha.data(), x.data(), y),
                  fur_vector_context(y));
}
/* Returns dot(x[k], y) for all k. */
inline std::vector<std::complex<double>> dot_many(span<const fur_vector *const> x,
                                                  const fur_vector *y)
{
    std::vector<fur_scalar> sums(x.size());
    furrow::check(fur_dot_many(static_cast<int>(x.size()), x.data(), y, sums.data()),
                  fur_vector_context(y));
    return detail::numbers(sums);
}
/* Computes y += sum_k alpha[k] x[k] and returns norm2(y). */
inline double axpy_many_norm2(span<const fur_scalar> alpha, span<const fur_vector *const> x,
                              fur_vector *y)
{
    double norm = 0;
    detail::check_factors(alpha, x, y);
    furrow::check(fur_axpy_many_norm2(static_cast<int>(x.size()), alpha.data(), x.data(), y, &norm),
                  fur_vector_context(y));
    return norm;
}
/* Computes y += sum_k alpha[k] x[k] and returns dot(x[k], y) for all k. */
inline std::vector<std::complex<double>>
axpy_many_dots(span<const fur_scalar> alpha, span<const fur_vector *const> x, fur_vector *y)
{
    std::vector<fur_scalar> sums(x.size());
    detail::check_factors(alpha, x, y);
    furrow::check(
        fur_axpy_many_dots(static_cast<int>(x.size()), alpha.data(), x.data(), y, sums.data()),
        fur_vector_context(y));
    return detail::numbers(sums);
}
/* Computes y += alpha x and returns norm2(y). */
inline double axpy_norm2(scalar alpha, const fur_vector *x, fur_vector *y)
{
    double norm = 0;
    furrow::check(fur_axpy_norm2(alpha, x, y, &norm), fur_vector_context(y));
    return norm;
}
inline double norm1(const fur_vector *x)
{
    double norm = 0;
    furrow::check(fur_norm1(x, &norm), fur_vector_context(x));
    return norm;
}
inline double norm2(const fur_vector *x)
{
    double norm = 0;
    furrow::check(fur_norm2(x, &norm), fur_vector_context(x));
    return norm;
}
inline double norm_max(const fur_vector *x)
{
    double norm = 0;
    furrow::check(fur_norm_max(x, &norm), fur_vector_context(x));
    return norm;
}

/* Numbers in the device's memory, in slots 0 .. FUR_SCALARS_MAX - 1.
 *
 * With them the host need not wait for a dot product that is only the coefficient of a later
 * update. */
class scalars : public owner<fur_scalars, fur_scalars_destroy>
{
  public:
    explicit scalars(fur_context *context)
        : owner(context, [=](auto out) { return fur_scalars_create(context, out); }),
          context_(context)
    {
    }
    void set(const fur_scalars_state &state)
    {
        furrow::check(fur_scalars_set(get(), &state), context_);
    }
    /* Returns the state, after the operations that store to the scalars. */
    fur_scalars_state state() const
    {
        auto state = fur_default<fur_scalars_state>();
        furrow::check(fur_scalars_get(get(), &state), context_);
        return state;
    }
    /* Keeps the first `capacity` values of slots 0 .. slots - 1 from now on, for kept(). */
    void keep(int slots, std::int64_t capacity)
    {
        furrow::check(fur_scalars_keep(get(), slots, capacity), context_);
    }
    std::vector<double> kept(int slot, std::int64_t count) const
    {
        std::vector<double> values(static_cast<std::size_t>(count > 0 ? count : 0));
        furrow::check(fur_scalars_kept(get(), slot, count, values.data()), context_);
        return values;
    }
    /* Returns the coefficient factor re(value[numerator]) / re(value[denominator]). Denominator -1
     * divides by 1. */
    fur_coefficient quotient(int numerator, int denominator = -1, scalar factor = 1.0) const
    {
        return {factor, get(), numerator, denominator};
    }

  private:
    fur_context *context_;
};

/* A coefficient: a number of the host, or a quotient of scalars. */
struct coefficient : fur_coefficient {
    coefficient(fur_coefficient value) : fur_coefficient(value)
    {
    }
    coefficient(scalar value) : fur_coefficient{value, nullptr, 0, -1}
    {
    }
    coefficient(double value) : coefficient(scalar(value))
    {
    }
};

/* Computes value[slot] = dot(x, y). */
inline void dot_into(const fur_vector *x, const fur_vector *y, fur_scalars *scalars, int slot)
{
    furrow::check(fur_dot_into(x, y, scalars, slot), fur_vector_context(x));
}
inline void axpby_from(coefficient alpha, const fur_vector *x, coefficient beta, fur_vector *y)
{
    furrow::check(fur_axpby_from(alpha, x, beta, y), fur_vector_context(x));
}
/* Computes y += alpha x and value[slot] = norm2(y). */
inline void axpy_norm2_into(coefficient alpha, const fur_vector *x, fur_vector *y,
                            fur_scalars *scalars, int slot)
{
    furrow::check(fur_axpy_norm2_into(alpha, x, y, scalars, slot), fur_vector_context(x));
}

/* Computes the residual of conjugate gradients and two results.
 *
 * r += alpha q, value[norm] = norm2(r), value[product] = r.d r. If d is NULL, `constant` replaces
 * it. */
inline void axpy_norms_into(coefficient alpha, const fur_vector *q, const fur_vector *d,
                            scalar constant, fur_vector *r, fur_scalars *scalars, int norm,
                            int product)
{
    furrow::check(fur_axpy_norms_into(alpha, q, d, constant, r, scalars, norm, product),
                  fur_vector_context(r));
}
/* Computes the step and the direction of conjugate gradients.
 *
 * x += alpha p; p = d z + beta p. If d is NULL, `constant` replaces it. */
inline void axpy_direction(coefficient alpha, coefficient beta, const fur_vector *d,
                           scalar constant, const fur_vector *z, fur_vector *p, fur_vector *x)
{
    furrow::check(fur_axpy_direction(alpha, beta, d, constant, z, p, x), fur_vector_context(x));
}

/* Calls on a GPU that are made once and replayed. Their objects must outlive it. */
class recording : public owner<fur_recording, fur_recording_destroy>
{
  public:
    explicit recording(fur_context *context)
        : owner(context, [=](auto out) { return fur_recording_create(context, out); }),
          context_(context)
    {
    }
    /* Records the calls of calls() on objects of the context. After a failure the recording is
     * empty. */
    template <typename Calls> void record(Calls &&calls)
    {
        furrow::check(fur_recording_begin(get()), context_);
        try {
            calls();
        } catch (...) {
            fur_recording_end(get());
            throw;
        }
        furrow::check(fur_recording_end(get()), context_);
    }
    void replay(std::int64_t times = 1)
    {
        furrow::check(fur_recording_replay(get(), times), context_);
    }

  private:
    fur_context *context_;
};

/* A permutation; see furrow/reorder.h. */
class permutation : public owner<fur_permutation, fur_permutation_destroy>
{
  public:
    using owner::owner;
    permutation(fur_context *context, span<const std::int32_t> order)
        : owner(context, [=](auto out) {
              return fur_permutation_create(context, static_cast<std::int64_t>(order.size()),
                                            order.data(), out);
          })
    {
    }
    std::int64_t size() const
    {
        return fur_permutation_size(get());
    }
    /* Returns `order`, in the memory of the context's device: order[i] moves to place i. */
    span<const std::int32_t> order() const
    {
        return {fur_permutation_order(get()), static_cast<std::size_t>(size())};
    }
    /* Returns `position`, in the memory of the context's device: position[order[i]] = i. */
    span<const std::int32_t> position() const
    {
        return {fur_permutation_position(get()), static_cast<std::size_t>(size())};
    }
    permutation transfer(fur_context *context) const
    {
        return permutation(fur_permutation_context(get()),
                           [&](auto out) { return fur_permutation_transfer(get(), context, out); });
    }
    void permute(const fur_vector *x, fur_vector *y) const
    {
        furrow::check(fur_vector_permute(get(), x, y), fur_permutation_context(get()));
    }
    void unpermute(const fur_vector *x, fur_vector *y) const
    {
        furrow::check(fur_vector_unpermute(get(), x, y), fur_permutation_context(get()));
    }
};

/* A sparse matrix in CSR form; see furrow/csr.h. */
class csr : public owner<fur_csr, fur_csr_destroy>
{
  public:
    using owner::owner;
    csr(fur_context *context, const fur_csr_view &arrays,
        fur_ownership ownership = FUR_OWNERSHIP_COPY)
        : owner(context, [&](auto out) { return fur_csr_create(context, &arrays, ownership, out); })
    {
    }
    csr(fur_context *context, const fur_coo_view &coo,
        fur_duplicates duplicates = FUR_DUPLICATES_SUM)
        : owner(context, [&](auto out) { return fur_csr_from_coo(context, &coo, duplicates, out); })
    {
    }
    /* Makes a matrix of offsets.size() - 1 rows from arrays, copied or borrowed. */
    template <typename Offsets, typename Values>
    static csr from_arrays(fur_context *context, std::int64_t cols, const Offsets &offsets,
                           span<const std::int32_t> columns, const Values &values,
                           fur_ownership ownership = FUR_OWNERSHIP_COPY)
    {
        require(context, std::size(offsets) > 0 && std::size(values) == columns.size(),
                "offsets needs one element for each row and one more; columns and values need the "
                "same number of elements");
        auto view = fur_default<fur_csr_view>();
        view.rows = static_cast<std::int64_t>(std::size(offsets)) - 1;
        view.cols = cols;
        view.entries = static_cast<std::int64_t>(columns.size());
        view.value_type = tag<element_t<Values>>::value;
        view.offset_type = tag<element_t<Offsets>>::value;
        view.offsets = std::data(offsets);
        view.columns = columns.data();
        view.values = std::data(values);
        return csr(context, view, ownership);
    }
    /* Makes a matrix from a list of entries. */
    template <typename Values>
    static csr from_coo(fur_context *context, std::int64_t rows, std::int64_t cols,
                        span<const std::int32_t> row_indices, span<const std::int32_t> col_indices,
                        const Values &values, fur_duplicates duplicates = FUR_DUPLICATES_SUM)
    {
        require(context,
                row_indices.size() == std::size(values) && col_indices.size() == std::size(values),
                "rows, cols and values must have the same number of elements");
        auto coo = fur_default<fur_coo_view>();
        coo.rows = rows;
        coo.cols = cols;
        coo.entries = static_cast<std::int64_t>(std::size(values));
        coo.value_type = tag<element_t<Values>>::value;
        coo.row_indices = row_indices.data();
        coo.col_indices = col_indices.data();
        coo.values = std::data(values);
        return csr(context, coo, duplicates);
    }
    static csr read_mtx(fur_context *context, const std::string &path,
                        const fur_mtx_read_options *options = nullptr)
    {
        return csr(context,
                   [&](auto out) { return fur_mtx_read_csr(context, path.c_str(), options, out); });
    }
    /* Reads the content of a file in memory, which may be compressed. */
    static csr read_mtx_from_memory(fur_context *context, const std::string &text,
                                    const fur_mtx_read_options *options = nullptr)
    {
        return csr(context, [&](auto out) {
            return fur_mtx_read_csr_from_memory(context, text.data(), text.size(), options, out);
        });
    }
    static csr read_binary(fur_context *context, const std::string &path,
                           const fur_binary_read_options *options = nullptr)
    {
        return csr(context, [&](auto out) {
            return fur_binary_read_csr(context, path.c_str(), options, out);
        });
    }
    void write_mtx(const std::string &path, const fur_mtx_write_options *options = nullptr) const
    {
        done(fur_mtx_write_csr(get(), path.c_str(), options));
    }
    void write_binary(const std::string &path,
                      const fur_binary_write_options *options = nullptr) const
    {
        done(fur_binary_write_csr(get(), path.c_str(), options));
    }
    const fur_csr_view &view() const
    {
        return *fur_csr_get(get());
    }
    std::int64_t rows() const
    {
        return view().rows;
    }
    std::int64_t cols() const
    {
        return view().cols;
    }
    std::int64_t entries() const
    {
        return view().entries;
    }
    std::complex<double> entry(std::int64_t row, std::int64_t col) const
    {
        fur_scalar value = {0, 0};
        done(fur_csr_entry(get(), row, col, &value));
        return {value.re, value.im};
    }
    /* Copies new values for the same pattern. */
    template <typename Array> void set_values(const Array &values)
    {
        require(fur_csr_context(get()),
                tag<element_t<Array>>::value == view().value_type &&
                    static_cast<std::int64_t>(std::size(values)) == entries(),
                "values must have one element for each entry of the matrix, and the matrix's value "
                "type");
        done(fur_csr_set_values(get(), std::data(values), FUR_OWNERSHIP_COPY));
    }
    /* Calls call(user) when the matrix is destroyed, for example to free borrowed arrays. */
    void on_destroy(void (*call)(void *user), void *user)
    {
        done(fur_csr_on_destroy(get(), call, user));
    }
    /* Scales rows by r and columns by c; NULL means 1. */
    void scale(const fur_vector *r, const fur_vector *c)
    {
        done(fur_csr_scale(get(), r, c));
    }
    void eliminate(span<const std::int32_t> unknowns, scalar diagonal, const fur_vector *x,
                   fur_vector *b)
    {
        done(fur_csr_eliminate(get(), static_cast<std::int64_t>(unknowns.size()), unknowns.data(),
                               diagonal, x, b));
    }
    csr transpose(bool conjugate = false) const
    {
        return derive([=](auto a, auto out) { return fur_csr_transpose(a, conjugate, out); });
    }
    csr permute(const fur_permutation *row_order, const fur_permutation *col_order) const
    {
        return derive(
            [=](auto a, auto out) { return fur_csr_permute(a, row_order, col_order, out); });
    }
    csr convert(fur_value_type value, fur_offset_type offset) const
    {
        return derive([=](auto a, auto out) { return fur_csr_convert(a, value, offset, out); });
    }
    csr transfer(fur_context *context) const
    {
        return derive([=](auto a, auto out) { return fur_csr_transfer(a, context, out); });
    }
    vector diagonal() const
    {
        return vector(fur_csr_context(get()),
                      [&](auto out) { return fur_csr_diagonal(get(), out); });
    }
    /* Returns true if shape, pattern and the bits of all values are the same. */
    bool equals(const fur_csr *b) const
    {
        int equal = 0;
        done(fur_csr_compare(get(), b, &equal));
        return equal != 0;
    }
    csr shift(scalar by) const
    {
        return derive([=](auto a, auto out) { return fur_csr_shift(a, by, out); });
    }
    /* Returns the entries of a band of diagonals. band(INT64_MIN, 0) is the lower triangle. */
    csr band(std::int64_t lowest, std::int64_t highest) const
    {
        return derive([=](auto a, auto out) { return fur_csr_band(a, lowest, highest, out); });
    }
    csr submatrix(std::int64_t row_begin, std::int64_t row_end, std::int64_t col_begin,
                  std::int64_t col_end) const
    {
        return derive([=](auto a, auto out) {
            return fur_csr_submatrix(a, row_begin, row_end, col_begin, col_end, out);
        });
    }
    csr select_rows(span<const std::int32_t> numbers) const
    {
        return select(numbers, true, {}, false);
    }
    csr select_cols(span<const std::int32_t> numbers) const
    {
        return select({}, false, numbers, true);
    }
    csr select(span<const std::int32_t> rows, span<const std::int32_t> cols) const
    {
        return select(rows, true, cols, true);
    }
    csr drop(double tolerance) const
    {
        return derive([=](auto a, auto out) { return fur_csr_drop(a, tolerance, out); });
    }
    double norm(fur_norm norm) const
    {
        double result = 0;
        done(fur_csr_norm(get(), norm, &result));
        return result;
    }
    fur_csr_difference compare_within(const fur_csr *b, double rtol, double atol = 0) const
    {
        auto difference = fur_default<fur_csr_difference>();
        done(fur_csr_compare_within(get(), b, rtol, atol, &difference));
        return difference;
    }
    /* Returns the properties that choose() uses. */
    fur_csr_traits examine() const
    {
        auto traits = fur_default<fur_csr_traits>();
        done(fur_csr_examine(get(), &traits));
        return traits;
    }
    fur_csr_statistics measure() const
    {
        auto figures = fur_default<fur_csr_statistics>();
        done(fur_csr_measure(get(), &figures));
        return figures;
    }
    /* Returns R (A P) of this A. */
    csr triple(const fur_csr *r, const fur_csr *p) const
    {
        return derive([=](auto a, auto out) { return fur_csr_triple(r, a, p, out); });
    }
    /* Returns A B of this A. */
    csr multiply(const fur_csr *b) const
    {
        return derive([=](auto a, auto out) { return fur_csr_multiply(a, b, out); });
    }
    /* Returns the times that "auto" expects of kernel `index`. */
    fur_spmv_estimate estimate_at(int index) const
    {
        auto estimate = fur_default<fur_spmv_estimate>();
        done(fur_spmv_estimate_at(get(), index, &estimate));
        return estimate;
    }
    fur_csr_asymmetry find_asymmetry(fur_symmetry symmetry) const
    {
        auto found = fur_default<fur_csr_asymmetry>();
        done(fur_csr_find_asymmetry(get(), symmetry, &found));
        return found;
    }

  private:
    void done(fur_status status) const
    {
        furrow::check(status, fur_csr_context(get()));
    }
    static void require(fur_context *context, bool holds, const char *sentence)
    {
        if (!holds)
            furrow::check(fur_context_fail(context, FUR_INVALID, "%s", sentence), context);
    }
    template <typename Call> csr derive(Call call) const
    {
        return csr(fur_csr_context(get()), [&](auto out) { return call(get(), out); });
    }
    /* The address of an empty list may be NULL, which fur_csr_select takes as all rows. So an empty
     * list is passed as a list of 0 numbers at another address. */
    csr select(span<const std::int32_t> rows, bool some_rows, span<const std::int32_t> cols,
               bool some_cols) const
    {
        static const std::int32_t none = 0;
        auto list = [](span<const std::int32_t> numbers, bool some) {
            return !some ? nullptr : numbers.size() > 0 ? numbers.data() : &none;
        };
        return derive([&](auto a, auto out) {
            return fur_csr_select(a, static_cast<std::int64_t>(rows.size()), list(rows, some_rows),
                                  static_cast<std::int64_t>(cols.size()), list(cols, some_cols),
                                  out);
        });
    }
};

/* Returns alpha A + beta B. */
inline csr add(const fur_csr *a, scalar alpha, const fur_csr *b, scalar beta)
{
    return csr(fur_csr_context(a), [=](auto out) { return fur_csr_add(a, alpha, b, beta, out); });
}
inline csr add(const fur_csr *a, const fur_csr *b)
{
    return add(a, 1.0, b, 1.0);
}
inline csr multiply_elementwise(const fur_csr *a, const fur_csr *b)
{
    return csr(fur_csr_context(a),
               [=](auto out) { return fur_csr_multiply_elementwise(a, b, out); });
}
inline csr kron(const fur_csr *a, const fur_csr *b)
{
    return csr(fur_csr_context(a), [=](auto out) { return fur_csr_kron(a, b, out); });
}
/* Returns the matrix with d on its diagonal. */
inline csr diagonal_matrix(const fur_vector *d)
{
    return csr(fur_vector_context(d), [=](auto out) { return fur_csr_from_diagonal(d, out); });
}
/* Returns the matrix of a grid of blocks, row by row with block_cols blocks in each row.
 *
 * nullptr is a block of zeros. */
inline csr from_blocks(fur_context *context, std::int64_t block_cols,
                       span<const fur_csr *const> blocks)
{
    auto count = static_cast<std::int64_t>(blocks.size());
    return csr(context, [=](auto out) {
        return fur_csr_from_blocks(block_cols > 0 ? count / block_cols : 0, block_cols,
                                   blocks.data(), out);
    });
}
/* Returns the matrix of a grid of blocks: from_blocks(context, {{a, b}, {c, nullptr}}). */
inline csr from_blocks(fur_context *context,
                       std::initializer_list<std::initializer_list<const fur_csr *>> rows)
{
    std::vector<const fur_csr *> blocks;
    for (const auto &row : rows) {
        if (row.size() != rows.begin()->size())
            furrow::check(fur_context_fail(context, FUR_INVALID,
                                           "rows of blocks have %zu and %zu blocks; all rows need "
                                           "the same number, with nullptr for an empty block",
                                           rows.begin()->size(), row.size()),
                          context);
        blocks.insert(blocks.end(), row);
    }
    auto block_cols = static_cast<std::int64_t>(rows.size() > 0 ? rows.begin()->size() : 0);
    return from_blocks(context, block_cols, span<const fur_csr *const>(blocks));
}

/* Computes alpha X Y^H + beta A at the entries of A.
 *
 * sddmm makes a new matrix. sddmm_apply replaces A's values. */
inline csr sddmm(scalar alpha, const fur_vectors *x, const fur_vectors *y, scalar beta,
                 const fur_csr *a)
{
    return csr(fur_csr_context(a),
               [=](auto out) { return fur_sddmm_multiply(alpha, x, y, beta, a, out); });
}
inline void sddmm_apply(scalar alpha, const fur_vectors *x, const fur_vectors *y, scalar beta,
                        fur_csr *a)
{
    furrow::check(fur_sddmm_apply(alpha, x, y, beta, a), fur_csr_context(a));
}

/* Returns an order for the rows and columns of a; a.permute(p, p) applies it. */
inline permutation reorder(const fur_csr *a, const char *method = nullptr,
                           const fur_reorder_options *options = nullptr,
                           fur_reorder_report *report = nullptr)
{
    return permutation(fur_csr_context(a),
                       [=](auto out) { return fur_reorder(a, method, options, report, out); });
}

/* Returns the figures of an order; NULL means the order of a. */
inline fur_order_figures measure_order(const fur_csr *a, const fur_permutation *order = nullptr)
{
    auto figures = fur_default<fur_order_figures>();
    furrow::check(fur_order_measure(a, order, &figures), fur_csr_context(a));
    return figures;
}

/* Returns the unpacked text of a file. */
inline std::string unpack_mtx(fur_context *context, const std::string &path)
{
    std::string text;
    auto append = [](void *to, const char *piece, std::size_t bytes) {
        try {
            static_cast<std::string *>(to)->append(piece, bytes);
            return 0;
        } catch (const std::bad_alloc &) {
            return 1;
        }
    };
    furrow::check(fur_mtx_unpack(context, path.c_str(), append, &text), context);
    return text;
}

/* Reads the header of a file. */
inline fur_mtx_header read_mtx_header(fur_context *context, const std::string &path)
{
    auto header = fur_default<fur_mtx_header>();
    furrow::check(fur_mtx_read_header(context, path.c_str(), &header), context);
    return header;
}
inline fur_mtx_header read_binary_header(fur_context *context, const std::string &path)
{
    auto header = fur_default<fur_mtx_header>();
    furrow::check(fur_binary_read_header(context, path.c_str(), &header), context);
    return header;
}

/* A block of vectors. Destroy its views before it. */
class vectors : public owner<fur_vectors, fur_vectors_destroy>
{
  public:
    using owner::owner;
    /* Makes a block of zeros. */
    vectors(fur_context *context, fur_value_type value, std::int64_t rows, std::int64_t cols,
            fur_layout layout = FUR_LAYOUT_ROWS)
        : owner(context, [=](auto out) {
              return fur_vectors_create(context, value, rows, cols, layout, out);
          })
    {
    }
    /* Makes a block from the caller's array. */
    vectors(fur_context *context, const fur_vectors_view &array, fur_ownership ownership)
        : owner(context,
                [&](auto out) { return fur_vectors_wrap(context, &array, ownership, out); })
    {
    }
    /* Makes a view of a vector as one column. */
    static vectors from_vector(fur_vector *x)
    {
        return vectors(fur_vector_context(x),
                       [=](auto out) { return fur_vectors_from_vector(x, out); });
    }
    const fur_vectors_view &view() const
    {
        return *fur_vectors_get(get());
    }
    vectors columns(std::int64_t first, std::int64_t count)
    {
        return vectors(context(),
                       [&](auto out) { return fur_vectors_columns(get(), first, count, out); });
    }
    vectors rows(std::int64_t first, std::int64_t count)
    {
        return vectors(context(),
                       [&](auto out) { return fur_vectors_rows(get(), first, count, out); });
    }
    vector column(std::int64_t j)
    {
        return vector(context(), [&](auto out) { return fur_vectors_column(get(), j, out); });
    }
    void upload(const void *entries)
    {
        done(fur_vectors_upload(entries, get()));
    }
    void download(void *entries) const
    {
        done(fur_vectors_download(get(), entries));
    }
    void fill(scalar value)
    {
        done(fur_vectors_fill(get(), value));
    }
    void write_mtx(const std::string &path, const fur_mtx_write_options *options = nullptr) const
    {
        done(fur_mtx_write_vectors(get(), path.c_str(), options));
    }
    void copy_to(fur_vectors *y) const
    {
        done(fur_vectors_copy(get(), y));
    }
    /* Computes Y = alpha X + beta Y for this X. */
    void axpby(scalar alpha, scalar beta, fur_vectors *y) const
    {
        done(fur_vectors_axpby(alpha, get(), beta, y));
    }
    /* Computes Y = alpha X C + beta Y for this X. C is stored row by row. */
    void multiply(scalar alpha, const fur_scalar *c, scalar beta, fur_vectors *y) const
    {
        done(fur_vectors_multiply(alpha, get(), c, beta, y));
    }
    /* Returns X^H Y for this X, row by row. */
    std::vector<fur_scalar> gram(const fur_vectors *y) const
    {
        std::int64_t entries = view().cols * fur_vectors_get(y)->cols;
        std::vector<fur_scalar> out(static_cast<std::size_t>(entries) + 1);
        done(fur_vectors_gram(get(), y, out.data()));
        out.pop_back();
        return out;
    }
    /* Returns the graph of the k nearest neighbours of each row of this X. */
    csr neighbours(std::int64_t k, const fur_neighbours_options *options = nullptr,
                   fur_neighbours_report *report = nullptr) const
    {
        return csr(context(),
                   [&](auto out) { return fur_neighbours(get(), k, options, report, out); });
    }
    /* Returns the rigid body modes of points, the rows of this X. */
    vectors rigid_modes() const
    {
        return vectors(context(), [&](auto out) { return fur_amg_rigid_modes(get(), out); });
    }
    std::vector<double> norms(fur_norm norm) const
    {
        std::vector<double> out(static_cast<std::size_t>(view().cols) + 1);
        done(fur_vectors_norms(get(), norm, out.data()));
        out.pop_back();
        return out;
    }

  private:
    fur_context *context() const
    {
        return fur_vectors_context(get());
    }
    void done(fur_status status) const
    {
        furrow::check(status, context());
    }
};

/* A plan for Y = alpha op(A) X + beta Y with blocks of vectors. */
class spmm : public owner<fur_spmm, fur_spmm_destroy>
{
  public:
    explicit spmm(const fur_csr *a, const fur_spmm_options *options = nullptr)
        : owner(fur_csr_context(a), [=](auto out) { return fur_spmm_plan(a, options, out); })
    {
    }
    void apply(scalar alpha, const fur_vectors *x, scalar beta, fur_vectors *y) const
    {
        furrow::check(fur_spmm_apply(get(), alpha, x, beta, y), fur_vectors_context(x));
    }
    const fur_spmm_report &describe() const
    {
        return *fur_spmm_describe(get());
    }
};

/* A plan for y = alpha op(A) x + beta y. */
class spmv : public owner_in_context<fur_spmv, fur_spmv_destroy>
{
  public:
    explicit spmv(const fur_csr *a, const fur_spmv_options *options = nullptr)
        : owner_in_context(fur_csr_context(a),
                           [=](auto out) { return fur_spmv_plan(a, options, out); })
    {
    }
    void apply(scalar alpha, const fur_vector *x, scalar beta, fur_vector *y) const
    {
        furrow::check(fur_spmv_apply(get(), alpha, x, beta, y), fur_vector_context(x));
    }
    const fur_spmv_report &describe() const
    {
        return *fur_spmv_describe(get());
    }
};

/* Rows divided into levels, colours or components. */
class classes : public owner<fur_classes, fur_classes_destroy>
{
  public:
    static classes levels(const fur_csr *a, fur_triangle triangle)
    {
        return classes(fur_csr_context(a),
                       [=](auto out) { return fur_classes_from_levels(a, triangle, out); });
    }
    static classes colours(const fur_csr *a, const fur_colour_options *options = nullptr)
    {
        return classes(fur_csr_context(a),
                       [=](auto out) { return fur_classes_from_colours(a, options, out); });
    }
    static classes components(const fur_csr *a)
    {
        return classes(fur_csr_context(a),
                       [=](auto out) { return fur_classes_from_components(a, out); });
    }
    std::int64_t count() const
    {
        return fur_classes_get(get())->count;
    }
    std::int32_t of_row(std::int64_t row) const
    {
        return fur_classes_get(get())->of_rows[row];
    }
    permutation order() const
    {
        return permutation(context_, [&](auto out) { return fur_classes_order(get(), out); });
    }

  private:
    template <typename Make>
    classes(fur_context *context, Make make) : owner(context, make), context_(context)
    {
    }
    fur_context *context_;
};

/* Returns an order of the rows with the largest product on the diagonal.
 *
 * r and c, unless null, receive the scales. */
inline permutation match(const fur_csr *a, fur_vector *r = nullptr, fur_vector *c = nullptr,
                         fur_matching_report *report = nullptr)
{
    return permutation(fur_csr_context(a),
                       [=](auto out) { return fur_matching_find(a, r, c, report, out); });
}

/* A plan for solves with a triangle: op(T) x = alpha b. */
class trsv : public owner_in_context<fur_trsv, fur_trsv_destroy>
{
  public:
    explicit trsv(const fur_csr *a, fur_triangle triangle = FUR_TRIANGLE_LOWER,
                  fur_op op = FUR_OP_N, fur_triangle_diagonal diagonal = FUR_DIAGONAL_STORED,
                  const fur_trsv_options *options = nullptr)
        : owner_in_context(fur_csr_context(a), [=](auto out) {
              return fur_trsv_plan(a, triangle, op, diagonal, options, out);
          })
    {
    }
    void apply(scalar alpha, const fur_vector *b, fur_vector *x) const
    {
        furrow::check(fur_trsv_apply(get(), alpha, b, x), fur_vector_context(x));
    }
    /* Solves for each b[k] and stores the solution in x[k]. */
    void apply_many(scalar alpha, const std::vector<const fur_vector *> &b,
                    const std::vector<fur_vector *> &x) const
    {
        furrow::check(
            fur_trsv_apply_many(get(), alpha, static_cast<int>(b.size()), b.data(), x.data()),
            context());
    }
    const fur_trsv_report &describe() const
    {
        return *fur_trsv_describe(get());
    }
};

/* A plan for C = alpha A B. */
class spgemm : public owner<fur_spgemm, fur_spgemm_destroy>
{
  public:
    spgemm(const fur_csr *a, const fur_csr *b, const fur_spgemm_options *options = nullptr)
        : owner(fur_csr_context(a), [=](auto out) { return fur_spgemm_plan(a, b, options, out); }),
          context_(fur_csr_context(a))
    {
    }
    csr multiply(scalar alpha = 1.0) const
    {
        return csr(context_, [&](auto out) { return fur_spgemm_multiply(get(), alpha, out); });
    }
    void apply(scalar alpha, fur_csr *c) const
    {
        furrow::check(fur_spgemm_apply(get(), alpha, c), context_);
    }
    const fur_spgemm_report &describe() const
    {
        return *fur_spgemm_describe(get());
    }

  private:
    fur_context *context_;
};

/* A plan for C = alpha R (A P). */
class triple : public owner<fur_triple, fur_triple_destroy>
{
  public:
    triple(const fur_csr *r, const fur_csr *a, const fur_csr *p,
           const fur_spgemm_options *options = nullptr)
        : owner(fur_csr_context(r),
                [=](auto out) { return fur_triple_plan(r, a, p, options, out); }),
          context_(fur_csr_context(r))
    {
    }
    csr multiply(scalar alpha = 1.0)
    {
        return csr(context_, [&](auto out) { return fur_triple_multiply(get(), alpha, out); });
    }
    void apply(scalar alpha, fur_csr *c)
    {
        furrow::check(fur_triple_apply(get(), alpha, c), context_);
    }

  private:
    fur_context *context_;
};

/* A stencil; see furrow/stencil.h. */
class stencil : public owner<fur_stencil, fur_stencil_destroy>
{
  public:
    stencil(fur_context *context, const fur_stencil_definition &definition)
        : owner(context, [&](auto out) { return fur_stencil_create(context, &definition, out); }),
          context_(context)
    {
    }
    void apply(scalar alpha, const fur_vector *x, scalar beta, fur_vector *y) const
    {
        furrow::check(fur_stencil_apply(get(), alpha, x, beta, y), context_);
    }
    void apply_block(scalar alpha, const fur_vectors *x, scalar beta, fur_vectors *y) const
    {
        furrow::check(fur_stencil_apply_block(get(), alpha, x, beta, y), context_);
    }
    void sweep(std::int64_t count, scalar alpha, const fur_vector *b, fur_vector *x,
               fur_vector *work) const
    {
        furrow::check(fur_stencil_sweep(get(), count, alpha, b, x, work), context_);
    }
    csr assemble() const
    {
        return csr(context_, [&](auto out) { return fur_stencil_assemble(get(), out); });
    }
    const fur_stencil_report &describe() const
    {
        return *fur_stencil_describe(get());
    }

  private:
    fur_context *context_;
};

/* The stencil that was recognised in a matrix; NULL if there is none. */
class recognised : public owner<fur_recognised, fur_recognised_destroy>
{
  public:
    explicit recognised(const fur_csr *a, const fur_recognise_options *options = nullptr,
                        fur_recognise_report *report = nullptr)
        : owner(fur_csr_context(a),
                [=](auto out) { return fur_stencil_recognise(a, options, report, out); })
    {
    }
    void apply(scalar alpha, const fur_vector *x, scalar beta, fur_vector *y) const
    {
        furrow::check(fur_recognised_apply(get(), alpha, x, beta, y), fur_vector_context(x));
    }
};

/* Geometric multigrid for a stencil. The stencil may be destroyed before it. */
class multigrid : public owner<fur_multigrid, fur_multigrid_destroy>
{
  public:
    multigrid(fur_context *context, const fur_stencil *a,
              const fur_multigrid_options *options = nullptr)
        : owner(context, [=](auto out) { return fur_multigrid_create(a, options, out); }),
          context_(context)
    {
    }
    /* Improves x by one cycle. */
    void cycle(const fur_vector *b, fur_vector *x)
    {
        furrow::check(fur_multigrid_cycle(get(), b, x), context_);
    }
    /* Runs cycles from the initial guess in x. 0 means the defaults of fur_multigrid_solve. The
     * report says how the solve ended, as for a solver. */
    fur_solver_report solve(const fur_vector *b, fur_vector *x, double rtol = 0,
                            std::int64_t max_cycles = 0)
    {
        auto report = fur_default<fur_solver_report>();
        furrow::check(fur_multigrid_solve(get(), b, x, rtol, max_cycles, &report), context_);
        return report;
    }
    const fur_multigrid_report &describe() const
    {
        return *fur_multigrid_describe(get());
    }

  private:
    fur_context *context_;
};

/* Algebraic multigrid. linear_operator makes it a preconditioner for solvers. */
class amg : public owner<fur_amg, fur_amg_destroy>
{
  public:
    explicit amg(const fur_csr *a, const fur_amg_options *options = nullptr)
        : owner(fur_csr_context(a), [&](auto out) { return fur_amg_create(a, options, out); }),
          context_(fur_csr_context(a))
    {
    }
    /* Computes x = M b by one cycle. */
    void apply(const fur_vector *b, fur_vector *x)
    {
        furrow::check(fur_amg_apply(get(), b, x), context_);
    }
    void share(const fur_sharing &sharing, std::int64_t whole)
    {
        furrow::check(fur_amg_share(get(), &sharing, whole), context_);
    }
    static fur_amg_prediction predict(const fur_csr *a, const fur_amg_options *options = nullptr)
    {
        fur_amg_prediction found = {};
        found.size = sizeof found;
        furrow::check(fur_amg_predict(a, options, &found), fur_csr_context(a));
        return found;
    }
    const fur_amg_report &describe() const
    {
        return *fur_amg_describe(get());
    }

  private:
    fur_context *context_;
};

/* A preconditioner z = M r, M ~ A^-1, of a matrix that must outlive it. */
class precond : public owner_in_context<fur_precond, fur_precond_destroy>
{
  public:
    explicit precond(const fur_csr *a, const fur_precond_options *options = nullptr)
        : owner_in_context(fur_csr_context(a),
                           [=](auto out) { return fur_precond_create(a, options, out); })
    {
    }
    explicit precond(const fur_csr *a, std::nullptr_t)
        : precond(a, static_cast<const fur_precond_options *>(nullptr))
    {
    }
    /* Makes a kind with options, such as "ilut:fill=20,drop=1e-4". */
    explicit precond(const fur_csr *a, const char *kind) : precond(a, options_of(kind))
    {
    }
    /* Throws unless the text is a kind with valid options. */
    static void check(const char *kind)
    {
        furrow::check(fur_precond_check(kind), nullptr);
    }
    /* Computes the preconditioner again for new values of the matrix. */
    void update()
    {
        furrow::check(fur_precond_update(get()), context());
    }
    void apply(const fur_vector *r, fur_vector *z)
    {
        furrow::check(fur_precond_apply(get(), r, z), context());
    }
    const fur_precond_report &describe() const
    {
        return *fur_precond_describe(get());
    }
    /* Returns the hierarchy of "amg"; NULL for other kinds. */
    fur_amg *hierarchy() const
    {
        return fur_precond_hierarchy(get());
    }

  private:
    explicit precond(const fur_csr *a, const fur_precond_options &options) : precond(a, &options)
    {
    }
    static fur_precond_options options_of(const char *kind)
    {
        auto made = fur_default<fur_precond_options>();
        made.kind = kind;
        return made;
    }
};

/* The fastest product y = op(A) x: by a kernel, by a stencil, or in another order. */
class product : public owner<fur_product, fur_product_destroy>
{
  public:
    explicit product(const fur_csr *a, const fur_product_options *options = nullptr)
        : owner(fur_csr_context(a), [=](auto out) { return fur_product_create(a, options, out); })
    {
    }
    /* Returns the operator, valid as long as the product. Its vectors are in order(). */
    const fur_operator *as_operator() const
    {
        return fur_product_operator(get());
    }
    /* Returns the order, valid as long as the product; NULL: the order of A. */
    const fur_permutation *order() const
    {
        return fur_product_order(get());
    }
    /* Returns the matrix in that order, valid as long as the product. */
    const fur_csr *matrix() const
    {
        return fur_product_matrix(get());
    }
    const fur_product_report &describe() const
    {
        return *fur_product_describe(get());
    }
};

/* A linear operator y = A x, known by its action alone. */
class linear_operator : public owner<fur_operator, fur_operator_destroy>
{
  public:
    using owner::owner;
    /* Makes an operator from functions. apply(x, y) sets y to A x and must not change x.
     * diagonal(d), unless nullptr, sets d to the diagonal of A. All arguments are furrow::vector.
     * An exception becomes the failure of the call that uses the operator. */
    template <typename Apply, typename Diagonal = std::nullptr_t>
    linear_operator(fur_context *context, fur_value_type value, std::int64_t rows,
                    std::int64_t cols, Apply apply, Diagonal diagonal = nullptr)
        : owner(context, [&](auto out) {
              using own_functions = functions<Apply, Diagonal>;
              std::unique_ptr<own_functions> own(
                  new own_functions{std::move(apply), std::move(diagonal)});
              auto definition = fur_default<fur_operator_definition>();
              definition.rows = rows;
              definition.cols = cols;
              definition.value_type = value;
              definition.user = own.get();
              definition.apply = own_functions::run_apply;
              if constexpr (!std::is_null_pointer_v<Diagonal>)
                  definition.diagonal = own_functions::run_diagonal;
              definition.release = [](void *user) { delete static_cast<own_functions *>(user); };
              fur_status status = fur_operator_create(context, &definition, out);
              if (status == FUR_OK)
                  own.release(); // the operator owns them
              return status;
          })
    {
    }
    explicit linear_operator(const spmv &plan)
        : owner(plan.context(), [&](auto out) { return fur_operator_from_spmv(plan, out); })
    {
    }
    explicit linear_operator(const trsv &plan)
        : owner(plan.context(), [&](auto out) { return fur_operator_from_trsv(plan, out); })
    {
    }
    linear_operator(fur_context *context, const stencil &s)
        : owner(context, [&](auto out) { return fur_operator_from_stencil(s, out); })
    {
    }
    linear_operator(fur_context *context, const recognised &r)
        : owner(context, [&](auto out) { return fur_operator_from_recognised(r, out); })
    {
    }
    /* Makes a preconditioner: one cycle from 0. The multigrid must outlive it. */
    linear_operator(fur_context *context, const multigrid &mg)
        : owner(context, [&](auto out) { return fur_operator_from_multigrid(mg, out); })
    {
    }
    /* Makes a preconditioner: one cycle from 0. The hierarchy must outlive it. */
    linear_operator(fur_context *context, const amg &mg)
        : owner(context, [&](auto out) { return fur_operator_from_amg(mg, out); })
    {
    }
    /* Makes the operator of a preconditioner, which must outlive it. */
    explicit linear_operator(const precond &m)
        : owner(m.context(), [&](auto out) { return fur_operator_from_precond(m, out); })
    {
    }
    /* Makes Jacobi's preconditioner of an operator. */
    static linear_operator jacobi(const fur_operator *a)
    {
        return linear_operator(fur_operator_context(a),
                               [=](auto out) { return fur_operator_jacobi(a, out); });
    }
    /* Makes the operator P^T B P. */
    static linear_operator permute(const fur_operator *b, const fur_permutation *p)
    {
        return linear_operator(fur_operator_context(b),
                               [=](auto out) { return fur_operator_permute(b, p, out); });
    }
    void apply(const fur_vector *x, fur_vector *y) const
    {
        furrow::check(fur_operator_apply(get(), x, y), fur_operator_context(get()));
    }

    /* Returns the context of x. */
    fur_context *domain() const
    {
        return fur_operator_domain(get());
    }
    std::int64_t rows() const
    {
        return fur_operator_rows(get());
    }
    std::int64_t cols() const
    {
        return fur_operator_cols(get());
    }
    vector diagonal() const
    {
        vector d(fur_operator_context(get()), fur_operator_value_type(get()), rows());
        furrow::check(fur_operator_diagonal(get(), d), fur_operator_context(get()));
        return d;
    }
    /* Call this after apply() computes something else. Preconditioners made from the operator read
     * its diagonal again. */
    void changed()
    {
        fur_operator_changed(get());
    }

  private:
    /* A vector that belongs to the caller, for the time of a call. */
    struct lent : vector {
        using vector::vector;
        ~lent()
        {
            release();
        }
    };
    /* Returns the status of a call that may throw. */
    template <typename Call> static fur_status guarded(fur_context *context, Call call) noexcept
    {
        try {
            call();
            return FUR_OK;
        } catch (const error &problem) {
            return fur_context_fail(context, problem.status(), "%s", problem.what());
        } catch (const std::bad_alloc &) {
            return fur_context_fail(context, FUR_OUT_OF_MEMORY,
                                    "the operator's function ran out of memory");
        } catch (const std::exception &problem) {
            return fur_context_fail(context, FUR_INVALID, "%s", problem.what());
        } catch (...) {
            return fur_context_fail(
                context, FUR_INVALID,
                "the operator's function threw an object that is not a std::exception");
        }
    }
    /* The caller's functions. */
    template <typename Apply, typename Diagonal> struct functions {
        Apply apply;
        Diagonal diagonal;

        static fur_status run_apply(void *user, const fur_vector *x, fur_vector *y) noexcept
        {
            return guarded(fur_vector_context(x), [=] {
                const lent in(const_cast<fur_vector *>(x));
                lent out(y);
                static_cast<functions *>(user)->apply(static_cast<const vector &>(in),
                                                      static_cast<vector &>(out));
            });
        }
        static fur_status run_diagonal(void *user, fur_vector *d) noexcept
        {
            return guarded(fur_vector_context(d), [=] {
                lent out(d);
                static_cast<functions *>(user)->diagonal(static_cast<vector &>(out));
            });
        }
    };
};

/* Times two operators in turn and returns the shortest time of a product by each, in seconds. */
inline std::pair<double, double> race(const fur_operator *a, const fur_operator *b,
                                      double seconds = 0)
{
    const fur_operator *const both[] = {a, b};
    double least[2] = {0, 0};
    furrow::check(fur_operator_race(both, seconds, least), fur_operator_context(a));
    return {least[0], least[1]};
}

/* A solver. The operator and the preconditioner must outlive it. */
class solver : public owner<fur_solver, fur_solver_destroy>
{
  public:
    explicit solver(const fur_operator *a, const fur_solver_options *options = nullptr)
        : owner(fur_operator_context(a),
                [=](auto out) { return fur_solver_create(a, options, out); }),
          context_(fur_operator_context(a))
    {
    }
    /* Solves from the initial guess in x. The report says how the solve ended; only a failed call
     * throws. */
    fur_solver_report solve(const fur_vector *b, fur_vector *x)
    {
        auto report = fur_default<fur_solver_report>();
        furrow::check(fur_solver_solve(get(), b, x, &report), context_);
        return report;
    }
    /* Solves A X = B from the initial guesses in X. Returns a report for each column. */
    std::vector<fur_solver_report> solve(const fur_vectors *b, fur_vectors *x)
    {
        auto cols = static_cast<std::size_t>(fur_vectors_get(b)->cols);
        std::vector<fur_solver_report> reports(cols, fur_default<fur_solver_report>());
        furrow::check(fur_solver_solve_block(get(), b, x, reports.data()), context_);
        return reports;
    }
    /* Makes a preconditioner of any value type: a solve from 0. The solver must outlive it. */
    linear_operator as_operator(fur_value_type value)
    {
        return linear_operator(
            context_, [&](auto out) { return fur_operator_from_solver(get(), value, out); });
    }

  private:
    fur_context *context_;
};

/* Stores the iterate in x. Only a monitor may call it. */
inline void iterate(const fur_solver_progress &progress, fur_vector *x)
{
    furrow::check(fur_solver_iterate(&progress, x), fur_vector_context(x));
}

/* Returns the first choice for a matrix with these traits, or the next after `outcome`. */
inline fur_choice choose(const fur_csr_traits &traits, const fur_choice *previous = nullptr,
                         fur_outcome outcome = FUR_OUTCOME_UNSOLVED)
{
    auto choice = fur_default<fur_choice>();
    furrow::check(fur_choose(&traits, previous, outcome, &choice), nullptr);
    return choice;
}

/* Solves from the initial guess in x, and chooses how. */
inline fur_solver_report solve(const fur_csr *a, const fur_vector *b, fur_vector *x,
                               const fur_solve_options *options = nullptr)
{
    auto report = fur_default<fur_solver_report>();
    furrow::check(fur_solve(a, b, x, options, &report), fur_csr_context(a));
    return report;
}

/* Eigenvalues, the norm ||A v - lambda v|| of each, and the eigenvectors v. */
struct eigenpairs {
    std::vector<double> values;
    std::vector<double> residuals;
    std::vector<vector> vectors;
    fur_eigs_report report = fur_default<fur_eigs_report>();
};

/* Returns the eigenpairs that `find` finds: fur_eigs or fur_lobpcg. */
template <typename Options, typename Find>
eigenpairs find_eigenpairs(const fur_operator *a, const Options *options, int most, Find find)
{
    fur_context *context = fur_operator_context(a);
    std::int64_t rows = fur_operator_rows(a);
    auto own = options ? *options : fur_default<Options>();
    if (own.count == 0)
        own.count = static_cast<int>(rows < 6 ? rows : 6);
    bool fits = own.count > 0 && own.count <= rows && own.count <= most;
    std::size_t count =
        fits ? static_cast<std::size_t>(own.count) : 0; /* otherwise `find` refuses it */
    eigenpairs found;
    std::vector<fur_vector *> handles;
    found.values.resize(count);
    found.residuals.resize(count);
    for (std::size_t i = 0; i < count; i++) {
        found.vectors.emplace_back(context, fur_operator_value_type(a), rows);
        handles.push_back(found.vectors[i]);
    }
    furrow::check(
        find(a, &own, found.values.data(), found.residuals.data(), handles.data(), &found.report),
        context);
    return found;
}

/* Returns some extreme eigenvalues of a symmetric (Hermitian) operator. */
inline eigenpairs eigs(const fur_operator *a, const fur_eigs_options *options = nullptr)
{
    return find_eigenpairs(a, options, FUR_EIGS_MAX_COUNT, fur_eigs);
}

/* Returns eigenvalues, with a preconditioner, or orthogonal to given vectors. */
inline eigenpairs lobpcg(const fur_operator *a, const fur_lobpcg_options *options = nullptr)
{
    return find_eigenpairs(a, options, FUR_LOBPCG_MAX_COUNT, fur_lobpcg);
}

/* A file that appears under its name when commit() returns. Without it nothing remains. */
class output : public owner<fur_output, fur_output_abandon>
{
  public:
    output(fur_context *context, const std::string &path)
        : owner(context, [&](auto out) { return fur_output_create(context, path.c_str(), out); }),
          context_(context)
    {
    }
    template <typename Array> void write(const Array &bytes)
    {
        furrow::check(
            fur_output_write(get(), std::data(bytes), std::size(bytes) * sizeof *std::data(bytes)),
            context_);
    }
    void commit(bool sync = false)
    {
        furrow::check(fur_output_commit(release(), sync), context_);
    }

  private:
    fur_context *context_;
};

/* Systems of one pattern. Pattern and values must outlive it. */
class batch : public owner<fur_batch, fur_batch_destroy>
{
  public:
    batch(const fur_csr *pattern, const fur_vectors *values)
        : owner(fur_csr_context(pattern),
                [=](auto out) { return fur_batch_create(pattern, values, out); })
    {
    }
    std::int64_t count() const
    {
        return fur_batch_count(get());
    }
    void apply(scalar alpha, const fur_vectors *x, scalar beta, fur_vectors *y) const
    {
        furrow::check(fur_batch_apply(get(), alpha, x, beta, y), fur_batch_context(get()));
    }
};

/* A solver for the systems of a batch, which must outlive it. */
class batch_solver : public owner<fur_batch_solver, fur_batch_solver_destroy>
{
  public:
    explicit batch_solver(const fur_batch *batch, const fur_batch_solver_options *options = nullptr)
        : owner(fur_batch_context(batch),
                [=](auto out) { return fur_batch_solver_create(batch, options, out); }),
          context_(fur_batch_context(batch)),
          count_(static_cast<std::size_t>(fur_batch_count(batch)))
    {
    }
    /* Solves all systems and returns how each solve ended. */
    std::vector<fur_batch_result> solve(const fur_vectors *b, fur_vectors *x)
    {
        std::vector<fur_batch_result> results(count_);
        furrow::check(fur_batch_solve(get(), b, x, results.data(), nullptr), context_);
        return results;
    }

  private:
    fur_context *context_;
    std::size_t count_;
};

} // namespace furrow

#endif
