#include "array.h"

#include "errors.h"

#include <cstring>
#include <string>

[[noreturn]] static void refuse(const Dense &array, const std::string &why)
{
    throw furrow::error(FUR_INVALID, (std::string(array.name) + " " + why).c_str());
}

nb::dlpack::dtype dtype_of(fur_value_type value)
{
    bool complex = value == FUR_C64 || value == FUR_C128;
    auto code = complex ? nb::dlpack::dtype_code::Complex : nb::dlpack::dtype_code::Float;
    auto bits = 8 * fur_value_size(value);
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
}

nb::dlpack::dtype dtype_of(fur_offset_type offset)
{
    auto bits = 8 * fur_offset_size(offset);
    return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int), static_cast<std::uint8_t>(bits),
            1};
}

fur_value_type value_type_of(const Dense &array)
{
    for (auto value : {FUR_F64, FUR_F32, FUR_C64, FUR_C128})
        if (array.dtype == dtype_of(value))
            return value;
    refuse(array, "has a dtype that is not float32, float64, complex64 or complex128");
}

fur_offset_type offset_type_of(const Dense &array)
{
    for (auto offset : {FUR_I32, FUR_I64})
        if (array.dtype == dtype_of(offset))
            return offset;
    refuse(array, "has a dtype that is neither int32 nor int64");
}

const void *entries_of(const Dense &array, std::int64_t size)
{
    if (array.axes != 1 || array.shape[0] != size)
        refuse(array, "should have one axis of " + std::to_string(size) + " entries");
    if (size > 1 && array.stride[0] != 1)
        refuse(array, "has gaps between its entries");
    return array.data;
}

static bool is_gpu(const fur_context *context)
{
    return std::strcmp(fur_context_device(context), "cuda") == 0;
}

/* Borrowed for most arrays. Empty arrays, and host arrays for a GPU, are not borrowed. */
static fur_ownership ownership_of(const fur_context *context, const Dense &array, bool empty)
{
    bool gpu = is_gpu(context);
    if (array.on_gpu && !gpu)
        refuse(array, "is on a GPU, but the matrix is on the CPU");
    return empty || array.on_gpu != gpu ? FUR_OWNERSHIP_COPY : FUR_OWNERSHIP_BORROW;
}

furrow::vector vector_of(fur_context *context, const Dense &array)
{
    if (array.axes != 1)
        refuse(array, "should have one axis");
    std::int64_t size = array.shape[0];
    void *entries = const_cast<void *>(entries_of(array, size));
    fur_value_type value = value_type_of(array);
    auto ownership = ownership_of(context, array, size == 0);
    return furrow::vector(context, [&](auto out) {
        return fur_vector_wrap(context, value, size, entries, ownership, out);
    });
}

void Result::finish() const
{
    fur_context *context = fur_vector_context(vector_);
    if (is_gpu(context) && !array_.on_gpu)
        expect_ok(fur_vector_download(vector_, const_cast<void *>(array_.data)), context);
}

/* Finds the layout and stride of an array that is not empty. */
static void lay_out(const Dense &array, fur_vectors_view *view)
{
    bool rows = array.stride[1] == 1 || view->cols == 1;
    bool columns = array.stride[0] == 1 || view->rows == 1;
    if (rows && (array.stride[0] >= view->cols || view->rows == 1)) {
        view->layout = FUR_LAYOUT_ROWS;
        view->stride = view->rows == 1 ? 0 : array.stride[0];
    } else if (columns && (array.stride[1] >= view->rows || view->cols == 1)) {
        view->layout = FUR_LAYOUT_COLUMNS;
        view->stride = view->cols == 1 ? 0 : array.stride[1];
    } else {
        refuse(array, "has gaps between the entries of its rows and of its columns");
    }
}

static fur_vectors_view view_of(const Dense &array)
{
    if (array.axes != 2)
        refuse(array, "should have two axes");
    auto view = fur_default<fur_vectors_view>();
    view.rows = array.shape[0];
    view.cols = array.shape[1];
    view.value_type = value_type_of(array);
    view.data = const_cast<void *>(array.data);
    if (view.rows > 0 && view.cols > 0)
        lay_out(array, &view);
    return view;
}

furrow::vectors block_of(fur_context *context, const Dense &array)
{
    fur_vectors_view view = view_of(array);
    bool empty = view.rows == 0 || view.cols == 0;
    return furrow::vectors(context, view, ownership_of(context, array, empty));
}

/* Copies through a block of the host companion into the array. Gaps keep their contents. */
void BlockResult::finish() const
{
    fur_context *context = fur_vectors_context(block_);
    if (!is_gpu(context) || array_.on_gpu)
        return;
    furrow::vectors host = block_of(fur_context_host(context), array_);
    expect_ok(fur_vectors_copy(block_, host), context);
}
