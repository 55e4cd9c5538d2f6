"""A solve with several right-hand sides treats each column as a separate solve would."""

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, random_values

GRID = (13, 14)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("M", [None, "jacobi", "ic0"])
def test_columns_of_cg_have_the_bits_of_single_solves(rng, dtype, M):
    a = furrow.Stencil(5, GRID).to_csr().astype(dtype)
    b = random_values(rng, (182, 19), dtype)
    x, infos = furrow.solve_block(a, b, M=M)
    assert x.dtype == dtype and len(infos) == 19 and all(info == 0 for info in infos)
    for k, info in enumerate(infos):
        alone, its = furrow.cg(a, b[:, k], M=M)
        np.testing.assert_array_equal(x[:, k], alone)
        assert info.report.iterations == its.report.iterations


@pytest.mark.parametrize("method", ["minres", "gmres", "bicgstab", "idrs"])
def test_other_methods_and_operators(rng, method):
    a, b = furrow.Stencil(5, GRID), rng.standard_normal((182, 3))
    for operator in (a, a.to_csr(), spla.aslinearoperator(a.to_csr().to_scipy())):
        x, infos = furrow.solve_block(operator, b, method=method, rtol=1e-10)
        assert all(info == 0 for info in infos)
        assert np.linalg.norm(b - a @ x) <= 2e-10 * np.linalg.norm(b)


def test_guesses_limits_and_no_columns(rng):
    a, b = furrow.Stencil(5, GRID).to_csr(), rng.standard_normal((182, 3))
    x, _ = furrow.solve_block(a, b, rtol=1e-10)
    again, infos = furrow.solve_block(a, b, x, rtol=1e-9)
    np.testing.assert_array_equal(again, x)
    assert [info.report.iterations for info in infos] == [0, 0, 0]
    _, infos = furrow.solve_block(a, b, maxiter=2, rtol=1e-10)
    assert all(info == 2 for info in infos)
    x, infos = furrow.solve_block(a, b[:, :0])
    assert x.shape == (182, 0) and infos == []
    with pytest.raises(ValueError):
        furrow.solve_block(a, b[:5])
    with pytest.raises(ValueError):
        furrow.solve_block(a, b[:, 0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("solver", ["cg", "minres", "solve"])
def test_bits_do_not_depend_on_which_plan_was_faster(rng, solver, dtype):
    """A stencil matrix whose rows have two colours gives the same bits and iterations in each solve."""
    a = furrow.Stencil(5, (40, 40)).to_csr().astype(dtype)
    b, solve = random_values(rng, 1600, dtype), getattr(furrow, solver)
    want = solve(a, b, rtol=1e-4)
    for threads in (1, 2, 3) * 5:
        x, info = solve(furrow.csr(a, threads=threads), b, rtol=1e-4)
        np.testing.assert_array_equal(x, want[0])
        assert info.report.iterations == want[1].report.iterations


@pytest.mark.parametrize("varies", [False, True])
def test_every_way_solves_for_one_of_two_colours(rng, varies):
    """cg and solve, without or with any kind of Jacobi, need equally many iterations, about half of those of the
    unreduced system."""
    weights = rng.uniform(0.5, 1.5, 30 * 25 + 30) if varies else np.ones(30 * 25 + 30)
    across, along = (w * m for w, m in ((weights[:749], np.arange(1, 750) % 30 > 0), (weights[30:750], 1)))
    off = sp.diags_array([-across, -along], offsets=[1, 30], shape=(750, 750))
    a = furrow.csr((off + off.T + sp.diags_array(0.01 - (off + off.T) @ np.ones(750))).tocsr())
    b = rng.standard_normal(750)
    want, info = furrow.cg(a, b, rtol=1e-8)
    diagonal = a.diagonal()
    whole = furrow.cg(a, b, rtol=1e-8, M=lambda r: r / diagonal)[1].report.iterations
    assert info == 0 and info.report.iterations < 0.6 * whole
    plan = a.plan(kernel="rows")
    ways = [
        furrow.cg(a, b, rtol=1e-8, M="jacobi"),
        furrow.cg(a, b, rtol=1e-8, M=furrow.Preconditioner(a, "jacobi")),
        furrow.cg(plan, b, rtol=1e-8),
        *(furrow.solve(a, b, rtol=1e-8, method="cg", M=M) for M in (None, "none", "jacobi")),
    ]
    for x, found in ways:
        assert found.report.iterations == info.report.iterations
        np.testing.assert_array_equal(x, want)
    narrow = a.astype(np.float32)
    first, second = (furrow.cg(narrow, b, rtol=1e-8, M=M) for M in (None, "jacobi"))
    np.testing.assert_array_equal(first[0], second[0])
