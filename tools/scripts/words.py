#!/usr/bin/env python3
"""Reports sentences that are hard to read: in comments, docstrings and pages. A report, not a gate.

    words.py [--since COMMIT] [PATH...]    all tracked files, or those below the paths

With --since only sentences on lines that changed since COMMIT count. docs/style.md explains the rules.
"""
import argparse
import io
import re
import subprocess
import sys
import tokenize

MOST_WORDS = 32
HABITS = {
    "opens without its noun": r"^(Of|What|Where|Whether|Without|The same|That of|Those|As many as)\b",
    "that of, those of": r"\b(that|those|the one|the ones) of\b",
    "so many, as many as": r"\b(so|as) (many|much|often|few)\b",
    "no number or name": r"\b(another one|other ones|the other one|none of them|one of them)\b",
    "a word of this project": r"\b(carried along|is not whole|goes its way|has its turn|does without|is left out of)\b",
}
C_LIKE = (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?:[ \t]*//[^\n]*\n?)+', re.S)


def c_prose(text):
    """Yields (first line, text without its marks) for each comment in C, C++ or CUDA."""
    for found in COMMENT.finditer(text):
        if found[0][0] != '"':
            lines = [re.sub(r"^\s*(//|/\*|\*/|\*)?|\*/\s*$", "", line) for line in found[0].split("\n")]
            yield text.count("\n", 0, found.start()) + 1, lines


def page_prose(text):
    """Yields the paragraphs of a Markdown page, without code and tables."""
    code = False
    lines = []
    for line in text.split("\n"):
        code ^= line.lstrip().startswith("```")
        drop = code or line.startswith("    ") or line.lstrip().startswith(("```", "|", "#", "!["))
        lines.append("" if drop else re.sub(r"^\s*([-*]|\d+\.)\s+", "\n", line))
    yield 1, lines


def python_prose(text):
    """Yields docstrings and comments."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], [token.string.lstrip("# ")]
        elif token.type == tokenize.STRING and token.string.endswith('"""'):
            yield token.start[0], token.string.strip('rf"').split("\n")


def sentences(first, lines):
    """Yields (first line, last line, sentence). A blank line also ends a sentence."""
    words = []
    begin = first
    for number, line in enumerate(lines, first):
        if "\n" in line or not line.strip():
            if words:
                yield begin, number - 1, " ".join(words)
            words = []
        for part in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`\"(])", line.strip()):
            if not words:
                begin = number
            words += re.sub(r"`[^`]*`", "CODE", part).split()
            if re.search(r"[.!?]$", part):
                yield begin, number, " ".join(words)
                words = []
    if words:
        yield begin, first + len(lines) - 1, " ".join(words)


def faults(sentence):
    if len(sentence.split()) > MOST_WORDS:
        yield f"{len(sentence.split())} words"
    for name, pattern in HABITS.items():
        if re.search(pattern, sentence):
            yield name


def changed_lines(commit):
    """Returns the lines of each file that changed since the commit."""
    lines = {}
    path = None
    for line in subprocess.check_output(["git", "diff", "-U0", commit, "--"], text=True).split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif found := re.match(r"@@ .*\+(\d+)(?:,(\d+))? @@", line):
            start = int(found[1])
            lines.setdefault(path, set()).update(range(start, start + int(found[2] or 1)))
    return lines


def prose(path, text):
    if path.endswith(C_LIKE):
        return c_prose(text)
    return page_prose(text) if path.endswith(".md") else python_prose(text)


def main():
    line = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    line.add_argument("--since", metavar="COMMIT")
    line.add_argument("paths", nargs="*")
    given = line.parse_args()
    changed = changed_lines(given.since) if given.since else None
    count = found = 0
    for path in subprocess.check_output(["git", "ls-files", "--"] + given.paths, text=True).split("\n"):
        if not path.endswith(C_LIKE + (".md", ".py")) or (changed is not None and path not in changed):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for start, lines in prose(path, text):
            for begin, end, sentence in sentences(start, lines):
                if len(sentence.split()) < 4 or changed is not None and changed[path].isdisjoint(range(begin, end + 1)):
                    continue
                count += 1
                if why := ", ".join(faults(sentence)):
                    found += 1
                    print(f"{path}:{begin}: {why}\n    {sentence}")
    print(f"{found} of {count} sentences")


if __name__ == "__main__":
    sys.exit(main())
