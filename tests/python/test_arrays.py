"""Arrays as vectors, blocks and parts of matrices: every dtype, layout and width, read-only and memory-mapped."""

import threading

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, bound, random_matrix, random_values
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

INDEX_DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def strided(array, data):
    """Returns equal numbers in another memory layout: gaps, backwards, read-only, other byte
    order."""
    kind = data.draw(st.sampled_from(["as it is", "gaps", "backwards", "read-only", "swapped", "unaligned"]))
    if kind == "gaps":
        return np.repeat(array, 3)[::3]
    if kind == "backwards":
        return array[::-1].copy()[::-1]
    if kind == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if kind == "unaligned":
        room = np.empty(array.nbytes + 1, np.uint8)[1:]
        room[:] = np.frombuffer(array.tobytes(), np.uint8)
        return room.view(array.dtype)
    made = array.copy()
    made.flags.writeable = kind != "read-only"
    return made


@given(st.data())
def test_three_arrays_of_any_kind(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    a = random_matrix(rng, data.draw(st.integers(0, 12)), data.draw(st.integers(1, 12)), 0.5)
    dtype = data.draw(st.sampled_from([*DTYPES, np.int16, np.uint8, bool, np.float16, np.longdouble]))
    values = rng.integers(0, 2, a.nnz).astype(dtype)
    indices = a.indices.astype(data.draw(st.sampled_from(INDEX_DTYPES)))
    indptr = a.indptr.astype(data.draw(st.sampled_from(INDEX_DTYPES[1:4])))
    before = values.copy(), indices.copy(), indptr.copy()
    arrays = tuple(strided(array, data) for array in before)
    f = furrow.csr(arrays, shape=a.shape)
    want = sp.csr_array((values.astype(f.dtype), a.indices, a.indptr), shape=a.shape)
    np.testing.assert_array_equal(f.toarray(), want.toarray())
    assert f.indices.dtype == np.int32 and f.indptr.dtype in (np.int32, np.int64)
    for array, same in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, same)


@given(st.data())
def test_vectors_of_any_kind(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    a = random_matrix(rng, 9, 7, 0.5, data.draw(st.sampled_from(DTYPES)))
    dtype = data.draw(st.sampled_from([*DTYPES, np.int64, np.uint8, bool, np.float16]))
    x = strided(rng.integers(0, 2, 7).astype(dtype), data)
    y = furrow.csr(a) @ x
    native = x.astype(x.dtype.newbyteorder("="))
    want = a.astype(y.dtype) @ native.astype(y.dtype)
    assert (abs(y - want) <= bound(a, native.astype(y.dtype))).all()


@given(hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6), st.integers(0, 5), st.sampled_from(DTYPES))
def test_shapes_without_entries_and_rows(shape, columns, dtype):
    f = furrow.csr(sp.csr_array(shape, dtype=dtype))
    assert f.shape == shape and f.nnz == 0
    assert (f @ np.ones(shape[1], dtype)).shape == shape[:1]
    assert (f @ np.ones((shape[1], columns), dtype)).shape == (shape[0], columns)
    assert f.T.shape == shape[::-1] and (f @ f.T).shape == (shape[0], shape[0])
    assert (f + f).nnz == 0 and f == furrow.csr(sp.csr_array(shape, dtype=dtype))
    assert f.diagonal().shape == (min(shape),)
    assert f._repr_html_()


def test_mapped_files(rng, tmp_path):
    """Arrays may be read-only memory-mapped files, as joblib passes them to its workers."""
    a = random_matrix(rng, 40, 40)
    arrays = []
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(a, name))
        arrays.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    np.save(tmp_path / "x.npy", rng.standard_normal(40))
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    f = furrow.csr(tuple(arrays), shape=a.shape, copy=False)
    np.testing.assert_array_equal(f @ x, furrow.csr(a) @ np.array(x))
    solved, info = furrow.gmres(f + sp.eye_array(40, format="csr") * 9.0, x)
    assert info == 0


def test_subclasses_and_buffers(rng):
    a = random_matrix(rng, 6, 5)
    f = furrow.csr(a)
    x = rng.standard_normal(5)
    want = f @ x
    for other in (x.tolist(), memoryview(x), np.ma.array(x), x.view(type("Mine", (np.ndarray,), {}))):
        np.testing.assert_array_equal(f @ other, want)


def test_solving_in_many_threads(rng):
    """Each thread has a matrix, and all share one context: the results equal a serial run's."""
    stencils = [furrow.Stencil(5, (12, 10 + k)) for k in range(6)]
    b = [random_values(rng, s.shape[0], np.float64) for s in stencils]
    want = [furrow.cg(s.to_csr(), r, rtol=1e-10, M="ic0")[0] for s, r in zip(stencils, b, strict=True)]
    got = [None] * 6

    def work(k):
        for _ in range(5):
            got[k] = furrow.cg(stencils[k].to_csr(), b[k], rtol=1e-10, M="ic0")[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, same in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, same)


def test_the_number_of_threads_may_change_during_products(rng):
    a = random_matrix(rng, 800, 800, 0.02)
    f, x = furrow.csr(a), rng.standard_normal(800)
    want, wrong, done = f @ x, [], threading.Event()

    def work():
        while not done.is_set():
            if not np.array_equal(f @ x, want) or not np.array_equal(f.T @ x, furrow.csr(a).T @ x):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for k in range(30):
            furrow.set_num_threads(1 + k % 4)
            f @ x
    finally:
        done.set()
        for thread in threads:
            thread.join()
        furrow.set_num_threads(None)
    assert not wrong


def test_what_is_made_in_one_thread_may_go_in_another(rng):
    a = random_matrix(rng, 300, 300)
    x = rng.standard_normal(300)

    def work():
        for _ in range(30):
            furrow.csr(a).plan(uses=1000)(x)

    made = [furrow.csr(a).plan(uses=1000) for _ in range(60)]
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while made:
        made.pop()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("dtype", [object, "U3", "datetime64[s]"])
def test_dtypes_that_are_no_numbers(dtype):
    with pytest.raises((TypeError, ValueError)):
        furrow.csr(np.zeros((2, 2)).astype(dtype) if dtype is not object else np.array([[1, None]], object))
    with pytest.raises((TypeError, ValueError)):
        furrow.csr(np.eye(2)) @ np.array([1, 2]).astype(dtype)


RIGHT = {
    "list": lambda b: b.tolist(),
    "read-only": lambda b: np.broadcast_to(b, b.shape),
    "gaps": lambda b: np.repeat(b, 2)[::2],
    "backwards": lambda b: b[::-1].copy()[::-1],
    "column": lambda b: b[:, None],
    "other bytes": lambda b: b.astype(">f8"),
}


@pytest.mark.parametrize("kind", sorted(RIGHT))
@pytest.mark.parametrize("solver", ["cg", "minres", "gmres", "bicgstab", "idrs", "lsqr", "lsmr", "solve"])
def test_right_hand_sides_of_any_kind(rng, solver, kind):
    a = furrow.Stencil(3, (40,)).to_csr() + sp.eye_array(40, format="csr")
    b = rng.standard_normal(40)
    solve = getattr(furrow, solver)
    np.testing.assert_array_equal(np.ravel(solve(a, RIGHT[kind](b))[0]), solve(a, b)[0])
