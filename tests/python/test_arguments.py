"""Arguments of every public function: unknown keywords, values of another type, and numbers that must be used
unchanged."""

import inspect

import furrow
import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp

matplotlib.use("agg")

MATRIX = furrow.Stencil(5, (6, 6)).to_csr()
STENCIL = furrow.Stencil(5, (6, 6))
B, BLOCK = np.ones(36), np.ones((36, 2))
POINTS = np.random.default_rng(1).random((9, 2))
BATCH = furrow.Batch(np.eye(2), np.ones((2, 3)))
ARRAYS = np.ones(2), np.array([0, 1], np.int32), np.array([0, 1, 2], np.int32)
SYSTEM = {"A": MATRIX, "b": B}

# A call of each public function that takes arguments, and names of its further options.
CALLS = {
    "furrow.Batch": (furrow.Batch, {"pattern": np.eye(2), "values": np.ones((2, 3))}),
    "furrow.Batch.solve": (BATCH.solve, {"b": np.ones((2, 3))}),
    "furrow.Csr.spy": (MATRIX.spy, {}),
    "furrow.Csr.plan": (MATRIX.plan, {}),
    "furrow.Csr.dot": (MATRIX.dot, {"other": B}),
    "furrow.Csr.matvec": (MATRIX.matvec, {"x": B}),
    "furrow.Csr.matmat": (MATRIX.matmat, {"x": BLOCK}),
    "furrow.Csr.rmatvec": (MATRIX.rmatvec, {"x": B}),
    "furrow.Csr.rmatmat": (MATRIX.rmatmat, {"x": BLOCK}),
    "furrow.Csr.multiply": (MATRIX.multiply, {"other": MATRIX}),
    "furrow.Csr.astype": (MATRIX.astype, {"dtype": np.float32}),
    "furrow.Csr.to": (MATRIX.to, {"device": "cpu"}),
    "furrow.Csr.set_values": (MATRIX.copy().set_values, {"data": MATRIX.data}),
    "furrow.Csr.to_scipy": (MATRIX.to_scipy, {}),
    "furrow.Limits": (furrow.Limits, {}),
    "furrow.MatmulPlan": (furrow.MatmulPlan, {"A": MATRIX, "B": MATRIX}),
    "furrow.MatmulPlan.__call__": (furrow.MatmulPlan(MATRIX, MATRIX), {}),
    "furrow.Multigrid": (furrow.Multigrid, {"stencil": STENCIL}),
    "furrow.Multigrid.solve": (furrow.Multigrid(STENCIL).solve, {"b": B}),
    "furrow.Plan.__call__": (MATRIX.plan(), {"x": B}),
    "furrow.Preconditioner": (furrow.Preconditioner, {"A": MATRIX}),
    "furrow.Preconditioner.__call__": (furrow.Preconditioner(MATRIX), {"r": B}),
    "furrow.Preconditioner.matvec": (furrow.Preconditioner(MATRIX).matvec, {"r": B}),
    "furrow.Stencil": (furrow.Stencil, {"points": 5, "extent": (6, 6)}),
    "furrow.Stencil.astype": (STENCIL.astype, {"dtype": np.float32}),
    "furrow.Stencil.matmat": (STENCIL.matmat, {"x": BLOCK}),
    "furrow.Stencil.sweep": (STENCIL.sweep, {"x": B}),
    "furrow.Stencil.rmatvec": (STENCIL.rmatvec, {"x": B}),
    "furrow.TriangularSolve": (furrow.TriangularSolve, {"A": MATRIX}),
    "furrow.TriangularSolve.matmat": (furrow.TriangularSolve(MATRIX).matmat, {"b": BLOCK}),
    "furrow.bicgstab": (furrow.bicgstab, SYSTEM),
    "furrow.cg": (furrow.cg, SYSTEM),
    "furrow.colours": (furrow.colours, {"A": MATRIX}),
    "furrow.connected_components": (furrow.connected_components, {"csgraph": MATRIX}),
    "furrow.csr": (furrow.csr, {"M": ARRAYS}),
    "furrow.eigsh": (furrow.eigsh, {"A": MATRIX, "k": 2}),
    "furrow.gmres": (furrow.gmres, SYSTEM),
    "furrow.idrs": (furrow.idrs, SYSTEM),
    "furrow.io.mminfo": (furrow.io.mminfo, {"source": "a.mtx"}),
    "furrow.io.mmread": (furrow.io.mmread, {"source": "a.mtx"}),
    "furrow.io.mmwrite": (furrow.io.mmwrite, {"target": "b.mtx", "a": MATRIX}),
    "furrow.kron": (furrow.kron, {"A": np.eye(2), "B": np.eye(2)}),
    "furrow.lobpcg": (furrow.lobpcg, {"A": MATRIX, "X": BLOCK}),
    "furrow.lsmr": (furrow.lsmr, SYSTEM),
    "furrow.lsqr": (furrow.lsqr, SYSTEM),
    "furrow.measure_order": (furrow.measure_order, {"A": MATRIX}),
    "furrow.minres": (furrow.minres, SYSTEM),
    "furrow.neighbours": (furrow.neighbours, {"points": POINTS, "k": 2}),
    "furrow.neighbours_graph": (furrow.neighbours_graph, {"points": POINTS, "k": 2}),
    "furrow.norm": (furrow.norm, {"A": MATRIX}),
    "furrow.permute": (furrow.permute, {"A": MATRIX}),
    "furrow.plot_convergence": (furrow.plot_convergence, {"histories": [1.0, 0.1]}),
    "furrow.plot_roofline": (furrow.plot_roofline, {"plans": MATRIX.plan(), "bandwidth": 1e9}),
    "furrow.preconditioner_options": (furrow.preconditioner_options, {"kind": "ilut"}),
    "furrow.read": (furrow.read, {"path": "a.mtx"}),
    "furrow.read_header": (furrow.read_header, {"path": "a.mtx"}),
    "furrow.recognise": (furrow.recognise, {"A": MATRIX}),
    "furrow.reorder": (furrow.reorder, {"A": MATRIX}),
    "furrow.reverse_cuthill_mckee": (furrow.reverse_cuthill_mckee, {"graph": MATRIX}),
    "furrow.sddmm": (furrow.sddmm, {"A": MATRIX, "X": BLOCK, "Y": BLOCK}),
    "furrow.set_num_threads": (furrow.set_num_threads, {"threads": None}),
    "furrow.solve": (furrow.solve, SYSTEM),
    "furrow.solve_block": (furrow.solve_block, {"A": MATRIX, "B": BLOCK}),
    "furrow.spgemm": (furrow.spgemm, {"A": MATRIX, "B": MATRIX}),
    "furrow.spsolve_triangular": (furrow.spsolve_triangular, SYSTEM),
    "furrow.tril": (furrow.tril, {"A": MATRIX}),
    "furrow.triple": (furrow.triple, {"R": MATRIX, "A": MATRIX, "P": MATRIX}),
    "furrow.trisolve": (furrow.trisolve, SYSTEM),
    "furrow.triu": (furrow.triu, {"A": MATRIX}),
    "furrow.write": (furrow.write, {"path": "b.mtx", "A": MATRIX}),
}
# The options of each kind of preconditioner that has options.
OPTIONS = {kind: list(furrow.preconditioner_options(kind)) for kind in furrow.preconditioners()}
OPTIONS = {kind: options for kind, options in OPTIONS.items() if options}
# Classes whose objects callers read but do not create.
RESULTS = {furrow.Csr, furrow.Info, furrow.Plan, furrow.Recognition}
JUNK = [
    "legacy", "", b"x", "\udc80", None, object(), [], ["a"], {}, 1j, 1.5, [1.5], np.array([0.5, 1.0]), -1, 0, 2**70,
    float("nan"), float("inf"), np.float32(1.0), np.int8(2), np.bool_(True), lambda *a: None,
]  # fmt: skip
REFUSALS = (TypeError, ValueError, OverflowError, NotImplementedError, IndexError, OSError, furrow.Error)


