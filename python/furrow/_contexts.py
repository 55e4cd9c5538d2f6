"""Contexts, one for each device and number of threads, created on first use."""

from __future__ import annotations

import atexit
import os

from . import _core
from ._given import at_least, checked

_made: dict[tuple[str, int, int], _core.Context] = {}
_threads = 0
setting = object()  # replaced by every set_num_threads


def _after_fork_in_child() -> None:
    """Lets matrices continue in new contexts. Objects of a lost context report that it is lost."""
    global setting
    _core.after_fork_in_child()
    for key in [key for key, made in _made.items() if made.lost and made.device == "cpu"]:
        del _made[key]
    setting = object()


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_core.leave_gpus)


def context(device: str = "cpu", threads: int | None = None, stream: int = 0) -> _core.Context:
    """Returns the context of a device; `threads` None: the value of `set_num_threads`."""
    at_least(1, "threads", threads)
    device = "cuda:0" if device == "cuda" else device
    key = (device, _threads if threads is None else threads, stream)
    found = _made.get(key)
    if found is None:
        found = _made[key] = _core.Context(*key)
    return found


@checked
def set_num_threads(threads: int | None) -> None:
    """Sets the number of threads for all later calls; results do not depend on it.

    Parameters
    ----------
    threads : int or None
        None: the environment variable ``OMP_NUM_THREADS``, or one thread per processor if it is not set.

    Examples
    --------
    >>> import furrow
    >>> furrow.set_num_threads(1)
    >>> furrow.get_num_threads()
    1
    >>> furrow.set_num_threads(None)
    """
    global _threads, setting
    _threads = at_least(1, "threads", threads) or 0
    setting = object()


def get_num_threads() -> int:
    """Returns the number of threads that calls use.

    Examples
    --------
    >>> import furrow
    >>> furrow.get_num_threads() >= 1
    True
    """
    return context().threads


def devices() -> list[str]:
    """Returns the names of this machine's devices: ``"cpu"``, then ``"cuda:0"`` and so on.

    Examples
    --------
    >>> import furrow
    >>> furrow.devices()[0]
    'cpu'
    """
    return [name for name, _, _, usable in _core.devices() if usable]
