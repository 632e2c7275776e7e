#!/usr/bin/env python3
"""check_layers.py [root]: fails on an #include that breaks the order of hob's layers.

    sdk/abi  <-  sdk  <-  plugins            sdk/abi  <-  runtime/host
    runtime:  base <- recipe <- host <- data, memory <- session <- train <- app

A plugin includes neither the runtime nor another plugin, and the runtime includes no plugin. LibTorch,
toml++, Boost.DLL and spdlog stay in the places that the tables below name.
"""

import pathlib
import re
import sys

SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\b\s*(?:<([^>]+)>|"([^"]+)"|(.*))')

# What each part of the runtime may include besides itself. A part inside a folder stands apart from
# it: host/tables, for one, may have LibTorch, and the rest of host may not.
RUNTIME = {
    "base": [],
    "recipe": ["base"],
    "host": ["base", "recipe"],
    "host/tables": ["base", "recipe", "host"],
    "data": ["base", "recipe", "host"],
    "data/torch": ["base", "recipe", "host", "host/tables", "data"],
    "memory": ["base", "recipe", "host", "host/tables"],
    "train/store": ["base", "recipe", "host", "data"],
}
RUNTIME["session"] = [part for part in RUNTIME if part != "train/store"]
RUNTIME["session/verify"] = RUNTIME["session"] + ["session"]
RUNTIME["train"] = list(RUNTIME)
RUNTIME["app"] = list(RUNTIME)

WITH_ABI = {part for part in RUNTIME if part not in ("base", "recipe")}
WITH_TORCH = {"host/tables", "data/torch", "memory", "session", "session/verify", "train"}
TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
IN_ONE_FILE = {"toml++/": "recipe", "boost/dll": "host", "spdlog/": "base"}

STD_C = {
    "assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
}


def part_of(path):
    """The part of the runtime that a path relative to runtime/ belongs to, or None."""
    folders = path.split("/")[:-1]
    for length in range(len(folders), 0, -1):
        part = "/".join(folders[:length])
        if part in RUNTIME:
            return part
    return None


def is_std_cpp(path):
    return "/" not in path and "." not in path


def judge_abi(target, quoted):
    beside_it = quoted and "/" not in target
    if beside_it or (not quoted and (target.startswith("hob/abi/") or target in STD_C)):
        return None
    return "a header of the binary contract includes the standard C library and its like alone"


def judge_sdk(target, quoted, native):
    if quoted:
        return "a header of the SDK includes by <hob/...>"
    if target.startswith(TORCH):
        return None if native else "LibTorch belongs into sdk/include/hob/native/ alone"
    if target.startswith("hob/native/") and not native:
        return "a header of the stable SDK may not need the native one"
    if not (target.startswith("hob/") or is_std_cpp(target) or target in STD_C):
        return "the SDK needs nothing but the standard library (and LibTorch, in hob/native/)"
    return None


def judge_plugin(target, quoted):
    if not quoted:
        return None
    if "/" in target:
        return "a plugin includes the SDK and the files beside it: no runtime, no other plugin"
    return None


def judge_runtime(part, target, quoted):
    if quoted:
        found = part_of(target)
        if found is None:
            return 'the runtime includes its own files rooted in runtime/, as in "base/error.h"'
        if found != part and found not in RUNTIME[part]:
            allowed = ", ".join([part] + RUNTIME[part])
            return f"{found} does not stand below {part}, which may include {allowed}"
        return None
    if target.startswith("hob/"):
        if not target.startswith("hob/abi/"):
            return "the runtime sees the binary contract, <hob/abi/...>, and no more of the SDK"
        if part not in WITH_ABI:
            return f"{part} stands below host and knows nothing of plugins"
    if target.startswith(TORCH) and part not in WITH_TORCH:
        return f"LibTorch is for {', '.join(sorted(WITH_TORCH))}"
    for library, home in IN_ONE_FILE.items():
        if target.startswith(library) and part != home:
            return f"{library} is for one file of runtime/{home}"
    return None


def judge(path, target, quoted):
    """Why the file at path (relative to the root) may not include target, or None."""
    if path.startswith("sdk/include/hob/abi/"):
        return judge_abi(target, quoted)
    if path.startswith("sdk/"):
        return judge_sdk(target, quoted, path.startswith("sdk/include/hob/native/"))
    if path.startswith("plugins/"):
        return judge_plugin(target, quoted)
    part = part_of(path.removeprefix("runtime/"))
    if part is None:
        return f"the file lies in no layer of the runtime ({', '.join(RUNTIME)})"
    return judge_runtime(part, target, quoted)


def includes_of(file):
    """(line number, target, quoted) of each #include; target is None where a macro stands there."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] or match[2], match[2] is not None


def sources_of(root):
    for folder in ("sdk/include", "plugins", "runtime"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES:
                yield file


def check(root):
    """The faults in the tree at root, one text each; and the number of files read."""
    faults = []
    homes = {library: [] for library in IN_ONE_FILE}
    count = 0
    for file in sources_of(root):
        path = file.relative_to(root).as_posix()
        count += 1
        for number, target, quoted in includes_of(file):
            if target is None:
                faults.append(f"{path}:{number}: an #include of a macro cannot be checked: name the file")
                continue
            reason = judge(path, target, quoted)
            if reason:
                faults.append(f"{path}:{number}: includes {target}: {reason}")
            for library, files in homes.items():
                home = f"runtime/{IN_ONE_FILE[library]}/"
                if path.startswith(home) and target.startswith(library) and path not in files:
                    files.append(path)
    for library, files in homes.items():
        if len(files) > 1:
            faults.append(f"{library} stands in {', '.join(files)}: one file of the runtime wraps it")
    return faults, count


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parents[2]
    faults, count = check(root)
    for fault in faults:
        print(fault, file=sys.stderr)
    if count == 0:
        print(f"{root}: no source file of sdk/, plugins/ or runtime/ there", file=sys.stderr)
        return 1
    print(f"{count} files, {len(faults)} includes against the order of the layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
