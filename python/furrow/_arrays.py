"""Recognises arrays of NumPy, CuPy and torch, and creates arrays of the same kind.

A `Library` is one of these three. CuPy and torch are only imported when one of their arrays is passed.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal

import numpy as np

from . import _core

DTYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128))
LARGE = 1 << 25  # bytes from which NumPy gets memory from the system each time, and the system clears it
FEW = LARGE // 16  # any array with fewer entries has fewer bytes than LARGE
LEGACY_STREAM = 1  # CUDA's number for its default stream; CuPy and torch use 0
_NUMBERS = {dtype: number for number, dtype in enumerate(DTYPES)}


def number_of(dtype: Any) -> int:
    """Returns the library's tag of a dtype."""
    found = np.dtype(dtype)
    if found not in _NUMBERS:
        raise TypeError(f"dtype is {found}; use one of {', '.join(map(str, DTYPES))}")
    return _NUMBERS[found]


_ASKING = (np.ndim, np.shape, np.iscomplexobj, np.isrealobj)  # functions that only read attributes


class NoArray:
    """An operator for which NumPy defers ``x @ A`` to this package.

    NumPy's functions would treat it as an array with one entry. ``np.dot`` multiplies instead, and most other
    functions are refused.
    """

    __slots__ = ()
    __array_ufunc__ = None
    ndim = 2  #: Rows and columns.

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.dot and len(args) == 2:
            return args[0] @ args[1]
        if function in _ASKING:
            return function._implementation(*args, **kwargs)
        name = type(self).__name__
        raise TypeError(f"numpy.{function.__name__} does not support {name}; use A @ x for products, or A.toarray()")


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any], order: Literal["C", "F"] = "C") -> Any:
    """Allocates a NumPy array for a result. A large array reuses memory of freed results."""
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype, order)
    return _core.large(size).view(dtype).reshape(shape, order=order)


def fitting(array: Any, dtype: np.dtype[Any], order: Literal["C", "F"] = "C") -> Any:
    """Converts an array to a dtype without gaps, and returns it unchanged if it already fits.

    A complex array is refused if the dtype is real.
    """
    return np.asarray(array).astype(dtype, order=order, casting="same_kind", copy=False)


def computed(dtype: Any) -> np.dtype[Any]:
    """Returns the dtype in which values are computed: float64 for integers and booleans."""
    found: np.dtype[Any] = np.dtype(dtype)
    if found in _NUMBERS:
        return DTYPES[_NUMBERS[found]]
    if found.kind in "biu":
        return DTYPES[1]
    if found.kind == "f":
        return DTYPES[0] if found.itemsize < 4 else DTYPES[1]
    if found.kind == "c":
        return DTYPES[3]
    raise TypeError(f"values of dtype {found} are not supported; use real or complex numbers")


class NumpyLibrary:
    """NumPy, and all objects that NumPy can convert: lists, buffers, DLPack arrays on the host."""

    device = "cpu"
    stream = 0

    def take(self, array: Any) -> Any:
        """Returns the array in a form that the core accepts, without a copy if possible."""
        if isinstance(array, np.ndarray):
            return array
        if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
            return np.from_dlpack(array)
        return np.asarray(array)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        """Returns a new array of the caller's kind."""
        return new_array(shape, dtype)

    def give(self, array: Any, like: Any) -> Any:
        """Returns an array of the core as the caller's kind."""
        return array


class TorchLibrary:
    """torch on the host: tensors are used as NumPy arrays, in place."""

    device = "cpu"
    stream = 0

    def take(self, array: Any) -> Any:
        return array.detach().numpy()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return new_array(shape, dtype)

    def give(self, array: Any, like: Any) -> Any:
        return sys.modules["torch"].from_numpy(array)


