"""Eigenvalues compared with the eigenvalues of a dense matrix. Each result is within its residual of an eigenvalue."""

import warnings

import furrow
import numpy as np
import pytest
import scipy.sparse.linalg as spla
from conftest import DTYPES, random_matrix, random_values


def hermitian(rng, n, dtype):
    a = random_matrix(rng, n, n, 0.1, dtype)
    return (a + a.conj().T).tocsr()


def tolerance(dtype):
    return 2e-5 if np.finfo(dtype).eps > 1e-10 else 2e-10


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("which", ["LM", "LA", "SA", "BE"])
def test_eigsh(rng, dtype, which):
    a = hermitian(rng, 120, dtype)
    all_values = np.linalg.eigvalsh(a.toarray())
    residuals = []
    w, v = furrow.eigsh(a, 5, which=which, residuals=residuals)
    order = {
        "LM": np.argsort(-abs(all_values))[:5],
        "LA": np.arange(115, 120),
        "SA": np.arange(5),
        "BE": np.array([0, 1, 2, 118, 119]),
    }[which]
    limit = tolerance(dtype) * abs(all_values).max() * 10
    np.testing.assert_allclose(w, np.sort(all_values[order]), atol=limit)
    assert w.dtype == np.float64 and v.dtype == dtype and v.shape == (120, 5) and len(residuals) == 5
    assert np.linalg.norm(a @ v - v * w, axis=0).max() <= limit
    np.testing.assert_array_equal(furrow.eigsh(furrow.csr(a, threads=3), 5, which=which)[1], v)
    np.testing.assert_array_equal(furrow.eigsh(a, 5, which=which, return_eigenvectors=False), w)


def test_eigsh_of_operators_and_more_than_there_are(rng):
    a = hermitian(rng, 40, np.float64)
    want = furrow.eigsh(a, 3, which="LA")[0]
    for other in (a.toarray(), spla.aslinearoperator(a)):
        np.testing.assert_allclose(furrow.eigsh(other, 3, which="LA")[0], want, rtol=1e-9)
    np.testing.assert_allclose(furrow.eigsh(a, 40)[0], np.linalg.eigvalsh(a.toarray()), atol=1e-9)
    with pytest.raises(ValueError):
        furrow.eigsh(a, 41, which="LA")


def test_no_convergence_has_what_was_found():
    stencil = furrow.Stencil(3, (5000,))
    with pytest.raises(furrow.NoConvergence, match="of 2 eigenvalues") as caught:
        furrow.eigsh(stencil, 2, which="SA", maxiter=30)
    failure = caught.value
    assert isinstance(failure, furrow.Error) and failure.report.products > 0
    assert failure.report.advice.startswith("allow more iterations, keep more vectors")
    assert len(failure.eigenvalues) == 2 and failure.eigenvectors.shape == (5000, 2)
    for wish in ({"sigma": 0.0}, {"M": np.eye(3)}, {"which": "SM"}):
        with pytest.raises(NotImplementedError):
            furrow.eigsh(stencil, 2, **wish)


def test_the_search_can_be_ended_and_fails_with_its_callback():
    stencil = furrow.Stencil(3, (20000,))
    with pytest.raises(furrow.NoConvergence, match="stopped"):
        furrow.eigsh(stencil, 2, which="SA", progress=lambda products, converged, residual: True)

    def fail(*state):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        furrow.eigsh(stencil, 2, which="SA", progress=fail)
    furrow.eigsh(furrow.Stencil(3, (50,)), 2, which="SA", progress=True)


@pytest.mark.parametrize("M", [None, "jacobi", "amg"])
@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg(rng, M, largest):
    a = furrow.Stencil(5, (13, 11)).to_csr()
    values = np.linalg.eigvalsh(a.toarray())
    if largest and M is not None:
        pytest.skip("a preconditioner is for the smallest")
    w, v = furrow.lobpcg(a, np.empty((143, 4)), M=M, largest=largest, maxiter=2000)
    np.testing.assert_allclose(w, values[::-1][:4] if largest else values[:4], atol=1e-8)
    assert np.linalg.norm(a @ v - v * w, axis=0).max() <= 1e-8
    np.testing.assert_allclose(v.T @ v, np.eye(4), atol=1e-8)


def test_lobpcg_beside_known_vectors():
    a = furrow.Stencil(5, (13, 11)).to_csr()
    values, vectors = np.linalg.eigh(a.toarray())
    w, v = furrow.lobpcg(a, np.empty((143, 2)), M=furrow.Preconditioner(a, "ic0"), Y=vectors[:, :3], largest=False)
    np.testing.assert_allclose(w, values[3:5], atol=1e-8)
    np.testing.assert_allclose(vectors[:, :3].T @ v, 0, atol=1e-8)


def test_lobpcg_warns_as_scipys():
    stencil = furrow.Stencil(3, (5000,))
    with pytest.warns(UserWarning, match="of 2 eigenvalues"):
        furrow.lobpcg(stencil, np.empty((5000, 2)), largest=False, maxiter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        furrow.lobpcg(stencil, np.empty((5000, 2)), M=furrow.Multigrid(stencil), largest=False)
    with pytest.raises(NotImplementedError, match="B"):
        furrow.lobpcg(stencil, np.empty((5000, 2)), B=np.eye(2))


def test_lobpcg_of_complex_matrices(rng):
    a = hermitian(rng, 60, np.complex128)
    w, _ = furrow.lobpcg(a, random_values(rng, (60, 3), np.complex128))
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a.toarray())[::-1][:3], atol=1e-8)
