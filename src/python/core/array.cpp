#include "array.h"

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
    refuse(array, "has a dtype other than float32, float64, complex64 and complex128");
}

fur_offset_type offset_type_of(const Dense &array)
{
    for (auto offset : {FUR_I32, FUR_I64})
        if (array.dtype == dtype_of(offset))
            return offset;
    refuse(array, "has a dtype other than int32 and int64");
}

const void *entries_of(const Dense &array, std::int64_t size)
{
    if (array.axes != 1 || array.shape[0] != size)
        refuse(array, "should have one axis of " + std::to_string(size) + " entries");
    if (size > 1 && array.stride[0] != 1)
        refuse(array, "has gaps between its entries");
    return array.data;
}

/* The library borrows no array of size 0. */
static fur_ownership borrow_unless(bool empty)
{
    return empty ? FUR_OWNERSHIP_COPY : FUR_OWNERSHIP_BORROW;
}

furrow::vector borrow_vector(fur_context *context, const Dense &array)
{
    if (array.axes != 1)
        refuse(array, "should have one axis");
    std::int64_t size = array.shape[0];
    void *entries = const_cast<void *>(entries_of(array, size));
    fur_value_type value = value_type_of(array);
    return furrow::vector(context, [&](auto out) {
        return fur_vector_wrap(context, value, size, entries, borrow_unless(size == 0), out);
    });
}

/* Layout and stride of an array that is not empty. */
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

furrow::vectors borrow_block(fur_context *context, const Dense &array)
{
    if (array.axes != 2)
        refuse(array, "should have two axes");
    auto view = fur_default<fur_vectors_view>();
    view.rows = array.shape[0];
    view.cols = array.shape[1];
    view.value_type = value_type_of(array);
    view.data = const_cast<void *>(array.data);
    bool empty = view.rows == 0 || view.cols == 0;
    if (!empty)
        lay_out(array, &view);
    return furrow::vectors(context, view, borrow_unless(empty));
}
