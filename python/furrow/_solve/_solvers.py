"""Solvers for A x = b with the signatures of scipy.sparse.linalg, and `solve`, which chooses a method itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .._arrays import fitting, library_of
from .._csr import Csr
from .._given import at_least, checked, one_of, refuse
from .._operators import dtype_of, matrix_of, operator_of
from ._outcomes import Info, SolveReport, info_of, warn_of_rows
from ._preconditioners import Preconditioner, refuse_options
from ._progress import progress_of

_SCALES = {"auto": 0, "none": 1, "rows": 2, "symmetric": 3}


@dataclass(frozen=True)
class _NullSpace:
    """Null space vectors as columns of an array or None, and whether the constant vector is one of them."""

    vectors: Any
    constant: bool


def null_space_of(given: Any, dtype: np.dtype[Any]) -> _NullSpace:
    """Converts the caller's null space: None, "constant", a vector, or an array with a column for each vector."""
    if given is None or isinstance(given, str):
        return _NullSpace(None, one_of("null_space", given, {None: False, "constant": True}))
    vectors = fitting(library_of(given).take(given), dtype, "F")
    if vectors.ndim not in (1, 2):
        raise refuse("null_space", given, "'constant', a vector, or an array of columns")
    return _NullSpace(vectors.reshape(len(vectors), -1, order="F"), False)


@dataclass(frozen=True)
class _System:
    """The system A x = b, prepared for the core."""

    A: Any  # a Csr, or an object with matvec
    b: Any
    x: Any  # the initial guess, later the solution
    dtype: np.dtype[Any]
    like: Any  # the caller's b
    null: _NullSpace

    def matrix(self) -> _core.Csr | None:
        return self.A.astype(self.dtype)._home() if isinstance(self.A, Csr) else None

    def solution(self) -> Any:
        return library_of(self.like).give(self.x, self.like)

    def operator(self, A: Any = None, adjoint: bool = False) -> _core.Operator:
        return operator_of(self.A if A is None else A, self.dtype, len(self.b), adjoint)

    def preconditioner(self, M: Any, options: dict[str, Any]) -> _core.Operator | None:
        """Returns the operator of M, which is a kind, an operator or a matrix; None: no preconditioner."""
        if isinstance(M, str):
            if not isinstance(self.A, Csr):
                raise TypeError(f"M is {M!r}, which needs a matrix; A is an operator")
            return Preconditioner(self.A.astype(self.dtype), M, **options)._operator(self.dtype)
        refuse_options(options)
        if M is None:
            return None
        matrix = matrix_of(M)
        return self.operator(M if matrix is None else matrix)


def _system(A: Any, b: Any, x0: Any, null_space: Any = None) -> _System:
    matrix = matrix_of(A)
    A = A if matrix is None else matrix
    library = library_of(b)
    right = library.take(b)
    if library.device != "cpu":
        return _system_on_gpu(A, right, x0, library, null_space)
    right = np.ravel(right)
    dtype = dtype_of(A, right)
    cols = A.shape[1] if hasattr(A, "shape") else len(right)
    x = np.zeros(cols, dtype) if x0 is None else fitting(np.ravel(library_of(x0).take(x0)), dtype).copy()
    A = A if matrix is None else matrix.astype(dtype)  # converted once, so M is made from the same matrix
    return _System(A, np.ascontiguousarray(right, dtype), x, dtype, b, null_space_of(null_space, dtype))


def _system_on_gpu(A: Any, b: Any, x0: Any, library: Any, null_space: Any) -> _System:
    """Prepares a system whose b, guess and A have one dtype and lie on the device, b and guess without gaps."""
    if not isinstance(A, Csr):
        raise TypeError("b is on a GPU: A should be a matrix")
    A = A.to(library.device) if A.device == "cpu" else A
    A._follow(library)
    x = library.empty((A.shape[1],), A.dtype, b)
    x[...] = 0 if x0 is None else x0
    return _System(A, b, x, A.dtype, b, null_space_of(null_space, A.dtype))


