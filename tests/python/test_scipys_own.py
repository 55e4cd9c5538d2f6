"""SciPy's tests of mmread, mmwrite and mminfo, run on the functions of this package."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest


def test_scipys_own_tests_pass(tmp_path):
    tests = importlib.util.find_spec("scipy.io.tests.test_mmio")
    if tests is None:
        pytest.skip("this SciPy comes without its tests")
    (tmp_path / "none.ini").write_text("[pytest]\n")
    here = str(pathlib.Path(__file__).parent)
    path = os.pathsep.join([here, *sys.path])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", tmp_path / "none.ini", "-p", "scipys_mmio", tests.origin],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout and "failed" not in run.stdout
