"""Solves with the triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import computed, library_of
from .._csr import Csr, csr
from .._given import checked, one_of
from .._plan import OPS
from .._rebuilt import Rebuilt
from .._solve._linear import Linear


class TriangularSolve(Rebuilt, Linear):
    """The solve ``x = op(T)^-1 b`` for a triangle T of a square matrix, prepared once and used many times.

    It can be used as a preconditioner, or as half of one. It uses new values of the matrix after
    `Csr.set_values`.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        Entries outside the triangle are not read.
    lower : bool
        True: T is the lower triangle. False: T is the upper triangle.
    op : {'N', 'T', 'H'}
    unit_diagonal : bool
        True: T has ones on its diagonal, and the diagonal of A is ignored.
    schedule : str, optional
        ``"serial"``, ``"blocks"`` or ``"levels"``; None: chosen automatically. Results do not depend on it.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> T = furrow.TriangularSolve(np.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> T @ np.array([2.0, 9.0])
    array([1., 2.])
    >>> T.report["levels"]
    2
    """

    @checked
    def __init__(
        self, A: Any, *, lower: bool = True, op: str = "N", unit_diagonal: bool = False, schedule: str | None = None
    ) -> None:
        self._matrix: Csr = csr(A)
        choices = {"lower": lower, "op": op, "unit_diagonal": unit_diagonal, "schedule": schedule}
        self._made_from = (self._matrix,), choices
        self._made = _core.Trsv.plan(
            self._matrix._home(), lower, one_of("op", op, OPS), unit_diagonal, schedule or "", True
        )
        self._applied = self._made.operator()
        self.shape = self._matrix.shape
        self.dtype = self._matrix.dtype

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        self._expect(dtype)
        return self._applied

    def matmat(self, b: Any) -> Any:
        """Solves for a block of right-hand sides, stored as columns. The matrix is read once for eight columns."""
        library = library_of(b)
        taken = library.take(b)
        if library.device != "cpu" or np.result_type(self.dtype, computed(taken.dtype)) != self.dtype:
            return super().matmat(b)
        x = np.array(taken, self.dtype, order="F")
        if x.shape[1] > 0:
            self._made.solve_many([x[:, k] for k in range(x.shape[1])])
        return library.give(x, b)

    @property
    def report(self) -> dict[str, Any]:
        """Entries, levels, schedule and the reason for its choice, bytes, seconds_plan."""
        return self._made.report()

    def __repr__(self) -> str:
        return f"<furrow.TriangularSolve of {self.shape[0]} rows, {self.dtype}: {self.report['schedule']}>"


@checked
def trisolve(A: Any, b: Any, *, lower: bool = True, op: str = "N", unit_diagonal: bool = False) -> Any:
    """Solves ``x = op(T)^-1 b`` for a triangle T of a square matrix.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        Entries outside the triangle are not read.
    b : array
        A vector, or a block with a column for each right-hand side.
    lower : bool
        True: T is the lower triangle. False: T is the upper triangle.
    op : {'N', 'T', 'H'}
    unit_diagonal : bool
        True: T has ones on its diagonal, and the diagonal of A is ignored.

    Returns
    -------
    x : array of b's kind

    See Also
    --------
    TriangularSolve : prepares many solves with one triangle.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.trisolve(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([3.0, 4.0]), op="T")
    array([1., 1.])
    """
    matrix = csr(A)
    if matrix.device == "cpu":
        matrix = matrix.astype(np.result_type(matrix.dtype, computed(library_of(b).take(b).dtype)))
    return TriangularSolve(matrix, lower=lower, op=op, unit_diagonal=unit_diagonal) @ b


@checked
def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """Solves ``A x = b`` for a triangular A, with the signature of scipy.sparse.linalg.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        Entries on the other side of the diagonal are not read.
    b : array
        A vector, or a block with a column for each right-hand side.
    lower, unit_diagonal : bool
    overwrite_A, overwrite_b : bool
        Ignored: nothing is overwritten.

    Returns
    -------
    x : array of b's kind

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.spsolve_triangular(np.array([[3.0, 0], [1, 2]]), np.array([3.0, 5]))
    array([1., 2.])
    """
    return trisolve(A, b, lower=lower, unit_diagonal=unit_diagonal)
