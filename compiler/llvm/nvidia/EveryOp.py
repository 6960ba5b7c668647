"""Writes a kernel for each elementwise op on each type it takes: the code generator must know them all, and never abort."""

import itertools

INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
FLOATS |= {f"f8{name}": 8 for name in ("E5M2", "E4M3FN", "E4M3FNUZ", "E5M2FNUZ", "E4M3B11FNUZ")}
COMPUTED = [name for name, bits in FLOATS.items() if bits > 8]
LAYOUT = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"

kernels = []


def tensor(element):
    return f"tensor<512x{element}, #blocked>"


def kernel(inputs, outputs, op):
    """One kernel: `op` is text with {0}, {1}, ... for the operands; its results are %y0, %y1, ..."""
    arguments, lines = [], [f"%range = tt.make_range {{end = 512 : i32, start = 0 : i32}} : {tensor('i32')}"]

    def pointers(name, element):
        arguments.append(f"%{name}: !tt.ptr<{element}> {{tt.divisibility = 16 : i32}}")
        kind = tensor(f"!tt.ptr<{element}>")
        lines.append(f"%{name}_base = tt.splat %{name} : !tt.ptr<{element}> -> {kind}")
        lines.append(f"%{name}_at = tt.addptr %{name}_base, %range : {kind}, {tensor('i32')}")
        return f"%{name}_at", kind

    for index, element in enumerate(inputs):
        place, kind = pointers(f"in{index}", element)
        lines.append(f"%x{index} = tt.load {place} : {kind}")
    results = ", ".join(f"%y{index}" for index in range(len(outputs)))
    lines.append(f"{results} = " + op.format(*[f"%x{index}" for index in range(len(inputs))]))
    for index, element in enumerate(outputs):
        place, kind = pointers(f"out{index}", element)
        lines.append(f"tt.store {place}, %y{index} : {kind}")
    body = "\n    ".join(lines)
    kernels.append(f"  tt.func public @k{len(kernels)}({', '.join(arguments)}) {{\n    {body}\n    tt.return\n  }}")


def integers():
    for t in INTEGERS:
        kind, bits = tensor(t), int(t[1:])
        for op in "addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi shrui".split():
            kernel([t, t], [t], f"arith.{op} {{0}}, {{1}} : {kind}")
        for op in "maxsi minsi maxui minui".split():
            kernel([t, t], [t], f"arith.{op} {{0}}, {{1}} : {kind}")
        for predicate in "eq ne slt sle sgt sge ult ule ugt uge".split():
            kernel([t, t], ["i1"], f"arith.cmpi {predicate}, {{0}}, {{1}} : {kind}")
        kernel(["i1", t, t], [t], f"arith.select {{0}}, {{1}}, {{2}} : {tensor('i1')}, {kind}")
        for op in "absi ctpop ctlz cttz".split():
            kernel([t], [t], f"math.{op} {{0}} : {kind}")
        kernel([t, t], [t], f"math.ipowi {{0}}, {{1}} : {kind}")
        kernel([t, t], [t], f"tt.mulhiui {{0}}, {{1}} : {kind}")
        kernel([t, t], [t, t], f"arith.mului_extended {{0}}, {{1}} : {kind}")
        kernel([t, t], [t, t], f"arith.mulsi_extended {{0}}, {{1}} : {kind}")
        kernel([t, t], [t, "i1"], f"arith.addui_extended {{0}}, {{1}} : {kind}, {tensor('i1')}")
        for u in INTEGERS:
            if int(u[1:]) > bits:
                kernel([t], [u], f"arith.extsi {{0}} : {kind} to {tensor(u)}")
                kernel([t], [u], f"arith.extui {{0}} : {kind} to {tensor(u)}")
                kernel([u], [t], f"arith.trunci {{0}} : {tensor(u)} to {kind}")
        for f in COMPUTED:
            for op in ("sitofp", "uitofp"):
                kernel([t], [f], f"arith.{op} {{0}} : {kind} to {tensor(f)}")
            for op in ("fptosi", "fptoui"):
                kernel([f], [t], f"arith.{op} {{0}} : {tensor(f)} to {kind}")


def floats():
    for t in FLOATS:
        kind = tensor(t)
        for op in "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split():
            kernel([t, t], [t], f"arith.{op} {{0}}, {{1}} : {kind}")
        kernel([t], [t], f"arith.negf {{0}} : {kind}")
        for predicate in "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split():
            kernel([t, t], ["i1"], f"arith.cmpf {predicate}, {{0}}, {{1}} : {kind}")
        for op in "absf ceil floor round roundeven trunc exp exp2 sqrt rsqrt".split():
            kernel([t], [t], f"math.{op} {{0}} : {kind}")
        for op in "isfinite isinf isnan".split():
            kernel([t], ["i1"], f"math.{op} {{0}} : {kind}")
        kernel([t, t], [t], f"math.copysign {{0}}, {{1}} : {kind}")
        kernel([t, t, t], [t], f"math.fma {{0}}, {{1}}, {{2}} : {kind}")
        kernel([t, t, t], [t], f"math.clampf {{0}} to [{{1}}, {{2}}] : {kind}")
        for nan in ("none", "all"):
            kernel([t, t, t], [t], f"tt.clampf {{0}}, {{1}}, {{2}}, propagateNan = {nan} : {kind}")
        kernel([t], [t], f"tt.precise_sqrt {{0}} : {kind}")
        kernel([t, t], [t], f"tt.precise_divf {{0}}, {{1}} : {kind}")
    # What libdevice has costs time to link and optimise: once for each width.
    for t in ("f32", "f64"):
        kind = tensor(t)
        names = "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc expm1 log log10 log1p log2 sin sinh tan tanh"
        for op in names.split():
            kernel([t], [t], f"math.{op} {{0}} : {kind}")
        for op in "atan2 powf".split():
            kernel([t, t], [t], f"math.{op} {{0}}, {{1}} : {kind}")
        kernel([t, "i32"], [t], f"math.fpowi {{0}}, {{1}} : {kind}, {tensor('i32')}")
        kernel([t], [t, t], f"math.sincos {{0}} : {kind}")


def conversions():
    for a, b in itertools.permutations(FLOATS, 2):
        if FLOATS[b] < FLOATS[a]:
            for rounding in ("rtne", "rtz"):
                kernel([a], [b], f"tt.fp_to_fp {{0}}, rounding = {rounding} : {tensor(a)} -> {tensor(b)}")
            kernel([a], [b], f"arith.truncf {{0}} : {tensor(a)} to {tensor(b)}")
        elif FLOATS[b] > FLOATS[a]:
            kernel([a], [b], f"tt.fp_to_fp {{0}} : {tensor(a)} -> {tensor(b)}")
            kernel([a], [b], f"arith.extf {{0}} : {tensor(a)} to {tensor(b)}")
    kernel(["i32"], ["f32"], f"tt.bitcast {{0}} : {tensor('i32')} -> {tensor('f32')}")
    kernel(["f16"], ["bf16"], f"arith.bitcast {{0}} : {tensor('f16')} to {tensor('bf16')}")


integers()
floats()
conversions()
attributes = (
    '"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"'
)
text = "\n".join(kernels)
print(f"#blocked = {LAYOUT}\nmodule attributes {{{attributes}}} {{\n{text}\n}}")