def _solve(
    system: _System,
    method: str,
    M: Any,
    listener: AbstractContextManager[tuple[Any, bool]],
    options: dict[str, Any],
    M_options: dict[str, Any] | None = None,
    adjoint: bool = False,
    iterate: Any = None,
) -> SolveReport:
    """Solves a system in the core.

    `iterate`: None, or an array for x of the iteration that the listener receives. If it is system.x, it holds
    what the method has stored so far.
    """
    m = system.preconditioner(M, M_options or {})
    adjoint_operator = system.operator(adjoint=True) if adjoint else None
    given = {"method": method, "null_constant": system.null.constant, **options}
    with listener as (call, every):
        found, residuals, attempts = _core.solve(
            system.operator(),
            system.matrix(),
            system.b,
            system.x,
            m,
            adjoint_operator,
            call,
            every,
            iterate,
            system.null.vectors,
            given,
        )
    return SolveReport(**found, residuals=residuals, attempts=attempts)


def _digits(bar: Any, rtol: float | None) -> Callable[[int, float], Any]:
    """Returns a function that shows how many digits of the residual are done."""
    digits = -np.log10(max(1e-10 if rtol is None else rtol, 1e-300))

    def show(iteration: int, residual: float) -> bool:
        done = -np.log10(max(residual, 1e-300)) / digits if residual < 1 else 0.0
        bar(int(1000 * done), 1000)
        return False

    return show


@contextmanager
def _listener(
    progress: bool | Callable[[int, float], Any], rtol: float | None, callback: Any
) -> Iterator[tuple[Callable[[int, float], Any] | None, bool]]:
    """Yields the core's callback for iteration and residual, and whether it is called at every iteration."""
    if callback is not None:
        yield (lambda iteration, residual: callback(iteration, residual) and None), True
        return
    with progress_of(progress, "Solving") as told:
        yield (_digits(told, rtol) if progress is True else told), False


def _finish(system: _System, report: SolveReport, residuals: list[float] | None) -> tuple[Any, Info]:
    if residuals is not None:
        residuals.extend(report.residuals)
    warn_of_rows(report, 4)
    return system.solution(), info_of(report)


@checked
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    bounds: bool = False,
    null_space: Any = None,
    **options: Any,
) -> tuple[Any, Info]:
    """Solves A x = b with conjugate gradients for a symmetric (Hermitian) positive definite A.

    The result has the same bits for any number of threads, and on a GPU.

    Parameters
    ----------
    A : Csr, sparse matrix, array, LinearOperator or function
    b : array
    x0 : array, optional
        The initial guess; None: zeros.
    rtol, atol : float
        Tolerance for the true residual: ``||b - A x|| <= max(rtol ||b||, atol)``. rtol None: 1e-10, in single
        precision 1e-5.
    maxiter : int, optional
        None: 10 times the number of rows, plus 100, at most 50000. 0: only computes the residual of the guess.
    M : str, Preconditioner, LinearOperator, matrix or function, optional
        Approximates the inverse of A. A string is a kind of `Preconditioner`, with `options`.
    callback : function, optional
        Called as ``callback(xk)`` after each iteration.
    residuals : list, optional
        Receives the relative residual of the guess and after each iteration.
    progress : bool or function
        True: shows a bar on a terminal or in a notebook. A function receives iteration and residual from time
        to time. The solve ends if it returns True.
    bounds : bool
        True: the report contains `residual_bound` and `error_a_norm`.
    null_space : "constant", vector, or array with a column for each vector, optional
        The null space of a singular A and its adjoint, such as the constant for a pure Neumann problem. It is
        removed from b and from x. If b has a part in it, x solves the system without this part. info is then
        not 0, the outcome is ``"least-squares solution"``, and ``info.report.outside`` has the size.

    Returns
    -------
    x : array of b's kind
    info : Info
        0: converged; ``info.report`` has more.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.array([[4.0, 1.0], [1.0, 3.0]]))
    >>> x, info = furrow.cg(A, np.array([1.0, 2.0]), rtol=1e-12, M="jacobi")
    >>> x.round(6), info == 0
    (array([0.090909, 0.636364]), True)
    """
    system = _system(A, b, x0, null_space)
    late = None if callback is None else _CallbackOfCg(callback, system.x)
    wishes = {
        "rtol": rtol,
        "atol": atol,
        "maxiter": maxiter,
        "bounds": bounds,
        "no_reduction": late is not None,
        "check_every": None if late is None and residuals is None else 1,
    }
    shown = None if late is None else system.x
    report = _solve(system, "cg", M, _listener(progress, rtol, late), wishes, options, iterate=shown)
    if callback is not None and report.iterations > 0:
        callback(system.x)
    return _finish(system, report, residuals)


