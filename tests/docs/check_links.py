#!/usr/bin/env python3
"""check_links.py [ROOT]: every file that the documentation names is there.

In README.md, CONTRIBUTING.md and docs/**/*.md: relative links and their #anchors; paths in `backticks`
whose first part is a folder of the repository, with placeholders as in `plugins/<kind>/` and globs tried
as patterns; and bare names of sources, such as `loader.cpp`, which must be some file's.
"""

import pathlib
import re
import sys

FENCED = re.compile(r"^```.*?^```\s*?$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`\s]+)[^`\n]*`(?!`)")  # its first word
PATH = re.compile(r"[\w.<>*@-]+(?:/[\w.<>*@-]*)+")
SOURCE = re.compile(r"\w+\.(?:cpp|cu|h|py)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)
FOLDERS = ("sdk", "runtime", "plugins", "recipes", "tests", "docs", "scripts")


def pages(root):
    named = [root / "README.md", root / "CONTRIBUTING.md"]
    return [page for page in named if page.exists()] + sorted((root / "docs").rglob("*.md"))


def anchors(page):
    """The #names that GitHub gives to a page's headings."""
    text = FENCED.sub("", page.read_text())
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in kept}


def link_fault(root, page, target):
    if re.match(r"[a-z]+:", target):
        return None  # the network is not asked
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(root) or not file.exists():
        return f"links to {target}, and there is no such file"
    if anchor and anchor not in anchors(file):
        return f"links to {target}, and {file.name} has no such heading"
    return None


def exists(root, path):
    pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
    return next(root.glob(pattern), None) is not None


def code_fault(root, names, word):
    if SOURCE.fullmatch(word):
        return None if word in names else f"names `{word}`, and no file is called so"
    is_ours = PATH.fullmatch(word) and word.split("/")[0] in FOLDERS
    return f"names `{word}`, which is not there" if is_ours and not exists(root, word) else None


def faults(root):
    names = {f.name for folder in FOLDERS for f in (root / folder).rglob("*.*")}
    found = []
    for page in pages(root):
        prose = FENCED.sub(lambda block: "\n" * block[0].count("\n"), page.read_text())
        for number, line in enumerate(prose.splitlines(), 1):
            told = [link_fault(root, page, target) for target in LINK.findall(line)]
            told += [code_fault(root, names, word) for word in CODE.findall(line)]
            found += [f"{page.relative_to(root)}:{number}: {t}" for t in told if t]
    return found


def main(root):
    found = faults(root.resolve())
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
