"""Reordering gives permutations with bandwidths close to SciPy's, and correct bandwidth and profile numbers."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, random_matrix
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import reverse_cuthill_mckee


def figures(a):
    """Returns the bandwidth and profile of A + A^T with a full diagonal, computed from their definitions."""
    pattern = (abs(a) + abs(a).T + sp.eye_array(a.shape[0])).tocsr()
    pattern.sort_indices()
    first = np.arange(a.shape[0]) - pattern.indices[pattern.indptr[:-1]]
    return int(first.max(initial=0)), int(first.sum())


@given(st.data())
def test_orders(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n = data.draw(st.integers(1, 60))
    a = random_matrix(rng, n, n, data.draw(st.floats(0, 0.3)), data.draw(st.sampled_from(DTYPES)))
    method = data.draw(st.sampled_from(["rcm", "cm", "rcm-quality", "sloan"]))
    order = furrow.reorder(a, method)
    assert order.dtype == np.int32
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    ordered = furrow.permute(a, order, order)
    np.testing.assert_array_equal(ordered.toarray(), a.toarray()[np.ix_(order, order)])
    before, after = furrow.measure_order(a), furrow.measure_order(a, order)
    assert (before.bandwidth, before.profile) == figures(a)
    assert (after.bandwidth, after.profile) == figures(ordered.to_scipy())
    assert after.profile <= before.profile if method == "sloan" else after.bandwidth <= before.bandwidth


def test_in_place_of_scipys(rng):
    grid = furrow.Stencil(5, (40, 30)).to_csr().to_scipy()
    mixed = rng.permutation(1200)
    a = grid[mixed][:, mixed].tocsr()
    ours, scipys = furrow.reverse_cuthill_mckee(a, symmetric_mode=True), reverse_cuthill_mckee(a, symmetric_mode=True)
    assert ours.dtype == scipys.dtype and ours.shape == scipys.shape
    assert furrow.measure_order(a, ours).bandwidth <= furrow.measure_order(a, scipys).bandwidth
    np.testing.assert_array_equal(np.sort(ours), np.arange(1200))
    np.testing.assert_array_equal(furrow.reverse_cuthill_mckee(sp.csc_matrix(a)), ours)


def test_permutations(rng):
    a = random_matrix(rng, 7, 5)
    rows, cols = rng.permutation(7), rng.permutation(5)
    dense = a.toarray()
    np.testing.assert_array_equal(furrow.permute(a, rows).toarray(), dense[rows])
    np.testing.assert_array_equal(furrow.permute(a, cols=cols.tolist()).toarray(), dense[:, cols])
    np.testing.assert_array_equal(furrow.permute(a, rows, cols).toarray(), dense[np.ix_(rows, cols)])


def test_what_is_no_order_is_refused(rng):
    a = random_matrix(rng, 4, 4)
    for bad in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [-1, 0, 1, 2], [0, 1, 2, 2**40]):
        with pytest.raises(ValueError):
            furrow.permute(a, bad)
    with pytest.raises(TypeError, match="integers"):
        furrow.permute(a, [0.0, 1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="rcm-quality"):
        furrow.reorder(a, "amd")
    with pytest.raises(ValueError, match="square"):
        furrow.reorder(random_matrix(rng, 4, 5))


def test_empty():
    assert furrow.reorder(sp.csr_array((0, 0))).size == 0
