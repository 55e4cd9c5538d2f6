"""Operators that solvers accept: matrices, SciPy's LinearOperators, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import computed, number_of
from ._contexts import context
from ._csr import Csr, csr
from ._plan import Plan
from ._solve._linear import Linear
from ._solve._preconditioners import Preconditioner

USES = 1000  # expected number of products in a solve


def matrix_of(A: Any) -> Csr | None:
    """Returns A as a matrix, or None if A is not a matrix."""
    if isinstance(A, Csr):
        return A
    if hasattr(A, "tocsr") or hasattr(A, "crow_indices") or isinstance(A, np.ndarray | tuple | list):
        return csr(A)
    return None


def operator_of(A: Any, dtype: np.dtype[Any], size: int, adjoint: bool = False) -> _core.Operator:
    """Returns the core's operator of A or of its adjoint. `size`: length of a function's argument."""
    if isinstance(A, Csr):
        return _operator_of_matrix(A, dtype, adjoint)
    if isinstance(A, Linear | Preconditioner) and not adjoint:
        return A._operator(dtype)
    if isinstance(A, Plan) and A._matrix.dtype == dtype and not adjoint:
        return _core.Operator.of_product(A._product)
    function, shape = _function_of(A, size, adjoint)
    return _core.Operator.of_function(context(), *shape, number_of(dtype), _writing(function))


def _operator_of_matrix(A: Csr, dtype: np.dtype[Any], adjoint: bool) -> _core.Operator:
    """Returns the operator and keeps it for the next solve. Choosing a plan takes as long as many products."""
    A._home()  # also clears the cache if the context has changed
    made = A._cache.operators.get(adjoint) if A.dtype == dtype else None
    if made is None:
        product = _core.Product.plan(A.astype(dtype)._home(), 2 if adjoint else 0, uses=USES)
        made = _core.Operator.of_product(product)
        if A.dtype == dtype:
            A._cache.operators[adjoint] = made
    return made


def _function_of(A: Any, size: int, adjoint: bool) -> tuple[Callable[[Any], Any], tuple[int, int]]:
    name = "rmatvec" if adjoint else "matvec"
    if hasattr(A, name):
        rows, cols = A.shape
        return getattr(A, name), (cols, rows) if adjoint else (rows, cols)
    if adjoint or not callable(A):
        raise TypeError(f"{type(A).__name__} is not a matrix, and not an operator with {name}() and a shape")
    return A, (size, size)


def _writing(function: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    """Wraps a function for the core. x belongs to the library and may be freed after the call, so it is copied."""

    def call(x: Any, y: Any) -> None:
        y[:] = np.asarray(function(x.copy())).reshape(y.shape)

    return call


def dtype_of(A: Any, b: Any) -> np.dtype[Any]:
    """Returns the dtype in which A x = b is solved."""
    mine = getattr(A, "dtype", None)
    return computed(np.result_type(b.dtype if mine is None else np.dtype(mine), b.dtype))
