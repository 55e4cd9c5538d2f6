"""SciPy's products computed by this package have the same results within rounding. Afterwards SciPy is restored."""

import threading
import weakref

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, bound, random_matrix, random_values
from furrow import _accelerate, _private
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

OWNER = _accelerate._common_class()


def methods():
    names = "_matmul_vector", "_matmul_multivector", "_matmul_sparse", "dtype", "data", "indices", "indptr"
    return {name: OWNER.__dict__.get(name) for name in names}


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
    got_matrix.data[:] = 0  # the caller owns the result and may change it


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


def calm(a):
    """Computes enough products with A that the package keeps a copy of A."""
    for _ in range(_accelerate.CALM + 2):
        a @ np.ones(a.shape[1])


def change_by_a_thread(a):
    def change():
        a.data[1] = 8

    thread = threading.Thread(target=change)
    thread.start()
    thread.join()


def change_indices(a):
    a.indices[a.indptr[2] : a.indptr[3]] = np.arange(a.indptr[3] - a.indptr[2])


# Ways to change a matrix in place. The first function returns an object that the test holds while the package may keep
# a copy. The second function makes the change through this object.
CHANGES = {
    "values": (lambda a: None, lambda a, _: a.data.__imul__(2)),
    "an entry": (lambda a: None, lambda a, _: a.data.__setitem__(3, np.nan)),
    "the sign of 0": (lambda a: None, lambda a, _: a.data.__setitem__(slice(None), -0.0 * abs(a.data))),
    "columns": (lambda a: None, lambda a, _: change_indices(a)),
    "new values": (lambda a: None, lambda a, _: setattr(a, "data", 3 * a.data)),
    "an array": (lambda a: a.data, lambda a, kept: kept.__setitem__(0, 7)),
    "a view": (lambda a: a.data[4:], lambda a, kept: kept.__setitem__(0, 7)),
    "a view of a view": (lambda a: a.data[4:][1:], lambda a, kept: kept.__setitem__(0, 7)),
    "what it is a view of": (lambda a: a.data.base, lambda a, kept: kept.__setitem__(0, 7)),
    "a buffer": (lambda a: memoryview(a.data), lambda a, kept: kept.__setitem__(0, 7.0)),
    "a weak reference": (lambda a: weakref.ref(a.data), lambda a, kept: kept().__setitem__(0, 7)),
    "another library": (lambda a: np.from_dlpack(a.data), lambda a, kept: kept.__setitem__(0, 7)),
    "an iterator": (lambda a: a.data.flat, lambda a, kept: kept.__setitem__(0, 7)),
    "the transpose": (lambda a: a.T, lambda a, kept: kept.data.__setitem__(0, 7)),
    "a transpose for a moment": (lambda a: None, lambda a, _: a.T.data.__setitem__(0, 7)),
    "a matrix of the same arrays": (type, lambda a, kept: kept(a).data.__setitem__(0, 7)),
    "such a matrix, kept": (lambda a: type(a)(a), lambda a, kept: kept.data.__setitem__(0, 7)),
    "a thread": (lambda a: None, lambda a, _: change_by_a_thread(a)),
    "a method": (lambda a: None, lambda a, _: a.setdiag(5)),
    "fewer entries": (lambda a: None, lambda a, _: (a.data.__setitem__(slice(4), 0), a.eliminate_zeros())),
}


def own_arrays(a):
    """Returns a matrix whose arrays are views of arrays that nothing else refers to. SciPy's conversions leave such
    matrices."""
    parts = (np.append(part, 1).astype(part.dtype)[:-1] for part in (a.data, a.indices, a.indptr))
    return sp.csr_array(tuple(parts), shape=a.shape)


