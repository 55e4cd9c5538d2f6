"""The notebooks of docs/notebooks run from the first cell to the last."""

import ast
import json
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_of(notebook):
    """Returns the source of each code cell."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(source, name, names):
    """Runs a cell as a notebook does: if the last line is an expression, its value is displayed."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is not None:
        shown = eval(compile(ast.Expression(last.value), name, "eval"), names)
        repr(shown), getattr(shown, "_repr_html_", str)()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    names = {"__name__": "__main__"}
    for number, source in enumerate(code_of(json.loads(path.read_text())), 1):
        run(source, f"{path.name}, cell {number}", names)
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_as_it_is_shown(path):
    """The notebook file holds the results of its cells, without errors or warnings."""
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output["output_type"] == "error" or output.get("name") == "stderr" for output in outputs)


def test_there_are_four():
    assert len(NOTEBOOKS) == 4
