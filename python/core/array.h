/* Uses arrays of NumPy, CuPy, torch and others as vectors and blocks in a context, in place. */
#ifndef FURROW_PYTHON_ARRAY_H
#define FURROW_PYTHON_ARRAY_H

#include <furrow/furrow.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace nb = nanobind;

using InArray = nb::ndarray<nb::ro>;
using OutArray = nb::ndarray<>;

/* Properties of an array, and its name in messages. The caller holds the array itself. */
struct Dense {
    template <typename... Kind>
    Dense(const nb::ndarray<Kind...> &array, const char *name)
        : name(name), data(array.data()), axes(array.ndim()), shape(array.shape_ptr()),
          stride(array.stride_ptr()), dtype(array.dtype()),
          on_gpu(array.device_type() == nb::device::cuda::value)
    {
    }
    const char *name;
    const void *data;
    std::size_t axes;
    const std::int64_t *shape;
    const std::int64_t *stride;
    nb::dlpack::dtype dtype;
    bool on_gpu;
};

/* Returns the tag of a dtype, or throws an error if the library does not support the dtype. */
fur_value_type value_type_of(const Dense &array);
fur_offset_type offset_type_of(const Dense &array);
nb::dlpack::dtype dtype_of(fur_value_type value);
nb::dlpack::dtype dtype_of(fur_offset_type offset);

/* Returns the address of `size` entries without gaps. */
const void *entries_of(const Dense &array, std::int64_t size);

/* Makes a vector or a block from an array's entries. It uses the array in place, unless the array
 * lies on the host and the context's device is a GPU. The array of a block has two axes, one of
 * them without gaps. This and all functions below require the context's lock. */
furrow::vector vector_of(fur_context *context, const Dense &array);
furrow::vectors block_of(fur_context *context, const Dense &array);

/* As above, for results. If the vector is a copy, finish() copies it back into the array. */
class Result
{
  public:
    Result(fur_context *context, const Dense &array)
        : vector_(vector_of(context, array)), array_(array)
    {
    }
    operator fur_vector *() const
    {
        return vector_;
    }
    void finish() const;

  private:
    furrow::vector vector_;
    Dense array_;
};

class BlockResult
{
  public:
    BlockResult(fur_context *context, const Dense &array)
        : block_(block_of(context, array)), array_(array)
    {
    }
    operator fur_vectors *() const
    {
        return block_;
    }
    void finish() const;

  private:
    furrow::vectors block_;
    Dense array_;
};

#endif
