"""How solves ended: SciPy's number, the report, and a warning."""

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
        ``"converged"``, ...; what to try else, one sentence.
    converged : bool
        Whether the true residual is small enough, or x is a least-squares solution and A is not square.
    stopped : bool
        Whether the limit of iterations, or the caller, ended the solve before.
    iterations, products : int
    residual, residual_recursive : float
        ``||b - A x|| / ||b||``, computed afresh; by the method's recursion.
    seconds : float
    method : str
    condition, norm : float
        From below, of M A; 0: not known.
    normal_residual : float
        Of least squares.
    residual_bound, error_a_norm : float
        With ``bounds=True``; else NaN.
    backward_error : float
        ``||b - A x|| / (||A|| ||x|| + ||b||)``; known if the residual is not as small as asked, else NaN.
    residual_scaled, backward_error_rows : float
        ``||R (b - A x)|| / ||R b||`` with the scales R of the rows, and the largest
        ``|b - A x| / (|A| |x| + |b|)`` of a row; NaN if A is no matrix.
    scale : str
        How `solve` has scaled A.
    outside : float
        The part of b outside the range of A, relative to b, if a null space is known; else NaN.
    residuals : list of float
        The recursive residual after each iteration of `looks`, the first of the guess.
    looks : list of int
        All iterations; of `cg` on a GPU, which goes ahead, those at which the host looked.
    attempts : list of str
        Of `solve`: what was tried, and why.

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
    residual_recursive: float
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
    looks: list[int] = field(default_factory=list)


class Info(int):
    """SciPy's number of a solve: 0 converged, above 0 the iterations that were not enough, -1 the
    method broke down; of `lsqr` and `lsmr` why they stopped. `report` has the rest.

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
    """SciPy's number for a report."""
    failed = max(report.iterations, 1) if report.stopped else -1
    return Info(0 if report.converged else failed, report)


class SolveWarning(UserWarning):
    """The residual is small, but large in rows of small scale, which the norm of b may hide.

    Examples
    --------
    >>> import furrow, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", furrow.SolveWarning)  # such a solution is an error
    """


_EXCESS, _ROUNDING = 1000, 1e-13


def warn_of_rows(report: SolveReport, level: int) -> None:
    """Warns, at this level of the stack, unless the solve was of a scaled system."""
    scaled = report.residual_scaled
    if report.scale == "none" and scaled > _EXCESS * report.residual and scaled > _ROUNDING:
        sentence = (
            f"the residual is {scaled:.1e} with rows scaled, and {report.residual:.1e} without: the norm of b may hide "
            "rows of small scale; furrow.solve scales such systems"
        )
        warnings.warn(sentence, SolveWarning, stacklevel=level + 1)
