#!/usr/bin/env python3
"""Tests of the manual's pages and of the completion in bash and zsh. Each has all that --help has.
Pages are set without a warning. Completion offers the words that may come next.

    test_manual.py COMMAND MANUAL COMPLETION
"""

import json
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

# Replacements of the functions of zsh's completion system, which print their arguments.
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


def commands(program=None):
    return re.findall(r"^  ([a-z]+) ", run(program or COMMAND, "--help").stdout, re.M)


def options(command, program=None):
    text = run(program or COMMAND, command, "--help").stdout
    return set(re.findall(r"^ +(?:-., )?(--[a-z0-9-]+)", text, re.M))


def programs():
    """Returns the programs that have manual pages, with their names."""
    return {name: pathlib.Path(COMMAND).with_name(name) for name in ("furrow", "furrow-ranks")}


def source(page):
    return (MANUAL / f"{page}.1").read_text().replace("\\-", "-")


class ManualTest(unittest.TestCase):
    def test_every_command_has_its_page(self):
        pages = {f"{name}-{command}.1" for name, program in programs().items()
                 for command in commands(program)}
        self.assertEqual({path.name for path in MANUAL.glob("*")},
                         pages | {f"{name}.1" for name in programs()})

    def test_pages_have_all_options(self):
        for name, program in programs().items():
            for command in commands(program):
                text = source(f"{name}-{command}")
                listed = set(re.findall(r"^\.B (?:-., )?(--[a-z0-9-]+)", text, re.M))
                self.assertEqual(listed, options(command, program), command)
                for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                    self.assertIn(f"\n.SH {part}\n", text, command)
                self.assertIn(f"\n.B {command}\n", source(name))
                self.assertIn(f".BR {name}-{command} (1)", source(name))

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_pages_are_set_without_a_warning(self):
        for page in sorted(MANUAL.glob("*.1")):
            done = run("groff", "-t", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=78n", str(page))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("SYNOPSIS", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 79, page)

    def test_tables_have_the_lists_of_kernels(self):
        report = json.loads(run(COMMAND, "kernels", "--json").stdout)
        text = source("furrow-solve")
        for listed in ("kernels", "methods", "orders", "preconditioners"):
            for entry in report[listed]:
                self.assertIn(f"\n{entry['name']}\tT{{\n{entry['summary']}", text)
        for kind in report["preconditioners"]:
            for option in kind["options"]:
                self.assertRegex(text, rf"\t{option['name']}(=.*)?\tT{{\n{re.escape(option['summary'])}")
        self.assertNotRegex(text, r"\n@| \)\n")


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
