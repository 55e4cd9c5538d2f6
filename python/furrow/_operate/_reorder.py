"""Orders for rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._csr import Csr, csr
from .._given import checked


@dataclass(frozen=True)
class OrderFigures:
    """Measures of an order for the pattern of A + A^T with a full diagonal.

    Attributes
    ----------
    bandwidth, profile : int
        The largest distance of a row's first entry from the diagonal, and the sum of these distances.
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
    """Finds an order of rows and columns that moves the entries of a square matrix close to its diagonal.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    method : {'rcm', 'cm', 'rcm-quality', 'sloan'}
        'rcm': reverse Cuthill-McKee. 'cm': the same order, not reversed. 'rcm-quality': a smaller bandwidth in
        more time. 'sloan': a small profile.
    allow_worse : bool
        False: keeps the matrix's order if the method does not improve it.

    Returns
    -------
    order : numpy array of int32
        Row ``order[i]`` moves to place i. ``furrow.permute(A, order, order)`` applies the order.

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
        raise ValueError(f"there is no method {method!r}; use one of {', '.join(_core.orders())}")
    order = np.empty(matrix.shape[0], np.int32)
    _core.reorder(matrix._home(), method, allow_worse, order)
    return order


@checked
def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """Returns the reverse Cuthill-McKee order, with the signature of scipy.sparse.csgraph.

    Parameters
    ----------
    graph : sparse matrix
    symmetric_mode : bool
        Ignored: the order is always that for the pattern of A + A^T.

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
    """Measures bandwidth, profile and wavefront of a square matrix in its own or a given order.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.measure_order(np.eye(4)).profile
    0
    """
    matrix = csr(A)._host()
    return OrderFigures(**_core.measure_order(matrix._home(), _numbers(order)))


def permute(A: Any, rows: Any = None, cols: Any = None) -> Csr:
    """Returns the matrix with ``B[i, j] = A[rows[i], cols[j]]``; None keeps the order of rows or columns.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    rows, cols : sequence of int, optional
        Each contains every number once.

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
    """Converts an order for the core. A number beyond int32 becomes one that the core refuses."""
    if order is None:
        return None
    numbers = np.asarray(order)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"an order consists of integers, not of {numbers.dtype}")
    return np.ascontiguousarray(np.clip(numbers, -1, 2**31 - 1), np.int32)
