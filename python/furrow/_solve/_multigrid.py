"""Geometric multigrid for stencils."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import fitting, library_of
from .._given import checked, one_of
from .._operate._stencil import Stencil
from .._rebuilt import Rebuilt
from ._linear import Linear
from ._outcomes import Info, SolveReport, info_of


class Multigrid(Rebuilt, Linear):
    """Multigrid for ``S x = b``, where S is a stencil of axis neighbours with constant coefficients.

    As an operator, ``M @ b`` is one cycle from x = 0, which is a preconditioner for `cg`.

    Parameters
    ----------
    stencil : Stencil
        It has 3, 5 or 7 points and is real, symmetric and not singular.
    cycle : {'V', 'F'}
        ``"F"``: full multigrid. One cycle leaves an error close to the discretization error.
    **options
        `pre_sweeps`, `post_sweeps`: number of sweeps on the way down and up. `levels`: largest number of levels.
        `coarsest`: number of points at which coarsening ends.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> S = furrow.Stencil(5, (64, 64))
    >>> b = np.ones((64, 64))
    >>> x, info = furrow.Multigrid(S).solve(b)
    >>> bool(np.linalg.norm(b - S @ x) <= 1e-10 * np.linalg.norm(b))
    True
    >>> x, info = furrow.cg(S, b, rtol=1e-10, M=furrow.Multigrid(S))
    >>> info == 0, info.report.iterations < 10
    (True, True)
    """

    @checked
    def __init__(self, stencil: Stencil, cycle: str = "V", **options: Any) -> None:
        if not isinstance(stencil, Stencil):
            raise TypeError(f"multigrid needs a Stencil, not a {type(stencil).__name__}")
        self._made_from = (stencil, cycle), options
        self._full = one_of("cycle", cycle.upper(), {"V": False, "F": True})
        self._made = _core.Multigrid.create(stencil._home(), self._full, options)
        self._applied = self._made.operator() if self._symmetric(options) else None
        self.shape = stencil.shape
        self.dtype = stencil.dtype
        self.extent = stencil.extent

    def _symmetric(self, options: dict[str, Any]) -> bool:
        return not self._full and options.get("pre_sweeps", 2) == options.get("post_sweeps", 2)

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        if self._applied is None:
            raise NotImplementedError("a symmetric operator needs a V cycle with pre_sweeps = post_sweeps")
        self._expect(dtype)
        return self._applied

    @property
    def report(self) -> dict[str, int]:
        """The number of levels, the points of all levels, and the points of the coarsest level."""
        return self._made.report()

    @checked
    def solve(
        self, b: Any, x0: Any = None, *, rtol: float | None = None, maxiter: int | None = None
    ) -> tuple[Any, Info]:
        """Applies cycles until ``||b - S x|| <= rtol ||b||``.

        Parameters
        ----------
        b, x0 : array
            Arrays of the grid's shape, or vectors. x0 is the initial guess; None: zeros.
        rtol : float, optional
            None: 1e-10, in single precision 1e-5.
        maxiter : int, optional
            Largest number of cycles; None: 100.

        Returns
        -------
        x : array of b's kind and shape
        info : Info
            0: converged; ``info.report`` has more.
        """
        library = library_of(b)
        right = fitting(np.ravel(library.take(b)), self.dtype)
        x = np.zeros_like(right) if x0 is None else fitting(np.ravel(library_of(x0).take(x0)), self.dtype).copy()
        found = self._made.solve(right, x, {"rtol": rtol, "maxiter": maxiter})
        solution = x.reshape(np.shape(b))
        report = SolveReport(**found, residuals=[], attempts=[])
        return library.give(solution, b), info_of(report)

    def __repr__(self) -> str:
        return f"<furrow.Multigrid of {self.report['levels']} levels, {self.shape[0]} points, {self.dtype}>"
