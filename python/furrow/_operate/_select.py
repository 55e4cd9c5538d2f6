"""Selects parts of a matrix with NumPy's indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._csr import Csr


def select(a: Csr, key: Any) -> Any:
    """Returns ``A[i, j]``, ``A[rows]`` or ``A[rows, cols]`` for numbers, slices, lists and masks.

    A single row or column number gives a matrix of one row or column. Two numbers give an entry. Two lists give
    the entries at their pairs, as in NumPy. ``A[np.ix_(rows, cols)]`` gives the matrix of these rows and columns.
    """
    rows, cols = _axes(a, key)
    if isinstance(rows, slice | int) and isinstance(cols, slice | int):
        return _entry(a, rows, cols) if isinstance(rows, int) and isinstance(cols, int) else _range(a, rows, cols)
    if isinstance(rows, slice) or isinstance(cols, slice):
        return _listed(a, _line(rows, a.shape[0]), _line(cols, a.shape[1]))
    rows, cols = np.asarray(rows), np.asarray(cols)
    if rows.ndim == 2 and rows.shape[1] == 1 and cols.ndim > 0 and cols.size == cols.shape[-1]:
        return _listed(a, rows[:, 0], cols.ravel())
    try:
        return _pairs(a, *np.broadcast_arrays(rows, cols))
    except ValueError:
        raise IndexError(f"index arrays of shapes {rows.shape} and {cols.shape} do not match; see numpy.ix_") from None


def _axes(a: Csr, key: Any) -> tuple[Any, Any]:
    """Returns the index of each axis: an int, a slice, or an array of nonnegative ints."""
    if not isinstance(key, tuple):
        mask = not isinstance(key, slice) and np.shape(key) == a.shape and np.asarray(key).dtype.kind == "b"
        key = np.nonzero(key) if mask else (key,)
    if len(key) > 2:
        raise IndexError(f"too many indices: {len(key)} for a matrix with two axes")
    rows, cols = (*key, slice(None))[:2]
    return _places(rows, a.shape[0], "row"), _places(cols, a.shape[1], "column")


def _places(key: Any, size: int, what: str) -> Any:
    if isinstance(key, slice):
        return key
    places = np.asarray(key)
    if places.dtype.kind == "b" and places.ndim > 0:
        if places.shape != (size,):
            raise IndexError(f"the mask of {what}s has shape {places.shape}; the matrix has {size} {what}s")
        return np.flatnonzero(places)
    if places.dtype.kind not in "iu" and places.size > 0:
        raise IndexError(f"{what}s are indexed by integers, slices or masks, not by {places.dtype}")
    outside = (places < -size) | (places >= size)
    if outside.any():
        raise IndexError(f"{what} {places[outside].flat[0]} is out of range; the matrix has {size} {what}s")
    places = places.astype(np.int64)
    places = np.where(places < 0, places + size, places)
    return int(places) if places.ndim == 0 else places


def _line(key: Any, size: int) -> Any:
    """Returns the numbers that a slice, a number or an array selects."""
    if isinstance(key, slice):
        return np.arange(size)[key]
    if np.ndim(key) > 1:
        raise IndexError("an index array next to a slice must have one axis")
    return np.atleast_1d(key)


def _entry(a: Csr, row: int, col: int) -> Any:
    return _pairs(a, np.array([row]), np.array([col]))[0]


def _pairs(a: Csr, rows: Any, cols: Any) -> Any:
    """Returns the entries at pairs: an array for one axis, a matrix for two axes."""
    if rows.ndim > 2:
        raise IndexError(f"index arrays have {rows.ndim} axes; use one or two axes")
    found = np.empty(rows.size, np.complex128)
    a._home().entries_at(rows.ravel(), cols.ravel(), found)
    values = (found if a.dtype.kind == "c" else found.real).astype(a.dtype).reshape(rows.shape)
    if rows.ndim == 1:
        return values
    from .._csr import csr

    return csr(values)


def _range(a: Csr, rows: Any, cols: Any) -> Csr:
    if any(isinstance(key, slice) and key.step not in (None, 1) for key in (rows, cols)):
        return _listed(a, _line(rows, a.shape[0]), _line(cols, a.shape[1]))
    return a._new(a._home().submatrix(*_bounds(rows, a.shape[0]), *_bounds(cols, a.shape[1])))


def _bounds(key: Any, size: int) -> tuple[int, int]:
    if isinstance(key, int):
        return key, key + 1
    begin, end, _ = key.indices(size)
    return begin, max(begin, end)


def _listed(a: Csr, rows: Any, cols: Any) -> Csr:
    if len(rows) == 0 or len(cols) == 0:
        from .._csr import csr

        empty = np.zeros(len(rows) + 1, np.int32)
        return csr((np.empty(0, a.dtype), np.empty(0, np.int32), empty), shape=(len(rows), len(cols)))
    return a._new(a._home().selected(rows.tolist(), cols.tolist()))
