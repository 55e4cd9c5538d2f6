"""Properties of the pattern of a square matrix, seen as an undirected graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._csr import csr
from .._given import checked


@checked
def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Returns the weakly connected components of a graph, with the signature of scipy.sparse.csgraph.

    Parameters
    ----------
    csgraph : Csr, sparse matrix or array
        A square matrix. Rows i and j are connected if (i, j) or (j, i) is stored.
    directed : bool
        Ignored: weak components are the same in both cases.
    connection : {'weak'}
    return_labels : bool

    Returns
    -------
    n_components : int
    labels : numpy array of int32
        The component of each row. Components are numbered in the order of their first rows.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.connected_components(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    (2, array([0, 0, 1], dtype=int32))
    """
    if connection != "weak" and directed:
        raise NotImplementedError("strong components are not supported; use SciPy")
    matrix, labels = _with_labels(csgraph)
    count = _core.components(matrix, labels)
    return (count, labels) if return_labels else count


@checked
def colours(A: Any, distance: int = 1) -> tuple[int, Any]:
    """Colours the rows of a square matrix so that connected rows have different colours.

    Parameters
    ----------
    A : Csr, sparse matrix or array
    distance : {1, 2}
        2: rows with a common neighbour have different colours, too. This suits a Jacobian by differences.

    Returns
    -------
    count : int
    labels : numpy array of int32
        The colour of each row.

    Examples
    --------
    >>> import furrow
    >>> furrow.colours(furrow.Stencil(3, (5,)).to_csr())
    (2, array([1, 0, 1, 0, 1], dtype=int32))
    """
    matrix, labels = _with_labels(A)
    return _core.colours(matrix, distance, labels), labels


def _with_labels(A: Any) -> tuple[_core.Csr, Any]:
    matrix = csr(A)
    return matrix._home(), np.empty(matrix.shape[0], np.int32)
