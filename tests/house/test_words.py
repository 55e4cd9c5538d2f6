#!/usr/bin/env python3
"""Checks tools/scripts/words.py: the sentences that it finds in comments, the files that it reads, and the job of
.ci/run that calls it.

    test_words.py SOURCE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

source = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(source / "tools/scripts"))
sys.dont_write_bytecode = True
import words  # noqa: E402


def found(path, text):
    return [sentence for first, lines in words.prose(path, text) for _, _, sentence in words.sentences(first, lines)]


class Sentences(unittest.TestCase):
    def test_hash_lines_are_one_paragraph(self):
        for path in ("a.py", "a.sh", "CMakeLists.txt", "cmake/a.cmake", ".ci/run"):
            self.assertEqual(found(path, "#!/bin/a\n\n# One sentence on\n# two lines.\n"), ["One sentence on two lines."])
        self.assertEqual(found("a.py", "a = 1  # rows\nb = 2  # columns\n"), ["rows", "columns"])

    def test_marks_are_stripped_once(self):
        self.assertEqual(found("a.c", "/** #include is text. */\n/// Text,\n/// more.\n"), ["#include is text.", "Text, more."])
        self.assertEqual(found("a.py", '"""for rows"""\n'), ["for rows"])

    def test_indented_items_are_items(self):
        self.assertEqual(found("a.md", "- first\n    - inner\n      goes on\n- last\n"), ["first", "inner goes on", "last"])

    def test_lists_in_c(self):
        text = "/* Errors:\n *\n *     code = 1;\n *\n * - one, on\n *   two lines\n * - two\n *\n * b\n * - A x. */\n"
        self.assertEqual(found("a.h", text), ["Errors:", "one, on two lines", "two", "b - A x."])
        self.assertEqual(found("a.h", "/* Of methods:\n *\n *   rcm   small\n *         band\n *   cm    larger\n */\n"),
                         ["Of methods:", "small band", "larger"])

    def test_a_quote_as_a_character_opens_no_string(self):
        for quote in ("'\"'", "'\\\"'", "'\\''"):
            self.assertEqual(found("a.c", f"int c = {quote}; /* text */ int d = {quote};\n"), ["text"])
        self.assertEqual(found("a.c", 'char *c = "/* no text */";\n'), [])


class Files(unittest.TestCase):
    def test_subdirectory_and_deletion(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=folder, check=True,
                               stdout=subprocess.DEVNULL)

            inner = pathlib.Path(folder, "inner")
            inner.mkdir()
            for name in ("kept.md", "gone.md"):
                (inner / name).write_text("Some text of one file.\n")
            git("init", "--quiet", "--initial-branch=main")
            git("add", ".")
            git("commit", "-m", "first")
            (inner / "kept.md").write_text("Of a row, all entries.\n")
            (inner / "gone.md").unlink()
            for where in (inner, folder):
                said = subprocess.run([sys.executable, source / "tools/scripts/words.py", "--since", "HEAD"], cwd=where,
                                      check=True, capture_output=True, text=True).stdout
                self.assertIn("1 of 1 sentences", said)

    def test_the_job_sees_every_kind_of_file(self):
        run = (source / ".ci/run").read_text()
        jobs_for = run[run.index("jobs_for() {"):run.index("# changed_jobs")]
        for path in ("src/a.c", "include/furrow/a.h", "cuda/a.cu", "cuda/a.cuh", "python/furrow/a.py", "python/a.cpp",
                     "tests/io/a.c", "ranks/petsc/a.c", "docs/examples/a.c", "docs/results/a.md", "tools/a.sh",
                     "src/CMakeLists.txt", ".ci/run"):
            said = subprocess.run(["bash", "-c", jobs_for + 'jobs_for "$1"', "-", path], check=True, capture_output=True,
                                  text=True).stdout
            self.assertIn("words", said.split(), path)


if __name__ == "__main__":
    unittest.main()
