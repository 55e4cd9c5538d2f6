"""A batch gives the results of its systems one by one."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, random_matrix, random_values


def systems_of(pattern, values):
    return [sp.csr_array((v, pattern.indices, pattern.indptr), shape=pattern.shape) for v in values.T.copy()]


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_have_the_bits_of_single_ones(rng, dtype):
    pattern = random_matrix(rng, 12, 9, 0.3)
    values = random_values(rng, (pattern.nnz, 7), dtype)
    x = random_values(rng, (9, 7), dtype)
    batch = furrow.Batch(pattern, values)
    y = batch @ x
    assert y.dtype == dtype and batch.count == 7
    for s, a in enumerate(systems_of(pattern, values)):
        np.testing.assert_array_equal(y[:, s], furrow.csr(a) @ x[:, s].copy())
    values *= 2  # the batch reads the values in the caller's array
    np.testing.assert_array_equal(batch @ x, 2 * y)
    np.testing.assert_array_equal(batch @ np.asfortranarray(x), 2 * y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["cg", "band"])
def test_solves(rng, dtype, method):
    pattern = furrow.Stencil(3, (20,)).to_csr()
    shifts = 1 + rng.random(5)
    values = np.stack([pattern.data + s * (pattern.data > 0) for s in shifts], axis=1).astype(dtype)
    b = random_values(rng, (20, 5), dtype)
    rtol = 1e-5 if np.finfo(dtype).eps > 1e-10 else 1e-10
    x, report = furrow.Batch(pattern, values).solve(b, method=method, rtol=rtol)
    assert report.converged.all() and x.dtype == dtype
    for s, a in enumerate(systems_of(pattern, values)):
        assert np.linalg.norm(b[:, s] - a @ x[:, s]) <= 1.1 * max(rtol, 1e-5 * (rtol > 1e-9)) * np.linalg.norm(b[:, s])


def test_a_system_alone_has_the_same_bits(rng):
    pattern = furrow.Stencil(3, (20,)).to_csr()
    values = np.stack([pattern.data * k for k in (1.0, 2.0, 3.0)], axis=1)
    b = rng.standard_normal((20, 3))
    x, _ = furrow.Batch(pattern, values).solve(b)
    alone, report = furrow.Batch(pattern, values[:, 1:2]).solve(b[:, 1:2])
    np.testing.assert_array_equal(x[:, 1:2], alone)
    again, report = furrow.Batch(pattern, values).solve(b, x)
    np.testing.assert_array_equal(again, x)
    assert (report.iterations == 0).all() and (report.residuals <= 1e-10).all()


def test_what_does_not_fit_is_refused(rng):
    batch = furrow.Batch(np.eye(3), np.ones((3, 2)))
    with pytest.raises(ValueError, match="3 rows"):
        furrow.Batch(np.eye(3), np.ones((4, 2)))
    with pytest.raises(ValueError):
        batch @ np.ones((3, 5))
    with pytest.raises(TypeError, match="complex"):
        batch @ np.ones((3, 2), complex)
    with pytest.raises(NotImplementedError):
        batch.solve(np.ones((3, 2)), method="nonesuch")
    _, report = furrow.Batch(np.eye(2), np.array([[1.0, 0.0], [1.0, 1.0]])).solve(np.ones((2, 2)), method="band")
    assert report.converged.tolist() == [True, False]


def test_elimination_says_converged_only_of_what_is_finite(rng):
    """NaN or infinity anywhere in a matrix or in b makes the residual nonfinite, so the system has not converged."""
    pattern = furrow.Stencil(3, (6,)).to_csr()
    values, b = np.stack([pattern.data] * 60, axis=1), rng.standard_normal((6, 60))
    for s in range(1, 60):
        target = values if rng.random() < 0.5 else b
        target[rng.integers(len(target)), s] = rng.choice([np.nan, np.inf, -np.inf])
    _, report = furrow.Batch(pattern, values).solve(b, method="band")
    assert report.converged.tolist() == [True] + [False] * 59
    assert report.residuals[0] <= 1e-14 and not np.isfinite(report.residuals[1:]).any()
