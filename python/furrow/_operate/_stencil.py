"""Stencils on grids, applied without a matrix, and the recognition of stencils in matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _contexts, _core
from .._arrays import computed, fitting, library_of, number_of
from .._csr import Csr, csr
from .._given import checked, refuse, whole
from .._rebuilt import Rebuilt
from .._solve._linear import Linear

_BOUNDARIES = {"dirichlet": 0, "neumann": 1, "periodic": 2}


@dataclass(frozen=True)
class StencilReport:
    """The kernel that computes a stencil's products.

    Attributes
    ----------
    kernel, reason : str
        The kernel's name and the reason for its choice.
    bytes : int
        Compulsory traffic of a product.

    Examples
    --------
    >>> import furrow
    >>> furrow.Stencil(5, (10, 10)).report.bytes
    1600
    """

    kernel: str
    reason: str
    bytes: int


class Stencil(Rebuilt, Linear):
    """The operator ``(S x)(p) = sum over k of c_k(p) x(p + o_k)`` on the points p of a grid, without a matrix.

    Points are numbered in C order, like NumPy arrays of the grid's shape: the last axis runs fastest.
    ``S @ x`` accepts such an array, a vector, or a block with a column for each vector.

    Parameters
    ----------
    points : int or sequence of tuples
        An int: the negated Laplacian with this number of points, scaled to small integers. It is 3 on one axis,
        5 or 9 on two axes, and 7, 13, 19 or 27 on three axes. A sequence: the offsets o_k, each with one
        number per axis.
    extent : tuple of int
        The shape of the grid, with up to three axes.
    coefficients : sequence, optional
        c_k for each of the offsets: numbers, or arrays of the grid's shape. None: the Laplacian.
    boundary : str or sequence of str
        ``"dirichlet"``: x is 0 outside the grid; ``"neumann"``: x is mirrored; ``"periodic"``: x repeats.
        A single word holds for all axes, a sequence has a word for each axis.
    dtype : dtype, optional
        None: the dtype of the coefficients, float64 for integers.
    device : str
        ``"cpu"`` or ``"cuda"``.
    kernel : str, optional
        A kernel's name; None: chosen automatically.
    threads : int, optional
        None: the value of `set_num_threads`.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> S = furrow.Stencil(5, (3, 4))
    >>> S @ np.ones((3, 4))
    array([[2., 1., 1., 2.],
           [1., 0., 0., 1.],
           [2., 1., 1., 2.]])
    >>> S.to_csr()
    <furrow.Csr of 12 x 12 with 46 entries, float64, cpu>
    >>> upwind = furrow.Stencil([(0, -1), (0, 0)], (3, 4), [-1.0, 1.0])
    >>> (upwind @ np.ones(12)).reshape(3, 4)[0]
    array([1., 0., 0., 0.])
    """

    @checked
    def __init__(
        self,
        points: int | Sequence[Sequence[int]],
        extent: Sequence[int],
        coefficients: Sequence[Any] | None = None,
        *,
        boundary: str | Sequence[str] = "dirichlet",
        dtype: Any = None,
        device: str = "cpu",
        kernel: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.extent = tuple(whole("extent", n) for n in extent)
        self.offsets, own = _points(points, len(self.extent))
        self.coefficients = own if coefficients is None else list(coefficients)
        if len(self.coefficients) != len(self.offsets):
            raise ValueError(f"{len(self.coefficients)} coefficients do not match {len(self.offsets)} offsets")
        self.boundary = _boundaries(boundary, len(self.extent))
        found = [c.dtype if hasattr(c, "dtype") else np.asarray(c).dtype for c in self.coefficients]
        self.dtype = np.dtype(dtype) if dtype is not None else computed(np.result_type(*found, np.float32))
        self.device = device
        size = int(np.prod(self.extent, dtype=np.int64))
        self.shape = (size, size)
        self._kernel, self._threads = kernel or "", threads
        self._made_from = (), self._definition()
        self._make()

    # ---- context

    def _make(self) -> None:
        self._setting = _contexts.setting
        constants, fields = _coefficients(self.coefficients, self.extent, self.dtype)
        self._handle = _core.Stencil.create(
            _contexts.context(self.device, self._threads),
            number_of(self.dtype),
            self.extent[::-1],
            [_BOUNDARIES[name] for name in reversed(self.boundary)],
            [_reversed(offset) for offset in self.offsets],
            constants,
            fields,
            self._kernel,
            fields,
        )
        self._applied = self._handle.operator()

    def _home(self) -> _core.Stencil:
        """Returns the handle in the current context, which set_num_threads may have changed."""
        if self._setting is not _contexts.setting:
            self._make()
        return self._handle

    def astype(self, dtype: Any) -> Stencil:
        """Converts the coefficients to another dtype. Returns the stencil itself if nothing changes."""
        dtype = np.dtype(dtype)
        return self if dtype == self.dtype else self._with(dtype=dtype)

    def _definition(self) -> dict[str, Any]:
        return {
            "points": self.offsets, "extent": self.extent, "coefficients": self.coefficients, "boundary": self.boundary,
            "dtype": self.dtype, "device": self.device, "kernel": self._kernel, "threads": self._threads,
        }  # fmt: skip

    def _with(self, **changed: Any) -> Stencil:
        return Stencil(**{**self._definition(), **changed})

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        if dtype != self.dtype:
            return self.astype(dtype)._applied
        self._home()
        return self._applied

    # ---- products

    def __matmul__(self, x: Any) -> Any:
        if np.shape(x) == self.extent:
            return self.matvec(x.reshape(-1)).reshape(self.extent)
        return super().__matmul__(x)

    def matmat(self, x: Any) -> Any:
        """Returns ``S @ X`` for a block of vectors with one row for each point of the grid."""
        library = library_of(x)
        taken = library.take(x)
        if library.device != "cpu":
            return self._block(library, taken, self.dtype)
        dtype = np.result_type(self.dtype, computed(taken.dtype))
        if dtype.kind == "c" and self.dtype.kind == "f":
            parts = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
            pairs = np.ascontiguousarray(taken, dtype).view(parts)
            return library.give(self._block(library, pairs, parts).view(dtype), x)
        return library.give(self._block(library, np.ascontiguousarray(taken, dtype), dtype), x)

    def _block(self, library: Any, x: Any, dtype: np.dtype[Any]) -> Any:
        y = library.empty(tuple(x.shape), dtype, x)
        self.astype(dtype)._home().multiply_block(x, y)
        return y

    @checked
    def sweep(self, x: Any, count: int = 1, b: Any = None, alpha: float = 1.0) -> Any:
        """Repeats ``x := S x + alpha b`` `count` times, with several steps in one pass over memory.

        Parameters
        ----------
        x : array
            Has the grid's shape or is a vector. It is not changed.
        count : int
        b : array, optional
            Has the same shape as x; None: zeros.
        alpha : float

        Returns
        -------
        x : array of the given kind and shape

        Examples
        --------
        >>> import furrow, numpy as np
        >>> halves = furrow.Stencil([(-1,), (1,)], (3,), [0.5, 0.5])
        >>> halves.sweep(np.array([0.0, 4.0, 0.0]), 2)
        array([0., 2., 0.])
        """
        library = library_of(x)
        swept = fitting(np.ravel(library.take(x)), self.dtype).copy()
        right = None if b is None else fitting(np.ravel(library_of(b).take(b)), self.dtype)
        self._home().sweep(count, alpha, right, swept, np.empty_like(swept))
        return library.give(swept.reshape(np.shape(x)), x)

    # ---- as a matrix

    def to_csr(self) -> Csr:
        """Returns the operator as a matrix. It needs more memory; its products have the same bits."""
        return Csr(self._home().assemble(), self._threads)

    @property
    def T(self) -> Stencil:
        """The transpose. It needs constant coefficients and no Neumann boundaries."""
        if "neumann" in self.boundary or any(np.ndim(c) for c in self.coefficients):
            raise NotImplementedError("the transpose of this stencil is not a stencil; use to_csr().T")
        turned = [tuple(-step for step in offset) for offset in self.offsets]
        return self._with(points=turned)

    @property
    def H(self) -> Stencil:
        """The conjugate transpose, with the same requirements as `T`."""
        turned = self.T
        if self.dtype.kind == "f":
            return turned
        return turned._with(coefficients=[np.conj(c) for c in self.coefficients])

    def rmatvec(self, x: Any) -> Any:
        """Returns ``S.H @ x``, under the name of SciPy's LinearOperator."""
        return self.H.matvec(x)

    # ---- properties

    @property
    def report(self) -> StencilReport:
        """The kernel and the reason for its choice."""
        return StencilReport(**self._handle.report())

    def __repr__(self) -> str:
        grid = " x ".join(str(n) for n in self.extent)
        return f"<furrow.Stencil of {len(self.offsets)} points on {grid}, {self.dtype}, {self.device}>"


