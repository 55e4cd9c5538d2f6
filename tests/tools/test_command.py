#!/usr/bin/env python3
"""End-to-end tests of the command furrow on the matrices of data/.

    test_command.py COMMAND DATA [unittest's arguments]
"""

import base64
import collections
import functools
import gzip
import html.parser
import io
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import string
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # no cache is to be left beside this file
import matrix_market
import pictures
from command_case import (COMMAND, DATA, CommandTest, CudaCase, cuda_missing, data, help_faults,
                          limit_files, limit_memory, main, matrices, matrix, pipe, run, shuffled_grid)

METHODS = ["rcm", "cm", "rcm-quality", "sloan"]
SUBCOMMANDS = ["info", "multiply", "solve", "eigs", "convert", "add", "extract", "combine",
               "reorder", "neighbours", "trisolve", "spy", "stencil", "kernels", "bench"]

INFO_KEYS = {"rows", "cols", "entries", "entries_in_file", "field", "symmetry", "row_min",
             "row_mean", "row_max", "empty_rows", "bandwidth", "profile", "seconds_load"}
MULTIPLY_KEYS = {"rows", "cols", "entries", "kernel", "threads", "seconds_load", "seconds_plan",
                 "seconds_median", "bytes", "gbps", "y_norm_1", "y_norm_2", "y_norm_max"}
SOLVE_KEYS = {"method", "precond", "reason", "outcome", "converged", "iterations", "residual",
              "residual_recurrence", "reduced", "seconds_setup", "seconds_solve", "seconds_per_iteration",
              "bytes_per_iteration", "gbps", "condition_estimate", "residual_bound", "error_a_norm",
              "attempts", "kernel"}
ATTEMPT_KEYS = {"method", "precond", "reason", "outcome", "iterations", "residual", "seconds"}
STENCIL_KEYS = {"points", "extent", "type", "device", "ns_per_point_stencil", "ns_per_point_csr",
                "ratio", "gbps_stencil", "gbps_csr", "max_difference", "copy_gbps",
                "percent_of_copy", "seconds_assemble", "threads", "forms"}
REORDER_KEYS = {"rows", "entries", "method", "bandwidth_before", "bandwidth_after",
                "profile_before", "profile_after", "rms_wavefront_before", "rms_wavefront_after",
                "seconds_order", "seconds_permute", "seconds_spmv_before", "seconds_spmv_after",
                "products_to_pay_back"}


