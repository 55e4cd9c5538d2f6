"""Bars that show how far a long call is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WIDTH = 40


class Bar:
    """A line on the terminal, or nothing where standard error is none."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.shown = ""

    def __call__(self, done: int, total: int) -> bool:
        if sys.stderr.isatty():
            self._show(min(done / total, 1.0) if total > 0 else 0.0)
        return False

    def _show(self, share: float) -> None:
        line = f"{self.title} [{'#' * round(share * WIDTH):<{WIDTH}}] {share:4.0%}"
        if line != self.shown:
            sys.stderr.write("\r" + line)
            sys.stderr.flush()
            self.shown = line

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * len(self.shown) + "\r")


@contextmanager
def progress_of(wish: bool | Callable[..., Any], title: str) -> Iterator[Callable[..., Any] | None]:
    """What a call is to tell its progress to: nobody, a bar, or the caller's function."""
    if wish is not True:
        yield wish or None
        return
    bar = Bar(title)
    try:
        yield bar
    finally:
        bar.end()
