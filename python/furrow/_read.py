"""Reads and writes files: Matrix Market, also compressed or in an archive, and the container .fur."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _core
from ._arrays import number_of
from ._contexts import context
from ._csr import Csr, csr
from ._errors import NotFound
from ._given import at_least, checked, number, one_of, refuse, whole, word
from ._solve._progress import progress_of

DUPLICATES = {"sum": 0, "last": 1, "error": 2}
SYMMETRIES = {"general": 0, "symmetric": 1, "skew-symmetric": 2, "hermitian": 3}


class FileWarning(UserWarning):
    """A file's content is valid but may be a mistake of its author.

    Examples
    --------
    >>> import furrow, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", furrow.FileWarning)  # such files are errors
    """


@dataclass(frozen=True)
class Header:
    """The contents of a file's header.

    Attributes
    ----------
    rows, cols : int
    entries : int
        Number of entries in the file.
    format, field, symmetry : str
        The words of the Matrix Market format.

    Examples
    --------
    >>> import furrow, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.mtx")
    >>> furrow.write(path, np.eye(2))
    >>> furrow.read_header(path)
    Header(rows=2, cols=2, entries=2, format='coordinate', field='real', symmetry='general')
    """

    rows: int
    cols: int
    entries: int
    format: str
    field: str
    symmetry: str


@dataclass(frozen=True)
class Limits:
    """Limits for reading a file of unknown origin. None: a default in proportion to the file's size.

    Attributes
    ----------
    shape : int
        Largest number of rows plus columns.
    entries : int
        Largest number of entries in the file.
    unpacked : int
        Largest number of bytes after decompression.
    seconds : float
        Time limit; None: no limit.

    Examples
    --------
    >>> import furrow
    >>> furrow.Limits(seconds=60).seconds
    60
    """

    shape: int | None = None
    entries: int | None = None
    unpacked: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("shape", "entries", "unpacked"):
            value = getattr(self, name)
            at_least(1, name, None if value is None else whole(name, value))
        if self.seconds is not None and not number("seconds", self.seconds) > 0:
            raise ValueError(f"seconds is {self.seconds}; it should be above 0")


@checked
def read(
    path: str | os.PathLike[str],
    *,
    dtype: Any = None,
    device: str | None = None,
    member: str | None = None,
    keep_triangle: bool = False,
    duplicates: str = "sum",
    map: bool = False,
    strict: bool = False,
    limits: Limits | None = None,
    progress: bool | Callable[[int, int], Any] = False,
    threads: int | None = None,
) -> Csr:
    """Reads a matrix from a file.

    Parameters
    ----------
    path : path
        A Matrix Market file, plain, .gz, .zst or in a .tar.gz archive, or a .fur file. The content decides.
    dtype : dtype, optional
        None: complex128 for complex files, float64 for all others.
    device : str, optional
        The device of the matrix; None: ``"cpu"``.
    member : str, optional
        The file to read from an archive: ``"b"`` is name_b.mtx in name.tar.gz.
    keep_triangle : bool
        True: reads only the lower triangle of a symmetric file.
    duplicates : {'sum', 'last', 'error'}
        How to treat several entries at one position.
    map : bool
        True: maps a .fur file into memory instead of copying it. Nobody may change the file in place meanwhile.
    strict : bool
        True: refuses NaN, infinity, numbers out of range and dialects of the format.
    limits : Limits, optional
        Limits for reading.
    progress : bool or function
        True: shows a bar on a terminal or in a notebook. A function receives the bytes read and the size of
        the file in bytes. Reading ends if it returns True.
    threads : int, optional
        Number of threads for computations with this matrix; None: the value of `set_num_threads`.

    Returns
    -------
    Csr

    Raises
    ------
    Malformed
        The content breaks the format. The exception has path, line and column.
    NotFound, IoError
        The file does not exist, or it cannot be read.

    Examples
    --------
    >>> import furrow, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.mtx.gz")
    >>> furrow.write(path, np.eye(3))
    >>> furrow.read(path)
    <furrow.Csr of 3 x 3 with 3 entries, float64, cpu>
    """
    options = _reading(dtype, member, keep_triangle, duplicates, strict, limits)
    handle, _ = read_handle(_existing(path), options, map, progress, threads)
    made = Csr(handle, threads)
    return made if device is None else csr(made, device=device)


def read_handle(
    path: str, options: _core.Reading, map: bool, progress: Any, threads: int | None
) -> tuple[_core.Csr, dict[str, Any]]:
    """Returns the core's matrix and the header of a file, and raises Python's warnings."""
    home = context("cpu", threads)
    if _core.is_binary(path):
        handle, header, sentences = _core.read_binary(home, path, map, options)
    else:
        with progress_of(progress, "Reading") as told:
            handle, header, sentences = _core.read_mtx(home, path, options, told)
    for sentence in sentences:
        warnings.warn(sentence, FileWarning, stacklevel=3)
    return handle, header


def name_of(path: str | bytes | os.PathLike[str]) -> str:
    """Converts a path for the core."""
    return word("path", os.fsdecode(path))


def _existing(path: str | os.PathLike[str]) -> str:
    name = name_of(path)
    if not os.path.exists(name):
        raise NotFound(f"{name}: there is no such file")
    return name


def _reading(
    dtype: Any, member: str | None, keep_triangle: bool, duplicates: str, strict: bool, limits: Limits | None
) -> _core.Reading:
    options = _core.Reading()
    options.convert = 0 if dtype is None else 1 + number_of(dtype)
    options.member = member or ""
    options.keep_triangle = keep_triangle
    options.duplicates = one_of("duplicates", duplicates, DUPLICATES)
    options.refuse_nonfinite = options.refuse_range = options.refuse_dialects = strict
    if not isinstance(limits, Limits | None):
        raise refuse("limits", limits, "a furrow.Limits")
    limits = limits or Limits()
    options.most_shape, options.most_entries = limits.shape or 0, limits.entries or 0
    options.most_unpacked, options.seconds = limits.unpacked or 0, limits.seconds or 0
    return options


def read_header(path: str | os.PathLike[str]) -> Header:
    """Reads the header of a file from its first bytes.

    Examples
    --------
    >>> import furrow, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.fur")
    >>> furrow.write(path, np.eye(2))
    >>> furrow.read_header(path).rows
    2
    """
    return Header(**_core.read_header(context(), _existing(path)))


@checked
def write(
    path: str | os.PathLike[str],
    A: Any,
    *,
    symmetry: str = "general",
    pattern: bool = False,
    comment: str | None = None,
    sync: bool = False,
) -> None:
    """Writes a matrix to a file, which gets its name only when it is complete.

    Parameters
    ----------
    path : path
        The ending selects the format. .fur: the binary container; .gz or .zst: compressed; otherwise Matrix
        Market as text.
    A : Csr, sparse matrix or array
        Numbers are written with the fewest digits that read back to the same bits.
    symmetry : {'general', 'symmetric', 'skew-symmetric', 'hermitian'}
        Other than 'general': writes the lower triangle only; Invalid if A does not have that symmetry.
    pattern : bool
        True: writes positions only.
    comment : str, optional
        Lines below the banner of a text file.
    sync : bool
        True: waits until the data is on the disk.

    Examples
    --------
    >>> import furrow, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.mtx")
    >>> furrow.write(path, np.eye(2), symmetry="symmetric")
    >>> print(open(path).read(), end="")
    %%MatrixMarket matrix coordinate real symmetric
    2 2 2
    1 1 1
    2 2 1
    """
    name, kind = name_of(path), one_of("symmetry", symmetry, SYMMETRIES)
    handle = csr(A)._host()._home()
    if name.endswith(".fur"):
        _core.write_binary(handle, name, kind, pattern, sync)
    else:
        _core.write_mtx(handle, name, kind, pattern, comment=comment or "", sync=sync)
