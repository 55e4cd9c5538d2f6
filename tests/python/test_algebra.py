"""Kronecker products, triangles, norms, components and colours, compared with SciPy."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, random_matrix
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components


@given(st.data())
def test_like_scipys(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    dtype = data.draw(st.sampled_from(DTYPES))
    a = random_matrix(rng, data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12)), 0.3, dtype)
    b = random_matrix(rng, 3, 2, 0.7, data.draw(st.sampled_from(DTYPES)))
    k = data.draw(st.integers(-14, 14))
    np.testing.assert_array_equal(furrow.tril(a, k).toarray(), sp.tril(a, k).toarray())
    np.testing.assert_array_equal(furrow.triu(a, k).toarray(), sp.triu(a, k).toarray())
    wide = np.result_type(a.dtype, b.dtype)
    tolerance = 8 * np.finfo(wide).eps
    want = sp.kron(a, b).toarray()
    np.testing.assert_allclose(furrow.kron(a, b).toarray(), want, rtol=tolerance, atol=tolerance)
    if a.nnz:  # SciPy's norms refuse some empty matrices
        for ord in (None, "fro", 1, np.inf):
            np.testing.assert_allclose(furrow.norm(a, ord), spla.norm(a, ord), rtol=200 * np.finfo(dtype).eps)


def test_a_norm_that_is_not_there():
    with pytest.raises(NotImplementedError, match="inf"):
        furrow.norm(np.eye(2), 2)


@given(st.integers(0, 2**32 - 1))
def test_components(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    a = random_matrix(rng, n, n, min(rng.random() * 2 / n, 1))
    count, labels = furrow.connected_components(a)
    want, want_labels = connected_components(a, connection="weak")
    assert count == want == furrow.connected_components(a, return_labels=False)
    assert len(set(zip(labels, want_labels, strict=True))) == count
    with pytest.raises(NotImplementedError):
        furrow.connected_components(a, connection="strong")


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]))
def test_colours(seed, distance):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    a = abs(random_matrix(rng, n, n, 0.1))
    edges = (a + a.T).toarray() > 0
    np.fill_diagonal(edges, False)
    if distance == 2:
        edges = edges | (edges.astype(int) @ edges.astype(int) > 0)
        np.fill_diagonal(edges, False)
    count, labels = furrow.colours(a, distance)
    assert set(labels) == set(range(count)) and count <= edges.sum(axis=1).max() + 1
    assert not edges[labels[:, None] == labels].any()
