"""How the package behaves in a process with threads, fork, spawn and interrupts."""

import multiprocessing
import os
import sys
import threading

import furrow
import numpy as np
import pytest
from conftest import random_matrix


def product(f, x):
    return f @ x


def test_many_threads_at_once(rng):
    a = random_matrix(rng, 2000, 2000, 0.01)
    f = furrow.csr(a)
    x = rng.standard_normal(2000)
    want, wrong = f @ x, []

    def work():
        for _ in range(50):
            if not np.array_equal(f @ x, want) or not np.array_equal(furrow.csr(a).T @ x, f.T @ x):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_of_fork_computes(rng):
    a = random_matrix(rng, 3000, 3000, 0.01)
    f = furrow.csr(a, threads=2)
    x = rng.standard_normal(3000)
    want = f @ x
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(f @ x, want) and np.array_equal(furrow.csr(a, threads=2) @ x, want) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_computes_says_what_is_lost(rng):
    """The child lacks the thread that computed. It loses the objects in the context of this thread, but keeps
    matrices."""
    a = furrow.csr(random_matrix(rng, 500, 500) + 100 * np.eye(500), threads=3)
    busy, done = threading.Event(), threading.Event()

    def slow(x):
        busy.set()
        done.wait()
        return a @ x

    b = rng.standard_normal(500)
    other = furrow.csr(np.eye(500))
    plan = other.plan()
    thread = threading.Thread(target=lambda: furrow.cg(slow, b))
    thread.start()
    busy.wait()
    child = os.fork()
    if child == 0:
        os._exit(verdict_of_child(other, plan, b))
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def verdict_of_child(other, plan, b):
    try:
        plan(b)
        return 1
    except furrow.Unsupported as failure:
        if "another thread" not in failure.sentence or "spawn" not in failure.sentence:
            return 2
    new = furrow.csr(np.eye(500))
    return 0 if np.array_equal(other @ b, b) and np.array_equal(new @ b, b) and furrow.cg(new, b)[1] == 0 else 3


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_spawned_process_computes(rng, method):
    f = furrow.csr(random_matrix(rng, 100, 100))
    x = rng.standard_normal(100)
    with multiprocessing.get_context(method).Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(product, (f, x)), f @ x)


def test_nothing_is_imported_that_is_not_needed():
    code = "import sys, furrow; print([m for m in ('scipy', 'cupy', 'torch', 'matplotlib') if m in sys.modules])"
    import subprocess

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_threadpoolctl_limits_threads(rng):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    before = furrow.get_num_threads()
    found = [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "furrow"]
    assert [library["num_threads"] for library in found] == [before] and found[0]["version"] == furrow.__version__
    f, x = furrow.csr(random_matrix(rng, 200, 200)), rng.standard_normal(200)
    y = f @ x
    try:
        with threadpoolctl.threadpool_limits(limits=1, user_api="furrow"):
            assert furrow.get_num_threads() == 1
            np.testing.assert_array_equal(f @ x, y)
        assert furrow.get_num_threads() == before
    finally:
        furrow.set_num_threads(None)
