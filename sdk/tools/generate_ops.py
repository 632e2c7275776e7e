#!/usr/bin/env python3
"""Makes sdk/include/hob/ops.h of sdk/operators.txt and the schemas of the LibTorch at hand.

    generate_ops.py           write it
    generate_ops.py --check   fail where it is not what the schemas say

Each function records its operator's schema in the plugin's descriptor when it is used, so that hob
can tell before it loads the plugin whether its LibTorch still offers the operator.
"""

import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Schema type -> (C++ type, how the argument is passed on). Arguments named in ABSENT are not offered:
# they take their defaults.
TYPES = {
    "Tensor": ("TensorRef", "{}"),
    "Optional[Tensor]": ("TensorRef", "{}"),
    "List[Tensor]": ("ListRef", "{}"),
    "int": ("int64_t", "{}"),
    "Optional[int]": ("std::optional<int64_t>", "{}"),
    "float": ("double", "{}"),
    "Optional[float]": ("std::optional<double>", "{}"),
    "bool": ("bool", "{}"),
    "Optional[bool]": ("std::optional<bool>", "{}"),
    "number": ("double", "Argument::scalar({})"),
    "Optional[number]": ("std::optional<double>", "{0} ? Argument::scalar(*{0}) : Argument()"),
    "List[int]": ("Ints", "{}"),
    "Optional[List[int]]": ("std::optional<Ints>", "{}"),
    "str": ("std::string_view", "{}"),
}
ABSENT = {"layout", "device", "pin_memory", "memory_format", "generator"}


def cpp_default(argument, cpp_type):
    if not argument.has_default_value():
        return None
    value = argument.default_value
    if value is None:
        return "{}" if cpp_type == "TensorRef" else "std::nullopt"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "{" + ", ".join(str(v) for v in value) + "}"
    raise SystemExit(f"operators.txt: no C++ default for {argument.name} = {value!r}")


def parameters_of(schema):
    """(C++ type, name, default, passed expression) of each argument, in the schema's order."""
    result = []
    for argument in schema.arguments:
        name = argument.name if argument.name not in ("self",) else "input"
        kind = str(argument.type)
        if name in ABSENT:
            result.append((None, name, None, "Argument()"))
            continue
        if kind == "Optional[int]" and argument.name == "dtype":
            result.append(("std::optional<int32_t>", name, "std::nullopt", f"Argument::dtype({name})"))
            continue
        if kind == "int" and argument.name == "dtype":
            result.append(("int32_t", name, None, f"Argument::dtype({name})"))
            continue
        if kind not in TYPES:
            raise SystemExit(f"operators.txt: {schema.name}: argument '{argument.name}' has the type {kind}")
        cpp_type, passed = TYPES[kind]
        result.append((cpp_type, name, cpp_default(argument, cpp_type), passed.format(name)))
    return result


def result_of(schema):
    """(C++ type, method of Op): operators in place return nothing, their argument is the result."""
    kinds = [str(r.type) for r in schema.returns]
    in_place = schema.name.endswith("_")
    if in_place or not kinds:
        return "void", "run"
    if kinds == ["Tensor"]:
        return "Tensor", "tensor"
    if kinds == ["List[Tensor]"]:
        return "TensorList", "list"
    if kinds == ["Tensor", "Tensor"]:
        return "std::pair<Tensor, Tensor>", "pair"
    raise SystemExit(f"operators.txt: {schema.name} returns {kinds}")


def render_function(function, name, overload):
    schema = torch._C._get_schema(name, overload)
    parameters = parameters_of(schema)
    seen_default = True
    signature = []
    for cpp_type, parameter, default, _ in reversed(parameters):
        if cpp_type is None:
            continue
        seen_default = seen_default and default is not None
        signature.insert(0, f"{cpp_type} {parameter}" + (f" = {default}" if seen_default else ""))
    result, method = result_of(schema)
    passed = ", ".join(f"{expression}" for _, _, _, expression in parameters)
    body = f"static Op op(\"{name}\", \"{overload}\");\n"
    if method == "pair":
        body += f"  hob_value results[2] = {{}};\n  op.call({{{passed}}}, results, 2);\n"
        body += "  return {Tensor(results[0].as.tensor), Tensor(results[1].as.tensor)};\n"
    else:
        body += f"  {'return ' if result != 'void' else ''}op.{method}({{{passed}}});\n"
    # The literal passes through the compiler and then the assembler: quotes are escaped for both.
    text = str(schema).replace('"', '\\\\\\"')
    return (f"// {schema}\ninline {result} {function}({', '.join(signature)}) {{\n"
            f"  HOB_EMIT_NOTE(2, \"{text}\");\n  {body}}}\n\n")


def render():
    out = ["// Generated from sdk/operators.txt by sdk/tools/generate_ops.py: edit the list.\n",
           "// clang-format off\n#pragma once\n\n#include <hob/op.h>\n\n",
           "// Each function calls the operator of LibTorch that stands above it, with its meaning and its\n"
           "// errors; autograd, autocast and devices apply as in LibTorch. Thread: any.\n\n",
           "namespace hob {\n\n"]
    for line in (ROOT / "sdk/operators.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        function, _, operator = line.rpartition("=")
        name, _, overload = operator.strip().partition(".")
        plain = name.split("::")[1].lstrip("_")
        out.append(render_function(function.strip() or plain, name, overload))
    out.append("}  // namespace hob\n")
    return "".join(out)


def main():
    path, text = ROOT / "sdk/include/hob/ops.h", render()
    if "--check" in sys.argv[1:]:
        if not path.exists() or path.read_text() != text:
            sys.exit("sdk/include/hob/ops.h is not what sdk/operators.txt says: run sdk/tools/generate_ops.py")
    else:
        path.write_text(text)


if __name__ == "__main__":
    main()
