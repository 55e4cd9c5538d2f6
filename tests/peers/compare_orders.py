#!/usr/bin/env python3
"""Compares the library's orders with SciPy's and PETSc's: bandwidths, profiles, times.

    compare_orders.py LIBRARY [--petsc PROGRAM] [--least ROWS] [--entries LEAST MAX] [--threads N]
                      [--generated] PATH...

LIBRARY is the shared library. PROGRAM is built from peer_petsc.c. A PATH is a Matrix Market file or
a folder of such files. --generated adds large graphs, numbered at random.
Every square matrix with at least ROWS rows (400) and LEAST to MAX entries is ordered by every
method. The orders are checked, and measured both here and by the library. Prints tables in
Markdown. Seconds are medians of several runs, in which the methods alternate, with one thread by
default. The library starts from A. SciPy is told whether the pattern is symmetric, and forms
A + A^T if it is not. PETSc starts from A + A^T.
Exit status 1 if the bandwidth of the library's default order is larger than the input's for any
matrix, or its geometric mean is larger than 0.95 of SciPy's. Exit status 77, skipped, if SciPy is
missing.
"""

import argparse
import ctypes
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import scipy.sparse
    import scipy.spatial
    from scipy.sparse.csgraph import reverse_cuthill_mckee
except ImportError:
    print("there is no SciPy; skipped")
    sys.exit(77)

METHODS = ["rcm", "rcm-quality", "sloan"]
SECONDS = 0.2  # time for each method: at least 1 and at most 41 runs
ENOUGH = 0.95  # largest ratio to SciPy's bandwidth


class Options(ctypes.Structure):
    """The first members of fur_context_options."""
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("threads", ctypes.c_int)]


class View(ctypes.Structure):
    """fur_csr_view"""
    _fields_ = [("size", ctypes.c_size_t), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("entries", ctypes.c_int64),
                ("value", ctypes.c_int), ("offset", ctypes.c_int), ("offsets", ctypes.c_void_p),
                ("columns", ctypes.c_void_p), ("values", ctypes.c_void_p)]


class Figures(ctypes.Structure):
    """fur_order_figures"""
    _fields_ = [("size", ctypes.c_size_t), ("bandwidth", ctypes.c_int64), ("profile", ctypes.c_int64),
                ("wavefront_max", ctypes.c_int64), ("wavefront_rms", ctypes.c_double)]


def copy_array(address, count, dtype):
    size = count * numpy.dtype(dtype).itemsize
    return numpy.frombuffer(ctypes.string_at(address, size) if size else b"", dtype)


class Library:
    """The library, with one context."""

    def __init__(self, path, threads):
        self.functions = ctypes.CDLL(path)
        self.functions.fur_csr_get.restype = ctypes.POINTER(View)
        self.functions.fur_context_error.restype = ctypes.c_char_p
        self.functions.fur_permutation_order.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), None, threads)
        self.call("fur_context_create", ctypes.byref(options), ctypes.byref(self.context))

    def call(self, name, *arguments):
        if getattr(self.functions, name)(*arguments) != 0:
            raise RuntimeError(self.functions.fur_context_error(self.context).decode())

    def read(self, path):
        """Returns a matrix and its pattern, or None and None if it cannot be read."""
        matrix = ctypes.c_void_p()
        try:
            self.call("fur_mtx_read_csr", self.context, os.fsencode(path), None,
                      ctypes.byref(matrix))
        except RuntimeError:
            return None, None
        view = self.functions.fur_csr_get(matrix).contents
        offsets = copy_array(view.offsets, view.rows + 1, ("i4", "i8")[view.offset])
        columns = copy_array(view.columns, view.entries, "i4")
        ones = numpy.ones(view.entries, numpy.float32)
        return matrix, scipy.sparse.csr_matrix((ones, columns, offsets), (view.rows, view.cols))

    def make(self, pattern):
        """Returns a matrix of ones with the given pattern."""
        arrays = [pattern.indptr.astype("i4"), pattern.indices.astype("i4"),
                  numpy.ones(pattern.nnz, "f4")]
        view = View(ctypes.sizeof(View), *pattern.shape, pattern.nnz, 0, 0, *(array.ctypes.data for array in arrays))
        matrix = ctypes.c_void_p()
        self.call("fur_csr_create", self.context, ctypes.byref(view), 0, ctypes.byref(matrix))
        return matrix

    def order(self, matrix, method):
        permutation = ctypes.c_void_p()
        self.call("fur_reorder", matrix, method.encode(), None, None, ctypes.byref(permutation))
        return permutation

    def look(self, matrix, permutation, size):
        """Returns the order, and the bandwidth and profile that the library measures."""
        figures = Figures(ctypes.sizeof(Figures))
        self.call("fur_order_measure", matrix, permutation, ctypes.byref(figures))
        address = self.functions.fur_permutation_order(permutation)
        return copy_array(address, size, "i4"), (figures.bandwidth, figures.profile)

    def release(self, kind, handle):
        getattr(self.functions, f"fur_{kind}_destroy")(handle)


