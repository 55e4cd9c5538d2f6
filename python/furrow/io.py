"""Reads and writes Matrix Market files with the functions of scipy.io: `mmread`, `mmwrite`, `mminfo`.

Plain Python handles what the library has no types for: unsigned integers, integers beyond 2^53, and numbers
that are written with fewer digits. It is slower.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from . import _core, _mmtext
from ._contexts import context
from ._csr import Csr, csr
from ._given import checked
from ._read import SYMMETRIES, name_of

__all__ = ["mminfo", "mmread", "mmwrite"]

EXACT_INTEGERS = 2.0**53
SMALL = 100  # largest size at which symmetry="AUTO" looks for a symmetry, as in SciPy


def mminfo(source: Any) -> tuple[int, int, int, str, str, str]:
    """Returns the size and storage of a file: rows, columns, entries, format, field, symmetry.

    Parameters
    ----------
    source : path or open file

    Examples
    --------
    >>> import io
    >>> from furrow.io import mminfo
    >>> mminfo(io.StringIO("%%MatrixMarket matrix coordinate real general\\n5 5 1\\n2 3 1.5\\n"))
    (5, 5, 1, 'coordinate', 'real', 'general')
    """
    path = _path_of(source)
    if path is None:
        return _mmtext.header(_bytes_of(source)).info
    if path.endswith((".bz2", ".gz")) or not path.endswith((".zst", ".fur", ".tar.gz")):
        with _opened(path) as file:
            return _mmtext.header_of_lines(file).info
    h = _core.read_header(context(), path)
    return h["rows"], h["cols"], h["entries"], h["format"], h["field"], h["symmetry"]


@checked
def mmread(source: Any, *, spmatrix: bool | None = None) -> Any:
    """Reads a Matrix Market file as `scipy.io.mmread` does, on all threads and without the GIL.

    Parameters
    ----------
    source : path or open file
        Compressed files may end in .gz, .bz2 or .zst.
    spmatrix : bool, optional
        True: coo_matrix; False: coo_array; None: the default of the installed SciPy, with its warning.

    Returns
    -------
    ndarray, coo_matrix or coo_array
        Entries are sorted by rows, and entries at one position are added up. `furrow.read` returns CSR
        without building coordinates first.

    Examples
    --------
    >>> import io
    >>> from furrow.io import mmread
    >>> mmread(io.StringIO("%%MatrixMarket matrix array real general\\n2 2\\n1\\n2\\n3\\n4\\n"))
    array([[1., 3.],
           [2., 4.]])
    """
    path = _path_of(source)
    if path is not None and not os.path.exists(path):
        raise FileNotFoundError(f"The source file does not exist: {path}")
    direct = path is not None and not path.endswith(".bz2")
    text = b"" if direct else _bytes_of(source)
    options = _core.Reading()
    options.mirrored_lower = True
    try:
        if direct and path is not None:
            handle, header, _ = _core.read_mtx(context(), path, options)
        else:
            handle, header, _ = _core.read_mtx_from_memory(context(), text, options)
    except ValueError:
        text = _bytes_of(source) if direct else text
        if not _mmtext.is_beyond_the_library(text):
            raise
        return _coordinates(*_mmtext.read(text), spmatrix)
    data, indices, indptr = handle.arrays(True)
    if header["field"] == "integer":
        if np.abs(data).max(initial=0) >= EXACT_INTEGERS:
            return _coordinates(*_mmtext.read(_bytes_of(source) if direct else text), spmatrix)
        field = (mminfo(source) if direct else _mmtext.header(text).info)[4]
        data = data.astype(_mmtext.DTYPES[field])
    shape = handle.rows, handle.cols
    if header["format"] == "array" and len(data) == shape[0] * shape[1]:
        return data.reshape(shape)
    row = np.repeat(np.arange(handle.rows, dtype=np.int32), np.diff(indptr))
    if header["format"] == "array":  # a skew-symmetric array file stores no diagonal
        made = np.zeros(shape, data.dtype)
        made[row, indices] = data
        return made
    return _coordinates((data, (row, indices)), shape, spmatrix)


def _coordinates(triplet: Any, shape: Any, spmatrix: bool | None) -> Any:
    """Returns SciPy's matrix of coordinates; an array that is not sparse is returned unchanged."""
    from scipy.sparse import coo_array, coo_matrix

    if isinstance(triplet, np.ndarray):
        return triplet
    if spmatrix is None:
        spmatrix = _default_of_scipy()
    return (coo_matrix if spmatrix else coo_array)(triplet, shape=shape)


