"""Solvers: true residuals, SciPy's solutions, callbacks, operators and preconditioners of every kind, Ctrl-C."""

import warnings

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import DTYPES, interrupted_after, random_matrix, random_values

SOLVERS = [furrow.cg, furrow.bicgstab, furrow.gmres, furrow.minres, furrow.idrs]


def laplacian(grid, dtype=np.float64):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(grid, grid))
    one = sp.eye_array(grid)
    return (sp.kron(line, one) + sp.kron(one, line)).tocsr().astype(dtype)


def residual(a, x, b):
    return np.linalg.norm(b - a @ x) / np.linalg.norm(b)


def apart(x, y):
    """Returns the relative distance of two solutions. It is at most 2 * condition * rtol for solves to rtol; here
    condition < 50."""
    return np.linalg.norm(x - y) / np.linalg.norm(y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_residual_is_as_small_as_asked(rng, solver, dtype):
    a = laplacian(12, dtype)
    b = random_values(rng, a.shape[0], dtype)
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    x, info = solver(a, b, rtol=rtol)
    assert info == 0 and info.report.converged and x.dtype == dtype
    assert residual(a, x, b) <= 1.01 * rtol
    assert info.report.residual <= rtol and info.report.iterations > 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_whatever_can_be_a_matrix(rng, solver):
    a = laplacian(8)
    b = rng.standard_normal(64)
    first, info = solver(furrow.csr(a), b, rtol=1e-10)
    assert info == 0
    for other in (a.tocoo(), a.toarray(), sp.csc_matrix(a), spla.aslinearoperator(a), lambda x: a @ x):
        x, info = solver(other, b, rtol=1e-10)
        assert info == 0
        assert apart(x, first) <= 1e-8


@pytest.mark.parametrize("kind", sorted(set(furrow.preconditioners()) - {"direct"}))
def test_preconditioners(rng, kind):
    a = laplacian(12)
    b = rng.standard_normal(144)
    plain = furrow.gmres(a, b, rtol=1e-8)[1].report.iterations
    x, info = furrow.gmres(a, b, rtol=1e-8, M=kind)
    assert info == 0 and residual(a, x, b) <= 1e-7
    assert info.report.iterations <= plain + 5
    M = furrow.Preconditioner(a, kind)
    assert M.report["kind"] == kind and kind in repr(M)
    assert furrow.gmres(a, b, rtol=1e-8, M=M)[1].report.iterations == info.report.iterations
    z = M @ b
    np.testing.assert_array_equal(spla.aslinearoperator(M) @ b, z)
    np.testing.assert_array_equal((M @ np.stack([b, b], axis=1))[:, 1], z)
    x, info = spla.gmres(a, b, rtol=1e-8, M=spla.aslinearoperator(M))
    assert info == 0


def test_complete_factors(rng):
    a, b = laplacian(12), rng.standard_normal(144)
    try:
        x, info = furrow.solve(a, b, method="direct")
    except furrow.Unsupported:
        pytest.skip("no library that makes complete factors")
    assert info == 0 and residual(a, x, b) <= 1e-10
    assert info.report.method == "direct" and info.report.iterations <= 2
    with pytest.raises(ValueError, match="complete factors as its preconditioner"):
        furrow.solve(a, b, method="direct", M="ic0")


def test_options_are_keywords_or_text():
    a = laplacian(12)
    made = [
        furrow.Preconditioner(a, "ilut", fill=1, drop=0.25),
        furrow.Preconditioner(a, "ilut:fill=1,drop=0.25"),
        furrow.Preconditioner(a, "ilut:fill=1", drop=0.25),
    ]
    assert len({M.report["entries"] for M in made}) == 1
    assert made[0].report["entries"] < furrow.Preconditioner(a, "ilut").report["entries"]
    with pytest.raises(TypeError, match="has no option 'full'; it has fill, drop, shift, no_matching"):
        furrow.Preconditioner(a, "ilut", full=1)
    with pytest.raises(ValueError, match="fill of .ilut. must be from 1 to 10000; it is 0"):
        furrow.Preconditioner(a, "ilut", fill=0)


def test_preconditioners_of_callers(rng):
    a = laplacian(10)
    b = rng.standard_normal(100)
    inverse = sp.diags_array(1 / a.diagonal())
    want = furrow.cg(a, b, rtol=1e-9)[0]
    for M in (inverse, spla.aslinearoperator(inverse), lambda r: r / a.diagonal()):
        x, info = furrow.cg(a, b, rtol=1e-9, M=M)
        assert info == 0
        assert apart(x, want) <= 1e-7
    with pytest.raises(TypeError, match="has no option 'deegree'"):
        furrow.cg(a, b, M="chebyshev", deegree=4)
    with pytest.raises(furrow.Unsupported, match="nonesuch"):
        furrow.cg(a, b, M="nonesuch")
    with pytest.raises(TypeError, match="needs a matrix"):
        furrow.cg(lambda x: a @ x, b, M="jacobi")


def test_the_callback_of_cg_gets_every_iterate(rng):
    a = laplacian(10)
    b = rng.standard_normal(100)
    seen, residuals = [], []
    x, info = furrow.cg(a, b, rtol=1e-8, callback=lambda xk: seen.append(xk.copy()), residuals=residuals)
    assert len(seen) == info.report.iterations and len(residuals) == len(seen) + 1
    np.testing.assert_array_equal(seen[-1], x)
    for xk, told in zip(seen, residuals[1:], strict=True):
        assert residual(a, xk, b) == pytest.approx(told, rel=1e-3)
    theirs = []
    spla.cg(a, b, rtol=1e-8, callback=lambda xk: theirs.append(xk.copy()))
    assert apart(seen[4], theirs[4]) <= 1e-8


@pytest.mark.parametrize("solver", [furrow.bicgstab, furrow.minres, furrow.idrs])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1, 1e-15])
def test_other_callbacks_get_every_iterate(rng, solver, dtype, scale):
    a = laplacian(10, dtype)
    b = (scale * random_values(rng, 100, dtype)).astype(dtype)
    guess = (scale * random_values(rng, 100, dtype)).astype(dtype)
    seen, residuals = [], []
    x, info = solver(a, b, guess, rtol=1e-4, callback=lambda xk: seen.append(xk.copy()), residuals=residuals)
    assert info == 0 and len(residuals) == len(seen) + 1 and seen[0].dtype == dtype
    for xk, told in zip(seen, residuals[1:], strict=True):
        assert residual(a, xk, b) == pytest.approx(told, rel=1e-6, abs=1e4 * float(np.finfo(dtype).eps))
    np.testing.assert_allclose(seen[-1], x, rtol=1e-3, atol=1e-4 * abs(x).max())


