"""Extreme eigenvalues of symmetric operators, with the signatures of scipy.sparse.linalg."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._arrays import fitting
from .._errors import Error
from .._given import at_least, checked, refuse
from .._operators import dtype_of, matrix_of, operator_of
from ._preconditioners import Preconditioner, refuse_options
from ._progress import progress_of

_ENDS = {"SA": 0, "LA": 1, "BE": 2}  # the library's number for each name of SciPy
_EPSILONS = 4  # the tightest tolerance, in units of epsilon


@dataclass(frozen=True)
class EigsReport:
    """How a search for eigenvalues ended.

    Attributes
    ----------
    outcome, advice : str
        The outcome, such as ``"converged"``, and one sentence that says what to try next.
    converged : int
        Number of eigenvalues whose true residuals meet the tolerance.
    iterations, products, restarts : int
    norm : float
        An estimate of the norm of A, from below.
    seconds : float

    Examples
    --------
    >>> import furrow, numpy as np
    >>> try:
    ...     furrow.eigsh(furrow.Stencil(3, (5000,)), 1, which="SA", maxiter=30)
    ... except furrow.NoConvergence as failure:
    ...     failure.report.outcome
    'iteration limit reached'
    """

    outcome: str
    advice: str
    converged: int
    iterations: int
    products: int
    restarts: int
    norm: float
    seconds: float


class NoConvergence(Error):
    """Not all requested eigenvalues have converged.

    Attributes
    ----------
    eigenvalues, eigenvectors, residuals : array
        The best approximations found.
    report : EigsReport

    Examples
    --------
    >>> import furrow
    >>> try:
    ...     furrow.eigsh(furrow.Stencil(5, (40, 40)).to_csr(), k=6, which="SA", maxiter=1)
    ... except furrow.NoConvergence as failure:
    ...     failure.report.converged
    0
    """

    status = "not converged"

    def __init__(self, found: _Found) -> None:
        self._found = found
        report = found.report
        super().__init__(f"{report.converged} of {len(found.values)} eigenvalues: {report.outcome}; {report.advice}")
        self.eigenvalues = found.values
        self.eigenvectors = found.vectors
        self.residuals = found.residuals
        self.report = report

    def __reduce__(self) -> Any:
        return NoConvergence, (self._found,)


@dataclass
class _Found:
    """Eigenvalues, their residuals, and their vectors as columns."""

    values: Any
    vectors: Any
    residuals: Any
    report: EigsReport

    def is_precise(self) -> bool:
        """Returns whether rounding ended the search at residuals that are usually small enough."""
        usual = 1e-10 if self.vectors.dtype.char in "dD" else 1e-5
        return self.report.outcome.startswith("stagnated") and bool(max(self.residuals) <= usual * self.report.norm)

    def select(self, order: Any) -> _Found:
        return _Found(self.values[order], self.vectors[:, order], self.residuals[order], self.report)


class _Problem:
    """An operator in the core's form, and arrays for the results."""

    def __init__(self, A: Any) -> None:
        matrix = matrix_of(A)
        self.A = A if matrix is None else matrix
        if len(getattr(self.A, "shape", ())) != 2:
            raise refuse("A", A, "a matrix, or an operator that has a shape of two axes")
        self.rows = self.A.shape[0]
        self.dtype = dtype_of(self.A, np.empty(0, getattr(self.A, "dtype", np.float64)))
        self.operator = operator_of(self.A, self.dtype, self.rows)

    def make_room(self, count: int) -> tuple[Any, Any, Any]:
        """Allocates arrays for values, residuals and vectors."""
        self.arrays = np.empty(count), np.empty(count), np.empty((self.rows, count), self.dtype, order="F")
        return self.arrays

    def found(self, report: dict[str, Any]) -> _Found:
        values, residuals, vectors = self.arrays
        return _Found(values, vectors, residuals, EigsReport(**report))

    def preconditioner(self, M: Any, options: dict[str, Any]) -> _core.Operator | None:
        if isinstance(M, str):
            M = Preconditioner(self.A, M, **options)
        else:
            refuse_options(options)
        if M is None:
            return None
        matrix = matrix_of(M)
        return operator_of(M if matrix is None else matrix, self.dtype, self.rows)


@contextmanager
def _listener(progress: bool | Callable[[int, int, float], Any], count: int) -> Iterator[Any]:
    """Yields the core's callback for products, converged values and the largest residual."""
    with progress_of(progress, "Eigenvalues") as tell:
        yield tell if progress is not True or tell is None else lambda products, converged, _: tell(converged, count)


