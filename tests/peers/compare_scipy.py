#!/usr/bin/env python3
"""Compares the library's Matrix Market reader with SciPy's, entry by entry and to the bit.

    compare_scipy.py LIBRARY FOLDER...

LIBRARY is the shared library. Both read every .mtx file of the folders, and generated files. These
have all fields and symmetries, random shapes, and all spacing, line ends and forms of numbers that
the format allows. FURROW_TEST_SEED repeats a run. Exit status 77, skipped, if SciPy is missing.
"""

import ctypes
import os
import pathlib
import random
import signal
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

try:
    import numpy
    import scipy.io
except ImportError:
    print("there is no SciPy; skipped")
    sys.exit(77)

# From 1.12 on SciPy's reader is fast_matrix_market.
FAST = tuple(int(part) for part in scipy.__version__.split(".")[:2]) >= (1, 12)

FILES_GENERATED = 1000
GENERATED = "generated_"
SECONDS = 4  # processor time for one file: SciPy does not return from some files

# Files that only one of the readers accepts, and the reason. Both agree on all other files, with
# one exception: SciPy 1.12 and later adds the numbers of arrays to zeros, so that -0 becomes 0.
HERMITIAN = "library refuses", "its diagonal is not real, or its values are not complex"
TRAILING = "library refuses", "SciPy ignores what follows on a line"
BANNER = "library refuses", "SciPy takes unknown words in a banner for real or general"
VECTOR = "SciPy refuses", "it knows no vectors"
DIFFERENCES = {
    "A_cluster.mtx": ("SciPy refuses", "the size line of this array file has a count, too"),
    "west0067_cluster.mtx": ("SciPy refuses", "the size line of this array file has a count, too"),
    "fmm_overflow_value_gt_int64.mtx": ("SciPy refuses", "it keeps integers in 64 bits"),
    "lagraph_matrix_fp32.mtx": ("SciPy refuses", "infinite values in an integer file"),
    "fmm_vector.mtx": VECTOR,
    "fmm_vector_array_real_general.mtx": VECTOR,
    "bad_fmm_vector_coordinate_complex_dupes.mtx": VECTOR,
    "bad_fmm_vector_coordinate_real_general.mtx": VECTOR,
    "fmm_coordinate_hermitian_real_row.mtx": HERMITIAN,
    "fmm_matrix_coordinate_complex_hermitian.mtx": HERMITIAN,
    "sprs_hermitian.mtx": HERMITIAN,
    "ss_fullcha.mtx": HERMITIAN,
    "bad_lagraph_mangled5.mtx": HERMITIAN,
    "bad_ss_mangled5.mtx": HERMITIAN,
    "bad_colpack_mtx-spear-head.mtx": TRAILING,
    "bad_sprs_too_many_elems_in_entry.mtx": TRAILING,
    "bad_ss_Tina_AskCal_perm.mtx": TRAILING,
    "bad_fmm_invalid_bad_field.mtx": BANNER,
    "bad_lagraph_mangled3.mtx": BANNER,
    "bad_ss_bad_header.mtx": BANNER,
    "bad_ss_mangled3.mtx": BANNER,
}

if FAST:
    for name in [name for name, why in DIFFERENCES.items() if why is BANNER]:
        del DIFFERENCES[name]
    DIFFERENCES |= {
        "lecture_messy.mtx": ("SciPy refuses", "a plus sign before a number"),
        "matrix1int.mtx": ("library refuses", "SciPy takes real numbers for integers"),
        "bad_ss_mangled16.mtx": ("library refuses", "SciPy takes the end of a number for an entry"),
    }

