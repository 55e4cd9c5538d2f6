#!/usr/bin/env python3
"""Checks the sentences that a user can see: errors, and texts such as help, notes and reports.

    check_messages.py [--list] SOURCE

An error is a string in a call of a function that takes the format of an error, or in a `raise` of Python. Every other
string with at least four words is a text. --list prints all of them.
"""
import argparse
import ast
import pathlib
import re
import sys

FOLDERS = ("include", "src", "cuda", "io", "ranks", "python", "tools")
TOKEN = re.compile(r"'(?:[^'\\\n]|\\[^'\n]+|\\')'|/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.S)
PRINTF = re.compile(r"(\w+)\s*\([^;{}()]*\)\s*(?:FUR_PRINTF\(|__attribute__\(\(format)")
MACRO = re.compile(r"#\s*define (\w+)\(((?:.*\\\n)*.*)")
# Names before strings that only the programmer or the assembler reads.
INNER = {"static_assert", "_Static_assert", "asm", "volatile"}
# Functions for errors whose format the compiler does not check, or whose argument is a part of an error.
OTHERS = {"argp_error", "argp_failure", "PetscCheck", "SETERRQ", "refuse", "fur_cg_refuse", "wrong", "tolerate", "note",
          "fur_cursor_unexpected", "fur_decompress_damaged", "error", "type_error", "value_error", "require"}

MAX_CHARACTERS = 200
# The names that an error may begin with, and errors whose text must equal SciPy's.
NAMES = ("Jacobi's", "True or False", "Axes of", "Header line not of length", "The source file does not exist")
# Folders whose errors must count rows and columns from 1. Readers of text name lines instead, and benchmarks use other
# numbers.
COUNTED = ("src", "cuda", "io/common", "ranks", "python", "tools/solve", "tools/shared", "tools/operate")
NUMBERED = re.compile(r"\b(row|column|entry) \(?%(lld|d)\b")
# Words of the glossary's list that also have a correct meaning.
RIGHT = {"apart", "keeps", "says that", "takes", "too", "turn", "where", "whole", "own"}


def c_strings(text):
    """Yields (line, names of the functions that are called, string). The compiler joins strings side by side."""
    blank = TOKEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    strings = []
    for found in TOKEN.finditer(text):
        if found[0][0] != '"':
            continue
        if strings and not blank[strings[-1][1]:found.start()].strip(" \t\n\\"):
            strings[-1][1:] = found.end(), strings[-1][2][:-1] + found[0][1:]
        else:
            strings.append([found.start(), found.end(), found[0]])
    for begin, _, string in strings:
        yield text.count("\n", 0, begin) + 1, callers(blank, begin), string[1:-1]


def callers(blank, at):
    """Returns the names of the functions in whose arguments the offset lies."""
    names = set()
    depth = 0
    while at > 0 and blank[at - 1] not in ";{}":
        at -= 1
        depth += (blank[at] == ")") - (blank[at] == "(")
        if depth < 0:
            depth = 0
            names.add(re.search(r"\w*$", blank[:at].rstrip()[-80:])[0])
    return names


def python_strings(text):
    """Yields (line, whether it is in a raise, string), without docstrings. "%s" stands for a value of an f-string."""
    tree = ast.parse(text)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    raised = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
            parts = [value.value if isinstance(value, ast.Constant) else "%s" for value in node.values]
            yield node.lineno, id(node) in raised, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, id(node) in raised, node.value


def sentences(source, suffixes):
    """Yields (path, line, whether it is an error, sentence)."""
    texts = {path: path.read_text() for folder in FOLDERS for path in sorted((source / folder).rglob("*"))
             if path.suffix in suffixes and (path.suffix != ".py" or folder == "python")}
    names = OTHERS.union(*map(PRINTF.findall, texts.values()))
    names.update(name for text in texts.values() for name, body in MACRO.findall(text)
                 if any(f"{other}(" in body for other in names))
    if not {"fur_env_fail", "fur_context_fail", "command_misuse", "FUR_BINARY_FAIL"} <= names:
        raise LookupError("the declarations of the functions of errors were not found")
    for path, text in texts.items():
        if path.suffix == ".py":
            found = python_strings(text)
        else:
            found = ((line, not called.isdisjoint(names), string) for line, called, string in c_strings(text)
                     if not called & INNER)
        for line, error, string in found:
            if len(re.findall(r"[A-Za-z]{2,}", string)) >= (2 if error else 4):
                yield path, line, error, string


def coinages(source):
    """Yields a pattern for each word that docs/glossary.md replaces."""
    page = (source / "docs/glossary.md").read_text().partition("| do not write |")[2]
    for cell in re.findall(r"^\| ([^|]+) \|", page, re.M):
        for word in re.sub(r" \([^)]*\)", "", cell).split(", "):
            if word not in RIGHT:
                yield word, re.compile(r"\b" + re.escape(word).replace(r"\.\.\.", r"\w+") + r"\b")


def faults(source, words):
    replaced = list(coinages(source))
    for path, line, error, text in sentences(source, words.C_LIKE + (".def", ".py")):
        folder = str(path.relative_to(source))
        why = [fault for part in re.split(r"\\[nv]", text) for _, _, sentence in words.sentences(1, [part])
               for fault in words.faults(sentence)]
        why += [f'"{word}" is in the list of docs/glossary.md' for word, pattern in replaced
                if pattern.search(text.replace("there is no", ""))]
        if folder.startswith(COUNTED) and NUMBERED.search(text) and "counting from 1" not in text:
            why.append("does not say that it counts from 1")
        if error:
            if re.match(r"[A-Z][a-z]+\b", text) and not text.startswith(NAMES):
                why.append("begins with a capital")
            if re.search(r"(\\n|\.)$", text):
                why.append("ends with a full stop or a line break")
            if len(text) > MAX_CHARACTERS:
                why.append(f"has {len(text)} characters")
        if why:
            yield f"{folder}:{line}: {', '.join(why)}\n    {text}"


def main():
    line = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    line.add_argument("--list", action="store_true")
    line.add_argument("source", type=pathlib.Path)
    given = line.parse_args()
    sys.path.insert(0, str(given.source / "tools/scripts"))
    sys.dont_write_bytecode = True
    import words
    if given.list:
        for path, line, error, text in sentences(given.source, words.C_LIKE + (".def", ".py")):
            print(f"{path.relative_to(given.source)}:{line}: {'error' if error else 'text'}: {text}")
        return 0
    found = list(faults(given.source, words))
    print("\n".join(found) or "the messages are sound")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
