"""Gets the arrays of a matrix from SciPy, CuPy, torch, three arrays or a dense array.

The caller's arrays are never written to. An array that the library can read is used in place. Any other
array is copied. With copy=False an error names the array and says why it cannot be shared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import NUMPY, Library, computed, library_of
from ._contexts import context
from ._errors import Invalid
from ._given import refuse, whole
from ._private import Borrowed


def make_handle(
    source: Any, shape: tuple[int, int] | None, dtype: Any, device: str | None, copy: bool | None, threads: int | None
) -> _core.Csr:
    """Returns the core's matrix for a source."""
    compressed = _compressed_arrays(source, shape, copy)
    if compressed is None:
        return _of_dense(source, dtype, copy, threads)
    data, indices, indptr, shape = compressed
    library = library_of(data)
    if library.device != "cpu":
        return _on_gpu(library, data, indices, indptr, shape, copy, threads)
    handle = _on_host(data, indices, indptr, shape, dtype, copy, threads)
    return handle if device in (None, "cpu") else handle.share(context(device, threads))


def _compressed_arrays(
    source: Any, shape: tuple[int, int] | None, copy: bool | None
) -> tuple[Any, Any, Any, tuple[int, int]] | None:
    """Returns data, indices, indptr and shape of a CSR source, and None for a dense one."""
    if isinstance(source, tuple) and len(source) == 3:
        return _three_arrays(source, shape)
    if hasattr(source, "crow_indices"):  # torch
        source = source.detach()
        return source.values(), source.col_indices(), source.crow_indices(), tuple(source.shape)
    if hasattr(source, "tocsr"):  # SciPy, CuPy, and libraries with the same interface
        if source.format != "csr":
            if copy is False:
                raise ValueError(f"copy=False: the matrix is in the format {source.format!r} and not in CSR")
            source = source.tocsr()
        return source.data, source.indices, source.indptr, source.shape
    return None


def _pair(shape: Any) -> tuple[int, int]:
    """Checks a shape and returns it as (rows, columns)."""
    if np.shape(shape) != (2,):
        raise refuse("shape", shape, "(rows, columns)")
    rows, cols = (whole("shape", n) for n in shape)
    return rows, cols


def _three_arrays(arrays: tuple[Any, Any, Any], shape: tuple[int, int] | None) -> tuple[Any, Any, Any, tuple[int, int]]:
    data, indices, indptr = (a if hasattr(a, "dtype") else np.asarray(a) for a in arrays)
    if shape is None:
        if len(indptr) == 0:
            raise Invalid("indptr is empty; it should have one element for each row and one more")
        shape = (len(indptr) - 1, int(indices.max()) + 1 if len(indices) else 0)
    return data, indices, indptr, shape


def _of_dense(source: Any, dtype: Any, copy: bool | None, threads: int | None) -> _core.Csr:
    """Makes a matrix from the nonzero entries of a dense array."""
    if copy is False:
        raise ValueError("copy=False: a dense array cannot be shared; leave copy out")
    dense = np.asarray(source)
    if dense.ndim != 2:
        raise TypeError(f"{type(source).__name__} is neither a sparse matrix nor an array of two axes")
    row, col = np.nonzero(dense)
    data = dense[row, col].astype(computed(dtype or dense.dtype))
    index = np.int32
    rows, cols = dense.shape
    return _core.Csr.from_coo(context("cpu", threads), rows, cols, data, row.astype(index), col.astype(index))


def _on_host(
    data: Any, indices: Any, indptr: Any, shape: tuple[int, int], dtype: Any, copy: bool | None, threads: int | None
) -> _core.Csr:
    data = _fitting("data", data, computed(dtype or _dtype(data)), copy)
    indices = _fitting("indices", indices, np.dtype(np.int32), copy)
    indptr = _fitting("indptr", indptr, _offsets_dtype(indptr), copy)
    home = context("cpu", threads)
    rows, cols = _pair(shape)
    try:
        return _core.Csr(home, rows, cols, data, indices, indptr, bool(copy), Borrowed(data, indices, indptr))
    except Invalid as failure:
        if copy is False:
            why = failure.sentence.partition(";")[0]  # the rest is advice for C programs
            raise Invalid(f"copy=False: indices cannot be shared: {why}") from None
        return _in_order(home, rows, cols, data, indices, indptr, failure)


def _dtype(array: Any) -> Any:
    """Returns NumPy's name for the dtype of an array of any library."""
    return NUMPY.take(array).dtype if library_of(array) is NUMPY else str(array.dtype).rpartition(".")[2]


def _offsets_dtype(indptr: Any) -> np.dtype[Any]:
    return np.dtype(np.int64 if _dtype(indptr) in (np.dtype(np.int64), "int64") else np.int32)


def _fitting(name: str, array: Any, dtype: np.dtype[Any], copy: bool | None) -> Any:
    """Returns a contiguous NumPy array of this dtype: the array itself if it already fits."""
    found = library_of(array).take(array)
    fits = found.dtype == dtype and found.flags.c_contiguous and found.flags.aligned
    if fits:
        return found
    if copy is False:
        why = f"has dtype {found.dtype}, not {dtype}" if found.dtype != dtype else "has gaps, or is not aligned"
        raise ValueError(f"copy=False: {name} cannot be shared: it {why}")
    if dtype.kind == "i" and found.size:
        _expect_small(name, found, dtype)
    return np.ascontiguousarray(found, dtype=dtype)


def _expect_small(name: str, found: Any, dtype: np.dtype[Any]) -> None:
    """Refuses indices that are not whole numbers or are too large for a dtype."""
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {found.dtype}; indices must be integers")
    most = np.iinfo(dtype).max
    far = max(int(found.max()), -int(found.min()))
    if far > most:
        raise OverflowError(f"{name} has the number {far}; dtype {dtype} holds at most {most}")


def _in_order(
    home: _core.Context, rows: int, cols: int, data: Any, indices: Any, indptr: Any, failure: Invalid
) -> _core.Csr:
    """Returns a copy with sorted rows, in which entries at one position are added up.

    If the arrays are not a matrix in any order, the error of the library is raised.
    """
    steps = np.diff(indptr)
    whole = len(indptr) == rows + 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(data)
    if not whole or (steps < 0).any():
        raise failure
    row = np.repeat(np.arange(rows, dtype=np.int32), steps)
    return _core.Csr.from_coo(home, rows, cols, data, row, indices)


def _on_gpu(
    library: Library,
    data: Any,
    indices: Any,
    indptr: Any,
    shape: tuple[int, int],
    copy: bool | None,
    threads: int | None,
) -> _core.Csr:
    home = context(library.device, threads, library.stream)
    rows, cols = _pair(shape)
    data, indices, indptr = (library.take(array) for array in (data, indices, indptr))
    return _core.Csr(home, rows, cols, data, indices, indptr, bool(copy), Borrowed(data, indices, indptr))
