"""Prints every example of the op descriptions in the given .td files as one IR file, a module per example.

An example that is not a whole function is put into one; the values it uses without defining them become its arguments.
Fails when an op has no example.
"""

import re
import sys

ARGUMENTS = {
    "base": "!tt.ptr<f32>",
    "n": "i32",
    "x": "f32",
    "pointers": "tensor<128x!tt.ptr<f32>>",
    "offsets": "tensor<128xi32>",
    "mask": "tensor<128xi1>",
    "other": "tensor<128xf32>",
    "block_pointer": "!tt.ptr<tensor<64x32xf32>>",
    "descriptor": "!tt.tensordesc<tensor<64x32xf32>>",
    "row_descriptor": "!tt.tensordesc<tensor<1x64xf32>>",
}


def as_function(name, text):
    if "tt.func" in text:
        return text
    defined = set(re.findall(r"%(\w+)(?:, %\w+)* =", text))
    used = [value for value in ARGUMENTS if re.search(rf"%{value}\b", text) and value not in defined]
    arguments = ", ".join(f"%{value}: {ARGUMENTS[value]}" for value in used)
    return f"tt.func private @{name}({arguments}) {{\n{text}\ntt.return\n}}"


def main(paths):
    modules = []
    for path in paths:
        text = open(path).read()
        for definition in re.finditer(r"^def TT_(\w+Op) : (.*?)^}$", text, re.M | re.S):
            name, body = definition.groups()
            examples = re.findall(r"```mlir\n(.*?)```", body, re.S)
            if not examples and 'description = "See `' not in body:
                sys.exit(f"{path}: {name} has no example")
            modules += [as_function(f"{name}{index}", example) for index, example in enumerate(examples)]
    print("\n// -----\n".join(modules))


main(sys.argv[1:])
