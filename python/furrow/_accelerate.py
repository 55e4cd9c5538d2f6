"""Computes products of SciPy's CSR matrices by Furrow, for code that cannot be changed.

Only SciPy's computing methods are replaced. SciPy's checks, conversions and result types stay.

The caller may change the arrays of a matrix in place, as in SciPy. A plan therefore reads the arrays at each
product. If nobody can have changed the arrays, a copy of the matrix is used, which may have the fastest plan.
The arrays cannot change unnoticed if they can only be reached through the attributes of the matrix, because the
attributes are watched. If arrays cannot be read in place, SciPy computes the product.
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
from ._operate._products import _has_rows, multiply
from ._private import are_private

# With fewer entries in both factors SciPy is faster for A @ B. A matrix with fewer entries is not copied, either.
FEW_ENTRIES = 1 << 15
CALM = 3  # products without an access to the arrays before a copy is worth making
ARRAYS = ("data", "indices", "indptr")

_lock = threading.Lock()
_depth = 0
_restore: list[Callable[[], None]] = []


class _Plans:
    """Plans for one SciPy matrix, valid while its arrays and the number of threads stay the same."""

    __slots__ = (
        "access", "arrays", "block", "busy", "calm", "copied", "copy", "matrix", "product", "reader", "reference",
        "setting", "shape", "watched",
    )  # fmt: skip

    def __init__(self, source: Any, forget: Callable[[Any], None]) -> None:
        self.reference = weakref.ref(source, forget)
        self.arrays = _arrays_of(source)
        self.shape = source.shape
        self.setting = _contexts.setting
        self.matrix: Any = _in_place(source)  # a Csr; None if the arrays cannot be read in place
        self.product: _core.Product | None = None
        self.block: _core.BlockProduct | None = None
        known = source.ndim == 2 and self.arrays[0].dtype in DTYPES and len(self.arrays[0]) >= FEW_ENTRIES
        self.watched = known and type(source).__module__.startswith("scipy.sparse")
        self.copy: Any = None
        self.copied: object = None  # the value of `access` when the copy was made
        self.busy = False  # True while the copy is being made
        self.reader = 0  # the thread in which SciPy multiplies: its own accesses to the arrays do not count
        self.touch()

    def touch(self) -> None:
        """Records that the caller may have read the arrays and may change them."""
        self.access = object()
        self.calm = 0  # products since the last access

    def suits(self, source: Any) -> bool:
        return self._has(vars(source)) and source.shape == self.shape and self.setting is _contexts.setting

    def _has(self, members: dict[str, Any]) -> bool:
        """Returns whether these are the arrays. A local variable would add a reference that other threads count."""
        a = self.arrays
        return members["data"] is a[0] and members["indices"] is a[1] and members["indptr"] is a[2]

    def multiply(self, x: Any) -> Any:
        """Returns the product, or None if SciPy should compute it."""
        copy = self._recent_copy() if self.watched and not self.busy else None
        if copy is not None:
            return multiply(copy, x)
        if self.matrix is None:
            return None
        if self.product is None:
            self.product = _core.Product.plan(self.matrix._home(), 0, "rows")
        y = new_array((self.matrix.shape[0],), x.dtype)
        self.product(x, y)
        return y

    def _recent_copy(self) -> Any:
        """Returns a current copy of the matrix if nobody accessed the arrays during some products, else None."""
        if not are_private(self.arrays, 1):
            self.touch()
        self.calm += 1
        if self.calm <= CALM:
            return None
        if self.copied is not self.access:
            self.busy = True
            try:
                self._take_copy(self.access)
            finally:
                self.busy = False
        return self.copy

    def _take_copy(self, access: object) -> None:
        """Makes the copy or updates it."""
        if self.copy is None or not _same_pattern(self.copy, self.arrays):
            self.copy = csr(self.arrays, shape=self.shape, copy=True)
            if not _same_pattern(self.copy, self.arrays):  # rows were unsorted or had duplicates
                self.copy, self.watched = None, False
        elif not np.array_equal(_bits(self.copy.data), _bits(self.arrays[0])):
            self.copy.set_values(self.arrays[0])
        self.copied = access

    def multiply_block(self, x: Any) -> Any:
        if self.block is None:
            self.block = _core.BlockProduct.plan(self.matrix._home(), 0)
        y = new_array((self.matrix.shape[0], x.shape[1]), x.dtype)
        self.block(x if _has_rows(x) or _has_rows(x.T) else np.ascontiguousarray(x), y)
        return y


def _arrays_of(source: Any) -> tuple[Any, Any, Any]:
    """Returns the three arrays without going through the watching properties."""
    members = vars(source)
    return members["data"], members["indices"], members["indptr"]


def _same_pattern(a: Csr, arrays: tuple[Any, Any, Any]) -> bool:
    return np.array_equal(a.indices, arrays[1]) and np.array_equal(a.indptr, arrays[2])


def _bits(values: Any) -> Any:
    """Returns the values as unsigned integers, so that NaN and -0 compare by bits."""
    return values.view(np.uint64 if values.itemsize % 8 == 0 else np.uint32)


def _in_place(source: Any) -> Csr | None:
    """Returns the matrix in SciPy's arrays, or None if this needs a copy."""
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
        same = other.dtype == vars(self)["data"].dtype
        made = plans.multiply(np.ascontiguousarray(other)) if same else None
        if made is not None:
            return made
        plans.reader = threading.get_ident()
        try:
            return scipys(self, other)
        finally:
            plans.reader = 0

    return multiply