def _default_of_scipy() -> bool:
    """Returns SciPy's default for `spmatrix`: True, with a warning from 1.18 on, and False from 1.20 on."""
    import scipy

    version = tuple(int(part) for part in scipy.__version__.split(".")[:2])
    if (1, 18) <= version < (1, 20):
        sentence = "The default value for `spmatrix` is changing to `False` in SciPy 1.20: name the one you want"
        warnings.warn(sentence, DeprecationWarning, stacklevel=4)
    return version < (1, 20)


@checked
def mmwrite(
    target: Any,
    a: Any,
    comment: str | None = None,
    field: str | None = None,
    precision: int | None = None,
    symmetry: str | None = "AUTO",
) -> None:
    """Writes a sparse or dense matrix as `scipy.io.mmwrite` does.

    Parameters
    ----------
    target : path or file open for bytes
        If a path does not end in .mtx, .gz or .zst, .mtx is appended.
    a : sparse matrix, `Csr` or array of two axes
    comment : str, optional
        Lines below the banner.
    field : {'real', 'complex', 'pattern', 'integer'}, optional
    precision : int, optional
        Significant digits; None: the fewest that read back to the same bits.
    symmetry : str, optional
        None: the symmetry of the values. 'AUTO': the same up to 100 rows, otherwise 'general'.

    Examples
    --------
    >>> import io, numpy as np
    >>> from furrow.io import mmwrite
    >>> target = io.BytesIO()
    >>> mmwrite(target, np.array([[1.0, 2.5]]))
    >>> target.getvalue().decode().split()[-2:]
    ['1', '2.5']
    """
    a = a if hasattr(a, "tocoo") or isinstance(a, Csr) else np.asarray(a)
    if symmetry is None or symmetry == "AUTO" and max(a.shape, default=0) < SMALL:
        symmetry = _mmtext.symmetry_of(a.to_scipy() if isinstance(a, Csr) else a)
    symmetry = "general" if symmetry == "AUTO" else str(symmetry).lower()
    if symmetry not in SYMMETRIES:
        raise ValueError(f"symmetry is {symmetry!r}; it should be one of {', '.join(SYMMETRIES)}")
    if field is not None and field not in _mmtext.FIELDS:
        raise ValueError(f"field is {field!r}; it should be one of {', '.join(_mmtext.FIELDS)}")
    path = _target_path(target)
    if not _is_for_the_library(a, field, precision, symmetry):
        text = _mmtext.written(a.to_scipy() if isinstance(a, Csr) else a, comment, field, precision, symmetry)
        _put(path, target, text)
        return
    if path is not None:
        _write(path, a, comment, field, symmetry)
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.mtx")
        _write(name, a, comment, field, symmetry)
        with open(name, "rb") as file:
            shutil.copyfileobj(file, target)


def _is_for_the_library(a: Any, field: str | None, precision: int | None, symmetry: str) -> bool:
    if precision is not None or a.dtype.kind not in "fc" or a.dtype.itemsize > 16:
        return False
    if isinstance(a, np.ndarray):
        return field is None and symmetry == "general" and a.ndim == 2 and a.size > 0
    return field in (None, "pattern", "real" if a.dtype.kind == "f" else "complex")


def _write(path: str, a: Any, comment: str | None, field: str | None, symmetry: str) -> None:
    if isinstance(a, np.ndarray):
        dtype = np.complex128 if a.dtype.kind == "c" else np.float64
        _core.write_mtx_block(context(), np.ascontiguousarray(a, dtype), path, comment or "")
        return
    kind, pattern = SYMMETRIES[symmetry], field == "pattern"
    _core.write_mtx(csr(a)._host()._home(), path, kind, pattern, comment=comment or "")


# ---- sources and targets


def _path_of(source: Any) -> str | None:
    try:
        return name_of(source)
    except TypeError:
        if not hasattr(source, "read"):
            raise TypeError(f"{type(source).__name__} is neither a path nor an open file") from None
        return None


def _opened(path: str) -> Any:
    if path.endswith(".bz2"):
        import bz2

        return bz2.open(path, "rb")
    if path.endswith(".gz"):
        import gzip

        return gzip.open(path, "rb")
    return open(path, "rb")


def _bytes_of(source: Any) -> bytes:
    path = _path_of(source)
    if path is not None:
        with _opened(path) as file:
            return bytes(file.read())
    text = source.read()
    return text.encode() if isinstance(text, str) else bytes(text)


def _target_path(target: Any) -> str | None:
    try:
        path = name_of(target)
    except TypeError:
        if not hasattr(target, "write"):
            raise TypeError(f"{type(target).__name__} is neither a path nor an open file") from None
        return None
    return path if path.endswith((".mtx", ".gz", ".zst")) else path + ".mtx"


def _put(path: str | None, target: Any, text: bytes) -> None:
    if path is None:
        target.write(text)
        return
    if path.endswith(".gz"):
        import gzip

        text = gzip.compress(text)
    with open(path, "wb") as file:
        file.write(text)
