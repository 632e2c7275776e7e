#!/usr/bin/env python3
"""run_guide.py GUIDE HOB SDK CMAKE: does in order what a guide tells its reader to do.

GUIDE is a page of Markdown, HOB the program, SDK the folder of hob's CMake package, CMAKE the program
cmake. Of the page's fenced blocks these count, by the words after the fence:

    sh                what the reader types: run by bash in a new folder; the first failure ends the test
    sh skip           not run
    LANGUAGE file=F   the file F, written as it stands
    text output       lines that the last shell block printed, among others
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 300  # of one block
FENCE = re.compile(r"^```")


class GuideError(Exception):
    pass


class Block:
    def __init__(self, line, words):
        self.line = line
        self.language = words[0] if words else ""
        self.marks = words[1:]
        self.text = ""

    def file(self):
        return next((m.removeprefix("file=") for m in self.marks if m.startswith("file=")), None)


def blocks_of(text):
    """The fenced blocks of a page, in order."""
    blocks, current = [], None
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if current is None:
            if FENCE.match(line):
                current = Block(number, line[3:].split())
        elif line.rstrip() == "```":
            blocks.append(current)
            current = None
        else:
            current.text += line
    if current is not None:
        raise GuideError(f"line {current.line}: a fence that nothing closes")
    return blocks


def run_shell(script, folder, environment):
    """What it printed; raises where it fails or takes too long."""
    process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", script], cwd=folder,
                               env=environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children too: they share its group
        process.communicate()
        raise GuideError(f"took more than {TIME_LIMIT_S} s") from None
    if process.returncode != 0:
        raise GuideError(f"failed with exit code {process.returncode}:\n{output}")
    return output


def write_file(folder, name, text):
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise GuideError(f"the file {name} would lie outside of the guide's folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def words(line):
    return " ".join(line.split())


def check_output(expected, output):
    if output is None:
        raise GuideError("output without a shell block before it")
    lines = [words(line) for line in output.splitlines()]
    for line in filter(None, map(words, expected.splitlines())):
        if not any(line in printed for printed in lines):
            raise GuideError(f"the guide promises '{line}'; the commands printed\n{output}")


def follow(text, folder, environment):
    """Does what the page says; the number of blocks that were run, written or compared."""
    output, count = None, 0
    for block in blocks_of(text):
        try:
            if block.language == "sh" and not block.marks:
                output = run_shell(block.text, folder, environment)
            elif block.file():
                write_file(folder, block.file(), block.text)
            elif block.marks == ["output"]:
                check_output(block.text, output)
            elif not block.marks or block.marks == ["skip"]:
                continue
            else:
                raise GuideError(f"no such mark: {' '.join(block.marks)}")
        except GuideError as error:
            raise GuideError(f"line {block.line}: {error}") from None
        count += 1
    return count


def main(guide, hob, sdk, cmake):
    left = {k: v for k, v in os.environ.items()
            if not k.startswith("HOB_") and k != "CMAKE_PREFIX_PATH"}
    programs = [str(pathlib.Path(p).resolve().parent) for p in (hob, cmake)]
    environment = {**left, "PATH": ":".join([*programs, left.get("PATH", "")]), "hob_DIR": sdk}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        try:
            count = follow(pathlib.Path(guide).read_text(), folder, environment)
        except GuideError as error:
            sys.exit(f"{guide}: {error}")
    if count == 0:
        sys.exit(f"{guide}: no block to run was found")
    print(f"{guide}: {count} blocks hold")


if __name__ == "__main__":
    main(*sys.argv[1:])
