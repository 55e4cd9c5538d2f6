"""Exceptions: a class for each status of the library, also of the built-in class that callers expect."""

from __future__ import annotations

import re

from . import _core


class Error(Exception):
    """A call of the library that failed.

    Attributes
    ----------
    status : str
        The library's name of the kind of failure, such as ``"out of memory"``.
    sentence : str
        What failed, where, and what to do.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.eye(2))
    >>> try:
    ...     A @ np.ones(3)
    ... except furrow.Error as failure:
    ...     failure.status
    'invalid argument'
    """

    status = "error"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Invalid(Error, ValueError):
    """An argument or a matrix breaks the contract of a function."""


class OutOfMemory(Error, MemoryError):
    """The machine, or the device, has no more memory."""


class Overflow(Error, OverflowError):
    """A size does not fit its index type, or exceeds a limit of reading."""


class Unsupported(Error, NotImplementedError):
    """Valid, but this build or device cannot do it."""


class IoError(Error, OSError):
    """The operating system refused to open, read, write or rename."""


class Malformed(Error, ValueError):
    """A file's content breaks its format.

    Attributes
    ----------
    path : str or None
        The file.
    line, column : int or None
        The place, counting from 1; None where the file has no lines.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        place = re.match(r"(.*?):(\d+):(?:(\d+):)? ", sentence, re.S)
        self.path = place[1] if place else None
        self.line = int(place[2]) if place else None
        self.column = int(place[3]) if place and place[3] else None


class Cancelled(Error):
    """A callback, or a limit of time, asked to stop."""


class DeviceError(Error, RuntimeError):
    """The device or its driver failed."""


# By the numbers of fur_status.
_classes: dict[int, type[Error]] = {
    1: Invalid,
    2: OutOfMemory,
    3: Overflow,
    4: Unsupported,
    5: IoError,
    6: Malformed,
    7: Cancelled,
    8: DeviceError,
}
for _number, _class in _classes.items():
    _class.status = _core.status_name(_number)


def make(status: int, sentence: str) -> Error:
    """The exception of a status; called by the core."""
    return _classes.get(status, Error)(sentence)