class UsageTest(CommandTest):
    def test_help_names_every_command_and_fits_a_terminal(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in SUBCOMMANDS:
            self.assertRegex(done.stdout, rf"(?m)^ +{name} ")
        self.assertEqual(help_faults(done.stdout), [])

    def test_help_of_every_command(self):
        for name in SUBCOMMANDS:
            done = run(name, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(f"Usage: furrow {name} "), done.stdout)
            for option in ("--threads", "--device", "--json", "--version"):
                self.assertIn(option, done.stdout)
            self.assertEqual(help_faults(done.stdout), [], name)

    def test_letters_of_options_are_meant(self):
        """argp shows and takes a printable key as a letter."""
        letters = {"spy": {"-o"}}
        for name in SUBCOMMANDS:
            shown = set(re.findall(r"(?m)^ +(-.),? ", run(name, "--help").stdout))
            self.assertEqual(shown, {"-?", "-V"} | letters.get(name, set()), name)
        for letter in string.punctuation.replace("-", "").replace("?", ""):
            with self.subTest(letter=letter):
                self.assertIn("invalid option", self.sentence("solve", data("plate.mtx"), f"-{letter}",
                                                              status=2))

    def test_version_everywhere(self):
        for arguments in [["--version"]] + [[name, "--version"] for name in SUBCOMMANDS]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\Afurrow \d+\.\d+\.\d+\n\Z")

    def test_wrong_usage(self):
        plate = data("plate.mtx")
        cases = [
            ([], "a command is missing"),
            (["divide"], "there is no command 'divide'"),
            (["--fast"], "unrecognized option '--fast'"),
            (["info"], "a file name is missing"),
            (["convert", plate], "a file name is missing"),
            (["info", plate, plate], "too many file names"),
            (["info", "--fast", plate], "unrecognized option '--fast'"),
            (["info", "--threads", "0", plate], "--threads takes a whole number"),
            (["info", "--threads", "-1", plate], "--threads takes a whole number"),
            (["info", "--threads", "abc", plate], "--threads takes a whole number"),
            (["info", "--threads", "2x", plate], "--threads takes a whole number"),
            (["info", "--threads", "99999999999999999999", plate], "--threads takes a whole"),
            (["multiply", "--repeat", "0", plate], "--repeat takes a whole number"),
            (["solve", "--rtol", "0", plate], "--rtol takes a positive number"),
            (["solve", "--rtol", "nan", plate], "--rtol takes a positive number"),
            (["solve", "--max-iterations", "0", plate], "--max-iterations takes a whole number"),
            (["solve", "--precond", "lu", plate],
             "--precond takes auto, none, jacobi, norms, mg, ssor, ic0, ilu0, fsai, "
             "chebyshev, ilu, amg, ilut, bjacobi, spai, schwarz, direct or grid, not 'lu'"),
            (["solve", "--restart", "0", plate], "--restart takes a whole number"),
            (["solve", "--damp", "-1", plate], "--damp takes a positive number"),
            (["solve", "--report", "r.htm", plate], "--report takes a name that ends in .html"),
            (["bench", "7-point:4", "--report", "r.htm"], "--report takes a name that ends in .html"),
            (["bench", "7-point:4", "--picture", "r.png"], "--picture takes a name that ends in .svg"),
            (["bench", "--report", "r.html"], "a benchmark is missing"),
            (["bench", "--from", "r.json"], "--from goes with --report or --picture"),
            (["bench", "--from", "r.json", "--report", "r.html", "spmv"], "leave out 'spmv'"),
            (["bench", "--from", "r.json", "--picture", "r.svg", "--json-file", "s.json"],
             "--json-file goes without --from"),
            (["solve", "--history", "h.txt", plate], "--history takes a name that ends in .csv"),
            (["solve", "--x0", "", plate], "--x0 takes the name of a file"),
            (["convert", "--type", "f16", plate, "x"], "--type takes f32"),
            (["convert", "--symmetry", "odd", plate, "x"], "--symmetry takes general"),
            (["info", "--duplicates", "max", plate], "--duplicates takes sum, last, error or keep"),
            (["info", "--mirrored", "upper", plate], "--mirrored takes error or lower"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(expected, done.stderr)
                self.assertTrue(done.stderr.startswith("furrow"), done.stderr)

    def test_help_by_other_names(self):
        for name in SUBCOMMANDS:
            expected = run(name, "--help").stdout
            for arguments in (["help", name], [name, "-h"]):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""))
        for arguments in (["help"], ["-h"], ["help", "help"]):
            self.assertEqual(run(*arguments).stdout, run("--help").stdout)
        self.assertIn("no command 'me'", self.sentence("help", "me", status=2))

    def test_unknown_names(self):
        """All are wrong usage, and the sentence lists what exists."""
        plate, grid = data("plate.mtx"), ["--extent", "8,8,8"]
        cases = [
            (["info", plate, "--device", "abacus"], "--device takes cpu, cuda or cuda:N, not"),
            (["solve", plate, "--method", "abacus"], "--method takes auto, mg, cg"),
            (["solve", plate, "--precond", "abacus"],
             "--precond takes auto, none, jacobi, norms, mg, ssor, ic0, ilu0, fsai, "
             "chebyshev, ilu, amg, ilut, bjacobi, spai, schwarz, direct or grid, not"),
            (["reorder", plate, "--method", "abacus"],
             "--method takes rcm, cm, rcm-quality or sloan, not"),
            (["multiply", plate, "--values", "abacus"], "--values takes exact or f32, not"),
            (["spy", plate, "-o", "a.png", "--reorder", "abacus"],
             "--reorder takes rcm, cm, rcm-quality or sloan, not"),
            (["convert", plate, "a.mtx", "--format", "abacus"], "--format takes mtx or fur, not"),
            (["bench", "abacus"], "bench without a matrix takes spmv, spmm, reduce, stencil, solve, "
             "trisolve, spgemm, sddmm, solve_block, precond, multigrid, io, recognise, neighbours, batch, rounded, "
             "stencil_block or algebra"),
        ] + [([*arguments, "--reorder", "abacus"],
              "--reorder takes none, rcm, cm, rcm-quality, sloan or auto, not")
             for arguments in (["multiply", plate], ["solve", plate])
        ] + [([*arguments, "abacus"], f"{arguments[-1]} takes reference, ")
             for arguments in (["multiply", plate, "--kernel"], ["solve", plate, "--kernel"],
                               ["solve", "--stencil", 7, *grid, "--kernel"],
                               ["stencil", "--points", 7, *grid, "--kernel"],
                               ["stencil", "--points", 7, *grid, "--against"])]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                said = " ".join(done.stderr.split())
                self.assertIn(expected, said)
                self.assertIn("'abacus'", said)

    def test_every_name_of_a_list_is_taken(self):
        """Every name that the sentence offers exists."""
        for arguments in (["multiply", data("plate.mtx"), "--kernel"],
                          ["solve", "--stencil", 3, "--extent", 9, "--precond", "none",
                           "--kernel"]):
            offered = re.search(r"takes (.*) on cpu", run(*arguments, "abacus").stderr)[1]
            for name in re.split(", | or ", offered):
                done = run(*arguments, name)
                if done.returncode != 0:
                    self.assertIn("does not suit", done.stderr)

    def test_options_that_do_not_go_together(self):
        """A request that cannot be met is refused, never ignored."""
        plate, grid = data("plate.mtx"), ["--stencil", 5, "--extent", "8,8"]
        binary, a = self.folder / "a.fur", self.folder / "a.png"
        self.json("convert", plate, binary)
        cases = [
            (["solve", plate, "--type", "f32"], "--type goes with --stencil"),
            (["solve", plate, "--extent", "8,8"], "--extent goes with --stencil, not with a file"),
            (["solve", plate, "--boundary", "neumann"], "--boundary goes with --stencil, not"),
            (["solve", plate, "--method", "mg"], "--method mg goes with --stencil, not"),
            (["solve", plate, "--precond", "mg"], "--precond mg goes with --stencil, not"),
            (["solve", plate, *grid], "--stencil goes without a file"),
            (["solve", "--stencil", 7, *grid, "--precond", "ic0"],
             "--precond of a matrix goes with a file, not with --stencil"),
            (["solve", plate, "--precond", "ilu0", "--method", "lsmr"],
             "--precond of a square matrix goes with a --method that is not lsqr, lsmr or cgnr"),
            (["solve", plate, "--precond", "ic0:fill=1"],
             '--precond: "ic0" has no option "fill"; it has: shift, modified, coloured'),
            (["solve", plate, "--precond", "ilut:drop=2"],
             '--precond: drop of "ilut" must be from 0 to below 1; it is 2'),
            (["solve", plate, "--precond", "jacobi:degree=2"], '"jacobi" has no options'),
            (["eigs", plate, "--method", "lobpcg", "--precond", "fsai:steps"],
             '--precond: steps of "fsai" has no value; write steps= and a whole number'),
            (["solve", plate, "--precond", "ic0:"],
             '--precond: an option of "ic0" has no name; remove the ":" or "," before it, or write '
             'one of: shift, modified, coloured'),
            (["solve", plate, "--precond", "ilu:fill"],
             '--precond: fill of "ilu" has no value; write fill= and a whole number'),
            (["solve", plate, "--precond", "none:x"], '--precond: "none" has no options; write "none" alone'),
            (["solve", plate, "--precond", "auto:x=1"], '--precond: "auto" has no options; write "auto" alone'),
            (["solve", plate, "--precond", "fsai:gain=0.1"], 'gain of "fsai" needs a search of positions'),
            (["eigs", plate, "--method", "lobpcg", "--precond", "none:"],
             '--precond: "none" has no options; write "none" alone'),
            (["solve", *grid, "--reorder", "rcm"], "--reorder goes with a file, not"),
            (["solve", *grid, "--method", "mg", "--precond", "jacobi"],
             "--precond goes with a --method that is not mg"),
            (["solve", *grid, "--method", "mg", "--bounds"],
             "--bounds goes with a --method that is not mg"),
            (["multiply", plate, "--by", plate, "--x", plate], "--x goes without --by"),
            (["multiply", plate, "--by", plate, "--values", "f32"], "--values goes without --by"),
            (["multiply", plate, "--by", plate, "--half"], "--half goes without --by"),
            (["multiply", plate, "--half", "--kernel", "rows"], "--half goes without --kernel"),
            (["multiply", plate, "--half", "--reorder", "rcm"],
             "--half goes without --reorder: order the file by furrow reorder"),
            (["multiply", plate, "--kernel", "stencil", "--transpose"],
             "--kernel stencil goes without --transpose"),
            (["convert", plate, "b.mtx", "--pattern", "--type", "f32"],
             "--type goes without --pattern: no values are written"),
            (["spy", plate, "-o", a, "--allow-worse"], "--allow-worse goes with --reorder"),
            (["kernels", "--measure"], "--measure goes with a file"),
            (["kernels", "--transpose"], "--transpose goes with a file"),
            (["stencil", "--points", 3, "--extent", 8, "--device", "cuda", "--rounds", 3],
             "--rounds goes with --device cpu"),
            (["bench", "multigrid", 8, "--rounds", 3], "bench multigrid on cpu does not support --rounds"),
            (["bench", "multigrid", 8, "--against", "x"], "does not support --against"),
            (["bench", "recognise", "--report", "r.html"], "does not support --report"),
            (["bench", "io", "--picture", "r.svg"], "does not support --picture"),
            (["bench", "recognise", "--seconds", 1], "does not support --seconds"),
            (["bench", "stencil", "--seconds", 1], "does not support --seconds"),
            (["bench", "spmv", "--sweeps", 1], "bench spmv on cpu does not support --sweeps"),
            (["bench", "io", plate, "--strict"], "does not support an option of reading"),
        ] + [([*arguments, "--format", "mtx"], "--format goes with --out")
             for arguments in (["multiply", plate], ["solve", plate], ["reorder", plate])
        ] + [([*arguments, *option], "no Matrix Market file is read; leave out --duplicates,")
             for arguments in (["info", binary], ["multiply", binary], ["solve", binary],
                               ["convert", binary, "b.mtx"], ["kernels"], ["solve", *grid],
                               ["stencil", "--points", 5, "--extent", "8,8"],
                               ["bench", "7-point:4"])
             for option in (["--strict"], ["--drop-zeros"], ["--allow-trailing"],
                            ["--duplicates", "last"], ["--mirrored", "lower"])]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(expected, " ".join(done.stderr.split()))
        self.assertEqual(self.left(), ["a.fur"])
        x = self.folder / "x.mtx"
        matrix_market.write_column(x, [1.0] * 10000)
        self.json("multiply", binary, "--x", x, "--strict")
        self.json("solve", binary, "--b", x, "--strict")

    def test_empty_names(self):
        plate = data("plate.mtx")
        for arguments, option in ((["info", ""], "the command"), (["convert", plate, ""], "the"),
                                  (["multiply", plate, "--x", ""], "--x"),
                                  (["solve", plate, "--b", ""], "--b"),
                                  (["solve", plate, "--out", ""], "--out")):
            self.assertIn(f"{option} ", self.sentence(*arguments, status=2))
            self.assertIn("takes the name of a file, not ''", self.sentence(*arguments, status=2))

    def test_sentences_name_the_file(self):
        survey, wind = data("survey.mtx"), data("wind.mtx")
        out = self.folder / "out.mtx"
        cases = [
            (["reorder", survey], f"reordering {survey}: only a square matrix"),
            (["spy", survey, "-o", self.folder / "a.png", "--reorder", "rcm"],
             f"drawing {survey}: only a square matrix"),
            (["multiply", survey, "--reorder", "rcm"], f"multiplying by {survey}: only a square"),
            (["multiply", survey, "--kernel", "stencil"],
             f'multiplying by {survey}: kernel "stencil" needs the matrix'),
            (["convert", wind, out, "--symmetry", "symmetric"],
             f"converting {wind}: the matrix is not symmetric: entries (1, 2) and (2, 1), counting "
             "from 1"),
            (["solve", survey, "--method", "cg"], f"solving with {survey}: cg needs a square matrix"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                self.assertTrue(self.sentence(*arguments).startswith(f"furrow: {expected}"))
        text = self.sentence("convert", "-", out, "--symmetry", "symmetric",
                             input=wind.read_text())
        self.assertTrue(text.startswith("furrow: converting standard input: "), text)
        missing = self.folder / "missing" / "out.mtx"
        for arguments in (["convert", wind, missing], ["reorder", wind, "--out", missing]):
            self.assertTrue(self.sentence(*arguments).startswith(f"furrow: {missing}: "))

    def test_what_memory_was_for(self):
        """With less and less of it, each sentence says what could not be done."""
        plate = data("plate.mtx")
        for arguments in (["info", plate], ["reorder", plate],
                          ["solve", "--stencil", 7, "--extent", "60,60,60"]):
            for megabytes in range(8, 24, 2):
                done = run(*arguments, "--threads", 1,
                           preexec_fn=lambda size=megabytes << 20: limit_memory(size))
                if done.returncode == 1 and done.stderr.startswith("furrow: "):
                    self.assertRegex(done.stderr, r"\Afurrow: (reading|reordering|solving with) "
                                                  r".*(plate\.mtx|the stencil): out of memory: ")

    def test_figures_for_people(self):
        """Times have one form everywhere, and a mean no sixteen digits."""
        three = re.compile(r"(\d\.\d\d|\d\d\.\d|[1-9]\d\d|\d\d?|\d\.\d|0\.0*\d{1,3}) (us|ms|s)\Z")
        for command in ("multiply", "solve", "info", "kernels", "convert"):
            out = [self.folder / "out.mtx"] if command == "convert" else []
            text = run(command, data("wind.mtx"), *out).stdout
            for line in text.splitlines():
                if re.match(r"(time to|.*product )", line) and re.search(r" (us|ms|s)\Z", line):
                    self.assertRegex(line, three)
            self.assertNotRegex(text, r"e\+\d+ (us|ms|s|GB)")
            self.assertNotRegex(text, r"\d\.\d{7,}(?!e)")
        report = self.json("kernels", data("wind.mtx"), "--uses", "1000000")
        self.assertGreater(report["seconds_estimated"], 0)
        self.assertNotRegex(report["reason"], r" us\b")
        self.assertRegex(run("info", data("survey.mtx")).stdout, r"(?m)^mean row +[\d.]{1,8}$")

    def test_threads_are_told(self):
        for arguments in (["info"], ["multiply"], ["solve"], ["reorder"], ["kernels"],
                          ["spy", "-o", self.folder / "a.png"], ["convert", self.folder / "a.fur"]):
            report = self.json(arguments[0], data("plate.mtx"), *arguments[1:], "--threads", 2)
            self.assertEqual(report["threads"], 2)

    def test_more_threads_than_there_can_be(self):
        """The command works with the most threads that can start, with equal bits."""
        expected = self.json("multiply", data("plate.mtx"), "--threads", 1)
        for threads, limit in ((2147483647, None), (40000, None), (1000, 2000000 << 10)):
            with self.subTest(threads=threads):
                limited = (lambda size=limit: limit_memory(size)) if limit else None
                if run("--version", preexec_fn=limited).returncode != 0:
                    continue  # a sanitizer needs more addresses
                done = run("multiply", data("plate.mtx"), "--json", "--threads", threads,
                           preexec_fn=limited)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, r"\A(furrow: warning: [^\n]+\n)?\Z")
                report = json.loads(done.stdout)
                self.assertIn(report["threads"], range(1, 40000))
                self.assertEqual(report["y_norm_2"], expected["y_norm_2"])


class InfoTest(CommandTest):
    def test_every_matrix(self):
        for path in matrices():
            with self.subTest(file=path.name):
                self.check(self.json("info", path), matrix(path.name))

    def check(self, found, a):
        self.assertLessEqual(INFO_KEYS, found.keys())
        lengths = [len(a.lines[row]) for row in range(a.rows)]
        reach = [row - min(a.lines[row], default=row) for row in range(a.rows)]
        expected = {
            "rows": a.rows, "cols": a.cols, "entries": a.entries(),
            "entries_in_file": a.entries_in_file, "field": a.field, "symmetry": a.symmetry,
            "row_min": min(lengths), "row_max": max(lengths), "row_mean": sum(lengths) / a.rows,
            "empty_rows": lengths.count(0),
            "bandwidth": max((abs(row - col) for row, line in a.lines.items() for col in line),
                             default=0),
            "profile": sum(max(0, distance) for distance in reach),
        }
        self.assertEqual({key: found[key] for key in expected}, expected)
        self.assertGreater(found["seconds_load"], 0)

    def test_table_for_people(self):
        done = run("info", data("lecture.mtx"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"(?m)^rows +4$")
        self.assertRegex(done.stdout, r"(?m)^empty rows +1$")


class OperationsTest(CommandTest):
    """add, extract and combine, by the matrices that they write."""

    A = {(1, 1): 2, (2, 1): 3, (2, 2): 4, (3, 2): -1, (3, 3): 5, (1, 3): 7}
    B = {(1, 1): 1, (1, 2): 8, (3, 3): -2.5}

    def setUp(self):
        super().setUp()
        self.a = self.put("a.mtx", self.A)
        self.b = self.put("b.mtx", self.B)

    def put(self, name, entries):
        path = self.folder / name
        lines = "".join(f"{i} {j} {v}\n" for (i, j), v in entries.items())
        path.write_text(f"%%MatrixMarket matrix coordinate real general\n3 3 {len(entries)}\n{lines}")
        return path

    def made(self, *arguments):
        out = self.folder / "out.mtx"
        report = self.json(*arguments, "--out", out)
        lines = [line.split() for line in out.read_text().splitlines() if not line.startswith("%")]
        entries = {(int(i), int(j)): float(v) for i, j, v in lines[1:]}
        self.assertEqual([report[key] for key in ("rows", "cols", "entries")],
                         [int(word) for word in lines[0]])
        self.assertEqual(report["norm_max"], max(abs(v) for v in entries.values()))
        return entries

    def test_add(self):
        both = self.A.keys() | self.B.keys()
        for alpha, beta in ((1, 1), (2, -0.5)):
            expected = {at: alpha * self.A.get(at, 0) + beta * self.B.get(at, 0) for at in both}
            self.assertEqual(self.made("add", self.a, self.b, "--alpha", alpha, "--beta", beta),
                             expected)

    def test_extract(self):
        for options, keeps in ((["--triangle", "lower"], lambda i, j, v: j <= i),
                               (["--triangle", "strict-upper"], lambda i, j, v: j > i),
                               (["--drop", 3], lambda i, j, v: abs(v) > 3)):
            self.assertEqual(self.made("extract", self.a, *options),
                             {(i, j): v for (i, j), v in self.A.items() if keeps(i, j, v)})
        self.assertEqual(self.made("extract", self.a, "--rows", "2:3", "--cols", "2:3",
                                   "--triangle", "diagonal"), {(1, 1): 4, (2, 2): 5})

    def test_combine(self):
        whole = self.made("combine", "--grid", "2x2", self.a, self.b, self.b, "0")
        self.assertEqual(whole, {**self.A, **{(i, j + 3): v for (i, j), v in self.B.items()},
                                 **{(i + 3, j): v for (i, j), v in self.B.items()}})
        self.assertEqual(self.json("combine", self.a, self.b)["cols"], 6)

    def test_what_does_not_fit(self):
        wide = self.folder / "wide.mtx"
        wide.write_text("%%MatrixMarket matrix coordinate real general\n2 4 1\n1 1 2\n")
        self.assertIn("they need the same shape", self.sentence("add", self.a, wide))
        self.assertIn("has blocks of 3 and of 2 rows", self.sentence("combine", self.a, wide))
        for arguments, expected in (
                (["add", self.a, self.b, "--alpha", "x"], "--alpha takes a number, not 'x'"),
                (["extract", self.a, "--rows", "0:2"], "--rows takes FIRST:LAST, counting from 1"),
                (["extract", self.a, "--cols", "2:4"], "--rows and --cols must be within it"),
                (["combine", "--grid", "2x2", self.a], "--grid 2x2 takes 4 files, not 1"),
                (["combine", "0", "0"], "all blocks are 0; give at least one file")):
            self.assertIn(expected, " ".join(self.sentence(*arguments, status=2).split()))


class TrisolveTest(CommandTest):
    """A matrix whose solutions are whole numbers, and arguments that do not fit."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "a.mtx"
        self.path.write_text("%%MatrixMarket matrix coordinate real general\n3 3 6\n"
                             "1 1 2\n2 1 3\n2 2 4\n3 2 -1\n3 3 5\n1 3 7\n")
        matrix_market.write_column(self.folder / "b.mtx", [2.0, 11.0, 13.0])

    def solution(self, *options):
        report = self.json("trisolve", self.path, self.folder / "b.mtx", "--out",
                           self.folder / "x.mtx", "--repeat", 3, *options)
        return matrix_market.read_column((self.folder / "x.mtx").read_text()), report

    def test_every_triangle(self):
        for options, x in ((["--schedule", "serial"], [1, 2, 3]),
                           (["--threads", 2, "--schedule", "levels"], [1, 2, 3]),
                           (["--upper", "--unit"], [-89, 11, 13]),
                           (["--transpose", "--unit", "--schedule", "blocks"], [-70, 24, 13])):
            with self.subTest(options=options):
                found, report = self.solution(*options)
                self.assertEqual(found, x)
                self.assertEqual(report["y_norm_max"], max(abs(v) for v in x))
                self.assertEqual(report["levels"], 2 if "--upper" in options else 3)

    def test_ones_by_default(self):
        self.assertEqual(self.json("trisolve", self.path)["y_norm_max"], 0.5)

    def test_what_does_not_fit(self):
        self.path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n")
        self.assertIn("a triangular solve needs a square matrix; this one is 2 x 3",
                      self.sentence("trisolve", self.path))
        self.path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2\n")
        self.assertIn("row 2, counting from 1, has no entry on the diagonal",
                      self.sentence("trisolve", self.path))
        self.assertIn("the vector has 3 entries, but the matrix needs 2",
                      self.sentence("trisolve", self.path, self.folder / "b.mtx"))

    def test_info_knows_the_graph(self):
        report = self.json("info", self.path, "--graph")
        self.assertEqual([report[key] for key in ("components", "component_max", "colours",
                                                  "levels_lower", "levels_upper")],
                         [1, 3, 3, 3, 2])
        self.assertNotIn("colours", self.json("info", self.path).keys())


class NeighboursTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "points.mtx"
        # An array file has its columns one after the other: (0, 0), (3, 0), (3, 4), (0, 0).
        self.path.write_text("%%MatrixMarket matrix array real general\n4 2\n" +
                             "".join(f"{x}\n" for x in (0, 3, 3, 0, 0, 0, 4, 0)))

    def graph(self, *options):
        report = self.json("neighbours", self.path, "--out", self.folder / "g.mtx", *options)
        lines = (self.folder / "g.mtx").read_text().splitlines()
        entries = [line.split() for line in lines if not line.startswith("%")][1:]
        return {(int(i), int(j)): float(x) for i, j, x in entries}, report

    def test_every_method(self):
        for method in ("auto", "brute", "grid"):
            with self.subTest(method=method):
                found, report = self.graph("--k", 2, "--method", method)
                self.assertEqual(found, {(1, 2): 3, (1, 4): 0, (2, 1): 3, (2, 4): 3, (3, 1): 5,
                                         (3, 2): 4, (4, 1): 0, (4, 2): 3})
                self.assertLessEqual({"seconds_plan", "seconds_apply", "bytes", "gbps"},
                                     report.keys())
                self.assertEqual([report[key] for key in ("rows", "cols", "entries", "dimensions",
                                                          "y_norm_1", "y_norm_max")],
                                 [4, 4, 8, 2, 21, 5])
                self.assertEqual(report["method"], "brute" if method == "auto" else method)

    def test_squares_and_selves(self):
        found, _ = self.graph("--k", 2, "--squared", "--with-self", "--threads", 2)
        self.assertEqual(found, {(1, 1): 0, (1, 4): 0, (2, 1): 9, (2, 2): 0, (3, 2): 16, (3, 3): 0,
                                 (4, 1): 0, (4, 4): 0})

    def test_what_does_not_fit(self):
        self.assertIn("16 neighbours for each of 4 points were requested; ask for 1 to 3",
                      self.sentence("neighbours", self.path))
        self.path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n")
        self.assertIn("only 1 of 2 x 3 coordinates are stored; the file must be a dense array",
                      self.sentence("neighbours", self.path, "--k", 1))


class MultiplyByTest(CommandTest):
    def test_product_of_two_matrices(self):
        a = {(0, 0): 2.5, (0, 2): -1.0, (2, 1): 4.0}
        b = {(0, 1): 3.0, (1, 0): -2.0, (1, 3): 0.5, (2, 1): 7.5}
        for name, rows, cols, entries in (("a.mtx", 3, 3, a), ("b.mtx", 3, 4, b)):
            lines = [f"{i + 1} {j + 1} {x}\n" for (i, j), x in entries.items()]
            (self.folder / name).write_text("%%MatrixMarket matrix coordinate real general\n" +
                                            f"{rows} {cols} {len(lines)}\n" + "".join(lines))
        report = self.json("multiply", self.folder / "a.mtx", "--by", self.folder / "b.mtx",
                           "--out", self.folder / "c.mtx", "--repeat", 2)
        self.assertLessEqual({"rows", "cols", "entries", "products", "seconds_plan",
                              "seconds_apply", "bytes", "gbps"}, report.keys())
        found = [report[key] for key in ("rows", "cols", "entries", "products", "repeat",
                                         "y_norm_1", "y_norm_max")]
        self.assertEqual(found, [3, 4, 3, 4, 2, 10.0, 8.0])
        lines = (self.folder / "c.mtx").read_text().splitlines()
        self.assertEqual([line.split() for line in lines if not line.startswith("%")],
                         [["3", "4", "3"], ["1", "2", "0"], ["3", "1", "-8"], ["3", "4", "2"]])

    def test_rounded_values(self):
        (self.folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                           "2 2 2\n1 1 0.1\n2 2 1e300\n")
        exact = self.json("multiply", self.folder / "a.mtx", "--values", "exact")
        self.assertEqual([exact["values"], exact["y_norm_max"]], ["exact", 1e300])
        (self.folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                           "2 2 2\n1 1 0.1\n2 2 0.1\n")
        rounded = self.json("multiply", self.folder / "a.mtx", "--values", "f32")
        self.assertEqual([rounded["values"], rounded["y_norm_max"]], ["f32", 0.10000000149011612])
        self.assertNotIn("values", self.json("multiply", self.folder / "a.mtx"))

    def test_half_storage(self):
        """Half of a symmetric file, and of a whole matrix, has the norms and the bits of A."""
        self.json("convert", data("plate.mtx"), self.folder / "plate.fur")
        self.json("convert", data("ring.mtx"), self.folder / "whole.mtx", "--symmetry", "general")
        for path, half in ((data("plate.mtx"), "symmetric"), (data("ring.mtx"), "Hermitian"),
                           (data("dense_symmetric.mtx"), "symmetric"),
                           (self.folder / "plate.fur", "symmetric"),
                           (self.folder / "whole.mtx", "Hermitian")):
            with self.subTest(file=path):
                lines = []
                for options in ([], ["--half"]):
                    report = self.json("multiply", path, *options, "--repeat", 1, "--out",
                                       self.folder / "y.mtx")
                    lines.append((self.folder / "y.mtx").read_text())
                self.assertEqual(lines[0], lines[1])
                self.assertEqual([report["half"], report["kernel"]], [half, "half"])
        whole = self.json("multiply", data("plate.mtx"))
        self.assertNotIn("half", whole)
        self.assertLess(self.json("multiply", data("plate.mtx"), "--half")["entries"],
                        whole["entries"])

    def test_half_storage_needs_symmetry(self):
        skew = self.folder / "skew.mtx"
        skew.write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n")
        for path, why in ((data("wind.mtx"), "entries (1, 2) and (2, 1), counting from 1, do not match"),
                          (data("scattering.mtx"), "--half needs a symmetric matrix: "),
                          (data("survey.mtx"), "this one is 60 x 15"),
                          (skew, "this one is skew-symmetric")):
            self.assertIn(why, self.sentence("multiply", path, "--half"))
        self.assertIn("half of a complex matrix supports only A",
                      self.sentence("multiply", data("ring.mtx"), "--half", "--transpose"))

    def test_product_with_itself_and_of_unfit_shapes(self):
        plate = data("plate.mtx")
        report = self.json("multiply", plate, "--by", plate)
        self.assertEqual(report["rows"], report["cols"])
        done = run("multiply", data("survey.mtx"), "--by", data("survey.mtx"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the columns of a must equal the rows of b", done.stderr)


class MultiplyTest(CommandTest):
    def product(self, path, x, *options):
        """y as the command writes it, and its report."""
        matrix_market.write_column(self.folder / "x.mtx", x)
        report = self.json("multiply", path, "--x", self.folder / "x.mtx", "--out",
                           self.folder / "y.mtx", "--repeat", 3, *options)
        self.assertEqual(self.left(), ["x.mtx", "y.mtx"])
        return matrix_market.read_column((self.folder / "y.mtx").read_text()), report

    def check(self, y, report, a, x):
        self.assertLessEqual(MULTIPLY_KEYS, report.keys())
        expected, bound = a.multiply(x)
        self.assertEqual(len(y), len(expected))
        for found, right, error in zip(y, expected, bound):
            self.assertLessEqual(abs(found - right), error)
        sizes = [abs(value) for value in y]
        self.assertAlmostEqual(report["y_norm_max"], max(sizes), delta=1e-15 * max(sizes))
        for key, right in (("y_norm_1", math.fsum(sizes)), ("y_norm_2", math.hypot(*sizes))):
            self.assertAlmostEqual(report[key], right, delta=1e-13 * right)

    def test_block_of_vectors(self):
        """C = A B and A^T B for an array B, column by column as single products."""
        block = self.folder / "B.mtx"
        a = data("plate.mtx")
        rows = self.json("info", a)["rows"]
        columns = [[(37 * i * (j + 1) % 101 - 50) / 16 for i in range(rows)] for j in range(3)]
        numbers = "".join(f"{x!r}\n" for column in columns for x in column)
        block.write_text(f"%%MatrixMarket matrix array real general\n{rows} 3\n{numbers}")
        for options in ([], ["--transpose"]):
            report = self.json("multiply", a, "--by", block, "--out", self.folder / "C.mtx",
                               "--repeat", 2, *options)
            self.assertEqual((report["rows"], report["cols"]), (rows, 3))
            lines = (self.folder / "C.mtx").read_text().split("\n")
            self.assertEqual(lines[1], f"{rows} 3")
            found = [float(x) for x in lines[2:] if x]
            expected = []
            for column in columns:
                matrix_market.write_column(self.folder / "x.mtx", column)
                self.json("multiply", a, "--x", self.folder / "x.mtx", "--out",
                          self.folder / "y.mtx", "--repeat", 1, *options)
                expected += matrix_market.read_column((self.folder / "y.mtx").read_text())
            self.assertEqual(found, expected)
        self.assertIn("is a sparse matrix",
                      self.sentence("multiply", a, "--by", a, "--transpose"))
        self.assertIn("--x", self.sentence("multiply", a, "--by", block, "--x", block, status=2))

    def numbers(self, a, count):
        x = [(37 * i % 101 - 50) / 16 for i in range(count)]
        return [complex(v, 1 - v) for v in x] if a.field == "complex" else x

    def test_every_matrix_both_ways(self):
        for path in matrices():
            if path.name == "extremes.mtx":
                continue
            a = matrix(path.name)
            for options, op in (([], a), (["--transpose"], a.transposed())):
                with self.subTest(file=path.name, options=options):
                    x = self.numbers(a, op.cols)
                    y, report = self.product(path, x, *options)
                    self.check(y, report, op, x)

    def test_every_kernel_agrees(self):
        wind = data("wind.mtx")
        x = matrix_market.read_column(data("wind_x.mtx").read_text())
        names = [kernel["name"] for kernel in self.json("kernels")["kernels"]]
        self.assertGreater(len(names), 1)
        for name in names:
            with self.subTest(kernel=name):
                y, report = self.product(wind, x, "--kernel", name, "--threads", 2)
                self.assertEqual((report["kernel"], report["threads"]), (name, 2))
                self.check(y, report, matrix("wind.mtx"), x)

    def test_refused_threads_are_said(self):
        """Each thread's stack takes half of what the process may: there is room for two at most."""
        path = self.folder / "diagonal.mtx"
        rows = 250000
        path.write_text(f"%%MatrixMarket matrix coordinate pattern general\n{rows} {rows} {rows}\n"
                        + "".join(f"{i} {i}\n" for i in range(1, rows + 1)))

        def limit():
            most = resource.getrlimit(resource.RLIMIT_STACK)[1]
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, most))
            resource.setrlimit(resource.RLIMIT_AS, (2000000 << 10, 2000000 << 10))

        arguments = ["multiply", path, "--threads", 1000, "--json"]
        done = run(*arguments, preexec_fn=limit)
        if "Sanitizer" in done.stderr:
            self.skipTest("a sanitizer takes more addresses than that for itself")
        self.assertEqual(done.returncode, 0, done.stderr)
        note = re.fullmatch(r"furrow: note: only (\d+) of (\d+) threads were started, because the "
                            r"system refused the next one: [^\n]+\n", done.stderr)
        self.assertTrue(note, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["threads"], int(note[1]))
        self.assertLess(report["threads"], int(note[2]))
        self.assertEqual(report["y_norm_max"], self.json("multiply", path)["y_norm_max"])
        self.assertEqual(run(*arguments, "--quiet", preexec_fn=limit).stderr, "")

    def test_ones_by_default(self):
        report = self.json("multiply", data("lecture.mtx"))
        self.assertEqual((report["y_norm_1"], report["y_norm_max"]), (13, 7))
        self.assertEqual(report["y_norm_2"], math.sqrt(69))
        self.assertEqual((report["rows"], report["cols"], report["entries"]), (4, 4, 7))

    def test_sparse_and_real_vectors(self):
        report = self.json("multiply", data("plate.mtx"), "--x", data("plate_source.mtx"))
        self.assertEqual((report["y_norm_1"], report["y_norm_max"]), (8, 4))
        matrix_market.write_column(self.folder / "x.mtx", [1.0] * 48)
        given = self.json("multiply", data("ring.mtx"), "--x", self.folder / "x.mtx")
        self.assertEqual(given["y_norm_2"], self.json("multiply", data("ring.mtx"))["y_norm_2"])

    def test_numbers_that_json_lacks(self):
        report = self.json("multiply", data("extremes.mtx"))
        self.assertEqual(report["y_norm_1"], "inf")
        self.assertEqual(report["y_norm_max"], 1.7976931348623157e308)

    def test_names_that_are_not_utf8(self):
        """Each byte that is not part of a character is printed as U+FFFD, in every name."""
        seed = int(os.environ.get("FURROW_SEED") or time.time_ns() % 2**32)
        print(f"FURROW_SEED={seed}")
        r = random.Random(seed)
        names = [b"latin-\xe9", b"\xe2\x82", b"\xed\xa0\x80\xf4\x90\x80\x80\xc1\xbf",
                 "\u00e9\u20ac\U0001f600\ufffd\ud7ff".encode()]
        pieces = [b"a", b"\n", b"\x80", b"\xbf", b"\xc2", b"\xdf", b"\xe0", b"\xa0", b"\x9f", b"\xed",
                  b"\xef", b"\xf0", b"\x90", b"\x8f", b"\xf4", b"\xf5", b"\xff"]
        names += [b"".join(r.choices(pieces, k=r.randrange(1, 30))) for _ in range(12)]
        for name in names:
            path = self.folder / os.fsdecode(name + b".svg")
            with self.subTest(name=name):
                expected = re.sub("[\udc80-\udcff]", "\ufffd", str(path))
                report = self.json("spy", data("lecture.mtx"), "-o", path)
                self.assertEqual(report["picture"], expected)

    def test_benchmark_of_a_name_that_is_not_utf8(self):
        path = self.folder / os.fsdecode(b"latin-\xe9.mtx")
        path.write_bytes(data("lecture.mtx").read_bytes())
        report = self.json("bench", path, "--rounds", 1, "--seconds", 1e-4)
        self.assertEqual([result["case"] for result in report["results"]],
                         [str(self.folder / "latin-\ufffd.mtx")])

    def test_figures_fit_together(self):
        report = self.json("multiply", data("plate.mtx"), "--repeat", 5)
        self.assertEqual(report["repeat"], 5)
        rate = report["bytes"] / report["seconds_median"] / 1e9
        self.assertAlmostEqual(report["gbps"], rate, delta=1e-9 * rate)

    def test_wrong_vector(self):
        text = self.sentence("multiply", data("lecture.mtx"), "--x", data("wind_x.mtx"))
        self.assertIn("wind_x.mtx: the vector has 144 entries, but the matrix needs 4", text)


class RecognitionTest(CommandTest):
    """A matrix that is a stencil; test_recognise.c has the rest."""

    def test_a_grid_is_known(self):
        found = "a stencil of 5 points with variable coefficients on a grid of 100 x 100; 0 rows differ"
        for command in ("multiply", "solve"):
            report = self.json(command, data("plate.mtx"))
            self.assertEqual((report["recognised"], report["recognition"]), (True, found))
            self.assertEqual(report["rows_differing"], 0)
            self.assertIn(found, run(command, data("plate.mtx")).stdout)

    def test_bits_are_those_of_the_reference(self):
        for kernel in ("stencil", "reference"):
            report = self.json("multiply", data("plate.mtx"), "--x", data("plate_source.mtx"),
                               "--kernel", kernel, "--out", self.folder / kernel)
            self.assertEqual(report["kernel"], kernel)
            self.assertEqual("recognised" in report, kernel == "stencil")
        self.assertEqual((self.folder / "stencil").read_bytes(),
                         (self.folder / "reference").read_bytes())

    def test_solution_by_the_stencil(self):
        reports = [self.json("solve", data("plate.mtx"), "--kernel", kernel, "--no-reduction", "--out",
                             self.folder / kernel) for kernel in ("stencil", "reference")]
        self.assertEqual(reports[0]["iterations"], reports[1]["iterations"])
        self.assertEqual((self.folder / "stencil").read_bytes(),
                         (self.folder / "reference").read_bytes())

    def test_every_way_solves_for_one_of_two_colours(self):
        """Whichever kernel is asked for, and whichever wins the race: 215 iterations in place of 428."""
        columns = self.folder / "b.mtx"
        columns.write_text("%%MatrixMarket matrix array real general\n10000 2\n" + "1\n" * 20000)
        plain = ["solve", data("plate.mtx"), "--method", "cg"]
        solutions, iterations = set(), set()
        for kernel in (["--kernel", name] for name in ("auto", "stencil", "reference", "rows")):
            for precond in ("jacobi", "none"):
                report = self.json(*plain, "--precond", precond, *kernel, "--out", self.folder / "x.mtx")
                self.assertEqual((report["iterations"], report["reduced"]), (215, True), (kernel, precond))
                solutions.add((self.folder / "x.mtx").read_bytes())
            report = self.json(*plain, "--precond", "jacobi", *kernel, "--b", columns)
            iterations |= {column["iterations"] for column in report["columns"]}
        self.assertEqual((len(solutions), len(iterations)), (1, 1))
        report = self.json(*plain, "--precond", "jacobi", "--reorder", "rcm")
        self.assertIs(report["reduced"], True)
        self.assertAlmostEqual(report["iterations"], 215, delta=1)
        self.assertEqual(self.json(*plain, "--precond", "jacobi", "--no-reduction")["iterations"], 428)

    def test_others_are_told_why_not(self):
        report = self.json("multiply", data("survey.mtx"))
        self.assertIs(report["recognised"], False)
        self.assertIn("the matrix of a stencil is square", report["recognition"])
        self.assertIn("the matrix of a stencil is square",
                      self.sentence("multiply", data("survey.mtx"), "--kernel", "stencil"))
        self.assertNotIn("recognised", self.json("multiply", data("plate.mtx"), "--transpose"))


class EigsTest(CommandTest):
    def test_ring(self):
        """A Hermitian matrix: the printed residuals are the residuals of the written vectors."""
        for which, order in (("smallest", 1), ("largest", -1), ("both", 1)):
            out = self.folder / "v.mtx"
            report = self.json("eigs", data("ring.mtx"), "--count", 4, "--which", which, "--basis",
                               20, "--out", out)
            self.assertIs(report["converged"], True)
            self.assertEqual((report["values_converged"], report["which"]), (4, which))
            values, residuals = report["values"], report["residuals"]
            self.assertEqual(values, sorted(values, reverse=order < 0))
            self.assertLessEqual(max(residuals), 1e-10 * report["norm"])
            columns = [[0] * 48 for _ in range(4)]
            lines = out.read_text().splitlines()
            self.assertEqual(lines[1], "48 4 192")
            for line in lines[2:]:
                row, column, real, imaginary = line.split()
                columns[int(column) - 1][int(row) - 1] = complex(float(real), float(imaginary))
            for value, column in zip(values, columns):
                product, _ = matrix("ring.mtx").multiply(column)
                rest = math.hypot(*(abs(y - value * x) for x, y in zip(column, product)))
                self.assertLessEqual(rest, 1e-10 * report["norm"] + 1e-14)
                self.assertAlmostEqual(math.hypot(*map(abs, column)), 1, places=12)

    def test_all_of_a_small_matrix(self):
        """The trace is the sum of all eigenvalues."""
        path = self.folder / "a.mtx"
        path.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n"
                        "1 1 2\n2 2 2\n3 3 5\n2 1 -1\n")
        report = self.json("eigs", path)
        self.assertEqual(report["count"], 3)
        for value, expected in zip(report["values"], (1, 3, 5)):
            self.assertAlmostEqual(value, expected, places=12)
        done = run("eigs", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"eigenvalue +\|\|A v - lambda v\|\|\n\n +(1|0\.9{9,}\d*) ")

    def test_what_is_refused(self):
        cases = [
            (data("survey.mtx"), "only a square matrix has eigenvalues; this one is 60 x 15"),
            (data("wind.mtx"), "furrow eigs needs a symmetric matrix: entries (1, 2) and (2, 1), "
             "counting from 1, do not match"),
        ]
        for path, expected in cases:
            self.assertEqual(self.sentence("eigs", path),
                             f"furrow: eigenvalues of {path}: {expected}\n")
        self.assertIn("1000 eigenvalues were requested; the matrix has 48",
                      self.sentence("eigs", data("ring.mtx"), "--count", 1000))

    def test_lobpcg(self):
        """The values of Lanczos' method; options of the other method are refused."""
        grid = shuffled_grid(self.folder / "grid.mtx", 30, 20)
        expected = self.json("eigs", grid, "--count", 3)["values"]
        for precond in "ic0", "amg":
            report = self.json("eigs", grid, "--count", 3, "--method", "lobpcg",
                               "--precond", precond, "--relative", "1e-8")
            self.assertIs(report["converged"], True)
            self.assertEqual((report["method"], report["precond"]), ("lobpcg", precond))
            for value, other in zip(report["values"], expected):
                self.assertLessEqual(abs(value - other), 1e-7 * other)
        for option in ("--precond", "ic0"), ("--block", "9"), ("--relative", "1e-3"):
            self.assertIn(f"{option[0]} goes with --method lobpcg",
                          self.sentence("eigs", grid, *option, status=2))
        self.assertIn("goes with --method lanczos",
                      self.sentence("eigs", grid, "--method", "lobpcg", "--which",
                                    "both", status=2))

    def test_too_few_iterations(self):
        arguments = ["eigs", data("plate.mtx"), "--count", 2, "--max-iterations", 5]
        report = self.json(*arguments, status=1)
        self.assertEqual((report["converged"], report["values_converged"]), (False, 0))
        self.assertIn("0 of 2 eigenvalues converged in 24 iterations: iteration limit reached",
                      self.sentence(*arguments))


