"""Arrays of NumPy, CuPy and torch: what they are, and new ones of the same kind.

A `Library` is one of these three. Nothing imports CuPy or torch unless an array of theirs comes.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal

import numpy as np

from . import _core

DTYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128))
LARGE = 1 << 25  # bytes from which NumPy's memory comes from the system anew, and is cleared
FEW = LARGE // 16  # entries of any dtype that have fewer bytes
LEGACY_STREAM = 1  # what CUDA calls its default stream, which CuPy and torch call 0
_NUMBERS = {dtype: number for number, dtype in enumerate(DTYPES)}


def number_of(dtype: np.dtype[Any]) -> int:
    """The library's tag of a dtype."""
    return _NUMBERS[dtype]


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any], order: Literal["C", "F"] = "C") -> Any:
    """An array of the host for a result: a large one in memory of results that were given up."""
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype, order)
    return _core.large(size).view(dtype).reshape(shape, order=order)


def computed(dtype: Any) -> np.dtype[Any]:
    """The dtype that values of another are computed in: float64 for integers and booleans."""
    found: np.dtype[Any] = np.dtype(dtype)
    if found in _NUMBERS:
        return DTYPES[_NUMBERS[found]]
    if found.kind in "biu":
        return DTYPES[1]
    if found.kind == "f":
        return DTYPES[0] if found.itemsize < 4 else DTYPES[1]
    if found.kind == "c":
        return DTYPES[3]
    raise TypeError(f"values of dtype {found} are no numbers that Furrow computes with")


class NumpyLibrary:
    """NumPy, and everything that becomes a NumPy array: lists, buffers, arrays of the host by DLPack."""

    device = "cpu"
    stream = 0

    def take(self, array: Any) -> Any:
        """The array as one that the core takes; no copy if there is a way without."""
        if isinstance(array, np.ndarray):
            return array
        if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
            return np.from_dlpack(array)
        return np.asarray(array)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        """A new array of the caller's kind."""
        return new_array(shape, dtype)

    def give(self, array: Any, like: Any) -> Any:
        """An array of the core as one of the caller's kind."""
        return array


class TorchLibrary:
    """torch on the host: tensors are seen as NumPy arrays, in place."""

    device = "cpu"
    stream = 0

    def take(self, array: Any) -> Any:
        return array.detach().numpy()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return new_array(shape, dtype)

    def give(self, array: Any, like: Any) -> Any:
        return sys.modules["torch"].from_numpy(array)


class GpuLibrary:
    """Arrays on a GPU: they go to the core as they are, in the order of their library's current stream."""

    def __init__(self, device: str, stream: int) -> None:
        self.device = device
        self.stream = stream or LEGACY_STREAM

    def take(self, array: Any) -> Any:
        return array

    def target(self, array: Any) -> Any:
        """An array for results as one that the core takes."""
        return self.take(array)

    def give(self, array: Any, like: Any) -> Any:
        return array

    def multiply(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> None:
        """The product of vectors or blocks: by address where both are plain vectors, which takes less than
        a microsecond, else by DLPack, which takes three."""
        if type(x) is not type(y) or not self.multiply_plain(product, dtype, x, y):
            product(self.take(x), self.target(y))

    def multiply_plain(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> bool:
        """False, and nothing done, unless both are vectors of the dtype without gaps."""
        return False


class CupyLibrary(GpuLibrary):
    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return sys.modules["cupy"].empty(shape, dtype)

    def multiply_plain(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> bool:
        return bool(product.of_cupy(x, y, dtype))


class TorchGpuLibrary(GpuLibrary):
    def take(self, array: Any) -> Any:
        # DLPack would leave out that a tensor is to be conjugated or negated
        return array.detach().resolve_conj().resolve_neg() if hasattr(array, "detach") else array

    def target(self, array: Any) -> Any:
        taken = self.take(array)
        if hasattr(array, "detach") and taken.data_ptr() != array.data_ptr():
            raise ValueError("out is a view of conjugates or negatives; give the tensor itself")
        return taken

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=like.device)

    def multiply_plain(self, product: Any, dtype: np.dtype[Any], x: Any, y: Any) -> bool:
        known = getattr(sys.modules["torch"], dtype.name)
        for array in (x, y):
            if array.dtype is not known or array.dim() != 1 or not array.is_contiguous():
                return False
            if array.is_conj() or array.is_neg():
                return False
        product.at(x.data_ptr(), x.numel(), y.data_ptr(), y.numel())
        return True


Library = NumpyLibrary | TorchLibrary | CupyLibrary | TorchGpuLibrary
NUMPY = NumpyLibrary()
TORCH = TorchLibrary()


# CuPy destroys a stream that nobody holds, but contexts may still have work on it.
_streams: dict[int, Any] = {}
_of_streams: dict[tuple[int, int], CupyLibrary] = {}
_of_torch_streams: dict[tuple[int, int], TorchGpuLibrary] = {}


def _of_torch(array: Any) -> Any:
    if not array.is_cuda:
        return TORCH
    stream = sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    place = stream, array.device.index
    made = _of_torch_streams.get(place)
    if made is None:
        made = _of_torch_streams[place] = TorchGpuLibrary(f"cuda:{place[1]}", stream)
    return made


def _of_cupy(array: Any) -> Any:
    stream = sys.modules["cupy"].cuda.get_current_stream()
    place = stream.ptr, array.device.id
    made = _of_streams.get(place)
    if made is None:
        _streams[place[0]] = stream
        made = _of_streams[place] = CupyLibrary(f"cuda:{place[1]}", place[0])
    return made


_FINDERS = {"torch": _of_torch, "cupy": _of_cupy, "cupyx": _of_cupy}
_finder_of_type: dict[type, Any] = {}


def library_of(array: Any) -> Any:
    """Whose array it is: a `Library`."""
    kind = type(array)
    if kind not in _finder_of_type:
        module = kind.__module__.partition(".")[0]
        _finder_of_type[kind] = _FINDERS.get(module, lambda _: NUMPY)
    return _finder_of_type[kind](array)