def public():
    """Yields all public functions and methods, and the classes that callers create objects of, with their names."""
    for module in (furrow, furrow.io):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found):
                yield from members(f"{module.__name__}.{name}", found)
            elif callable(found):
                yield f"{module.__name__}.{name}", found


def members(name, found):
    if not issubclass(found, Exception) and found not in RESULTS and not name.endswith(("Report", "Figures", "Header")):
        yield name, found
    for member, value in vars(found).items():
        if callable(value) and (not member.startswith("_") or member == "__call__"):
            yield f"{name}.{member}", value


PUBLIC = dict(public())


def takes_arguments(found):
    return set(inspect.signature(found).parameters) - {"self"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    furrow.write("a.mtx", MATRIX)
    yield
    furrow.set_num_threads(None)
    if "matplotlib.pyplot" in __import__("sys").modules:
        __import__("matplotlib.pyplot").pyplot.close("all")


def test_the_table_has_every_function():
    left_out = {"furrow.write_report"}  # test_report.py tests it, because it runs the command
    assert set(CALLS) | left_out == {name for name, found in PUBLIC.items() if takes_arguments(found)}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_unknown_keywords_are_refused(name):
    call, arguments = CALLS.get(name, (PUBLIC[name], {}))
    if name == "furrow.write_report":
        pytest.skip("it runs the command")
    with pytest.raises(TypeError, match="nonsense"):
        call(**arguments, nonsense=1)


@pytest.mark.parametrize("M", [None, MATRIX, furrow.Preconditioner(MATRIX), "jacobi", "amg"])
@pytest.mark.parametrize("solver", [furrow.cg, furrow.bicgstab, furrow.gmres, furrow.minres, furrow.idrs])
def test_unknown_keywords_are_refused_beside_any_preconditioner(solver, M):
    for keyword in ({"tol": 1e-14}, {"fill": 2}, {"degree": None}):
        with pytest.raises(TypeError, match=next(iter(keyword))):
            solver(MATRIX, B, M=M, **keyword)
    with pytest.raises(TypeError, match="fill"):
        furrow.solve_block(MATRIX, BLOCK, M=M, fill=2)
    with pytest.raises(TypeError, match="fill"):
        furrow.lobpcg(MATRIX, BLOCK, M=M, fill=2)


@pytest.mark.parametrize("kind", sorted(OPTIONS))
def test_options_of_other_kinds_are_refused(kind):
    for option in {o for options in OPTIONS.values() for o in options} - set(OPTIONS[kind]):
        with pytest.raises(TypeError, match=f"{kind} has no option '{option}'"):
            furrow.Preconditioner(MATRIX, kind, **{option: 1})


def refuse_or_work(call, arguments, name, value):
    """Checks that a call with a value of another type works or raises an error with a message."""
    try:
        call(**{**arguments, name: value})
    except REFUSALS as failure:
        words = str(failure)
        assert "incompatible function" not in words and "std::" not in words and "bad_cast" not in words, words


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CALLS))
def test_values_of_another_type(name):
    call, arguments = CALLS[name]
    for parameter in inspect.signature(call).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            for value in JUNK:
                refuse_or_work(call, arguments, parameter.name, value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", sorted(OPTIONS))
def test_options_of_another_type(kind):
    for option in OPTIONS[kind]:
        for value in JUNK:
            refuse_or_work(furrow.Preconditioner, {"A": MATRIX, "kind": kind}, option, value)


@pytest.mark.parametrize("kind", sorted(OPTIONS))
def test_a_text_is_no_number(kind):
    words = {"smoother", "coarsening", "cycle"}
    for option in OPTIONS[kind]:
        with pytest.raises(TypeError, match=f"{option} is .*; it should be"):
            furrow.Preconditioner(MATRIX, kind, **{option: 3 if option in words else "many"})


def test_the_sentences():
    for call, words in (
        (lambda: furrow.cg(MATRIX, B, atol="legacy"), "atol is 'legacy'; it should be a number"),
        (lambda: furrow.cg(MATRIX, B, maxiter=1e3), r"maxiter is 1000.0; it should be an integer"),
        (lambda: furrow.gmres(MATRIX, B, restart=1.5), "restart is 1.5; it should be an integer"),
        (lambda: furrow.solve(MATRIX, B, method=5), "method is 5; it should be a string"),
        (lambda: furrow.trisolve(MATRIX, B, lower="no"), "lower is 'no'; it should be True or False"),
        (lambda: furrow.cg(MATRIX, B, callback=3), "callback is 3; it should be a function"),
        (lambda: furrow.cg(MATRIX, B, residuals=3), "residuals is 3; it should be a list"),
        (lambda: furrow.csr((np.ones(1), np.array([0.7]), np.array([0, 1]))), "indices has dtype float64"),
        (lambda: furrow.csr(ARRAYS, shape=(2, 2.5)), "shape is 2.5; it should be an integer"),
        (lambda: furrow.Stencil(5, (6.5, 6)), "extent is 6.5; it should be an integer"),
        (lambda: furrow.minres(MATRIX, B, 1j * B), "Cannot cast"),
        (lambda: furrow.cg(MATRIX, ["a"] * 36), "not supported"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_indices_that_do_not_fit_are_refused():
    for far in (2**32 + 1, 1 - 2**32):
        with pytest.raises(OverflowError, match="4294967"):
            furrow.csr((np.ones(1), np.array([far]), np.array([0, 1])), shape=(1, 5))


# ---- numbers are used unchanged


def small_system(rng):
    a = sp.diags_array(np.linspace(1, 40, 40)) + sp.diags_array([0.3, 0.3], offsets=[-1, 1], shape=(40, 40))
    return a.tocsr(), rng.standard_normal(40)


@pytest.mark.parametrize("solver", [furrow.cg, furrow.bicgstab, furrow.gmres, furrow.idrs])
def test_a_tolerance_of_0_is_none(rng, solver):
    """As in SciPy's test_atol, rtol = 0 leaves only the tolerance atol."""
    a, b = small_system(rng)
    for atol in (1e-2, 1e-6, 1e-9, 1e-11):
        x, info = solver(a, b, rtol=0, atol=atol)
        assert info == 0 and np.linalg.norm(b - a @ x) <= 1.001 * atol
    x, info = solver(a, b, rtol=0)
    assert info.report.outcome != "converged" and 0 < info.report.residual < 1e-14  # rounding allows no less
    x, info = solver(a, b, rtol=None)
    assert info == 0 and 0 < info.report.residual <= 1e-10
    x, info = solver(a.astype(np.float32), b.astype(np.float32), rtol=None)
    assert info == 0 and 1e-10 < info.report.residual <= 1e-5


def test_tolerances_of_0_elsewhere(rng):
    a, b = small_system(rng)
    for _, info in (furrow.minres(a, b, rtol=0), furrow.solve(a, b, rtol=0, maxiter=300)):
        assert info.report.outcome != "converged" and 0 < info.report.residual < 1e-14
    _, infos = furrow.solve_block(a, np.stack([b, b], axis=1), rtol=0, atol=1e-9)
    assert all(info == 0 and info.report.residual <= 1e-9 for info in infos)
    _, report = furrow.Batch(furrow.csr(a), np.stack([a.data], axis=1)).solve(b[:, None], rtol=0, maxiter=200)
    assert not report.converged.any()
    _, info = furrow.Multigrid(STENCIL).solve(B, rtol=0, maxiter=3)
    assert info == 3
    with pytest.warns(UserWarning, match="0 of 1 eigenvalues"):
        furrow.lobpcg(a, np.ones((40, 1)), tol=0, maxiter=30)
    for method in (furrow.lsqr, furrow.lsmr):
        x, istop, *_ = method(a, b, atol=0, btol=1e-3)
        assert istop == 1 and 1e-6 < istop.report.residual <= 1e-3
        assert method(a, b, atol=0, btol=0)[1] not in (1, 2)


def test_eigenvalues_to_machine_precision(rng):
    """As in SciPy, tol = 0 asks for machine precision."""
    a, _ = small_system(rng)
    for dtype in (np.float32, np.float64):
        residuals = []
        w = furrow.eigsh(a.astype(dtype), 2, which="LA", tol=0, return_eigenvectors=False, residuals=residuals)
        assert max(residuals) <= 40 * 1000 * np.finfo(dtype).eps
        np.testing.assert_allclose(w, np.linalg.eigvalsh(a.toarray())[-2:], atol=max(residuals), rtol=1e-6)


@pytest.mark.parametrize("solver", [furrow.cg, furrow.bicgstab, furrow.gmres, furrow.minres, furrow.idrs, furrow.solve])
def test_no_iterations(rng, solver):
    a, b = small_system(rng)
    guess = rng.standard_normal(40)
    x, info = solver(a, b, guess, maxiter=0)
    assert info == 1 and info.report.stopped and info.report.outcome == "iteration limit reached"
    assert info.report.iterations == 0 and len(info.report.residuals) == 1
    np.testing.assert_array_equal(x, guess)
    assert info.report.residual == pytest.approx(np.linalg.norm(b - a @ guess) / np.linalg.norm(b))
    x, info = solver(a, b, solver(a, b, rtol=1e-12)[0], rtol=1e-6, maxiter=0)
    assert info == 0 and info.report.iterations == 0


def test_no_iterations_of_least_squares_and_blocks(rng):
    a, b = small_system(rng)
    for x, istop, iterations, *_ in (furrow.lsqr(a, b, iter_lim=0), furrow.lsmr(a, b, maxiter=0)):
        assert istop == 7 and iterations == 0 and not x.any()
    X, infos = furrow.solve_block(a, np.stack([b, 0 * b], axis=1), maxiter=0)
    assert not X.any() and [int(info) for info in infos] == [1, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: furrow.gmres(MATRIX, B, restart=0),
        lambda: furrow.idrs(MATRIX, B, s=0),
        lambda: furrow.cg(MATRIX, B, maxiter=-1),
        lambda: furrow.eigsh(MATRIX, 2, maxiter=0),
        lambda: furrow.eigsh(MATRIX, 0),
        lambda: furrow.eigsh(MATRIX, 2, ncv=0),
        lambda: furrow.lobpcg(MATRIX, BLOCK, maxiter=0),
        lambda: BATCH.solve(np.ones((2, 3)), maxiter=0),
        lambda: furrow.Multigrid(STENCIL).solve(B, maxiter=0),
        lambda: furrow.Multigrid(STENCIL, levels=0),
        lambda: furrow.Preconditioner(MATRIX, "ilu", fill=0),
        lambda: furrow.Preconditioner(MATRIX, "amg", sweeps=0),
        lambda: MATRIX.plan(uses=0),
        lambda: MATRIX.spy(cells=0),
        lambda: furrow.csr(ARRAYS, threads=0),
        lambda: furrow.set_num_threads(0),
        lambda: furrow.Limits(entries=0),
        lambda: furrow.Limits(seconds=0),
        lambda: furrow.cg(MATRIX, B, rtol=-1.0),
        lambda: furrow.cg(MATRIX, B, atol=float("nan")),
    ],
)
def test_counts_of_0_and_below_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_zeros_that_mean_something():
    S = furrow.Stencil(5, (40, 40))
    assert furrow.Multigrid(S, pre_sweeps=0, post_sweeps=1).solve(np.ones(1600))[1] == 0
    offsets, values = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)], [2.02, -1, -1, -0.01, -0.01]
    weak = furrow.Stencil(offsets, (40, 40), values).to_csr()
    usual, none = (furrow.Preconditioner(weak, "amg", theta=theta) for theta in (None, 0))
    assert usual.report["entries"] != none.report["entries"]
    assert furrow.Preconditioner(S.to_csr(), "ilut", drop=0).report["entries"] > 1600
    assert furrow.Preconditioner(S.to_csr(), "fsai", fill=0).report["entries"] > 0
