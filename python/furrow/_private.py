"""Whether anybody else can reach an array: what the counts of references say."""

from __future__ import annotations

from sys import getrefcount
from threading import RLock
from typing import Any
from weakref import getweakrefcount

import numpy as np

_lock = RLock()
_borrowed: dict[int, list[None]] = {}  # by the id of an array: an entry for each `Borrowed` that has it


class Borrowed:
    """Arrays that a matrix reads where they lie, and never writes to."""

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
    """References to an array, without those of matrices, and to the array that it is a view of; nothing if the
    memory is not NumPy's."""
    counts = []
    owner = False
    while type(array) is np.ndarray:
        counts.append(getrefcount(array) + getweakrefcount(array) - len(_borrowed.get(id(array), ())))
        owner = array.flags.owndata
        array = array.base
    return tuple(counts) if owner and array is None else ()


_HELD = (np.empty(2)[:1],)
_ALONE = _counts(_HELD[0])  # of a view that a tuple holds, and of the array that only this view needs


def are_private(arrays: tuple[Any, ...], holders: int) -> bool:
    """Whether besides the tuple there are only so many holders of each array, and matrices that read it."""
    with _lock:  # as counting is a reference, too
        for k in range(len(arrays)):
            counts = _counts(arrays[k])
            if counts[:1] != (_ALONE[0] + holders,) or counts[1:] not in ((), _ALONE[1:]):
                return False
        return True
