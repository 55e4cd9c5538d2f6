"""Stencils compared with matrices built from their terms. Also: recognition of stencils, and multigrid."""

import itertools

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, bound, random_values
from hypothesis import given
from hypothesis import strategies as st

NAMED = {3: 1, 5: 2, 9: 2, 7: 3, 13: 3, 19: 3, 27: 3}


def inside(place, n, boundary):
    """Maps a place outside an axis of n points to a point inside. Returns None if x is 0 there."""
    if 0 <= place < n:
        return place
    if boundary == "periodic":
        return place % n
    if boundary == "neumann":
        place = -1 - place if place < 0 else 2 * n - 1 - place
        return place if 0 <= place < n else inside(place, n, boundary)
    return None


def matrix_of(extent, offsets, coefficients, boundary, dtype):
    """Returns the matrix of a stencil, built point by point in C order."""
    rows, cols, values = [], [], []
    for p in itertools.product(*map(range, extent)):
        for offset, c in zip(offsets, coefficients, strict=True):
            q = [inside(i + o, n, b) for i, o, n, b in zip(p, offset, extent, boundary, strict=True)]
            if None not in q:
                rows.append(np.ravel_multi_index(p, extent))
                cols.append(np.ravel_multi_index(q, extent))
                values.append(c if np.ndim(c) == 0 else c[p])
    size = int(np.prod(extent))
    return sp.coo_array((np.array(values, dtype), (rows, cols)), shape=(size, size)).tocsr()


