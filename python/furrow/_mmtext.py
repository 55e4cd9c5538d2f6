"""Reads and writes, exactly but slowly, Matrix Market texts for which the library has no types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

FIELDS = ("integer", "unsigned-integer", "real", "complex", "pattern")
DTYPES = {"integer": np.int64, "unsigned-integer": np.uint64, "real": np.float64, "complex": np.complex128}


@dataclass(frozen=True)
class TextHeader:
    rows: int
    cols: int
    entries: int
    format: str
    field: str
    symmetry: str
    lines: int  # number of lines before the body

    @property
    def info(self) -> tuple[int, int, int, str, str, str]:
        return self.rows, self.cols, self.entries, self.format, self.field, self.symmetry


def header(text: bytes) -> TextHeader:
    return header_of_lines(text.split(b"\n"))


def header_of_lines(lines: Iterable[bytes]) -> TextHeader:
    """Reads the header from the first lines of a file."""
    banner: list[str] = []
    for number, line in enumerate(lines, 1):
        words = line.decode("latin1").split()
        if number == 1:
            banner = [word.lower() for word in words]
            if len(banner) != 5 or banner[0] not in ("%%matrixmarket", "%matrixmarket"):
                raise ValueError("the file does not begin with %%MatrixMarket matrix FORMAT FIELD SYMMETRY")
        elif words and not words[0].startswith("%"):
            return _sized(banner, words, number)
    raise ValueError("the file ends before its size line")


def _sized(banner: list[str], words: list[str], number: int) -> TextHeader:
    _, _, format, field, symmetry = banner
    wanted = 2 if format == "array" else 3
    if len(words) != wanted:
        raise ValueError(f"Header line not of length {wanted}: {' '.join(words)}")
    sizes = [int(word) for word in words]
    entries = sizes[0] * sizes[1] if format == "array" else sizes[2]
    return TextHeader(sizes[0], sizes[1], entries, format, field, symmetry, number)


def is_beyond_the_library(text: bytes) -> bool:
    """Returns whether this module should read a text that the library refuses.

    Such texts have unsigned integers, or are skew-symmetric with a diagonal. SciPy accepts both.
    """
    try:
        found = header(text)
    except ValueError:
        return False
    return found.field == "unsigned-integer" or found.symmetry == "skew-symmetric"


# ---- reading


def read(text: bytes) -> tuple[Any, tuple[int, int]]:
    """Returns (data, (row, col)) or an array, and the shape."""
    h = header(text)
    words = b" ".join(text.split(b"\n")[h.lines :]).split()
    shape = h.rows, h.cols
    if h.format == "array":
        return _array(h, _numbers(h.field, words)), shape
    width = {"pattern": 2, "complex": 4}.get(h.field, 3)
    if len(words) != h.entries * width:
        raise ValueError(f"the file has {len(words)} numbers, but {h.entries} entries need {h.entries * width}")
    row = np.array(words[0::width], np.int64).astype(np.int32) - 1
    col = np.array(words[1::width], np.int64).astype(np.int32) - 1
    if h.field == "pattern":
        data = np.ones(h.entries)
    else:
        data = _numbers(h.field, [word for k in range(2, width) for word in words[k::width]], width - 2)
    return _mirrored(h.symmetry, data, row, col), shape


def _numbers(field: str, words: list[bytes], parts: int = 1) -> Any:
    """Converts words to numbers. Complex numbers come as all real parts, then all imaginary parts."""
    if field in ("integer", "unsigned-integer"):
        numbers = [int(word) for word in words]
        limits = np.iinfo(DTYPES[field])
        if any(not limits.min <= n <= limits.max for n in numbers):
            raise OverflowError(f"an integer does not fit in 64 bits: {limits.min} to {limits.max}")
        return np.array(numbers, DTYPES[field])
    real = np.array([float(word) for word in words])
    return real if parts == 1 else real[: len(real) // 2] + 1j * real[len(real) // 2 :]


def _mirrored(symmetry: str, data: Any, row: Any, col: Any) -> Any:
    if symmetry == "general":
        return data, (row, col)
    off = row != col
    other = data[off]
    if symmetry == "skew-symmetric":
        other = other * -1
    elif symmetry == "hermitian":
        other = other.conj()
    places = np.concatenate([row, col[off]]), np.concatenate([col, row[off]])
    return np.concatenate([data, other]), places


def _array(h: TextHeader, numbers: Any) -> Any:
    made = np.zeros((h.rows, h.cols), numbers.dtype)
    if h.symmetry == "general":
        return np.ascontiguousarray(numbers.reshape(h.cols, h.rows).T)
    col, row = np.triu_indices(h.cols, 1 if h.symmetry == "skew-symmetric" else 0)
    made[row, col] = numbers
    factor = -1 if h.symmetry == "skew-symmetric" else 1
    other = numbers.conj() if h.symmetry == "hermitian" else factor * numbers
    off = row != col
    made[col[off], row[off]] = other[off]
    return made


# ---- writing


def symmetry_of(a: Any) -> str:
    """Returns the symmetry of the values of a SciPy sparse matrix or an array."""
    if a.shape[0] != a.shape[1]:
        return "general"

    def zero(difference: Any) -> bool:
        return not difference.count_nonzero() if hasattr(difference, "count_nonzero") else not difference.any()

    if zero(a - a.T):
        return "symmetric"
    if a.dtype.kind != "u" and zero(a + a.T):
        return "skew-symmetric"
    if a.dtype.kind == "c" and zero(a - a.conj().T):
        return "hermitian"
    return "general"


def written(a: Any, comment: str | None, field: str | None, precision: int | None, symmetry: str) -> bytes:
    """Returns the Matrix Market text of a matrix."""
    field = field or {"i": "integer", "b": "integer", "u": "unsigned-integer", "c": "complex"}.get(a.dtype.kind, "real")
    sparse = hasattr(a, "tocoo")
    if sparse:
        body, size = _coordinate_lines(a.tocoo(), field, precision, symmetry)
    else:
        if field == "pattern":
            raise ValueError("field is 'pattern', which needs a sparse matrix")
        body, size = _array_lines(a, field, precision, symmetry)
    banner = f"%%MatrixMarket matrix {'coordinate' if sparse else 'array'} {field} {symmetry}"
    comments = [f"%{line}" for line in (comment or "").split("\n")]
    return ("\n".join([banner, *comments, size, *body]) + "\n").encode()


def _coordinate_lines(a: Any, field: str, precision: int | None, symmetry: str) -> tuple[list[str], str]:
    kept = np.ones(a.nnz, bool)
    if symmetry != "general":
        kept = a.row > a.col if symmetry == "skew-symmetric" else a.row >= a.col
    row, col = a.row[kept] + 1, a.col[kept] + 1
    size = f"{a.shape[0]} {a.shape[1]} {len(row)}"
    if field == "pattern":
        return [f"{i} {j}" for i, j in zip(row, col, strict=True)], size
    values = _words(a.data[kept], field, precision)
    return [f"{i} {j} {v}" for i, j, v in zip(row, col, values, strict=True)], size


def _array_lines(a: Any, field: str, precision: int | None, symmetry: str) -> tuple[list[str], str]:
    size = f"{a.shape[0]} {a.shape[1]}"
    if symmetry == "general":
        return _words(a.T.ravel(), field, precision), size
    col, row = np.triu_indices(a.shape[0], 1 if symmetry == "skew-symmetric" else 0)
    return _words(a[row, col], field, precision), size


def _words(values: Any, field: str, precision: int | None) -> list[str]:
    if field in ("integer", "unsigned-integer"):
        return [str(int(v)) for v in values]

    def word(v: float) -> str:
        return repr(float(v)) if precision is None else f"{v:.{max(precision - 1, 0)}e}"

    if field == "complex":
        return [f"{word(v.real)} {word(v.imag)}" for v in np.asarray(values, complex)]
    return [word(v) for v in np.asarray(values, float)]
