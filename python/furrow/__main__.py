"""Runs the command furrow that is part of the package: ``python -m furrow`` or ``furrow``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def command() -> str:
    """Returns the path of the program."""
    return os.path.join(os.path.dirname(__file__), "bin", "furrow")


def main() -> NoReturn:
    """Replaces this process by the command."""
    path = command()
    if not os.path.exists(path):
        sys.exit("furrow: this package was built without the command, which needs jansson and libpng")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
