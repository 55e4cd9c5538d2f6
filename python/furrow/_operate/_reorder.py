"""Orders of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._csr import Csr, csr
from .._given import checked


@dataclass(frozen=True)
class OrderFigures:
    """Figures of an order, of the pattern of A + A^T with a full diagonal.

    Attributes
    ----------
    bandwidth, profile : int
        The largest, and the sum, of the distances of rows' first entries from the diagonal.
    wavefront_max : int
    wavefront_rms : float

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.measure_order(np.eye(3)[::-1]).bandwidth
    2
    """

    bandwidth: int
    profile: int
    wavefront_max: int
    wavefront_rms: float


@checked
def reorder(A: Any, method: str = "rcm", *, allow_worse: bool = False) -> Any:
    """An order of rows and columns that brings the entries of a square matrix to its diagonal.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    method : {'rcm', 'cm', 'rcm-quality', 'sloan'}
        Reverse Cuthill-McKee; not reversed; a smaller bandwidth in more time; a small profile.
    allow_worse : bool
        False: what the method does not improve stays in its order.

    Returns
    -------
    order : numpy array of int32
        ``order[i]`` is what comes to place i: ``furrow.permute(A, order, order)`` applies it.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.array([[2.0, 0, 1], [0, 2, 0], [1, 0, 2]]))
    >>> order = furrow.reorder(A)
    >>> furrow.measure_order(A).bandwidth, furrow.measure_order(A, order).bandwidth
    (2, 1)
    """
    matrix = csr(A)._host()
    if method not in _core.orders():
        raise ValueError(f"there is no method {method!r}; there are {', '.join(_core.orders())}")
    order = np.empty(matrix.shape[0], np.int32)
    _core.reorder(matrix._home(), method, allow_worse, order)
    return order


@checked
def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """The function of scipy.sparse.csgraph: the reverse Cuthill-McKee order of a square matrix.

    Parameters
    ----------
    graph : sparse matrix
    symmetric_mode : bool
        Taken for SciPy's sake: the pattern of A + A^T counts always.

    Returns
    -------
    order : numpy array of int32

    Examples
    --------
    >>> import furrow
    >>> from scipy.sparse import csr_array
    >>> furrow.reverse_cuthill_mckee(csr_array([[0, 1, 2, 0], [0, 0, 0, 1], [2, 0, 0, 3], [0, 0, 0, 0]]))
    array([3, 2, 1, 0], dtype=int32)
    """
    return reorder(graph, "rcm", allow_worse=True)


def measure_order(A: Any, order: Any = None) -> OrderFigures:
    """Bandwidth, profile and wavefront of a square matrix, as it is or in an order.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.measure_order(np.eye(4)).profile
    0
    """
    matrix = csr(A)._host()
    return OrderFigures(**_core.measure_order(matrix._home(), _numbers(order)))


def permute(A: Any, rows: Any = None, cols: Any = None) -> Csr:
    """The matrix with ``B[i, j] = A[rows[i], cols[j]]``; None leaves rows, or columns, as they are.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    rows, cols : sequence of int, optional
        Each number once.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> furrow.permute(A, rows=[1, 0]).toarray()
    array([[0., 3.],
           [1., 2.]])
    """
    matrix = csr(A)
    return matrix._new(_core.permute(matrix._home(), _numbers(rows), _numbers(cols)))


def _numbers(order: Any) -> Any:
    """An order as the core takes it; numbers beyond int32 become ones that it refuses."""
    if order is None:
        return None
    numbers = np.asarray(order)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"an order consists of whole numbers, not of {numbers.dtype}")
    return np.ascontiguousarray(np.clip(numbers, -1, 2**31 - 1), np.int32)
