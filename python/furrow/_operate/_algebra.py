"""Functions of scipy.sparse and scipy.sparse.linalg that compute matrices or numbers from matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._csr import Csr, csr
from .._given import checked

_NORMS = {None: "fro", "fro": "fro", 1: "1", np.inf: "inf"}
_FARTHEST = 2**31  # larger than the number of any diagonal


def kron(A: Any, B: Any) -> Csr:
    """Returns the Kronecker product of two matrices.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.kron(np.eye(2), np.array([[1.0, 2.0]])).toarray()
    array([[1., 2., 0., 0.],
           [0., 0., 1., 2.]])
    """
    matrix, other = csr(A), csr(B)
    a, b = matrix._beside(other, np.result_type(matrix.dtype, other.dtype))
    return matrix._new(a.kron(b))


@checked
def tril(A: Any, k: int = 0) -> Csr:
    """Returns the entries on and below the k-th diagonal.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.tril(np.ones((2, 2))).toarray()
    array([[1., 0.],
           [1., 1.]])
    """
    matrix = csr(A)
    return matrix._new(matrix._home().band(-_FARTHEST, k))


@checked
def triu(A: Any, k: int = 0) -> Csr:
    """Returns the entries on and above the k-th diagonal.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.triu(np.ones((2, 2)), 1).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    matrix = csr(A)
    return matrix._new(matrix._home().band(k, _FARTHEST))


def norm(A: Any, ord: Any = None) -> float:
    """Returns a norm of a matrix, as scipy.sparse.linalg.norm does.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    ord : {None, 'fro', 1, inf}
        None or 'fro': the Frobenius norm. 1: the largest column sum of moduli. inf: the largest row sum.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.norm(np.array([[3.0, 0.0], [4.0, 0.0]])), furrow.norm(np.eye(2), 1)
    (5.0, 1.0)
    """
    if ord not in _NORMS:
        raise NotImplementedError(f"ord is {ord!r}; use None, 'fro', 1 or inf")
    return csr(A)._home().norm(_NORMS[ord])
