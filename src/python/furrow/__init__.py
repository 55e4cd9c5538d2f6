"""Sparse matrices at memory speed.

`csr` makes a matrix of what SciPy, CuPy, torch or three arrays hold, in the same memory;
``A @ x`` multiplies, `Csr.plan` prepares many products, `set_num_threads` sets the threads.
"""

from . import _core
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

__version__: str = _core.version()

__all__ = [
    "Cancelled",
    "Csr",
    "DeviceError",
    "Error",
    "Invalid",
    "IoError",
    "Malformed",
    "OutOfMemory",
    "Overflow",
    "Plan",
    "PlanReport",
    "Unsupported",
    "csr",
    "devices",
    "get_num_threads",
    "set_num_threads",
]