# Forms of real numbers, in addition to random ones.
NUMBERS = ["0", "-0", "-0.0", "1", "+1.5", ".5", "5.", "-.25e+1", "1E5", "1e-07", "00012.500",
           "1e400", "-1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324",
           "2.4703282292062328e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
           "1.7976931348623159e308", "9007199254740993", "9007199254740992.999999999999",
           "0.1000000000000000055511151231257827021181583404541015625", "3." + 300 * "14159",
           "1" + 40 * "0", "inf", "-Infinity", "nan", "7.2057594037927933e16",
           "8.442911973260991817129021e-309", "6.631236846766476e-316"]


class View(ctypes.Structure):
    """fur_csr_view"""
    _fields_ = [("size", ctypes.c_size_t), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("entries", ctypes.c_int64),
                ("value", ctypes.c_int), ("offset", ctypes.c_int), ("offsets", ctypes.c_void_p),
                ("columns", ctypes.c_void_p), ("values", ctypes.c_void_p)]


class Refused(Exception):
    """Raised if a reader refuses a file."""


class Library:
    """The library, with one context."""

    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.functions.fur_csr_get.restype = ctypes.POINTER(View)
        self.functions.fur_context_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        if self.functions.fur_context_create(None, ctypes.byref(self.context)) != 0:
            raise RuntimeError("no context")

    def read(self, path):
        matrix = ctypes.c_void_p()
        if self.functions.fur_mtx_read_csr(self.context, os.fsencode(path), None,
                                           ctypes.byref(matrix)) != 0:
            raise Refused(self.functions.fur_context_error(self.context).decode(errors="replace"))
        view = self.functions.fur_csr_get(matrix).contents
        entries = entries_of_view(view)
        self.functions.fur_csr_destroy(matrix)
        return entries


def copy_array(address, count, dtype):
    size = count * numpy.dtype(dtype).itemsize
    return numpy.frombuffer(ctypes.string_at(address, size) if size else b"", dtype)


def entries_of_view(view):
    """Returns the shape, and row, column and value of all entries in the order of rows."""
    offsets = copy_array(view.offsets, view.rows + 1, ("i4", "i8")[view.offset])
    columns = copy_array(view.columns, view.entries, "i4")
    values = copy_array(view.values, view.entries, ("f4", "f8", "c8", "c16")[view.value])
    rows = numpy.repeat(numpy.arange(view.rows), numpy.diff(offsets))
    return (view.rows, view.cols), rows, columns, values


def entries_of_dense(dense, skew):
    """Returns every entry of an array file. If `skew`, leaves out the diagonal."""
    mask = numpy.ones(dense.shape, bool)
    if skew:
        numpy.fill_diagonal(mask, False)
    rows, columns = numpy.nonzero(mask)
    return dense.shape, rows, columns, dense[rows, columns]


def entries_of_sparse(sparse):
    """Returns the entries. Adds duplicates in the order of the file, as SciPy stores them."""
    order = numpy.lexsort((sparse.col, sparse.row))
    rows, columns, given = sparse.row[order], sparse.col[order], sparse.data[order]
    given = given.astype("c16" if given.dtype.kind == "c" else "f8")
    first = numpy.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    values = given[first]
    numpy.add.at(values, (numpy.cumsum(first) - 1)[~first], given[~first])
    return sparse.shape, rows[first], columns[first], values


def banner_has(path, word):
    with open(path, "rb") as file:
        return word in file.readline().lower()


