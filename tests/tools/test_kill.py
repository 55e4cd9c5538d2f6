#!/usr/bin/env python3
"""Ends `furrow convert A B` at random moments, while B exists. B is then the old file or the new
one, bit for bit, and no other file is left.

    test_kill.py COMMAND [ROUNDS]

COMMAND is the command, or a build whose temporary files always have names (system_named.c). Prints
its seed; FURROW_SEED repeats it.
"""

import collections
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
HAS_NAMES = "named" in pathlib.Path(COMMAND).name
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
           signal.SIGXCPU]
TARGETS = ["b.mtx", "b.mtx.gz", "b.mtx.zst", "b.fur"]
OLD = b"what was there before\n"
ROWS = 20000


def write_matrix(path):
    """Writes a matrix with seven entries in most rows. Its numbers have many digits."""
    entries = [(row, row + step) for row in range(1, ROWS + 1) for step in range(-3, 4)
               if 1 <= row + step <= ROWS]
    lines = [f"{i} {j} {1 / (3 * i + j)!r}\n" for i, j in entries]
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n"
                    f"{ROWS} {ROWS} {len(entries)}\n{''.join(lines)}")


def start(source, target, limit=None):
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.Popen([COMMAND, "convert", source, target, "--threads", "2"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=prepare)


class Failure(Exception):
    pass


class Trial:
    """An output file in a separate folder, and the file that it is converted from."""

    def __init__(self, folder, source, name):
        self.folder = folder / name
        self.folder.mkdir()
        self.source = source
        self.target = self.folder / name
        begin = time.monotonic()
        self.run(status=0)
        self.seconds = time.monotonic() - begin
        self.new = self.target.read_bytes()
        self.counts = collections.Counter()

    def run(self, status):
        process = start(self.source, self.target)
        sentence = process.communicate()[1].decode()
        if process.returncode != status:
            raise Failure(f"{self.target.name}: exit status {process.returncode}: {sentence}")

    def check(self, what, may_leave):
        """Checks that the target is the old or the new file, and that no other file is left that `may_leave`
        forbids."""
        content = self.target.read_bytes()
        if content not in (OLD, self.new):
            raise Failure(f"{self.target.name} is neither the old nor the new file after {what}")
        self.counts["new" if content == self.new else "old"] += 1
        for path in set(self.folder.iterdir()) - {self.target}:
            if not may_leave(path):
                raise Failure(f"{what} leaves {path.name} beside {self.target.name}")
            self.counts["left"] += 1
            path.unlink()

    def kill(self, number):
        """Sends a signal during a conversion. SIGKILL may leave a temporary file. If temporary files have names, it may
        be incomplete. Otherwise it has a name only between the last two calls, and is complete."""
        self.target.write_bytes(OLD)
        process = start(self.source, self.target)
        time.sleep(random.uniform(0, 1.1 * self.seconds))
        process.send_signal(number)
        process.communicate()
        name = signal.Signals(number).name
        if process.returncode not in (0, -number):
            raise Failure(f"exit status {process.returncode} after {name}")
        self.counts["killed"] += process.returncode != 0
        self.check(name, lambda path: number == signal.SIGKILL and path.name.startswith(".furrow-")
                   and (HAS_NAMES or path.read_bytes() == self.new))

    def fill(self):
        """Checks a conversion that may not write as many bytes as it must."""
        self.target.write_bytes(OLD)
        limit = random.randrange(1500, len(self.new))  # LLVM's OpenMP needs a limit above 1024
        process = start(self.source, self.target, limit)
        sentence = process.communicate()[1].decode()
        if process.returncode != 1 or sentence != (f"furrow: {self.target}: cannot write: "
                                                   "File too large\n"):
            raise Failure(f"exit status {process.returncode} at {limit} bytes: {sentence}")
        self.counts["limited"] += 1
        self.check(f"a limit of {limit} bytes", lambda path: False)


def main():
    seed = int(os.environ.get("FURROW_SEED") or time.time_ns() % 2**32)
    print(f"FURROW_SEED={seed}", flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "a.fur"
        write_matrix(folder / "a.mtx")
        subprocess.run([COMMAND, "convert", folder / "a.mtx", source], check=True,
                       stdout=subprocess.DEVNULL)
        for target in TARGETS:
            trial = Trial(folder, source, target)
            for _ in range(ROUNDS):
                for number in SIGNALS:
                    trial.kill(number)
                trial.fill()
            print(target, dict(trial.counts), flush=True)


try:
    main()
except Failure as failure:
    sys.exit(f"test_kill.py: {failure}")
