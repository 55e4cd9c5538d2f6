#!/usr/bin/env python3
"""Checks the sentences of the sources: one that numbers a row, a column or an entry of a matrix says
that it counts from 1, as include/furrow/base.h promises. Readers of text name lines of the file.

    check_sentences.py SOURCE
"""
import pathlib
import re
import sys

FOLDERS = ("src", "ranks", "python", "io/common", "tools/solve", "tools/shared", "tools/operate", "cuda")
# String literals side by side, which the compiler joins.
SENTENCE = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
NUMBERED = re.compile(r"\b(row|column|entry) \(?%(lld|d)\b")


def faults(source):
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*.c*")):
            text = path.read_text()
            for found in SENTENCE.finditer(text):
                sentence = re.sub(r'"\s*"', "", found[0])
                if NUMBERED.search(sentence) and "counting from 1" not in sentence:
                    yield f"{path}:{text[:found.start()].count(chr(10)) + 1}: {sentence}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "sentences count from 1")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