def _by_block(scipys: Any) -> Any:
    def multiply(self: Any, other: Any) -> Any:
        plans = _plans_of(self)
        if plans.matrix is None or other.dtype != plans.matrix.dtype or other.ndim != 2:
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


def _watched(name: str) -> property:
    """Returns a property that records each access to the attribute."""

    def touch(self: Any) -> dict[str, Any]:
        plans = _kept.get(id(self))
        if plans is not None and plans.reader != threading.get_ident():
            plans.touch()
        members: dict[str, Any] = vars(self)
        return members

    def get(self: Any) -> Any:
        try:
            return touch(self)[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def put(self: Any, value: Any) -> None:
        touch(self)[name] = value

    def drop(self: Any) -> None:
        del touch(self)[name]

    return property(get, put, drop)


def _dtype(scipys: Any) -> property:
    """Returns a dtype property that does not count as an access. SciPy's own reads the values."""
    return property(lambda self: vars(self)["data"].dtype, scipys.fset)


def _put(owner: type, name: str, value: Any) -> None:
    """Sets an attribute of a class and stores in `_restore` how to undo it."""
    own = owner.__dict__.get(name)
    setattr(owner, name, value)
    _restore.append(lambda: delattr(owner, name) if own is None else setattr(owner, name, own))


def _replace(owner: type, names: tuple[str, ...], by: Callable[[Any], Any]) -> None:
    """Replaces the first of these methods that SciPy has."""
    name = next(name for name in names if hasattr(owner, name))
    _put(owner, name, by(getattr(owner, name)))


def _common_class() -> Any:
    """Returns the class that only csr_array and csr_matrix of SciPy have in common."""
    from scipy.sparse import csc_matrix, csr_array, csr_matrix

    classes = csr_array.__mro__
    return next(c for c in classes if issubclass(csr_matrix, c) and not issubclass(csc_matrix, c))


def _begin() -> None:
    owner = _common_class()
    _replace(owner, ("_matmul_vector", "_mul_vector"), _by_vector)
    _replace(owner, ("_matmul_multivector", "_mul_multivector"), _by_block)
    _replace(owner, ("_matmul_sparse", "_mul_sparse_matrix"), _by_matrix)
    _replace(owner, ("dtype",), _dtype)
    for name in ARRAYS:
        _put(owner, name, _watched(name))


def _end() -> None:
    while _restore:
        _restore.pop()()
    _kept.clear()


@contextmanager
def accelerate_scipy() -> Iterator[None]:
    """Lets Furrow compute products of SciPy's csr_array and csr_matrix, in all threads.

    It covers ``A @ x``, ``A @ X`` and ``A @ B``, also within SciPy's own functions. The dtypes must be equal and
    one of float32, float64, complex64 and complex128. Indices must be int32, and rows must be sorted without
    duplicates. SciPy computes all other products. Results may differ from SciPy's by rounding. They are the
    same for any number of threads. Calls may be nested: the outermost exit restores SciPy.

    You may change a matrix in place, except through a raw pointer. A large matrix is copied at its fourth
    product ``A @ x`` if only the matrix itself refers to its arrays. Products are then as fast as with `csr`,
    also with int64 indices. The plan takes up to as much memory as the matrix. Any access to `data`, `indices`
    or `indptr` stops the use of the copy. Three products later the arrays are compared with the copy again.

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
