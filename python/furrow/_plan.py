"""Plans: products with one matrix, prepared once and used many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import FEW, library_of, new_array
from ._given import at_least, one_of

if TYPE_CHECKING:
    from ._csr import Csr

OPS = {"N": 0, "T": 1, "H": 2}
_HALVES = {None: 0, "symmetric": 1, "hermitian": 2}


@dataclass(frozen=True)
class PlanReport:
    """The choices of a plan and the reasons for them.

    Attributes
    ----------
    kernel : str
        The kernel's name, or ``"stencil"``.
    reason : str
        Why the kernel was chosen, as one sentence.
    bytes, csr_bytes : int
        Compulsory traffic of a product with this plan, and with plain CSR.
    seconds_plan, seconds_estimated : float
        Duration of the analysis. Estimated duration of a product with its share of the analysis.
    order, order_reason : str
        The order of rows and columns and the reason; ``"none"``: the matrix's own order.
    seconds_order, seconds_before, seconds_after : float
        Time to find the order, and the time of a product without and with it, if both were timed.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> furrow.csr(np.eye(3)).plan(kernel="rows").report.kernel
    'rows'
    """

    kernel: str
    reason: str
    bytes: int
    csr_bytes: int
    seconds_plan: float
    seconds_estimated: float
    order: str
    order_reason: str
    seconds_order: float
    seconds_before: float
    seconds_after: float


class Plan:
    """Products ``y = op(A) x`` with one matrix; made by `Csr.plan`.

    Examples
    --------
    >>> import furrow, numpy as np
    >>> A = furrow.csr(np.array([[2.0, 1.0], [0.0, 3.0]]))
    >>> p = A.plan(uses=1000)
    >>> y = np.empty(2)
    >>> p(np.ones(2), out=y)
    array([3., 3.])
    """

    __slots__ = ("_library", "_matrix", "_product", "_shape", "_wishes")

    def __init__(self, matrix: Csr, wishes: dict[str, Any]) -> None:
        self._matrix = matrix
        self._product = _product(matrix, wishes)
        self._shape = matrix.shape if wishes["op"] == "N" else matrix.shape[::-1]
        self._wishes = wishes
        self._library: Any = None  # the library whose GPU stream the product uses

    def __reduce__(self) -> Any:
        return _planned, (self._matrix, self._wishes)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of op(A)."""
        return self._shape

    @property
    def report(self) -> PlanReport:
        """The choices of the plan and their reasons."""
        return PlanReport(**self._product.report())

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Returns the product ``op(A) x``.

        Parameters
        ----------
        x : array of A's dtype, without gaps
        out : array, optional
            Receives the result. It has A's dtype and no gaps, and does not overlap x.

        Returns
        -------
        array
            `out`, or a new array of x's kind.
        """
        if type(x) is np.ndarray:
            y = self._result() if out is None else out
            self._multiply(x, y)
            return y
        library = library_of(x)
        if library.device != "cpu":
            return self._multiply_device(library, x, out)
        y = library.empty((self._shape[0],), self._matrix.dtype, x) if out is None else library.take(out)
        self._multiply(library.take(x), y)
        return library.give(y, x) if out is None else out

    def _multiply(self, x: Any, y: Any) -> None:
        try:
            self._product(x, y)
        except TypeError:
            of, kinds = self._matrix.dtype, (type(x).__name__, type(y).__name__)
            raise TypeError(f"a plan needs arrays of {of}, and a writable out, not {kinds}") from None

    def _multiply_device(self, library: Any, x: Any, out: Any) -> Any:
        if library is not self._library:
            self._follow(library)
        y = library.empty((self._shape[0],), self._matrix.dtype, x) if out is None else out
        library.multiply(self._product, self._matrix.dtype, x, y)
        return y

    def _follow(self, library: Any) -> None:
        """Plans again if the caller now computes in another stream."""
        self._matrix._follow(library)
        if self._product.context is not self._matrix._handle.context:
            self._product = _product(self._matrix, self._wishes)
        self._library = library

    def _result(self) -> Any:
        rows = self._shape[0]
        return np.empty(rows, self._matrix.dtype) if rows < FEW else new_array((rows,), self._matrix.dtype)

    def __repr__(self) -> str:
        report = self.report
        return f"<furrow.Plan of {self._shape[0]} x {self._shape[1]}: {report.kernel}, {report.reason}>"


def _product(matrix: Csr, wishes: dict[str, Any]) -> _core.Product:
    return _core.Product.plan(
        matrix._home(),
        one_of("op", wishes["op"], OPS),
        wishes["kernel"] or "",
        wishes["order"] or "",
        at_least(1, "uses", wishes["uses"]) or 0,
        rounded=one_of("values", wishes["values"], {"exact": False, "f32": True}),
        half=one_of("half", wishes["half"], _HALVES),
    )


def _planned(matrix: Csr, wishes: dict[str, Any]) -> Plan:
    """Makes a plan when a pickle is read."""
    return matrix.plan(**wishes)
