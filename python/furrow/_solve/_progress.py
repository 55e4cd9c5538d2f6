"""Progress bars for long calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WIDTH = 40


class Bar:
    """A line on the terminal, a bar in a notebook, or nothing if neither exists."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.shown = ""
        self.place = _Cell() if _in_notebook() else _Line() if sys.stderr.isatty() else None

    def __call__(self, done: int, total: int) -> bool:
        if self.place is not None:
            self._show(min(max(done / total, 0.0), 1.0) if total > 0 else 0.0)
        return False

    def _show(self, share: float) -> None:
        line = f"{self.title} [{'#' * round(share * WIDTH):<{WIDTH}}] {share:4.0%}"
        if line != self.shown and self.place is not None:
            self.place.show(line, share)
            self.shown = line

    def end(self) -> None:
        if self.shown and self.place is not None:
            self.place.clear(len(self.shown))


class _Line:
    """The last line of a terminal."""

    def show(self, line: str, share: float) -> None:
        sys.stderr.write("\r" + line)
        sys.stderr.flush()

    def clear(self, length: int) -> None:
        sys.stderr.write("\r" + " " * length + "\r")


class _Cell:
    """A display in the output of a notebook cell."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, line: str, share: float) -> None:
        title = line.partition("[")[0]
        self._put({"text/plain": line, "text/html": f'{title}<progress value="{share:.3f}"></progress> {share:.0%}'})

    def clear(self, length: int) -> None:
        self._put({"text/plain": "", "text/html": ""})

    def _put(self, data: dict[str, str]) -> None:
        if self.handle is None:
            self.handle = sys.modules["IPython"].display.display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)


def _in_notebook() -> bool:
    """Returns whether a Jupyter kernel is running. IPython on a terminal has no kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


@contextmanager
def progress_of(wish: bool | Callable[..., Any], title: str) -> Iterator[Callable[..., Any] | None]:
    """Yields the function that receives the progress of a call: None, a bar, or the caller's function."""
    if wish is not True:
        yield wish or None
        return
    bar = Bar(title)
    try:
        yield bar
    finally:
        bar.end()
