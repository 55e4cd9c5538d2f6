"""Products of SciPy's CSR matrices by this package, for code that is not to be changed.

Only the methods by which SciPy computes are replaced, so that its checks, conversions and results stay
what they are. A plan reads the matrix's own arrays at each product, so that changes in place count, as
they do in SciPy. What cannot be read where it lies is left to SciPy.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _contexts, _core
from ._arrays import DTYPES, new_array
from ._csr import Csr, csr
from ._products import _has_rows

# Entries of both factors below which SciPy makes their product sooner.
FEW_ENTRIES = 1 << 15

_lock = threading.Lock()
_depth = 0
_restore: list[Callable[[], None]] = []


class _Plans:
    """What is kept of a matrix of SciPy's as long as its arrays, and the number of threads, are the same."""

    __slots__ = ("arrays", "block", "matrix", "product", "reference", "setting", "shape")

    def __init__(self, source: Any, forget: Callable[[Any], None]) -> None:
        self.reference = weakref.ref(source, forget)
        self.arrays = (source.data, source.indices, source.indptr)
        self.shape = source.shape
        self.setting = _contexts.setting
        self.matrix: Any = _in_place(source)  # a Csr, or None: left to SciPy
        self.product: _core.Product | None = None
        self.block: _core.BlockProduct | None = None

    def suits(self, source: Any) -> bool:
        data, indices, indptr = self.arrays
        same = source.data is data and source.indices is indices and source.indptr is indptr
        return same and source.shape == self.shape and self.setting is _contexts.setting

    def multiply(self, x: Any) -> Any:
        if self.product is None:
            self.product = _core.Product.plan(self.matrix._home(), 0, "rows")
        y = new_array((self.matrix.shape[0],), x.dtype)
        self.product(x, y)
        return y

    def multiply_block(self, x: Any) -> Any:
        if self.block is None:
            self.block = _core.BlockProduct.plan(self.matrix._home(), 0)
        y = new_array((self.matrix.shape[0], x.shape[1]), x.dtype)
        self.block(x if _has_rows(x) or _has_rows(x.T) else np.ascontiguousarray(x), y)
        return y


def _in_place(source: Any) -> Csr | None:
    """The matrix in SciPy's arrays, or None if they have to be copied for that."""
    if source.ndim != 2 or source.dtype not in DTYPES:
        return None
    try:
        return csr(source, copy=False)
    except ValueError:
        return None


_kept: dict[int, _Plans] = {}


def _plans_of(source: Any) -> _Plans:
    key = id(source)
    found = _kept.get(key)
    if found is None or not found.suits(source):

        def forget(_: Any) -> None:
            _kept.pop(key, None)

        found = _kept[key] = _Plans(source, forget)
    return found


def _by_vector(scipys: Any) -> Any:
    def multiply(self: Any, other: Any) -> Any:
        plans = _plans_of(self)
        if plans.matrix is None or other.dtype != self.dtype:
            return scipys(self, other)
        return plans.multiply(np.ascontiguousarray(other))

    return multiply


def _by_block(scipys: Any) -> Any:
    def multiply(self: Any, other: Any) -> Any:
        plans = _plans_of(self)
        if plans.matrix is None or other.dtype != self.dtype or other.ndim != 2:
            return scipys(self, other)
        return plans.multiply_block(other)

    return multiply


def _by_matrix(scipys: Any) -> Any:
    def multiply(self: Any, other: Any) -> Any:
        fits = other.format == "csr" and other.dtype == self.dtype and self.nnz + other.nnz >= FEW_ENTRIES
        a, b = (_plans_of(self).matrix, _plans_of(other).matrix) if fits else (None, None)
        if a is None or b is None:
            return scipys(self, other)
        made = a @ b
        return self.__class__(made._arrays(writable=True), shape=made.shape)

    return multiply


def _replace(owner: type, names: tuple[str, ...], by: Callable[[Any], Any]) -> None:
    """Replaces the method of the first of these names that SciPy has; `_restore` knows how to undo it."""
    name = next(name for name in names if hasattr(owner, name))
    own = owner.__dict__.get(name)
    setattr(owner, name, by(getattr(owner, name)))
    _restore.append(lambda: delattr(owner, name) if own is None else setattr(owner, name, own))


def _common_class() -> Any:
    """The class of SciPy that csr_array and csr_matrix have in common, and no other format."""
    from scipy.sparse import csc_matrix, csr_array, csr_matrix

    classes = csr_array.__mro__
    return next(c for c in classes if issubclass(csr_matrix, c) and not issubclass(csc_matrix, c))


def _begin() -> None:
    owner = _common_class()
    _replace(owner, ("_matmul_vector", "_mul_vector"), _by_vector)
    _replace(owner, ("_matmul_multivector", "_mul_multivector"), _by_block)
    _replace(owner, ("_matmul_sparse", "_mul_sparse_matrix"), _by_matrix)


def _end() -> None:
    while _restore:
        _restore.pop()()
    _kept.clear()


@contextmanager
def accelerate_scipy() -> Iterator[None]:
    """Lets products of SciPy's csr_array and csr_matrix be computed by this package, in all threads.

    ``A @ x``, ``A @ X`` and ``A @ B``, also within SciPy's own functions, where dtypes are equal and
    among float32, float64, complex64 and complex128, indices are int32, and rows are sorted without
    duplicates; SciPy does the rest. Results may differ from SciPy's by rounding, and are the same for
    any number of threads. It may be nested; the outermost end restores SciPy.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> from scipy.sparse import csr_array
    >>> A = csr_array(np.array([[4.0, 1.0], [0.0, 3.0]]))
    >>> with furrow.accelerate_scipy():
    ...     A @ np.array([1.0, 2.0])
    array([6., 6.])
    """
    global _depth
    with _lock:
        if _depth == 0:
            _begin()
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _end()
