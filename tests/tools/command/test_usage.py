#!/usr/bin/env python3
"""Tests of the usage of every subcommand, of its messages, and of outputs that fail.

    test_usage.py COMMAND DATA [unittest's arguments]
"""

import json
import re
import resource
import signal
import string
import subprocess
import sys

sys.dont_write_bytecode = True
import matrix_market
from command_case import COMMAND, CommandTest, data, help_faults, limit_memory, main, run

SUBCOMMANDS = ["info", "multiply", "solve", "eigs", "convert", "add", "extract", "combine",
               "reorder", "neighbours", "trisolve", "spy", "stencil", "kernels", "bench"]


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
        """Only the intended options have letters. argp shows and accepts any printable key as a letter."""
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
        """An unknown name is wrong usage, and the message lists the existing names."""
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
        """Every name that a message offers is accepted."""
        for arguments in (["multiply", data("plate.mtx"), "--kernel"],
                          ["solve", "--stencil", 3, "--extent", 9, "--precond", "none",
                           "--kernel"]):
            offered = re.search(r"takes (.*) on cpu", run(*arguments, "abacus").stderr)[1]
            for name in re.split(", | or ", offered):
                done = run(*arguments, name)
                if done.returncode != 0:
                    self.assertIn("does not suit", done.stderr)

    def test_options_that_do_not_go_together(self):
        """A request that cannot be met is refused and never ignored."""
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
        """If memory runs out, the message names what could not be done, for any limit."""
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
        """Times have the same form everywhere, and a mean does not have sixteen digits."""
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
                    continue  # a sanitizer needs more address space
                done = run("multiply", data("plate.mtx"), "--json", "--threads", threads,
                           preexec_fn=limited)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, r"\A(furrow: warning: [^\n]+\n)?\Z")
                report = json.loads(done.stdout)
                self.assertIn(report["threads"], range(1, 40000))
                self.assertEqual(report["y_norm_2"], expected["y_norm_2"])


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


if __name__ == "__main__":
    main()