class SolveColumnsTest(CommandTest):
    def write(self, columns):
        """An array with these columns."""
        path = self.folder / "b.mtx"
        lines = [str(entry) for column in columns for entry in column]
        path.write_text("%%MatrixMarket matrix array real general\n"
                        f"{len(columns[0])} {len(columns)}\n" + "\n".join(lines) + "\n")
        return path

    def test_each_column_is_a_solve(self):
        """The columns of X are what single solves write."""
        rows = self.json("info", data("plate.mtx"))["rows"]
        columns = [[(i * (7 + j)) % 5 - 2 for i in range(rows)] for j in range(3)]
        out = self.folder / "x.mtx"
        report = self.json("solve", data("plate.mtx"), "--b", self.write(columns), "--out", out,
                           "--precond", "ic0", "--method", "cg")
        self.assertEqual((report["converged"], report["right_hand_sides"]), (True, 3))
        found = [line for line in out.read_text().splitlines() if not line.startswith("%")][1:]
        for j, column in enumerate(columns):
            one = self.folder / "one.mtx"
            single = self.json("solve", data("plate.mtx"), "--b", self.write([column]), "--out",
                               one, "--precond", "ic0", "--method", "cg")
            lines = [line for line in one.read_text().splitlines() if not line.startswith("%")]
            self.assertEqual(found[j * rows:(j + 1) * rows], lines[1:])
            self.assertEqual(report["columns"][j]["iterations"], single["iterations"])

    def test_columns_that_fail(self):
        rows = self.json("info", data("plate.mtx"))["rows"]
        path = self.write([[0] * rows, [1] * rows])
        self.assertIn("column 2, counting from 1, has no solution after 3 iterations: iteration limit reached",
                      self.sentence("solve", data("plate.mtx"), "--b", path, "--max-iterations", 3))
        self.assertIn("--history needs a single right-hand side",
                      self.sentence("solve", data("plate.mtx"), "--b", path, "--history",
                                    self.folder / "h.csv"))
        self.assertIn("several right-hand sides need a square matrix",
                      self.sentence("solve", data("survey.mtx"), "--b",
                                    self.write([[1] * 60, [2] * 60])))


