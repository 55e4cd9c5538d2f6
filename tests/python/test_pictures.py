"""The contents of pictures. matplotlib is imported only when a picture is drawn."""

import furrow
import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("svg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_spy(ax):
    a = furrow.csr(np.tri(40))
    assert a.spy(ax) is ax
    tones = ax.images[0].get_array()
    assert tones.shape == (40, 40)
    np.testing.assert_array_equal(np.asarray(tones) > 0, np.tri(40) > 0)
    assert "820 entries" in ax.get_xlabel()
    assert a.spy(ax, cells=8).images[-1].get_array().shape == (8, 8)


@pytest.mark.filterwarnings("error")
def test_spy_of_nothing(ax):
    for shape in ((0, 0), (3, 0), (0, 3), (3, 3)):
        furrow.csr((np.empty(0), np.empty(0, np.int32), np.zeros(shape[0] + 1, np.int32)), shape=shape).spy(ax)


def test_convergence(ax):
    a = furrow.Stencil(5, (20, 20)).to_csr()
    b, residuals = np.ones(400), []
    _, info = furrow.cg(a, b, rtol=1e-8, residuals=residuals)
    _, jacobi = furrow.cg(a, b, rtol=1e-8, M="ic0")
    furrow.plot_convergence({"none": info, "ic0": jacobi.report, "list": residuals}, ax, rtol=1e-8)
    first, second, third, limit = ax.lines
    np.testing.assert_array_equal(first.get_ydata(), residuals)
    np.testing.assert_array_equal(first.get_xdata(), np.arange(len(residuals)))
    np.testing.assert_array_equal(third.get_ydata(), residuals)
    assert len(second.get_ydata()) < len(residuals) and limit.get_ydata()[0] == 1e-8
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["none", "ic0", "list"]
    own = furrow.plot_convergence(info)
    assert own is not ax and own.get_legend() is None
    plt.close(own.figure)


def test_roofline(ax):
    a = furrow.Stencil(5, (30, 30)).to_csr()
    plans = {"A @ x": a.plan(uses=1000), "A.T @ x": a.plan(op="T")}
    furrow.plot_roofline(plans, ax, bandwidth=1e10)
    memory, *points = ax.lines
    np.testing.assert_allclose(memory.get_ydata() / memory.get_xdata(), 10)
    assert len(points) == 2
    intensity = 2 * a.nnz / plans["A @ x"].report.bytes
    np.testing.assert_allclose(points[0].get_xdata(), intensity)
    furrow.plot_roofline(plans["A @ x"], ax)
