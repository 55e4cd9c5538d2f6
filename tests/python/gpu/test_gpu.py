"""Matrices on a GPU have the bits of the CPU, with arrays of the host, of CuPy and of torch.
Skipped if no GPU is found."""

import furrow
import numpy as np
import pytest
from conftest import DTYPES, random_matrix, random_values

GPUS = furrow.devices()[1:]
pytestmark = pytest.mark.skipif(not GPUS, reason="there is no GPU, or the package has no code for one")


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_have_the_bits_of_the_cpu(rng, dtype):
    a = furrow.csr(random_matrix(rng, 300, 200, 0.05, dtype))
    g = a.to("cuda")
    assert g.device == "cuda" and g.to("cpu") == a
    x, block = random_values(rng, 200, dtype), random_values(rng, (200, 7), dtype)
    np.testing.assert_array_equal(g @ x, a @ x)
    np.testing.assert_array_equal(g.plan(uses=100)(x), a @ x)
    for order in "CF":
        np.testing.assert_array_equal(g @ np.asarray(block, order=order), a @ block)
    np.testing.assert_array_equal((g @ g.H).to("cpu").toarray(), (a @ a.H).toarray())


def test_solves_have_the_bits_of_the_cpu(rng):
    a = random_matrix(rng, 400, 400, 0.02)
    a = furrow.csr(a @ a.T + 4 * np.eye(400))
    b = rng.standard_normal(400)
    for M in (None, "jacobi"):
        x, info = furrow.cg(a.to("cuda"), b, rtol=1e-9, M=M)
        assert info == 0
        np.testing.assert_array_equal(x, furrow.cg(a, b, rtol=1e-9, M=M)[0])


@pytest.mark.parametrize("name", ["numpy", "cupy", "torch"])
@pytest.mark.parametrize("solver", [furrow.cg, furrow.bicgstab, furrow.minres, furrow.idrs])
def test_callbacks_get_iterates_of_the_callers_kind(rng, solver, name):
    library = pytest.importorskip(name)
    a = random_matrix(rng, 400, 400, 0.02)
    a = furrow.csr(a @ a.T + 4 * np.eye(400))
    b = rng.standard_normal(400)
    seen, residuals = [], []

    def residual(xk):
        xk = xk if isinstance(xk, np.ndarray) else xk.get() if name == "cupy" else xk.cpu().numpy()
        return np.linalg.norm(b - a @ xk) / np.linalg.norm(b)

    there = b if name == "numpy" else library.asarray(b) if name == "cupy" else library.from_numpy(b).cuda()
    _, info = solver(a.to("cuda"), there, rtol=1e-6, callback=lambda xk: seen.append(residual(xk)), residuals=residuals)
    assert info == 0 and len(residuals) == len(seen) + 1
    np.testing.assert_allclose(seen, residuals[1:], rtol=1e-4)
    report = solver(a.to("cuda"), there, rtol=1e-6)[1].report
    assert report.residual_iterations[-1] == report.iterations == len(residuals) - 1
    np.testing.assert_array_equal(report.residuals, np.array(residuals)[report.residual_iterations])


def test_arrays_of_cupy(rng):
    cupy = pytest.importorskip("cupy")
    a = furrow.csr(random_matrix(rng, 300, 200, 0.05))
    x = rng.standard_normal(200)
    g = furrow.csr(a.to("cuda").to_cupy())
    with cupy.cuda.Stream():
        y = g @ cupy.asarray(x)
        assert isinstance(y, cupy.ndarray)
        np.testing.assert_array_equal(cupy.asnumpy(y), a @ x)
    with pytest.raises(ValueError, match="GPU"):
        a @ cupy.asarray(x)


def test_arrays_of_torch(rng):
    torch = pytest.importorskip("torch")
    a = furrow.csr(random_matrix(rng, 300, 200, 0.05))
    x = rng.standard_normal(200)
    y = a.to("cuda") @ torch.from_numpy(x).cuda()
    assert y.is_cuda
    np.testing.assert_array_equal(y.cpu().numpy(), a @ x)


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_blocks_of_vectors_on_the_gpu(rng, name):
    library = pytest.importorskip(name)
    a = furrow.csr(random_matrix(rng, 300, 200, 0.05))
    x = rng.standard_normal((200, 5))
    y = a.to("cuda") @ (library.asarray(x) if name == "cupy" else library.from_numpy(x).cuda())
    np.testing.assert_array_equal(y.get() if name == "cupy" else y.cpu().numpy(), a @ x)


def test_an_array_of_cupy_that_a_plan_knows(rng):
    """A plan accepts an array a second time, refuses it with another shape, and accepts a new array at the address of a
    freed one."""
    cupy = pytest.importorskip("cupy")
    a = furrow.csr(random_matrix(rng, 30, 20, 0.3))
    plan = a.to("cuda").plan(uses=10)
    y = cupy.empty(30)
    for _ in range(3):
        x = rng.standard_normal(20)
        there = cupy.asarray(x)
        for _ in range(2):
            np.testing.assert_array_equal(plan(there, out=y).get(), a @ x)
        there.shape = (4, 5)
        with pytest.raises(ValueError):
            plan(there, out=y)
        del there


def test_a_plan_follows_the_callers_stream(rng):
    cupy = pytest.importorskip("cupy")
    a = furrow.csr(random_matrix(rng, 300_000, 200_000, 1e-5))
    plan = a.to("cuda").plan(uses=100)
    x = rng.standard_normal(200_000)
    expected = a @ x
    busy = cupy.ones((4096, 4096))
    for _ in range(3):
        for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
            with stream:
                late = cupy.zeros(200_000)
                for _ in range(10):
                    busy @ busy
                late += cupy.asarray(x)  # a product in another stream would not wait for this sum
                y = cupy.empty(300_000)
                plan(late, out=y)
                twice = 2 * y
                np.testing.assert_array_equal(cupy.asnumpy(twice), 2 * expected)


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_vectors_that_are_not_plain(rng, name):
    """Vectors with gaps, of another dtype, with one axis too many, of another kind, or conjugated only by a flag."""
    library = pytest.importorskip(name)
    here = library.asarray if name == "cupy" else lambda array: library.from_numpy(array).cuda()
    a = furrow.csr(random_matrix(rng, 30, 20, 0.3, np.complex128))
    g = a.to("cuda")
    plan = g.plan(uses=10)
    x = random_values(rng, 20, np.complex128)
    host = lambda array: array.get() if name == "cupy" else array.cpu().numpy()  # noqa: E731
    np.testing.assert_array_equal(host(plan(here(x))), a @ x)
    for wrong in (here(np.repeat(x, 2))[::2], here(x.astype(np.complex64)), here(x[:19])):
        with pytest.raises(ValueError):
            plan(wrong)
    with pytest.raises(ValueError, match="GPU"):
        a.plan()(here(x))
    out = np.empty(30, np.complex128)
    assert plan(here(x), out=out) is out
    np.testing.assert_array_equal(out, a @ x)
    if name == "torch":
        lazy = here(x).conj()
        np.testing.assert_array_equal(host(plan(lazy)), a @ x.conj())
        np.testing.assert_array_equal(host(g @ lazy), a @ x.conj())
        with pytest.raises(ValueError, match="conjugates"):
            plan(here(x), out=here(np.empty(30, np.complex128)).conj())
