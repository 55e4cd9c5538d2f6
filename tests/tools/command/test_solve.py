#!/usr/bin/env python3
"""Tests of solve: methods, preconditioners, stencils, right-hand sides, reports.

    test_solve.py COMMAND DATA [unittest's arguments]
"""

import json
import math
import re
import sys

sys.dont_write_bytecode = True
import matrix_market
from command_case import CommandTest, data, main, matrix, run

SOLVE_KEYS = {"method", "precond", "reason", "outcome", "converged", "iterations", "residual",
              "residual_recurrence", "reduced", "seconds_setup", "seconds_solve", "seconds_per_iteration",
              "bytes_per_iteration", "gbps", "condition_estimate", "residual_bound", "error_a_norm",
              "attempts", "kernel"}
ATTEMPT_KEYS = {"method", "precond", "reason", "outcome", "iterations", "residual", "seconds"}


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
        """Each preconditioner finds the solution in fewer iterations than Jacobi's. This includes solves with
        --reorder."""
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
        """cg on a nonsymmetric matrix reports the asymmetry instead of advising more iterations."""
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
        """Every method and preconditioner finds the same solution. Multigrid needs fewer iterations."""
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
        """If --precond is absent, every system that Jacobi can solve is solved."""
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
        """The report has the number of unsymmetric pairs and shows the pair that differs most."""
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
        """More iterations are advised only if the residual has become smaller."""
        text = self.sentence("solve", data("plate.mtx"), "--max-iterations", 100, "--no-reduction")
        self.assertIn("allow more with --max-iterations", text)
        rows = ["%d %d %d" % (i + 1, i + 1, 10 ** (2 * i)) for i in range(4)]
        rough = self.general(*rows, "1 2 1", "2 1 1", size=4)
        text = self.sentence("solve", rough, "--max-iterations", 1, "--method", "cg", "--precond",
                             "none", "--b", self.column([1, 1, 1, 1e-9]), "--no-reduction")
        residual = float(re.search(r"relative residual (\S+);", text)[1])
        self.assertEqual(residual, 1)  # x is the guess, because cg's x was worse
        self.assertNotIn("--max-iterations", text)

    def column(self, numbers):
        matrix_market.write_column(self.folder / "b.mtx", numbers)
        return self.folder / "b.mtx"

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
        """Complete factors solve the system if a library is installed. Otherwise the message names the
        missing library."""
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
        """auto solves matrices of every kind with the expected method, without options."""
        for name, method in (("wind", "gmres"), ("rotation", "gmres"), ("ring", "cg"),
                             ("survey", "lsmr"), ("reaction", "lsmr")):
            out = self.folder / "x.mtx"
            report = self.json("solve", data(f"{name}.mtx"), "--out", out)
            self.assertEqual((report["converged"], report["method"]), (True, method), name)
            self.assertEqual(len(report["attempts"]), 1)
            if name not in ("rotation", "reaction"):  # the other matrices are singular
                for value in matrix_market.read_column(out.read_text()):
                    self.assertLess(abs(value - 1), 1e-6)

    def test_changes_its_mind(self):
        """auto tries lsmr after gmres: gmres cannot solve a singular system, but lsmr can, because b is in
        the range."""
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
        """Returns ||A^T (b - A x) - damp^2 x|| / ||A^T b|| for survey.mtx."""
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
        """The default right-hand side of a singular matrix is not A times ones. For the matrix of a path, that would be
        b = 0 with the solution x = 0."""
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


class SolveColumnsTest(CommandTest):
    def write(self, columns):
        """Writes an array file with these columns."""
        path = self.folder / "b.mtx"
        lines = [str(entry) for column in columns for entry in column]
        path.write_text("%%MatrixMarket matrix array real general\n"
                        f"{len(columns[0])} {len(columns)}\n" + "\n".join(lines) + "\n")
        return path

    def test_each_column_is_a_solve(self):
        """The columns of X equal the results of single solves."""
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


if __name__ == "__main__":
    main()
