"""Triangular solves meet a backward error bound."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, random_matrix, random_values
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve_triangular


def triangular(rng, n, density, dtype):
    """Returns a matrix with both triangles filled and diagonal entries of magnitude 1 to 2."""
    a = random_matrix(rng, n, n, density, dtype)
    return (a + sp.diags_array((2 - rng.random(n) - a.diagonal()).astype(dtype))).tocsr()


def backward_bound(t, x):
    """Returns a bound of the residual: (n + 2) u |T| |x| (include/furrow/triangular.h), four times that for complex
    numbers, and twice that for the rounding of the product that computes the residual."""
    longest = int(np.diff(t.indptr).max(initial=0))
    return 8 * (longest + 2) * np.finfo(x.dtype).eps * (abs(t) @ abs(x)) + np.finfo(x.dtype).tiny


@given(st.data())
def test_triangles(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    dtype = data.draw(st.sampled_from(DTYPES))
    n, lower, unit = data.draw(st.integers(1, 40)), data.draw(st.booleans()), data.draw(st.booleans())
    op = data.draw(st.sampled_from("NTH"))
    a = triangular(rng, n, data.draw(st.floats(0, 0.5)), dtype)
    t = sp.tril(a, format="csr") if lower else sp.triu(a, format="csr")
    if unit:
        t = (t + sp.diags_array(1 - t.diagonal())).astype(dtype)
    t = {"N": t, "T": t.T, "H": t.conj().T}[op].tocsr()
    b = random_values(rng, n, dtype)
    solve = furrow.TriangularSolve(a, lower=lower, op=op, unit_diagonal=unit)
    x = solve @ b
    assert x.dtype == dtype
    with np.errstate(over="ignore"):
        assert (abs(t @ x - b) <= backward_bound(t, x)).all()
    np.testing.assert_array_equal(furrow.trisolve(a, b, lower=lower, op=op, unit_diagonal=unit), x)
    block = np.stack([b, 2 * b, -b], axis=1)
    solutions = solve @ block
    for k in range(3):
        np.testing.assert_array_equal(solutions[:, k], solve @ block[:, k])


def test_in_place_of_scipys(rng):
    a = sp.tril(triangular(rng, 50, 0.1, np.float64), format="csr")
    for b in (rng.standard_normal(50), rng.standard_normal((50, 3)), np.arange(50)):
        for m, lower in ((a, True), (a.T.tocsr(), False)):
            ours, scipys = (solve(m, b, lower=lower) for solve in (furrow.spsolve_triangular, spsolve_triangular))
            np.testing.assert_allclose(ours, scipys, rtol=1e-9, atol=1e-12)
    assert furrow.spsolve_triangular(a, np.empty((50, 0))).shape == (50, 0)
    z = random_values(rng, 50, np.complex128)
    np.testing.assert_allclose(furrow.spsolve_triangular(a, z), spsolve_triangular(a, z), rtol=1e-9, atol=1e-12)


def test_schedules_have_the_same_bits(rng):
    a = triangular(rng, 3000, 0.003, np.float64)
    b = rng.standard_normal(3000)
    want = furrow.TriangularSolve(a) @ b
    for schedule in ("serial", "blocks", "levels"):
        for threads in (1, 2, 5):
            solve = furrow.TriangularSolve(furrow.csr(a, threads=threads), schedule=schedule)
            np.testing.assert_array_equal(solve @ b, want)
            assert solve.report["schedule"] == schedule
    assert solve.report["levels"] > 1


def test_new_values_and_preconditioning(rng):
    a = furrow.Stencil(5, (20, 20)).to_csr()
    b = rng.standard_normal(400)
    solve = furrow.TriangularSolve(a)
    x = solve @ b
    a.set_values(2 * a.data)
    np.testing.assert_array_equal(solve @ b, x / 2)
    plain, swept = (furrow.gmres(a, b, rtol=1e-8, M=M)[1].report.iterations for M in (None, solve))
    assert swept < plain
    with pytest.raises(TypeError, match="float64"):
        furrow.gmres(a.astype(np.float32), b.astype(np.float32), M=solve)


def test_what_cannot_be_solved_is_refused(rng):
    with pytest.raises(ValueError, match="square"):
        furrow.spsolve_triangular(random_matrix(rng, 3, 4), np.ones(3))
    with pytest.raises(ValueError, match="row 2"):
        furrow.spsolve_triangular(np.array([[1.0, 0], [1, 0]]), np.ones(2))
    with pytest.raises(ValueError):
        furrow.spsolve_triangular(np.eye(3), np.ones(4))
    with pytest.raises(furrow.Unsupported):
        furrow.TriangularSolve(np.eye(3), schedule="nonesuch")
