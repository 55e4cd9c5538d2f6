"""Matrices from callers' arrays: which arrays are shared, copied or refused."""

import copy as copying
import gc
import pickle

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, address, random_matrix, random_values
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_scipys_arrays_are_shared(rng, dtype, make):
    a = make(random_matrix(rng, 20, 30, dtype=dtype))
    f = furrow.csr(a, copy=False)
    for name in ("data", "indices", "indptr"):
        assert address(getattr(f, name)) == address(getattr(a, name))
    back = f.to_scipy()
    for name in ("data", "indices", "indptr"):
        assert address(getattr(back, name)) == address(getattr(a, name))
    assert (abs(back - a)).nnz == 0


def test_three_arrays_are_shared(rng):
    a = random_matrix(rng, 10, 12)
    f = furrow.csr((a.data, a.indices, a.indptr), shape=a.shape, copy=False)
    assert f.shape == a.shape and f.nnz == a.nnz and address(f.data) == address(a.data)
    assert not f.data.flags.writeable


def test_read_only_arrays_are_shared(rng):
    a = random_matrix(rng, 10, 12)
    for array in (a.data, a.indices, a.indptr):
        array.flags.writeable = False
    f = furrow.csr(a, copy=False)
    assert address(f.data) == address(a.data)
    x = rng.standard_normal(12)
    x.flags.writeable = False
    np.testing.assert_allclose(f @ x, a @ x, rtol=1e-13)


def test_a_copy_shares_nothing(rng):
    a = random_matrix(rng, 10, 12)
    for f in (furrow.csr(a, copy=True), furrow.csr(a).copy(), copying.deepcopy(furrow.csr(a))):
        assert address(f.data) != address(a.data)
        assert address(f.indices) != address(a.indices)
        a_data = a.data.copy()
        a.data[:] = 0
        np.testing.assert_array_equal(f.data, a_data)
        a.data[:] = a_data


