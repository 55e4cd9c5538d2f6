"""Products of sparse matrices, and products of dense blocks at the entries of a sparse matrix, compared with SciPy and
NumPy."""

import furrow
import numpy as np
import pytest
from conftest import DTYPES, bound, random_matrix, random_values
from hypothesis import given
from hypothesis import strategies as st


@given(st.data())
def test_products_of_matrices(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    m, k, n = (data.draw(st.integers(0, 20)) for _ in range(3))
    a = random_matrix(rng, m, k, 0.3, data.draw(st.sampled_from(DTYPES)))
    b = random_matrix(rng, k, n, 0.3, data.draw(st.sampled_from(DTYPES)))
    plan = furrow.MatmulPlan(a, b)
    c = plan()
    dense = b.toarray().astype(c.dtype)
    assert (abs(c.toarray() - a @ dense) <= bound(a, dense)).all()
    assert c == furrow.csr(a) @ furrow.csr(b) and c == furrow.spgemm(a, b)
    assert plan.report["entries"] == c.nnz and plan.shape == c.shape


def test_new_values(rng):
    a, b = (furrow.csr(random_matrix(rng, 30, 30)) for _ in range(2))
    plan = furrow.MatmulPlan(a, b)
    c = plan()
    product, x = c.plan(), rng.standard_normal(30)
    c.T @ x
    a.set_values(a.data * 2)
    assert plan(out=c) is c and c == a @ b
    np.testing.assert_array_equal(product(x), c @ x)
    np.testing.assert_array_equal(c.T @ x, (a @ b).T @ x)
    with pytest.raises(ValueError):
        plan(out=a @ b)
    with pytest.raises(ValueError):
        furrow.MatmulPlan(a, random_matrix(rng, 31, 4))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triples(rng, dtype):
    r, a, p = (random_matrix(rng, *shape, 0.3, dtype) for shape in ((4, 20), (20, 15), (15, 6)))
    want = r.toarray() @ (a.toarray() @ p.toarray())
    limit = 200 * np.finfo(dtype).eps * (abs(r) @ (abs(a) @ abs(p))).toarray() + np.finfo(dtype).tiny
    assert (abs(furrow.triple(r, a, p).toarray() - want) <= limit).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_sampled_products(rng, dtype, order):
    a = random_matrix(rng, 20, 15, 0.2, dtype)
    x = np.asarray(random_values(rng, (20, 9), dtype), order=order)
    y = np.asarray(random_values(rng, (15, 9), dtype), order=order)
    got = furrow.sddmm(a, x, y, 2.0, -1.0)
    pattern = a.toarray() != 0
    want = np.where(pattern, 2 * (x @ y.conj().T) - a.toarray(), 0)
    limit = 100 * np.finfo(dtype).eps * (2 * abs(x) @ abs(y).T + abs(a.toarray()))
    assert (abs(got.toarray() - want) <= limit).all() and got.nnz == a.nnz and got.dtype == dtype
    with pytest.raises(ValueError):
        furrow.sddmm(a, x[:3], y)
