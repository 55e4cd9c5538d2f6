#!/usr/bin/env python3
"""Tests of multiply and its kernels, and of add, extract, combine, trisolve and neighbours.

    test_products.py COMMAND DATA [unittest's arguments]
"""

import json
import math
import os
import random
import re
import resource
import sys
import time

sys.dont_write_bytecode = True
import matrix_market
from command_case import CommandTest, data, main, matrices, matrix, run

MULTIPLY_KEYS = {"rows", "cols", "entries", "kernel", "threads", "seconds_load", "seconds_plan",
                 "seconds_median", "bytes", "gbps", "y_norm_1", "y_norm_2", "y_norm_max"}


class MultiplyTest(CommandTest):
    def product(self, path, x, *options):
        """Returns y as the command writes it, and its report."""
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
        """C = A B and A^T B for an array B have the columns of single products."""
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
        """Threads that cannot start are reported. Each thread's stack uses half of the memory that the process may
        have, so at most two threads fit."""
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
        """In every name, each byte that is not part of a character is printed as U+FFFD."""
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
        """With --half, a product has the norms and the bits of A, for a file of one half and for a file of
        both halves."""
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


class RecognitionTest(CommandTest):
    """A matrix that is a stencil is recognised. test_recognise.c tests the other cases."""

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
        """A solve reduced to one colour takes 215 iterations instead of 428, whichever kernel is named or found
        fastest."""
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


class OperationsTest(CommandTest):
    """add, extract and combine write correct matrices."""

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
    """A triangular matrix with integer solutions, and arguments that do not fit it."""

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
        # An array file is stored by columns. Its points are (0, 0), (3, 0), (3, 4), (0, 0).
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


if __name__ == "__main__":
    main()
