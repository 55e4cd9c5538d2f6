"""Products of a matrix with dense arrays: chooses plans, dtypes and layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._arrays import FEW, NUMPY, computed, library_of, new_array

if TYPE_CHECKING:
    from .._csr import Csr

# Expected uses to plan for, by the number of the product. The first products are not worth an analysis. Later
# products get plans that pay off.
_STAGES = {1: 1, 4: 100, 100: 10000}


class Cache:
    """Results of a matrix's earlier products."""

    __slots__ = ("adjoint", "blocks", "converted", "operators", "product", "transpose", "uses")

    def __init__(self) -> None:
        self.uses = 0
        self.product: _core.Product | None = None
        self.blocks: dict[bool, _core.BlockProduct] = {}  # by whether X is stored by columns
        self.transpose: Csr | None = None
        self.adjoint: Csr | None = None
        self.converted: Csr | None = None
        self.operators: dict[bool, _core.Operator] = {}  # for solvers, by whether it is the adjoint

    def forget_values(self) -> None:
        """Drops cached matrices with old values. Plans update themselves."""
        self.transpose = self.adjoint = self.converted = None
        self.operators.clear()


def _product(a: Csr) -> Any:
    """Returns the plan for the next product."""
    home = a._home()
    cache = a._cache
    cache.uses += 1
    uses = _STAGES.get(cache.uses)
    if uses is not None or cache.product is None:
        cache.product = _core.Product.plan(home, 0, uses=uses or 1)
    return cache.product


def _block_product(a: Csr, columns: bool) -> Any:
    home = a._home()
    if columns not in a._cache.blocks:
        a._cache.blocks[columns] = _core.BlockProduct.plan(home, 0, columns)
    return a._cache.blocks[columns]


def multiply(a: Csr, x: Any) -> Any:
    """Returns ``A @ x`` for a vector or a block, in x's kind of array."""
    if type(x) is np.ndarray and x.ndim == 1 and x.dtype is a.dtype and x.flags.c_contiguous:
        rows = a._handle.rows
        y = np.empty(rows, x.dtype) if rows < FEW else new_array((rows,), x.dtype)
        _product(a)(x, y)
        return y
    library = library_of(x)
    taken = library.take(x)
    if library is NUMPY or library.device == "cpu":
        return library.give(_multiply_host(a, taken), x)
    return _multiply_device(a, library, taken)


def _multiply_host(a: Csr, x: Any) -> Any:
    """Multiplies by an array of any dtype and layout on the host."""
    if x.ndim not in (1, 2):
        raise ValueError(f"x has {x.ndim} axes; it must have one or two")
    dtype = np.result_type(a.dtype, computed(x.dtype))
    if dtype.kind == "c" and a.dtype.kind == "f":
        return _multiply_complex(a, x, dtype)
    b = _converted(a, dtype)
    return _multiply_vector(b, x, dtype) if x.ndim == 1 else _multiply_block(b, x, dtype)


def _converted(a: Csr, dtype: np.dtype[Any]) -> Csr:
    """Returns A in the dtype of a result and keeps it, since it is likely to be needed again."""
    if dtype == a.dtype:
        return a
    if a._cache.converted is None or a._cache.converted.dtype != dtype:
        a._cache.converted = a.astype(dtype)
    return a._cache.converted


def _multiply_vector(a: Csr, x: Any, dtype: np.dtype[Any]) -> Any:
    y = new_array((a.shape[0],), dtype)
    _product(a)(np.ascontiguousarray(x, dtype), y)
    return y


def _multiply_block(a: Csr, x: Any, dtype: np.dtype[Any]) -> Any:
    """Multiplies a block. The result has the layout of X, or NumPy's default if X has neither layout."""
    x = x.astype(dtype, order="K", copy=False)
    if not (_has_rows(x) or _has_rows(x.T)) or not x.flags.aligned:
        x = np.ascontiguousarray(x)
    y = new_array((a.shape[0], x.shape[1]), dtype, "C" if _has_rows(x) else "F")
    _block_product(a, not _has_rows(x))(x, y)
    return y


def _has_rows(x: Any) -> bool:
    """Returns whether the entries of a row are contiguous and rows do not overlap."""
    return bool(x.flags.c_contiguous or x.strides[1] == x.itemsize and x.strides[0] >= x.shape[1] * x.itemsize)


def _multiply_complex(a: Csr, x: Any, dtype: np.dtype[Any]) -> Any:
    """Multiplies a real matrix by complex x, whose real and imaginary parts become columns of a block."""
    parts = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
    x = np.ascontiguousarray(x, dtype)
    columns = 1 if x.ndim == 1 else x.shape[1]
    y = _multiply_block(_converted(a, parts), x.reshape(x.shape[0], columns).view(parts), parts)
    return y.view(dtype).reshape((a.shape[0], *x.shape[1:]))


def _multiply_device(a: Csr, library: Any, x: Any) -> Any:
    """Multiplies by an array of A's dtype on A's device, in the order of the caller's stream."""
    a._follow(library)
    y = library.empty((a.shape[0], *x.shape[1:]), a.dtype, x)
    if len(x.shape) == 1:
        library.multiply(_product(a), a.dtype, x, y)
    else:
        _block_product(a, False)(library.take(x), library.take(y))
    return y
