"""Exceptions: a class for each status of the library. Each one also derives from a matching built-in class."""

from __future__ import annotations

import re

from . import _core


class Error(Exception):
    """A call of the library failed.

    Attributes
    ----------
    status : str
        The library's name for the kind of failure, such as ``"out of memory"``.
    sentence : str
        Says what failed, where, and what to do.

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
    """An argument or a matrix breaks the contract of a function.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> try:
    ...     furrow.csr(np.eye(2)) @ np.ones(3)
    ... except ValueError as failure:
    ...     type(failure).__name__
    'Invalid'
    """


class OutOfMemory(Error, MemoryError):
    """The machine or the device has no free memory.

    Examples
    --------
    >>> import furrow
    >>> issubclass(furrow.OutOfMemory, MemoryError)
    True
    """


class Overflow(Error, OverflowError):
    """A size does not fit its index type, or exceeds a limit of reading.

    Examples
    --------
    >>> import furrow, io
    >>> text = b"%%MatrixMarket matrix coordinate real general\\n3000000000 1 0\\n"
    >>> try:
    ...     furrow.io.mmread(io.BytesIO(text))
    ... except OverflowError as failure:
    ...     type(failure).__name__
    'Overflow'
    """


class Unsupported(Error, NotImplementedError):
    """The call is valid, but this build or device does not support it.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> try:
    ...     furrow.csr(np.eye(2)).to("abacus")
    ... except NotImplementedError as failure:
    ...     type(failure).__name__
    'Unsupported'
    """


class IoError(Error, OSError):
    """The operating system refused to open, read, write or rename.

    Examples
    --------
    >>> import furrow
    >>> try:
    ...     furrow.read(".")
    ... except OSError as failure:
    ...     type(failure).__name__
    'IoError'
    """


class NotFound(IoError, FileNotFoundError):
    """The file does not exist.

    Examples
    --------
    >>> import furrow
    >>> try:
    ...     furrow.read("nonesuch.mtx")
    ... except FileNotFoundError as failure:
    ...     failure.sentence
    'nonesuch.mtx: there is no such file'
    """


class Malformed(Error, ValueError):
    """The content of a file breaks its format.

    Attributes
    ----------
    path : str or None
        The file.
    line, column : int or None
        The place in the file, counting from 1; None if the file has no lines.

    Examples
    --------
    >>> import furrow, io
    >>> text = b"%%MatrixMarket matrix coordinate real general\\n3 3 1\\n4 1 1.0\\n"
    >>> try:
    ...     furrow.io.mmread(io.BytesIO(text))
    ... except furrow.Malformed as failure:
    ...     failure.line, failure.column
    (3, 1)
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        place = re.match(r"(.*?):(\d+):(?:(\d+):)? ", sentence, re.S)
        self.path = place[1] if place else None
        self.line = int(place[2]) if place else None
        self.column = int(place[3]) if place and place[3] else None


class Cancelled(Error):
    """A callback or a time limit stopped the call.

    Examples
    --------
    >>> import furrow
    >>> furrow.Cancelled.status
    'cancelled'
    """


class DeviceError(Error, RuntimeError):
    """The device or its driver failed.

    Examples
    --------
    >>> import furrow
    >>> issubclass(furrow.DeviceError, RuntimeError)
    True
    """


# The exception for each number of fur_status.
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
    """Returns the exception for a status. The core calls this."""
    return _classes.get(status, Error)(sentence)
