#!/usr/bin/env python3
"""The manual's pages and the completion of bash and zsh. Each has all that --help has. Pages are
set without a warning. Completion offers the words that may come next.

    test_manual.py COMMAND MANUAL COMPLETION
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BASH = r"""
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_furrow
printf '%s\n' "${COMPREPLY[@]}"
"""

# The functions of zsh's completion system, which print what they are given.
ZSH = r"""
_describe() { [[ $1 == -o ]] && shift; print -l -- ${${(P)2}%%:*} }
compadd() { print -l -- ${(P)2} }
compset() { : }
_files() { print files }
file=$1
shift
words=("$@") CURRENT=$#
source $file
"""


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)


def commands():
    return re.findall(r"^  ([a-z]+) ", run(COMMAND, "--help").stdout, re.M)


def options(command):
    return set(re.findall(r"^ +(?:-., )?(--[a-z0-9-]+)", run(COMMAND, command, "--help").stdout, re.M))


class ManualTest(unittest.TestCase):
    def test_every_command_has_its_page(self):
        self.assertEqual({path.name for path in MANUAL.glob("*")},
                         {"furrow.1"} | {f"furrow-{command}.1" for command in commands()})

    def test_pages_have_all_options(self):
        for command in commands():
            text = (MANUAL / f"furrow-{command}.1").read_text().replace("\\-", "-")
            listed = set(re.findall(r"^\.B (?:-., )?(--[a-z0-9-]+)", text, re.M))
            self.assertEqual(listed, options(command), command)
            for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {part}\n", text, command)
        text = (MANUAL / "furrow.1").read_text()
        for command in commands():
            self.assertIn(f"\n.B {command}\n", text)
            self.assertIn(f".BR furrow\\-{command} (1)", text)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_pages_are_set_without_a_warning(self):
        for page in sorted(MANUAL.glob("*.1")):
            done = run("groff", "-man", "-Tutf8", "-ww", "-P-cbou", str(page))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("SYNOPSIS", done.stdout)


class BashTest(unittest.TestCase):
    def complete(self, *words):
        done = run("bash", "-c", BASH, "bash", str(COMPLETION / "furrow.bash"), COMMAND, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_commands(self):
        self.assertEqual(self.complete(""), {*commands(), "help", "--help", "--version"})
        self.assertEqual(self.complete("so"), {"solve"})

    def test_options(self):
        for command in commands():
            self.assertEqual(self.complete(command, "--"), options(command), command)
        self.assertEqual(self.complete("spy", "--al"), {"--allow-worse", "--allow-trailing"})

    def test_what_an_option_takes(self):
        methods = {"rcm", "cm", "rcm-quality", "sloan"}
        self.assertEqual(self.complete("reorder", "--method", ""), methods)
        self.assertEqual(self.complete("reorder", "--method", "=", ""), methods)
        self.assertEqual(self.complete("reorder", "--method", "="), methods)
        self.assertEqual(self.complete("solve", "--reorder", ""), methods | {"none", "auto"})
        self.assertEqual(self.complete("convert", "--type", "f"), {"f32", "f64"})
        self.assertEqual(self.complete("info", "--device", "c"), {"cpu", "cuda", "cuda:N"})

    def test_files(self):
        folder = pathlib.Path(__file__).parent
        self.assertIn(__file__, self.complete("info", str(folder / "test_")))
        self.assertIn(__file__, self.complete("solve", "--b", str(folder / "test_")))


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class ZshTest(unittest.TestCase):
    def complete(self, *words):
        done = run("zsh", "-fc", ZSH, "zsh", str(COMPLETION / "_furrow"), COMMAND, *words)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_as_in_bash(self):
        self.assertEqual(self.complete(""), {*commands(), "help"})
        for command in commands():
            self.assertEqual(self.complete(command, "--"), options(command), command)
        methods = {"rcm", "cm", "rcm-quality", "sloan"}
        self.assertEqual(self.complete("reorder", "--method", ""), methods)
        self.assertEqual(self.complete("reorder", "--method="), methods)
        self.assertEqual(self.complete("solve", "--b", ""), {"files"})
        self.assertEqual(self.complete("info", ""), {"files"})


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv[1])
    MANUAL = pathlib.Path(sys.argv[2])
    COMPLETION = pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
