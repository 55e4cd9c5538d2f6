"""Checks arguments: numbers, words, flags, lists and functions. A wrong type raises an error with a sentence."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
_MOST = 2**63 - 1


def refuse(name: str, value: Any, wanted: str) -> TypeError:
    """Returns the exception for a value of the wrong type."""
    return TypeError(f"{name} is {value!r}; it should be {wanted}")


def whole(name: str, value: Any) -> int:
    """Returns the value as an int. A float is refused even if it has no fraction."""
    try:
        found = operator.index(value)
    except TypeError:
        raise refuse(name, value, "an integer") from None
    if abs(found) > _MOST:
        raise OverflowError(f"{name} is {found}; the largest modulus is {_MOST}")
    return found


def number(name: str, value: Any) -> float:
    """Returns the value as a float."""
    if np.ndim(value) == 0 and not isinstance(value, str | bytes | complex):
        try:
            return float(value)
        except TypeError:
            pass
    raise refuse(name, value, "a number")


def word(name: str, value: Any) -> str:
    """Returns the value as a str."""
    if not isinstance(value, str):
        raise refuse(name, value, "a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {value!r}, which cannot be encoded in UTF-8") from None
    return value


def flag(name: str, value: Any) -> bool:
    """Returns the value as a bool. 0 and 1 are accepted."""
    if isinstance(value, int | np.bool_ | np.integer):
        return bool(value)
    raise refuse(name, value, "True or False")


def _list(name: str, value: Any) -> Any:
    if hasattr(value, "extend"):
        return value
    raise refuse(name, value, "a list")


def _function(name: str, value: Any) -> Any:
    if callable(value):
        return value
    raise refuse(name, value, "a function")


def _progress(name: str, value: Any) -> Any:
    return value if value is None or callable(value) else flag(name, value)


# The check for each kind of annotation, found by how the annotation begins.
_KINDS: dict[str, Callable[[str, Any], Any]] = {
    "bool | Callable": _progress,
    "int": whole,
    "float": number,
    "str": word,
    "bool": flag,
    "list": _list,
    "Callable": _function,
}


def _check_of(annotation: str) -> Callable[[str, Any], Any] | None:
    """Returns the check for a parameter with this annotation; None: no check."""
    kind = annotation.removesuffix(" | None")
    check = next((check for begin, check in _KINDS.items() if kind == begin or kind.startswith(begin + "[")), None)
    if check is None or kind == annotation:
        return check
    return lambda name, value: None if value is None else check(name, value)


def checked(function: F) -> F:
    """Wraps a function so that its arguments are checked against its annotations first."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    found = {name: _check_of(annotation) for name, annotation in function.__annotations__.items() if name != "return"}
    checks = {name: check for name, check in found.items() if check is not None}

    def tested(name: str, value: Any) -> Any:
        return checks[name](name, value) if name in checks else value

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [tested(name, value) for name, value in zip(names, args, strict=False)]
        return function(*given, *args[len(given) :], **{name: tested(name, value) for name, value in kwargs.items()})

    return cast(F, call)


def one_of(name: str, value: Any, table: Mapping[Any, Any]) -> Any:
    """Returns the table's value for a word, and refuses a word that the table does not have."""
    if isinstance(value, str | None) and value in table:
        return table[value]
    words = ", ".join(repr(word) for word in table)
    raise ValueError(f"{name} is {value!r}; it should be one of {words}")


N = TypeVar("N", int, int | None)


def at_least(least: int, name: str, value: N) -> N:
    """Returns a count after checking that it is large enough; None stays None."""
    if value is not None and value < least:
        raise ValueError(f"{name} is {value}; it should be at least {least}")
    return value
