#!/usr/bin/env python3
"""The numbers that furrow prints, draws or writes were computed in the same run.

    test_figures.py COMMAND DATA [unittest's arguments]
"""

import csv
import html
import json
import math
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
import matrix_market
from command_case import DATA, CommandTest, data, main, run, shuffled_grid

METHODS = ["cg", "cg_single", "chebyshev", "minres", "bicgstab", "idrs", "gmres",
           "fgmres", "richardson", "lsqr", "lsmr", "cgnr"]
# Methods that do not store the x of each iteration.
BEHIND = {"cg", "cg_single", "gmres", "fgmres"}


def history(path):
    with path.open(encoding="ascii") as file:
        return [{key: float(text) if text else None for key, text in row.items()}
                for row in csv.DictReader(file)]


def dots(page):
    """Returns the number of true residuals that a page shows."""
    return len(re.findall(r'<circle class="dot"', page))


class TrueResidualTest(CommandTest):
    def residual_of(self, a, x):
        """Returns ||A 1 - A x|| / ||A 1||, computed in plain Python."""
        b, _ = a.multiply([1.0] * a.cols)
        ax, _ = a.multiply(x)
        return math.sqrt(math.fsum((p - q) ** 2 for p, q in zip(b, ax)) / math.fsum(p * p for p in b))

    def shown(self, path, *options):
        """Returns the history of a solve. Checks that its page shows all true residuals of the history."""
        page, points = self.folder / "r.html", self.folder / "h.csv"
        run("solve", path, "--report", page, "--history", points, *options)
        rows = history(points)
        self.assertEqual(dots(page.read_text()),
                         sum(row["true_residual"] is not None for row in rows))
        return rows

    def x_after(self, path, iterations, *options):
        """Returns x after `iterations` iterations of the solve, and its residual."""
        out = self.folder / "x.mtx"
        report = json.loads(run("solve", path, "--max-iterations", iterations, "--out", out, "--json",
                                *options).stdout)
        return matrix_market.read_column(out.read_text()), report["residual"]

    def test_true_residuals_are_those_of_the_iterations(self):
        """The true residual of an iteration is that of the x which the same solve returns if max-iterations ends it
        there."""
        path = shuffled_grid(self.folder / "grid.mtx")
        a = matrix_market.read(path.read_text())
        for method in METHODS:
            with self.subTest(method=method):
                options = ["--method", method, "--precond", "none"]
                rows = self.shown(path, *options)
                inner = [row for row in rows[1:-1] if row["true_residual"] is not None]
                self.assertEqual(rows[0]["true_residual"], 1)
                self.assertEqual(inner == [], method in BEHIND, inner)
                self.assertTrue(any(row["true_residual"] < 0.9 for row in inner) or method in BEHIND)
                for row in inner[:6]:
                    x, residual = self.x_after(path, int(row["iteration"]), *options)
                    if residual < 1:  # otherwise x is the guess
                        self.assertLess(abs(self.residual_of(a, x) - row["true_residual"]), 1e-12)

    def test_reduced_systems(self):
        """A system reduced to one colour has no x of the unreduced system in its iterations."""
        rows = self.shown(data("plate.mtx"), "--method", "cg", "--precond", "jacobi")
        known = [row["true_residual"] for row in rows if row["true_residual"] is not None]
        self.assertEqual((len(known), known[0]), (2, 1))
        self.assertLess(known[1], 1e-9)

    def test_scaled_systems(self):
        """auto scales rows of 1e-4 to 1e4. The scaled system's residual is not the true
        residual."""
        n = 60
        lines = [f"{i} {j} {(2.5 if i == j else -1 - 0.1 * (i - j)) * 10.0 ** (i % 9 - 4)!r}"
                 for i in range(1, n + 1) for j in (i - 1, i, i + 1) if 1 <= j <= n]
        path, guess, out = (self.folder / name for name in ("a.mtx", "x0.mtx", "x.mtx"))
        path.write_text("%%MatrixMarket matrix coordinate real general\n"
                        f"{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
        a = matrix_market.read(path.read_text())
        x0 = [0.5 + (i * 7 % 11) / 11 for i in range(n)]
        matrix_market.write_column(guess, x0)
        rows = self.shown(path, "--x0", guess, "--out", out)
        for row, x in ((rows[0], x0), (rows[-1], matrix_market.read_column(out.read_text()))):
            self.assertLess(abs(self.residual_of(a, x) - row["true_residual"]), 1e-12)

    def test_attempts(self):
        """The last residual of each attempt in the history is the one in its report."""
        page, points = self.folder / "r.html", self.folder / "h.csv"
        report = self.json("solve", data("links.mtx"), "--report", page, "--history", points)
        rows = history(points)
        ran = [k for k, attempt in enumerate(report["attempts"], 1)
               if not attempt["outcome"].startswith("not solved")]
        self.assertGreater(len(report["attempts"]), len(ran))
        self.assertEqual(sorted({row["attempt"] for row in rows}), ran)
        for number in ran:
            attempt = [row for row in rows if row["attempt"] == number]
            self.assertEqual(attempt[-1]["true_residual"], report["attempts"][number - 1]["residual"])
        self.assertEqual(dots(page.read_text()),
                         sum(row["true_residual"] is not None for row in rows))

    def test_cycles(self):
        page, points = self.folder / "r.html", self.folder / "h.csv"
        arguments = ["solve", "--stencil", 5, "--extent", "60,60", "--method", "mg"]
        report = self.json(*arguments, "--report", page, "--history", points)
        rows = history(points)
        self.assertEqual(rows[-1]["true_residual"], report["residual"])
        for row in rows:
            if row["iteration"] == report["iterations"]:
                break
            part = self.json(*arguments, "--max-iterations", int(row["iteration"]), status=1)
            self.assertEqual(row["true_residual"], part["residual"])


def numbers(value, path=""):
    """Yields all numbers of a JSON value, each with the path of names that leads to it."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}")
    elif isinstance(value, list):
        for member in value:
            yield from numbers(member, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) or value in ("nan", "inf"):
        yield path, float(value)


def is_measured(line):
    """Returns whether another run may print another number in this line. Such numbers are times, results of timing such
    as the kernel and its bytes, and bounds, which are rounded upwards."""
    return re.search(r" [um]?s\b|GB/s|timed|pays back|break-even|bytes|at most", line)


def page_time(seconds):
    """Returns the time in the form that the page uses."""
    scale, unit = ((1, "s") if seconds >= 1 else (1e3, "ms") if seconds >= 1e-3 else (1e6, "µs"))
    number = scale * seconds
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f} {unit}"


def seconds_of(text):
    number, unit = text.split()
    return float(number) / {"s": 1, "ms": 1e3, "µs": 1e6}[unit]


class FigureTest(CommandTest):
    """A number that was not computed is left out, or is null in JSON. No other number replaces it."""

    def runs(self):
        """Yields command lines whose reports lack numbers for many different reasons."""
        files = [data(name) for name in ("plate.mtx", "links.mtx", "survey.mtx", "indefinite.mtx",
                                         "ring.mtx", "empty.mtx", "mesh.mtx", "wind.mtx")]
        huge = self.folder / "huge.mtx"
        huge.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 nan\n"
                        "3 3 1\n")
        for path in files:
            yield ["info", path]
            yield ["solve", path]
            yield ["solve", path, "--max-iterations", 1]
            yield ["solve", path, "--method", "lsmr", "--max-iterations", 2]
        for path in (data("plate.mtx"), data("ring.mtx"), data("mesh.mtx"), huge):
            yield ["eigs", path, "--max-iterations", 300]
            yield ["eigs", path, "--method", "lobpcg", "--max-iterations", 2]
        for options in (["--precond", "amg"], ["--method", "gmres", "--precond", "ilut"],
                        ["--bounds"], ["--x0", data("plate_source.mtx")]):
            yield ["solve", data("plate.mtx"), *options]
        for options in ([], ["--method", "mg"], ["--precond", "jacobi"], ["--precond", "none"]):
            yield ["solve", "--stencil", 5, "--extent", "30,30", *options]
        for command in ("multiply", "trisolve", "reorder"):
            yield [command, data("plate.mtx")]
        yield ["multiply", data("plate.mtx"), "--by", data("plate.mtx")]
        yield ["kernels", data("plate.mtx"), "--measure"]
        yield ["kernels", data("wind.mtx")]

    def check_json(self, report):
        for path, number in numbers(report):
            key = path.rpartition(".")[2]
            self.assertTrue(math.isfinite(number) or key in ("values", "residuals"), path)
            if not math.isfinite(number):
                continue  # an eigenvalue that was not found
            if re.match(r"seconds|gbps|norm$|condition", key):
                self.assertGreater(number, 0, path)
            elif key != "sum" and not key.startswith(("y_norm_1", "values")):
                self.assertGreaterEqual(number, 0, path)

    def check_text(self, text, report):
        """Checks that each number of the text is in the report, except numbers that another run measures again."""
        known = {form % number for _, number in numbers(report)
                 for form in ("%d", "%g", "%.16g", "%.1e", "%.1f") if math.isfinite(number)}
        self.assertNotRegex(text, r"\b(nan|-?inf)\b")
        for line in text.splitlines():
            label, _, value = line.partition("  ")
            if is_measured(line) or label in ("recognition", "because", "tried", "made by", "order"):
                continue  # the values are sentences
            for number in re.findall(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])", value):
                self.assertIn(number, known, line)

    def test_figures(self):
        for line in self.runs():
            with self.subTest(line=line):
                done = run(*line, "--json")
                if not done.stdout:
                    continue
                report = json.loads(done.stdout)
                self.check_json(report)
                if line[0] != "kernels":  # the list has years of publications
                    self.check_text(run(*line).stdout, report)


def labels():
    """Yields every label of a number in the sources of the command and of furrow-ranks."""
    text = r'"((?:[^"\\]|\\.)*)"'
    calls = (rf'\b(?:output_(?:text|count|number|flag|seconds|rate|counts|numbers|times|known))'
             rf'\([^,;"]+,\s*{text},\s*{text}', rf'\b(output_line)\({text}')
    for path in sorted((DATA.parent / "tools").rglob("*.c")):
        for call in calls:
            yield from (label for _, label in re.findall(call, path.read_text()))


class LabelTest(CommandTest):
    def test_every_label_leaves_room(self):
        """Labels are short enough, because values begin in column 21."""
        found = set(labels())
        self.assertGreater(len(found), 100)
        self.assertLessEqual({"rows", "time to set up", "condition, at least", "tried"}, found)
        self.assertEqual([label for label in found if len(label) > 19], [])

    def test_lines(self):
        """Values begin in this column also in the output of the command."""
        for line in (["info", data("plate.mtx"), "--graph"], ["solve", data("plate.mtx")],
                     ["multiply", data("plate.mtx"), "--by", data("plate.mtx")],
                     ["reorder", data("plate.mtx")], ["trisolve", data("plate.mtx")]):
            for text in run(*line).stdout.splitlines():
                self.assertRegex(text, r"\A(.{19} +\S.*|\Z)", line)


class OtherPagesTest(CommandTest):
    """Pages of reorder and of benchmarks show the numbers of the JSON that was printed in the same run."""

    def page(self, *arguments):
        page = self.folder / "r.html"
        done = run(*arguments, "--report", page, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), html.unescape(page.read_text())

    def test_reorder(self):
        grid = shuffled_grid(self.folder / "grid.mtx")
        for path in (grid, data("plate.mtx"), data("mesh.mtx")):
            report, page = self.page("reorder", path)
            rows = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td></tr>', page))
            for name, key in (("Finding the order", "seconds_order"),
                              ("Permuting the matrix", "seconds_permute"),
                              ("One product before", "seconds_spmv_before"),
                              ("One product after", "seconds_spmv_after")):
                self.assertEqual(rows[name], page_time(report[key]), name)
            pays = report["products_to_pay_back"]
            self.assertEqual(rows["Products to pay back"] == "never", pays is None)
            table = re.findall(r'<th scope="row">(\w+ ?\w*)<small>[^<]*</small></th><td>([\d,.]+)<div '
                               r'[^>]*></div></td><td>([\d,.]+)<div', page)
            keys = ["bandwidth", "profile", "max_wavefront", "rms_wavefront"]
            self.assertEqual(len(table), len(keys))
            for (_, *shown), key in zip(table, keys):
                known = [report[f"{key}_{when}"] for when in ("before", "after")]
                self.assertEqual(shown, [f"{n:,.1f}" if key.startswith("rms") else f"{n:,}"
                                         for n in known])

    @unittest.skipIf("FURROW_TEST_SLOW" in os.environ, "no races where a run takes long")
    def test_races(self):
        report, page = self.page("bench", data("plate.mtx"), "--rounds", 1, "--seconds", "1e-5")
        for contender in report["results"][0]["contenders"]:
            speed, time, rate = (re.escape(text) for text in (
                f"{contender['ratio']:.2f} ×", page_time(contender["seconds"]),
                f"{contender['gbps']:.1f}"))
            self.assertRegex(page, rf"(?s)>{speed}</text>\s*<text[^>]*>{time}</text>\s*"
                                   rf"<text[^>]*>{rate}</text>", contender["name"])


class PageTest(CommandTest):
    """The page of a solve shows the numbers of the report that was printed in the same run."""

    def solve(self, *arguments):
        page = self.folder / "r.html"
        done = run("solve", *arguments, "--report", page, "--json")
        return json.loads(done.stdout), html.unescape(page.read_text())

    def check_attempts(self, report, page):
        rows = re.findall(r"</td><td>([^<]*)</td><td>([\d,]*)</td><td>([^<]*)</td></tr>", page)
        self.assertEqual(len(rows), len(report["attempts"]))
        for (outcome, iterations, residual), attempt in zip(rows, report["attempts"]):
            known = attempt["residual"] is not None
            self.assertEqual((outcome, iterations, residual),
                             (attempt["outcome"], f"{attempt['iterations']:,}",
                              f"{attempt['residual']:.1e}" if known else ""))

    def check_cards(self, report, page):
        cards = {title: (figure, note) for title, figure, note in re.findall(
            r'<div class="card"><p>([^<]*)</p><p class="change">([^<]*)</p><p>([^<]*)</p>', page)}
        self.assertEqual(cards["Relative residual"][0], f"{report['residual']:.1e}")
        self.assertIn(f"recurrence {report['residual_recurrence']:.1e}, ",
                      cards["Relative residual"][1])
        each = report["seconds_per_iteration"]
        self.assertEqual(cards["One iteration"][0],
                         page_time(each) if each is not None else "none was needed")
        rate = report["gbps"]
        self.assertEqual(cards["Memory traffic"][0],
                         f"{rate:.1f} GB/s" if rate is not None else "not counted")

    def check_times(self, report, page):
        """Checks that the parts of the time add up to the total and equal the numbers of the report."""
        table = re.search(r'(?s)<table class="times">.*?</table>', page)[0]
        rows = re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)<div class="bar new" '
                          r'style="width:([\d.]+)%"', table)
        parts = {name: seconds_of(text) for name, text, _ in rows}
        whole = sum(report.get(key) or 0 for key in ("seconds_load", "seconds_setup", "seconds_solve"))
        self.assertAlmostEqual(sum(parts.values()) / whole, 1, delta=0.02)
        self.assertAlmostEqual(sum(float(share) for _, _, share in rows), 100, delta=0.5)
        if "seconds_load" in report:
            self.assertEqual(dict(row[:2] for row in rows)["Reading the matrix"],
                             page_time(report["seconds_load"]))
        applied = {attempt["precond"] for attempt in report["attempts"] if attempt["iterations"]} - {"none"}
        known = report["method"] != "mg" and "norms" not in applied
        self.assertEqual("Vectors and scalars" in parts, known)
        self.assertEqual("Preconditioner" in parts, known and bool(applied))

    def test_pages(self):
        chain = self.folder / "chain.mtx"  # cg fails in its trial; cg with factors then solves it
        rows = range(1, 5001)
        chain.write_text("%%MatrixMarket matrix coordinate real symmetric\n5000 5000 9999\n"
                         + "".join(f"{i} {i} {2 + 1e-9 * i}\n" for i in rows)
                         + "".join(f"{i} {i - 1} -1\n" for i in rows[1:]))
        self.assertEqual(len(self.solve(chain)[0]["attempts"]), 2)
        for arguments in ([chain], [data("plate.mtx")], [data("links.mtx")], [data("survey.mtx")],
                          [data("links.mtx"), "--precond", "none"],
                          [data("indefinite.mtx"), "--max-iterations", 5],
                          [data("plate.mtx"), "--precond", "amg"],
                          [data("plate.mtx"), "--precond", "none", "--method", "idrs"],
                          [data("plate.mtx"), "--x0", data("plate_source.mtx"), "--precond", "amg"],
                          ["--stencil", 5, "--extent", "30,30"],
                          ["--stencil", 5, "--extent", "60,60", "--method", "mg"],
                          ["--stencil", 5, "--extent", "60,60", "--precond", "jacobi"]):
            with self.subTest(arguments=arguments):
                report, page = self.solve(*arguments)
                self.assertNotRegex(page, r"\b(nan|-?inf)\b")
                self.assertRegex(page, rf"</b> after {report['iterations']:,} iterations and "
                                       rf"{page_time(report['seconds_solve'])}[.,]")
                self.check_attempts(report, page)
                self.check_cards(report, page)
                self.check_times(report, page)

    def test_nothing_to_do(self):
        """A solve that starts from the solution needs no iteration."""
        out = self.folder / "x.mtx"
        self.json("solve", data("plate.mtx"), "--rtol", "1e-13", "--out", out, status=0)
        report, page = self.solve(data("plate.mtx"), "--x0", out, "--precond", "amg")
        self.assertEqual(report["iterations"], 0)
        self.check_cards(report, page)
        self.assertNotIn("of the residual in the mean", page)


if __name__ == "__main__":
    main()