class _CallbackOfCg:
    """Passes x after each iteration to a callback of SciPy's kind.

    When the core reports iteration k, x belongs to iteration k - 1. The last x is passed after the solve.
    """

    def __init__(self, callback: Callable[[Any], Any], x: Any) -> None:
        self.callback, self.x = callback, x

    def __call__(self, iteration: int, residual: float) -> None:
        if iteration > 1:
            self.callback(self.x)


def _solve_and_tell(
    system: _System,
    method: str,
    M: Any,
    callback: Callable[[Any], Any] | None,
    progress: bool | Callable[[int, float], Any],
    wishes: dict[str, Any],
    options: dict[str, Any],
) -> SolveReport:
    """Solves with a method that can pass x of each iteration to a callback of SciPy's kind."""
    if callback is None:
        return _solve(system, method, M, _listener(progress, wishes["rtol"], None), wishes, options)
    x = system.x + 0

    def call(iteration: int, residual: float) -> None:
        if iteration > 0:
            callback(x)

    return _solve(system, method, M, _listener(progress, wishes["rtol"], call), wishes, options, iterate=x)


def _residual_callback(callback: Callable[[float], Any] | None) -> Any:
    if callback is None:
        return None

    def call(iteration: int, residual: float) -> None:
        if iteration > 0:
            callback(residual)

    return call


@checked
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    null_space: Any = None,
    **options: Any,
) -> tuple[Any, Info]:
    """Solves A x = b with BiCGSTAB for an A that is not symmetric; parameters as in `cg`.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[4.0, 1.0], [0.0, 3.0]])
    >>> x, info = furrow.bicgstab(A, A @ np.ones(2), rtol=1e-12)
    >>> x.round(6), info == 0
    (array([1., 1.]), True)
    """
    system = _system(A, b, x0, null_space)
    wishes = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    return _finish(system, _solve_and_tell(system, "bicgstab", M, callback, progress, wishes, options), residuals)


@checked
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[float], Any] | None = None,
    callback_type: str = "pr_norm",
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    flexible: bool = False,
    null_space: Any = None,
    **options: Any,
) -> tuple[Any, Info]:
    """Solves A x = b with restarted GMRES; parameters as in `cg`, except those below.

    Parameters
    ----------
    restart : int, optional
        Number of directions kept; None: 30, but not more than the rows of A.
    maxiter : int, optional
        Largest number of restarts, as in SciPy.
    callback : function, optional
        Receives the relative residual after each iteration.
    callback_type : {'pr_norm', 'legacy'}
        SciPy's names for this behaviour.
    flexible : bool
        True: FGMRES, for an M that changes between applications.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[4.0, 1.0], [0.0, 3.0]])
    >>> x, info = furrow.gmres(A, A @ np.ones(2), rtol=1e-12)
    >>> x.round(6), info == 0
    (array([1., 1.]), True)
    """
    if callback_type not in ("pr_norm", "legacy"):
        raise NotImplementedError(f"callback_type is {callback_type!r}; only 'pr_norm' (residual norms) is supported")
    system = _system(A, b, x0, null_space)
    restart = min(at_least(1, "restart", restart) or 30, max(len(system.b), 1))
    iterations = None if maxiter is None else maxiter * restart
    wishes = {"rtol": rtol, "atol": atol, "maxiter": iterations, "restart": restart}
    listener = _listener(progress, rtol, _residual_callback(callback))
    method = "fgmres" if flexible else "gmres"
    return _finish(system, _solve(system, method, M, listener, wishes, options), residuals)


