"""Parts of a matrix by NumPy's indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._csr import Csr


def select(a: Csr, key: Any) -> Any:
    """``A[i, j]``, ``A[rows]``, ``A[rows, cols]`` with numbers, slices, lists and masks.

    A row or column number alone is a matrix of one row or column; two are the entry.
    """
    rows, cols = key if isinstance(key, tuple) else (key, slice(None))
    if _is_number(rows) and _is_number(cols):
        value = a._home().entry(_place(rows, a.shape[0], "row"), _place(cols, a.shape[1], "column"))
        return a.dtype.type(value if a.dtype.kind == "c" else value.real)
    if _is_range(rows) and _is_range(cols):
        return a._new(a._home().submatrix(*_bounds(rows, a.shape[0], "row"), *_bounds(cols, a.shape[1], "column")))
    return _listed(a, rows, cols)


def _listed(a: Csr, rows: Any, cols: Any) -> Csr:
    row_list, col_list = _numbers(rows, a.shape[0], "row"), _numbers(cols, a.shape[1], "column")
    if len(row_list) == 0 or len(col_list) == 0:
        from ._csr import csr

        empty = np.zeros(len(row_list) + 1, np.int32)
        return csr((np.empty(0, a.dtype), np.empty(0, np.int32), empty), shape=(len(row_list), len(col_list)))
    return a._new(a._home().selected(row_list, col_list))


def _is_number(key: Any) -> bool:
    return isinstance(key, int | np.integer)


def _is_range(key: Any) -> bool:
    return _is_number(key) or isinstance(key, slice) and key.step in (None, 1)


def _place(key: Any, size: int, what: str) -> int:
    place = int(key) + size if key < 0 else int(key)
    if not 0 <= place < size:
        raise IndexError(f"{what} {key} is not in a matrix that has {size}")
    return place


def _bounds(key: Any, size: int, what: str) -> tuple[int, int]:
    if _is_number(key):
        place = _place(key, size, what)
        return place, place + 1
    begin, end, _ = key.indices(size)
    return begin, max(begin, end)


def _numbers(key: Any, size: int, what: str) -> list[int]:
    """The numbers that an index stands for."""
    if isinstance(key, slice):
        return list(range(*key.indices(size)))
    if _is_number(key):
        return [_place(key, size, what)]
    key = np.asarray(key)
    if key.dtype == bool:
        if key.shape != (size,):
            raise IndexError(f"a mask of {what}s has shape {key.shape}; the matrix has {size}")
        return np.flatnonzero(key).tolist()
    return [_place(place, size, what) for place in key.tolist()]
