#!/usr/bin/env python3
"""End-to-end tests of furrow bench and furrow stencil.

    test_bench.py COMMAND DATA [unittest's arguments]
"""

import json
import math
import re
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True  # Python must leave no cache in this folder
from command_case import CommandTest, CudaCase, data, limit_files, main, run, shuffled_grid

STENCIL_KEYS = {"points", "extent", "type", "device", "ns_per_point_stencil", "ns_per_point_csr",
                "ratio", "gbps_stencil", "gbps_csr", "max_difference", "copy_gbps",
                "percent_of_copy", "seconds_assemble", "threads", "forms"}
FORM_KEYS = {"name", "kernel", "seconds", "ns_per_point", "bytes_per_point", "gbps",
             "percent_of_copy", "ratio", "max_difference", "role", "exact",
             "bytes", "flops", "speed_up", "note"}


UNITS = {"f32": 2**-24, "f64": 2**-53, "c64": 2**-24, "c128": 2**-53}
WEIGHTS = {3: 4, 5: 8, 7: 12, 9: 16, 13: 192, 19: 48, 27: 52}  # sums of |coefficients|


class StencilTest(CommandTest):
    """Tests of furrow stencil, which compares a stencil with its matrix."""

    def race(self, *arguments):
        return self.json("stencil", *arguments, "--rounds", 1, "--threads", 2)

    def check_figures(self, report, value_bytes):
        forms = report["forms"]
        stencil, csr = forms[:2]
        self.assertEqual((stencil["name"], csr["name"]), ("stencil", "csr"))
        for key in ("ns_per_point", "gbps"):
            self.assertEqual((report[key + "_stencil"], report[key + "_csr"]),
                             (stencil[key], csr[key]))
        self.assertEqual(report["ratio"], csr["ratio"])
        self.assertEqual(report["max_difference"], max(form["max_difference"] for form in forms))
        self.assertEqual((stencil["bytes_per_point"], stencil["ratio"]), (2 * value_bytes, 1))
        for form in forms:
            self.assertEqual(form.keys(), FORM_KEYS)
            self.assertAlmostEqual(form["ratio"], form["seconds"] / stencil["seconds"])
            self.assertAlmostEqual(form["gbps"] * form["ns_per_point"] / form["bytes_per_point"], 1)
            self.assertAlmostEqual(form["percent_of_copy"] * report["copy_gbps"] / form["gbps"],
                                   100)

    def test_types_and_boundaries(self):
        for value, size in (("f32", 4), ("f64", 8), ("c64", 8), ("c128", 16)):
            for boundary in ("dirichlet", "neumann,dirichlet,periodic"):
                with self.subTest(type=value, boundary=boundary):
                    report = self.race("--points", 7, "--extent", "12,7,5", "--type", value,
                                       "--boundary", boundary, "--against", "rows,compressed")
                    self.assertLessEqual(STENCIL_KEYS, report.keys())
                    self.assertEqual((report["points"], report["extent"], report["type"]),
                                     (7, [12, 7, 5], value))
                    self.check_figures(report, size)
                    bound = 2 * 24 * UNITS[value] * WEIGHTS[7] / 3 * math.sqrt(2)
                    self.assertLessEqual(report["max_difference"],
                                         0 if boundary == "dirichlet" else bound)

    def test_all_stencils(self):
        for points, extent in ((3, "40"), (5, "1,9"), (9, "30,2"), (13, "5,3,4"), (19, "2,2,2"),
                               (27, "8,1,9")):
            with self.subTest(points=points):
                report = self.race("--points", points, "--extent", extent, "--boundary",
                                   "periodic", "--against", "rows_simd,merge")
                names = [form["kernel"] for form in report["forms"]]
                self.assertTrue({"rows_simd", "merge"} <= set(names), names)
                self.assertEqual(len(set(names)), len(names))
                self.assertEqual(report["boundary"], ["periodic"] * len(report["extent"]))
                self.assertLessEqual(report["max_difference"],
                                     2 * (points + 2) * UNITS["f64"] * WEIGHTS[points] / 3)

    def test_kernel_of_another_order(self):
        grid = ["--points", 27, "--extent", "19,8,7", "--kernel", "symmetric"]
        report = self.race(*grid)
        self.assertEqual(report["kernel_stencil"], "symmetric")
        self.assertGreater(report["max_difference"], 0)
        self.assertLessEqual(report["max_difference"], 2 * 29 * UNITS["f64"] * WEIGHTS[27] / 3)
        self.assertIn("rounds in another order", self.sentence("stencil", *grid, "--sweeps", 2))
        grid[1] = 19
        self.assertIn("does not suit", self.sentence("stencil", *grid))

    def check_sweeps(self, report, count):
        """Checks that the first kernel computes one sweep at a time, and that all ratios refer to it."""
        kernels = report["sweep_kernels"]
        self.assertEqual((report["sweeps"], kernels[0]["kernel"], kernels[0]["depth"]),
                         (count, "single", 1))
        for kernel in kernels:
            for of in ("", "_without_b"):
                self.assertAlmostEqual(kernel["ratio" + of] * kernel["ns_per_point" + of],
                                       kernels[0]["ns_per_point" + of])

    def test_sweeps(self):
        grid = ["--points", 27, "--extent", "9,8,7", "--boundary", "periodic,neumann,dirichlet",
                "--against", "csr"]
        self.assertNotIn("sweeps", self.race(*grid))
        for count in (1, 7):
            report = self.race(*grid, "--sweeps", count)
            self.check_sweeps(report, count)
            chosen = report["sweep_kernels"][-1]
            self.assertEqual((report["kernel_sweep"], report["ns_per_point_sweep"],
                              report["sweep_ratio"]),
                             (chosen["kernel"], chosen["ns_per_point"], chosen["ratio"]))
        case, = self.json("bench", "stencil", "3-point:20:c64", "--against", "csr", "--rounds", 1,
                          "--sweeps", 4)["results"]
        self.check_sweeps(case, 4)
        done = run("stencil", *grid, "--sweeps", 2, "--rounds", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^  sweeps +single +1 +[\d.]+ +1\.00 +[\d.]+ +1\.00$")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_table(self):
        done = run("stencil", "--points", 5, "--extent", "31,17", "--kernel", "reference",
                   "--rounds", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n5-point 31 x 17 f64\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  stencil +reference +[\d.]+ +16\.0 .* 1\.00$")
        self.assertRegex(done.stdout, r"(?m)^  csr +\w+ +[\d.]+ +[\d.]+ +[\d.]+ +\d+%")
        self.assertRegex(done.stdout, r"(?m)^Volkov 2010, GTX 280: .*4\.7.*4\.2.*8\.9")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_wrong_arguments(self):
        grid = ["stencil", "--points", 7, "--extent"]
        for arguments, sentence in (
                ([*grid, "1291,1291,1291"], "a matrix has at most 2^31-1 rows"),
                (["stencil", "--points", 27, "--extent", "1290,1290,1290", "--type", "c128"],
                 "use a smaller grid"),
                ([*grid, "8,8,8", "--against", "cusparse"], "FURROW_WITH_CUSPARSE")):
            self.assertIn(sentence, self.sentence(*arguments))
        for arguments, sentence in (
                (["stencil", "--extent", "8"], "--points is missing"),
                (["stencil", "--points", 3], "--extent is missing"),
                ([*grid, "8,8"], "a stencil of 7 points has 3 axes, but --extent gave 2"),
                (["stencil", "--points", 6, "--extent", 8], "--points takes 3, 5, 7"),
                ([*grid, "8,8,8", "--type", "f16"], "--type takes f32, f64, c64 or c128"),
                ([*grid, "8,8,8", "--boundary", "open"], "--boundary takes dirichlet"),
                ([*grid, "8,8,8", "--rounds", 0], "--rounds takes a whole number from 1"),
                ([*grid, "8,8,8", "--sweeps", 0], "--sweeps takes a whole number from 1"),
                ([*grid, "8,8,8", data("plate.mtx")], "too many file names")):
            self.assertIn(sentence, self.sentence(*arguments, status=2))


class BenchTest(CommandTest):
    def test_benchmarks(self):
        self.assertIn("takes spmv, spmm, reduce,", self.sentence("bench", "abacus", status=2))
        self.assertIn("compares with plain", self.sentence("bench", "spmv", "--against",
                                                           "cusparse", status=2))
        self.assertIn("7-pont:4", self.sentence("bench", "spmv", "7-pont:4"))
        arguments = ["--seconds", "1e-6", "--rounds", 1, "--threads", 1]
        for case in ("5-point:4", "7-point:4", "27-point:3", "nodes3:3", "random:50x3", "power:50",
                     "rmat:5"):
            self.assertEqual(self.json("bench", case, *arguments)["results"][0]["case"], case)
        for name in ("nodes3:0", "power:1x2", "random:5", "7-point:1201"):
            self.assertIn(name, self.sentence("bench", "spmv", name))

    def test_benchmark_of_sampled_products(self):
        arguments = ["--seconds", "1e-6", "--rounds", 1, "--threads", 2]
        found = self.json("bench", "sddmm", "7-point:4@9", "rmat:5", *arguments)["results"]
        self.assertEqual([case["columns"] for case in found], [9, 8, 16, 32, 33, 64, 128])
        self.assertEqual(found[0]["case"], "7-point:4, 9 columns")
        self.assertEqual([line["name"] for line in found[0]["contenders"]],
                         ["plain loop", "sddmm", "sddmm, columns copied"])
        self.assertIn("compares with plain", self.sentence("bench", "sddmm", "--against", "mkl", status=2))

    def test_benchmark_of_neighbours(self):
        found = self.json("bench", "neighbours", "clustered:300x2", "uniform:50x5", "--rounds", 1)
        self.assertEqual([[line["name"] for line in case["contenders"]]
                          for case in found["results"]],
                         [["naive", "brute", "grid", "auto"], ["naive", "brute", "auto"]])
        self.assertIn("'uniform:10x2' is not a set of points",
                      self.sentence("bench", "neighbours", "uniform:10x2"))

    def test_benchmark_as_table_and_file(self):
        out = self.folder / "out.json"
        arguments = ["bench", "spmv", "nodes3:3", "power:500", "--seconds", "1e-6", "--rounds", 1,
                     "--threads", 2]
        done = run(*arguments, "--json-file", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^nodes3:3: ")
        found = json.loads(out.read_text())
        self.assertEqual([case["case"] for case in found["results"]], ["nodes3:3", "power:500"])
        self.assertEqual((found["device"], found["threads"]), ("cpu", 2))
        self.assertEqual(self.json(*arguments).keys(), found.keys())

    def test_benchmark_file_cut_short_leaves_the_old_one(self):
        out = self.folder / "out.json"
        out.write_text("old")
        arguments = ["bench", *["7-point:2"] * 9, "--seconds", "1e-6", "--rounds", 1, "--json-file"]
        for name, reason in ((out, "File too large"), ("/dev/full", "No space left on device")):
            done = run(*arguments, name, preexec_fn=limit_files)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"furrow: {name}: cannot write: {reason}\n")
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.left(), ["out.json"])

    def page(self, *arguments):
        """Returns bench's JSON, the page's <main>, and its picture."""
        page, picture = self.folder / "r.html", self.folder / "r.svg"
        found = self.json("bench", *arguments, "--report", page, "--picture", picture)
        text = page.read_text()
        self.assertNotRegex(text, r"(?i)https?:|<script|<link|@import|url\(|<i>|\b(nan|inf)\b")
        self.assertEqual(re.findall("https?:[^\"]*", picture.read_text()),
                         ["http://www.w3.org/2000/svg"])
        return (found, xml.etree.ElementTree.fromstring(re.search("<main>.*</main>", text, re.S)[0]),
                xml.etree.ElementTree.parse(picture).getroot())

    def check_bars(self, case, texts):
        """Checks that each contender is shown once, with its numbers."""
        for line in case["contenders"]:
            name, kernel = line["name"], line.get("kernel", line["name"])
            self.assertEqual(texts.count(name if kernel == name else f"{name}: {kernel}"), 1, name)
            self.assertIn(f"{line['gbps']:.1f}", texts)
            if "against" in case:
                self.assertIn(f"{line.get('speed_up', line['ratio']):.2f} ×", texts)

    def test_benchmark_as_page(self):
        path = shuffled_grid(self.folder / "<i>&\"x\".mtx")
        found, main, picture = self.page("spmv", path, "power:500", "--seconds", "1e-6", "--rounds",
                                         1, "--threads", 2)
        titles = ["<i>&\"x\"", "power:500"]
        figures = [figure for figure in main.iter("figure") if figure.get("class") == "card bars"]
        self.assertEqual([figure.find("figcaption/b").text for figure in figures], titles)
        for case, figure in zip(found["results"], figures):
            self.check_bars(case, [element.text for element in figure.iter("text")])
        self.assertEqual([point.text.rsplit(": ", 1)[0] for point in main.iter("title")],
                         [f"{title}, {line['name']}" for title, case in
                          zip(titles, found["results"]) for line in case["contenders"]])
        plans = [row[0].text for row in main.iter("tr") if len(row) == 4 and row[0].text != "kernel"]
        self.assertEqual(plans, [line["name"] for case in found["results"]
                                 for line in case["contenders"]
                                 if line.get("plan_products", 0) >= 1])
        words = "".join(main.itertext())
        for word in (found["date"], found["version"], found["isa"], "2 threads"):
            self.assertIn(word, words)
        drawn = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
        for title in titles:
            self.assertIn(drawn.count(title), (1, 2))  # above its bars, and in the roofline if it fits

    def test_benchmarks_that_have_a_page(self):
        for arguments in (["reduce", 1000, "--seconds", "1e-6", "--rounds", 1],
                          ["stencil", "7-point:9", "3-point:50", "--rounds", 1],
                          ["solve", "7-point:8", "--rounds", 1]):
            found, main, _ = self.page(*arguments)
            figures = [figure for figure in main.iter("figure")
                       if figure.get("class") == "card bars"]
            self.assertEqual(len(figures), len(found["results"]))
            for case, figure in zip(found["results"], figures):
                self.check_bars(case, [element.text for element in figure.iter("text")])

    def test_overview_of_many_cases(self):
        names = [f"power:{rows}" for rows in range(50, 57)]
        _, main, picture = self.page("spmv", *names, "--seconds", "1e-6", "--rounds", 1)
        for texts in ([element.text for element in main.find("figure").iter("text")],
                      [element.text for element in
                       picture.iter("{http://www.w3.org/2000/svg}text")]):
            for name in names:
                self.assertGreaterEqual(texts.count(name), 1)

    def draw(self, saved):
        """Returns the page and the picture of results that were saved."""
        path, page, picture = (self.folder / name for name in ("s.json", "s.html", "s.svg"))
        path.write_text(saved if isinstance(saved, str) else json.dumps(saved))
        done = run("bench", "--from", path, "--report", page, "--picture", picture)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return page.read_text(), picture.read_text()

    def test_saved_race_is_drawn_as_it_was(self):
        saved, page, picture = (self.folder / name for name in ("r.json", "r.html", "r.svg"))
        run("bench", "7-point:4", "power:50", "--seconds", "1e-6", "--rounds", 1, "--json-file",
            saved, "--report", page, "--picture", picture)
        self.assertEqual(self.draw(saved.read_text()), (page.read_text(), picture.read_text()))

    def test_race_on_a_gpu_is_drawn_cold_and_warm(self):
        def line(name, role, seconds, **more):
            heats = {heat: {"seconds": scale * seconds, "gbps": 1e-9 / seconds, "of_copy": 0.5,
                            "ratio": 1e-3 / seconds} for heat, scale in (("cold", 2), ("warm", 1))}
            return {"name": name, "role": role, "bytes": 1, "flops": 1, "exact": True, **heats, **more}

        results = [{"case": f"/a/m{i}.mtx", "against": "cuSPARSE", "copy_gbps": 3000,
                    "contenders": [line("sell", "kernel", 5e-4, kernel="sell", plan_seconds=1e-3,
                                        plan_products=2, products_to_pay_back=2),
                                   line("cusparse_alg1", "peer", 1e-3),
                                   line("auto", "auto", 5e-4, kernel="sell")]} for i in range(7)]
        page, picture = self.draw({"suite": "spmv", "date": "2026-01-02", "version": "0.2.0",
                                   "gpu": "a GPU", "processor": "a CPU", "device": "cuda",
                                   "isa": "sm_90", "threads": 1, "results": results})
        for text in ("a GPU beside a CPU · sm_90 · 1 thread · 2026-01-02", "auto over cuSPARSE, cold",
                     "2.00 ×", "geometric mean of 7", "<b>Roofline, warm</b>", "1.00 ms", "500 µs"):
            self.assertIn(text, page)
        for i in range(7):
            for heat in ("cold", "warm"):
                self.assertEqual(page.count(f"<b>m{i}, {heat}</b>"), 1)
        self.assertEqual(page.count("<b>All cases, "), 2)
        self.assertIn("Roofline, cold", picture)
        xml.etree.ElementTree.fromstring(picture)

    def test_what_is_no_saved_race(self):
        path = self.folder / "s.json"
        for text, sentence in (("{", "s.json: "), ("[]", "--from needs a file that --json-file wrote"),
                               ('{"results": 3}', "--from needs a file that --json-file wrote")):
            path.write_text(text)
            self.assertIn(sentence, self.sentence("bench", "--from", path, "--report",
                                                  self.folder / "r.html"))
        self.assertIn("none.json: ", self.sentence("bench", "--from", self.folder / "none.json",
                                                   "--picture", self.folder / "r.svg"))
        self.assertEqual(self.left(), ["s.json"])
        for text in ('{"results": [3]}', '{"results": [{"contenders": [{}, 1, {"seconds": 0}]}]}',
                     '{"results": [{"copy_gbps": 1e308, "contenders": [{"seconds": 1, "bytes": 1, '
                     '"flops": 1}]}]}',
                     '{"results": [{"case": 1, "against": "x", "contenders": [{"name": "a", '
                     '"role": "auto", "seconds": 1e-320, "ratio": -1, "bytes": 1e-300, "flops": '
                     '1e300}]}], "threads": 1e99}'):
            self.draw(text)

    def test_page_that_cannot_be_written(self):
        nowhere = self.folder / "none" / "r.html"
        out = self.folder / "out.json"
        self.assertIn(f"{nowhere}: ", self.sentence("bench", "7-point:300", "--json-file", out,
                                                    "--report", nowhere))
        self.assertEqual(self.left(), [])
        out = self.folder / "r.html"
        out.write_text("old")
        self.assertEqual(f"furrow: {out}: cannot write: File too large\n",
                         self.sentence("bench", "7-point:2", "--seconds", "1e-6", "--rounds", 1,
                                       "--report", out, preexec_fn=limit_files))
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.left(), ["r.html"])

    def test_benchmark_of_stencils(self):
        names = ["7-point:9", "27-point:3:c64"]
        found = self.json("bench", "stencil", *names, "--threads", 1, "--rounds", 1, "--against",
                          "rows")["results"]
        self.assertEqual([case["case"] for case in found], names)
        lines = [line["name"] for line in found[0]["contenders"]]
        self.assertEqual((lines[:2], set(lines[2:]) - {"rows"}), (["stencil", "csr"], set()))
        for name in ("8-point:9", "7-point:0", "7-pont:4", "7-point:4x", "7-point:4:f16"):
            self.assertIn(name, self.sentence("bench", "stencil", name))
        self.assertIn("at most 2^31-1 rows", self.sentence("bench", "stencil", "7-point:1291"))

    def test_benchmark_of_recognition(self):
        names = ["7-point:9", "7-point:8:periodic", "3-point:50:variable"]
        found = self.json("bench", "recognise", *names, "--threads", 1)["results"]
        self.assertEqual([case["case"] for case in found], names)
        self.assertEqual([case["recognised"] for case in found], [True, False, True])
        for key in ("recognise", "refuse", "csr", "recognised"):
            self.assertGreater(found[0]["seconds_" + key], 0)
        self.assertIn("product, recognised", run("bench", "recognise", "7-point:9").stdout)
        for name in ("8-point:9", "7-point:0", "7-point:4:odd"):
            self.assertIn(name, self.sentence("bench", "recognise", name))

    def test_benchmark_of_multigrid(self):
        found = self.json("bench", "multigrid", "8", "9:f32", "--threads", 1)["results"]
        self.assertEqual([case["case"] for case in found], ["8", "9:f32"])
        for case in found:
            self.assertGreater(case["cycles"], 0)
            self.assertLess(case["factor"], 0.1)
        for name in ("0", "8:f64", "2001", "x"):
            self.assertIn(name, self.sentence("bench", "multigrid", name))

    def test_benchmark_of_solving(self):
        """The benchmark has plain OpenMP loops as a second contender if the compiler has OpenMP."""
        names = ["7-point:8", "5-point:9:stencil"]
        found = self.json("bench", "solve", *names, "--rounds", 1, "--threads", 2)["results"]
        self.assertEqual([case["case"] for case in found], names)
        for case in found:
            lines = [line["name"] for line in case["contenders"]]
            self.assertIn(lines, (["furrow"], ["furrow", "plain OpenMP loops"]))
            self.assertGreater(min(line["seconds"] for line in case["contenders"]), 0)
            self.assertEqual(case["iterations"] % 20, 0)
        self.assertIn("of copy", run("bench", "solve", "5-point:9", "--rounds", 1).stdout)
        for name, sentence in (("7-point:0", "not a generated matrix"), ("random:9x2", "random:9x2"),
                               (data("rotation.mtx"), "no finite reciprocal"),
                               (data("damped.mtx"), "real square"),
                               ("5-point:2", "the benchmark needs 40")):
            self.assertIn(sentence, self.sentence("bench", "solve", name))

    def test_benchmark_of_files(self):
        arguments = ["--seconds", "1e-6", "--rounds", 2, "--threads", 2]
        names = ["real:5", "integer:4", "pattern:64", data("rotation.mtx"), data("mesh.mtx")]
        done = run("bench", "io", *names, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.json("bench", "io", *names, *arguments)["results"]
        self.assertEqual([case["case"] for case in found], list(map(str, names)))
        for table in found[0]["tables"]:
            lines = [line["name"] for line in table["contenders"]]
            self.assertEqual(lines[1:3], ["furrow, 1 thread", "furrow, 2 threads"])
        for name in ("real:0", "pattern:9", "nothing.mtx", data("ring.mtx")):
            self.assertIn(str(name), self.sentence("bench", "io", name))
        self.assertIn("abacus", self.sentence("bench", "io", "--against", "abacus", status=2))


class CudaBenchTest(CudaCase):
    def test_bench_spmv(self):
        page = self.folder / "r.html"
        found = self.json("bench", "spmv", "7-point:20", "power:3000", "--device", "cuda",
                          "--report", page)
        self.assertTrue(found["gpu"])
        for title in ("7-point:20, cold", "power:3000, warm", "Roofline, cold"):
            self.assertEqual(page.read_text().count(f"<b>{title}</b>"), 1)
        for case in found["results"]:
            self.assertGreater(case["copy_gbps"], 0)
            names = [contender["name"] for contender in case["contenders"]]
            self.assertEqual(names[-2:], ["auto", "auto, measured"])
            for contender in case["contenders"]:
                self.assertGreater(contender["cold"]["seconds"], 0)
                self.assertGreater(contender["warm"]["seconds"], 0)
        if "cusparse_alg1" in names:
            self.assertEqual(found["summary"]["auto"]["cold"]["cases"], 2)

    def test_stencil(self):
        """Kernels that add in the order of the CPU give results without any difference."""
        for value in UNITS:
            report = self.json("stencil", "--points", 7, "--extent", "33,20,9", "--type", value,
                               "--device", "cuda", "--against", "compressed")
            self.assertEqual((report["device"], report["max_difference"]), ("cuda", 0))
            self.assertLessEqual(STENCIL_KEYS, report.keys())
        found = self.json("bench", "stencil", "27-point:20:f32", "--device", "cuda")["results"]
        kernels = {line["kernel"] for line in found[0]["contenders"]}
        self.assertIn("reference", kernels)

    def test_sweeps(self):
        """Each kernel is compared with the CPU's products before it is timed."""
        case, = self.json("bench", "stencil", "7-point:60", "--device", "cuda", "--against", "csr",
                          "--sweeps", 8)["results"]
        raced = {kernel["kernel"] for kernel in case["sweep_kernels"]}
        kernels = self.json("kernels", "--device", "cuda")["sweep_kernels"]
        listed = {kernel["name"] for kernel in kernels}
        self.assertLessEqual(raced, listed | {"single"})
        self.assertIn("single", raced)

    def test_bench_of_others(self):
        reduce = self.json("bench", "reduce", "10000", "--device", "cuda")
        self.assertGreaterEqual(len(reduce["results"]), 3)
        transfer = self.json("bench", "transfer", "80000", "--device", "cuda")
        self.assertEqual(len(transfer["results"]), 4)
        for case in transfer["results"]:
            self.assertEqual(case.keys(), {"case", "contenders"})
        self.sentence("bench", "transfer", "7", "--device", "cuda")
        ladder = self.json("bench", "ladder", "100000", "--device", "cuda")
        self.assertEqual([case["case"].split()[1] for case in ladder["results"]],
                         ["i32", "f32", "f64"])

    def test_bench_of_dense_products(self):
        dense = self.json("bench", "dense", "256", "--device", "cuda")
        self.assertEqual([case["case"] for case in dense["results"]], ["256 x 256 f64", "256 x 256 f32"])
        for case in dense["results"]:
            rows = case["rows"]
            self.assertEqual(rows[0]["name"], "1 naive")
            self.assertTrue(all(row["result_ok"] for row in rows))
            self.assertTrue(all(row["same_bits"] for row in rows if row["name"][0] in "12345"))
        for wrong in ("0", "100", "33024", "x"):
            self.assertIn("a multiple of 256", self.sentence("bench", "dense", wrong, "--device", "cuda"))

    def test_bench_of_sampled_products(self):
        found = self.json("bench", "sddmm", "7-point:20@16", "--device", "cuda")["results"]
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["contenders"][0]["name"], "sddmm")


if __name__ == "__main__":
    main()
