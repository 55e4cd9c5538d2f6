#!/usr/bin/env python3
"""Makes the seeds of fuzz_interface: any bytes are a program, and these begin with each of the things
that a program can make, without and with memory refused.

    interface.py FOLDER
"""
import pathlib
import random
import sys

random.seed(14)
folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
for what in range(8):
    for number in range(6):
        refused = [3, random.randrange(1, 60)] if number == 5 else [0, 0]
        rest = random.randbytes(random.choice([60, 200, 500]))
        (folder / f"{what}-{number}").write_bytes(bytes([*refused, 0, what]) + rest)
