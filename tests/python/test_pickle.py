"""An unpickled object does what the original does."""

import copy
import io
import multiprocessing
import pickle

import furrow
import numpy as np
import pytest

GRID = (12, 13)
SIZE = 156


def matrix():
    return furrow.Stencil(5, GRID).to_csr()


MADE = {
    "plan": lambda: matrix().plan(uses=10, op="T", kernel="rows"),
    "plan in another order": lambda: matrix().plan(order="rcm"),
    "stencil": lambda: furrow.Stencil(5, GRID, boundary=["periodic", "neumann"], dtype=np.float64),
    "stencil of fields": lambda: furrow.Stencil([(0, 0), (0, 1)], GRID, [np.full(GRID, 2.0), np.ones(GRID)]),
    "multigrid": lambda: furrow.Multigrid(furrow.Stencil(5, GRID), pre_sweeps=1, post_sweeps=1),
    "triangle": lambda: furrow.TriangularSolve(matrix(), lower=False, op="T"),
    "preconditioner": lambda: furrow.Preconditioner(matrix(), "ilut", fill=5),
}


A_DIAGONAL = furrow.csr(np.diag([1.0, 2.0, 3.0]))


def no_convergence():
    try:
        search(3)
    except furrow.NoConvergence as failure:
        return failure


def malformed():
    try:
        furrow.io.mmread(io.BytesIO(b"%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1.0\n"))
    except furrow.Malformed as failure:
        return failure


RESULTS = {
    "info": lambda: furrow.cg(A_DIAGONAL, np.ones(3))[1],
    "info of a block": lambda: furrow.solve_block(A_DIAGONAL, np.ones((3, 2)))[1][1],
    "istop": lambda: furrow.lsqr(A_DIAGONAL, np.ones(3))[1],
    "report": lambda: furrow.cg(A_DIAGONAL, np.ones(3))[1].report,
    "report of a batch": lambda: furrow.Batch(np.eye(1), np.ones((1, 1))).solve(np.ones((1, 1)))[1],
    "report of a plan": lambda: matrix().plan().report,
    "recognition": lambda: furrow.recognise(matrix()),
    "figures": lambda: furrow.measure_order(matrix()),
    "limits": lambda: furrow.Limits(entries=3),
    "no convergence": no_convergence,
    "malformed": malformed,
    **{c.__name__: lambda c=c: c("a sentence") for c in vars(furrow._errors).values() if isinstance(c, type)
       and issubclass(c, furrow.Error)},
}  # fmt: skip


def parts(made):
    """Returns the comparable members of a result by name, arrays as lists."""
    members = {**getattr(made, "__dict__", {}), "text": str(made), "args": getattr(made, "args", None)}
    return {name: value.tolist() if isinstance(value, np.ndarray) else repr(value) for name, value in members.items()}


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_results_come_back(name):
    made = RESULTS[name]()
    assert made is not None
    copies = [pickle.loads(pickle.dumps(made, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for again in (*copies, copy.copy(made), copy.deepcopy(made)):
        assert type(again) is type(made)
        if name == "recognition":
            assert again.report.extent == GRID and bool(again)
        else:
            ours, theirs = parts(again), parts(made)
            assert {**ours, "_found": 0} == {**theirs, "_found": 0}
    if isinstance(made, int):
        assert copies[0] == made and repr(copies[0].report) == repr(made.report)


def solve_scaled(scale):
    return furrow.cg(scale * A_DIAGONAL, np.ones(3))


def search(count):
    furrow.eigsh(furrow.Stencil(5, (40, 40)), count, which="SA", maxiter=1)


def test_a_pool_of_processes_gets_results_and_failures():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map_async(solve_scaled, [1.0, 2.0]).get(timeout=60)
        assert [info == 0 and info.report.converged for _, info in found] == [True, True]
        with pytest.raises(furrow.NoConvergence) as failure:
            pool.map_async(search, [3]).get(timeout=60)
        assert failure.value.report.converged == 0 and failure.value.eigenvalues.shape == (3,)


def use(made, x):
    return made(x)


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_the_same_comes_back(name, protocol):
    made, x = MADE[name](), np.linspace(-1, 1, SIZE)
    again = pickle.loads(pickle.dumps(made, protocol))
    assert type(again) is type(made) and again.shape == made.shape
    np.testing.assert_array_equal(again(x), made(x))
    np.testing.assert_array_equal(copy.deepcopy(made)(x), made(x))


def test_batches_and_products_of_matrices():
    a = matrix()
    product = pickle.loads(pickle.dumps(furrow.MatmulPlan(a, a)))
    assert product() == a @ a
    values = np.arange(12.0).reshape(3, 4)
    batch = pickle.loads(pickle.dumps(furrow.Batch(np.eye(3), values)))
    np.testing.assert_array_equal(batch @ np.ones((3, 4)), values)


def test_plans_in_another_process():
    plan, x = MADE["plan"](), np.linspace(-1, 1, SIZE)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(use, (plan, x)), plan(x))
