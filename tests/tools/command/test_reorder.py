#!/usr/bin/env python3
"""Tests of reorder, of --reorder, and of the pictures that spy draws.

    test_reorder.py COMMAND DATA [unittest's arguments]
"""

import base64
import collections
import html.parser
import math
import re
import shutil
import sys

sys.dont_write_bytecode = True
import matrix_market
import pictures
from command_case import (CommandTest, cannot_pack, data, limit_files, main, matrices, matrix, run,
                          shuffled_grid)

METHODS = ["rcm", "cm", "rcm-quality", "sloan"]
REORDER_KEYS = {"rows", "entries", "method", "bandwidth_before", "bandwidth_after",
                "profile_before", "profile_after", "rms_wavefront_before", "rms_wavefront_after",
                "seconds_order", "seconds_permute", "seconds_spmv_before", "seconds_spmv_after",
                "products_to_pay_back"}


class ReorderTest(CommandTest):
    @staticmethod
    def figures(a, order):
        """Returns bandwidth, profile and wavefronts of A + A^T with a full diagonal in this order."""
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
        """Returns the report, the order and the matrix that the command writes."""
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
    """multiply and solve with a matrix that they reorder give results in the file's order."""

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
        """A picture has a legend of its tones, and says so if its proportions are distorted."""
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
        """A PNG picture has its title in dark pixels, unless the build found no font."""
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


if __name__ == "__main__":
    main()
