#!/usr/bin/env python3
"""Races the package with CuPy on a GPU: medians of alternating runs, ratios, and a check of every result.

race_python_gpu.py            products on stencils, the time of a call, conjugate gradients
race_python_gpu.py LIBRARY    the time of the same call in C, too: call_seconds.c as a shared library
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import cupy
import cupyx.scipy.sparse as csp
import cupyx.scipy.sparse.linalg as cla
import furrow
import numpy as np
from race_python import stencil


def seconds_of(run: Callable[[], Any], times: int) -> float:
    """Mean seconds of a run. `times` runs are queued together."""
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    for _ in range(times):
        run()
    cupy.cuda.Device().synchronize()
    return (time.perf_counter() - begin) / times


def race(ours: Callable[[], Any], peers: Callable[[], Any], times: int, rounds: int = 9) -> tuple[float, float]:
    """Medians of the seconds of both, which run in turn."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for run, list_of in zip((ours, peers), taken, strict=True):
            list_of.append(seconds_of(run, times))
    return statistics.median(taken[0][1:]), statistics.median(taken[1][1:])


def tell(name: str, ours: float, peers: float, unit: float = 1e6) -> None:
    print(f"{name:34} furrow {ours * unit:9.2f} us   CuPy {peers * unit:9.2f} us   {peers / ours:5.2f}x", flush=True)


def race_products() -> None:
    """Races A @ x, and the same product by a plan into an existing array."""
    for points, grid in ((7, 128), (5, 2048)):
        host = stencil(points, grid)
        theirs = csp.csr_matrix(host)
        ours = furrow.csr(theirs)
        x = cupy.asarray(np.random.default_rng(1).standard_normal(host.shape[1]))
        y = cupy.empty(host.shape[0])
        plan = ours.plan(uses=1000)
        expected = host @ cupy.asnumpy(x)
        for made in (ours @ x, plan(x), theirs @ x):
            np.testing.assert_allclose(cupy.asnumpy(made), expected, rtol=1e-12, atol=1e-12)
        tell(f"A @ x, {points} points, {grid}", *race(lambda: ours @ x, lambda: theirs @ x, 50))
        tell("  plan(x, out=y)", *race(lambda: plan(x, out=y), lambda: theirs @ x, 50))


def call_in_c(path: str) -> Callable[[int], float]:
    """Mean seconds of a call."""
    calls = ctypes.CDLL(path).call_seconds
    calls.argtypes, calls.restype = [ctypes.c_int], ctypes.c_double
    return calls


def race_calls() -> None:
    """Races a product so small that only the cost of the call counts."""
    theirs = csp.csr_matrix(stencil(5, 10))
    ours = furrow.csr(theirs).plan(uses=1000)
    x = cupy.ones(100)
    y = cupy.empty(100)
    np.testing.assert_allclose(cupy.asnumpy(ours(x, out=y)), stencil(5, 10) @ np.ones(100), rtol=1e-12)
    tell("a call, 100 rows, out=y", *race(lambda: ours(x, out=y), lambda: theirs @ x, 2000))
    if len(sys.argv) < 2:
        return
    in_c = call_in_c(sys.argv[1])
    taken = [(seconds_of(lambda: ours(x, out=y), 2000), in_c(2000)) for _ in range(40)]
    python, c = (statistics.median(of) for of in zip(*taken, strict=True))
    least = [min(of) for of in zip(*taken, strict=True)]
    print(f"  median {python * 1e6:.2f} us, in C {c * 1e6:.2f}; least {least[0] * 1e6:.2f}, in C {least[1] * 1e6:.2f}")


def race_cg() -> None:
    """Races solves to the same true residual, for 10^5 rows and more."""
    for points, grid in ((7, 47), (5, 316), (7, 128)):
        host = stencil(points, grid)
        theirs = csp.csr_matrix(host)
        ours = furrow.csr(theirs)
        b = cupy.ones(host.shape[0])
        for x, info in (furrow.cg(ours, b, rtol=1e-8), cla.cg(theirs, b, rtol=1e-8)):
            assert info == 0 and float(cupy.linalg.norm(b - theirs @ x) / cupy.linalg.norm(b)) < 2e-8
        tell(
            f"cg, {host.shape[0]} rows",
            *race(lambda: furrow.cg(ours, b, rtol=1e-8), lambda: cla.cg(theirs, b, rtol=1e-8), 1, 5),
        )
        tell(
            '  M="amg"',
            *race(lambda: furrow.cg(ours, b, rtol=1e-8, M="amg"), lambda: cla.cg(theirs, b, rtol=1e-8), 1, 5),
        )


if __name__ == "__main__":
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"furrow {furrow.__version__}, CuPy {cupy.__version__}, {name}")
    race_products()
    race_calls()
    race_cg()
