#!/usr/bin/env python3
"""Checks the pages. Every link within the repository leads to a file and a heading that exist. No
table has two rows for one file. The README's list of packages equals the list of
tools/packages.sh.

    check_docs.py SOURCE
"""
import pathlib
import re
import sys


def anchor(heading):
    """The name that a heading has in links."""
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
    faults = [fault for page in pages for check in (broken_links, listed_twice) for fault in check(page)]
    faults += missing_packages(source)
    print("\n".join(faults) or f"{len(pages)} pages are sound")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
