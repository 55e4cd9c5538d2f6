"""Products with arrays of every dtype and layout agree with SciPy's within a derived bound."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import DTYPES, bound, random_matrix, random_values
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "every other column": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "part of a wider block": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
}


@given(st.data())
def test_products(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows, cols = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    a = random_matrix(rng, rows, cols, data.draw(st.floats(0, 1)), data.draw(st.sampled_from(DTYPES)))
    shape = (cols,) if data.draw(st.booleans()) else (cols, data.draw(st.integers(0, 20)))
    dtype = data.draw(st.sampled_from([*DTYPES, np.int32, np.uint8, bool]))
    x = random_values(rng, shape, dtype) if dtype in DTYPES else rng.integers(0, 2, shape).astype(dtype)
    want = a.astype(np.result_type(a.dtype, x.dtype if dtype in DTYPES else np.float64)) @ x
    got = furrow.csr(a) @ LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))](x)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert (abs(got - want) <= bound(a, x.astype(want.dtype))).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_are_not_copied_and_keep_their_order(rng, order):
    a = furrow.csr(random_matrix(rng, 30, 20))
    y = a @ np.asarray(rng.standard_normal((20, 16)), order=order)
    assert y.flags[f"{order}_CONTIGUOUS"]


def test_bits_do_not_depend_on_anything(rng):
    a = random_matrix(rng, 3000, 3000, 0.01)
    f = furrow.csr(a)
    x = rng.standard_normal(3000)
    first = f @ x
    for _ in range(8):  # enough products to pass all stages of planning
        np.testing.assert_array_equal(f @ x, first)
    np.testing.assert_array_equal((f @ np.stack([x, x], axis=1))[:, 1], first)
    for threads in (1, 2, 3, 8):
        g = furrow.csr(a, threads=threads)
        np.testing.assert_array_equal(g @ x, first)
        np.testing.assert_array_equal(g.plan(uses=1000)(x), first)


def test_threads_can_be_set(rng):
    f = furrow.csr(random_matrix(rng, 100, 100))
    x = rng.standard_normal(100)
    y = f @ x
    try:
        furrow.set_num_threads(1)
        assert furrow.get_num_threads() == 1
        np.testing.assert_array_equal(f @ x, y)
        with pytest.raises(ValueError, match="at least 1"):
            furrow.set_num_threads(0)
    finally:
        furrow.set_num_threads(None)
    np.testing.assert_array_equal(f @ x, y)


def test_plans(rng):
    a = random_matrix(rng, 60, 50, dtype=np.complex128)
    f = furrow.csr(a)
    for op, want in (("N", a), ("T", a.T), ("H", a.conj().T)):
        plan = f.plan(uses=1000, op=op)
        x = random_values(rng, plan.shape[1], np.complex128)
        y = np.empty(plan.shape[0], np.complex128)
        assert plan(x, out=y) is y
        np.testing.assert_array_equal(plan(x), y)
        np.testing.assert_allclose(y, want @ x, rtol=1e-12, atol=1e-12)
    report = plan.report
    assert report.kernel and report.reason and report.bytes > 0
    assert report.kernel in repr(plan)


def test_plans_in_another_order(rng):
    a = random_matrix(rng, 200, 200, 0.02)
    a = (a + a.T).tocsr()
    x = rng.standard_normal(200)
    plan = furrow.csr(a).plan(order="rcm")
    assert plan.report.order == "rcm"
    assert (abs(plan(x) - a @ x) <= bound(a, x)).all()


def test_plans_of_half_a_matrix(rng):
    a = random_matrix(rng, 50, 50)
    a = (a + a.T).tocsr()
    x = rng.standard_normal(50)
    lower = furrow.csr(sp.tril(a, format="csr"))
    np.testing.assert_array_equal(lower.plan(half="symmetric")(x), furrow.csr(a) @ x)


def test_a_stencil_is_found():
    grid = 24
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(grid, grid))
    one = sp.eye_array(grid)
    a = sp.kron(sp.kron(line, one), one) + sp.kron(sp.kron(one, line), one) + sp.kron(sp.kron(one, one), line)
    f = furrow.csr(a)
    x = np.random.default_rng(1).standard_normal(grid**3)
    np.testing.assert_array_equal(f.plan(kernel="stencil")(x), f @ x)


def test_what_does_not_fit_is_refused(rng):
    f = furrow.csr(random_matrix(rng, 6, 5))
    plan = f.plan()
    for bad in (np.ones(6), np.ones((6, 2)), np.ones((5, 1, 1))):
        with pytest.raises(ValueError):
            f @ bad
    with pytest.raises(furrow.Invalid, match="gaps"):
        plan(np.ones(10)[::2])
    with pytest.raises(furrow.Invalid, match="dtype"):
        plan(np.ones(5, np.int64))
    x = np.ones(11)
    with pytest.raises(furrow.Invalid, match="overlap"):
        plan(x[:5], out=x[4:10])
    read_only = np.empty(6)
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        plan(np.ones(5), out=read_only)
    with pytest.raises(furrow.Unsupported, match="kernel"):
        f.plan(kernel="nonesuch")


def test_from_the_left_and_as_scipys_operator(rng):
    a = random_matrix(rng, 8, 6, dtype=np.complex128)
    f = furrow.csr(a)
    x, block = random_values(rng, 8, np.complex128), random_values(rng, (3, 8), np.complex128)
    np.testing.assert_allclose(x @ f, x @ a, rtol=1e-12)
    np.testing.assert_allclose(block @ f, block @ a, rtol=1e-12)
    operator = aslinearoperator(f)
    np.testing.assert_allclose(operator.H @ x, a.conj().T @ x, rtol=1e-12)
    np.testing.assert_allclose(operator @ block[:, :6].T, a @ block[:, :6].T, rtol=1e-12)
