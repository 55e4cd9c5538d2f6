"""Helpers of the tests of the Python package: random matrices with printed seeds, bounds, and interrupts."""

import contextlib
import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]

settings.register_profile(
    "furrow", deadline=None, max_examples=30, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("furrow")

# A process that a shell starts in the background ignores Ctrl-C. This line lets the tests of Ctrl-C work there, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    return f"FURROW_SEED={seed()}"


def seed():
    return int(os.environ.setdefault("FURROW_SEED", str(int.from_bytes(os.urandom(4), "little"))))


@pytest.fixture
def rng():
    return np.random.default_rng(seed())


def random_values(rng, size, dtype):
    """Returns random values of magnitude about 1. They are complex if the dtype is complex."""
    real = rng.standard_normal(size)
    if np.dtype(dtype).kind == "c":
        return (real + 1j * rng.standard_normal(size)).astype(dtype)
    return real.astype(dtype)


def random_matrix(rng, rows, cols, density=0.1, dtype=np.float64):
    """Returns a random csr_array of SciPy with sorted rows."""
    pattern = sp.random_array((rows, cols), density=density, format="csr", rng=rng)
    pattern.sort_indices()
    data = random_values(rng, pattern.nnz, dtype)
    return sp.csr_array((data, pattern.indices, pattern.indptr), shape=(rows, cols))


def bound(a, x):
    """Returns a bound of the error of each entry of A x: (n + 2) u |A| |x| for rows of n entries. The bound is four
    times larger for complex numbers. The difference of two computed results has twice this bound."""
    longest = int(np.diff(a.indptr).max(initial=0))
    dtype = np.result_type(a.dtype, x.dtype)
    return 8 * (longest + 2) * np.finfo(dtype).eps * (abs(a) @ abs(x)) + np.finfo(dtype).tiny


def address(array):
    return array.__array_interface__["data"][0]


@contextlib.contextmanager
def interrupted_after(seconds):
    """Sends Ctrl-C to this process `seconds` seconds after the block has begun."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()
