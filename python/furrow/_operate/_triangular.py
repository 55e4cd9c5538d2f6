"""Solves with triangles of matrices."""

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
    """``x = op(T)^-1 b`` for a triangle T of a square matrix, prepared once and used many times.

    As an operator it is a preconditioner, or half of one. New values of the matrix
    (`Csr.set_values`) are taken over.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        What is not in the triangle is not read.
    lower : bool
        Whether T is the lower triangle.
    op : {'N', 'T', 'H'}
    unit_diagonal : bool
        Whether the diagonal of T consists of ones, whatever A has there.
    schedule : str, optional
        ``"serial"``, ``"blocks"`` or ``"levels"``; None: chosen. Results do not depend on it.

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
        """The solutions for a block, whose columns are right-hand sides: the matrix is read once for
        eight of them."""
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
        """Entries, levels, schedule and the reason for it, bytes, seconds_plan."""
        return self._made.report()

    def __repr__(self) -> str:
        return f"<furrow.TriangularSolve of {self.shape[0]} rows, {self.dtype}: {self.report['schedule']}>"


@checked
def trisolve(A: Any, b: Any, *, lower: bool = True, op: str = "N", unit_diagonal: bool = False) -> Any:
    """``x = op(T)^-1 b`` for a triangle T of a square matrix.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        What is not in the triangle is not read.
    b : array
        A vector, or a block with a column for each right-hand side.
    lower : bool
        Whether T is the lower triangle.
    op : {'N', 'T', 'H'}
    unit_diagonal : bool
        Whether the diagonal of T consists of ones, whatever A has there.

    Returns
    -------
    x : array of b's kind

    See Also
    --------
    TriangularSolve : prepared once, for many solves.

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
    """The function of scipy.sparse.linalg: solves ``A x = b`` for a triangular A.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        What is on the other side of the diagonal is not read.
    b : array
        A vector, or a block with a column for each right-hand side.
    lower, unit_diagonal : bool
    overwrite_A, overwrite_b : bool
        For SciPy's signature: nothing is overwritten.

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
