#!/usr/bin/env python3
"""Writes the seeds of fuzz_binary: headers followed by the bytes of the sections.

    binary.py FOLDER

They have no checksums and no padding: the target adds both.
"""

import pathlib
import struct
import sys

SIGNATURE = 0x0A1A0A0D52554689
PIECE = 1 << 18
PAGE = 4096
MATRIX, VECTOR = 0, 1
F32, F64, C64, C128 = range(4)
I32, I64 = range(2)
REAL, INTEGER, COMPLEX, PATTERN = range(4)
GENERAL, SYMMETRIC, SKEW_SYMMETRIC, HERMITIAN = range(4)
SIZE = {F32: 4, F64: 8, C64: 8, C128: 16}


def place(sizes):
    """Returns where sections of these sizes begin and where the last one ends."""
    at = [0]
    for size in sizes:
        at.append(-(-(at[-1] + size) // PAGE) * PAGE)
    return at[1:-1], at[-2] + sizes[-1]


def seed(kind, value, offset, field, symmetry, shape, sections, version=1):
    """shape: rows, columns, entries; sections: bytes of offsets, columns, values."""
    table = 8 * sum(-(-len(section) // PIECE) for section in sections)
    at, size = place([19 * 8, table, *map(len, sections)])
    return struct.pack("<19Q", SIGNATURE, version, 19 * 8, PIECE, kind, value, offset, field,
                       symmetry, *shape, *at, size, 0, 0) + b"".join(sections)


def numbers(value, count):
    letter = "f" if value in (F32, C64) else "d"
    parts = 2 if value in (C64, C128) else 1
    return struct.pack(f"<{parts * count}{letter}", *range(1, parts * count + 1))


def matrix(value, offset, field, symmetry, offsets, columns, cols, values=None, **more):
    if values is None:
        values = b"" if field == PATTERN else numbers(value, len(columns))
    sections = [struct.pack(f"<{len(offsets)}{'iq'[offset]}", *offsets),
                struct.pack(f"<{len(columns)}i", *columns), values]
    return seed(MATRIX, value, offset, field, symmetry, (len(offsets) - 1, cols, len(columns)),
                sections, **more)


def vector(value, field, size):
    sections = [b"", b"", numbers(value, size)]
    return seed(VECTOR, value, I32, field, GENERAL, (size, 1, size), sections)


PAIR = struct.pack("<3d", 2, 2, 1)
SEEDS = {
    "real": matrix(F64, I32, REAL, GENERAL, [0, 2, 2, 4], [0, 2, 1, 3], 4),
    "real_wide": matrix(F32, I64, INTEGER, GENERAL, [0, 1, 3], [2, 0, 1], 3),
    "symmetric": matrix(F64, I32, REAL, SYMMETRIC, [0, 1, 3], [1, 0, 1], 2, PAIR),
    "not_symmetric": matrix(F64, I32, REAL, SYMMETRIC, [0, 1, 3], [1, 0, 1], 2),
    "complex": matrix(C128, I64, COMPLEX, GENERAL, [0, 1, 2], [0, 1], 2),
    "complex_single": matrix(C64, I32, COMPLEX, HERMITIAN, [0, 1], [0], 1),
    "pattern": matrix(F32, I32, PATTERN, SYMMETRIC, [0, 1, 2], [1, 0], 2),
    "column": matrix(F64, I32, REAL, GENERAL, [0, 1, 1, 2], [0, 0], 1),
    "row": matrix(F32, I32, REAL, GENERAL, [0, 3], [0, 4, 9], 10),
    "empty": matrix(F64, I32, REAL, GENERAL, [0], [], 0),
    "no_entries": matrix(F64, I64, REAL, GENERAL, [0] * 6, [], 3),
    "vector": vector(F64, REAL, 5),
    "vector_complex": vector(C64, COMPLEX, 2),
    "vector_empty": vector(F32, INTEGER, 0),
    "unsorted": matrix(F64, I32, REAL, GENERAL, [0, 2], [1, 0], 2),
    "decreasing": matrix(F64, I32, REAL, GENERAL, [0, 2, 1], [0], 2),
    "entries_without_rows": matrix(F64, I32, REAL, SYMMETRIC, [1], [0], 0),
    "long_row": matrix(F64, I32, REAL, GENERAL, [0, 0], [], (1 << 31) - 1),
    "later": matrix(F64, I32, REAL, GENERAL, [0, 1], [0], 1, version=2),
    "huge": seed(MATRIX, F64, I64, REAL, GENERAL, (1 << 31, 1 << 31, 1 << 60), [b"", b"", b""]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, content in SEEDS.items():
        (folder / f"{name}.bin").write_bytes(content)


main()
