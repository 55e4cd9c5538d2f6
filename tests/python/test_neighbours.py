"""Nearest neighbours, compared with a search through all distances and with SciPy's tree."""

import furrow
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree


@given(st.data())
def test_neighbours(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d = data.draw(st.integers(2, 80)), data.draw(st.integers(1, 6))
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int16]))
    points = rng.integers(-50, 50, (n, d)).astype(dtype)  # integer coordinates: distances are exact, and many are equal
    with_self = data.draw(st.booleans())
    k = data.draw(st.integers(1, n if with_self else n - 1))
    squared = ((points[:, None, :].astype(float) - points[None, :, :]) ** 2).sum(axis=2)
    if not with_self:
        np.fill_diagonal(squared, np.inf)
    want = np.argsort(squared, axis=1, kind="stable")[:, :k]
    method = data.draw(st.sampled_from([None, "brute"] + ["grid"] * (d <= 4)))
    distances, indices = furrow.neighbours(points, k, with_self=with_self, squared=True, method=method)
    assert indices.dtype == np.intp
    np.testing.assert_array_equal(indices.reshape(n, k), want)
    np.testing.assert_array_equal(distances.reshape(n, k), np.take_along_axis(squared, want, axis=1))


@pytest.mark.parametrize("k", [1, 2, 7])
def test_like_scipys_tree(rng, k):
    points = rng.random((500, 3))
    ours, scipys = furrow.neighbours(points, k), cKDTree(points).query(points, k)
    for mine, theirs in zip(ours, scipys, strict=True):
        assert mine.shape == theirs.shape and mine.dtype == theirs.dtype
    np.testing.assert_array_equal(ours[1], scipys[1])
    np.testing.assert_allclose(ours[0], scipys[0], rtol=1e-14)


def test_the_graph(rng):
    points = rng.random((200, 2))
    graph = furrow.neighbours_graph(np.asfortranarray(points), 5)
    assert graph.shape == (200, 200) and graph.nnz == 1000
    distances, indices = furrow.neighbours(points, 6)
    np.testing.assert_array_equal(np.sort(graph.indices.reshape(200, 5)), np.sort(indices[:, 1:]))
    np.testing.assert_array_equal(np.sort(graph.data.reshape(200, 5)), distances[:, 1:])


def test_what_are_no_points():
    with pytest.raises(TypeError, match="real"):
        furrow.neighbours(np.ones((3, 2), complex), 1)
    with pytest.raises(ValueError, match="1"):
        furrow.neighbours(np.array([[0.0], [np.nan]]), 1)
    with pytest.raises(ValueError):
        furrow.neighbours(np.ones((3, 2)), 4)
    with pytest.raises(ValueError, match="two axes"):
        furrow.neighbours(np.ones(3), 1)
