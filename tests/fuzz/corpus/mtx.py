#!/usr/bin/env python3
"""Writes the seeds of fuzz_mtx and fuzz_mmio: small files of every kind, each with the three bytes
behind it that choose how fuzz_mtx reads it.

    mtx.py FOLDER
"""

import pathlib
import sys

SUM, LAST, ERROR, KEEP = range(4)
MIRRORED, DROP_ZEROS, ALLOW_TRAILING, REFUSE_NONFINITE, REFUSE_RANGE, REFUSE_DIALECTS = (
    1 << bit for bit in range(2, 8))
F32, F64, C64, C128 = (4 + value for value in range(4))
KEEP_TRIANGLE = 8
MEMORY, REGULAR, PIPE = (16 * source for source in range(3))
TEAM = 7


def seed(words, size, lines, policy=SUM, read=MEMORY, block=0, banner="%%MatrixMarket", end="\n"):
    """The entries of `lines` are separated by commas; `block` is how fuzz_mtx reads, TEAM or so."""
    text = "\n".join([f"{banner} {words}", size, *filter(None, lines.split(","))]) + end
    return text.encode("latin-1") + bytes([policy, read, block])


COO = "matrix coordinate "
ARRAY = "matrix array "
SEEDS = {
    "real": seed(COO + "real general", "3 4 4", "1 1 1.5,1 3 -2e1,2 2 .25,3 4 1.E-3"),
    "real_columns": seed(COO + "real general", "3 3 5", "1 1 1,3 1 2,2 2 3,1 3 4,3 3 5", KEEP, F32,
                         TEAM),
    "real_symmetric": seed(COO + "real symmetric", "3 3 4", "1 1 2,2 1 -1,2 2 2,3 3 2"),
    "real_triangle": seed(COO + "real symmetric", "3 3 3", "1 1 2,3 1 -1,3 2 2", SUM,
                          KEEP_TRIANGLE | PIPE, 30),
    "real_upper": seed(COO + "real symmetric", "3 3 3", "1 1 2,1 2 -1,2 3 2", LAST, REGULAR, 9),
    "real_mirrored": seed(COO + "real symmetric", "2 2 3", "1 2 3,2 1 4,2 2 5", MIRRORED),
    "real_skew": seed(COO + "real skew-symmetric", "3 3 2", "2 1 -1.5,3 2 4"),
    "real_skew_upper": seed(COO + "real skew-symmetric", "3 3 2", "1 3 -1.5,2 3 4", SUM, C64),
    "nonfinite": seed(COO + "real general", "2 2 4", "1 1 nan,1 2 -inf,2 1 Infinity,2 2 NaN"),
    "nonfinite_refused": seed(COO + "real general", "2 2 2", "1 1 1,2 2 inf", REFUSE_NONFINITE),
    "range": seed(COO + "real general", "2 2 3", "1 1 1e400,1 2 1e-400,2 2 4.9e-324"),
    "range_single": seed(COO + "real general", "2 2 3", "1 1 1e39,1 2 -1e-46,2 2 3.4e38", SUM, F32),
    "range_refused": seed(COO + "real general", "1 1 1", "1 1 1e39", REFUSE_RANGE, F32),
    "halfway": seed(COO + "real general", "1 3 3", "1 1 9007199254740993,"
                    "1 2 2.22507385850720113605740979670913197593481954635164565e-308,"
                    "1 3 0.000000000000000000000000000000000000011754943508222875"),
    "zeros": seed(COO + "real general", "2 2 3", "1 1 0,1 2 -0.0,2 2 1", DROP_ZEROS),
    "duplicates": seed(COO + "real general", "2 2 4", "1 1 1,1 1 2,2 2 3,1 1 4", SUM, F64, TEAM),
    "duplicates_last": seed(COO + "real general", "2 2 3", "2 1 1,1 1 2,2 1 3", LAST),
    "duplicates_error": seed(COO + "real general", "2 2 3", "2 1 1,1 1 2,2 1 3", ERROR),
    "duplicates_keep": seed(COO + "real general", "2 2 3", "2 1 1,1 1 2,2 1 3", KEEP),
    "trailing": seed(COO + "real general", "2 2 2", "1 1 1 one,2 2 2 % two", ALLOW_TRAILING),
    "integer": seed(COO + "integer general", "3 3 3", "1 1 1,2 3 -7,3 3 +42"),
    "integer_large": seed(COO + "integer general", "1 2 2", "1 1 9223372036854775807,"
                          "1 2 -16777217", SUM, F32),
    "integer_skew": seed(COO + "integer skew-symmetric", "2 2 1", "2 1 3"),
    "complex": seed(COO + "complex general", "2 2 2", "1 1 1.5 -2,2 2 0 1e9"),
    "complex_symmetric": seed(COO + "complex symmetric", "2 2 2", "1 1 1 2,2 1 3 4", SUM, C64),
    "complex_skew": seed(COO + "complex skew-symmetric", "2 2 1", "2 1 3 4", SUM, PIPE),
    "hermitian": seed(COO + "complex hermitian", "2 2 3", "1 1 1 0,2 1 3 -4,2 2 5 0", DROP_ZEROS),
    "pattern": seed(COO + "pattern general", "3 3 3", "1 2,2 3,3 1", SUM, F32),
    "pattern_symmetric": seed(COO + "pattern symmetric", "3 3 3", "1 1,3 1,3 2", KEEP, C64, TEAM),
    "array": seed(ARRAY + "real general", "2 3", "1,2,3,4,5,6", SUM, REGULAR, TEAM),
    "array_dense_lines": seed(ARRAY + "integer general", "2 3", "1 2 3,4 5 6", DROP_ZEROS),
    "array_symmetric": seed(ARRAY + "real symmetric", "3 3", "1,2,3,4,5,6", SUM, KEEP_TRIANGLE),
    "array_skew": seed(ARRAY + "real skew-symmetric", "3 3", "1,2,3"),
    "array_hermitian": seed(ARRAY + "complex hermitian", "2 2", "1 0,2 3,4 0", SUM, C128),
    "vector": seed("vector coordinate real general", "5 2", "1 1.5,4 -2"),
    "vector_array": seed("vector array real general", "3", "1,2,3"),
    "comments": seed(COO + "real general", "% about\n%\n\n 2\t2  1 ",
                     "% within,  1 1\t1  ,% end", end="\n\n"),
    "line_ends": seed(COO + "real general\r", "2 2 2\r", "1 1 1\r,2 2 2", end="\r\n"),
    "unfinished": seed(COO + "real general", "1 1 1", "1 1 1", end=""),
    "letters": seed("MATRIX Coordinate REAL GENERAL", "1 1 1", "1 1 1D0"),
    "dialect": seed(COO + "real general", "1 1 1", "1 1 1", banner="%MatrixMarket"),
    "dialect_refused": seed(COO + "real general", "1 1 1", "1 1 1", REFUSE_DIALECTS,
                            banner="%MatrixMarket"),
    "graphblas": seed(COO + "integer general", "%%GraphBLAS type int32_t\n2 2 1", "1 2 3"),
    "mark": seed(COO + "real general", "1 1 1", "1 1 1", banner="\xef\xbb\xbf%%MatrixMarket"),
    "empty": seed(COO + "real general", "0 0 0", ""),
    "no_entries": seed(COO + "real general", "10000 7 0", ""),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, content in SEEDS.items():
        (folder / f"{name}.mtx").write_bytes(content)


main()
