"""Objects may be deleted in any order, and no arrays, handles or memory of the library leak."""

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import random_matrix
from hypothesis import given, settings
from hypothesis import strategies as st

GRID = (30, 40)
SIZE = 1200


def stencil_of_fields():
    fields = [np.full(GRID, value) for value in (-1.0, -1.0, 4.0, -1.0, -1.0)]
    return furrow.Stencil([(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)], GRID, fields)


# Objects made from a matrix, and a function that uses each of them.
MADE: dict[str, tuple[Callable, Callable]] = {
    "values": (lambda a: a.data, lambda made, x: made.sum()),
    "scipy": (lambda a: a.to_scipy(), lambda made, x: made @ x),
    "plan": (lambda a: a.plan(uses=1000), lambda made, x: made(x)),
    "plan of the transpose": (lambda a: a.plan(op="T"), lambda made, x: made(x)),
    "transpose": (lambda a: a.T, lambda made, x: made @ x),
    "same": (lambda a: furrow.csr(a, threads=2), lambda made, x: made @ x),
    "triangle": (lambda a: furrow.TriangularSolve(a), lambda made, x: made @ x),
    "preconditioner": (lambda a: furrow.Preconditioner(a, "ic0"), lambda made, x: made @ x),
    "multigrid": (lambda a: furrow.Preconditioner(a, "amg"), lambda made, x: made @ x),
    "recognised": (furrow.recognise, lambda made, x: made @ x),
    "stencil": (lambda a: stencil_of_fields(), lambda made, x: made @ x),
    "geometric": (lambda a: furrow.Multigrid(furrow.Stencil(5, GRID)), lambda made, x: made @ x),
    "permuted": (lambda a: furrow.permute(a, furrow.reorder(a)), lambda made, x: made @ x),
}


def matrix():
    """Returns a matrix that shares SciPy's arrays; nothing else refers to them."""
    return furrow.csr(furrow.Stencil(5, GRID).to_csr().to_scipy(copy=True), copy=False)


@given(st.lists(st.sampled_from(sorted(MADE)), min_size=1, max_size=5, unique=True), st.randoms())
@settings(max_examples=12)
def test_any_order_of_going(names, random):
    """The remaining objects give the same results in any order of deletion, whether the matrix goes first or last."""
    x = np.linspace(-1, 1, SIZE)
    a = matrix()
    things = {name: MADE[name][0](a) for name in names}
    want = {name: MADE[name][1](things[name], x) for name in names}
    things["the matrix"] = a
    del a
    order = list(things)
    random.shuffle(order)
    for gone in order:
        del things[gone]
        gc.collect()
        noise = np.full(SIZE * 8, np.nan)  # overwrites memory that was freed too early
        for name in set(things) & set(want):
            np.testing.assert_array_equal(MADE[name][1](things[name], x), want[name])
        del noise


def test_callers_arrays_are_given_up(rng):
    source = random_matrix(rng, 50, 50)
    arrays = source.data, source.indices, source.indptr
    before = [sys.getrefcount(array) for array in arrays]
    a = furrow.csr(source, copy=False)
    a @ np.ones(50)
    a.plan(uses=1000)(np.ones(50))
    made = a.T, a.to_scipy(), furrow.TriangularSolve(a + sp.eye_array(50, format="csr"))
    assert [sys.getrefcount(array) for array in arrays] > before
    del a, made
    gc.collect()
    assert [sys.getrefcount(array) for array in arrays] == before


# ---- leaks

BIG = (120, 130)


def big():
    return furrow.Stencil(5, BIG).to_csr()


def solve(**options):
    a = big()
    furrow.cg(a, np.ones(a.shape[0]), maxiter=3, **options)


def fail():
    a = big()
    for bad in (lambda: a @ np.ones(3), lambda: a.plan(kernel="nonesuch"), lambda: furrow.permute(a, [0])):
        with pytest.raises(furrow.Error):
            bad()


def interrupted():
    def stop(*state):
        raise KeyError("stop")

    with pytest.raises(KeyError):
        furrow.cg(big(), np.ones(BIG[0] * BIG[1]), progress=stop)


def read(tmp_path):
    path = tmp_path / "a.mtx"
    if not path.exists():
        furrow.write(path, big())
    furrow.read(path)
    furrow.io.mmread(path, spmatrix=False)


def accelerated():
    m = big().to_scipy(copy=True)
    with furrow.accelerate_scipy():
        m @ np.ones(m.shape[0])
        m @ m


ACTIVITIES = {
    "products": lambda: (big() @ np.ones(BIG[0] * BIG[1]), big() @ np.ones((BIG[0] * BIG[1], 3))),
    "plans": lambda: [big().plan(uses=10**6, op=op)(np.ones(BIG[0] * BIG[1])) for op in "NT"],
    "algebra": lambda: (big().T + big() * 2.0) @ big(),
    "parts": lambda: (big()[10:5000], big().diagonal(), big().data, big().to_scipy()),
    "solves": solve,
    "preconditioners": lambda: [solve(M=kind) for kind in ("jacobi", "ic0", "amg")],
    "eigenvalues": lambda: furrow.eigsh(furrow.Stencil(3, (60,)), 2, which="SA"),
    "orders": lambda: furrow.permute(big(), furrow.reorder(big())),
    "triangles": lambda: furrow.TriangularSolve(big()) @ np.ones((BIG[0] * BIG[1], 2)),
    "recognition": lambda: furrow.recognise(big()),
    "neighbours": lambda: furrow.neighbours(np.linspace(0, 1, 60000).reshape(20000, 3), 4),
    "failures": fail,
    "interrupted": interrupted,
    "accelerated": accelerated,
    "files": read,
}


def resident():
    """Returns the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
@pytest.mark.parametrize("name", sorted(ACTIVITIES))
def test_no_memory_is_left(name, tmp_path):
    """An array of the matrix's values that leaks in each repetition takes 600 kB. The test allows less than a fifth of
    it. The C allocator may keep memory once, but a leak shows in each of several rounds."""
    act = ACTIVITIES[name] if name != "files" else lambda: read(tmp_path)
    repeats, values = 30, big().data.nbytes
    assert min(growth(act, repeats) for _ in range(4)) <= repeats * values / 5


def growth(act, repeats):
    """Returns the number of bytes by which the process has grown."""
    gc.collect()
    before = resident()
    for _ in range(repeats):
        act()
    gc.collect()
    return resident() - before


@pytest.mark.parametrize("name", sorted(set(ACTIVITIES) - {"files", "failures", "interrupted"}))
def test_no_objects_of_python_are_left(name):
    ACTIVITIES[name]()
    gc.collect()
    tracemalloc.start()
    try:
        ACTIVITIES[name]()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10):
            ACTIVITIES[name]()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before <= 10000
    finally:
        tracemalloc.stop()