def _points(points: int | Sequence[Sequence[int]], axes: int) -> tuple[list[tuple[int, ...]], list[Any]]:
    """Returns the offsets in C order and the coefficients of a named stencil."""
    if not isinstance(points, int | np.integer):
        if np.ndim(points) == 0:
            raise refuse("points", points, "a number of points (int), or offsets")
        offsets = [tuple(whole("points", step) for step in offset) for offset in points]
        if any(len(offset) != axes for offset in offsets):
            raise ValueError(f"each offset needs {axes} numbers, one for each axis of the grid")
        return offsets, []
    named, offsets, coefficients = _core.named_stencil(min(whole("points", points), 99))
    if named == 0:
        raise ValueError(f"there is no Laplacian of {points} points; use 3, 5, 7, 9, 13, 19 or 27")
    if named != axes:
        raise ValueError(f"the Laplacian of {points} points needs {named} axes, but the grid has {axes}")
    return [offset[:axes][::-1] for offset in offsets], coefficients


def _reversed(offset: tuple[int, ...]) -> tuple[int, int, int]:
    """Converts an offset to the library's order, in which the fastest axis comes first."""
    x, y, z = (*reversed(offset), 0, 0)[:3]
    return x, y, z


def _boundaries(boundary: str | Sequence[str], axes: int) -> tuple[str, ...]:
    names = (boundary,) * axes if isinstance(boundary, str) else tuple(boundary)
    for name in names:
        if name not in _BOUNDARIES:
            raise ValueError(f"boundary is {name!r}; it should be one of {', '.join(_BOUNDARIES)}")
    if len(names) != axes:
        raise ValueError(f"{len(names)} boundaries do not match {axes} axes")
    return names


