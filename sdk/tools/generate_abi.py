#!/usr/bin/env python3
"""Makes the C headers, the offset asserts, the baseline and the reference page of sdk/spec.toml.

    generate_abi.py           write them
    generate_abi.py --check   fail, naming the file, where one is not what the spec says

The baseline (sdk/abi_baseline.txt) lists the offset of every member that was ever released. A
member may be added at a struct's end; one that moved or went away is refused, whatever the spec
says, for structs of frozen headers and for those fixed for ever.
"""

import pathlib
import re
import sys
import textwrap
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCALARS = {"uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8, "double": 8, "size_t": 8}


class SpecError(Exception):
    pass


def load_spec():
    with open(ROOT / "sdk/spec.toml", "rb") as file:
        return tomllib.load(file)


def member_name(declaration):
    """The name that a C declaration declares: of a function pointer, an array or a plain member."""
    pointer = re.search(r"\(\*(\w+)\)\(", declaration)
    if pointer:
        return pointer.group(1)
    return re.search(r"(\w+)(?:\[\d+\])?$", declaration).group(1)


class Layout:
    """Sizes and offsets as the x86-64 System V ABI lays C structs out."""

    def __init__(self):
        self.types = {name: (size, size) for name, size in SCALARS.items()}
        self.offsets = {}

    def measure(self, declaration):
        if "(*" in declaration or "*" in declaration.split("(")[0]:
            size, align = 8, 8
        else:
            base = re.sub(r"^(const |struct )+", "", declaration).split()[0]
            if base not in self.types:
                raise SpecError(f"'{declaration}' has the type '{base}', which a struct may not hold")
            size, align = self.types[base]
        count = re.search(r"\[(\d+)\]$", declaration)
        return size * (int(count.group(1)) if count else 1), align

    def add_struct(self, name, declarations):
        offset, biggest = 0, 1
        for declaration in declarations:
            size, align = self.measure(declaration)
            offset = -(-offset // align) * align
            self.offsets[f"{name}.{member_name(declaration)}"] = offset
            offset, biggest = offset + size, max(biggest, align)
        self.types[name] = (-(-offset // biggest) * biggest, biggest)

    def add_union(self, name, declarations):
        sizes = [self.measure(declaration) for declaration in declarations]
        self.types[name] = (max(s for s, _ in sizes), max(a for _, a in sizes))


def comment(text, indent=""):
    body = textwrap.wrap(" ".join(text.split()), 96 - len(indent))
    if len(body) == 1:
        return f"{indent}/* {body[0]} */\n"
    return f"{indent}/* " + f"\n{indent} * ".join(body) + " */\n"


def render_member(declaration, tag, doc):
    note = " ".join(part for part in (f"[{tag}]" if tag else "", doc) if part)
    line = f"  {declaration};"
    if not note:
        return line + "\n"
    if "(*" not in declaration and len(line) + len(note) + 7 <= 100:
        return f"{line} /* {note} */\n"
    wrapped = textwrap.fill(line.strip(), 98, initial_indent="  ", subsequent_indent="      ",
                            break_long_words=False)
    return comment(note, "  ") + wrapped + "\n"


def render_header(header, abi):
    name = header["name"]
    out = ["/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */\n"]
    out.append(comment(header["doc"]))
    if "interface" in header:
        out.append(comment(f"Interface \"{header['interface']}\", {header['status']}."))
    guard = f"HOB_ABI_{name.upper()}_H"
    out.append(f"#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n")
    out += [f'#include "{other}.h"\n' for other in header.get("include", [])]
    out.append('\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n')
    if name == "types":
        out.append(f"#define HOB_ABI_MAJOR {abi[0]}\n#define HOB_ABI_MINOR {abi[1]}\n\n")
    if "interface" in header:
        out.append(f"#define HOB_{name.upper()}_INTERFACE \"{header['interface']}\"\n\n")
    for opaque in header.get("opaque", []):
        out.append(comment(opaque["doc"]) + f"typedef struct {opaque['name']} {opaque['name']};\n\n")
    for enum in header.get("enum", []):
        out.append(comment(enum["doc"]) + f"enum {enum['name']} {{\n")
        for value, number, doc in enum["values"]:
            out.append(f"  {value} = {number}," + (f" /* {doc} */" if doc else "") + "\n")
        out.append("};\n\n")
    for union in header.get("union", []):
        out.append(comment(union["doc"]) + f"typedef union {union['name']} {{\n")
        out += [f"  {field};\n" for field in union["fields"]]
        out.append(f"}} {union['name']};\n\n")
    for struct in header.get("struct", []):
        out.append(f"typedef struct {struct['name']} {struct['name']};\n")
        out.append(comment(struct["doc"]) + f"struct {struct['name']} {{\n")
        out += [render_member(*field) for field in struct["fields"]]
        out.append("};\n\n")
    for function in header.get("function", []):
        out.append(comment(f"[{function['tag']}] {function['doc']}"))
        out.append(f"#if defined(__GNUC__)\n__attribute__((visibility(\"default\")))\n#endif\n{function['c']};\n\n")
    out.append("#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "".join(out)


def render_offsets(spec, layout):
    out = ["/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec.\n"
           " * The compiler itself confirms the layout that the spec promises. */\n"]
    out += [f"#include <hob/abi/{header['name']}.h>\n" for header in spec["header"]]
    out.append("\n")
    for member, offset in layout.offsets.items():
        struct, name = member.split(".")
        out.append(f'_Static_assert(offsetof({struct}, {name}) == {offset}, "{member} moved");\n')
    for header in spec["header"]:
        for struct in header.get("struct", []):
            size = layout.types[struct["name"]][0]
            out.append(f'_Static_assert(sizeof({struct["name"]}) == {size}, "{struct["name"]} changed its size");\n')
    return "".join(out)


def render_reference(spec, layout):
    out = ["# The binary contract\n\nGenerated from `sdk/spec.toml`. Tags: `load` while a run is composed, `main` while it goes on,\n"
           "`worker` on a loader's thread, `backward` on a thread of autograd, `any` all of these.\n"]
    for header in spec["header"]:
        title = header.get("interface", header["name"])
        out.append(f"\n## {title}\n\n`#include <hob/abi/{header['name']}.h>`. {header['doc'].strip()}\n")
        if "status" in header:
            out.append(f"\nStatus: {header['status']}.\n")
        for enum in header.get("enum", []):
            out.append(f"\n### {enum['name']}\n\n{enum['doc']}\n\n")
            out += [f"- `{value}` = {number}{': ' + doc if doc else ''}\n" for value, number, doc in enum["values"]]
        for struct in header.get("struct", []):
            out.append(f"\n### {struct['name']}\n\n{struct['doc']}\n\n| offset | member | called | meaning |\n|---|---|---|---|\n")
            for declaration, tag, doc in struct["fields"]:
                offset = layout.offsets[f"{struct['name']}.{member_name(declaration)}"]
                out.append(f"| {offset} | `{declaration}` | {tag} | {doc} |\n")
        for function in header.get("function", []):
            out.append(f"\n`{function['c']}` [{function['tag']}] {function['doc']}\n")
    return "".join(out)


def permanent_structs(spec):
    """Structs whose released members may never move."""
    return {struct["name"] for header in spec["header"] for struct in header.get("struct", [])
            if header.get("status") == "frozen" or "ixed for ever" in struct["doc"]}


def read_baseline():
    path = ROOT / "sdk/abi_baseline.txt"
    if not path.exists():
        return {}
    lines = (line.split() for line in path.read_text().splitlines() if line and line[0] != "#")
    return {member: int(offset) for member, offset in lines}


def check_baseline(spec, layout):
    fixed = permanent_structs(spec)
    for member, offset in read_baseline().items():
        if layout.offsets.get(member) != offset:
            raise SpecError(f"{member} was released at offset {offset} and is now at "
                            f"{layout.offsets.get(member, 'none')}: put new members at the struct's end")
    return "# Offsets of released members: this file only grows.\n" + "".join(
        f"{member} {offset}\n" for member, offset in layout.offsets.items()
        if member.split(".")[0] in fixed)


def main():
    spec, layout = load_spec(), Layout()
    for header in spec["header"]:
        for union in header.get("union", []):
            layout.add_union(union["name"], union["fields"])
        for struct in header.get("struct", []):
            layout.add_struct(struct["name"], [field[0] for field in struct["fields"]])
    files = {f"sdk/include/hob/abi/{header['name']}.h": render_header(header, spec["abi"])
             for header in spec["header"]}
    files["tests/abi/offsets.c"] = render_offsets(spec, layout)
    files["docs/reference/abi.md"] = render_reference(spec, layout)
    files["sdk/abi_baseline.txt"] = check_baseline(spec, layout)
    stale = [path for path, text in files.items()
             if not (ROOT / path).exists() or (ROOT / path).read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is not what sdk/spec.toml says: run sdk/tools/generate_abi.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path])
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SpecError as error:
        sys.exit(f"sdk/spec.toml: {error}")
