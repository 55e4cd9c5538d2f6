"""What is pickled by what it was made from does the same afterwards."""

import copy
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
    "multigrid": lambda: furrow.Multigrid(furrow.Stencil(5, GRID), before=1, after=1),
    "triangle": lambda: furrow.TriangularSolve(matrix(), lower=False, op="T"),
    "preconditioner": lambda: furrow.Preconditioner(matrix(), "ilut", fill=5),
}


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
