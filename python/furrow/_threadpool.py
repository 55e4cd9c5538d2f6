"""Registers Furrow with threadpoolctl if it is installed, so that threadpoolctl can limit the threads."""

from __future__ import annotations

from typing import Any

from . import _core
from ._contexts import get_num_threads, set_num_threads


def register() -> None:
    """Tells threadpoolctl how to read and set the number of threads."""
    try:
        import threadpoolctl
    except ImportError:
        return

    class Controller(threadpoolctl.LibController):  # type: ignore[misc]
        user_api = "furrow"
        internal_api = "furrow"
        filename_prefixes = ("libfurrow",)

        def get_num_threads(self) -> int:
            return get_num_threads()

        def set_num_threads(self, num_threads: int) -> None:
            set_num_threads(num_threads)

        def get_version(self) -> Any:
            return _core.version()

    threadpoolctl.register(Controller)
