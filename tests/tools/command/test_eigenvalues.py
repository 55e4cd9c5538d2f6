#!/usr/bin/env python3
"""Tests of eigs: residuals, methods, refused matrices.

    test_eigenvalues.py COMMAND DATA [unittest's arguments]
"""

import math
import sys

sys.dont_write_bytecode = True
from command_case import CommandTest, data, main, matrix, run, shuffled_grid


class EigsTest(CommandTest):
    def test_ring(self):
        """The printed residuals of a Hermitian matrix are the residuals of the written vectors."""
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
        """All eigenvalues of a small matrix are found: their sum is the trace."""
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
        """lobpcg finds the eigenvalues that Lanczos' method finds. Options of the other method are refused."""
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


if __name__ == "__main__":
    main()
