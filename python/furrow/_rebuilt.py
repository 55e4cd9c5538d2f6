"""Pickles an object as the arguments from which it was made."""

from __future__ import annotations

from typing import Any


class Rebuilt:
    """An object that is pickled as its construction arguments, `_made_from`."""

    _made_from: tuple[tuple[Any, ...], dict[str, Any]]

    def __reduce__(self) -> Any:
        return rebuild, (type(self), *self._made_from)


def rebuild(make: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Makes an object again when a pickle is read."""
    return make(*arguments, **keywords)
