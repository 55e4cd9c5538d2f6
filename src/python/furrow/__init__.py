"""Sparse matrices at memory speed.

`csr` makes a matrix of what SciPy, CuPy, torch or three arrays hold, in the same memory;
``A @ x`` multiplies, `Csr.plan` prepares many products, `read` and `write` are for files,
`set_num_threads` sets the threads.
"""

from . import _core, io
from ._contexts import devices, get_num_threads, set_num_threads
from ._csr import Csr, csr
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
from ._least_squares import lsmr, lsqr
from ._plan import Plan, PlanReport
from ._preconditioners import Preconditioner, methods, preconditioners
from ._read import FileWarning, Header, Limits, read, read_header, write
from ._solvers import Info, SolveReport, bicgstab, cg, gmres, idrs, minres, solve

__version__: str = _core.version()

__all__ = [
    "Cancelled",
    "Csr",
    "DeviceError",
    "Error",
    "FileWarning",
    "Header",
    "Info",
    "Invalid",
    "IoError",
    "Limits",
    "Malformed",
    "OutOfMemory",
    "Overflow",
    "Plan",
    "PlanReport",
    "Preconditioner",
    "SolveReport",
    "Unsupported",
    "bicgstab",
    "cg",
    "csr",
    "devices",
    "get_num_threads",
    "gmres",
    "idrs",
    "io",
    "lsmr",
    "lsqr",
    "methods",
    "minres",
    "preconditioners",
    "read",
    "read_header",
    "set_num_threads",
    "solve",
    "write",
]
