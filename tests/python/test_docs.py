"""Every public name is documented, and the examples in docstrings give the results that they show."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import furrow
import pytest

ROOT = Path(__file__).resolve().parents[2]

MODULES = [name for _, name, _ in pkgutil.walk_packages(furrow.__path__, "furrow.") if name != "furrow._core"]
PUBLIC = [(furrow, name) for name in furrow.__all__] + [(furrow.io, name) for name in furrow.io.__all__]


@pytest.mark.parametrize("name", ["furrow", *MODULES])
def test_examples(name):
    if name == "furrow.__main__":
        pytest.skip("it is the command")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("module, name", PUBLIC, ids=[f"{m.__name__}.{n}" for m, n in PUBLIC])
def test_public_names_are_documented(module, name):
    found = getattr(module, name)
    if inspect.ismodule(found):
        return
    assert found.__doc__, name
    assert ">>>" in found.__doc__, f"{name} has no example"
    if inspect.isclass(found):
        for member, value in vars(found).items():
            if not member.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{member}"


def test_first_program_of_the_page(monkeypatch, capsys):
    """The first program of docs/python.md prints what the page shows."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.M | re.S)
    place = next(place for place, (language, _) in enumerate(blocks) if language == "python")
    monkeypatch.chdir(ROOT / "data")
    exec(blocks[place][1], {"__name__": "__main__"})
    assert capsys.readouterr().out == blocks[place + 1][1]
