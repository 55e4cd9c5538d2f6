#!/usr/bin/env python3
"""Checks the pages. Every link within the repository leads to a file and a heading that exist, and
a label that names a page is the end of its link. No table has two rows for one file. Every file
that a page or a source names with its folder exists. The README's list of packages equals the list
of tools/packages.sh.

    check_docs.py SOURCE
"""
import pathlib
import re
import sys


def anchor(heading):
    """Returns the name of a heading in links."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M)}


def broken_links(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, name = link.partition("#")
        target = page.parent / path if path else page
        if path.startswith("http"):
            continue
        if not target.exists() or name and name not in anchors(target):
            yield f"{page}: {link} leads nowhere"


def wrong_labels(page):
    for label, link in re.findall(r"\[([^\]]+\.md)\]\(([^)]+)\)", page.read_text()):
        path = link.partition("#")[0]
        if label != path and ("/" in label or pathlib.Path(path).name != label):
            yield f"{page}: the label {label} is not {path}"


def missing_files(source, text_file):
    """Yields the named files that do not exist. A name of one letter, such as a.c, stands for any file."""
    named = r"(?<![\w/.<-])(?:src|cuda|io|ranks|include)/[\w/]*\w\w\.(?:c|h|cpp|hpp|cu|cuh|def)\b"
    for name in sorted(set(re.findall(named, text_file.read_text()))):
        if not (source / name).exists():
            yield f"{text_file}: there is no {name}"


def listed_twice(page):
    files = re.findall(r"^\| \[[^\]]*\]\(([^)]+)\) \|", page.read_text(), re.M)
    for file in sorted({file for file in files if files.count(file) > 1}):
        yield f"{page}: {file} has two rows"


def missing_packages(source):
    script = (source / "tools/packages.sh").read_text()
    packages = re.search(r'build_packages="([^"]*)"', script).group(1).split()
    readme = (source / "README.md").read_text()
    recipe = re.search(r"apt-get install ((?:.*\\\n)*.*)", readme).group(1).replace("\\\n", " ").split()
    for package in sorted(set(packages) ^ set(recipe)):
        yield f"README.md and tools/packages.sh differ about the package {package}"


def main():
    source = pathlib.Path(sys.argv[1])
    pages = sorted(source.glob("*.md")) + sorted(source.glob("docs/**/*.md")) + [source / "data/README.md"]
    checks = (broken_links, wrong_labels, listed_twice)
    faults = [fault for page in pages for check in checks for fault in check(page)]
    texts = pages + [
        file
        for folder in ("src", "cuda", "io", "ranks", "include", "python", "tools", "tests")
        for file in sorted((source / folder).rglob("*"))
        if file.suffix in (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh")
    ]
    faults += [fault for text_file in texts for fault in missing_files(source, text_file)]
    faults += missing_packages(source)
    print("\n".join(faults) or f"{len(pages)} pages are sound")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