class GpuLibrary:
    """Arrays on a GPU, passed to the core as they are. Work is ordered by the library's current stream."""

    def __init__(self, device: str, stream: int) -> None:
        self.device = device
        self.stream = stream or LEGACY_STREAM

    def take(self, array: Any) -> Any:
        return array

    def target(self, array: Any) -> Any:
        """Returns an output array in a form that the core accepts."""
        return self.take(array)

    def give(self, array: Any, like: Any) -> Any:
        return array

    def multiply(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> None:
        """Multiplies vectors that are passed by DLPack, which takes three microseconds."""
        product(self.take(x), self.target(y))


class CupyLibrary(GpuLibrary):
    def __init__(self, device: int, stream: Any) -> None:
        super().__init__(f"cuda:{device}", stream.ptr)
        self._held = stream  # keeps the stream alive: contexts may still have work on it

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return sys.modules["cupy"].empty(shape, dtype)

    def multiply(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> None:
        if not product.of_cupy(x, y, dtype):
            super().multiply(product, dtype, x, y)


class TorchGpuLibrary(GpuLibrary):
    def take(self, array: Any) -> Any:
        # DLPack does not transfer the flags for lazy conjugation and negation.
        return array.detach().resolve_conj().resolve_neg() if hasattr(array, "detach") else array

    def target(self, array: Any) -> Any:
        taken = self.take(array)
        if hasattr(array, "detach") and taken.data_ptr() != array.data_ptr():
            raise ValueError("out is a conjugate or negative view; give the original tensor")
        return taken

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=like.device)

    def multiply(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> None:
        if self.is_plain(x, dtype) and self.is_plain(y, dtype):
            product.at(x.data_ptr(), x.numel(), y.data_ptr(), y.numel())
        else:
            super().multiply(product, dtype, x, y)

    def is_plain(self, array: Any, dtype: np.dtype[Any]) -> bool:
        """Returns whether it is a contiguous vector of the dtype.

        Such a vector is passed by its address, in less than a microsecond.
        """
        torch = sys.modules["torch"]
        return bool(
            isinstance(array, torch.Tensor)
            and array.dtype is getattr(torch, dtype.name)
            and array.dim() == 1
            and array.is_contiguous()
            and not array.is_conj()
            and not array.is_neg()
        )


Library = NumpyLibrary | TorchLibrary | CupyLibrary | TorchGpuLibrary
NUMPY = NumpyLibrary()
TORCH = TorchLibrary()


_of_streams: dict[tuple[int, int], CupyLibrary] = {}
_of_torch_streams: dict[tuple[int, int], TorchGpuLibrary] = {}


def _torch_finder() -> Any:
    torch = sys.modules["torch"]

    def find(array: Any) -> Any:
        if not array.is_cuda:
            return TORCH
        stream = torch.cuda.current_stream(array.device).cuda_stream
        place = stream, array.device.index
        made = _of_torch_streams.get(place)
        if made is None:
            made = _of_torch_streams[place] = TorchGpuLibrary(f"cuda:{place[1]}", stream)
        return made

    return find


def _cupy_finder() -> Any:
    current_stream = sys.modules["cupy"].cuda.get_current_stream
    last: tuple[Any, int, Any] = (None, 0, None)  # stream, device and the library found for them

    def find(array: Any) -> Any:
        nonlocal last
        stream, device = current_stream(), array.data.device_id
        known, place, made = last
        if stream is known and device == place:
            return made
        made = _of_streams.get((stream.ptr, device))
        if made is None:
            made = _of_streams[stream.ptr, device] = CupyLibrary(device, stream)
        last = stream, device, made
        return made

    return find


_FINDERS = {"torch": _torch_finder, "cupy": _cupy_finder}
_finder_of_type: dict[type, Any] = {}


def library_of(array: Any) -> Any:
    """Returns the `Library` of an array."""
    kind = type(array)
    if kind not in _finder_of_type:
        module = kind.__module__.partition(".")[0]
        make = _FINDERS.get(module)
        _finder_of_type[kind] = make() if make else lambda _: NUMPY
    return _finder_of_type[kind](array)
