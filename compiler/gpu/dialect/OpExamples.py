"""Prints every example of the op descriptions in the given .td files as one IR file, a module per example. Fails when an op has none.

What an example uses without defining it becomes an argument of its function; layouts are those of LAYOUTS, by their name in the example and by the op.
"""

import re
import sys

MATRIX = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
ROW = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
NVMMA = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
FLAT = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>"
LAYOUTS = {
    "blocked": MATRIX,
    "shared": NVMMA,
    "shared1": FLAT,
    "smem": "#ttg.shared_memory",
    "mma": "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>",
    "tmem": "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>",
    "scales": "#ttng.tensor_memory_scales_encoding<>",
    "offsets": "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>",
    "linear": "#ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>",
}
# Where an op wants others, by the op or by the file.
OWN_LAYOUTS = {
    "ConvertLayoutOp": {"blocked": ROW, "blocked1": ROW.replace("[1]", "[4]", 1)},
    "Fp4ToFpOp": {
        "blocked": "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
        "blocked1": "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
    },
    "MemDescSubsliceOp": {"shared": PLAIN},
    "MemDescTransOp": {"shared1": NVMMA.replace("false", "true")},
    "MemDescReshapeOp": {"shared1": NVMMA.replace("elementBitWidth = 16", "elementBitWidth = 16, rank = 3")},
    "MemDescReinterpretOp": {"shared": PLAIN},
    "BarrierOps.td": {"shared": FLAT},
    "ExplicitOps.td": {"shared": PLAIN},
    "ExplicitNvidiaOps.td": {"shared": FLAT},
    "InlineAsmOp": {"blocked": ROW},
    "TCGen5CommitOp": {"shared": FLAT},
    "TMEMCopyOp": {"shared": NVMMA.replace("16}", "32}")},
    "TCGen5MMAScaledOp": {"shared": NVMMA.replace("16}", "8}")},
}
# Of which type an argument is, where the type that the example gives last for it does not tell.
ARGUMENTS = {name: "i32" for name in "n phase x y box one".split()}
ARGUMENTS |= {name: "i1" for name in "pred true useD".split()}
ARGUMENTS |= {name: "!ttg.async.token" for name in "t g".split()}
ARGUMENTS |= {"stride": "i64", "map": "!tt.ptr<i8>", "base": "!tt.ptr<f16>"}


def types_in(text):
    """The types that stand in `text`, outermost only."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        if character == "<":
            if depth == 0:
                start = re.search(r"[!\w.]*$", text[:at]).start()
            depth += 1
        elif character == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                found.append(text[start : at + 1])
    return ["!ttg.memdesc" + type if type.startswith("<") else type for type in found]


def arguments_of(op, text, own):
    """(name, type) of what the example uses and does not define."""
    defined, result = set(), {}
    for line in text.strip().splitlines():
        head, _, tail = line.partition(" : ")
        names = re.findall(r"%(\w+)", head.split(" = ", 1)[-1] if re.match(r"\s*%", head) else head)
        types = types_in(tail)
        defined |= set(re.findall(r"%(\w+):", line))  # arguments of regions
        for name in names:
            if name in defined or name in result:
                continue
            if name in own:
                result[name] = own[name]
            elif name in ARGUMENTS and not (name in "xy" and types and types[0].startswith("tensor<")):
                result[name] = ARGUMENTS[name]
            else:
                known = [result[other] for other in result if result[other] in types]
                left = [type for type in types if type not in known] or types
                result[name] = next(type for type in left if ("1xi64" in type) == (name == "barrier"))
        defined |= set(re.findall(r"%(\w+)", head.split(" = ", 1)[0])) if re.match(r"\s*%[\w, %]+ = ", line) else set()
    return result


# Arguments that no rule finds.
OWN_ARGUMENTS = {
    "AsyncCopyGlobalToLocalOp": {"mask": "tensor<128x64xi1, #blocked>"},
    "WarpGroupDotOp": {"c": "tensor<128x128xf32, #mma>"},
    "TCGen5MMAScaledOp": {
        "a": "!ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>",
        "b": "!ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>",
        "a_scale": "!ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>",
        "b_scale": "!ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>",
    },
    "AsyncTmaGatherOp": {"y": "i32"},
    "AsyncTmaScatterOp": {"y": "i32"},
    "LocalGatherOp": {"b": "!ttg.memdesc<64x32xf32, #shared, #smem, mutable>", "i": "tensor<16x32xi32, #blocked>"},
    "LocalScatterOp": {
        "b": "!ttg.memdesc<64x32xf32, #shared, #smem, mutable>",
        "i": "tensor<16x32xi32, #blocked>",
        "v": "tensor<16x32xf32, #blocked>",
    },
    "LocalAtomicScatterRMWOp": {
        "b": "!ttg.memdesc<64x32xf32, #shared, #smem, mutable>",
        "i": "tensor<16x32xi32, #blocked>",
        "v": "tensor<16x32xf32, #blocked>",
    },
    "CLCIsCanceledOp": {"r": "i128"},
    "CLCGetProgramIdOp": {"r": "i128"},
}


def as_module(op, file, index, text):
    layouts = LAYOUTS | OWN_LAYOUTS.get(file, {}) | OWN_LAYOUTS.get(op, {})
    arguments = arguments_of(op, text, OWN_ARGUMENTS.get(op, {}))
    listed = ", ".join(f"%{name}: {type}" for name, type in arguments.items())
    whole = f"tt.func private @{op}{index}({listed}) {{\n{text}    tt.return\n}}"
    used = [name for name in layouts if re.search(rf"#{name}\b", whole)]
    aliases = "\n".join(f"#{name} = {layouts[name]}" for name in used)
    attributes = '"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"'
    return f"{aliases}\nmodule attributes {{{attributes}}} {{\n{whole}\n}}"


def main(paths):
    modules = []
    for path in paths:
        file = path.rsplit("/", 1)[-1]
        for definition in re.finditer(r"^def TTN?G_(\w+Op) : (.*?)^}$", open(path).read(), re.M | re.S):
            op, body = definition.groups()
            examples = re.findall(r"```mlir\n(.*?)```", body, re.S)
            if not examples and "See `" not in body:
                sys.exit(f"{path}: {op} has no example")
            modules += [as_module(op, file, index, example) for index, example in enumerate(examples)]
    print("\n// -----\n".join(modules))


main(sys.argv[1:])
