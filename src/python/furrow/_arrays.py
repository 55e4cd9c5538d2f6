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
    """CuPy and torch on a GPU: arrays go to the core as they are, by DLPack, in the order of the
    library's current stream."""

    def __init__(self, device: str, stream: int) -> None:
        self.device = device
        self.stream = stream or LEGACY_STREAM

    def take(self, array: Any) -> Any:
        return array.detach() if hasattr(array, "detach") else array

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        module = sys.modules[type(like).__module__.partition(".")[0]]
        if module.__name__ == "torch":
            return module.empty(shape, dtype=getattr(module, dtype.name), device=like.device)
        return module.empty(shape, dtype)

    def give(self, array: Any, like: Any) -> Any:
        return array


Library = NumpyLibrary | TorchLibrary | GpuLibrary
NUMPY = NumpyLibrary()
TORCH = TorchLibrary()


# CuPy destroys a stream that nobody holds, but contexts may still have work on it.
_streams: dict[int, Any] = {}
_gpu_libraries: dict[tuple[int, int], GpuLibrary] = {}


def _gpu_library(device: int, stream: int) -> GpuLibrary:
    made = _gpu_libraries.get((device, stream))
    if made is None:
        made = _gpu_libraries[device, stream] = GpuLibrary(f"cuda:{device}", stream)
    return made


def library_of(array: Any) -> Library:
    """Whose array it is."""
    if isinstance(array, np.ndarray):
        return NUMPY
    module = type(array).__module__.partition(".")[0]
    if module == "torch":
        if not array.is_cuda:
            return TORCH
        torch = sys.modules["torch"]
        return _gpu_library(array.device.index, torch.cuda.current_stream(array.device).cuda_stream)
    if module in ("cupy", "cupyx"):
        cupy = sys.modules["cupy"]
        stream = cupy.cuda.get_current_stream()
        _streams.setdefault(stream.ptr, stream)
        return _gpu_library(array.device.id, stream.ptr)
    return NUMPY
