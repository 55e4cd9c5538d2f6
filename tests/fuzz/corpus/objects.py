#!/usr/bin/env python3
"""Makes the seeds of fuzz_objects: any bytes are a program, without and with memory refused.

    objects.py FOLDER
"""
import pathlib
import random
import sys

random.seed(37)
folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
for number in range(24):
    refused = [3, random.randrange(4, 60)] if number % 6 == 5 else [0, 0]
    rest = random.randbytes(random.choice([200, 400, 800]))
    (folder / f"{number}").write_bytes(bytes([*refused, number % 4]) + rest)