@checked
def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    null_space: Any = None,
    **options: Any,
) -> tuple[Any, Info]:
    """Solves A x = b with MINRES for a symmetric (Hermitian) A, which may be indefinite or singular.

    Parameters are as in `cg`, except `shift`.

    Parameters
    ----------
    shift : float
        Solves ``(A - shift I) x = b``. A must be a matrix.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.diag([1.0, -2.0])
    >>> x, info = furrow.minres(A, np.ones(2), rtol=1e-12)
    >>> x.round(6), info == 0
    (array([ 1. , -0.5]), True)
    """
    system = _system(A, b, x0, null_space)
    if shift != 0:
        if not isinstance(system.A, Csr):
            raise TypeError("shift needs a matrix; subtract the shift in the operator instead")
        system = replace(system, A=_shifted(system.A.astype(system.dtype), shift))
    wishes = {"rtol": rtol, "maxiter": maxiter}
    return _finish(system, _solve_and_tell(system, "minres", M, callback, progress, wishes, options), residuals)


def _shifted(A: Csr, shift: float) -> Csr:
    return A._new(A._home().shifted(shift))


@checked
def idrs(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    s: int = 4,
    rtol: float | None = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    null_space: Any = None,
    **options: Any,
) -> tuple[Any, Info]:
    """Solves A x = b with IDR(s) for an A that is not symmetric; parameters as in `bicgstab`, and `s` shadow vectors.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[4.0, 1.0], [0.0, 3.0]])
    >>> x, info = furrow.idrs(A, A @ np.ones(2), rtol=1e-12)
    >>> x.round(6), info == 0
    (array([1., 1.]), True)
    """
    system = _system(A, b, x0, null_space)
    wishes = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "s": s}
    return _finish(system, _solve_and_tell(system, "idrs", M, callback, progress, wishes, options), residuals)


@checked
def solve(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    method: str | None = None,
    M: str | None = None,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    residuals: list[float] | None = None,
    progress: bool | Callable[[int, float], Any] = False,
    restart: int | None = None,
    damp: float = 0.0,
    bounds: bool = False,
    scale: str = "auto",
    null_space: Any = None,
) -> tuple[Any, Info]:
    """Solves A x = b or ``min ||b - A x||``: analyses A, chooses a method, and tries others on failure.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    b, x0, rtol, atol, residuals, progress, bounds, null_space
        As in `cg`. A constant null space is found even if `null_space` is not given.
    method : str, optional
        One of `methods`. No other method is tried.
    M : str, optional
        One of `preconditioners`, ``"none"``, or ``"norms"``.
    maxiter : int, optional
        Largest number of iterations of all attempts together.
    restart : int, optional
        Number of directions that gmres keeps, or of shadow vectors for idrs; None: 30 and 4.
    damp : float
        Least squares only: minimises ``||b - A x||^2 + damp^2 ||x - x0||^2``.
    scale : {'auto', 'none', 'rows', 'symmetric'}
        Scales rows, or rows and columns, by powers of two. ``"auto"`` scales if no method is named and the
        largest entries of rows, or of columns, differ by a factor above 1e3. x then also meets the tolerance
        in the norm of the scaled rows.

    Returns
    -------
    x : array of b's kind
    info : Info
        ``info.report.attempts`` lists the attempts and their reasons.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[4.0, 1.0], [1.0, 3.0]])
    >>> x, info = furrow.solve(A, A @ np.ones(2))
    >>> x.round(6), info.report.method
    (array([1., 1.]), 'cg')
    """
    system = _system(A, b, x0, null_space)
    if not isinstance(system.A, Csr):
        raise TypeError(f"auto needs a matrix, not a {type(A).__name__}; name a method such as cg or gmres")
    wishes = {
        "method": method,
        "rtol": rtol,
        "atol": atol,
        "maxiter": maxiter,
        "restart": restart,
        "damp": damp,
        "bounds": bounds,
        "null_constant": system.null.constant,
    }
    handle, scales = system.A.astype(system.dtype)._home(), one_of("scale", scale, _SCALES)
    with _listener(progress, rtol, None) as (call, _):
        null = system.null.vectors
        found, history, attempts = _core.solve_matrix(handle, system.b, system.x, call, M or "", scales, null, wishes)
    return _finish(system, SolveReport(**found, residuals=history, attempts=attempts), residuals)
