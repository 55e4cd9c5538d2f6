"""End-to-end tests of furrow-ranks on ranks that are threads. It gives the results of furrow.

    test_ranks.py FURROW_RANKS DATA [unittest's arguments]
"""

import json
import pathlib
import re
import signal
import subprocess
import time

from command_case import COMMAND, CommandTest, data, help_faults, main, pipe, run

FURROW = pathlib.Path(COMMAND).with_name("furrow")


def furrow(*arguments):
    return subprocess.run([FURROW, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=120)


def numbers(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("%")]


def chain(path, rows, low=-1.0, high=-1.0, middle=2.0):
    """Writes a tridiagonal matrix."""
    lines = []
    for i in range(1, rows + 1):
        lines += [f"{i} {i - 1} {low}"] * (i > 1) + [f"{i} {i} {middle}"]
        lines += [f"{i} {i + 1} {high}"] * (i < rows)
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real general",
                               f"{rows} {rows} {len(lines)}", *lines]) + "\n")
    return path


class SolveTest(CommandTest):
    def test_a_failure_is_one(self):
        """A failure has furrow's status, message and advice. The report is still printed."""
        for limit, ranks in ((3, 1), (3, 2), (7, 3)):
            line = ["solve", data("plate.mtx"), "--max-iterations", limit, "--json"]
            done = run(*line, "--ranks", ranks)
            want = furrow(*line, "--method", "cg", "--precond", "jacobi")
            self.assertEqual((done.returncode, want.returncode), (1, 1))
            self.assertEqual(done.stderr, want.stderr.replace("furrow:", "furrow-ranks:"))
            report, known = json.loads(done.stdout), json.loads(want.stdout)
            for key in ("converged", "outcome", "iterations", "residual", "residual_recurrence"):
                self.assertEqual(report[key], known[key], key)

    def test_success(self):
        done = run("--ranks", 2, "solve", data("plate.mtx"), "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIs(json.loads(done.stdout)["converged"], True)

    def test_two_colours(self):
        """Ranks reduce the system to one colour as furrow does, and give its bits."""
        want = self.folder / "want.mtx"
        line = ["solve", data("plate.mtx"), "--method", "cg", "--json", "--out"]
        for precond in ("jacobi", "none"):
            known = json.loads(furrow(*line, want, "--precond", precond).stdout)
            self.assertEqual((known["iterations"], known["reduced"]), (215, True))
            for ranks in (1, 2, 3, 4):
                mine = self.folder / "mine.mtx"
                done = run(*line, mine, "--precond", precond, "--ranks", ranks)
                report = json.loads(done.stdout)
                self.assertEqual((report["iterations"], report["reduced"]), (215, True), ranks)
                self.assertEqual(mine.read_bytes(), want.read_bytes(), ranks)

    def test_figures_of_furrow(self):
        """The report has every number of furrow's report that does not depend on the ranks."""
        known = json.loads(furrow("solve", data("plate.mtx"), "--bounds", "--json").stdout)
        report = json.loads(run("solve", data("plate.mtx"), "--bounds", "--json").stdout)
        own = re.compile("reason|attempts|kernel|bytes_|gbps|reorder|seconds_plan|stencil|"
                         "rows_differing|(seconds_)?recogni|(seconds_)?precond_|seconds_precond")
        self.assertLessEqual({key for key in known if not own.match(key)}, report.keys())

    def test_formats(self):
        """The suffix of a file name selects the format, unless --format names another one."""
        line = ["solve", data("plate.mtx"), "--ranks", 2]
        for name, more in (("x.mtx", []), ("x.fur", []), ("y.fur", ["--format", "mtx"]),
                           ("y.mtx", ["--format", "fur"])):
            self.assertEqual(run(*line, "--out", self.folder / name, *more).returncode, 0)
        first = {name: (self.folder / name).read_bytes()[:6]
                 for name in ("x.mtx", "x.fur", "y.fur", "y.mtx")}
        self.assertEqual(first["x.fur"], first["y.mtx"])
        self.assertEqual(first["x.mtx"], b"%%Matr")
        self.assertEqual(first["y.fur"], b"%%Matr")
        self.assertEqual(first["x.fur"][1:4], b"FUR")
        self.assertEqual(self.usage(*line, "--out", "x.txt").count("ends in .mtx"), 1)

    def usage(self, *line):
        done = run(*line)
        self.assertEqual((done.returncode, done.stdout), (2, ""), line)
        return done.stderr

    def test_standard_streams(self):
        """A may be standard input, and x may be standard output, which then holds nothing else."""
        want = self.folder / "x.mtx"
        run("solve", data("plate.mtx"), "--out", want)
        x = pipe(data("plate.mtx").read_bytes(), "--ranks", "3", "solve", "-", "--out", "-")
        self.assertEqual(x, want.read_bytes())
        y = pipe(want.read_bytes(), "multiply", data("plate.mtx"), "--x", "-", "--out=-",
                 "--repeat=1", "--ranks=2")
        self.assertEqual(y.count(b"\n"), 10002)
        self.assertEqual(x[:2], y[:2])

    def test_right_hand_sides_and_guesses(self):
        """--b, --x0 and --history work as in furrow."""
        b, x = self.folder / "b.mtx", self.folder / "x.mtx"
        b.write_text("%%MatrixMarket matrix array real general\n10000 1\n" +
                     "".join(f"{i % 7 - 3}\n" for i in range(10000)))
        history = self.folder / "h.csv"
        line = ["solve", data("plate.mtx"), "--b", b]
        self.assertEqual(run(*line, "--ranks", 2, "--out", x, "--history", history).returncode, 0)
        points = history.read_text().splitlines()
        report = json.loads(run(*line, "--x0", x, "--json", "--ranks", 3).stdout)
        self.assertLessEqual(report["iterations"], 1)
        self.assertGreater(len(points), 100)
        self.assertEqual(points[0], "attempt,iteration,seconds,residual,true_residual")
        done = run(*line, "--ranks", 2, "--partition", "rcm", "--json", "--out", x)
        self.assertIs(json.loads(done.stdout)["converged"], True)
        again = json.loads(run(*line, "--x0", x, "--json", "--partition", "rcm").stdout)
        self.assertLessEqual(again["iterations"], 1)

    def test_singular(self):
        """The default right-hand side of a singular matrix is in its range. The matrix maps ones to 0."""
        path = self.folder / "laplacian.mtx"
        lines = ["%%MatrixMarket matrix coordinate real general", "3 3 7", "1 1 1", "1 2 -1",
                 "2 1 -1", "2 2 2", "2 3 -1", "3 2 -1", "3 3 1"]
        path.write_text("\n".join(lines) + "\n")
        done = run("solve", path, "--ranks", 2, "--json")
        self.assertIn("times a vector of ones is 0", done.stderr)
        self.assertIn("fractions", json.loads(done.stdout)["rhs"])
        self.assertNotIn("note", run("solve", path, "--quiet").stderr)

    def test_whole_preconditioners(self):
        """Preconditioners of the unreduced matrix give the bits of furrow. This includes multigrid for a matrix that is
        not symmetric."""
        wind = chain(self.folder / "wind.mtx", 900, low=-1.5, high=-0.25, middle=2.0)
        for kind, method in (("ilu0", "gmres"), ("amg", "gmres"), ("ilut", "bicgstab")):
            for ranks in (1, 3):
                mine, want = self.folder / "mine.mtx", self.folder / "want.mtx"
                line = ["solve", wind, "--method", method, "--precond", kind]
                done = run(*line, "--whole", "--ranks", ranks, "--out", mine, "--json")
                known = furrow(*line, "--no-reduction", "--kernel", "rows", "--out", want, "--json")
                with self.subTest(kind=kind, ranks=ranks):
                    self.assertEqual((done.returncode, known.returncode), (0, 0), done.stderr)
                    self.assertEqual(json.loads(done.stdout)["iterations"],
                                     json.loads(known.stdout)["iterations"])
                    self.assertEqual(numbers(mine), numbers(want))

    def test_complete_factors(self):
        """`direct` factors the matrix of all ranks and gives the bits of furrow."""
        wind = chain(self.folder / "wind.mtx", 900, low=-1.5, high=-0.25, middle=2.0)
        mine, want = self.folder / "mine.mtx", self.folder / "want.mtx"
        line = ["solve", wind, "--method", "direct", "--json"]
        done = run(*line, "--ranks", 3, "--out", mine)
        known = furrow(*line, "--kernel", "rows", "--out", want)
        for kind in ("jacobi", "none", "ilu0"):
            self.assertIn("--method direct goes with its own factors as the preconditioner; leave "
                          "--precond out", run(*line, "--precond", kind).stderr)
        if "was found" in known.stderr:
            self.assertIn("was found", done.stderr)
            self.skipTest("no library with complete factors")
        report = json.loads(done.stdout)
        self.assertEqual((report["method"], report["precond"], report["rank_independent"]),
                         ("direct", "direct", True))
        self.assertEqual(numbers(mine), numbers(want))

    def test_folders_that_are_not_there(self):
        """A missing output folder is reported before the matrix is read."""
        for option, name in (("--out", "x.mtx"), ("--history", "h.csv")):
            path = self.folder / "missing" / name
            for program, ranks in ((COMMAND, ["--ranks", "2"]), (FURROW, [])):
                done = subprocess.run([program, "solve", "/no/such.mtx", option, path, *ranks],
                                      capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{path}: cannot write: No such file", done.stderr)

    def interrupted(self, line, number, after):
        """Starts a solve and sends a signal once it has computed for `after` seconds."""
        child = subprocess.Popen([COMMAND, *map(str, line)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        child.send_signal(number)
        return child.communicate(timeout=120), child.returncode

    def test_signals_keep_what_there_is(self):
        path = chain(self.folder / "chain.mtx", 40000)
        out = self.folder / "x.mtx"
        for number, ranks in ((signal.SIGINT, 2), (signal.SIGTERM, 1), (signal.SIGTERM, 3)):
            line = ["solve", path, "--ranks", ranks, "--precond", "none", "--rtol", "1e-15",
                    "--max-iterations", 10000000, "--method", "minres", "--out", out]
            for after in (0.5, 1, 2, 4, 8):
                (said, error), status = self.interrupted(line, number, after)
                if status == -number and said:
                    break
            with self.subTest(number=number, ranks=ranks):
                self.assertEqual(status, -number, error)
                self.assertRegex(error, rf"\Afurrow-ranks: {path}: interrupted by {number.name} "
                                        r"after \d+ iterations, relative residual \S+; the last x is "
                                        rf"in {out}\n\Z")
                self.assertIn("interrupted", said)
                self.assertEqual(len(numbers(out)), 40001)


class UsageTest(CommandTest):
    def test_options_of_other_subcommands(self):
        for line in (["multiply", "--method", "cg"], ["multiply", "--b", "b.mtx"],
                     ["bench", "--x", "x.mtx"], ["bench", "--out", "x.mtx"],
                     ["solve", "--repeat", "3"]):
            done = run(*line, data("plate.mtx"))
            self.assertEqual(done.returncode, 2, line)
            self.assertIn("unrecognized option", done.stderr)
            self.assertIn(f"furrow-ranks {line[0]}", done.stderr)

    def test_options_that_do_not_fit(self):
        for line, part in ((["--whole"], "--whole goes with a --precond"),
                           (["--precond", "ic0:shift=-1"], '--precond: shift of "ic0" must be from 0'),
                           (["--precond", "none such"], "--precond takes none, jacobi"),
                           (["--method", "auto"], "--method takes cg"),
                           (["--format", "fur"], "--format goes with --out"),
                           (["--ranks", "0"], "--ranks takes a whole number from 1"),
                           (["--threads", "x"], "--threads takes a whole number"),
                           (["--device", "tpu"], "--device takes cpu, cuda")):
            done = run("solve", data("plate.mtx"), *line)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(part, done.stderr)

    def test_reading(self):
        """Options of reading have furrow's names, and all ranks obey them."""
        path = self.folder / "twice.mtx"
        path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 1 2\n"
                        "2 2 1\n")
        done = run("multiply", path, "--duplicates", "error", "--ranks", 2)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, furrow("multiply", path, "--duplicates", "error").stderr
                         .replace("furrow:", "furrow-ranks:"))
        last = run("multiply", path, "--duplicates", "last", "--ranks", 2, "--json", "--repeat", 1)
        self.assertEqual(json.loads(last.stdout)["y_norm_1"], 3)

    def test_help(self):
        for line in (["--help"], ["help"], ["help", "solve"], ["solve", "--help"]):
            done = run(*line)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("furrow-ranks", done.stdout)
        for line in (["solve"], ["multiply"], ["bench"], []):
            self.assertEqual(help_faults(run(*line, "--help").stdout), [], line)
        self.assertIn("--quiet", run("solve", "--help").stdout)
        self.assertRegex(run("--version").stdout, r"\Afurrow-ranks \d+\.\d+\.\d+\n\Z")
        self.assertEqual(run("frob").returncode, 2)
        self.assertIn("a file name is missing", run("solve").stderr)

    def test_options_before_the_subcommand(self):
        done = run("--ranks", 2, "--json", "multiply", data("plate.mtx"), "--repeat", 1)
        self.assertEqual(json.loads(done.stdout)["ranks"], 2)

    def test_full_standard_output(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([COMMAND, "solve", data("plate.mtx")], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("furrow-ranks: standard output", done.stderr)


if __name__ == "__main__":
    main()
