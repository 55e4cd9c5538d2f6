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
from ._plan import Plan, PlanReport
from ._read import FileWarning, Header, Limits, read, read_header, write

__version__: str = _core.version()

__all__ = [
    "Cancelled",
    "Csr",
    "DeviceError",
    "Error",
    "FileWarning",
    "Header",
    "Invalid",
    "IoError",
    "Limits",
    "Malformed",
    "OutOfMemory",
    "Overflow",
    "Plan",
    "PlanReport",
    "Unsupported",
    "csr",
    "devices",
    "get_num_threads",
    "io",
    "read",
    "read_header",
    "set_num_threads",
    "write",
]
