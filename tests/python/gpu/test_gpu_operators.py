"""Stencils, factors, eigenvalues and products of matrices on a GPU have the bits of the CPU. Skipped without a GPU."""

import furrow
import numpy as np
import pytest
from conftest import random_matrix

GPUS = furrow.devices()[1:]
pytestmark = pytest.mark.skipif(not GPUS, reason="there is no GPU, or the package has no code for one")
GRID = (20, 21, 22)


@pytest.mark.parametrize("boundary", ["dirichlet", "neumann", "periodic"])
def test_stencils(rng, boundary):
    here, there = (furrow.Stencil(7, GRID, boundary=boundary, device=device) for device in ("cpu", "cuda"))
    x = rng.standard_normal(GRID)
    block = rng.standard_normal((x.size, 3))
    np.testing.assert_array_equal(there @ x, here @ x)
    np.testing.assert_array_equal(there @ block, here @ block)
    np.testing.assert_array_equal(there.sweep(x, 4), here.sweep(x, 4))
    assert there.to_csr().device == "cuda" and there.to_csr().to("cpu") == here.to_csr()


def test_stencils_of_fields(rng):
    offsets, fields = [(0, 0, -1), (0, 0, 0), (1, 0, 0)], [rng.standard_normal(GRID) for _ in range(3)]
    here, there = (furrow.Stencil(offsets, GRID, fields, device=device) for device in ("cpu", "cuda"))
    x = rng.standard_normal(GRID)
    np.testing.assert_array_equal(there @ x, here @ x)


def test_recognition_and_multigrid(rng):
    here, there = (furrow.Stencil(7, GRID, device=device) for device in ("cpu", "cuda"))
    x = rng.standard_normal(here.shape[0])
    found = furrow.recognise(there.to_csr())
    np.testing.assert_array_equal(found @ x, here @ x)
    for solve in (lambda s: furrow.Multigrid(s).solve(x)[0], lambda s: furrow.cg(s, x, M=furrow.Multigrid(s))[0]):
        np.testing.assert_array_equal(solve(there), solve(here))


def test_triangles_and_orders(rng):
    a = furrow.Stencil(5, (30, 31)).to_csr()
    g, b = a.to("cuda"), rng.standard_normal((930, 3))
    for lower in (True, False):
        np.testing.assert_array_equal(
            furrow.TriangularSolve(g, lower=lower) @ b, furrow.TriangularSolve(a, lower=lower) @ b
        )
    order = furrow.reorder(g)
    np.testing.assert_array_equal(order, furrow.reorder(a))
    assert furrow.permute(g, order, order).to("cpu") == furrow.permute(a, order, order)
    np.testing.assert_array_equal(furrow.colours(g)[1], furrow.colours(a)[1])


def test_eigenvalues():
    a = furrow.Stencil(5, (15, 16)).to_csr()
    g = a.to("cuda")
    for mine, same in zip(furrow.eigsh(g, 3, which="SA"), furrow.eigsh(a, 3, which="SA"), strict=True):
        np.testing.assert_array_equal(mine, same)
    X = np.empty((240, 3))
    for mine, same in zip(furrow.lobpcg(g, X, M="jacobi"), furrow.lobpcg(a, X, M="jacobi"), strict=True):
        np.testing.assert_array_equal(mine, same)


def test_products_of_matrices(rng):
    a, b = (furrow.csr(random_matrix(rng, 60, 60, 0.1)) for _ in range(2))
    g, h = a.to("cuda"), b.to("cuda")
    assert furrow.MatmulPlan(g, h)().to("cpu") == a @ b
    assert furrow.triple(g.T, h, g).to("cpu") == furrow.triple(a.T, b, a)
    x, y = rng.standard_normal((60, 5)), rng.standard_normal((60, 5))
    assert furrow.sddmm(g, x, y, 2.0, 1.0).to("cpu") == furrow.sddmm(a, x, y, 2.0, 1.0)
    assert furrow.kron(g, h).to("cpu") == furrow.kron(a, b) and furrow.tril(g).to("cpu") == furrow.tril(a)
    assert furrow.norm(g) == furrow.norm(a)


def test_batches(rng):
    pattern = furrow.Stencil(3, (20,)).to_csr()
    values = np.stack([pattern.data * k for k in (1.0, 2.0, 3.0)], axis=1)
    here, there = furrow.Batch(pattern, values), furrow.Batch(pattern.to("cuda"), values)
    b = rng.standard_normal((20, 3))
    np.testing.assert_array_equal(there @ b, here @ b)
    np.testing.assert_array_equal(there.solve(b)[0], here.solve(b)[0])


def test_points_of_cupy(rng):
    cupy = pytest.importorskip("cupy")
    points = rng.random((500, 3))
    graph = furrow.neighbours_graph(cupy.asarray(points), 4)
    assert graph.device == "cuda" and graph.to("cpu") == furrow.neighbours_graph(points, 4)