def _coefficients(
    given: Sequence[Any], extent: tuple[int, ...], dtype: np.dtype[Any]
) -> tuple[list[complex], list[Any]]:
    """Returns either constants or a field for each offset."""
    if not any(np.ndim(c) for c in given):
        return [complex(c) for c in given], []
    return [], [_field(c, extent, dtype) for c in given]


def _field(coefficient: Any, extent: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Returns the value of a coefficient at each point of the grid."""
    library = library_of(coefficient)
    if library.device != "cpu":
        return library.take(coefficient).reshape(-1)
    return np.broadcast_to(np.asarray(coefficient, dtype), extent).ravel()


# ---- recognition


@dataclass(frozen=True)
class RecognitionReport:
    """The result of a search for a stencil.

    Attributes
    ----------
    recognised : bool
    reason : str
        One sentence.
    extent : tuple of int
        Shape of the grid, in C order.
    points : int
        Number of points of the stencil.
    variable : bool
        Whether coefficients vary from point to point.
    rows_differing : int
        Number of rows that differ from the stencil.
    bytes : int
        Compulsory traffic of a product.
    seconds : float

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.recognise(np.eye(3)[::-1]).report.recognised
    False
    """

    recognised: bool
    reason: str
    extent: tuple[int, ...]
    points: int
    variable: bool
    rows_differing: int
    bytes: int
    seconds: float


class Recognition(Linear):
    """The stencil found in a matrix, except for some rows; false if none was found. Made by `recognise`.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.Stencil(7, (20, 20, 20)).to_csr()
    >>> found = furrow.recognise(A)
    >>> bool(found), found.report.points, found.report.extent
    (True, 7, (20, 20, 20))
    >>> x = np.random.default_rng(1).random(8000)
    >>> np.array_equal(found @ x, A @ x)
    True
    """

    def __init__(self, matrix: Csr, report: RecognitionReport, handle: _core.Recognised | None) -> None:
        self.report = report
        self._matrix = matrix
        self.shape = matrix.shape
        self.dtype = matrix.dtype
        self._applied = handle.operator() if handle is not None else None

    def __reduce__(self) -> Any:
        return recognise, (self._matrix,)

    def __bool__(self) -> bool:
        return self.report.recognised

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        if self._applied is None:
            raise ValueError(f"the matrix is not a stencil: {self.report.reason}")
        self._expect(dtype)
        return self._applied

    def __repr__(self) -> str:
        return f"<furrow.Recognition: {self.report.reason}>"


def recognise(A: Any) -> Recognition:
    """Looks for a stencil in a matrix. If it is found, products need not read the matrix.

    Products have the same bits as products with the matrix. `Csr.plan` recognises stencils itself if this pays.

    Parameters
    ----------
    A : Csr, sparse matrix or array

    Returns
    -------
    Recognition
        It is false in a condition if A is not a stencil. Its `report` gives the reason or the properties.

    Examples
    --------
    >>> import furrow
    >>> furrow.recognise(furrow.Stencil(5, (40, 30)).to_csr()).report.extent
    (40, 30)
    """
    matrix = csr(A)
    found, handle = _core.recognise(matrix._home())
    found["extent"] = tuple(reversed(found["extent"]))
    return Recognition(matrix, RecognitionReport(**found), handle)
