"""Products of SciPy's CSR matrices by this package, for code that is not to be changed.

Only the methods by which SciPy computes are replaced, so that its checks, conversions and results stay
what they are. Changes of the matrix's arrays in place count, as they do in SciPy: a plan reads the arrays
at each product, unless nobody can have changed them. Then a copy of the matrix may have the fastest plan.
Nobody can if the arrays are reached through the matrix's attributes only, which are watched. Arrays that
cannot be read where they lie are left to SciPy.
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

# Entries of both factors below which SciPy makes their product sooner, and of a matrix that is not copied.
FEW_ENTRIES = 1 << 15
CALM = 3  # products in a row, without a look at the arrays, after which a copy pays
ARRAYS = ("data", "indices", "indptr")

_lock = threading.Lock()
_depth = 0
_restore: list[Callable[[], None]] = []


class _Plans:
    """What is kept of a matrix of SciPy's as long as its arrays, and the number of threads, are the same."""

    __slots__ = (
        "arrays", "block", "busy", "calm", "copied", "copy", "look", "matrix", "product", "reader", "reference",
        "setting", "shape", "watched",
    )  # fmt: skip

    def __init__(self, source: Any, forget: Callable[[Any], None]) -> None:
        self.reference = weakref.ref(source, forget)
        self.arrays = _arrays_of(source)
        self.shape = source.shape
        self.setting = _contexts.setting
        self.matrix: Any = _in_place(source)  # a Csr, or None: it cannot be read in place
        self.product: _core.Product | None = None
        self.block: _core.BlockProduct | None = None
        known = source.ndim == 2 and self.arrays[0].dtype in DTYPES and len(self.arrays[0]) >= FEW_ENTRIES
        self.watched = known and type(source).__module__.startswith("scipy.sparse")
        self.copy: Any = None
        self.copied: object = None  # the look after which the copy was made
        self.busy = False  # while it is being made
        self.reader = 0  # the thread in which SciPy multiplies, and looks at the arrays for that
        self.touch()

    def touch(self) -> None:
        """Notes that somebody may look at the arrays, and so change them."""
        self.look = object()
        self.calm = 0  # products since then

    def suits(self, source: Any) -> bool:
        return self._has(vars(source)) and source.shape == self.shape and self.setting is _contexts.setting

    def _has(self, members: dict[str, Any]) -> bool:
        """Whether these are the arrays. No variable holds one, which another thread would count."""
        a = self.arrays
        return members["data"] is a[0] and members["indices"] is a[1] and members["indptr"] is a[2]

    def multiply(self, x: Any) -> Any:
        """The product; None: it is left to SciPy."""
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
        """A copy of the matrix as it is, if nobody has reached the arrays for some products; else None."""
        if not are_private(self.arrays, 1):
            self.touch()
        self.calm += 1
        if self.calm <= CALM:
            return None
        if self.copied is not self.look:
            self.busy = True
            try:
                self._take_copy(self.look)
            finally:
                self.busy = False
        return self.copy

    def _take_copy(self, look: object) -> None:
        """Makes the copy, or brings it up to date."""
        if self.copy is None or not _same_pattern(self.copy, self.arrays):
            self.copy = csr(self.arrays, shape=self.shape, copy=True)
            if not _same_pattern(self.copy, self.arrays):  # rows were not sorted, or had duplicates
                self.copy, self.watched = None, False
        elif not np.array_equal(_bits(self.copy.data), _bits(self.arrays[0])):
            self.copy.set_values(self.arrays[0])
        self.copied = look

    def multiply_block(self, x: Any) -> Any:
        if self.block is None:
            self.block = _core.BlockProduct.plan(self.matrix._home(), 0)
        y = new_array((self.matrix.shape[0], x.shape[1]), x.dtype)
        self.block(x if _has_rows(x) or _has_rows(x.T) else np.ascontiguousarray(x), y)
        return y


def _arrays_of(source: Any) -> tuple[Any, Any, Any]:
    """The three arrays, past the properties that watch them."""
    members = vars(source)
    return members["data"], members["indices"], members["indptr"]


def _same_pattern(a: Csr, arrays: tuple[Any, Any, Any]) -> bool:
    return np.array_equal(a.indices, arrays[1]) and np.array_equal(a.indptr, arrays[2])


def _bits(values: Any) -> Any:
    """The values as unsigned integers, to compare NaN and -0, too."""
    return values.view(np.uint64 if values.itemsize % 8 == 0 else np.uint32)


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
    """An attribute of which it is noticed that somebody reaches it."""

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
    """SciPy's property looks at the values; this one is not noticed as a look at them."""
    return property(lambda self: vars(self)["data"].dtype, scipys.fset)


def _put(owner: type, name: str, value: Any) -> None:
    """Sets an attribute of a class; `_restore` knows how to undo it."""
    own = owner.__dict__.get(name)
    setattr(owner, name, value)
    _restore.append(lambda: delattr(owner, name) if own is None else setattr(owner, name, own))


def _replace(owner: type, names: tuple[str, ...], by: Callable[[Any], Any]) -> None:
    """Replaces the method of the first of these names that SciPy has."""
    name = next(name for name in names if hasattr(owner, name))
    _put(owner, name, by(getattr(owner, name)))


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
    _replace(owner, ("dtype",), _dtype)
    for name in ARRAYS:
        _put(owner, name, _watched(name))


def _end() -> None:
    while _restore:
        _restore.pop()()
    _kept.clear()


@contextmanager
def accelerate_scipy() -> Iterator[None]:
    """Lets products of SciPy's csr_array and csr_matrix be computed by this package, in all threads.

    ``A @ x``, ``A @ X`` and ``A @ B``, also within SciPy's own functions, where dtypes are equal and
    among float32, float64, complex64 and complex128, indices are int32, and rows are sorted without
    duplicates. SciPy does the rest. Results may differ from SciPy's by rounding, and are the same for
    any number of threads. It may be nested; the outermost end restores SciPy.

    Changes of a matrix in place count, except those by a bare address. A large matrix whose arrays only the
    matrix itself refers to is copied for its fourth product ``A @ x``, and then as fast as `csr` of it, also
    with indices of int64. Its plan takes up to as much memory again. Any look at `data`, `indices` or
    `indptr` ends that until the arrays have been compared with the copy, three products later.

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
