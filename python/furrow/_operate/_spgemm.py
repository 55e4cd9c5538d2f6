"""Products of two or three matrices, and products of blocks of vectors at the entries of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import library_of
from .._csr import Csr, csr
from .._given import checked, refuse
from .._rebuilt import Rebuilt


class MatmulPlan(Rebuilt):
    """Computes ``C = A @ B`` repeatedly for changing values, and finds the pattern of C once.

    Parameters
    ----------
    A, B : Csr, sparse matrix or array

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> p = furrow.MatmulPlan(A, A)
    >>> C = p()
    >>> A.set_values([2.0, 4.0, 6.0])
    >>> p(out=C).toarray()
    array([[ 4., 32.],
           [ 0., 36.]])
    """

    def __init__(self, A: Any, B: Any) -> None:
        self._matrices = csr(A), csr(B)
        self._made_from = self._matrices, {}
        a, b = self._matrices
        self._made = _core.Spgemm.plan(*a._beside(b, np.result_type(a.dtype, b.dtype)))
        self.shape = a.shape[0], b.shape[1]

    def __call__(self, out: Csr | None = None) -> Csr:
        """Returns the product for the current values of A and B.

        Parameters
        ----------
        out : Csr, optional
            The result of an earlier call. It receives the new values, and its plans use them.
        """
        if out is None:
            return self._matrices[0]._new(self._made.multiply())
        if not isinstance(out, Csr):
            raise refuse("out", out, "a matrix that an earlier call has made")
        self._made.apply(out._handle)
        out._cache.forget_values()
        return out

    @property
    def report(self) -> dict[str, Any]:
        """Entries of the product, number of scalar products, bytes, seconds_plan."""
        return self._made.report()

    def __repr__(self) -> str:
        return f"<furrow.MatmulPlan of {self.shape[0]} x {self.shape[1]}, {self.report['entries']} entries>"


def spgemm(A: Any, B: Any) -> Csr:
    """Returns ``A @ B`` for two matrices of any kind, computed by Furrow.

    Parameters
    ----------
    A, B : Csr, sparse matrix or array

    Returns
    -------
    C : Csr
        Its columns are sorted. Entries that cancel to 0 stay stored.

    See Also
    --------
    MatmulPlan : repeats a product for changing values.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.spgemm(np.array([[1.0, 2.0], [0.0, 3.0]]), np.eye(2)).toarray()
    array([[1., 2.],
           [0., 3.]])
    """
    product: Csr = csr(A) @ csr(B)
    return product


def triple(R: Any, A: Any, P: Any) -> Csr:
    """Returns ``R @ (A @ P)`` in one step, for example a coarse operator of multigrid.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> P = np.array([[1.0], [1.0]])
    >>> furrow.triple(P.T, np.array([[2.0, -1.0], [-1.0, 2.0]]), P).toarray()
    array([[2.]])
    """
    r, a, p = csr(R), csr(A), csr(P)
    dtype = np.result_type(r.dtype, a.dtype, p.dtype)
    middle, right = a._beside(p, dtype)
    _, left = a._beside(r, dtype)
    return a._new(_core.triple(left, middle, right))


@checked
def sddmm(A: Any, X: Any, Y: Any, alpha: float = 1.0, beta: float = 0.0) -> Csr:
    """Returns ``alpha X Y^H + beta A`` at the entries of A, without forming the dense product.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    X, Y : arrays
        X has one row for each row of A, Y one row for each column of A. They have equally many columns.
    alpha, beta : float

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.sddmm(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2))).toarray()
    array([[3., 0.],
           [0., 7.]])
    """
    matrix = csr(A)
    if library_of(X).device == "cpu":
        dtype = np.result_type(matrix.dtype, X, Y)
        matrix = matrix.astype(dtype)
        X, Y = np.ascontiguousarray(X, dtype), np.ascontiguousarray(Y, dtype)
    return matrix._new(_core.sddmm(matrix._home(), alpha, X, Y, beta))
