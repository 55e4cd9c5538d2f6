"""Progress of solves on a terminal, in a notebook, and without either."""

import sys
import types

import furrow
import numpy as np
import pytest
from furrow._solve._progress import Bar

STENCIL = furrow.Stencil(5, (60, 60))


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Bar("Reading")
    bar(1, 4)
    bar(1, 4)
    bar(9, 4)
    bar.end()
    lines = terminal.text.split("\r")
    assert lines[1].startswith("Reading [##########  ") and lines[1].endswith("25%")
    assert lines[2].endswith("100%") and lines[-1] == "" and not lines[-2].strip()


def test_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/html"])

    def display(data, raw, display_id):
        shown.append(data["text/html"])
        return Handle()

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=None)
    ipython.display = types.SimpleNamespace(display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    bar = Bar("Solving")
    for done in range(3):
        bar(done, 2)
    bar.end()
    assert [float(html.split('"')[1]) for html in shown[:3]] == [0, 0.5, 1] and shown[3] == ""


def test_nowhere(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    x, info = furrow.cg(STENCIL, np.ones(3600), rtol=1e-10, progress=True)
    assert info == 0 and capsys.readouterr().err == ""


def test_on_a_terminal_during_a_solve(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    _, info = furrow.cg(furrow.Stencil(3, (200000,)), np.ones(200000), maxiter=400, progress=True)
    if info.report.seconds < 0.1:
        pytest.skip("too fast to be shown")
    assert terminal.text.startswith("\rSolving [")
