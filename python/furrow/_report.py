"""Writes the page of the command `furrow solve`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import io
from .__main__ import command
from ._csr import csr
from ._errors import Error
from ._given import checked
from ._read import write

UNKNOWN = 2  # the command's status for an unknown option or a value of the wrong type


@checked
def write_report(path: str | os.PathLike[str], A: Any, b: Any = None, *, name: str = "A", **options: Any) -> str:
    """Solves A x = b with the command ``furrow solve`` and writes its HTML page.

    The page shows how the residual fell, where the time went, what was chosen and why, and what to do after a
    failure.

    Parameters
    ----------
    path : path
        Path of the page, such as ``"report.html"``.
    A : Csr, sparse matrix or array
    b : array, optional
        None: A times ones.
    name : str
        Name of the matrix on the page.
    **options
        Options of the command, such as ``method="cg"``, ``precond="amg"``, ``rtol=1e-8``,
        ``max_iterations=100``, ``bounds=True``. They are listed in docs/command.md.

    Returns
    -------
    summary : str
        The output of the command.

    Raises
    ------
    TypeError
        The command does not have this option, or refuses its value.
    Error
        The solve failed. The message is the command's. If the solve ran, the page exists and shows the reason.

    Examples
    --------
    >>> import furrow, os, tempfile
    >>> A = furrow.Stencil(5, (20, 20)).to_csr()
    >>> page = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> summary = furrow.write_report(page, A, method="cg")  # doctest: +SKIP
    """
    import subprocess
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        matrix, right = os.path.join(folder, f"{name}.fur"), os.path.join(folder, "b.mtx")
        write(matrix, csr(A))
        if b is not None:
            io.mmwrite(right, np.asarray(b).reshape(-1, 1))
            options["b"] = right
        words = [command(), "solve", matrix, f"--report={os.path.abspath(path)}", *map(_option, options.items())]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == UNKNOWN:
        raise TypeError(done.stderr.partition("\n")[0])
    if done.returncode != 0:
        raise Error(done.stderr.strip())
    return done.stdout


def _option(option: tuple[str, Any]) -> str:
    """Converts a keyword to an option of the command."""
    name, value = option
    flag = f"--{name.replace('_', '-')}"
    return flag if value is True else f"{flag}={value}"
