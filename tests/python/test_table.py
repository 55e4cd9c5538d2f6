"""The table "SciPy call, Furrow call" of docs/python.md names only what exists and covers all of
scipy.sparse.linalg."""

import importlib
import inspect
import re
from pathlib import Path

import furrow
import pytest
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as spla

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
TABLE = PAGE.read_text().split("## SciPy call, Furrow call")[1].split("\n## ")[0]
MORE = PAGE.read_text().split("## Beyond SciPy")[1].split("\n## ")[0]
NAMES = sorted(set(re.findall(r"`((?:scipy|furrow)(?:\.\w+)+)", TABLE + MORE)))
ROWS = [line.split("|")[1:4] for line in TABLE.splitlines() if line.startswith("| ")][1:]
OLD_SCIPY = tuple(int(n) for n in scipy.__version__.split(".")[:2]) < (1, 17)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_exists(name):
    module, _, last = name.rpartition(".")
    if OLD_SCIPY and not hasattr(importlib.import_module(module), last):
        pytest.skip("this SciPy is older")
    assert callable(getattr(importlib.import_module(module), last))


def test_the_members_exist():
    for scipys, ours, words in ROWS:
        for member in re.findall(r"`A\.(\w+)", scipys):
            assert hasattr(sp.csr_array, member) or hasattr(sp.csr_array((1, 1)), member), member
        for member in re.findall(r"`A\.(\w+)", ours + words):
            assert hasattr(furrow.Csr, member), member


def test_no_function_of_scipys_solvers_is_missing():
    functions = [n for n in spla.__all__ if callable(getattr(spla, n)) and not inspect.ismodule(getattr(spla, n))]
    apart = {"use_solver", "SuperLU"}  # an option of UMFPACK, and the class that splu returns
    raised = {n for n in functions if inspect.isclass(getattr(spla, n)) and issubclass(getattr(spla, n), Exception)}
    missing = {n for n in set(functions) - apart - raised if f"scipy.sparse.linalg.{n}`" not in TABLE}
    assert not missing