@given(st.data())
def test_any_stencil(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    axes = data.draw(st.integers(1, 3))
    extent = tuple(data.draw(st.integers(1, 6)) for _ in range(axes))
    every = list(itertools.product(range(-2, 3), repeat=axes))
    offsets = [every[i] for i in rng.choice(len(every), data.draw(st.integers(1, min(9, len(every)))), replace=False)]
    dtype = data.draw(st.sampled_from(DTYPES))
    boundary = [data.draw(st.sampled_from(["dirichlet", "neumann", "periodic"])) for _ in range(axes)]
    if data.draw(st.booleans()):
        coefficients = [random_values(rng, extent, dtype) for _ in offsets]
    else:
        coefficients = list(random_values(rng, len(offsets), dtype))
    want = matrix_of(extent, offsets, coefficients, boundary, dtype)
    stencil = furrow.Stencil(offsets, extent, coefficients, boundary=boundary)
    assert stencil.dtype == dtype and stencil.shape == want.shape
    x = random_values(rng, want.shape[1], dtype)
    limit = 4 * bound(want, x)  # entries of a row in one column are added before the product, which rounds too
    limit += 8 * len(offsets) * np.finfo(dtype).eps * sum(np.abs(c).max() for c in coefficients) * np.abs(x).max()
    assert (abs(stencil @ x - want @ x) <= limit).all()
    np.testing.assert_array_equal(stencil @ x.reshape(extent), (stencil @ x).reshape(extent))
    if len(extent) > 1:
        block = np.stack([x, 2 * x, -x], axis=1)
        np.testing.assert_array_equal((stencil @ block)[:, 1], stencil @ (2 * x))
    made = stencil.to_csr()
    assert (abs(made @ x - want @ x) <= limit).all()


@pytest.mark.parametrize("points", sorted(NAMED))
def test_named_stencils(rng, points):
    extent = (17, 12, 9)[: NAMED[points]]
    stencil = furrow.Stencil(points, extent)
    matrix = stencil.to_csr()
    assert len(stencil.offsets) == len(stencil.coefficients) == points
    np.testing.assert_array_equal(matrix.toarray(), matrix.toarray().T)
    x = rng.standard_normal(extent)
    np.testing.assert_array_equal((stencil @ x).ravel(), matrix @ x.ravel())
    interior = tuple(slice(2, -2) for _ in extent)
    assert not (stencil @ np.ones(extent))[interior].any()


def test_axes_are_numpys(rng):
    x = rng.standard_normal((5, 7, 6))
    for axis in range(3):
        offset = tuple(int(k == axis) for k in range(3))
        moved = furrow.Stencil([offset], x.shape, [1.0], boundary="periodic") @ x
        np.testing.assert_array_equal(moved, np.roll(x, -1, axis))


def test_dtypes_transposes_and_solvers(rng):
    stencil = furrow.Stencil([(0, 0), (0, 1), (1, 0)], (8, 9), [4.0, -1.0, 0.5])
    dense = stencil.to_csr().toarray()
    z = random_values(rng, 72, np.complex128)
    np.testing.assert_allclose(stencil @ z, dense @ z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(stencil @ np.stack([z, z], 1), dense @ np.stack([z, z], 1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(stencil.T @ z, dense.T @ z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(stencil.rmatvec(z), dense.T @ z, rtol=1e-12, atol=1e-12)
    assert (stencil @ np.arange(72)).dtype == np.float64
    assert (stencil.astype(np.float32) @ np.ones(72, np.float32)).dtype == np.float32
    b = rng.standard_normal(72)
    x, info = furrow.bicgstab(stencil, b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(dense @ x, b, atol=1e-8)
    x, info = furrow.solve(stencil.to_csr(), b)
    assert info == 0


@pytest.mark.parametrize("b", [None, 0.5])
def test_sweeps_are_products_one_after_the_other(rng, b):
    named = furrow.Stencil(7, (8, 9, 10))
    stencil = furrow.Stencil(7, named.extent, [-c / 6 if c < 0 else 0.0 for c in named.coefficients])
    x = rng.standard_normal(stencil.extent)
    right = None if b is None else rng.standard_normal(stencil.extent)
    want = x
    for _ in range(3):
        want = stencil @ want if right is None else stencil @ want + b * right
    got = stencil.sweep(x, 3, right, 0.0 if b is None else b)
    assert got.shape == x.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-14)
    if b is None:
        np.testing.assert_array_equal(got, want)


def test_threads_of_stencils_can_be_set(rng):
    stencil = furrow.Stencil(7, (9, 8, 7))
    x = rng.standard_normal(504)
    want = stencil @ x
    for threads in (1, 2, 3):
        furrow.set_num_threads(threads)
        np.testing.assert_array_equal(stencil @ x, want)
    furrow.set_num_threads(None)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((6, (3, 3)), "no Laplacian of 6"),
        ((5, (3, 3, 3)), "needs 2 axes"),
        (([(0,)], (3, 3), [1.0]), "each offset needs 2 numbers"),
        (([(0, 0)], (3, 3), [1.0, 2.0]), "2 coefficients do not match 1"),
        (([(0, 0)], (3, 3)), "0 coefficients do not match 1"),
        (([(0, 9)], (3, 3), [1.0]), "4"),
        (([(0, 0)], (0, 3), [1.0]), "extent|axis|point"),
    ],
)
def test_bad_stencils_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        furrow.Stencil(*arguments)


def test_a_boundary_that_is_none():
    with pytest.raises(ValueError, match="dirichlet"):
        furrow.Stencil(5, (3, 3), boundary="open")
    with pytest.raises(ValueError, match="1 boundaries do not match 2"):
        furrow.Stencil(5, (3, 3), boundary=["neumann"])


def test_recognition(rng):
    stencil = furrow.Stencil(7, (20, 21, 22))
    matrix = stencil.to_csr()
    found = furrow.recognise(matrix)
    assert found and found.report.extent == (20, 21, 22) and found.report.points == 7
    x = rng.standard_normal(matrix.shape[0])
    np.testing.assert_array_equal(found @ x, matrix @ x)
    solved, info = furrow.cg(found, x, rtol=1e-8)
    assert info == 0
    other = furrow.recognise(sp.random_array((500, 500), density=0.02, rng=rng).tocsr())
    assert not other and other.report.reason
    with pytest.raises(ValueError, match="not a stencil"):
        other @ np.ones(500)


@pytest.mark.parametrize("uses", [1, 5, 120])
def test_a_matrix_that_is_a_stencil_no_longer(rng, uses):
    matrix = furrow.Stencil(5, (60, 60)).to_csr()
    x = rng.standard_normal(3600)
    for _ in range(uses):
        matrix @ x
    furrow.cg(matrix, x, maxiter=3)
    matrix.set_values(matrix.data * (1 + rng.random(matrix.nnz)))
    other = furrow.csr(matrix, copy=True)
    np.testing.assert_array_equal(matrix @ x, other @ x)
    np.testing.assert_array_equal(furrow.gmres(matrix, x, maxiter=1)[0], furrow.gmres(other, x, maxiter=1)[0])


@pytest.mark.parametrize("extent", [(100,), (33, 40), (16, 17, 18)])
@pytest.mark.parametrize("cycle", ["V", "F"])
def test_multigrid(rng, extent, cycle):
    stencil = furrow.Stencil(2 * len(extent) + 1, extent)
    b = rng.standard_normal(extent)
    x, info = furrow.Multigrid(stencil, cycle).solve(b)
    assert info == 0 and x.shape == extent
    assert np.linalg.norm(b - stencil @ x) <= 1.01e-10 * np.linalg.norm(b)
    assert info.report.iterations <= 20


def test_multigrid_as_a_preconditioner(rng):
    stencil = furrow.Stencil(7, (16, 16, 16))
    multigrid = furrow.Multigrid(stencil)
    assert multigrid.report["levels"] > 2
    b = rng.standard_normal(16**3)
    x, info = furrow.cg(stencil.to_csr(), b, rtol=1e-10, M=multigrid)
    assert info == 0 and info.report.iterations <= 12
    with pytest.raises(NotImplementedError, match="V cycle"):
        furrow.Multigrid(stencil, "F") @ b
    with pytest.raises(NotImplementedError):
        furrow.Multigrid(furrow.Stencil(9, (8, 8)))
    with pytest.raises(TypeError, match="float32"):
        multigrid._operator(np.dtype(np.float32))
