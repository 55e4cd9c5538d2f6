"""Results of solves: SciPy's number, the report, and a warning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SolveReport:
    """How a solve ended.

    Attributes
    ----------
    outcome, advice : str
        The outcome, such as ``"converged"``, and one sentence that says what to try next.
    converged : bool
        Whether the true residual meets the tolerance. If A is not square, a least-squares solution counts, too.
    stopped : bool
        Whether the iteration limit or the caller ended the solve early.
    iterations, products : int
    residual, residual_recurrence : float
        The true residual ``||b - A x|| / ||b||``, and the recurrence residual of the method.
    seconds : float
    method : str
    condition, norm : float
        Estimates for M A from below; 0: unknown.
    normal_residual : float
        Set for least squares.
    residual_bound, error_a_norm : float
        Set if ``bounds=True``; otherwise NaN.
    backward_error : float
        ``||b - A x|| / (||A|| ||x|| + ||b||)``. It is known if the residual misses the tolerance; otherwise NaN.
    residual_scaled, backward_error_rows : float
        ``||R (b - A x)|| / ||R b||`` with the row scales R, and the largest ``|b - A x| / (|A| |x| + |b|)``
        of any row. NaN if A is an operator.
    scale : str
        The scaling that `solve` applied to A.
    outside : float
        The part of b outside the range of A, relative to b, if a null space is known; otherwise NaN.
    residuals : list of float
        The recurrence residual after each iteration in `residual_iterations`. The first is of the initial guess.
    residual_iterations : list of int
        The iterations of `residuals`: all of them on the CPU. On a GPU `cg` runs ahead of the host, and the list has
        only the iterations that the host read.
    attempts : list of str
        For `solve`: the attempts and the reasons for them.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> x, info = furrow.cg(np.diag([1.0, 2.0]), np.ones(2))
    >>> info.report.outcome, info.report.iterations
    ('converged', 2)
    """

    outcome: str
    advice: str
    converged: bool
    stopped: bool
    iterations: int
    residual: float
    residual_recurrence: float
    seconds: float
    method: str
    products: int
    condition: float
    norm: float
    normal_residual: float
    residual_bound: float
    error_a_norm: float
    backward_error: float
    residual_scaled: float
    backward_error_rows: float
    scale: str
    outside: float
    residuals: list[float]
    attempts: list[str]
    residual_iterations: list[int] = field(default_factory=list)


class Info(int):
    """SciPy's number for the result of a solve.

    0: converged. Above 0: the iterations, which were not enough. -1: the method broke down. For `lsqr` and
    `lsmr` it is their reason to stop. `report` has more.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> x, info = furrow.cg(np.diag([1.0, 2.0]), np.ones(2))
    >>> info == 0, info.report.outcome
    (True, 'converged')
    """

    report: SolveReport

    def __new__(cls, number: int, report: SolveReport) -> Info:
        made = super().__new__(cls, number)
        made.report = report
        return made

    def __reduce__(self) -> Any:
        return Info, (int(self), self.report)


def info_of(report: SolveReport) -> Info:
    """Returns SciPy's number for a report."""
    failed = max(report.iterations, 1) if report.stopped else -1
    return Info(0 if report.converged else failed, report)


class SolveWarning(UserWarning):
    """The residual is small, but large in rows of small scale, and the norm of b may hide this.

    Examples
    --------
    >>> import furrow, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", furrow.SolveWarning)  # such a solution is an error
    """


_EXCESS, _ROUNDING = 1000, 1e-13


def warn_of_rows(report: SolveReport, level: int) -> None:
    """Warns at this stack level, unless the solve used a scaled system."""
    scaled = report.residual_scaled
    if report.scale == "none" and scaled > _EXCESS * report.residual and scaled > _ROUNDING:
        sentence = (
            f"the residual is {scaled:.1e} with rows scaled, and {report.residual:.1e} without: the norm of b may hide "
            "rows of small scale; furrow.solve scales such systems"
        )
        warnings.warn(sentence, SolveWarning, stacklevel=level + 1)