@checked
def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: Any = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float | None = None,
    return_eigenvectors: bool = True,
    *,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, int, float], Any] = False,
) -> Any:
    """Computes eigenvalues at the ends of the spectrum of a symmetric (Hermitian) A, by Lanczos' method.

    The result has the same bits in each run and for any number of threads, because the start is not random.

    Parameters
    ----------
    A : Csr, Stencil, sparse matrix, array or LinearOperator
    k : int
        Number of eigenvalues, counted with their multiplicities.
    M, sigma
        For SciPy's signature only; must be None. `lobpcg` accepts preconditioners, and finds small eigenvalues
        without solves.
    which : {'LM', 'LA', 'SA', 'BE'}
        The largest moduli, the largest, the smallest, or half at each end. ``"LM"`` searches k eigenvalues at
        both ends. If A is positive semidefinite, ``"LA"`` gives the same with half the work.
    v0
        Ignored.
    ncv : int, optional
        Number of vectors kept before a restart.
    maxiter : int, optional
        Largest number of products with A.
    tol : float, optional
        Tolerance: ``||A v - lambda v|| <= tol ||A||``. None: 1e-10, in single precision 1e-5. 0: as small as
        rounding allows, as in SciPy.
    return_eigenvectors : bool
    residuals : list, optional
        Receives ``||A v - lambda v||`` for each eigenvalue.
    progress : bool or function
        True: shows a bar on a terminal or in a notebook. A function receives products, converged values and
        the largest residual from time to time. The search ends if it returns True.

    Returns
    -------
    w : array
        The eigenvalues in increasing order.
    v : array
        Eigenvectors of norm 1 as columns.

    Raises
    ------
    NoConvergence
        Not all eigenvalues converged. The exception holds the approximations.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.Stencil(3, (50,))
    >>> w, v = furrow.eigsh(A, 2, which="SA")
    >>> np.allclose(w, 2 - 2 * np.cos(np.arange(1, 3) * np.pi / 51))
    True
    """
    if M is not None or sigma is not None:
        raise NotImplementedError("eigsh does not support M or sigma; use lobpcg for the smallest eigenvalues")
    if which not in ("LM", *_ENDS):
        raise NotImplementedError(f"which is {which!r}; use 'LM', 'LA', 'SA' or 'BE'")
    problem = _Problem(A)
    count = at_least(1, "k", min(2 * k, problem.rows) if which == "LM" else k)
    precise = _EPSILONS * float(np.finfo(problem.dtype).eps)
    options = {"ncv": ncv, "maxiter": maxiter, "tol": precise if tol == 0 else tol}
    ends = _ENDS["BE" if which == "LM" else which]
    with _listener(progress, count) as listener:
        room = problem.make_room(count)
        found = problem.found(_core.eigs(problem.operator, count, ends, *room, listener, options))
    if found.report.converged < count and not (tol == 0 and found.is_precise()):
        raise NoConvergence(found)
    if which == "LM":
        found = found.select(np.argsort(-abs(found.values), kind="stable")[:k])
    found = found.select(np.argsort(found.values, kind="stable"))
    if residuals is not None:
        residuals.extend(found.residuals.tolist())
    return (found.values, found.vectors) if return_eigenvectors else found.values


@checked
def lobpcg(
    A: Any,
    X: Any,
    B: Any = None,
    M: Any = None,
    Y: Any = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
    *,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, int, float], Any] = False,
    **options: Any,
) -> tuple[Any, Any]:
    """Computes the largest or smallest eigenvalues of a symmetric (Hermitian) A, with a preconditioner.

    The signature is SciPy's. The start is always the same, so the result has the same bits for any number of
    threads.

    Parameters
    ----------
    A : Csr, Stencil, sparse matrix, array or LinearOperator
    X : array
        Its number of columns is the number of eigenvalues. Its values are ignored.
    M : str, Preconditioner, Multigrid, LinearOperator, matrix or function, optional
        Approximates the inverse of A, for the smallest eigenvalues. A string is a kind of `Preconditioner`,
        with `options`.
    Y : array, optional
        Known eigenvectors. Results are orthogonal to its columns.
    tol : float, optional
        Tolerance: ``||A v - lambda v|| <= tol ||A||``. SciPy's is not relative to the norm. None: 1e-10, in
        single precision 1e-5.
    maxiter : int, optional
        None: 1000.
    largest : bool
    B, verbosityLevel, retLambdaHistory, retResidualNormsHistory, restartControl
        For SciPy's signature only.
    residuals, progress
        As in `eigsh`.

    Returns
    -------
    w : array
        Decreasing for the largest eigenvalues, increasing for the smallest.
    v : array
        Eigenvectors of norm 1 as columns.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> S = furrow.Stencil(5, (40, 40))
    >>> w, v = furrow.lobpcg(S, np.empty((1600, 3)), M=furrow.Multigrid(S), largest=False)
    >>> line = 2 - 2 * np.cos(np.arange(1, 3) * np.pi / 41)
    >>> np.allclose(w, [2 * line[0], line[0] + line[1], line[0] + line[1]])
    True
    """
    if B is not None or retLambdaHistory or retResidualNormsHistory:
        raise NotImplementedError("lobpcg does not support B or histories; residuals= receives the residuals")
    if len(np.shape(X)) != 2:
        raise refuse("X", X, "an array with a column for each eigenvalue")
    problem, count = _Problem(A), np.shape(X)[1]
    m = problem.preconditioner(M, options)
    apart = None if Y is None else fitting(Y, problem.dtype, "F")
    wishes = {"tol": tol, "maxiter": maxiter}
    room = problem.make_room(count)
    with _listener(progress, count) as listener:
        report = _core.lobpcg(problem.operator, count, int(largest), *room, m, apart, listener, wishes)
    found = problem.found(report)
    if found.report.converged < count:
        warnings.warn(str(NoConvergence(found)), UserWarning, stacklevel=2)
    if residuals is not None:
        residuals.extend(found.residuals.tolist())
    return found.values, found.vectors
