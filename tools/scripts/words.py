#!/usr/bin/env python3
"""Reports sentences that are hard to read: in comments, docstrings and pages. A report, not a gate.

    words.py [--since COMMIT] [PATH...]    all tracked files, or those below the paths

With --since only sentences on lines that changed since COMMIT count. docs/style.md explains the rules.
"""
import argparse
import io
import os
import re
import subprocess
import sys
import textwrap
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
HASH_LIKE = (".sh", ".cmake", "CMakeLists.txt", ".ci/run")
LITERAL_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:[^\'\\\n]|\\[^\'\n]+|\\\')\'|/\*.*?\*/|//[^\n]*', re.S)
MARK = re.compile(r"^\s*(?:/\*+|\*+/|\*|//+|#+)?[!<]? ?|\s*\*+/\s*$")
# A list item, or a row of a table: a term, and its meaning after three spaces.
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+|\s*\S+(?: \S+)*?\s{3,}")
QUOTES = re.compile(r'^\w*"""|"""$')


def joined(text, comments):
    """Yields (first line, lines without marks) for comments, given by line, column and text. A comment that has its
    line to itself continues a comment of the same column in the line before."""
    above = text.split("\n")
    first, at, lines = 0, 0, []
    for row, column, comment in comments:
        alone = not above[row - 1][:column].strip()
        if lines and not (alone and (row, column) == (first + len(lines), at)):
            yield first, lines
            lines = []
        if not lines:
            first, at = row, column
        lines += [MARK.sub("", line) for line in comment.split("\n")]
    if lines:
        yield first, lines


def c_comments(text):
    for found in LITERAL_OR_COMMENT.finditer(text):
        if found[0][0] == "/":
            yield text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start()) - 1, found[0]


def hash_comments(text):
    """Comments of shell scripts and CMake that have their lines to themselves."""
    for row, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*#(?!!)", line):
            yield row, line.index("#"), line


def page_prose(text):
    """Yields a Markdown page without its blocks of code, tables, headings and pictures."""
    code = False
    lines = []
    for line in text.split("\n"):
        code ^= line.lstrip().startswith("```")
        drop = code or line.lstrip().startswith(("```", "|", "#", "!["))
        lines.append("" if drop else line)
    yield 1, lines


def python_prose(text):
    """Yields docstrings and comments."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    yield from joined(text, [(*token.start, token.string) for token in tokens
                             if token.type == tokenize.COMMENT and not token.string.startswith("#!")])
    for token in tokens:
        if token.type == tokenize.STRING and token.string.endswith('"""'):
            head, _, rest = QUOTES.sub("", token.string).partition("\n")
            yield token.start[0], [head, *textwrap.dedent(rest).split("\n")]


def sentences(first, lines):
    """Yields (first line, last line, sentence). A blank line, a list item and a smaller indentation also end a
    sentence. Lines that are indented by four more spaces are code, unless they continue a sentence."""
    words = []
    begin = first
    margin = last = 0
    for number, line in enumerate(lines, first):
        item = ITEM.match(line)
        if words and margin == 0 and words[-1][-1] not in ".:;,)":
            item = None  # a minus sign after a line break
        indent = item.end() if item else len(line) - len(line.lstrip())
        code = not item and indent >= margin + 4 and (not words or words[-1].endswith(":"))
        if words and (item or code or indent < last or not line.strip()):
            yield begin, number - 1, " ".join(words)
            words = []
        if code or not line.strip():
            continue
        if item or indent < margin:
            margin = indent
        last = indent
        for part in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`\"(])", line[indent:].strip()):
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
    """Returns the lines of each file that changed since the commit, for files that still exist below this folder."""
    lines = {}
    path = None
    diff = ["git", "diff", "-U0", "--relative", "--diff-filter=d", "--dst-prefix=b/", commit, "--"]
    for line in subprocess.check_output(diff, text=True).split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif found := re.match(r"@@ .*\+(\d+)(?:,(\d+))? @@", line):
            start = int(found[1])
            lines.setdefault(path, set()).update(range(start, start + int(found[2] or 1)))
    return lines


def prose(path, text):
    if path.endswith(C_LIKE):
        return joined(text, c_comments(text))
    if path.endswith(HASH_LIKE):
        return joined(text, hash_comments(text))
    return page_prose(text) if path.endswith(".md") else python_prose(text)


def main():
    line = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    line.add_argument("--since", metavar="COMMIT")
    line.add_argument("paths", nargs="*")
    given = line.parse_args()
    changed = changed_lines(given.since) if given.since else None
    count = found = 0
    for path in subprocess.check_output(["git", "ls-files", "--"] + given.paths, text=True).split("\n"):
        if not path.endswith(C_LIKE + HASH_LIKE + (".md", ".py")) or not os.path.isfile(path):
            continue
        if changed is not None and path not in changed:
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