def read_scipy(path):
    try:
        found = scipy.io.mmread(path)
    except (ValueError, TypeError, IndexError, OverflowError, NotImplementedError,
            KeyError, AttributeError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
    if isinstance(found, numpy.ndarray):
        return entries_of_dense(found, banner_has(path, b"skew"))
    return entries_of_sparse(found)


def bits(values):
    """Returns the bits of the values. All NaN have the same bits."""
    parts = values.astype("c16" if values.dtype.kind == "c" else "f8").view("f8")
    return numpy.where(numpy.isnan(parts), numpy.nan, parts).view("u8")


def difference(found, expected):
    """Returns the difference of two readers' results, "" if they agree."""
    if found[0] != expected[0]:
        return f"{found[0]} instead of {expected[0]}"
    if len(found[1]) != len(expected[1]):
        return f"{len(found[1])} entries instead of {len(expected[1])}"
    if not all(numpy.array_equal(left, right) for left, right in zip(found[1:3], expected[1:3])):
        return "entries elsewhere"
    if not numpy.array_equal(bits(found[3]), bits(expected[3])):
        return "other values"
    return ""


def attempt(read, path):
    """Returns a reader's result, or None and the reason of the refusal."""
    try:
        return read(path), ""
    except Refused as reason:
        return None, str(reason) or "refused"


def interrupt(number, frame):
    raise Refused("did not return")


def compare(library, path):
    """Returns "" if both readers agree, otherwise two words for the outcome and a sentence."""
    found, refusal = attempt(library.read, path)
    signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    expected, other_refusal = attempt(read_scipy, path)
    signal.setitimer(signal.ITIMER_PROF, 0)
    if found is None:
        return f"library refuses: {refusal}" if expected else f"both refuse: {refusal}"
    if expected is None:
        return f"SciPy refuses: {other_refusal}"
    if FAST and banner_has(path, b"array"):
        found = *found[:3], found[3] + 0.0
    text = difference(found, expected)
    return f"differ: {text}" if text else ""


def real_text(rng):
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(NUMBERS).lstrip("+" if FAST else "")
    if kind < 0.5:  # random bits
        value = numpy.uint64(rng.getrandbits(64)).view("f8")
        return repr(float(value))
    digits = rng.randint(1, 25)
    return f"{rng.uniform(-1, 1) * 10.0 ** rng.randint(-30, 30):.{digits}{rng.choice('efg')}}"


def value_texts(rng, field, symmetry, on_diagonal):
    """Returns the words of a random value. In skew-symmetric files only reals may be zero or
    infinite: SciPy's integers have no -0, and SciPy multiplies complex values by -1, which makes
    infinity times 0i a NaN."""
    skew = symmetry == "skew-symmetric"
    if field == "integer":
        words = ["3" if FAST else "+3", "-12", "0007", str(rng.randint(-(2**63) + 1, 2**63 - 1))]
        return [rng.choice(words if skew else ["0", *words])]
    if field == "complex" and skew:
        return [repr(rng.uniform(1, 9)), repr(rng.uniform(1, 9))]
    if field == "complex" and symmetry == "hermitian" and on_diagonal:
        return [real_text(rng), rng.choice(["0", "-0.0", "0e5"])]
    return [real_text(rng) for _ in range({"pattern": 0, "real": 1, "complex": 2}[field])]


def positions(rng, rows, cols, symmetry):
    """Returns positions of a coordinate file, in any order. In a general matrix they may repeat."""
    count = rng.randint(0, 3 * (rows + cols)) if rows and cols else 0
    found = [(rng.randint(1, rows), rng.randint(1, cols)) for _ in range(count)]
    if symmetry != "general":
        found = {(max(p), min(p)) for p in found if symmetry != "skew-symmetric" or p[0] != p[1]}
        found = [p if rng.random() < 0.8 else p[::-1] for p in sorted(found)]
        rng.shuffle(found)
    return sorted(found) if rng.random() < 0.3 else found


def lines_of_file(rng):
    """Returns a random file as lines of words. Lines of one word may be comments."""
    symmetry = rng.choice(["general", "symmetric", "skew-symmetric", "hermitian"])
    array = rng.random() < 0.3
    fields = {"hermitian": ["complex"], "skew-symmetric": ["real", "integer", "complex"]}
    field = rng.choice(fields.get(symmetry, ["real", "integer", "complex", "pattern"]))
    field = "real" if array and field == "pattern" else field
    least = 1 if array else 0  # SciPy refuses arrays without entries
    rows = rng.randint(least, rng.choice([1, 3, 20, 300 if not array else 20]))
    cols = rows if symmetry != "general" else rng.randint(least, rng.choice([1, 5, 40]))
    if array:
        skip = 1 if symmetry == "skew-symmetric" else 0
        entries = [value_texts(rng, field, symmetry, i == j) for j in range(cols)
                   for i in range(0 if symmetry == "general" else j + skip, rows)]
        size = [str(rows), str(cols)]
    else:
        entries = [[str(i), str(j)] + value_texts(rng, field, symmetry, i == j)
                   for i, j in positions(rng, rows, cols, symmetry)]
        size = [str(rows), str(cols), str(len(entries))]
    form = "array" if array else "coordinate"
    banner = [word if rng.random() < 0.7 else word.upper() for word in
              ("matrix", form, field, symmetry)]
    return ["%%MatrixMarket", *banner], size, entries


def file_of(rng):
    """Returns the bytes of a random file with random spacing. SciPy from 1.12 on refuses comments
    after the size line, and crashes at blanks around a line."""
    banner, size, entries = lines_of_file(rng)
    end = rng.choice(["\n", "\n", "\r\n"])
    gaps = rng.choice([[" "], [" "], [" ", "  ", "\t", " \t "]])
    edges = [""] if FAST else rng.choice([[""], [""], ["", " ", "\t", "   "]])
    noise = 0 if FAST else rng.choice([0, 0, 0.2])
    text = [" ".join(banner) + end]
    for words in [None, size, *entries]:
        while rng.random() < noise:
            text.append(rng.choice(["%", "% 1 1 1", "%% comment " + 2000 * "9"]) + end)
        if words and words is not size and rng.random() < noise:
            text.append(rng.choice(["", " ", "\t "]) + end)
        if words:
            joined = words[0] + "".join(rng.choice(gaps) + word for word in words[1:])
            text.append(rng.choice(edges) + joined + rng.choice(edges) + end)
    text = "".join(text)
    return (text.rstrip("\r\n") if rng.random() < 0.2 else text).encode()


def generate(folder, seed):
    rng = random.Random(seed)
    paths = []
    for k in range(FILES_GENERATED):
        path = pathlib.Path(folder, f"{GENERATED}{k}.mtx")
        path.write_bytes(file_of(rng))
        paths.append(path)
    return paths


def open_library(path):
    """Opens the library in a process of the pool."""
    global library
    library = Library(path)
    warnings.simplefilter("ignore")  # NumPy warns about sums with infinite terms


def verdict(path):
    """Returns "" if the outcome for a file is as expected, otherwise a sentence. Generated files
    are well-formed."""
    found = compare(library, path)
    outcome = found.partition(":")[0]
    expected, reason = DIFFERENCES.get(path.name, ("", ""))
    if outcome == expected or (outcome == "both refuse" and not path.name.startswith(GENERATED)):
        return ""
    return f"{path.name}: {found or 'no difference'}; expected: {expected or 'none'} {reason}"


def collect(paths, futures):
    """Returns the sentences about files with another outcome, up to the first crash."""
    wrong = []
    for path, future in zip(paths, futures):
        try:
            wrong.append(future.result())
        except BrokenProcessPool:
            wrong.append(f"{path.name}, or a file read beside it: a reader crashed")
            break
    return [text for text in wrong if text]


def main():
    folders = [pathlib.Path(folder) for folder in sys.argv[2:]]
    seed = int(os.environ.get("FURROW_TEST_SEED") or random.randrange(2**32))
    print(f"FURROW_TEST_SEED={seed}, SciPy {scipy.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted((path for f in folders for path in f.glob("*.mtx")),
                       key=lambda path: -path.stat().st_size)
        paths += generate(folder, seed)
        with ProcessPoolExecutor(initializer=open_library, initargs=[sys.argv[1]]) as pool:
            wrong = collect(paths, [pool.submit(verdict, path) for path in paths])
    print(*wrong, f"{len(paths)} files, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
