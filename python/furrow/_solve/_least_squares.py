"""Least-squares solvers for min ||b - A x||, with the signatures of scipy.sparse.linalg."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._given import checked
from ._outcomes import Info, SolveReport
from ._solvers import _listener, _solve, _System, _system

# SciPy's numbers for the reason why a method stopped.
ZERO, SOLVED, LEAST_SQUARES, STAGNATED, LIMIT = 0, 1, 2, 5, 7


def _istop(system: _System, report: SolveReport) -> Info:
    if not np.any(system.b):
        return Info(ZERO, report)
    if report.outcome.startswith("least"):
        return Info(LEAST_SQUARES, report)
    if report.converged:
        return Info(SOLVED, report)
    return Info(LIMIT if report.stopped else STAGNATED, report)


def _least_squares(
    method: str,
    A: Any,
    b: Any,
    x0: Any,
    damp: float,
    tolerances: tuple[float, float],
    maxiter: int | None,
    progress: bool | Callable[[int, float], Any],
    residuals: list[float] | None,
) -> tuple[_System, SolveReport, float]:
    """Solves the system and returns it with the report and ||b - A x||.

    The library's rtol holds for ||r|| <= rtol ||b|| and for ||A^H r|| <= 10 rtol ||A|| ||r||. Its atol holds
    for ||r|| only.
    """
    atol, btol = tolerances
    rtol = min(atol / 10, btol)
    system = _system(A, b, x0)
    size = float(np.linalg.norm(system.b))
    wishes = {"rtol": rtol, "atol": btol * size, "damp": damp, "maxiter": maxiter}
    report = _solve(system, method, None, _listener(progress, rtol, None), wishes, adjoint=True)
    if residuals is not None:
        residuals.extend(report.residuals)
    return system, report, report.residual * (size if size > 0 else 1.0)


@checked
def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
    *,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
) -> tuple[Any, ...]:
    """Minimises ``||b - A x||^2 + damp^2 ||x - x0||^2`` with LSQR.

    Parameters
    ----------
    A : Csr, sparse matrix, array or LinearOperator with rmatvec
    b, x0, damp
    atol, btol : float
        Stops if ``||A^H r|| <= atol ||A|| ||r||`` or ``||r|| <= btol ||b||``, for the true residual r.
    conlim, show
        For SciPy's signature only; ignored.
    calc_var : bool
        True is not supported and raises NotImplementedError.
    iter_lim : int, optional
    residuals, progress
        As in `cg`.

    Returns
    -------
    x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
        As in SciPy. istop is 0 if b is 0, 1 if the system is solved, and 2 for a least-squares solution. It is
        5 if rounding allows no further progress, and 7 at the iteration limit. ``istop.report`` has more. var
        contains zeros.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, *_ = furrow.lsqr(A, np.array([1.0, 0.0, -1.0]))
    >>> x.round(6), int(istop)
    (array([ 1., -1.]), 1)
    """
    if calc_var:
        raise NotImplementedError("calc_var is not supported")
    system, report, norm = _least_squares("lsqr", A, b, x0, damp, (atol, btol), iter_lim, progress, residuals)
    x = system.x
    moved = float(np.linalg.norm(x if x0 is None else x - np.ravel(x0)))
    norms = norm, float(np.hypot(norm, damp * moved)), report.norm, report.condition, report.normal_residual
    return (
        system.solution(),
        _istop(system, report),
        report.iterations,
        *norms,
        float(np.linalg.norm(x)),
        np.zeros(len(x)),
    )


@checked
def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
    *,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
) -> tuple[Any, ...]:
    """Minimises ``||b - A x||^2 + damp^2 ||x - x0||^2`` with LSMR; parameters as in `lsqr`.

    Returns
    -------
    x, istop, itn, normr, normar, norma, conda, normx
        As in SciPy.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, *_ = furrow.lsmr(A, np.array([1.0, 0.0, -1.0]))
    >>> x.round(6), int(istop)
    (array([ 1., -1.]), 1)
    """
    system, report, norm = _least_squares("lsmr", A, b, x0, damp, (atol, btol), maxiter, progress, residuals)
    norms = norm, report.normal_residual, report.norm, report.condition, float(np.linalg.norm(system.x))
    return system.solution(), _istop(system, report), report.iterations, *norms