class SolveTest(CommandTest):
    def test_plate(self):
        out = self.folder / "x.mtx"
        report = self.json("solve", data("plate.mtx"), "--out", out)
        self.assertLessEqual(SOLVE_KEYS, report.keys())
        self.assertIs(report["converged"], True)
        self.assertLessEqual(report["residual"], 1e-10)
        self.assertEqual((report["method"], report["precond"]), ("cg", "jacobi"))
        x = matrix_market.read_column(out.read_text())
        self.assertEqual(len(x), 10000)
        self.assertLess(max(abs(value - 1) for value in x), 1e-6)

    def test_preconditioners_of_the_matrix(self):
        """Each finds the solution, in its own order too, in fewer iterations than Jacobi's."""
        plain = self.json("solve", data("plate.mtx"), "--precond", "jacobi", "--no-reduction")
        for arguments in (["ssor"], ["ic0"], ["ic0:modified"], ["ic0:coloured"], ["ilu0:shift=0.01"],
                          ["ic0", "--reorder", "rcm"], ["fsai"], ["fsai:fill=1"],
                          ["fsai:steps=9,grow=2,gain=0.001"], ["ilu:fill=2"], ["bjacobi:block=10"],
                          ["bjacobi:block=10,adaptive"], ["schwarz:symmetric,block=500"],
                          ["chebyshev:degree=4"], ["amg"], ["amg:cycle=W,sweeps=1"], ["amg", "--reorder", "rcm"]):
            report = self.json("solve", data("plate.mtx"), "--precond", *arguments)
            self.assertEqual((report["method"], report["precond"]), ("cg", arguments[0]))
            self.assertIs(report["converged"], True)
            self.assertLess(report["iterations"], plain["iterations"])
            self.assertGreater(report["precond_entries"], 0)
            self.assertGreaterEqual(report["seconds_precond"], 0)
            self.assertEqual(report["precond_shift"], 0.01 if "shift" in arguments[0] else 0)
        report = self.json("solve", data("ring.mtx"), "--precond", "ilut:drop=1e-2,fill=5", "--method", "gmres")
        self.assertEqual((report["converged"], report["precond_raised"]), (True, 0))
        for kind in ("spai", "spai:diagonal", "schwarz", "schwarz:no_overlap,block=10"):
            report = self.json("solve", data("ring.mtx"), "--precond", kind, "--method", "gmres")
            self.assertEqual((report["converged"], report["precond"]), (True, kind))
        text = self.sentence("solve", data("indefinite.mtx"), "--precond", "ic0")
        self.assertRegex(text, r"the pivot of row \d+, counting from 1, is not positive")

    def test_given_right_hand_side(self):
        out = self.folder / "x.mtx"
        source = data("plate_source.mtx")
        report = self.json("solve", data("plate.mtx"), "--b", source, "--rtol", "1e-6", "--out", out)
        ax, _ = matrix("plate.mtx").multiply(matrix_market.read_column(out.read_text()))
        b = matrix_market.read_column(source.read_text())
        residual = math.hypot(*(right - left for left, right in zip(ax, b))) / math.hypot(*b)
        self.assertLess(residual, 1.1e-6)
        self.assertAlmostEqual(report["residual"], residual, delta=1e-3 * residual)

    def test_bounds(self):
        report = self.json("solve", data("plate.mtx"), "--rtol", "1e-6")
        self.assertEqual((report["residual_bound"], report["error_a_norm"]), (None, None))
        out = self.folder / "x.mtx"
        source = data("plate_source.mtx")
        report = self.json("solve", data("plate.mtx"), "--b", source, "--rtol", "1e-6", "--bounds",
                           "--out", out)
        ax, _ = matrix("plate.mtx").multiply(matrix_market.read_column(out.read_text()))
        b = matrix_market.read_column(source.read_text())
        residual = math.hypot(*(right - left for left, right in zip(ax, b))) / math.hypot(*b)
        self.assertAlmostEqual(report["residual_bound"], residual, delta=1e-6 * residual)
        self.assertTrue(0 < report["error_a_norm"] < 1e-3)
        text = run("solve", data("plate.mtx"), "--bounds", "--report", self.folder / "x.html").stdout
        self.assertIn("residual, at most", text)
        self.assertIn("error, at least", text)
        page = (self.folder / "x.html").read_text()
        self.assertIn("certainly at most", page)
        self.assertIn("Error in the norm of A", page)
        grid = ["solve", "--stencil", 5, "--extent", "30,30", "--bounds"]
        report = self.json(*grid)
        self.assertIsNone(report["residual_bound"])
        self.assertIsNone(report["error_a_norm"])

    def test_hermitian(self):
        report = self.json("solve", data("ring.mtx"), "--precond", "none")
        self.assertIs(report["converged"], True)
        self.assertEqual(report["precond"], "none")

    def test_threads_change_no_bit(self):
        for threads in (1, 2, 3):
            self.json("solve", data("plate.mtx"), "--threads", threads, "--out",
                      self.folder / f"{threads}.mtx")
        texts = {(self.folder / f"{threads}.mtx").read_text() for threads in (1, 2, 3)}
        self.assertEqual(len(texts), 1)

    def test_too_few_iterations(self):
        arguments = ["solve", data("plate.mtx"), "--max-iterations", 5]
        report = self.json(*arguments, status=1)
        self.assertEqual((report["converged"], report["iterations"]), (False, 5))
        self.assertGreater(report["residual"], 1e-10)
        self.assertIn("no solution after 5 iterations", self.sentence(*arguments))

    def test_indefinite(self):
        report = self.json("solve", data("indefinite.mtx"), "--method", "cg", status=1)
        self.assertEqual(report["precond"], "none")
        self.assertIn("no Jacobi, because the diagonal is 0 in row 31", report["reason"])
        self.assertIs(report["converged"], False)
        self.assertIn("indefinite", report["outcome"])

    def test_not_symmetric(self):
        """Conjugate gradients are lost, and see it, instead of asking for more iterations."""
        arguments = ["solve", data("wind.mtx"), "--method", "cg"]
        report = self.json(*arguments, status=1)
        self.assertIn("not symmetric", report["outcome"])
        self.assertLessEqual(report["iterations"], 64)
        self.assertNotIn("--max-iterations", self.sentence(*arguments))

    def test_unusable_diagonal(self):
        text = self.sentence("solve", data("indefinite.mtx"), "--precond", "jacobi")
        self.assertRegex(text, r"indefinite\.mtx: the diagonal entry of row 31, counting from 1, is 0; "
                               r"Jacobi's preconditioner divides by it")

    def test_stencil(self):
        """Every method and preconditioner finds the same solution, and multigrid sooner."""
        iterations = {}
        solutions = {}
        for arguments in (["--precond", "none"], ["--precond", "jacobi"], ["--precond", "mg"], [],
                          ["--method", "mg"]):
            out = self.folder / "x.mtx"
            report = self.json("solve", "--stencil", 7, "--extent", "9,30,12", "--boundary",
                               "dirichlet,neumann,periodic", "--rtol", "1e-12", *arguments, "--out",
                               out)
            self.assertIs(report["converged"], True)
            self.assertEqual((report["rows"], report["points"], report["rhs"]), (3240, 7, "ones"))
            key = report["method"], report["precond"]
            iterations[key] = report["iterations"]
            solutions[key] = matrix_market.read_column(out.read_text())
        self.assertEqual(sorted(iterations), [("cg", "jacobi"), ("cg", "mg"), ("cg", "none"),
                                              ("mg", "none")])
        self.assertLess(max(iterations["cg", "mg"], iterations["mg", "none"]), 15)
        first = solutions["cg", "none"]
        for solution in solutions.values():
            self.assertLess(max(abs(x - y) for x, y in zip(first, solution)), 1e-9 * max(first))

    def test_stencil_and_right_hand_side(self):
        one, two = self.folder / "1.mtx", self.folder / "2.mtx"
        grid = ["--stencil", 5, "--extent", "31,40"]
        self.json("solve", *grid, "--out", one)
        self.json("solve", *grid, "--b", one, "--method", "mg", "--out", two)
        x = matrix_market.read_column(two.read_text())
        x = [[x[i + 31 * j] if 0 <= i < 31 and 0 <= j < 40 else 0 for i in range(-1, 32)]
             for j in range(-1, 41)]
        b = matrix_market.read_column(one.read_text())
        for p, expected in enumerate(b):
            i, j = p % 31 + 1, p // 31 + 1
            ax = 4 * x[j][i] - x[j][i - 1] - x[j][i + 1] - x[j - 1][i] - x[j + 1][i]
            self.assertAlmostEqual(ax, expected, delta=1e-8 * max(b))

    def test_stencils_that_multigrid_does_not_take(self):
        report = self.json("solve", "--stencil", 27, "--extent", "9,8,7")
        self.assertEqual((report["converged"], report["precond"]), (True, "jacobi"))
        self.assertIn("multigrid does not support this stencil: ",
                      self.sentence("solve", "--stencil", 27, "--extent", "9,8,7", "--method", "mg"))
        self.assertIn("the stencil is singular", self.sentence(
            "solve", "--stencil", 3, "--extent", 8, "--boundary", "periodic"))

    def test_multigrid_only_where_it_can_be(self):
        """If --precond is absent, no system fails that Jacobi can solve."""
        for options in (["--type", "c128"], ["--boundary", "periodic,dirichlet,dirichlet"]):
            report = self.json("solve", "--stencil", 7, "--extent", "11,10,10", *options)
            self.assertEqual((report["converged"], report["precond"]), (True, "jacobi"))
        self.assertEqual(self.json("solve", "--stencil", 5, "--extent", "10,11", "--boundary",
                                   "periodic,dirichlet")["precond"], "mg")

    def test_wrong_grids(self):
        grid = ["solve", "--stencil", 7, "--extent"]
        for arguments, sentence in (
                ([*grid, "8,8"], "a stencil of 7 points has 3 axes, but --extent gave 2"),
                ([*grid, "8,8,8", "--boundary", "neumann,periodic"], "--boundary gave 2"),
                ([*grid, "8,8,0"], "each axis of --extent takes a whole number"),
                ([*grid, "8x8x8"], "each axis of --extent takes a whole number"),
                ([*grid, "8,8,8,8"], "--extent takes one to three numbers separated by commas"),
                ([*grid, "8,8,8", "--boundary", "open"], "--boundary takes dirichlet, neumann or"),
                ([*grid, "8,8,8", "--type", "f16"], "--type takes f32, f64, c64 or c128"),
                (["solve", "--stencil", 6, "--extent", "8"], "--stencil takes 3, 5, 7"),
                (["solve", "--stencil", 7], "--extent is missing")):
            self.assertIn(sentence, self.sentence(*arguments, status=2))

    def general(self, *entries, size=3, field="real"):
        path = self.folder / "a.mtx"
        lines = [f"%%MatrixMarket matrix coordinate {field} general",
                 f"{size} {size} {len(entries)}", *entries]
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_matrix_that_is_not_symmetric(self):
        """The pairs that differ are counted, and the pair that differs most is shown."""
        wind = matrix("wind.mtx")
        pairs = {(min(i, j), max(i, j)) for i, line in wind.lines.items() for j in line
                 if wind.lines[i][j] != wind.lines[j].get(i, 0)}
        for order in ([], ["--reorder", "cm"], ["--reorder", "sloan"]):
            text = self.sentence("solve", data("wind.mtx"), "--method", "cg", *order)
            self.assertIn("the matrix is not symmetric, as cg needs: ", text)
            self.assertNotIn("--max-iterations", text)
            found = re.search(r"in (\d+) pairs? of entries, most in \((\d+), (\d+)\) = (\S+) and "
                              r"\((\d+), (\d+)\) = (\S+), counting from 1", text)
            count, i, j, here, k, l, opposite = (float(number) for number in found.groups())
            self.assertEqual((count, i, j), (len(pairs), l, k))
            i, j = int(i) - 1, int(j) - 1
            self.assertAlmostEqual(wind.lines[i][j], here, delta=1e-8 * abs(here))
            self.assertAlmostEqual(wind.lines[j][i], opposite, delta=1e-8 * abs(opposite))
            self.assertEqual(abs(wind.lines[i][j] - wind.lines[j][i]),
                             max(abs(wind.lines[p][q] - wind.lines[q][p]) for p, q in pairs))

    def test_where_it_is_not_symmetric(self):
        diagonal = ["1 1 1", "2 2 1", "3 3 1"]
        lone = self.general(*diagonal, "3 1 5", "1 3 -5.25", "1 2 4")
        self.assertIn("in 2 pairs of entries, most in (1, 3) = -5.25 and (3, 1) = 5, counting",
                      self.sentence("solve", lone, "--method", "cg", "--no-reduction"))
        absent = self.general(*diagonal, "3 2 1.5")
        self.assertIn("in 1 pair of entries, most in (3, 2) = 1.5 and (2, 3) = 0, counting",
                      self.sentence("solve", absent, "--method", "cg", "--no-reduction"))
        complex_one = self.general("1 1 2 0", "2 2 2 0", "3 3 2 0", "1 2 0 9", "2 1 0 9",
                                   field="complex")
        self.assertIn("not Hermitian, as cg needs: in 1 pair of entries, most in (1, 2) = "
                      "(0, 9) and (2, 1) = (0, 9)",
                      self.sentence("solve", complex_one, "--method", "cg", "--no-reduction"))
        turned = self.general("1 1 2 0", "2 2 2 0.5", "3 3 2 -1", field="complex")
        self.assertIn("in 2 pairs of entries, most in (3, 3) = (2, -1) and (3, 3) = (2, -1), which "
                      "must be real, counting from 1",
                      self.sentence("solve", turned, "--method", "cg", "--precond", "none"))

    def test_advice_fits(self):
        """More iterations are advised only where the residual has shrunk."""
        text = self.sentence("solve", data("plate.mtx"), "--max-iterations", 100, "--no-reduction")
        self.assertIn("allow more with --max-iterations", text)
        rows = ["%d %d %d" % (i + 1, i + 1, 10 ** (2 * i)) for i in range(4)]
        rough = self.general(*rows, "1 2 1", "2 1 1", size=4)
        text = self.sentence("solve", rough, "--max-iterations", 1, "--method", "cg", "--precond",
                             "none", "--b", self.column([1, 1, 1, 1e-9]), "--no-reduction")
        residual = float(re.search(r"relative residual (\S+);", text)[1])
        self.assertEqual(residual, 1)  # the guess: what cg found is further away
        self.assertNotIn("--max-iterations", text)

    def column(self, numbers):
        matrix_market.write_column(self.folder / "b.mtx", numbers)
        return self.folder / "b.mtx"

    SLOW = ["--stencil", 3, "--extent", 300000, "--precond", "none", "--max-iterations", 10**9]
    CYCLES = ["--stencil", 5, "--extent", "1200,1200", "--method", "mg", "--rtol", "1e-13"]

    # When a signal may come in the midst of a solve: on one machine it has ended after 0.2 s of the
    # processor's time, on another it has then not begun.
    MOMENTS = [0.1 * 1.15**i for i in range(25)]

    @staticmethod
    def seconds_of(process):
        """The processor's time that it has had."""
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def interrupted(self, *arguments, after=0.3, signals=(signal.SIGINT,), **options):
        """Starts a solve and sends these signals once it has computed for `after` seconds."""
        child = subprocess.Popen([COMMAND, "solve", *map(str, arguments)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, **options)
        while child.poll() is None and self.seconds_of(child) < after:
            time.sleep(0.005)
        for number in signals:
            child.send_signal(number)
            time.sleep(0.01)
        return child.communicate(timeout=120), child.returncode

    def test_signals_keep_what_there_is(self):
        for options, number, form, rows in ((self.SLOW, signal.SIGINT, ["--json"], 300000),
                                            (self.SLOW, signal.SIGTERM, [], 300000),
                                            (self.CYCLES, signal.SIGINT, [], 1200 * 1200)):
            out = self.folder / "x.mtx"
            for moment in self.MOMENTS:
                (said, error), status = self.interrupted(*options, "--out", out, *form,
                                                         signals=[number], after=moment)
                if status == -number and said:
                    break
            with self.subTest(options=options, signal=number, form=form):
                self.assertEqual(status, -number, error)
                self.assertRegex(error, rf"\Afurrow: the stencil: interrupted by {number.name} after "
                                        r"\d+ iterations, relative residual \S+; the last x is in "
                                        r".*x\.mtx\n\Z")
                self.assertIn("interrupted", said)
                self.assertNotIn("monitor", said)
                if form:
                    self.assertIs(json.loads(said)["converged"], False)
                self.assertEqual(out.read_text().count("\n"), rows + 2)
                self.assertEqual(self.left(), ["x.mtx"])

    def test_second_signal_ends_at_once(self):
        """Cycles hear of a signal late, so that there is time for another."""
        for moment in self.MOMENTS:
            (said, error), status = self.interrupted(
                *self.CYCLES, after=moment, signals=[signal.SIGINT, signal.SIGTERM])
            if status == -signal.SIGTERM and not said:
                break
        self.assertEqual((said, error, status), ("", "", -signal.SIGTERM))

    def test_signal_as_a_shell_sees_it(self):
        script = 'trap "" INT; "$@" & child=$!; sleep 1; kill -TERM $child; wait $child; echo $?'
        done = subprocess.run(["bash", "-c", script, "bash", COMMAND, "solve",
                               *map(str, self.SLOW), "--quiet"],
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.stdout.split()[-1], "143")

    def test_ignored_signals_stay_ignored(self):
        arguments = ["--stencil", 3, "--extent", 3000, "--precond", "none"]
        done = run("solve", *arguments,
                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertEqual(done.returncode, 0)
        (_, error), status = self.interrupted(
            *self.SLOW, signals=[signal.SIGTERM],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertEqual((status, "SIGTERM" in error), (-signal.SIGTERM, True))

    def test_not_square(self):
        text = self.sentence("solve", data("survey.mtx"), "--method", "cg")
        self.assertIn("survey.mtx: cg needs a square matrix; this one is 60 x 15: for least squares "
                      "use lsqr, lsmr or cgnr", text)

    def test_attempts(self):
        report = self.json("solve", data("plate.mtx"))
        self.assertEqual(len(report["attempts"]), 1)
        self.assertLessEqual(ATTEMPT_KEYS, report["attempts"][0].keys())
        for key in ("method", "precond", "reason", "outcome", "iterations", "residual"):
            self.assertEqual(report["attempts"][0][key], report[key])
        self.assertIn("symmetric", report["reason"])

    def test_direct(self):
        """Complete factors, if a library is installed. Otherwise a sentence says which library is
        missing."""
        done = run("solve", data("indefinite.mtx"), "--method", "direct", "--json")
        if "was found" in done.stderr:
            self.skipTest("no library with complete factors")
        report = json.loads(done.stdout)
        self.assertEqual((report["method"], report["precond"], report["converged"]),
                         ("direct", "direct", True))
        self.assertLessEqual(report["iterations"], 2)
        self.assertRegex(report["precond_note"], "CHOLMOD|KLU|UMFPACK")
        self.assertTrue(self.json("solve", data("indefinite.mtx"), "--method", "direct", "--precond",
                                  "direct")["converged"])
        columns = self.folder / "columns.mtx"
        rows = self.json("info", data("indefinite.mtx"))["rows"]
        columns.write_text(f"%%MatrixMarket matrix array real general\n{rows} 2\n" + "1\n" * 2 * rows)
        self.assertTrue(self.json("solve", data("indefinite.mtx"), "--method", "direct", "--b",
                                  columns)["converged"])
        for options, sentence in (
                (("--stencil", "5", "--extent", "4,4", "--method", "direct"), "--method direct"),
                *((("--method", "direct", "--precond", kind, *more),
                   "--method direct goes with its own factors as the preconditioner; leave --precond out")
                  for kind in ("ic0", "none") for more in ((), ("--b", columns)))):
            files = () if "--stencil" in options else (data("indefinite.mtx"),)
            self.assertIn(sentence, run("solve", *files, *options).stderr)

    def test_choices(self):
        """No option is given for any kind of matrix, and x is the file's."""
        for name, method in (("wind", "gmres"), ("rotation", "gmres"), ("ring", "cg"),
                             ("survey", "lsmr"), ("reaction", "lsmr")):
            out = self.folder / "x.mtx"
            report = self.json("solve", data(f"{name}.mtx"), "--out", out)
            self.assertEqual((report["converged"], report["method"]), (True, method), name)
            self.assertEqual(len(report["attempts"]), 1)
            if name not in ("rotation", "reaction"):  # which are singular
                for value in matrix_market.read_column(out.read_text()):
                    self.assertLess(abs(value - 1), 1e-6)

    def test_changes_its_mind(self):
        """gmres cannot solve a singular system. lsmr can, because b is in the range."""
        report = self.json("solve", data("links.mtx"))
        self.assertEqual([(a["method"], a["outcome"]) for a in report["attempts"]][-1],
                         ("lsmr", "converged"))
        self.assertEqual(report["attempts"][0]["method"], "gmres")
        self.assertIn("gmres with none ended as: singular", report["attempts"][1]["reason"])
        self.assertEqual(report["iterations"], sum(a["iterations"] for a in report["attempts"]))
        self.assertRegex(run("solve", data("links.mtx")).stdout,
                         r"(?m)^tried +gmres with none: singular")
        report = self.json("solve", data("indefinite.mtx"))
        self.assertIs(report["converged"], True)
        self.assertIn("not positive definite", report["reason"])

    def normal_residual(self, b, damp, *arguments):
        """||A^T (b - A x) - damp^2 x|| / ||A^T b|| for survey.mtx"""
        out = self.folder / "x.mtx"
        report = self.json("solve", data("survey.mtx"), "--b", self.column(b), "--out", out,
                           *arguments)
        a = matrix("survey.mtx")
        x = matrix_market.read_column(out.read_text())
        r = [left - right for left, right in zip(b, a.multiply(x)[0])]
        normal = [-damp * damp * value for value in x]
        start = [0.0] * len(x)
        for i, line in a.lines.items():
            for j, value in line.items():
                normal[j] += value * r[i]
                start[j] += value * b[i]
        return report, math.hypot(*normal) / math.hypot(*start)

    def test_least_squares(self):
        b = [(7 * i % 13 - 6) / 4 for i in range(60)]
        for method in ("auto", "lsqr", "lsmr", "cgnr"):
            report, residual = self.normal_residual(b, 0, "--method", method)
            self.assertEqual((report["outcome"], report["converged"]),
                             ("least-squares solution", False))
            self.assertLess(residual, 1e-8)
            self.assertGreater(report["residual"], 0.01)
        for method in ("auto", "lsqr", "lsmr", "cgnr"):
            report, residual = self.normal_residual(b, 2, "--method", method, "--damp", 2)
            self.assertLess(residual, 1e-7)

    def test_square_without_solution(self):
        a = self.general("1 1 1", "2 2 1", "3 1 1", "3 2 1")
        text = self.sentence("solve", a, "--b", self.column([1, 1, 3]))
        self.assertIn("the system has no solution; x is the one with the least residual", text)
        self.assertEqual(run("solve", a, "--b", self.column([1, 1, 3]), "--method",
                             "lsmr").returncode, 0)

    def test_restart(self):
        few, many = (self.json("solve", data("wind.mtx"), "--method", "gmres", "--restart", n)
                     for n in (5, 100))
        self.assertTrue(few["converged"] and many["converged"])
        self.assertGreater(few["iterations"], many["iterations"])

    def test_first_guess(self):
        x = self.folder / "x.mtx"
        first = self.json("solve", data("plate.mtx"), "--rtol", "1e-6", "--out", x)
        second = self.json("solve", data("plate.mtx"), "--rtol", "1e-6", "--x0", x)
        self.assertGreater(first["iterations"], 0)
        self.assertEqual(second["iterations"], 0)
        text = self.sentence("solve", data("ring.mtx"), "--x0", x)
        self.assertIn("x.mtx", text)

    def test_default_right_hand_side_of_singular_matrices(self):
        """A path: ones are in its null space, and b = 0 would be solved by x = 0."""
        n = 40
        path = self.folder / "path.mtx"
        lines = [f"{i} {i} {2 if 1 < i < n else 1}" for i in range(1, n + 1)]
        lines += [f"{i + 1} {i} -1" for i in range(1, n)]
        path.write_text("%%MatrixMarket matrix coordinate real symmetric\n"
                        f"{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
        out = self.folder / "x.mtx"
        for options in ([], ["--reorder", "rcm"]):
            done = run("solve", path, "--method", "minres", "--precond", "none", "--rtol", "1e-8",
                       "--out", out, "--json", *options)
            report = json.loads(done.stdout)
            self.assertEqual(report["rhs"], "A times fractions, because A times ones is 0")
            self.assertRegex(done.stderr, r"\Afurrow: note: .*path\.mtx times a vector of ones is 0, so x is not "
                                          r"unique; the right-hand side is A x with x_i the fractional "
                                          r"part of 0\.618 i\n")
            self.assertIs(report["converged"], True)
            self.assertGreater(report["iterations"], 5)
            x = matrix_market.read_column(out.read_text())
            expected = [(i + 1) * (5**0.5 - 1) / 2 % 1 for i in range(n)]
            shift = sum(expected) / n - sum(x) / n
            for found, right in zip(x, expected):
                self.assertAlmostEqual(found + shift, right, places=5)
        quiet = run("solve", path, "--method", "minres", "--precond", "none", "--quiet")
        self.assertNotIn("note", quiet.stderr)
        zero = self.general(size=3)
        self.assertEqual(self.json("solve", zero)["rhs"], "A times ones")

    def test_history(self):
        path = self.folder / "h.csv"
        report = self.json("solve", data("plate.mtx"), "--history", path)
        head, *lines = path.read_text().splitlines()
        self.assertEqual(head, "attempt,iteration,seconds,residual,true_residual")
        rows = [line.split(",") for line in lines]
        self.assertEqual([int(row[1]) for row in rows],
                         [*range(report["iterations"] + 1), report["iterations"]])
        self.assertEqual((float(rows[0][3]), float(rows[0][4])), (1, 1))
        self.assertEqual(float(rows[-1][3]), report["residual_recurrence"])
        self.assertEqual(float(rows[-1][4]), report["residual"])

    def test_report(self):
        path = self.folder / "r.html"
        self.json("solve", data("plate.mtx"), "--report", path)
        page = path.read_text()
        for text in ("<h1>plate.mtx</h1>", "<svg ", 'class="carried"', "Products with the matrix",
                     "10,000 × 10,000"):
            self.assertIn(text, page)
        self.assertNotIn("http", page.replace("http-equiv", ""))
        self.assertNotIn("nan", page.replace("dominan", ""))
        self.assertNotIn("Levels of multigrid", path.read_text())
        run("solve", data("plate.mtx"), "--report", path, "--precond", "amg")
        self.assertRegex(path.read_text(), r"(?s)Levels of multigrid.*<th scope=\"row\">1</th>")
        run("solve", data("plate.mtx"), "--report", path, "--max-iterations", 3)
        self.assertIn("What to try: ", path.read_text())
        run("solve", "--stencil", 5, "--extent", "30,30", "--report", path)
        self.assertIn("<h1>the stencil</h1>", path.read_text())

    def test_numbers_that_are_not_finite(self):
        a = self.general("1 1 1", "2 2 nan", "3 3 1")
        self.assertIn("a.mtx: entry (2, 2) of the matrix, counting from 1, is not finite; "
                      "nothing was solved", self.sentence("solve", a))
        b = self.column([1, 2, float("inf")])
        a = self.general("1 1 1", "2 2 1", "3 3 1")
        self.assertIn("entry 3 of b, counting from 1, is not finite; nothing was solved",
                      self.sentence("solve", a, "--b", b))

    def test_options_that_a_method_lacks(self):
        self.assertIn("cg has no restart; use one of:",
                      self.sentence("solve", data("plate.mtx"), "--method", "cg", "--restart", 9))
        self.assertIn("cg has no damping; use one of:",
                      self.sentence("solve", data("plate.mtx"), "--method", "cg", "--damp", 1))
        self.assertIn("--damp goes with a file", self.sentence(
            "solve", "--stencil", 5, "--extent", "9,9", "--damp", 1, status=2))


class ReorderTest(CommandTest):
    @staticmethod
    def figures(a, order):
        """Returns bandwidth, profile and wavefronts of A + A^T with a full diagonal in this
        order."""
        position = {row: place for place, row in enumerate(order)}
        first = list(range(len(order)))
        for row, line in a.lines.items():
            for col in line:
                low, high = sorted((position[row], position[col]))
                first[high] = min(first[high], low)
        fronts = [sum(1 for j in range(i, len(order)) if first[j] <= i) for i in range(len(order))]
        reach = [i - f for i, f in enumerate(first)]
        return {"bandwidth": max(reach), "profile": sum(reach), "max_wavefront": max(fronts),
                "rms_wavefront": math.sqrt(sum(f * f for f in fronts) / len(fronts))}

    def reordered(self, path, *options):
        """Report, order and matrix as the command writes them."""
        b, p = self.folder / "b.mtx", self.folder / "p.mtx"
        report = self.json("reorder", path, "--out", b, "--perm", p, *options)
        lines = p.read_text().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix array integer general")
        self.assertIn("row i of the reordered matrix is row P(i)", lines[1])
        self.assertEqual(lines[2], f"{report['rows']} 1")
        order = [int(line) - 1 for line in lines[3:]]
        self.assertEqual(sorted(order), list(range(report["rows"])))
        return report, order, matrix_market.read(b.read_text())

    def check(self, report, order, a, b):
        self.assertLessEqual(REORDER_KEYS, report.keys())
        self.assertEqual((report["rows"], report["entries"]), (a.rows, a.entries()))
        for row, line in a.lines.items():
            for col, value in line.items():
                self.assertEqual(b.lines[order.index(row)][order.index(col)], value)
        self.assertEqual((b.entries(), b.field, b.symmetry), (a.entries(), a.field, a.symmetry))
        for when, numbers in (("before", range(a.rows)), ("after", order)):
            for key, right in self.figures(a, list(numbers)).items():
                self.assertAlmostEqual(report[f"{key}_{when}"], right, delta=1e-12 * right)

    def test_every_square_matrix(self):
        for path in matrices():
            a = matrix(path.name)
            if a.rows != a.cols or a.rows > 200:
                continue
            for method in METHODS:
                with self.subTest(file=path.name, method=method):
                    report, order, b = self.reordered(path, "--method", method)
                    self.assertEqual(report["method"], method)
                    self.check(report, order, a, b)
                    key = "profile" if method == "sloan" else "bandwidth"
                    self.assertLessEqual(report[f"{key}_after"], report[f"{key}_before"])

    def test_grid(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        report, order, b = self.reordered(path, "--repeat", 3)
        self.check(report, order, matrix_market.read(path.read_text()), b)
        self.assertEqual((report["method"], report["components"], report["components_kept"]),
                         ("rcm", 1, 0))
        self.assertLessEqual(report["bandwidth_after"], 13)
        gain = report["seconds_spmv_before"] - report["seconds_spmv_after"]
        if gain > 0:
            products = (report["seconds_order"] + report["seconds_permute"]) / gain
            self.assertAlmostEqual(report["products_to_pay_back"], products,
                                   delta=1e-9 * products)
        else:
            self.assertIsNone(report["products_to_pay_back"])

    def test_order_that_is_kept_never_pays(self):
        path = self.folder / "path.mtx"
        path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n"
                        "4 4 3\n2 1\n3 2\n4 3\n")
        report, order, _ = self.reordered(path)
        self.assertEqual((report["components_kept"], order), (1, [0, 1, 2, 3]))
        self.assertIsNone(report["products_to_pay_back"])

    def test_table_for_people(self):
        done = run("reorder", shuffled_grid(self.folder / "grid.mtx"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^ +before +after$")
        self.assertRegex(done.stdout, r"(?m)^bandwidth +\d+ +\d+$")
        self.assertRegex(done.stdout, r"(?m)^one product +[\d.]+ us +[\d.]+ us$")
        self.assertRegex(done.stdout, r"(?m)^pays back +(after \d+ products|never)")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_written_by_suffix(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        for name in ("b.fur", "b.mtx.gz", "b.mtx"):
            if name.endswith(".gz") and cannot_pack(".gz"):
                continue
            report = self.json("reorder", path, "--out", self.folder / name)
            found = self.json("info", self.folder / name)
            self.assertEqual((found["bandwidth"], found["symmetry"]),
                             (report["bandwidth_after"], "symmetric"))
        done = run("reorder", path, "--out", "-")
        self.assertEqual(matrix_market.read(done.stdout).rows, 117)
        self.assertIn("bandwidth", done.stderr)

    def test_report_is_one_page_that_needs_nothing_else(self):
        path = shuffled_grid(self.folder / "<i>&\"x\".mtx")
        page = self.folder / "r.html"
        report = self.json("reorder", path, "--report", page)
        text = page.read_text()
        self.assertIn("&lt;i&gt;&amp;&quot;x&quot;.mtx", text)
        self.assertNotIn("<i>", text)
        self.assertNotRegex(text, r"(?i)https?:|<script|<link|@import|url\(")
        self.assertIn(f"bandwidth {report['bandwidth_after']:,}<", text)
        drawings = re.findall(r'src="data:image/png;base64,([^"]+)"', text)
        self.assertEqual(len(drawings), 2)
        for drawing in drawings:
            png = pictures.Png(base64.b64decode(drawing, validate=True))
            scale = png.width // 117
            inked = sum(png.rows[i * scale][j * scale][3] > 0
                        for i in range(117) for j in range(117))
            self.assertEqual((png.width, png.height, inked),
                             (117 * scale, 117 * scale, report["entries"]))
        checker = html.parser.HTMLParser()
        checker.feed(text)
        for name in ("html", "head", "body", "main", "table", "figure", "div", "p", "section"):
            self.assertEqual(len(re.findall(rf"<{name}\b", text)), text.count(f"</{name}>"), name)

    def test_failures(self):
        self.assertIn("60", self.sentence("reorder", data("survey.mtx")))
        nowhere = self.folder / "none"
        for option, name in (("--perm", "p.mtx"), ("--report", "r.html"), ("--out", "b.mtx")):
            text = self.sentence("reorder", data("mesh.mtx"), option, nowhere / name)
            self.assertIn(str(nowhere / name), text)
        self.assertEqual(self.left(), [])
        for option, name, suffix in (("--perm", "p.txt", ".mtx"), ("--report", "r.pdf", ".html")):
            done = run("reorder", data("mesh.mtx"), option, name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{option} takes a name that ends in {suffix}, not '{name}'", done.stderr)

    def test_output_cut_short_leaves_the_old_file(self):
        for option, name in (("--perm", "p.mtx"), ("--report", "r.html")):
            out = self.folder / name
            out.write_text("old")
            self.assertIn(name, self.sentence("reorder", data("plate.mtx"), option, out,
                                              preexec_fn=limit_files))
            self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.left(), ["p.mtx", "r.html"])

    def test_file_that_a_link_names_keeps_its_permissions(self):
        out, link = self.folder / "p.mtx", self.folder / "link.mtx"
        out.write_text("old")
        out.chmod(0o640)
        link.symlink_to(out)
        self.json("reorder", data("mesh.mtx"), "--perm", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("MatrixMarket", out.read_text())
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)


class ReorderedWorkTest(CommandTest):
    """multiply and solve in another order than the file's."""

    def test_product_is_that_of_the_file(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        a = matrix_market.read(path.read_text())
        x = [(37 * i % 101 - 50) / 16 for i in range(a.rows)]
        expected, bound = a.multiply(x)
        matrix_market.write_column(self.folder / "x.mtx", x)
        for method in METHODS + ["auto", "none"]:
            for options in ([], ["--transpose"]):
                report = self.json("multiply", path, "--x", self.folder / "x.mtx", "--out",
                                   self.folder / "y.mtx", "--reorder", method, *options)
                self.assertIn(report["reorder"], {"none", "rcm" if method == "auto" else method})
                y = matrix_market.read_column((self.folder / "y.mtx").read_text())
                for found, right, error in zip(y, expected, bound):
                    self.assertLessEqual(abs(found - right), error)

    def test_matrix_that_is_not_symmetric(self):
        wind, x = data("wind.mtx"), matrix_market.read_column(data("wind_x.mtx").read_text())
        for options, op in (([], matrix("wind.mtx")),
                            (["--transpose"], matrix("wind.mtx").transposed())):
            self.json("multiply", wind, "--x", data("wind_x.mtx"), "--reorder", "cm",
                      "--out", self.folder / "y.mtx", *options)
            y = matrix_market.read_column((self.folder / "y.mtx").read_text())
            for found, right, error in zip(y, *op.multiply(x)):
                self.assertLessEqual(abs(found - right), error)

    def test_what_is_told(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        report = self.json("multiply", path, "--reorder", "rcm")
        self.assertEqual((report["reorder"], report["reorder_kept"]), ("rcm", False))
        self.assertGreater(report["seconds_order"], 0)
        report = self.json("multiply", path, "--reorder", "auto", "--repeat", 5000)
        before, after = report["seconds_spmv_before"], report["seconds_spmv_after"]
        self.assertEqual(report["reorder_kept"], after >= 0.95 * before)
        self.assertEqual(report["reorder"], "none" if report["reorder_kept"] else "rcm")
        self.assertIn("products measure", report["reorder_reason"])
        report = self.json("multiply", path)
        self.assertEqual(report["reorder"], "none")
        self.assertNotIn("reorder_kept", report)

    def test_not_square(self):
        report = self.json("multiply", data("survey.mtx"), "--reorder", "auto")
        self.assertEqual((report["reorder"], report["reorder_kept"], report["reorder_reason"]),
                         ("none", True, "the matrix is not square"))
        self.assertIn("60", self.sentence("multiply", data("survey.mtx"), "--reorder", "rcm"))

    def test_solution_is_that_of_the_file(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        a = matrix_market.read(path.read_text())
        b = [(29 * i % 97 - 40) / 8 for i in range(a.rows)]
        matrix_market.write_column(self.folder / "b.mtx", b)
        for method in ("none", "rcm", "sloan", "auto"):
            report = self.json("solve", path, "--b", self.folder / "b.mtx", "--out",
                               self.folder / "x.mtx", "--reorder", method)
            self.assertTrue(report["converged"])
            x = matrix_market.read_column((self.folder / "x.mtx").read_text())
            for found, right in zip(a.multiply(x)[0], b):
                self.assertAlmostEqual(found, right, delta=1e-7)

    def test_right_hand_side_of_ones(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        report = self.json("solve", path, "--reorder", "rcm", "--out", self.folder / "x.mtx")
        self.assertEqual(report["reorder"], "rcm")
        for value in matrix_market.read_column((self.folder / "x.mtx").read_text()):
            self.assertAlmostEqual(value, 1, delta=1e-8)


class SpyTest(CommandTest):
    def test_every_entry_is_a_square(self):
        for path in matrices():
            a = matrix(path.name)
            if max(a.rows, a.cols) > 300 or min(a.rows, a.cols) < 20:
                continue
            entries = {(row, col) for row, line in a.lines.items() for col in line}
            with self.subTest(file=path.name):
                report = self.json("spy", path, "--out", self.folder / "a.svg")
                svg = pictures.Svg((self.folder / "a.svg").read_text())
                self.assertEqual(svg.panels[0].keys(), entries)
                self.assertLessEqual(len(set(svg.panels[0].values())), 1)
                self.assertEqual(svg.texts[:3],
                                 [path.name, f"{a.rows:,} rows · {a.cols:,} columns · "
                                             f"{len(entries):,} entries", svg.texts[2]])
                for size in (a.rows, a.cols):
                    self.assertIn(f"{size:,}", svg.texts)
                self.assertEqual((report["width"], report["height"]), (svg.width, svg.height))
                self.json("spy", path, "-o", self.folder / "a.png")
                png = pictures.Png((self.folder / "a.png").read_bytes())
                self.assertEqual((png.width, png.height), (svg.width, svg.height))
                scale = 600 // max(a.rows, a.cols)
                left, top = svg.places[0]
                dark = {(row, col) for row in range(a.rows) for col in range(a.cols)
                        if sum(png.rows[top + row * scale][left + col * scale][:3]) < 400}
                self.assertEqual(dark, entries)

    def test_density(self):
        path = shuffled_grid(self.folder / "grid.mtx", width=60, height=60)
        a = matrix_market.read(path.read_text())
        report = self.json("spy", path, "--out", self.folder / "a.svg", "--size", 37)
        block = report["cell_rows"]
        self.assertEqual((block, report["cell_cols"]), (98, 98))
        counts = collections.Counter((row // block, col // block)
                                     for row, line in a.lines.items() for col in line)
        svg = pictures.Svg((self.folder / "a.svg").read_text())
        self.assertEqual(svg.panels[0].keys(), counts.keys())
        inner = [cell for cell in counts if max(cell) < 36]
        brightness = {cell: int(svg.panels[0][cell][1:3], 16) for cell in inner}
        for one in inner:
            for other in inner[:50]:
                if counts[one] > counts[other]:
                    self.assertLessEqual(brightness[one], brightness[other])
        self.assertGreater(len(set(brightness.values())), 5)

    def test_before_and_after(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        self.json("spy", path, "-o", self.folder / "a.svg", "--reorder", "rcm")
        svg = pictures.Svg((self.folder / "a.svg").read_text())
        self.assertEqual(len(svg.panels), 2)
        reach = [max(abs(row - col) for row, col in panel) for panel in svg.panels]
        self.assertLessEqual(reach[1], 13)
        self.assertEqual([text for text in svg.texts if text.startswith("bandwidth")],
                         [f"bandwidth {number:,}" for number in reach])
        self.assertEqual(len([text for text in svg.texts if text.startswith("profile ")]), 2)
        self.assertIn("after rcm", svg.texts)
        self.json("spy", path, "-o", self.folder / "a.png", "--reorder", "rcm")
        png = pictures.Png((self.folder / "a.png").read_bytes())
        self.assertEqual((png.width, png.height), (svg.width, svg.height))

    def test_what_is_seen_is_said(self):
        """The legend of the tones, and a word where the proportions are not true."""
        path = shuffled_grid(self.folder / "<grid> & more.mtx", width=60, height=60)
        self.json("spy", path, "-o", self.folder / "a.svg", "--size", 37)
        texts = pictures.Svg((self.folder / "a.svg").read_text()).texts
        self.assertEqual(texts[0], path.name)
        self.assertIn("entries in a cell of 98 × 98", texts)
        self.assertFalse(any("stretched" in text for text in texts))
        tall = self.folder / "tall.mtx"
        tall.write_text("%%MatrixMarket matrix coordinate pattern general\n90000 5 2\n1 1\n7 2\n")
        self.json("spy", tall, "-o", self.folder / "a.svg")
        texts = pictures.Svg((self.folder / "a.svg").read_text()).texts
        self.assertIn("90,000 rows · 5 columns · 2 entries", texts)
        self.assertRegex("\n".join(texts), "stretched: a column is drawn 1,800 times as wide")
        for number in ("1", "5", "20,000", "90,000"):
            self.assertIn(number, texts)

    def test_words_in_pixels(self):
        """The title of a PNG picture is there, in ink, unless the build found no font."""
        names = ["mesh.mtx", "Ünïcode… \udcff.mtx"]
        inked = []
        for name in names:
            copy = self.folder / name
            shutil.copy(data("mesh.mtx"), copy)
            self.json("spy", copy, "-o", self.folder / "a.png")
            png = pictures.Png((self.folder / "a.png").read_bytes())
            inked.append(sum(sum(pixel[:3]) < 300 for row in png.rows[:40] for pixel in row))
        if inked[0] == 0:
            self.skipTest("no font")
        self.assertGreater(inked[1], inked[0])
        self.assertGreater(inked[0], 200)

    def test_odd_shapes(self):
        for name, rows, cols in (("thin", 100000, 1), ("flat", 1, 3000), ("none", 5, 0)):
            path = self.folder / f"{name}.mtx"
            entries = f"{rows} {cols} 1.0\n" if cols else ""
            path.write_text("%%MatrixMarket matrix coordinate real general\n"
                            f"{rows} {cols} {len(entries) and 1}\n{entries}")
            self.json("spy", path, "-o", self.folder / "a.png")
            png = pictures.Png((self.folder / "a.png").read_bytes())
            self.assertGreater(min(png.width, png.height), 80)
            self.json("spy", path, "-o", self.folder / "a.svg")
            svg = pictures.Svg((self.folder / "a.svg").read_text())
            self.assertEqual(len(svg.panels[0]), 1 if cols else 0)

    def test_failures(self):
        mesh = data("mesh.mtx")
        for arguments, expected in (
                ([mesh], "--out is missing; it takes the name of the picture"),
                ([mesh, "-o", "a.jpg"], "takes a name that ends in .png or .svg, not 'a.jpg'"),
                ([mesh, "-o", "a.png", "--size", "5"], "--size takes a whole number")):
            done = run("spy", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(expected, done.stderr)
        out = self.folder / "none" / "a.png"
        self.assertIn(f"{out}: cannot write: ", self.sentence("spy", mesh, "-o", out))
        self.sentence("spy", data("survey.mtx"), "-o", self.folder / "a.svg", "--reorder", "rcm")
        self.assertEqual(self.left(), [])

    def test_picture_cut_short_leaves_the_old_file(self):
        for name in ("a.png", "a.svg"):
            out = self.folder / name
            out.write_text("old")
            self.assertIn(f"{out}: cannot write: File too large",
                          self.sentence("spy", data("plate.mtx"), "-o", out,
                                        preexec_fn=limit_files))
            self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.left(), ["a.png", "a.svg"])


class ConvertTest(CommandTest):
    def convert(self, source, *options):
        """Returns the text that the command wrote, and its report."""
        out = self.folder / "out.mtx"
        report = self.json("convert", source, out, *options)
        self.assertEqual(self.left(), ["out.mtx"])
        return matrix_market.read(out.read_text()), report

    def test_every_matrix_keeps_its_bits(self):
        for path in matrices():
            with self.subTest(file=path.name):
                before = matrix(path.name)
                after, report = self.convert(path)
                self.assertEqual(self.bits(after), self.bits(before))
                self.assertEqual(after.symmetry, before.symmetry)
                self.assertEqual(after.field == "pattern", before.field == "pattern")
                self.assertEqual(self.header(report), self.header(vars(after)))
                self.assertEqual(report["entries"], after.entries())

    @staticmethod
    def header(facts):
        return [facts[key] for key in ("format", "field", "symmetry", "rows", "cols")]

    @staticmethod
    def bits(a):
        return {(row, col, repr(value)) for row, line in a.lines.items()
                for col, value in line.items()}

    def test_transpose(self):
        for name in ("survey.mtx", "scattering.mtx", "rotation.mtx", "ring.mtx"):
            after, _ = self.convert(data(name), "--transpose")
            self.assertEqual(self.bits(after), self.bits(matrix(name).transposed()), name)

    def test_symmetry(self):
        general, _ = self.convert(data("plate.mtx"), "--symmetry", "general")
        self.assertEqual((general.symmetry, general.entries_in_file), ("general", 49600))
        symmetric, _ = self.convert(data("dense_symmetric.mtx"), "--symmetry", "symmetric")
        self.assertEqual(symmetric.entries_in_file, 21)

    def test_symmetry_that_is_not_there(self):
        out = self.folder / "out.mtx"
        out.write_text("precious")
        self.sentence("convert", data("wind.mtx"), out, "--symmetry", "symmetric")
        self.assertEqual((self.left(), out.read_text()), (["out.mtx"], "precious"))

    def test_pattern(self):
        after, report = self.convert(data("lecture.mtx"), "--pattern")
        self.assertEqual((after.field, report["field"]), ("pattern", "pattern"))
        ones, _ = self.convert(data("mesh.mtx"), "--type", "f64")
        self.assertEqual(ones.field, "real")

    def test_type(self):
        after, report = self.convert(data("extremes.mtx"), "--type", "c128")
        self.assertEqual((after.field, report["value"]), ("complex", "c128"))
        single, _ = self.convert(data("plate.mtx"), "--type", "f32")
        self.assertEqual(self.bits(single), self.bits(matrix("plate.mtx")))
        self.sentence("convert", data("ring.mtx"), self.folder / "out.mtx", "--type", "f64")

    def test_type_is_rounded_to_once(self):
        above_half = "1." + "0" * 7 + "59604644775390625" + "0" * 20 + "1"  # 1 + 2^-24 and a bit
        for banner in ("coordinate real general\n1 1 1\n1 1 ", "array real general\n1 1\n"):
            found = pipe(f"%%MatrixMarket matrix {banner}{above_half}\n".encode(), "convert", "-",
                         "-", "--type", "f32")
            self.assertEqual(found.split()[-1], b"1.0000001")

    def test_in_place(self):
        path = self.folder / "out.mtx"
        path.write_bytes(data("lecture_messy.mtx").read_bytes())
        after, _ = self.convert(path)
        self.assertEqual(self.bits(after), self.bits(matrix("lecture.mtx")))


class BinaryTest(CommandTest):
    def converted(self, source, name, *options):
        out = self.folder / name
        self.json("convert", source, out, *options)
        return out

    def test_every_matrix_there_and_back(self):
        for path in matrices():
            with self.subTest(file=path.name):
                there = self.converted(path, "there.fur")
                back = self.converted(there, "back.mtx")
                direct = self.converted(path, "direct.mtx")
                self.assertEqual(back.read_bytes(), direct.read_bytes())
                again = self.converted(back, "again.fur")
                self.assertEqual(again.read_bytes(), there.read_bytes())

    def test_info_is_the_same(self):
        for path in matrices():
            with self.subTest(file=path.name):
                text = self.json("info", path)
                binary = self.json("info", self.converted(path, "a.fur"))
                self.assertEqual(binary["entries_in_file"], binary["entries"])
                for key in text.keys() - {"entries_in_file", "format", "seconds_load"}:
                    self.assertEqual(binary[key], text[key], key)

    def test_every_command_reads_by_content(self):
        wind = self.converted(data("wind.mtx"), "a.fur").rename(self.folder / "a.mtx")
        x = self.converted(data("wind_x.mtx"), "x.fur")
        results = [self.json("multiply", a, "--x", b, "--out", self.folder / name)["y_norm_2"]
                   for a, b, name in ((data("wind.mtx"), data("wind_x.mtx"), "1.mtx"),
                                      (wind, x, "2.mtx"))]
        self.assertEqual(results[0], results[1])
        self.assertEqual((self.folder / "1.mtx").read_bytes(), (self.folder / "2.mtx").read_bytes())
        plate = self.converted(data("plate.mtx"), "plate.fur")
        source = self.converted(data("plate_source.mtx"), "source.fur")
        solution = self.folder / "solution.fur"
        report = self.json("solve", plate, "--b", source, "--out", solution)
        self.assertIs(report["converged"], True)
        self.assertEqual(self.json("info", solution)["entries_in_file"], 10000)
        self.assertIn("kernels", self.json("kernels", plate))

    def test_options(self):
        single = self.converted(data("wind.mtx"), "a.fur", "--type", "f32", "--transpose")
        self.assertEqual(self.json("info", single)["value"], "f32")
        x = self.converted(data("wind_x.mtx"), "x.fur", "--type", "c64")
        self.assertEqual(self.json("convert", x, self.folder / "y.mtx")["value"], "c64")
        pattern = self.converted(data("wind.mtx"), "p.fur", "--pattern")
        self.assertEqual(self.json("info", pattern)["field"], "pattern")
        self.assertIn("not symmetric", self.sentence("convert", data("wind.mtx"),
                                                     self.folder / "s.fur", "--symmetry",
                                                     "symmetric"))

    def test_altered_file(self):
        path = self.converted(data("mesh.mtx"), "a.fur")
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        self.assertRegex(self.sentence("info", path),
                         r"a\.fur: byte \d+: found .*, expected .*; create the file again from the original")


class PipeTest(CommandTest):
    """Standard input and output as files."""

    def test_reading(self):
        for name in ("plate.mtx", "wind_x.mtx", "ring.mtx"):
            report = json.loads(pipe(data(name).read_bytes(), "info", "-", "--json"))
            expected = self.json("info", data(name))
            for key in expected.keys() - {"seconds_load"}:
                self.assertEqual(report[key], expected[key], key)

    def test_every_command(self):
        plate = data("plate.mtx").read_bytes()
        self.assertIn(b"reason", pipe(plate, "kernels", "-", "--json"))
        self.assertIs(json.loads(pipe(plate, "solve", "-", "--json"))["converged"], True)
        source = data("plate_source.mtx")
        report = pipe(source.read_bytes(), "solve", data("plate.mtx"), "--b", "-", "--json")
        self.assertEqual(json.loads(report)["rhs"], "-")
        report = pipe(source.read_bytes(), "multiply", data("plate.mtx"), "--x", "-", "--json")
        self.assertEqual(json.loads(report)["y_norm_1"], 8)

    def test_writing(self):
        out = self.folder / "out.mtx"
        for name in ("plate.mtx", "scattering.mtx", "mesh.mtx", "wind_x.mtx"):
            self.json("convert", data(name), out)
            for options in ([], ["--json"]):
                found = pipe(data(name).read_bytes(), "convert", "-", "-", *options)
                self.assertEqual(found, out.read_bytes(), name)

    def test_what_is_said_goes_to_standard_error(self):
        out = self.folder / "out.mtx"
        for command in ("multiply", "solve"):
            self.json(command, data("plate.mtx"), "--out", out)
            done = run(command, data("plate.mtx"), "--out", "-", "--json")
            self.assertEqual((done.returncode, done.stdout), (0, out.read_text()))
            self.assertEqual(json.loads(done.stderr)["rows"], 10000)

    def test_chain(self):
        first = pipe(data("wind.mtx").read_bytes(), "convert", "-", "-", "--transpose")
        self.json("convert", data("wind.mtx"), self.folder / "out.mtx")
        self.assertEqual(pipe(first, "convert", "-", "-", "--transpose"),
                         (self.folder / "out.mtx").read_bytes())

    def test_failures(self):
        text = self.sentence("info", "-", input="1 2 3\n")
        self.assertIn("standard input:1:1: ", text)
        self.assertIn("standard input:1:1: ", self.sentence("info", "-", input=""))


@functools.lru_cache(maxsize=None)
def cannot_pack(suffix):
    """The sentence why this build does not know a compression, "" if it does."""
    with tempfile.TemporaryDirectory() as folder:
        return run("convert", data("lecture.mtx"), f"{folder}/a.mtx{suffix}").stderr.strip()


class PackedTest(CommandTest):
    """Compressed files and archives."""

    def need(self, suffix):
        if cannot_pack(suffix):
            print(f"SKIPPED: {suffix} ({cannot_pack(suffix)})", flush=True)
            self.skipTest(cannot_pack(suffix))

    def test_written_by_suffix(self):
        for suffix in (".gz", ".zst"):
            with self.subTest(suffix=suffix):
                self.need(suffix)
                for name in ("plate.mtx", "wind_x.mtx"):
                    packed = self.folder / f"packed{suffix}"
                    there, back = self.folder / "there.mtx", self.folder / "back.mtx"
                    self.json("convert", data(name), there)
                    self.json("convert", data(name), packed)
                    self.json("convert", packed, back)
                    self.assertEqual(back.read_bytes(), there.read_bytes())
                    if suffix == ".gz":
                        self.assertEqual(gzip.decompress(packed.read_bytes()), there.read_bytes())

    def test_compressed_pipe(self):
        self.need(".gz")
        content = gzip.compress(data("plate.mtx").read_bytes())
        report = json.loads(pipe(content, "multiply", "-", "--json"))
        self.assertEqual(report["y_norm_2"], self.json("multiply", data("plate.mtx"))["y_norm_2"])

    def archive(self, **members):
        """plate.tar.gz with plate/plate.mtx and, by their suffixes, more members."""
        path = self.folder / "plate.tar.gz"
        members = {"plate/plate.mtx": data("plate.mtx").read_bytes(),
                   **{f"plate/plate_{suffix}.mtx": text for suffix, text in members.items()}}
        with tarfile.open(path, "w:gz") as tar:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        return path

    def test_archive_as_matrix(self):
        self.need(".gz")
        path = self.archive()
        self.assertEqual(self.json("info", path)["entries"], 49600)
        self.assertEqual(self.json("multiply", path)["rows"], 10000)
        out, direct = self.folder / "out.mtx", self.folder / "direct.mtx"
        self.json("convert", path, out)
        self.json("convert", data("plate.mtx"), direct)
        self.assertEqual(out.read_bytes(), direct.read_bytes())

    def solution(self, *arguments):
        """x in bytes, and which right-hand side it has."""
        out = self.folder / "x.mtx"
        return self.json("solve", *arguments, "--out", out)["rhs"], out.read_bytes()

    def test_right_hand_side_of_an_archive(self):
        self.need(".gz")
        source, ones = data("plate_source.mtx"), self.solution(data("plate.mtx"))
        given = self.solution(data("plate.mtx"), "--b", source)
        self.assertEqual((ones[0], given[0]), ("A times ones", str(source)))
        path = self.archive(b=source.read_bytes())
        self.assertEqual(self.solution(path), ("NAME_b.mtx of the archive", given[1]))
        self.assertEqual(self.solution(self.archive(x=source.read_bytes())), ones)
        self.assertEqual(self.solution(self.archive()), ones)
        piped = pipe(path.read_bytes(), "solve", "-", "--json")
        self.assertEqual(json.loads(piped)["rhs"], "A times ones")

    def test_right_hand_side_that_is_none(self):
        self.need(".gz")
        banner = b"%%MatrixMarket matrix array real general\n"
        columns = self.archive(b=banner + b"10000 2\n" + b"1\n" * 20000)
        self.assertRegex(self.sentence("solve", columns),
                         r"the right-hand side of the archive cannot be used: .*10000 x 2.*; give another by --b")
        broken = self.archive(b=banner + b"10000 1\n1\n?\n")
        self.assertIn("plate.tar.gz(plate/plate_b.mtx):4:1: ", self.sentence("solve", broken))
        self.assertIs(self.json("solve", broken, "--b", data("plate_source.mtx"))["converged"],
                      True)


class ReadingTest(CommandTest):
    """Options of how files are read, and warnings."""

    def file(self, text, banner="%%MatrixMarket matrix coordinate real general\n", name="a.mtx"):
        path = self.folder / name
        path.write_text(banner + text)
        return path

    def largest(self, path, *options):
        return self.json("multiply", path, *options)["y_norm_max"]

    def test_duplicates(self):
        path = self.file("1 1 2\n1 1 1\n1 1 2\n")
        self.assertEqual(self.largest(path), 3)
        self.assertEqual(self.largest(path, "--duplicates", "sum"), 3)
        self.assertEqual(self.largest(path, "--duplicates", "last"), 2)
        self.assertEqual(self.json("info", path, "--duplicates", "keep")["entries"], 2)
        self.assertIn("a.mtx:4:1: ", self.sentence("info", path, "--duplicates", "error"))

    def test_mirrored(self):
        symmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
        path = self.file("2 2 2\n1 2 1\n2 1 3\n", symmetric)
        self.assertIn("a.mtx:", self.sentence("info", path))
        self.assertEqual(self.largest(path, "--mirrored", "lower"), 3)

    def test_zeros(self):
        path = self.file("1 2 2\n1 1 0\n1 2 3\n")
        self.assertEqual(self.json("info", path)["entries"], 2)
        self.assertEqual(self.json("info", path, "--drop-zeros")["entries"], 1)

    def test_vector_with_fewer_entries_is_a_matrix(self):
        path = self.file("3 1\n1\n0\n2\n", "%%MatrixMarket matrix array real general\n")
        out = self.folder / "out.mtx"
        self.assertEqual(self.json("convert", path, out)["format"], "array")
        report = self.json("convert", path, out, "--drop-zeros")
        self.assertEqual((report["format"], report["entries"]), ("coordinate", 2))

    def test_options_hold_for_vectors(self):
        x = self.file("144 1 1\n1 1 1 !\n")
        self.assertIn("a.mtx:3:", self.sentence("multiply", data("wind.mtx"), "--x", x))
        done = run("multiply", data("wind.mtx"), "--x", x, "--allow-trailing")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Afurrow: warning: [^\n]*a\.mtx:3:[^\n]+\n\Z")

    def test_warnings(self):
        dialect = "%MatrixMarket matrix coordinate real general\n"
        integer = "%%MatrixMarket matrix coordinate integer general\n"
        for path, options in ((self.file("1 1 1\n1 1 1 !\n"), ["--allow-trailing"]),
                              (self.file("1 1 1\n1 1 1e999\n", name="range.mtx"), []),
                              (self.file("1 1 1\n1 1 9007199254740993\n", integer, "i.mtx"), []),
                              (self.file("1 1 1\n1 1 1\n", dialect, "dialect.mtx"), [])):
            with self.subTest(file=path.name):
                done = run("info", path, "--json", *options)
                self.assertEqual(json.loads(done.stdout)["entries"], 1)
                self.assertRegex(done.stderr, rf"\Afurrow: warning: .*{path.name}:\d[^\n]+\n\Z")
                self.assertEqual(run("info", path, "--quiet", *options).stderr, "")
        self.assertRegex(self.sentence("info", self.folder / "a.mtx"), r"a\.mtx:3:")

    def test_strict(self):
        for value in ("nan", "inf", "1e999"):
            path = self.file(f"1 1 1\n1 1 {value}\n")
            self.json("info", path)
            self.assertIn("a.mtx:3:5: ", self.sentence("info", path, "--strict"))
        path = self.file("1 1 1\n1 1 1\n", "%MatrixMarket matrix coordinate real general\n")
        self.assertIn("a.mtx:1:", self.sentence("info", path, "--strict"))
        self.json("info", data("plate.mtx"), "--strict")

    def test_limits(self):
        path, binary = self.file("1 5000000 1\n1 1 2\n"), self.folder / "a.fur"
        self.json("convert", path, binary, "--limit", "shape=none")
        for name in (path, binary):
            beyond = self.sentence("info", name)
            self.assertIn("found a matrix of 1 x 5000000 in a file of ", beyond)
            self.assertIn("; if the file is correct, raise the limit 'shape'", beyond)
            self.assertEqual(self.json("info", name, "--limit", "shape=5000001,seconds=none")["cols"],
                             5000000)
            self.assertIn("(limit 'shape')", self.sentence("info", name, "--limit", "shape=9"))
            self.assertIn("(limit 'seconds')", self.sentence(
                "info", name, "--limit", "shape=none", "--limit", "seconds=1e-12"))
        for wrong in ("shape", "shape=", "shape=-1", "size=3", "seconds=0", ""):
            with self.subTest(limit=wrong):
                self.assertEqual(run("info", path, "--limit", wrong).returncode, 2)


class ProgressTest(CommandTest):
    """What a terminal shows."""

    def start(self, *arguments, **options):
        """The run, the terminal it has as standard error, and the list that this is gathered in."""
        terminal, slave = pty.openpty()
        child = subprocess.Popen([COMMAND, *map(str, arguments)], stderr=slave,
                                 stdout=subprocess.DEVNULL, **options)
        os.close(slave)
        shown = []

        def gather():
            try:
                while True:
                    shown.append(os.read(terminal, 65536))
            except OSError:  # nobody has the other side any more
                os.close(terminal)

        reader = threading.Thread(target=gather)
        reader.start()

        def end():
            self.assertEqual(child.wait(timeout=120), 0)
            reader.join()
            return b"".join(shown).decode()
        return child, end

    def check_vanished(self, shown):
        self.assertTrue(shown.endswith("\r" + 76 * " " + "\r"), shown[-200:])

    TEXT = b"%%MatrixMarket matrix coordinate real general\n9 9 500000\n" + 500000 * b"1 1 1\n"

    def fed_slowly(self, *options):
        child, end = self.start("info", "-", "--threads", 1, *options, stdin=subprocess.PIPE)
        half = len(self.TEXT) // 2
        child.stdin.write(self.TEXT[:half])
        child.stdin.flush()
        time.sleep(1.5)
        child.stdin.write(self.TEXT[half:])
        child.stdin.close()
        return end()

    def test_pipe(self):
        shown = self.fed_slowly()
        self.assertRegex(shown, r"\rreading \d MB  \d+ MB/s")
        self.check_vanished(shown)

    def test_quiet(self):
        self.assertEqual(self.fed_slowly("--quiet"), "")

    def test_short_work(self):
        _, end = self.start("info", data("plate.mtx"))
        self.assertEqual(end(), "")

    def stopped_while_reading(self, path):
        """Returns the output of a run that is stopped for more than a second once the file
        is open."""
        child, end = self.start("info", path, "--threads", 1)
        descriptors = pathlib.Path(f"/proc/{child.pid}/fd")
        while child.poll() is None:
            try:
                if any(os.readlink(link) == str(path) for link in descriptors.iterdir()):
                    child.send_signal(signal.SIGSTOP)
                    time.sleep(1.5)
                    child.send_signal(signal.SIGCONT)
                    break
            except OSError:  # a descriptor was closed meanwhile
                pass
        return end()

    def test_file(self):
        path = self.folder.resolve() / "a.mtx"
        count = 4000000
        path.write_bytes(b"%%%%MatrixMarket matrix coordinate real general\n9 9 %d\n" % count
                         + count * b"1 1 1\n")
        for _ in range(10):  # the stop may come too late, or before the first byte
            shown = self.stopped_while_reading(path)
            if "[" in shown:
                break
        self.assertRegex(shown, r"\rreading \[#*\.*\] +\d+ %  \d+ MB/s  \d+:\d\d left")
        self.check_vanished(shown)


class KernelsTest(CommandTest):
    def test_list(self):
        report = self.json("kernels")
        self.assertEqual(report["device"], "cpu")
        for kernel in report["kernels"]:
            self.assertEqual(set(kernel), {"name", "summary", "source", "exact"})
        self.assertEqual(report["stencil_kernels"][0]["name"], "reference")
        self.assertEqual(report["stencil_kernels"][0].keys(), report["kernels"][0].keys())
        self.assertEqual(report["sweep_kernels"], [])
        text = run("kernels").stdout
        self.assertNotIn("repeated sweeps", text)
        kinds = {kind["name"]: kind for kind in report["preconditioners"]}
        self.assertEqual([option["name"] for option in kinds["chebyshev"]["options"]], ["degree"])
        self.assertRegex(text, r"degree=3  .*; 1 to 100\n")
        self.assertRegex(text, r"drop=0.001  [^;]*; 0 to below 1\n")
        self.assertIn("cycle=V|W|K", text)
        defaults = {option["name"]: option["default"] for option in kinds["amg"]["options"]}
        self.assertEqual(defaults["sweeps"], 2)
        self.assertEqual(defaults["cycle"], "V")
        self.assertIsNone(defaults["theta"])
        self.assertIsNone(defaults["levels"])
        self.assertIsNone(kinds["bjacobi"]["options"][0]["default"])
        self.assertIn("theta=N ", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 79)
        for listed, method in (("methods", "cg"), ("orders", "rcm")):
            self.assertIn(method, [entry["name"] for entry in report[listed]])
            self.assertEqual(set(report[listed][0]), {"name", "summary", "source"})
        for kernel in (report["kernels"] + report["stencil_kernels"] + report["methods"]
                       + report["orders"] + report["preconditioners"]):
            self.assertRegex(text, rf"(?m)^{re.escape(kernel['name'])} ")

    def test_choice(self):
        names = {kernel["name"] for kernel in self.json("kernels")["kernels"]}
        for options in ([], ["--measure"], ["--transpose"]):
            report = self.json("kernels", data("plate.mtx"), *options)
            self.assertIn(report["kernel"], names)
            self.assertTrue(report["reason"])
        report = self.json("kernels", data("plate.mtx"), "--measure")
        self.assertGreater(report["seconds_plain"], 0)
        self.assertEqual([kernel["kernel"] for kernel in report["estimates"]],
                         [kernel["name"] for kernel in report["kernels"][1:]])
        for kernel in report["estimates"]:
            self.assertGreater(kernel["seconds_product"], 0)
        self.assertGreater(report["estimates"][0]["seconds_expected"], 0)
        self.assertRegex(run("kernels", data("plate.mtx"), "--measure").stdout,
                         r"(?m)^  rows +[\d.]+ +[\d.]+ +- +[\d.]+$")


class FailureTest(CommandTest):
    def test_missing_file(self):
        for name in ("info", "multiply", "solve", "kernels"):
            self.assertIn("no-such.mtx", self.sentence(name, self.folder / "no-such.mtx"))

    def test_malformed_file(self):
        bad = self.folder / "bad.mtx"
        bad.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1.0\n")
        out = self.folder / "out.mtx"
        for arguments in (["info", bad], ["multiply", bad, "--out", out], ["convert", bad, out]):
            self.assertIn("bad.mtx:3:", self.sentence(*arguments))
        self.assertEqual(self.left(), ["bad.mtx"])

    def test_output_that_cannot_be_made(self):
        out = self.folder / "missing" / "out.mtx"
        self.assertIn("missing", self.sentence("convert", data("lecture.mtx"), out))
        self.assertIn("missing", self.sentence("multiply", data("lecture.mtx"), "--out", out))

    def test_output_cut_short_leaves_the_old_file(self):
        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        out = self.folder / "out.mtx"
        out.write_text("precious")
        self.sentence("convert", data("plate.mtx"), out, preexec_fn=limit_files)
        self.assertEqual((self.left(), out.read_text()), (["out.mtx"], "precious"))

    def test_full_standard_output(self):
        lines = [["info", data("lecture.mtx")], ["info", data("lecture.mtx"), "--json"]]
        lines += [["--version"], ["--help"], ["help"], ["-h"]]
        for name in SUBCOMMANDS:
            lines += [[name, "--version"], [name, "--help"], ["help", name]]
        for line in lines:
            with self.subTest(line=line), open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([COMMAND, *line], stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\Afurrow: standard output cannot be written"
                                              r"(: No space left on device)?\n\Z")

    def test_no_progress_in_pipes(self):
        self.assertEqual(run("solve", data("plate.mtx")).stderr, "")


class DeviceTest(CommandTest):
    """Properties of every machine, with or without a GPU."""

    def test_a_device_that_is_not_there(self):
        plate = data("plate.mtx")
        device = "cuda" if cuda_missing() else "cuda:99"
        for arguments in (["info", plate], ["multiply", plate], ["solve", plate], ["kernels"],
                          ["stencil", "--points", 3, "--extent", 9], ["convert", plate, self.folder / "out.mtx"], ["bench", "spmv"]):
            with self.subTest(command=arguments[0]):
                text = self.sentence(*arguments, "--device", device)
                self.assertIn("cuda", text.lower())
        self.assertEqual(self.left(), [])

    def test_wrong_devices(self):
        for device in ("cuda:", "cuda:x", "cuda:-1", "cuda0", "CUDA"):
            self.assertIn("--device takes cpu, cuda or cuda:N, not '%s'" % device,
                          self.sentence("info", data("plate.mtx"), "--device", device, status=2))

    def test_device_is_told(self):
        for arguments in (["info"], ["multiply"], ["solve"], ["kernels"]):
            self.assertEqual(self.json(*arguments, data("plate.mtx"))["device"], "cpu")


class CudaTest(CudaCase):
    def both(self, *arguments):
        """The command's JSON on the CPU and on the GPU."""
        return self.json(*arguments), self.json(*arguments, "--device", "cuda")

    def test_info(self):
        for path in matrices():
            cpu, gpu = self.both("info", path)
            self.assertEqual(gpu["device"], "cuda")
            self.assertRegex(gpu["isa"], r"\Asm_\d+\Z")
            for key in ("device", "isa", "seconds_load"):
                del cpu[key], gpu[key]
            self.assertEqual(gpu, cpu, path.name)

    def test_multiply_has_the_bits_of_the_cpu(self):
        for path in matrices():
            for options in ([], ["--transpose"]):
                with self.subTest(file=path.name, options=options):
                    cpu, gpu = self.both("multiply", path, "--repeat", 2, *options)
                    for key in ("y_norm_1", "y_norm_2", "y_norm_max", "csr_bytes"):
                        self.assertEqual(gpu[key], cpu[key], key)

    def test_every_kernel(self):
        wind = data("wind.mtx")
        x = matrix_market.read_column(data("wind_x.mtx").read_text())
        expected, bound = matrix("wind.mtx").multiply(x)
        out = self.folder / "y.mtx"
        for kernel in self.json("kernels", "--device", "cuda")["kernels"]:
            done = run("multiply", wind, "--x", data("wind_x.mtx"), "--out", out, "--device",
                       "cuda", "--kernel", kernel["name"])
            if done.returncode == 1 and "does not suit" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            for y, right, error in zip(matrix_market.read_column(out.read_text()), expected, bound):
                self.assertLessEqual(abs(y - right), error, kernel["name"])

    def test_solve_has_the_bits_of_the_cpu(self):
        for name, precond in (("plate.mtx", "jacobi"), ("ring.mtx", "none")):
            texts = []
            for device in ("cpu", "cuda"):
                out = self.folder / f"{device}.mtx"
                self.json("solve", data(name), "--precond", precond, "--out", out, "--device",
                          device)
                texts.append(out.read_text())
            self.assertEqual(texts[0], texts[1], name)

    def test_solve_that_fails(self):
        arguments = ["solve", data("plate.mtx"), "--max-iterations", 5, "--device", "cuda"]
        self.assertEqual(self.json(*arguments, status=1)["iterations"], 5)
        self.sentence("solve", data("indefinite.mtx"), "--method", "cg", "--device", "cuda")

    def test_convert(self):
        for name in ("survey.mtx", "scattering.mtx", "plate_source.mtx"):
            texts = []
            for device in ("cpu", "cuda"):
                out = self.folder / f"{device}.mtx"
                self.json("convert", data(name), out, "--type", "c64", "--device", device)
                texts.append(out.read_text())
            self.assertEqual(texts[0], texts[1], name)

    def test_reorder(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        cpu, gpu = self.both("reorder", path)
        for key in ("bandwidth_after", "profile_after", "rms_wavefront_after", "components"):
            self.assertEqual(gpu[key], cpu[key], key)
        texts = []
        for device in ("cpu", "cuda"):
            names = [self.folder / f"{device}.{end}" for end in ("p.mtx", "b.mtx", "svg", "x.mtx")]
            self.json("reorder", path, "--perm", names[0], "--out", names[1], "--report",
                      self.folder / "r.html", "--device", device)
            self.json("spy", path, "-o", names[2], "--reorder", "rcm", "--device", device)
            self.json("solve", path, "--reorder", "rcm", "--out", names[3], "--device", device)
            texts.append([name.read_text() for name in names])
        self.assertEqual(texts[0], texts[1])
        self.json("multiply", path, "--reorder", "auto", "--device", "cuda")

    def test_recognition(self):
        for command in ("multiply", "solve"):
            cpu, gpu = self.both(command, data("plate.mtx"), "--kernel", "stencil")
            self.assertIn("a stencil of 5 points", gpu["recognition"])
            for key in ("recognised", "recognition", "rows_differing"):
                self.assertEqual(gpu[key], cpu[key], key)
        self.assertIn("recognition", self.json("multiply", data("survey.mtx"), "--device", "cuda"))

    def test_kernels(self):
        report = self.json("kernels", data("plate.mtx"), "--measure", "--device", "cuda:0")
        self.assertEqual(report["device"], "cuda")
        self.assertIn(report["kernel"], {kernel["name"] for kernel in report["kernels"]})


class DataTest(CommandTest):
    def test_generator_writes_the_same_bytes(self):
        subprocess.run([sys.executable, data("generate.py"), self.folder], check=True)
        names = sorted(path.name for path in DATA.glob("*.mtx"))
        self.assertEqual(self.left(), names)
        for name in names:
            self.assertEqual((self.folder / name).read_bytes(), data(name).read_bytes(), name)


if __name__ == "__main__":
    main()
