"""Pickling of what was made from other things: by these, from which it is made again."""

from __future__ import annotations

from typing import Any


class Rebuilt:
    """An object that is pickled as the arguments that it was made from, `_made_from`."""

    _made_from: tuple[tuple[Any, ...], dict[str, Any]]

    def __reduce__(self) -> Any:
        return rebuild, (type(self), *self._made_from)


def rebuild(make: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What is called to read a pickle."""
    return make(*arguments, **keywords)
