"""The base class of stencils, multigrid and triangular solves: products by operators of the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import NoArray, computed, library_of


class Linear(NoArray):
    """A linear operator for solvers of this package and of SciPy: ``A @ x``, ``A @ X``."""

    shape: tuple[int, int]  #: Rows and columns.
    dtype: np.dtype[Any]  #: The dtype of results for real x; x is converted to it.

    def _operator(self, dtype: np.dtype[Any]) -> _core.Operator:
        """Returns the core's operator in a dtype."""
        raise NotImplementedError

    def _expect(self, dtype: np.dtype[Any]) -> None:
        """Refuses a dtype that differs from the operator's."""
        if dtype != self.dtype:
            raise TypeError(f"the {type(self).__name__} has dtype {self.dtype}, but the vector has {dtype}")

    def matvec(self, x: Any) -> Any:
        """Returns ``A @ x`` for a vector, in x's kind of array."""
        library = library_of(x)
        taken = library.take(x)
        if library.device != "cpu":
            return self._apply(library, taken, self.dtype)
        taken = taken.reshape(-1)
        dtype = np.result_type(self.dtype, computed(taken.dtype))
        if dtype.kind == "c" and self.dtype.kind == "f":
            return library.give(self._matvec_complex(taken, dtype), x)
        return library.give(self._apply(library, np.ascontiguousarray(taken, dtype), dtype), x)

    def _apply(self, library: Any, x: Any, dtype: np.dtype[Any]) -> Any:
        y = library.empty((self.shape[0],), dtype, x)
        self._operator(dtype)(x, y)
        return y

    def _matvec_complex(self, x: Any, dtype: np.dtype[Any]) -> Any:
        """Applies a real operator to the real and the imaginary part of complex x."""
        return (self.matvec(x.real.copy()) + 1j * self.matvec(x.imag.copy())).astype(dtype, copy=False)

    def matmat(self, x: Any) -> Any:
        """Returns ``A @ X`` for a block of vectors."""
        library = library_of(x)
        if library.device != "cpu":
            raise NotImplementedError(f"a {type(self).__name__} multiplies only single vectors on a GPU")
        columns = [self.matvec(column) for column in library.take(x).T]
        return library.give(np.stack(columns, axis=1) if columns else np.empty((self.shape[0], 0), self.dtype), x)

    def __matmul__(self, x: Any) -> Any:
        return self.matvec(x) if np.ndim(x) == 1 else self.matmat(x)

    def dot(self, x: Any) -> Any:
        """Returns ``A @ x``."""
        return self @ x

    def __call__(self, x: Any) -> Any:
        return self @ x
