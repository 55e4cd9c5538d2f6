"""Nearest neighbours of a set of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import DTYPES, computed, library_of
from .._contexts import context
from .._csr import Csr
from .._given import checked


@checked
def neighbours(
    points: Any, k: int, *, with_self: bool = True, squared: bool = False, method: str | None = None
) -> tuple[Any, Any]:
    """Returns the k nearest points of each point, as ``scipy.spatial.cKDTree(points).query(points, k)`` does.

    If points are at equal distance, the lower index comes first. The result has the same bits for any number
    of threads and with any method.

    Parameters
    ----------
    points : array of n rows
        The coordinates of each point as a row, of a real type.
    k : int
    with_self : bool
        True: a point is a neighbour of itself.
    squared : bool
        True: returns squared distances.
    method : {None, 'brute', 'grid'}
        None: chosen automatically.

    Returns
    -------
    distances, indices : arrays of n rows
        They have k columns, the nearest point first. If k is 1, they have one axis.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> distances, indices = furrow.neighbours(np.array([[0.0], [1.0], [3.0]]), 2)
    >>> indices
    array([[0, 1],
           [1, 0],
           [2, 1]])
    """
    graph = neighbours_graph(points, k, with_self=with_self, squared=squared, method=method)._host()
    shape = graph.shape[0], k
    distances, indices = graph.data.reshape(shape), graph.indices.reshape(shape)
    order = np.argsort(distances, axis=1, kind="stable")
    distances, indices = (np.take_along_axis(a, order, axis=1) for a in (distances, indices))
    indices = indices.astype(np.intp)
    return (distances[:, 0], indices[:, 0]) if k == 1 else (distances, indices)


@checked
def neighbours_graph(
    points: Any, k: int, *, with_self: bool = False, squared: bool = False, method: str | None = None
) -> Csr:
    """Returns the graph of the k nearest neighbours. Its entry (i, j) is the distance from point i to neighbour j.

    Parameters
    ----------
    points, k, with_self, squared, method
        As in `neighbours`.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.neighbours_graph(np.array([[0.0], [1.0], [3.0]]), 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """
    library = library_of(points)
    cloud = library.take(points)
    if library.device == "cpu":
        dtype = computed(cloud.dtype)
        if dtype not in DTYPES[:2]:
            raise TypeError(f"points have real coordinates, not {cloud.dtype}")
        cloud = np.ascontiguousarray(cloud, dtype)
    home = context(library.device, None, library.stream)
    return Csr(_core.neighbours(home, cloud, k, method or "", squared, with_self))
