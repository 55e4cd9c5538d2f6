"""Preconditioners M ~ A^-1, which SciPy's solvers accept as LinearOperators, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import NoArray, fitting
from .._csr import csr
from .._given import checked
from .._rebuilt import Rebuilt


class Preconditioner(Rebuilt, NoArray):
    """An approximate inverse of a matrix.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        A square matrix.
    kind : str
        One of `preconditioners`. Options may follow, as in ``"ilut:fill=20,drop=1e-4"``.
    **options
        Options of the kind, listed by `preconditioner_options`. An option of another kind raises TypeError. If
        `nonsymmetric` is not given, "amg" chooses it from the symmetry of A.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> M = furrow.Preconditioner(np.diag([2.0, 4.0]), "jacobi")
    >>> M @ np.ones(2)
    array([0.5 , 0.25])
    >>> M.report["kind"]
    'jacobi'
    """

    @checked
    def __init__(self, A: Any, kind: str = "jacobi", **options: Any) -> None:
        self._matrix = csr(A)
        self._made_from = (self._matrix, kind), options
        self._made = _core.Precond.create(self._matrix._home(), kind, options)
        self._applied = self._made.operator()
        self.shape = self._matrix.shape
        self.dtype = self._matrix.dtype

    @property
    def report(self) -> dict[str, Any]:
        """Properties of the preconditioner: kind, entries, bytes of an application, seconds_setup, levels, ..."""
        return self._made.report()

    def update(self) -> None:
        """Uses the current values of A and keeps all results that depend on the pattern only."""
        self._made.update()

    def matvec(self, r: Any) -> Any:
        """Returns ``M @ r``."""
        z = np.empty(self.shape[0], self.dtype)
        self._applied(fitting(np.ravel(r), self.dtype), z)
        return z.reshape(np.shape(r))

    __call__ = matvec

    def __matmul__(self, r: Any) -> Any:
        if np.ndim(r) < 2:
            return self.matvec(r)
        return np.stack([self.matvec(column) for column in np.asarray(r).T], axis=1)

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        if dtype != self.dtype:
            raise TypeError(f"the preconditioner has dtype {self.dtype}, but the system has {dtype}")
        return self._applied

    def __repr__(self) -> str:
        return f"<furrow.Preconditioner {self.report['kind']} of {self.shape[0]} rows, {self.dtype}>"


def refuse_options(options: dict[str, Any]) -> None:
    """Refuses unknown keywords of a solver. If M is a name, keywords are options of the preconditioner."""
    for name in options:
        raise TypeError(f"unexpected keyword argument {name!r}; only a named M accepts further options")


def preconditioners() -> dict[str, str]:
    """Returns the kinds of preconditioners with their descriptions.

    Examples
    --------
    >>> import furrow
    >>> "amg" in furrow.preconditioners()
    True
    """
    return _core.preconds()


@checked
def preconditioner_options(kind: str) -> dict[str, str]:
    """Returns the options of a kind of `Preconditioner` with their descriptions.

    Examples
    --------
    >>> import furrow
    >>> list(furrow.preconditioner_options("ilut"))
    ['fill', 'drop', 'shift', 'no_matching']
    """
    return _core.precond_options(kind)


def methods() -> dict[str, str]:
    """Returns the solution methods with their descriptions.

    Examples
    --------
    >>> import furrow
    >>> "cg" in furrow.methods()
    True
    """
    return _core.methods()