def shuffled(pattern, rng):
    order = rng.permutation(pattern.shape[0])
    pattern = pattern.tocsr()[order][:, order].tocsr()
    pattern.sort_indices()
    return pattern


def grid(width, dimensions):
    """Returns the pattern of a stencil of 2 * dimensions + 1 points."""
    line = scipy.sparse.diags([numpy.ones(width - 1, "f4")] * 2, [-1, 1])
    found = line
    for _ in range(dimensions - 1):
        found = scipy.sparse.kronsum(line, found)
    return found + scipy.sparse.identity(width**dimensions, "f4")


def triangles(count, rng):
    """Returns the edges of the Delaunay triangulation of random points in a square."""
    starts, ends = scipy.spatial.Delaunay(rng.random((count, 2))).vertex_neighbor_vertices
    return scipy.sparse.csr_matrix((numpy.ones(len(ends), "f4"), ends, starts), (count, count))


def rmat(scale, rng):
    """Returns a symmetric R-MAT graph (Chakrabarti, Zhan and Faloutsos 2004), 16 edges a vertex."""
    ends = numpy.zeros((2, 16 << scale), "i8")
    for _ in range(scale):
        draw = rng.random(ends.shape[1])
        ends = 2 * ends + [draw >= 0.76, ((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)]
    ones = numpy.ones(ends.shape[1], "f4")
    found = scipy.sparse.csr_matrix((ones, tuple(ends)), (1 << scale, 1 << scale))
    return found + found.T


def generate(library):
    rng = numpy.random.default_rng(1)
    for name, pattern in (("7-point 100^3", grid(100, 3)), ("5-point 1000^2", grid(1000, 2)),
                          ("Delaunay 2^20", triangles(1 << 20, rng)), ("R-MAT 18", rmat(18, rng))):
        pattern = shuffled(pattern, rng)
        yield name, library.make(pattern), pattern


def measure(graph, order):
    """Returns the bandwidth and profile of a symmetric pattern in an order."""
    size = graph.shape[0]
    place = numpy.empty(size, numpy.int64)
    place[order] = numpy.arange(size)
    rows = numpy.repeat(place, numpy.diff(graph.indptr))
    left = rows - place[graph.indices]
    widths = numpy.zeros(size, numpy.int64)
    numpy.maximum.at(widths, rows, left)
    return int(widths.max(initial=0)), int(widths.sum())


def time_turns(runs):
    """Calls the functions alternately. Returns for each the median seconds and its last result."""
    seconds, found = [[] for _ in runs], [None] * len(runs)
    begin = time.perf_counter()
    for _ in range(41):
        for k, run in enumerate(runs):
            start = time.perf_counter()
            found[k] = run()
            seconds[k].append(time.perf_counter() - start)
        if time.perf_counter() - begin > SECONDS * len(runs):
            break
    return list(zip(map(statistics.median, seconds), found))


def order_by_petsc(program, graph):
    with tempfile.TemporaryDirectory() as folder:
        pattern, order = pathlib.Path(folder, "pattern"), pathlib.Path(folder, "order")
        with open(pattern, "wb") as file:
            numpy.array([graph.shape[0], graph.nnz], "i8").tofile(file)
            graph.indptr.astype("i8").tofile(file)
            graph.indices.astype("i4").tofile(file)
        done = subprocess.run([program, pattern, order, "5" if graph.nnz < 1e6 else "2"],
                              check=True, capture_output=True, text=True)
        return float(done.stdout), numpy.fromfile(order, "i4")


def check_order(order, size):
    if not numpy.array_equal(numpy.sort(order), numpy.arange(size)):
        raise RuntimeError("an order is not a permutation")


def compare(library, petsc, name, matrix, pattern):
    """Returns name, rows, entries, and (bandwidth, profile, seconds) for each method."""
    size = pattern.shape[0]
    graph = (pattern + pattern.T).tocsr()
    graph.sort_indices()
    symmetric = graph.nnz == pattern.nnz
    runs = [lambda: reverse_cuthill_mckee(pattern, symmetric)]
    permutations = []

    def order_by(method):
        permutations.append(library.order(matrix, method))
        return permutations[-1]
    runs += [lambda method=method: order_by(method) for method in METHODS]
    timed = time_turns(runs)
    found = {"input": (*measure(graph, numpy.arange(size)), 0.0)}
    found["SciPy"] = (*measure(graph, timed[0][1]), timed[0][0])
    if petsc:
        seconds, order = order_by_petsc(petsc, graph)
        check_order(order, size)
        found["PETSc"] = (*measure(graph, order), seconds)
    for method, (seconds, permutation) in zip(METHODS, timed[1:]):
        order, own = library.look(matrix, permutation, size)
        check_order(order, size)
        found[method] = (*measure(graph, order), seconds)
        if own != found[method][:2]:
            raise RuntimeError(f"{name}: {method}: fur_order_measure finds {own}")
    for permutation in permutations:
        library.release("permutation", permutation)
    library.release("csr", matrix)
    return name, size, pattern.nnz, found


def geometric_mean(ratios):
    ratios = list(ratios)
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def print_table(results, title, column, form):
    names = list(results[0][3])
    print(f"\n## {title}\n\n| matrix | rows | entries |", " | ".join(names), "|")
    print("|---" * (3 + len(names)) + "|")
    for name, rows, entries, found in results:
        cells = " | ".join(form.format(found[key][column]) for key in names)
        print(f"| {name} | {rows} | {entries} | {cells} |")


def print_means(results, reference):
    """Prints geometric means of the ratios to one order. Skips matrices with a bandwidth of 0."""
    names = [name for name in results[0][3] if name != reference]
    print(f"\n## Geometric means relative to {reference}\n\n| |", " | ".join(names), "|")
    print("|---" * (1 + len(names)) + "|")
    for title, column in (("bandwidth", 0), ("profile", 1), ("seconds", 2)):
        means = (geometric_mean(found[name][column] / found[reference][column]
                                for *_, found in results
                                if found[name][column] > 0 and found[reference][column] > 0)
                 for name in names)
        print(f"| {title} |", " | ".join(f"{mean:.3f}" for mean in means), "|")


def falls_short(results):
    """Prints where the default order is wider than the input or SciPy. Returns whether the run
    fails."""
    def wider(other):
        return [name for name, _, _, found in results if found["rcm"][0] > found[other][0]]
    total = {name: sum(found[name][2] for *_, found in results) for name in results[0][3]}
    ratio = geometric_mean(found["rcm"][0] / found["SciPy"][0] for *_, found in results
                           if found["rcm"][0] > 0 and found["SciPy"][0] > 0)
    print(f"\n{len(results)} matrices; rcm is wider than the input on", *wider("input") or ["none"])
    print("It is wider than SciPy on", *wider("SciPy") or ["none"])
    print("Seconds of all:", ", ".join(f"{name} {total[name]:.3f}" for name in list(total)[1:]))
    slow = max(results, key=lambda result: result[3]["rcm"][2] / result[3]["SciPy"][2])
    print(f"Longest against SciPy: {slow[3]['rcm'][2] / slow[3]['SciPy'][2]:.2f} of its time, {slow[0]}")
    return bool(wider("input")) or ratio > ENOUGH


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("library")
    parser.add_argument("--petsc")
    parser.add_argument("--least", type=int, default=400)
    parser.add_argument("--entries", type=int, nargs=2, default=(0, 1 << 62))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--generated", action="store_true")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()
    library = Library(arguments.library, arguments.threads)
    paths = [file for path in arguments.paths
             for file in (sorted(path.glob("*.mtx*")) if path.is_dir() else [path])]
    cases = ((path.name.split(".")[0], *library.read(path)) for path in paths)
    if arguments.generated:
        cases = itertools.chain(generate(library), cases)

    def is_wanted(pattern):
        return (pattern is not None and pattern.shape[0] == pattern.shape[1] >= arguments.least
                and arguments.entries[0] <= pattern.nnz <= arguments.entries[1])
    compared = (compare(library, arguments.petsc, *case) for case in cases if is_wanted(case[2]))
    results = sorted(compared, key=lambda result: result[2])
    if not results:
        print("no square matrix of that size")
        return 1
    print_table(results, "Bandwidth", 0, "{}")
    print_table(results, "Profile", 1, "{}")
    print_table(results, "Seconds", 2, "{:.6f}")
    print_means(results, "PETSc" if arguments.petsc else "SciPy")
    print_means(results, "rcm")
    return 1 if falls_short(results) else 0


if __name__ == "__main__":
    sys.exit(main())
