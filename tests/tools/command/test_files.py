#!/usr/bin/env python3
"""Tests of info and convert: Matrix Market and binary files, pipes, archives, options of reading.

    test_files.py COMMAND DATA [unittest's arguments]
"""

import gzip
import io
import json
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
import matrix_market
from command_case import DATA, CommandTest, cannot_pack, data, main, matrices, matrix, pipe, run

INFO_KEYS = {"rows", "cols", "entries", "entries_in_file", "field", "symmetry", "row_min",
             "row_mean", "row_max", "empty_rows", "bandwidth", "profile", "seconds_load"}


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
        above_half = "1." + "0" * 7 + "59604644775390625" + "0" * 20 + "1"  # slightly more than 1 + 2^-24
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
    """Standard input and standard output instead of files."""

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
        """Makes plate.tar.gz with plate/plate.mtx and further members named by their suffixes. Returns its path."""
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
        """Solves and returns the name of the right-hand side, and x in bytes."""
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


class DataTest(CommandTest):
    def test_generator_writes_the_same_bytes(self):
        subprocess.run([sys.executable, data("generate.py"), self.folder], check=True)
        names = sorted(path.name for path in DATA.glob("*.mtx"))
        self.assertEqual(self.left(), names)
        for name in names:
            self.assertEqual((self.folder / name).read_bytes(), data(name).read_bytes(), name)


if __name__ == "__main__":
    main()