CHANGES = {
    "data has integers": ("data", lambda a: np.arange(a.nnz), "data .* int64"),
    "columns are wide": ("indices", lambda a: a.indices.astype(np.int64), "indices .* int64"),
    "data has gaps": ("data", lambda a: np.repeat(a.data, 2)[::2], "data .* gaps"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_an_array_that_cannot_be_shared_is_named(rng, case):
    name, change, words = CHANGES[case]
    a = random_matrix(rng, 10, 12)
    arrays = {"data": a.data, "indices": a.indices, "indptr": a.indptr}
    arrays[name] = change(a)
    with pytest.raises(ValueError, match=f"copy=False: {words}"):
        furrow.csr(tuple(arrays.values()), shape=a.shape, copy=False)
    f = furrow.csr(tuple(arrays.values()), shape=a.shape)
    np.testing.assert_array_equal(f.toarray(), sp.csr_array(tuple(arrays.values()), shape=a.shape).toarray())


def test_other_formats_are_converted(rng):
    a = random_matrix(rng, 10, 12)
    for format in ("csc", "coo", "lil", "dok", "bsr", "dia"):
        np.testing.assert_array_equal(furrow.csr(a.asformat(format)).toarray(), a.toarray())
        with pytest.raises(ValueError, match=f"copy=False.*{format}"):
            furrow.csr(a.asformat(format), copy=False)
    np.testing.assert_array_equal(furrow.csr(a.toarray()).toarray(), a.toarray())


@given(st.data())
def test_any_order_of_entries_is_put_in_order_in_a_copy(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows, cols = data.draw(st.integers(0, 9)), data.draw(st.integers(1, 9))
    lengths = rng.integers(0, 12, rows)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    indices = rng.integers(0, cols, indptr[-1]).astype(np.int32)
    values = rng.integers(-9, 9, indptr[-1]).astype(np.float64)
    before = values.copy(), indices.copy(), indptr.copy()
    f = furrow.csr((values, indices, indptr), shape=(rows, cols))
    for mine, earlier in zip((values, indices, indptr), before, strict=True):
        np.testing.assert_array_equal(mine, earlier)
    np.testing.assert_array_equal(f.toarray(), sp.csr_array((values, indices, indptr), shape=(rows, cols)).toarray())
    for i in range(rows):
        assert (np.diff(f.indices[f.indptr[i] : f.indptr[i + 1]]) > 0).all()


def test_unsorted_rows_cannot_be_shared():
    arrays = (np.array([1.0, 2.0]), np.array([1, 0], np.int32), np.array([0, 2], np.int32))
    with pytest.raises(
        ValueError, match="copy=False: indices cannot be shared: row 1 has column 1 after column 2, counting from 1"
    ):
        furrow.csr(arrays, copy=False)


BROKEN = {
    "a column outside": ([1.0], [3], [0, 1], (1, 3)),
    "a negative column": ([1.0], [-1], [0, 1], (1, 3)),
    "falling offsets": ([1.0], [0], [0, 2, 1], (2, 3)),
    "a first offset that is not 0": ([1.0], [0], [1, 1], (1, 3)),
    "too few offsets": ([1.0], [0], [0, 1], (2, 3)),
    "too few columns": ([1.0, 2.0], [0], [0, 2], (1, 3)),
}


@pytest.mark.parametrize("case", BROKEN)
def test_arrays_that_are_no_matrix_are_refused(case):
    data, indices, indptr, shape = BROKEN[case]
    with pytest.raises(furrow.Invalid) as failure:
        furrow.csr((np.array(data), np.array(indices, np.int32), np.array(indptr, np.int32)), shape=shape)
    assert isinstance(failure.value, ValueError) and failure.value.sentence


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (3, 3)])
def test_empty_matrices(shape):
    a = sp.csr_array(shape)
    f = furrow.csr(a)
    assert f.shape == shape and f.nnz == 0
    np.testing.assert_array_equal(f @ np.ones(shape[1]), np.zeros(shape[0]))
    np.testing.assert_array_equal(f @ np.ones((shape[1], 3)), np.zeros((shape[0], 3)))
    assert (f @ np.ones((shape[1], 0))).shape == (shape[0], 0)
    assert f.T.shape == shape[::-1] and f._repr_html_()


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
def test_both_widths_of_offsets(rng, offsets):
    a = random_matrix(rng, 10, 12)
    indptr = a.indptr.astype(offsets)
    f = furrow.csr((a.data, a.indices, indptr), shape=a.shape, copy=False)
    assert f.indptr.dtype == offsets and address(f.indptr) == address(indptr)
    np.testing.assert_array_equal(f.to_scipy().toarray(), a.toarray())


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(rng, protocol):
    f = furrow.csr(random_matrix(rng, 10, 12, dtype=np.complex64))
    again = pickle.loads(pickle.dumps(f, protocol))
    assert again == f and again.dtype == f.dtype


def test_pickle_hands_over_arrays_out_of_band(rng):
    a = random_matrix(rng, 10, 12)
    buffers = []
    text = pickle.dumps(furrow.csr(a), 5, buffer_callback=buffers.append)
    assert len(buffers) == 3
    assert pickle.loads(text, buffers=buffers) == furrow.csr(a)


def test_arrays_outlive_the_matrix_and_the_matrix_its_source(rng):
    a = random_matrix(rng, 50, 50)
    dense, x = a.toarray(), rng.standard_normal(50)
    f = furrow.csr(a)
    data, plan = f.data, f.plan(uses=100)
    y = f @ x
    del f, a
    gc.collect()
    np.testing.assert_array_equal(plan(x), y)
    np.testing.assert_array_equal(data, dense[dense != 0])
    own = furrow.csr(dense)
    arrays = own.data, own.indices, own.indptr
    del own
    gc.collect()
    np.testing.assert_array_equal(sp.csr_array(arrays, shape=(50, 50)).toarray(), dense)


def test_arrays_that_had_to_be_converted_are_kept(rng):
    a = random_matrix(rng, 3000, 3000, 0.02)
    x = rng.standard_normal(3000)
    f = furrow.csr((a.data.astype(np.float16), a.indices.astype(np.int64), a.indptr.astype(np.uint32)), shape=a.shape)
    gc.collect()
    others = [np.full(a.nnz, -1, np.int32) for _ in range(4)]  # they overwrite memory freed too early
    want = a.data.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(f.data, want)
    np.testing.assert_array_equal(f.indices, a.indices)
    np.testing.assert_array_equal(f.indptr, a.indptr)
    assert others and np.isfinite(f @ x).all()


def test_new_values_reach_what_was_made(rng):
    a = random_matrix(rng, 30, 30)
    f = furrow.csr(a)
    x = rng.standard_normal(30)
    plan, _, _ = f.plan(uses=1000), f.T @ x, f @ x
    values = random_values(rng, a.nnz, np.float64)
    before = a.data.copy()
    f.set_values(values)
    np.testing.assert_array_equal(a.data, before)
    new = sp.csr_array((values, a.indices, a.indptr), shape=a.shape)
    for got, want in ((plan(x), new @ x), (f @ x, new @ x), (f.T @ x, new.T @ x)):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_parts(rng):
    a = random_matrix(rng, 20, 15)
    f, dense = furrow.csr(a), a.toarray()
    keys = [3, -1, slice(2, 9), slice(None, None, 2), slice(5, 2), [4, 0, 4], dense[:, 0] > 0]
    for rows in keys:
        want = dense[[rows]] if isinstance(rows, int) else dense[rows]
        np.testing.assert_array_equal(f[rows].toarray(), want)
        np.testing.assert_array_equal(f[rows, 2:7].toarray(), want[:, 2:7])
        if not isinstance(rows, slice):
            numbers = np.flatnonzero(rows) if isinstance(rows, np.ndarray) else np.atleast_1d(rows)
            np.testing.assert_array_equal(f[np.ix_(numbers, [1, 1, 0])].toarray(), want[:, [1, 1, 0]])
        else:
            np.testing.assert_array_equal(f[rows, [1, 1, 0]].toarray(), want[:, [1, 1, 0]])
    assert f[3, 4] == dense[3, 4] and f[-1, -2] == dense[-1, -2]
    np.testing.assert_array_equal(f.diagonal(), dense.diagonal())
    for key in [20, -21, (0, 15), [0, 20]]:
        with pytest.raises(IndexError):
            f[key]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pairs_of_lists_are_entries(rng, dtype):
    a = random_matrix(rng, 20, 15, 0.5, dtype)
    f, dense, theirs = furrow.csr(a), a.toarray(), a
    mask = np.arange(20) % 5 == 1
    for key in (
        ([1, 2], [3, 4]), ([1, -2, 1], [0, -1, 0]), ([1, 2], 3), (-1, np.array([3, 4])), (np.array([5]), [1, 2, 3]),
        ([], []), (mask, [0, 1, 2, 14]), (mask, 3), abs(dense) > 1,
    ):  # fmt: skip
        got = f[key]
        assert type(got) is np.ndarray and got.dtype == dtype
        np.testing.assert_array_equal(got, dense[key])
        if not isinstance(key, np.ndarray):
            assert theirs[key].shape == got.shape
    for key in (np.ix_([1, 2, 1], [4, 0]), ([[1], [2]], [4, 0]), ([[1, 2], [3, 4]], [[5, 6], [7, 8]]), np.ix_([], [1])):
        np.testing.assert_array_equal(f[key].toarray(), dense[tuple(np.asarray(k, int) for k in key)])


def test_what_is_no_index_is_refused(rng):
    f = furrow.csr(random_matrix(rng, 20, 15))
    for key in [
        1.0,
        [1.5, 2],
        (0, 2.5),
        "a",
        None,
        (1, 2, 3),
        ([1, 2], [1, 2, 3]),
        np.ones(3, bool),
        ([[1, 2]], slice(3)),
        ...,
    ]:
        with pytest.raises(IndexError):
            f[key]


def test_functions_of_numpy(rng):
    a = random_matrix(rng, 20, 20)
    f, x = furrow.csr(a), rng.standard_normal(20)
    S, M = furrow.Stencil(5, (4, 5)), furrow.Preconditioner(a + 5 * sp.eye_array(20))
    np.testing.assert_array_equal(np.dot(x, f), x @ f)
    for operator in (f, S, M):
        np.testing.assert_array_equal(np.dot(operator, x), operator @ x)
        assert np.ndim(operator) == 2 and np.shape(operator) == (20, 20)
        for call in (np.vdot, np.inner, np.matmul, np.add):
            with pytest.raises(TypeError):
                call(operator, x)
        with pytest.raises(TypeError, match=r"numpy.norm does not support .*A @ x"):
            np.linalg.norm(operator)


def test_arithmetic(rng):
    a, b = random_matrix(rng, 9, 9), random_matrix(rng, 9, 9)
    f, g = furrow.csr(a), furrow.csr(b)
    pairs = {
        "sum": (f + g, a + b),
        "sum with SciPy's": (f + b, a + b),
        "difference": (f - g, a - b),
        "scalar": (3 * f, 3 * a),
        "complex scalar": (f * 2j, a * 2j),
        "quotient": (f / 4, a / 4),
        "negative": (-f, -a),
        "modulus": (abs(f), abs(a)),
        "entries": (f.multiply(g), a.multiply(b)),
        "product": (f @ g, a @ b),
        "product with SciPy's": (f @ b, a @ b),
        "mixed types": (f + furrow.csr(b.astype(np.complex64)), a + b.astype(np.complex64)),
    }
    for name, (got, want) in pairs.items():
        assert got.dtype == want.dtype, name
        np.testing.assert_allclose(got.toarray(), want.toarray(), rtol=1e-13, atol=1e-13, err_msg=name)


def test_comparison(rng):
    a = random_matrix(rng, 9, 9)
    f = furrow.csr(a)
    assert f == furrow.csr(a.copy()) and not f != f.copy()
    assert f != f * 2 and f != f.T[:5] and f != f.astype(np.float32) and f != 3


def test_a_picture_of_the_pattern():
    html = furrow.csr(sp.eye_array(1000, format="csr"))._repr_html_()
    assert "1,000 × 1,000" in html and html.count("<path") == 1
