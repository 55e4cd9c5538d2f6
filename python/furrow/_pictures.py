"""Draws pictures with matplotlib, which is only imported when a picture is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._contexts import get_num_threads
from ._given import at_least, checked, refuse
from ._picture import pattern_tones
from ._plan import Plan

if TYPE_CHECKING:
    from ._csr import Csr

COLOURS = ("#1f4e79", "#c0504d", "#4f8a3c", "#7b5aa6", "#d08a2a", "#3a8fa0")


def _axes(ax: Any) -> Any:
    """Returns the axes to draw in, and makes new ones for None."""
    if ax is not None:
        if not hasattr(ax, "imshow"):
            raise refuse("ax", ax, "Axes of matplotlib")
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def spy(a: Csr, ax: Any, cells: int) -> Any:
    """Draws the pattern of a matrix: cells with more entries are darker."""
    from matplotlib.colors import LinearSegmentedColormap

    at_least(1, "cells", cells)
    ax = _axes(ax)
    rows, cols = a.shape
    tones = pattern_tones(a, cells).astype(float)
    # White stands for 0. The offset keeps a single entry visible.
    tones[tones > 0] = 0.3 + 0.7 * tones[tones > 0] / max(tones.max(initial=1), 1)
    shades = LinearSegmentedColormap.from_list("pattern", ["white", COLOURS[0]])
    extent = (-0.5, max(cols, 1) - 0.5, max(rows, 1) - 0.5, -0.5)
    ax.imshow(tones, cmap=shades, vmin=0, vmax=1, extent=extent, interpolation="antialiased")
    ax.xaxis.set_ticks_position("top")
    ax.set_xlabel(f"{rows:,} × {cols:,}, {a.nnz:,} entries")
    return ax


@checked
def plot_convergence(histories: Any, ax: Any = None, *, rtol: float | None = None) -> Any:
    """Draws the relative recurrence residuals of solves over their iterations.

    Parameters
    ----------
    histories : Info, SolveReport, sequence of float, or a dict of these by name
        The result of `cg` and other solvers, or their ``residuals=`` list.
    ax : matplotlib Axes, optional
        None: new axes.
    rtol : float, optional
        Draws a line at this tolerance.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = np.diag(np.arange(1.0, 9.0))
    >>> _, info = furrow.cg(A, np.ones(8), rtol=1e-10)
    >>> ax = furrow.plot_convergence({"cg": info}, rtol=1e-10)  # doctest: +SKIP
    """
    ax = _axes(ax)
    named = histories if isinstance(histories, Mapping) else {None: histories}
    for colour, (name, history) in zip(_colours(len(named)), named.items(), strict=True):
        ax.semilogy(*_course(history), color=colour, label=name)
    if rtol is not None:
        ax.axhline(rtol, color="#888888", linewidth=0.8, linestyle="--")
    if isinstance(histories, Mapping):
        ax.legend(frameon=False)
    ax.set_xlabel("Iterations")
    ax.set_ylabel("Relative residual, by recursion")
    ax.grid(alpha=0.3)
    return ax


def _colours(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]


def _course(history: Any) -> tuple[Any, Any]:
    """Returns the iterations and their residuals."""
    report = getattr(history, "report", history)
    residuals = getattr(report, "residuals", report)
    return getattr(report, "residual_iterations", range(len(residuals))), residuals


@checked
def plot_roofline(plans: Plan | Mapping[str, Plan], ax: Any = None, *, bandwidth: float | None = None) -> Any:
    """Times products and draws their operations per second against the limit set by memory.

    A product must move its compulsory bytes. Its rate is therefore at most its operations per byte times the
    memory bandwidth.

    Parameters
    ----------
    plans : Plan, or dict of Plan
        One plan, or several by name.
    ax : matplotlib Axes, optional
        None: new axes.
    bandwidth : float, optional
        Bytes per second; None: measured by reading with all threads.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import furrow
    >>> A = furrow.Stencil(5, (100, 100)).to_csr()
    >>> ax = furrow.plot_roofline(A.plan(uses=1000))  # doctest: +SKIP
    """
    ax = _axes(ax)
    bandwidth = _bandwidth() if bandwidth is None else bandwidth
    named = plans if isinstance(plans, Mapping) else {"A @ x": plans}
    for plan in named.values():
        if not isinstance(plan, Plan):
            raise refuse("plans", plan, "a furrow.Plan, or several by name")
    points = {name: _point(plan) for name, plan in named.items()}
    intensities = [operations / size for operations, size, _ in points.values()] or [1.0]
    line = np.array([min(intensities) / 4, max(intensities) * 4])
    ax.loglog(line, line * bandwidth / 1e9, color="#888888", label=f"memory, {bandwidth / 1e9:.1f} GB/s")
    for colour, (name, (operations, size, seconds)) in zip(_colours(len(points)), points.items(), strict=True):
        label = f"{name}, {size / seconds / 1e9:.1f} GB/s"
        ax.loglog(operations / size, operations / seconds / 1e9, "o", color=colour, label=label)
    ax.set_xlabel("Operations for each byte")
    ax.set_ylabel("10⁹ operations a second")
    ax.grid(alpha=0.3, which="both")
    ax.legend(frameon=False)
    return ax


def _point(plan: Plan, repeats: int = 10) -> tuple[float, float, float]:
    """Returns operations, compulsory bytes, and the seconds of the fastest of `repeats` products."""
    import timeit

    matrix = plan._matrix
    x, y = np.ones(plan.shape[1], matrix.dtype), np.empty(plan.shape[0], matrix.dtype)
    seconds = min(timeit.repeat(lambda: plan(x, out=y), number=1, repeat=repeats))
    return (2.0 if matrix.dtype.kind == "f" else 8.0) * matrix.nnz, float(plan.report.bytes), seconds


def _bandwidth(size: int = 1 << 24) -> float:
    """Measures the bytes per second that all threads read together, by sums of parts of `size` numbers."""
    import timeit
    from concurrent.futures import ThreadPoolExecutor

    threads = get_num_threads()
    parts = np.array_split(np.ones(size), threads)
    with ThreadPoolExecutor(threads) as pool:
        return 8.0 * size / min(timeit.repeat(lambda: list(pool.map(np.sum, parts)), number=1, repeat=5))
