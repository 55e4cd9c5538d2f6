"""Least-squares solutions agree with the solutions of NumPy and SciPy."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, random_matrix, random_values

SOLVERS = [(furrow.lsqr, spla.lsqr), (furrow.lsmr, spla.lsmr)]


def problem(rng, dtype, consistent=False):
    a = random_matrix(rng, 60, 25, 0.2, dtype) + sp.eye_array(60, 25, dtype=dtype)
    b = a @ random_values(rng, 25, dtype) if consistent else random_values(rng, 60, dtype)
    return a, b


@pytest.mark.parametrize("ours, theirs", SOLVERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_solution_is_the_least_squares_one(rng, ours, theirs, dtype):
    a, b = problem(rng, dtype)
    single = np.finfo(dtype).eps > 1e-10
    x, istop, itn, *norms = ours(a, b, atol=1e-4 if single else 1e-9, btol=1e-4 if single else 1e-9)
    want = np.linalg.lstsq(a.toarray(), b)[0]
    assert istop == 2 and itn == istop.report.iterations and x.dtype == dtype
    np.testing.assert_allclose(x, want, atol=1e-2 if single else 1e-6)
    assert norms[0] == pytest.approx(np.linalg.norm(b - a @ want), rel=1e-2 if single else 1e-6)
    assert len(ours(a, b)) == len(theirs(a, b))


@pytest.mark.parametrize("ours, theirs", SOLVERS)
def test_a_system_with_a_solution(rng, ours, theirs):
    a, b = problem(rng, np.float64, consistent=True)
    for matrix in (a, furrow.csr(a), spla.aslinearoperator(a)):
        x, istop, *_ = ours(matrix, b, atol=1e-10, btol=1e-10)
        assert istop == 1 and np.linalg.norm(b - a @ x) <= 1e-9 * np.linalg.norm(b)
    x, istop, *_ = ours(a, np.zeros(60))
    assert istop == 0 and not x.any()


@pytest.mark.parametrize("ours, theirs", SOLVERS)
def test_damping_and_a_guess(rng, ours, theirs):
    a, b = problem(rng, np.float64)
    x0 = rng.standard_normal(25)
    dense = a.toarray()
    for guess in (None, x0):
        got = ours(a, b, damp=0.7, atol=1e-11, btol=1e-11, x0=guess)
        begin = np.zeros(25) if guess is None else guess
        want = begin + np.linalg.solve(dense.T @ dense + 0.49 * np.eye(25), dense.T @ (b - dense @ begin))
        np.testing.assert_allclose(got[0], want, atol=1e-8)
        np.testing.assert_allclose(theirs(a, b, damp=0.7, atol=1e-13, btol=1e-13, x0=guess)[0], want, atol=1e-3)
    got, want = furrow.lsqr(a, b, 0.7), spla.lsqr(a, b, 0.7, iter_lim=1000)
    assert got[3] == pytest.approx(want[3], rel=1e-4) and got[4] == pytest.approx(want[4], rel=1e-4)


def test_limits(rng):
    a, b = problem(rng, np.float64)
    assert furrow.lsqr(a, b, atol=1e-14, btol=1e-14, iter_lim=2)[1] == 7
    assert furrow.lsmr(a, b, atol=1e-14, btol=1e-14, maxiter=2)[1] == 7
    with pytest.raises(NotImplementedError):
        furrow.lsqr(a, b, calc_var=True)
