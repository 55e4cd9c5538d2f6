#!/usr/bin/env python3
"""Runs the examples of pages, and compares their output with the output that the page shows.

    follow.py SOURCE WORK PAGE...

An example is a program in C or Python, or commands of a shell. The next block of the page, which
has no language, is its output. Examples run in a copy of docs/examples with the files of data, and
find `furrow`, `cc` and `pkg-config` in the environment.
"""
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
CHECK = "cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only first.c $(pkg-config --cflags furrow) || exit\n"
COMMANDS = {
    "c": "cc first.c $(pkg-config --cflags --libs furrow) -o first && stdbuf -oL ./first",
    "python": "python3 first.py",
}
# Examples that need the Python package (tests/python/test_docs.py) or a newer Python.
LEFT_OUT = ("import furrow", "from math import fma")
NUMBER = r"[\d.e+-]+"
UNITS = ("us", "ms", "s")
KERNELS = r"\b(?:row_pairs|rows|merge|sell_runs|sell)\b"


def examples(page):
    """Yields the examples of a page as (line, files, commands, output)."""
    text = page.read_text()
    blocks = [(text.count("\n", 0, found.start()) + 1, found[1], found[2]) for found in BLOCK.finditer(text)]
    files = {}
    for (line, language, body), (_, following, output) in zip(blocks, blocks[1:]):
        whole = language != "c" or "int main" in body
        if whole:
            files[{"c": "first.c", "python": "first.py"}.get(language, "commands")] = body
        if language and not following and whole and not any(words in body for words in LEFT_OUT):
            check = CHECK if "first.c" in files else ""
            yield line, dict(files), check + COMMANDS.get(language, body), output


def pattern_of(output):
    """Returns a pattern of the output. It accepts any space between words, any text for "...", any time and kernel."""
    words = output.split()
    patterns = []
    for word, following in zip(words, words[1:] + [""]):
        if word == "...":
            patterns.append(".*?")
        elif word in UNITS:
            patterns.append("(?:us|ms|s)")
        elif following in UNITS:
            patterns.append(NUMBER)
        else:
            patterns.append(re.sub(KERNELS, KERNELS.replace("\\", "\\\\"), re.escape(word)))
    return re.compile(r"\s+".join(patterns), re.S)


def follow(folder, page, line, files, commands, output):
    for name, body in files.items():
        (folder / name).write_text(body)
    printed = subprocess.run(
        ["bash", "-c", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout
    if pattern_of(output).search(printed):
        return []
    return [f"{page}:{line}: the example prints\n{printed}and the page shows\n{output}"]


def main():
    source, work, *pages = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "docs/examples"
    shutil.copytree(source / "docs/examples", folder)
    shutil.copytree(source / "data", work / "data")
    (folder / "data").symlink_to("../../data")
    (folder / "src").symlink_to((source / "src").absolute())
    for matrix in (source / "data").glob("*.mtx"):
        shutil.copy(matrix, folder)
    found = [(page, *example) for page in pages for example in examples(page)]
    faults = [fault for example in found for fault in follow(folder, *example)]
    print("\n".join(faults + [f"{len(found)} examples of {len(pages)} pages, {len(faults)} differ"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
