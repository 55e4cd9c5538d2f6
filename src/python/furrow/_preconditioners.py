"""Preconditioners M ~ A^-1, which SciPy's solvers take as LinearOperators, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._csr import csr


class Preconditioner:
    """An approximate inverse of a matrix.

    Parameters
    ----------
    A : Csr, sparse matrix or array
        Square.
    kind : str
        ``"jacobi"``, ``"ssor"``, ``"ic0"``, ``"ilu0"``, ``"ilu"``, ``"ilut"``, ``"fsai"``, ``"spai"``,
        ``"chebyshev"``, ``"amg"``, ``"bjacobi"``, ``"schwarz"``, or ``"direct"`` (UMFPACK, where it is
        installed).
    **options
        Of the kind: of factors `fill`, `shift`, `modified`, `coloured`, `drop`; of chebyshev `degree`;
        of blocks `block`; of amg `theta`, `levels`, `coarsest`, `smoother`, `sweeps`, `single`,
        `nonsymmetric`, `coarsening`, `node`. docs/preconditioners.md explains them.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> M = furrow.Preconditioner(np.diag([2.0, 4.0]), "jacobi")
    >>> M @ np.ones(2)
    array([0.5 , 0.25])
    >>> M.report["kind"]
    'jacobi'
    """

    def __init__(self, A: Any, kind: str = "jacobi", **options: Any) -> None:
        self._matrix = csr(A)
        self._made = _core.Precond.create(self._matrix._home(), kind, options)
        self._applied = self._made.operator()
        self.shape = self._matrix.shape
        self.dtype = self._matrix.dtype

    @property
    def report(self) -> dict[str, Any]:
        """What was made: kind, entries, bytes of an application, seconds_setup, levels, ..."""
        return self._made.report()

    def update(self) -> None:
        """Takes over new values of A; what follows from the pattern is kept."""
        self._made.update()

    def matvec(self, r: Any) -> Any:
        """``M @ r``"""
        z = np.empty(self.shape[0], self.dtype)
        self._applied(np.ascontiguousarray(np.ravel(r), self.dtype), z)
        return z.reshape(np.shape(r))

    __call__ = matvec

    def __matmul__(self, r: Any) -> Any:
        if np.ndim(r) < 2:
            return self.matvec(r)
        return np.stack([self.matvec(column) for column in np.asarray(r).T], axis=1)

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        if dtype != self.dtype:
            raise TypeError(f"the preconditioner is of {self.dtype}, the system of {dtype}")
        return self._applied

    def __repr__(self) -> str:
        return f"<furrow.Preconditioner {self.report['kind']} of {self.shape[0]} rows, {self.dtype}>"


def preconditioners() -> dict[str, str]:
    """The kinds of preconditioners, and what they are.

    Examples
    --------
    >>> import furrow
    >>> "amg" in furrow.preconditioners()
    True
    """
    return _core.preconds()


def methods() -> dict[str, str]:
    """The methods of solving, and what they are.

    Examples
    --------
    >>> import furrow
    >>> "cg" in furrow.methods()
    True
    """
    return _core.methods()
