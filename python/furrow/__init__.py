"""Sparse matrices at memory speed.

`csr` makes a matrix from matrices of SciPy, CuPy and torch or from three arrays, without copying them.
``A @ x`` multiplies, `Csr.plan` prepares many products, and `read` and `write` handle files.
`set_num_threads` sets the number of threads.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import _core, _threadpool, io
from ._contexts import devices, get_num_threads, set_num_threads
from ._csr import Csr, csr
from ._errors import (
    Cancelled,
    DeviceError,
    Error,
    Invalid,
    IoError,
    Malformed,
    NotFound,
    OutOfMemory,
    Overflow,
    Unsupported,
)
from ._plan import Plan, PlanReport
from ._read import FileWarning, Header, Limits, read, read_header, write
from ._solve._outcomes import Info, SolveReport, SolveWarning
from ._solve._preconditioners import Preconditioner, methods, preconditioner_options, preconditioners
from ._solve._solvers import bicgstab, cg, gmres, idrs, minres, solve

if TYPE_CHECKING:
    from ._accelerate import accelerate_scipy
    from ._operate._algebra import kron, norm, tril, triu
    from ._operate._block import solve_block
    from ._operate._graph import colours, connected_components
    from ._operate._neighbours import neighbours, neighbours_graph
    from ._operate._reorder import OrderFigures, measure_order, permute, reorder, reverse_cuthill_mckee
    from ._operate._spgemm import MatmulPlan, sddmm, spgemm, triple
    from ._operate._stencil import Recognition, RecognitionReport, Stencil, StencilReport, recognise
    from ._operate._triangular import TriangularSolve, spsolve_triangular, trisolve
    from ._pictures import plot_convergence, plot_roofline
    from ._report import write_report
    from ._solve._batch import Batch, BatchReport
    from ._solve._eigs import EigsReport, NoConvergence, eigsh, lobpcg
    from ._solve._least_squares import lsmr, lsqr
    from ._solve._multigrid import Multigrid

__version__: str = _core.version()
_threadpool.register()

__all__ = [
    "Batch",
    "BatchReport",
    "Cancelled",
    "Csr",
    "DeviceError",
    "EigsReport",
    "Error",
    "FileWarning",
    "Header",
    "Info",
    "Invalid",
    "IoError",
    "Limits",
    "Malformed",
    "MatmulPlan",
    "Multigrid",
    "NoConvergence",
    "NotFound",
    "OrderFigures",
    "OutOfMemory",
    "Overflow",
    "Plan",
    "PlanReport",
    "Preconditioner",
    "Recognition",
    "RecognitionReport",
    "SolveReport",
    "SolveWarning",
    "Stencil",
    "StencilReport",
    "TriangularSolve",
    "Unsupported",
    "accelerate_scipy",
    "bicgstab",
    "cg",
    "colours",
    "connected_components",
    "csr",
    "devices",
    "eigsh",
    "get_num_threads",
    "gmres",
    "idrs",
    "io",
    "kron",
    "lobpcg",
    "lsmr",
    "lsqr",
    "measure_order",
    "methods",
    "minres",
    "neighbours",
    "neighbours_graph",
    "norm",
    "permute",
    "plot_convergence",
    "plot_roofline",
    "preconditioner_options",
    "preconditioners",
    "read",
    "read_header",
    "recognise",
    "reorder",
    "reverse_cuthill_mckee",
    "sddmm",
    "set_num_threads",
    "solve",
    "solve_block",
    "spgemm",
    "spsolve_triangular",
    "tril",
    "triple",
    "trisolve",
    "triu",
    "write",
    "write_report",
]

# Modules that are imported when one of their names is first used. This keeps `import furrow` fast.
_LATER = {
    "_accelerate": ("accelerate_scipy",),
    "_operate._algebra": ("kron", "norm", "tril", "triu"),
    "_solve._batch": ("Batch", "BatchReport"),
    "_operate._block": ("solve_block",),
    "_solve._eigs": ("EigsReport", "NoConvergence", "eigsh", "lobpcg"),
    "_operate._graph": ("colours", "connected_components"),
    "_solve._least_squares": ("lsmr", "lsqr"),
    "_solve._multigrid": ("Multigrid",),
    "_operate._neighbours": ("neighbours", "neighbours_graph"),
    "_pictures": ("plot_convergence", "plot_roofline"),
    "_operate._reorder": ("OrderFigures", "measure_order", "permute", "reorder", "reverse_cuthill_mckee"),
    "_report": ("write_report",),
    "_operate._spgemm": ("MatmulPlan", "sddmm", "spgemm", "triple"),
    "_operate._stencil": ("Recognition", "RecognitionReport", "Stencil", "StencilReport", "recognise"),
    "_operate._triangular": ("TriangularSolve", "spsolve_triangular", "trisolve"),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            found = globals()[name] = getattr(import_module("." + module, __name__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
