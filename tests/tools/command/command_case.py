"""Shared by the tests of the command: functions that run it, and test cases with a temporary folder.

A program of tests is called with COMMAND DATA [unittest's arguments].
"""

import functools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import matrix_market  # in this folder; Python must leave no cache here

COMMAND = sys.argv[1]
DATA = pathlib.Path(sys.argv[2])


def quick(arguments):
    """Returns the command's line. `multiply` without --repeat repeats its product for 0.2 s. Here it gets 50
    repetitions, for which it chooses the same kernel."""
    line = [COMMAND, *map(str, arguments)]
    if line[1:2] == ["multiply"] and not any(word.startswith("--repeat") for word in line):
        line.insert(2, "--repeat=50")
    return line


def run(*arguments, **options):
    return subprocess.run(quick(arguments), capture_output=True, text=True, check=False, timeout=120,
                          **options)


def help_faults(text):
    """Returns the lines of a help text that are wider than a terminal, end in blanks, or explain an option in more than
    two lines. A long option is alone on a line before its explanation."""
    faults = [line for line in text.splitlines() if len(line) > 79 or line != line.rstrip()]
    lines = None  # outside the options
    for line in text.splitlines():
        starts = re.match(r" {2}(?:-., | {4})--\S+( +\S)?", line)
        if starts:
            lines = 1 if starts[1] else 0
        elif not line.startswith(" " * 29):
            lines = None
        elif lines is not None:
            lines += 1
        faults += [line] if lines and lines > 2 else []
    return faults


def pipe(content, *arguments):
    """Runs the command with this standard input, checks that it succeeds, and returns its standard output in bytes."""
    done = subprocess.run(quick(arguments), input=content, capture_output=True, check=False,
                          timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def data(name):
    return DATA / name


def matrices():
    """Returns the files of data/, or one in four in a slow build, as with sanitizers."""
    paths = sorted(DATA.glob("*.mtx"))
    return paths[::4] if "FURROW_TEST_SLOW" in os.environ else paths


def matrix(name):
    return matrix_market.read(data(name).read_bytes().decode())


def shuffled_grid(path, width=13, height=9, seed=7):
    """Writes the matrix of five points on a grid whose points are numbered at random."""
    print(f"seed {seed}", end=" ", flush=True)
    places = list(range(width * height))
    random.Random(seed).shuffle(places)
    lines = []
    for i, here in enumerate(places):
        lines.append(f"{here + 1} {here + 1} 4.25")
        for j in ([i + 1] if (i + 1) % width else []) + [i + width]:
            if j < width * height:
                low, high = sorted((here, places[j]))
                lines.append(f"{high + 1} {low + 1} -1")
    sizes = f"{width * height} {width * height} {len(lines)}"
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real symmetric", sizes, *lines])
                    + "\n")
    return path


def limit_files():
    """Makes a process fail if it writes a file of more than 1500 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))


def limit_memory(size):
    """Limits the address space of a process to `size` bytes."""
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


@functools.lru_cache(maxsize=None)
def cuda_missing():
    """Returns the message that says why no GPU is available, or "" if there is a GPU."""
    return run("kernels", "--device", "cuda").stderr.strip()


@functools.lru_cache(maxsize=None)
def cannot_pack(suffix):
    """Returns the message that says why this build does not support a compression, or "" if it does."""
    with tempfile.TemporaryDirectory() as folder:
        return run("convert", data("lecture.mtx"), f"{folder}/a.mtx{suffix}").stderr.strip()


class CommandTest(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def json(self, *arguments, status=0, **options):
        done = run(*arguments, "--json", **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def sentence(self, *arguments, status=1, **options):
        """Returns the only message on standard error of a run that must fail with this status."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if status == 1:
            self.assertRegex(done.stderr, r"\Afurrow: [^\n]+\n\Z")
        return done.stderr

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())


class CudaCase(CommandTest):
    """A test that needs a GPU."""

    @classmethod
    def setUpClass(cls):
        if cuda_missing():
            print(f"SKIPPED: the command on a GPU ({cuda_missing()})", flush=True)
            raise unittest.SkipTest(cuda_missing())


class TakingTurns(unittest.TestLoader):
    """Loads every second test of a case. Other runs load the others."""

    def getTestCaseNames(self, case):
        names = super().getTestCaseNames(case)
        first = random.randrange(2) if len(names) > 1 else 0
        return names[first::2]


def main():
    """Runs all tests or the named ones. A slow build runs half of them, chosen by FURROW_SEED."""
    slow = "FURROW_TEST_SLOW" in os.environ
    if slow:
        seed = int(os.environ.get("FURROW_SEED") or random.randrange(2**32))
        print(f"FURROW_SEED={seed}", flush=True)
        random.seed(seed)
    loader = TakingTurns() if slow else unittest.defaultTestLoader
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], testLoader=loader)
