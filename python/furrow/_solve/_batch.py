"""Many small systems with one pattern, multiplied or solved at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._arrays import NUMPY, computed, library_of
from .._csr import Csr, csr
from .._given import checked
from .._rebuilt import Rebuilt


@dataclass(frozen=True)
class BatchReport:
    """How the solves of a batch ended, with a value for each system.

    Attributes
    ----------
    converged : array of bool
        After elimination: whether the residual is finite.
    outcomes : list of str
    iterations : array of int
    residuals : array
        The true residuals ``||b - A x|| / ||b||``. NaN if a residual is not finite, and after elimination on
        a GPU.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> batch = furrow.Batch(np.eye(2), np.array([[2.0, 0.0], [4.0, 1.0]]))
    >>> x, report = batch.solve(np.ones((2, 2)), method="band")
    >>> report.converged, report.outcomes[0]
    (array([ True, False]), 'converged')
    """

    converged: Any
    outcomes: list[str]
    iterations: Any
    residuals: Any


class Batch(Rebuilt):
    """Systems ``A_s x_s = b_s`` with one pattern. Each result has the same bits as if its system were alone.

    Arrays have a column for each system, so values of neighbouring systems are adjacent in memory.

    Parameters
    ----------
    pattern : Csr, sparse matrix or array
        Its values are not read.
    values : array of a row for each entry and a column for each system
        An array in C order is read in place, so new values can be written into it. A batch on a GPU copies
        an array of the host.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> batch = furrow.Batch(np.eye(2), np.array([[2.0, 4.0, 8.0], [1.0, 1.0, 1.0]]))
    >>> batch @ np.ones((2, 3))
    array([[2., 4., 8.],
           [1., 1., 1.]])
    >>> x, report = batch.solve(np.ones((2, 3)))
    >>> x[0]
    array([0.5  , 0.25 , 0.125])
    """

    def __init__(self, pattern: Any, values: Any) -> None:
        self._pattern: Csr = csr(pattern)
        library = library_of(values)
        taken = library.take(values)
        if library.device == "cpu":
            taken = np.ascontiguousarray(taken, computed(taken.dtype))
            self.dtype = taken.dtype
        else:
            self.dtype = self._pattern.dtype
        if len(taken.shape) != 2 or taken.shape[0] != self._pattern.nnz:
            raise ValueError(f"values should have {self._pattern.nnz} rows, one for each entry of the pattern")
        self.count = int(taken.shape[1])
        self.shape = self._pattern.shape
        self._made_from = (self._pattern, taken), {}
        self._made = _core.Batch.create(self._pattern._home(), taken, taken)

    def __matmul__(self, x: Any) -> Any:
        """Returns the products ``A_s x_s``."""
        library = library_of(x)
        y = library.empty((self.shape[0], self.count), self.dtype, x)
        self._made.multiply(self._block(library, x, "x"), y)
        return library.give(y, x)

    @checked
    def solve(
        self,
        b: Any,
        x0: Any = None,
        *,
        method: str = "cg",
        rtol: float | None = None,
        atol: float = 0.0,
        maxiter: int | None = None,
    ) -> tuple[Any, BatchReport]:
        """Solves all systems.

        Parameters
        ----------
        b, x0 : arrays of a column for each system
            x0 is the initial guess; None: zeros.
        method : {'cg', 'band'}
            'cg': conjugate gradients with Jacobi's preconditioner, for positive definite systems.
            'band': elimination in a band of up to 16 diagonals on either side.
        rtol, atol, maxiter
            For 'cg': each system stops at its own residual. rtol None: 1e-10, in single precision 1e-5;
            maxiter None: 10 times the number of rows, plus 100.

        Returns
        -------
        x : array of b's kind
        report : BatchReport
        """
        library = library_of(b)
        right = self._block(library, b, "b")
        x = np.zeros((self.shape[1], self.count), self.dtype) if x0 is None else self._block(NUMPY, x0, "x0").copy()
        wishes = {"method": method, "rtol": rtol, "atol": atol, "maxiter": maxiter}
        outcomes, iterations, residuals = self._made.solve(right, x, wishes)
        converged = np.array([outcome == "converged" for outcome in outcomes], bool)
        if method == "band" and library.device == "cpu":
            residuals = self._residuals(right, x)
            converged &= np.isfinite(residuals)
        return library.give(x, b), BatchReport(converged, outcomes, np.array(iterations), np.array(residuals))

    def _residuals(self, b: Any, x: Any) -> Any:
        """Returns ``||b - A x|| / ||b||`` for each system."""
        with np.errstate(all="ignore"):
            norms = np.linalg.norm(b, axis=0).astype(float)
            return np.linalg.norm(b - self @ x, axis=0) / np.where(norms > 0, norms, 1.0)

    def _block(self, library: Any, x: Any, name: str) -> Any:
        taken = library.take(x)
        if library.device != "cpu":
            return taken
        if np.result_type(self.dtype, computed(taken.dtype)) != self.dtype:
            raise TypeError(f"{name} has dtype {taken.dtype}, but the batch has {self.dtype}")
        return np.ascontiguousarray(taken, self.dtype)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<furrow.Batch of {self.count} systems of {rows} x {cols}, {self.dtype}>"