@pytest.mark.parametrize("ours, theirs", [(furrow.bicgstab, spla.bicgstab), (furrow.minres, spla.minres)])
def test_iterates_are_those_of_scipy(rng, ours, theirs):
    a = laplacian(10)
    b = rng.standard_normal(100)
    iterates = [[], []]
    for solver, seen in zip((ours, theirs), iterates, strict=True):
        solver(a, b, rtol=1e-8, callback=lambda xk, seen=seen: seen.append(xk.copy()))
    assert apart(iterates[0][4], iterates[1][4]) <= 1e-8


def test_the_callback_of_gmres_gets_residuals(rng):
    a = laplacian(8)
    seen, residuals = [], []
    _, info = furrow.gmres(a, rng.standard_normal(64), callback=seen.append, residuals=residuals)
    assert info == 0 and seen == residuals[1:] and len(seen) >= info.report.iterations


def test_exceptions_of_callers_functions_arrive(rng):
    a = laplacian(8)
    b = rng.standard_normal(64)
    for arguments in (
        {"A": lambda x: x / np.array([]), "b": b},
        {"A": a, "b": b, "M": lambda r: 1 // 0},
        {"A": a, "b": b, "callback": lambda x: 1 // 0},
        {"A": a, "b": b, "progress": lambda k, r: 1 // 0},
    ):
        with pytest.raises((ZeroDivisionError, ValueError)):
            furrow.cg(**arguments)
    assert furrow.cg(a, b)[1] == 0  # the failed calls leave no exception behind for later calls


def test_a_function_may_use_the_package(rng):
    a = furrow.csr(laplacian(8))
    b = rng.standard_normal(64)
    x, info = furrow.cg(lambda x: a @ x, b, rtol=1e-9, M=lambda r: furrow.cg(a, r, rtol=1e-3)[0])
    assert info == 0 and residual(a.to_scipy(), x, b) < 1e-8


def test_what_did_not_converge_is_said(rng):
    a = laplacian(20)
    b = rng.standard_normal(400)
    x, info = furrow.cg(a, b, rtol=1e-12, maxiter=5)
    assert info == 5 and not info.report.converged and info.report.advice
    indefinite = sp.diags_array(np.linspace(-1, 1, 400))
    x, info = furrow.cg(indefinite, b)
    assert info == -1 and "indefinite" in info.report.outcome
    x, info = furrow.cg(a, b, rtol=1e-12, progress=lambda k, r: True)
    assert info > 0


def test_bits_do_not_depend_on_threads(rng):
    a = laplacian(40)
    b = rng.standard_normal(1600)
    first = furrow.cg(furrow.csr(a, threads=1), b, M="jacobi")[0]
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(furrow.cg(furrow.csr(a, threads=threads), b, M="jacobi")[0], first)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_guess_that_is_not_finite_is_refused(solver):
    a = sp.csr_array([[2.0, 0.0], [0.0, 0.0]])  # the second column has no entry
    with pytest.raises(furrow.Invalid, match="entry 2 of the initial guess, counting from 1, is not finite"):
        solver(a, np.array([1.0, 0.0]), x0=np.array([0.0, np.nan]))


def test_minres_with_a_shift(rng):
    a = laplacian(8)
    b = rng.standard_normal(64)
    x, info = furrow.minres(a, b, shift=0.3, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(a @ x - 0.3 * x, b, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_solve_chooses_by_itself(rng, dtype):
    a = random_matrix(rng, 200, 200, 0.03, dtype) + 8 * sp.eye_array(200)
    for matrix in (a, laplacian(14, dtype)):
        b = random_values(rng, matrix.shape[0], dtype)
        x, info = furrow.solve(matrix, b)
        assert info == 0 and residual(matrix, x, b) <= 1e-9
        assert info.report.attempts and info.report.method in furrow.methods()
    tall = random_matrix(rng, 100, 20, 0.3, dtype) + sp.eye_array(100, 20)
    b = random_values(rng, 100, dtype)
    x, info = furrow.solve(tall, b)
    assert info == 0
    np.testing.assert_allclose(x, np.linalg.lstsq(tall.toarray(), b)[0], atol=1e-6)


@pytest.mark.parametrize("name", ["bicgstab", "eigsh", "amg"])
def test_ctrl_c_ends_a_solve(name):
    """Ctrl-C ends a solve. docs/results/python.md has the delays. eigsh cannot reach this tolerance before its next
    restart."""
    a = furrow.csr(laplacian(200))
    b = np.ones(40000)
    calls = {
        "bicgstab": lambda: furrow.bicgstab(a, b, rtol=1e-300, maxiter=10**9),
        "eigsh": lambda: furrow.eigsh(a, 10, ncv=400, tol=1e-300),
        "amg": lambda: furrow.Preconditioner(a, "amg"),
    }
    with interrupted_after(0.1), pytest.raises(KeyboardInterrupt) as raised:
        for _ in range(1000):
            calls[name]()
    assert "furrow" in str(raised.traceback[-1].path)


def upwind(grid):
    """Returns a matrix of diffusion and stronger convection. It is diagonally dominant and far from symmetric."""
    step = sp.diags_array([-50.0, 50.0], offsets=[-1, 0], shape=(grid, grid))
    return (laplacian(grid) + sp.kron(step, sp.eye_array(grid))).tocsr()


@pytest.mark.parametrize("solver", [furrow.gmres, furrow.bicgstab, furrow.idrs])
def test_multigrid_takes_the_form_for_a_as_it_is(rng, solver):
    a, s = upwind(20), laplacian(20)
    b = rng.standard_normal(400)
    for matrix, nonsymmetric in ((a, True), (s, False), (s + sp.csr_array(1e-16 * abs(a)), False)):
        named, said, other = (
            solver(matrix, b, rtol=1e-8, M="amg", maxiter=200, **options)
            for options in ({}, {"nonsymmetric": nonsymmetric}, {"nonsymmetric": not nonsymmetric})
        )
        assert named[1] == 0
        np.testing.assert_array_equal(named[0], said[0])
        assert not np.array_equal(named[0], other[0])
    assert furrow.solve_block(a, b[:, None], method="gmres", M="amg", rtol=1e-8)[1][0] == 0


def test_a_least_squares_solution_of_a_square_system_has_not_converged(rng):
    singular = np.diag([1.0, 2.0, 0.0])
    for solve in (furrow.solve, lambda a, b: furrow.solve(a, b, method="lsqr")):
        x, info = solve(singular, np.ones(3))
        assert info != 0 and not info.report.converged
    x, istop, *_ = furrow.lsqr(singular, np.ones(3))
    assert istop == 2 and not istop.report.converged
    x, info = furrow.solve(np.ones((3, 1)), np.array([1.0, 2.0, 3.0]))
    assert info == 0 and info.report.converged and x[0] == pytest.approx(2)


# ---- rows of very different scale

PENALTY = np.array([[1e20, -1, 0], [-1, 2, -1], [0, -1, 2.0]]), np.array([1e20, 1, 1]), np.array([3, 5, 4]) / 3


def test_rows_of_small_scale_count():
    """A large penalty enforces a Dirichlet condition in one row; the other rows must still be solved."""
    a, b, want = PENALTY
    for scale in ("auto", "symmetric", "rows"):
        x, info = furrow.solve(a, b, scale=scale)
        assert info == 0 and info.report.scale in ("symmetric", "rows")
        np.testing.assert_allclose(x, want, rtol=1e-6)
        assert info.report.residual_scaled <= 1e-10
    np.testing.assert_allclose(furrow.solve(a, b)[0], want, rtol=1e-6)
    assert furrow.solve(np.diag([1.0, 2.0]), np.ones(2))[1].report.scale == "none"
    with pytest.raises(ValueError, match="scale is 'best'; it should be one of 'auto', 'none', 'rows', 'symmetric'"):
        furrow.solve(a, b, scale="best")


def test_a_residual_that_hides_rows_is_warned_of(recwarn):
    a, b, want = PENALTY
    calls = {
        "cg": lambda: furrow.cg(a, b),
        "idrs": lambda: furrow.idrs(a, b),
        "solve": lambda: furrow.solve(a, b, method="minres"),
        "none": lambda: furrow.solve(a, b, scale="none", method="cg"),
        "block": lambda: furrow.solve_block(a, b[:, None]),
    }
    for name, call in calls.items():
        with pytest.warns(furrow.SolveWarning, match="hide rows of small scale") as seen:
            x, info = call()
        assert len(seen) == 1 and seen[0].filename == __file__, name
        report = info[0].report if name == "block" else info.report
        assert report.residual_scaled > 1000 * report.residual and report.backward_error_rows > 1e-3
    for call in (lambda: furrow.solve(a, b), lambda: furrow.cg(laplacian(5), np.ones(25))):
        _, info = call()
        assert not recwarn.list and np.isfinite(info.report.residual_scaled)
    assert np.isnan(furrow.cg(lambda x: 2 * x, np.ones(3))[1].report.residual_scaled)


def test_errors_by_rows_are_those_of_the_definition(rng):
    a = sp.csr_array(laplacian(10) * (10.0 ** rng.integers(-3, 3, 100))[:, None])
    b = rng.standard_normal(100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", furrow.SolveWarning)
        x, info = furrow.gmres(a, b, rtol=1e-6, maxiter=1)
    r, rows = b - a @ x, 0.5 ** np.floor(np.log2(abs(a).max(axis=1).toarray().ravel()))
    assert info.report.residual_scaled == pytest.approx(np.linalg.norm(rows * r) / np.linalg.norm(rows * b), rel=1e-10)
    assert info.report.backward_error_rows == pytest.approx(max(abs(r) / (abs(a) @ abs(x) + abs(b))), rel=1e-10)


def test_what_is_exact_up_to_rounding_has_converged():
    """Springs of stiffness 1 and 1e10, and a fourth-order operator in one dimension. Rounding prevents a residual of
    1e-10."""
    stiff = np.array([[1e10 + 1, -1e10], [-1e10, 1e10 + 1]])
    x, info = furrow.solve(stiff, np.array([1.0, 0.0]))
    assert info == 0 and info.report.converged and abs(x - 0.5).max() < 1e-5
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000)).tocsr()
    x, info = furrow.solve(line @ line, np.ones(1000))
    assert info == 0 and info.report.converged and info.report.outcome.startswith("converged to working precision")
    assert info.report.backward_error <= 8 * np.finfo(float).eps and info.report.residual > 1e-10


# ---- singular systems


def neumann(grid, dtype=np.float64):
    """Returns the negated Laplacian of a square with no flux through its sides."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(grid, grid)).tolil()
    line[0, 0] = line[-1, -1] = 1
    one = sp.eye_array(grid)
    return (sp.kron(line, one) + sp.kron(one, line)).tocsr().astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("null_space", ["constant", "vector", "columns", "list"])
@pytest.mark.parametrize("solver", [furrow.cg, furrow.minres, furrow.gmres, furrow.solve])
def test_a_null_space_is_removed(rng, solver, null_space, dtype):
    a = neumann(12, dtype)
    b = a @ random_values(rng, 144, dtype)
    given = {"constant": "constant", "vector": 3 * np.ones(144), "columns": np.ones((144, 1)), "list": [1] * 144}
    x, info = solver(a, b, rng.standard_normal(144).astype(dtype), rtol=1e-8, null_space=given[null_space])
    assert info == 0 and residual(a, x, b) <= 1.01e-8
    assert abs(x.mean()) <= 1e-10 * abs(x).max() and info.report.outside <= 1e-8
    off = b + 1e-3 * np.linalg.norm(b) / 12
    x, info = solver(a, off, rtol=1e-8, null_space=given[null_space])
    assert info != 0 and info.report.outcome == "least-squares solution" and not info.report.converged
    assert info.report.outside == pytest.approx(1e-3, rel=1e-3) and "outside its range" in info.report.advice
    assert residual(a, x, b) <= 1e-7


def test_a_null_space_of_two_vectors_and_blocks(rng):
    part = neumann(8)
    a = sp.block_diag([part, 2 * part], format="csr")
    N = np.kron(np.eye(2), np.ones((64, 1)))
    B = a @ rng.standard_normal((128, 3))
    X, infos = furrow.solve_block(a, B, rtol=1e-9, null_space=N)
    assert all(info == 0 for info in infos) and abs(N.T @ X).max() <= 1e-8
    np.testing.assert_array_equal(furrow.cg(a, B[:, 1].copy(), rtol=1e-9, null_space=N)[0], X[:, 1])
    x, info = furrow.solve(a, B[:, 0].copy())  # solve finds the null vectors automatically
    assert info == 0 and residual(a, x, B[:, 0]) <= 1e-9


def test_what_is_no_null_space_is_refused():
    a = laplacian(5)
    for given, error in (
        ("ones", ValueError),
        (np.ones(24), ValueError),
        (1j * np.ones(25), TypeError),
        (3, TypeError),
    ):
        with pytest.raises(error):
            furrow.cg(a, np.ones(25), null_space=given)
    with pytest.raises(ValueError):
        furrow.cg(a, np.ones(25), null_space="constant")  # A times the vector of ones is not 0