@pytest.mark.parametrize("make", [own_arrays, sp.csr_array.copy, sp.csr_matrix.copy], ids=["views", "array", "matrix"])
@pytest.mark.parametrize("way", sorted(CHANGES))
def test_no_way_to_change_a_matrix_is_overlooked(rng, way, make):
    keep, change = CHANGES[way]
    a = make((sp.csr_matrix if make is sp.csr_matrix.copy else sp.csr_array)(random_matrix(rng, 60, 60, 0.3)))
    if way == "what it is a view of" and a.data.base is None:
        pytest.skip("it is none")
    x = rng.standard_normal(60)
    with furrow.accelerate_scipy():
        calm(a)
        plans = _accelerate._kept[id(a)]
        assert plans.copy is not None and plans.calm > _accelerate.CALM
        for again in range(3):
            kept = keep(a)
            calm(a)
            change(a, kept)
            for _ in range(_accelerate.CALM + 3):
                got = a @ x
                with np.errstate(invalid="ignore"):
                    want = furrow.csr(sp.csr_array((a.data, a.indices, a.indptr), shape=a.shape), copy=True) @ x
                np.testing.assert_array_equal(got, want)
            del kept
            calm(a)
            np.testing.assert_array_equal(a @ x, want)


def wide_indices(a):
    return sp.csr_array((a.data.copy(), a.indices.astype(np.int64), a.indptr.astype(np.int64)), shape=a.shape)


def test_wide_indices_are_copied(rng):
    a = wide_indices(random_matrix(rng, 60, 60, 0.3))
    x = rng.standard_normal(60)
    with furrow.accelerate_scipy():
        calm(a)
        plans = _accelerate._kept[id(a)]
        assert plans.matrix is None and plans.copy is not None
        np.testing.assert_array_equal(a @ x, furrow.csr(a) @ x)
        for change in (lambda: a.data.__imul__(2), lambda: change_indices(a)):
            calm(a)
            change()
            np.testing.assert_allclose(a @ x, furrow.csr(a, copy=True) @ x, rtol=1e-12, atol=1e-12)
            calm(a)
            np.testing.assert_array_equal(a @ x, furrow.csr(a, copy=True) @ x)
        unsorted = wide_indices(a)
        row = slice(unsorted.indptr[3], unsorted.indptr[4])
        unsorted.indices[row] = unsorted.indices[row][::-1].copy()
        calm(unsorted)
        assert _accelerate._kept[id(unsorted)].copy is None
        np.testing.assert_allclose(unsorted @ x, unsorted.toarray() @ x, rtol=1e-12, atol=1e-12)


def test_many_threads_with_one_matrix(rng):
    """Each thread sees the change that it made, whatever the other threads do."""
    a = own_arrays(random_matrix(rng, 300, 300))
    x, wrong = rng.standard_normal(300), []
    want = furrow.csr(a, copy=True) @ x

    def work():
        for _ in range(200):
            if not np.array_equal(a @ x, want):
                wrong.append(1)

    with furrow.accelerate_scipy():
        for scale in (1, 2, 4):
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not wrong, scale
            a.data *= 2
            want = want * 2


def test_matrices_over_the_same_arrays_do_not_count(rng):
    a = own_arrays(random_matrix(rng, 60, 60))
    first = furrow.csr(a)
    with furrow.accelerate_scipy():
        calm(a)
        plans = _accelerate._kept[id(a)]
        assert plans.calm > _accelerate.CALM
        second = furrow.csr(a)
        calm(a)
        assert plans.calm > _accelerate.CALM
        del first, second
        a @ np.ones(60)
        assert plans.calm > _accelerate.CALM + 1 and a.dtype == float and plans.calm > 0
        assert a.nnz == a.nnz and plans.calm == 0
    del plans
    assert not _private._borrowed


def test_the_copy_has_the_plans_of_a_matrix_of_furrow(rng):
    a = furrow.Stencil(5, (60, 60)).to_csr().to_scipy(copy=True)
    x = rng.standard_normal(3600)
    with furrow.accelerate_scipy():
        for _ in range(110):
            y = a @ x
        plans = _accelerate._kept[id(a)]
        assert plans.copy._cache.uses > 100
    np.testing.assert_array_equal(y, furrow.csr(a) @ x)


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


def test_the_number_of_threads_is_followed(rng):
    a, x = random_matrix(rng, 100, 100), rng.standard_normal(100)
    try:
        with furrow.accelerate_scipy():
            y = a @ x
            furrow.set_num_threads(1)
            np.testing.assert_array_equal(a @ x, y)
            (plans,) = _accelerate._kept.values()
            assert plans.matrix._handle.context.threads == 1
    finally:
        furrow.set_num_threads(None)


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
