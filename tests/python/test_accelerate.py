"""SciPy's products by this package: the same results within rounding, and SciPy restored afterwards."""

import threading

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, bound, random_matrix, random_values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from furrow import _accelerate

OWNER = _accelerate._common_class()


def methods():
    return {name: OWNER.__dict__.get(name) for name in ("_matmul_vector", "_matmul_multivector", "_matmul_sparse")}


@pytest.fixture(autouse=True)
def small_products_too(monkeypatch):
    monkeypatch.setattr(_accelerate, "FEW_ENTRIES", 0)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_products(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows, cols = data.draw(st.integers(0, 30)), data.draw(st.integers(0, 30))
    a = random_matrix(rng, rows, cols, data.draw(st.floats(0, 1)), data.draw(st.sampled_from(DTYPES)))
    a = data.draw(st.sampled_from([sp.csr_array, sp.csr_matrix]))(a)
    shape = data.draw(st.sampled_from([(cols,), (cols, 1), (cols, 0), (cols, 4)]))
    x = random_values(rng, shape, data.draw(st.sampled_from(DTYPES)))
    b = type(a)(random_matrix(rng, cols, 7, 0.3, a.dtype))
    x = data.draw(st.sampled_from([np.ascontiguousarray, np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2]]))(x)
    want, want_matrix = a @ x, a @ b
    with furrow.accelerate_scipy():
        got, got_matrix = a @ x, a @ b
    assert type(got) is type(want) and got.shape == want.shape and got.dtype == want.dtype
    assert (abs(got - want) <= bound(a, x.astype(want.dtype))).all()
    assert type(got_matrix) is type(a) and got_matrix.dtype == want_matrix.dtype
    limit = bound(a, b.toarray())
    assert (abs(got_matrix.toarray() - want_matrix.toarray()) <= limit).all()
    got_matrix.data[:] = 0  # it is the caller's


def test_it_is_used_and_undone(rng):
    a = random_matrix(rng, 300, 300)
    x, before = rng.standard_normal(300), methods()
    with furrow.accelerate_scipy():
        assert methods() != before
        with furrow.accelerate_scipy():
            np.testing.assert_array_equal(a @ x, furrow.csr(a) @ x)
        np.testing.assert_array_equal(a @ x, furrow.csr(a) @ x)
        np.testing.assert_array_equal(a.dot(x), furrow.csr(a) @ x)
    assert methods() == before and not _accelerate._kept
    with pytest.raises(KeyError), furrow.accelerate_scipy():
        raise KeyError
    assert methods() == before


def test_changes_in_place_count(rng):
    a = random_matrix(rng, 200, 200)
    x = rng.standard_normal(200)
    with furrow.accelerate_scipy():
        for _ in range(3):
            a.data *= 2
            np.testing.assert_array_equal(a @ x, furrow.csr(a, copy=True) @ x)
            np.testing.assert_array_equal((a @ np.stack([x, x], 1))[:, 0], a @ x)
        a.data[a.indptr[3] : a.indptr[4]] = 0
        a.eliminate_zeros()
        assert (a @ x)[3] == 0
        a.resize(150, 200)
        assert (a @ x).shape == (150,)
        a.resize(150, 300)
        np.testing.assert_array_equal(a @ np.ones(300), furrow.csr(a) @ np.ones(300))
        a.resize(150, 200)
        a.data = a.data.copy()
        np.testing.assert_array_equal(a @ x, furrow.csr(a) @ x)


def test_what_cannot_be_read_in_place_is_left_to_scipy(rng):
    unsorted = sp.csr_array((np.ones(3), [2, 0, 1], [0, 2, 3]), shape=(2, 3))
    twice = sp.csr_array((np.ones(3), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    whole = sp.csr_array(np.arange(6).reshape(2, 3))
    with furrow.accelerate_scipy():
        np.testing.assert_array_equal(unsorted @ np.arange(3.0), [2, 1])
        np.testing.assert_array_equal(twice @ np.array([1.0, 2.0]), [4, 1])
        np.testing.assert_array_equal(whole @ np.ones(3, int), [3, 12])
        np.testing.assert_array_equal(unsorted.tocsc() @ np.arange(3.0), [2, 1])
        np.testing.assert_array_equal((whole @ whole.T).toarray(), [[5, 14], [14, 50]])
        with pytest.raises(ValueError, match="mismatch"):
            unsorted @ np.ones(4)


def test_nothing_is_kept_of_matrices_that_are_gone(rng):
    with furrow.accelerate_scipy():
        for _ in range(20):
            random_matrix(rng, 50, 50) @ np.ones(50)
        assert not _accelerate._kept


def test_scipys_solvers_profit(rng):
    a = furrow.Stencil(5, (20, 20)).to_csr().to_scipy()
    b = rng.standard_normal(400)
    with furrow.accelerate_scipy():
        x, info = spla.cg(a, b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(a @ x, b, atol=1e-8)


def test_threads(rng):
    a, x, before = random_matrix(rng, 500, 500), rng.standard_normal(500), methods()
    want, wrong = a @ x, []

    def work():
        for _ in range(20):
            with furrow.accelerate_scipy():
                if not np.allclose(a @ x, want, rtol=1e-10, atol=1e-12):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and methods() == before
