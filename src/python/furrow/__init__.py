"""Sparse matrices at memory speed.

`csr` makes a matrix of what SciPy, CuPy, torch or three arrays hold, in the same memory;
``A @ x`` multiplies, `Csr.plan` prepares many products, `read` and `write` are for files,
`set_num_threads` sets the threads.
"""

from . import _core, _threadpool, io
from ._accelerate import accelerate_scipy
from ._algebra import kron, norm, tril, triu
from ._contexts import devices, get_num_threads, set_num_threads
from ._csr import Csr, csr
from ._eigs import EigsReport, NoConvergence, eigsh, lobpcg
from ._errors import (
    Cancelled,
    DeviceError,
    Error,
    Invalid,
    IoError,
    Malformed,
    OutOfMemory,
    Overflow,
    Unsupported,
)
from ._graph import colours, connected_components
from ._least_squares import lsmr, lsqr
from ._multigrid import Multigrid
from ._neighbours import neighbours, neighbours_graph
from ._pictures import plot_convergence, plot_roofline
from ._plan import Plan, PlanReport
from ._preconditioners import Preconditioner, methods, preconditioners
from ._read import FileWarning, Header, Limits, read, read_header, write
from ._reorder import OrderFigures, measure_order, permute, reorder, reverse_cuthill_mckee
from ._report import write_report
from ._solvers import Info, SolveReport, bicgstab, cg, gmres, idrs, minres, solve
from ._stencil import Recognition, RecognitionReport, Stencil, StencilReport, recognise
from ._triangular import TriangularSolve, spsolve_triangular

__version__: str = _core.version()
_threadpool.register()

__all__ = [
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
    "Multigrid",
    "NoConvergence",
    "OrderFigures",
    "OutOfMemory",
    "Overflow",
    "Plan",
    "PlanReport",
    "Preconditioner",
    "Recognition",
    "RecognitionReport",
    "SolveReport",
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
    "preconditioners",
    "read",
    "read_header",
    "recognise",
    "reorder",
    "reverse_cuthill_mckee",
    "set_num_threads",
    "solve",
    "spsolve_triangular",
    "tril",
    "triu",
    "write",
    "write_report",
]
