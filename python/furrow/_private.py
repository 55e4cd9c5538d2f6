"""Finds out by reference counts whether other code can reach an array."""

from __future__ import annotations

from sys import getrefcount
from threading import RLock
from typing import Any
from weakref import getweakrefcount

import numpy as np

_lock = RLock()
_borrowed: dict[int, list[None]] = {}  # by the id of an array: one entry for each `Borrowed` that holds it


class Borrowed:
    """Arrays that a matrix reads in place and never writes to."""

    __slots__ = ("arrays",)

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        for array in arrays:
            _borrowed.setdefault(id(array), []).append(None)

    def __del__(self) -> None:
        for array in self.arrays:
            of_matrices = _borrowed.get(id(array), [])
            of_matrices.pop()
            if not of_matrices:
                _borrowed.pop(id(array), None)


def _counts(array: Any) -> tuple[int, ...]:
    """Counts references to an array and to the array that it is a view of.

    References by matrices do not count. Returns nothing if NumPy does not own the memory.
    """
    counts = []
    owner = False
    while type(array) is np.ndarray:
        counts.append(getrefcount(array) + getweakrefcount(array) - len(_borrowed.get(id(array), ())))
        owner = array.flags.owndata
        array = array.base
    return tuple(counts) if owner and array is None else ()


_HELD = (np.empty(2)[:1],)
_ALONE = _counts(_HELD[0])  # counts for a view that only a tuple holds, of an array that only the view holds


def are_private(arrays: tuple[Any, ...], holders: int) -> bool:
    """Returns whether only `holders` holders, this tuple and reading matrices refer to each array."""
    with _lock:  # because counting itself adds a reference
        for k in range(len(arrays)):
            counts = _counts(arrays[k])
            if counts[:1] != (_ALONE[0] + holders,) or counts[1:] not in ((), _ALONE[1:]):
                return False
        return True
