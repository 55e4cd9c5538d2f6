"""The sparse matrix of this package."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _contexts, _core, _intake
from ._arrays import DTYPES, NUMPY, NoArray, fitting, library_of, number_of
from ._given import checked
from ._operate import _products
from ._plan import Plan


class Csr(NoArray):
    """A sparse matrix in compressed sparse row format; `csr` makes it.

    The pattern never changes. `data`, `indices` and `indptr` are read-only views; `set_values` replaces the
    values. ``A @ x`` takes arrays of NumPy, CuPy and torch and returns the same kind.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.array([[4.0, 1.0], [0.0, 3.0]]))
    >>> A @ np.array([1.0, 2.0])
    array([6., 6.])
    >>> A
    <furrow.Csr of 2 x 2 with 3 entries, float64, cpu>
    """

    __slots__ = ("__weakref__", "_cache", "_handle", "_setting", "_threads", "device", "dtype", "shape")
    __hash__ = None  # type: ignore[assignment]

    shape: tuple[int, int]  #: Rows and columns.
    dtype: np.dtype[Any]  #: The dtype of the values.
    device: str  #: ``"cpu"`` or ``"cuda"``.

    def __init__(self, handle: _core.Csr, threads: int | None = None) -> None:
        self._handle = handle
        self._threads = threads
        self._setting = _contexts.setting
        self._cache = _products.Cache()
        self.shape = handle.rows, handle.cols
        self.dtype = DTYPES[handle.value]
        self.device = handle.context.device

    # ---- size and arrays

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return self._handle.entries

    @property
    def nbytes(self) -> int:
        """The size of the three arrays in bytes."""
        return self._handle.nbytes

    @property
    def data(self) -> Any:
        """The values, row by row."""
        return self._arrays()[0]

    @property
    def indices(self) -> Any:
        """The column of each entry, as int32."""
        return self._arrays()[1]

    @property
    def indptr(self) -> Any:
        """The start of each row, and the number of entries: int32, or int64 from 2^31 entries."""
        return self._arrays()[2]

    def _arrays(self, writable: bool = False) -> tuple[Any, Any, Any]:
        return self._handle.arrays(writable)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<furrow.Csr of {rows} x {cols} with {self.nnz} entries, {self.dtype}, {self.device}>"

    def _repr_html_(self) -> str:
        from ._picture import pattern_svg

        rows, cols = self.shape
        words = f"{rows:,} × {cols:,}, {self.nnz:,} entries<br>{self.dtype}, {self.nbytes / 1e6:,.1f} MB, {self.device}"
        picture = pattern_svg(self)
        return f'<div style="display:flex;gap:1em;align-items:center">{picture}<div>furrow.Csr<br>{words}</div></div>'

    @checked
    def spy(self, ax: Any = None, cells: int = 512) -> Any:
        """Draws the pattern with matplotlib: cells with more entries are darker.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None: new axes.
        cells : int
            Number of cells on the longer side of the picture.

        Returns
        -------
        ax : matplotlib Axes

        Examples
        --------
        >>> import furrow
        >>> ax = furrow.Stencil(5, (30, 30)).to_csr().spy()  # doctest: +SKIP
        """
        from ._pictures import spy

        return spy(self, ax, cells)

    # ---- context

    def _home(self) -> _core.Csr:
        """Returns the handle in the context for later calls, which set_num_threads may have changed."""
        if self._setting is not _contexts.setting:
            self._setting = _contexts.setting
            self._move_home()
        return self._handle

    def _move_home(self) -> None:
        if self.device == "cpu":
            wanted = _contexts.context("cpu", self._threads)
            if self._handle.context is not wanted:
                self._handle = self._handle.share(wanted)
                self._cache = _products.Cache()

    def _follow(self, library: Any) -> None:
        """Moves a matrix on a GPU to the context of the stream in which a library computes."""
        if self.device == "cpu":
            raise ValueError("x is on a GPU, but the matrix is on the CPU: use A.to('cuda')")
        wanted = _contexts.context(library.device, self._threads, library.stream)
        if self._handle.context is not wanted:
            self._handle = self._handle.share(wanted)
            self._cache = _products.Cache()

    def _beside(self, other: Csr, dtype: np.dtype[Any]) -> tuple[_core.Csr, _core.Csr]:
        """Returns handles of both matrices in one context and dtype."""
        mine, others = self.astype(dtype)._home(), other.astype(dtype)._handle
        return mine, others if others.context is mine.context else others.share(mine.context)

    def _new(self, handle: _core.Csr) -> Csr:
        return Csr(handle, self._threads)

    # ---- products

    @checked
    def plan(
        self,
        uses: int | None = None,
        op: str = "N",
        kernel: str | None = None,
        order: str | None = None,
        values: str = "exact",
        half: str | None = None,
    ) -> Plan:
        """Prepares products ``y = op(A) x``.

        Parameters
        ----------
        uses : int, optional
            Expected number of products; None: unknown.
        op : {'N', 'T', 'H'}
            A, its transpose, or its conjugate transpose.
        kernel : str, optional
            A kernel's name, or ``"stencil"``; None: the fastest.
        order : str, optional
            ``"auto"`` or a method of `reorder`: multiplies with reordered rows and columns.
        values : {'exact', 'f32'}
            ``"f32"``: stores values in single precision; vectors and sums keep their precision.
        half : {None, 'symmetric', 'hermitian'}
            A stores the lower triangle of this symmetric or Hermitian matrix.

        Examples
        --------
        >>> import furrow, numpy as np
        >>> A = furrow.csr(np.array([[1.0, 2.0], [0.0, 1.0]]))
        >>> A.plan(op="T")(np.ones(2))
        array([1., 3.])
        """
        return Plan(self, {"uses": uses, "op": op, "kernel": kernel, "order": order, "values": values, "half": half})

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Csr):
            a, b = self._beside(other, np.result_type(self.dtype, other.dtype))
            return self._new(a.multiplied(b))
        if hasattr(other, "tocsr"):
            return self @ csr(other)
        return _products.multiply(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        if hasattr(other, "tocsr"):
            return csr(other) @ self
        if np.ndim(other) == 1:
            return self.T @ other
        return (self.T @ other.T).T

    def dot(self, other: Any) -> Any:
        """Returns ``A @ other``, or ``A * other`` for a scalar.

        Examples
        --------
        >>> import furrow, numpy as np
        >>> furrow.csr(np.eye(2)).dot(np.ones(2))
        array([1., 1.])
        """
        return self * other if np.ndim(other) == 0 and not isinstance(other, Csr) else self @ other

    def matvec(self, x: Any) -> Any:
        """Returns ``A @ x``, under the name of SciPy's LinearOperator."""
        return self @ x

    def matmat(self, x: Any) -> Any:
        """Returns ``A @ X``, under the name of SciPy's LinearOperator."""
        return self @ x

    def rmatvec(self, x: Any) -> Any:
        """Returns ``A.H @ x``, under the name of SciPy's LinearOperator."""
        return self.H @ x

    def rmatmat(self, x: Any) -> Any:
        """Returns ``A.H @ X``, under the name of SciPy's LinearOperator."""
        return self.H @ x

    # ---- transposes

    @property
    def T(self) -> Csr:
        """The transpose, made on first use and kept."""
        if self._cache.transpose is None:
            self._cache.transpose = self.transpose()
        return self._cache.transpose

    @property
    def H(self) -> Csr:
        """The conjugate transpose, made on first use and kept."""
        if self.dtype.kind == "f":
            return self.T
        if self._cache.adjoint is None:
            self._cache.adjoint = self._new(self._home().transposed(True))
        return self._cache.adjoint

    def transpose(self) -> Csr:
        """Returns the transpose as a new matrix."""
        return self._new(self._home().transposed(False))

    def conj(self) -> Csr:
        """Returns the matrix with conjugated values, or the matrix itself if its values are real."""
        if self.dtype.kind == "f":
            return self
        return self.H.T

    # ---- arithmetic

    def _plus(self, other: Any, factor: float) -> Csr:
        if np.ndim(other) == 0 and not isinstance(other, Csr):
            if other != 0:
                raise NotImplementedError("adding a scalar that is not 0 gives a dense result; use A.toarray()")
            return self
        other = csr(other)
        a, b = self._beside(other, np.result_type(self.dtype, other.dtype))
        return self._new(a.add(1.0, b, factor))

    def __add__(self, other: Any) -> Csr:
        return self._plus(other, 1.0)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Csr:
        return self._plus(other, -1.0)

    def __rsub__(self, other: Any) -> Csr:
        return (-self)._plus(other, 1.0)

    def __neg__(self) -> Csr:
        return self * -1.0

    def __mul__(self, other: Any) -> Csr:
        if np.ndim(other) == 0 and not isinstance(other, Csr):
            if np.asarray(other).dtype.kind not in "biufc":
                return NotImplemented
            same = self.astype(np.result_type(self.dtype, other))
            return self._new(same._home().scaled(other))
        return self.multiply(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Csr:
        if np.ndim(other) != 0:
            return NotImplemented
        arrays = self._arrays()
        data = arrays[0] / other
        return self._of(data)

    def multiply(self, other: Any) -> Csr:
        """Returns the entry-wise product with another matrix."""
        other = csr(other)
        a, b = self._beside(other, np.result_type(self.dtype, other.dtype))
        return self._new(a.multiplied_elementwise(b))

    def _of(self, data: Any) -> Csr:
        """Returns a matrix with the same pattern and other values."""
        _, indices, indptr = self._arrays()
        return csr((data, indices, indptr), shape=self.shape, threads=self._threads)

    def __abs__(self) -> Csr:
        return self._of(abs(self.data))

    # ---- parts

    def __getitem__(self, key: Any) -> Any:
        from ._operate._select import select

        return select(self, key)

    def diagonal(self) -> Any:
        """Returns the entries A(i, i), and 0 for entries that are not stored.

        Examples
        --------
        >>> import furrow, numpy as np
        >>> furrow.csr(np.array([[4.0, 1.0], [0.0, 3.0]])).diagonal()
        array([4., 3.])
        """
        d = np.empty(min(self.shape), self.dtype)
        self._host()._home().diagonal(d)
        return d

    def _host(self) -> Csr:
        return self if self.device == "cpu" else self.to("cpu")

    # ---- comparison

    def __eq__(self, other: object) -> bool:
        """Returns whether shape, dtype, pattern and the bits of all values are equal."""
        if not isinstance(other, Csr):
            return NotImplemented
        if self.shape != other.shape or self.dtype != other.dtype:
            return False
        a, b = self._beside(other, self.dtype)
        return a.equal(b)

    # ---- copies and conversions

    def copy(self) -> Csr:
        """Returns a matrix with its own arrays."""
        return csr(self, copy=True)

    def __copy__(self) -> Csr:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Csr:
        return self.copy()

    @checked
    def astype(self, dtype: Any, copy: bool = False) -> Csr:
        """Converts the values to another dtype. Returns the matrix itself if nothing changes."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype and not copy:
            return self
        return self._new(self._home().converted(number_of(dtype)))

    @checked
    def to(self, device: str) -> Csr:
        """Copies the matrix to a device: ``"cpu"``, ``"cuda"`` or ``"cuda:1"``."""
        return self._new(self._handle.share(_contexts.context(device, self._threads)))

    def set_values(self, data: Any) -> None:
        """Replaces the values, in the order of `data`; existing plans of A use the new values.

        Examples
        --------
        >>> import furrow, numpy as np
        >>> A = furrow.csr(np.eye(2))
        >>> A.set_values([3.0, 5.0])
        >>> A @ np.ones(2)
        array([3., 5.])
        """
        if library_of(data) is NUMPY:
            data = fitting(data, self.dtype)
        self._handle.set_values(library_of(data).take(data))
        self._cache.forget_values()

    @checked
    def to_scipy(self, copy: bool = False) -> Any:
        """Returns SciPy's csr_array, a read-only view of the same memory unless `copy` is True.

        Examples
        --------
        >>> import furrow, numpy as np
        >>> furrow.csr(np.eye(2)).to_scipy().toarray()
        array([[1., 0.],
               [0., 1.]])
        """
        from ._export import to_scipy

        return to_scipy(self._host(), copy)

    def to_cupy(self) -> Any:
        """Returns CuPy's csr_matrix. A matrix on a GPU shares its memory with the result."""
        from ._export import to_cupy

        return to_cupy(self)

    def to_torch(self) -> Any:
        """Returns torch's sparse CSR tensor."""
        from ._export import to_torch

        return to_torch(self)

    def toarray(self) -> Any:
        """Returns the dense array."""
        return self.to_scipy().toarray()

    def __reduce__(self) -> Any:
        host = self._host()
        return _rebuilt, (*host._arrays(), self.shape, self.device, self._threads)


def _rebuilt(data: Any, indices: Any, indptr: Any, shape: tuple[int, int], device: str, threads: int | None) -> Csr:
    return csr((data, indices, indptr), shape=shape, device=device, threads=threads)


@checked
def csr(
    M: Any,
    *,
    shape: tuple[int, int] | None = None,
    dtype: Any = None,
    device: str | None = None,
    copy: bool | None = None,
    threads: int | None = None,
) -> Csr:
    """Makes a sparse matrix, in the caller's memory if possible.

    Parameters
    ----------
    M : sparse matrix, tuple or array
        A sparse array or matrix of SciPy or CuPy, a sparse CSR tensor of torch, a `Csr`,
        ``(data, indices, indptr)``, or a dense array, whose nonzero entries are taken. The arrays
        must not change while the matrix exists. If rows are unsorted or have several entries at
        one position, a sorted copy is made.
    shape : (int, int), optional
        Shape for three arrays; None: the smallest possible.
    dtype : dtype, optional
        Dtype of the values; None: M's own, float64 for integers.
    device : str, optional
        ``"cpu"``, ``"cuda"`` or ``"cuda:1"``; None: the device of M.
    copy : bool, optional
        True: copies all arrays. None: copies only arrays that the library cannot read in place. False: never
        copies; raises a ValueError that names the array and the reason if a copy would be needed.
    threads : int, optional
        Number of threads for computations with this matrix; None: the value of `set_num_threads`.

    Returns
    -------
    Csr

    Examples
    --------
    >>> import furrow, numpy as np
    >>> data, indices, indptr = np.array([1.0, 2.0]), np.array([0, 1], np.int32), np.array([0, 1, 2], np.int32)
    >>> A = furrow.csr((data, indices, indptr), copy=False)
    >>> A.data.ctypes.data == data.ctypes.data
    True
    """
    if isinstance(M, Csr):
        if copy is not True and dtype is None and device is None and threads is None:
            return M
        source = M._arrays() if M.device == "cpu" else M.to("cpu")._arrays()
        return csr(source, shape=M.shape, dtype=dtype, device=device or M.device, copy=copy, threads=threads)
    return Csr(_intake.make_handle(M, shape, dtype, device, copy, threads), threads)
