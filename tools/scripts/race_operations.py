#!/usr/bin/env python3
"""Races the small operations on matrices (furrow/algebra.h) with SciPy; prints a Markdown table.

    race_operations.py LIBRARY [--threads N] [--rounds N] [--only TEXT]

LIBRARY is the shared one. Both work on the same arrays, of 7 points on 128^3 and 27 points on 64^3
grids, in turns; each time includes making the result and letting it go. Results must agree: the
same pattern, and values within 1e-14 of the largest. The ratio is SciPy's median by the library's.
"""

import argparse
import ctypes
import statistics
import sys
import time

import numpy
import scipy.sparse
import scipy.sparse.linalg

F64, I32 = 1, 0
BORROW = 1
NORM_1, NORM_INF, NORM_MAX, NORM_FROBENIUS = 0, 2, 3, 4  # fur_norm


class View(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("rows", ctypes.c_int64),
        ("cols", ctypes.c_int64),
        ("entries", ctypes.c_int64),
        ("value_type", ctypes.c_int),
        ("offset_type", ctypes.c_int),
        ("offsets", ctypes.c_void_p),
        ("columns", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
    ]


class Scalar(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("device", ctypes.c_char_p),
        ("threads", ctypes.c_int),
        ("rest", ctypes.c_char * 80),
    ]


class Difference(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("beyond", ctypes.c_int64)] + [
        (name, ctypes.c_double) for name in ("largest", "row", "col", "a", "ai", "b", "bi")
    ]


class Library:
    """The library with one context; matrices are handles."""

    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.lib.fur_csr_get.restype = ctypes.POINTER(View)
        self.lib.fur_context_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        options = Options(size=24, threads=threads)
        self.check(self.lib.fur_context_create(ctypes.byref(options), ctypes.byref(self.context)))

    def check(self, status):
        if status:
            sys.exit(self.lib.fur_context_error(self.context).decode())

    def borrow(self, a):
        assert a.indices.dtype == numpy.int32 and a.data.dtype == numpy.float64
        view = View(ctypes.sizeof(View), *a.shape, a.nnz, F64, I32)
        view.offsets, view.columns, view.values = (
            array.ctypes.data for array in (a.indptr, a.indices, a.data)
        )
        handle = ctypes.c_void_p()
        self.check(
            self.lib.fur_csr_create(self.context, ctypes.byref(view), BORROW, ctypes.byref(handle))
        )
        return handle

    def vector(self, x):
        handle = ctypes.c_void_p()
        data = ctypes.c_void_p(x.ctypes.data)
        size = ctypes.c_int64(x.size)
        self.check(
            self.lib.fur_vector_wrap(self.context, F64, size, data, BORROW, ctypes.byref(handle))
        )
        return handle

    def make(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.check(getattr(self.lib, name)(*arguments, ctypes.byref(handle)))
        return handle

    def number(self, name, *arguments):
        out = ctypes.c_double()
        self.check(getattr(self.lib, name)(*arguments, ctypes.byref(out)))
        return out.value

    def arrays(self, handle):
        v = self.lib.fur_csr_get(handle).contents

        def array(kind, pointer, count):
            if count == 0:
                return numpy.empty(0, kind)
            return numpy.ctypeslib.as_array((kind * count).from_address(pointer))

        offset = ctypes.c_int32 if v.offset_type == I32 else ctypes.c_int64
        return (
            (v.rows, v.cols),
            array(offset, v.offsets, v.rows + 1),
            array(ctypes.c_int32, v.columns, v.entries),
            array(ctypes.c_double, v.values, v.entries),
        )


def grid(points, n):
    """Returns the Laplacian with 7 or 27 points."""
    one = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    if points == 7:
        a = scipy.sparse.kronsum(scipy.sparse.kronsum(one, one), one)
    else:
        full = scipy.sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
        a = 27 * scipy.sparse.kron(eye, scipy.sparse.kron(eye, eye)) - scipy.sparse.kron(
            full, scipy.sparse.kron(full, full)
        )
    a = scipy.sparse.csr_matrix(a)
    a.sort_indices()
    a.indices, a.indptr = a.indices.astype(numpy.int32), a.indptr.astype(numpy.int32)
    return a


def cases(lib, a):
    """Lists (name, the library's call, SciPy's call). Each call returns a matrix or a number."""
    n = a.shape[0]
    rng = numpy.random.default_rng(1)
    same = a.copy()
    same.data = rng.standard_normal(a.nnz)
    moved = numpy.minimum(a.indices + 1, n - 1)
    other = scipy.sparse.csr_matrix((same.data.copy(), moved, a.indptr.copy()), shape=a.shape)
    other.sum_duplicates()
    small = scipy.sparse.csr_matrix(numpy.array([[2.0, 1.0], [1.0, 3.0]]))
    order = rng.permutation(n).astype(numpy.int32)
    half = numpy.sort(order[: n // 2])
    near = a.copy()
    near.data = a.data * (1 + 1e-13)
    d = rng.standard_normal(n)
    h, h_same, h_other, h_small, h_near = map(lib.borrow, (a, same, other, small, near))
    h_d = lib.vector(d)
    i64, number = ctypes.c_int64, ctypes.c_double
    low, high = i64(-(2**63)), i64(2**63 - 1)
    blocks = (ctypes.c_void_p * 4)(h, None, h_same, h_other)
    line = (ctypes.c_void_p * 2)(h, h_same)
    pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
    make = lib.make
    two = Scalar(2.0, 0.0)
    one = Scalar(1.0, 0.0)
    third = Scalar(1 / 3, 0.0)
    quarter = n // 4

    def within():
        found = Difference(size=72)
        lib.check(
            lib.lib.fur_csr_compare_within(
                h, h_near, number(1e-12), number(0), ctypes.byref(found)
            )
        )
        return float(found.beyond)

    def scipy_within():
        apart = abs(a - near) - 1e-12 * abs(near)
        return float((apart.data > 0).sum())

    return [
        ("A + B, same pattern", lambda: make("fur_csr_add", h, one, h_same, one), lambda: a + same),
        ("A + B, other pattern", lambda: make("fur_csr_add", h, one, h_other, one), lambda: a + other),
        ("A / 3 + 2 B, other pattern", lambda: make("fur_csr_add", h, third, h_other, two),
         lambda: a * (1 / 3) + 2 * other),
        ("A - 2 I", lambda: make("fur_csr_shift", h, two),
         lambda: a - 2 * scipy.sparse.identity(n, format="csr")),
        ("element-wise product", lambda: make("fur_csr_multiply_elementwise", h, h_other),
         lambda: a.multiply(other)),
        ("kron(A, 2 x 2)", lambda: make("fur_csr_kron", h, h_small),
         lambda: scipy.sparse.kron(a, small, format="csr")),
        ("kron(2 x 2, A)", lambda: make("fur_csr_kron", h_small, h),
         lambda: scipy.sparse.kron(small, a, format="csr")),
        ("from a diagonal", lambda: make("fur_csr_from_diagonal", h_d),
         lambda: scipy.sparse.diags_array(d, format="csr")),
        ("lower triangle", lambda: make("fur_csr_band", h, low, i64(0)),
         lambda: scipy.sparse.tril(a, format="csr")),
        ("strict upper triangle", lambda: make("fur_csr_band", h, i64(1), high),
         lambda: scipy.sparse.triu(a, 1, format="csr")),
        ("rows of a range", lambda: make("fur_csr_submatrix", h, i64(quarter), i64(3 * quarter),
                                         i64(0), i64(n)), lambda: a[quarter : 3 * quarter]),
        ("rows and columns of a range",
         lambda: make("fur_csr_submatrix", h, i64(quarter), i64(3 * quarter), i64(quarter),
                      i64(3 * quarter)),
         lambda: a[quarter : 3 * quarter, quarter : 3 * quarter]),
        ("rows of a list", lambda: make("fur_csr_select", h, i64(n), pointer(order), i64(0), None),
         lambda: a[order]),
        ("rows and columns of a rising list",
         lambda: make("fur_csr_select", h, i64(half.size), pointer(half), i64(half.size),
                      pointer(half)), lambda: a[half][:, half]),
        ("rows and columns of any list",
         lambda: make("fur_csr_select", h, i64(n), pointer(order), i64(n), pointer(order)),
         lambda: sort(a[order][:, order])),
        ("[A, B]", lambda: make("fur_csr_from_blocks", i64(1), i64(2), line),
         lambda: scipy.sparse.hstack([a, same], format="csr")),
        ("[A; B]", lambda: make("fur_csr_from_blocks", i64(2), i64(1), line),
         lambda: scipy.sparse.vstack([a, same], format="csr")),
        ("[A, 0; B, C]", lambda: make("fur_csr_from_blocks", i64(2), i64(2), blocks),
         lambda: scipy.sparse.bmat([[a, None], [same, other]], format="csr")),
        ("drop below 0.5", lambda: make("fur_csr_drop", h_same, number(0.5)),
         lambda: dropped(same, 0.5)),
        ("norm 1", lambda: lib.number("fur_csr_norm", h, NORM_1), lambda: scipy.sparse.linalg.norm(a, 1)),
        ("norm infinity", lambda: lib.number("fur_csr_norm", h, NORM_INF),
         lambda: scipy.sparse.linalg.norm(a, numpy.inf)),
        ("norm Frobenius", lambda: lib.number("fur_csr_norm", h, NORM_FROBENIUS),
         lambda: scipy.sparse.linalg.norm(a)),
        ("norm max", lambda: lib.number("fur_csr_norm", h, NORM_MAX), lambda: float(abs(a).max())),
        ("within a tolerance", within, scipy_within),
    ]


def sort(a):
    a.sort_indices()
    return a


def dropped(a, tolerance):
    a = a.copy()
    a.data[abs(a.data) <= tolerance] = 0
    a.eliminate_zeros()
    return a


def agree(lib, own, peer):
    if isinstance(own, float):
        return abs(own - peer) <= 1e-14 * abs(peer)
    shape, offsets, columns, values = lib.arrays(own)
    peer = scipy.sparse.csr_matrix(peer)
    peer.sort_indices()
    if peer.nnz != len(values):
        # SciPy drops sums and products that are zero.
        kept = scipy.sparse.csr_matrix((values, columns, offsets), shape=shape)
        return abs(kept - peer).max() <= 1e-14 * abs(peer).max()
    return (
        shape == peer.shape
        and numpy.array_equal(offsets, peer.indptr)
        and numpy.array_equal(columns, peer.indices)
        and numpy.allclose(values, peer.data, rtol=0, atol=1e-14 * abs(peer.data).max())
    )


def timed(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def race(lib, own, peer, rounds):
    """Returns the milliseconds of both, and whether their results agree."""
    times = [], []
    good = True
    for number in range(rounds + 1):
        seconds, handle = timed(own)
        if not isinstance(handle, float):
            if number == 0:
                good = agree(lib, handle, peer())
            end = time.perf_counter()
            lib.lib.fur_csr_destroy(handle)
            seconds += time.perf_counter() - end
        peer_seconds, result = timed(peer)
        if isinstance(handle, float) and number == 0:
            good = agree(lib, handle, result)
        end = time.perf_counter()
        del result
        peer_seconds += time.perf_counter() - end
        if number > 0:
            times[0].append(1e3 * seconds)
            times[1].append(1e3 * peer_seconds)
    return statistics.median(times[0]), statistics.median(times[1]), good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--grids", default="7:128,27:64")
    options = parser.parse_args()
    lib = Library(options.library, options.threads)
    lib.lib.fur_csr_destroy.argtypes = [ctypes.c_void_p]
    print(f"SciPy {scipy.__version__}, {options.threads} threads")
    failed = False
    for text in options.grids.split(","):
        points, n = map(int, text.split(":"))
        print(f"\n| {points} points, {n}^3 | ms | SciPy, ms | ratio |\n|---|---|---|---|")
        for name, own, peer in cases(lib, grid(points, n)):
            if options.only in name:
                mine, its, good = race(lib, own, peer, options.rounds)
                failed |= not good
                wrong = "" if good else " (results differ)"
                print(f"| {name}{wrong} | {mine:.1f} | {its:.1f} | {its / mine:.1f} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
