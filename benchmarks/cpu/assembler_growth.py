"""How long ptxas takes for kernels that are nothing but loads or stores in a row, with and without predicates: one JSON row each.

usage: python benchmarks/cpu/assembler_growth.py [--ptxas PATH] [--sizes 2000 4000 8000] [--levels 1 3]

The PTX is written here, not by the compiler: what grows is the assembler's own time. `seconds` is processor time, `growth` that of the size before.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile

HEADER = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u64 b, .param .u32 n)
.reqntid 128
{{
  .reg .pred %p<{size}>;
  .reg .b32 %r<{size}>, %s<{size}>, %n, %thread, %value;
  .reg .b64 %a, %b, %offset;
  .reg .pred %mask;
  ld.param.b64 %a, [a];
  ld.param.b64 %b, [b];
  ld.param.b32 %n, [n];
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %offset, %thread, 4;
  add.s64 %a, %a, %offset;
  add.s64 %b, %b, %offset;
  ld.global.b32 %value, [%a];
  setp.lt.s32 %mask, %thread, %n;
  mov.b32 %s0, 0;
"""
FOOTER = """  st.global.b32 [%a], %s{last};
  ret;
}}
"""
KINDS = {
    "stores": "  st.global.b32 [%b+{byte}], %value;\n  mov.b32 %s{next}, %s{i};\n",
    "stores, one predicate": "  @%mask st.global.b32 [%b+{byte}], %value;\n  mov.b32 %s{next}, %s{i};\n",
    "stores, one branch": "{begin}  st.global.b32 [%b+{byte}], %value;\n{end}  mov.b32 %s{next}, %s{i};\n",
    "loads": "  ld.global.b32 %r{i}, [%b+{byte}];\n  add.f32 %s{next}, %s{i}, %r{i};\n",
    "loads, a predicate each": "  setp.gt.s32 %p{i}, %n, {i};\n  mov.b32 %r{i}, 0;\n  @%p{i} ld.global.b32 %r{i}, [%b+{byte}];\n"
    "  add.f32 %s{next}, %s{i}, %r{i};\n",
}  # fmt: skip


def kernel(kind, count):
    """PTX with `count` accesses; of those in a branch, 16 share one."""
    text = HEADER.format(size=count + 1)
    for i in range(count):
        begin = f"  @!%mask bra $L{i};\n" if i % 16 == 0 else ""
        end = f"$L{i - 15}:\n" if i % 16 == 15 else ""
        text += KINDS[kind].format(i=i, next=i + 1, byte=4 * i, begin=begin, end=end)
    return text + FOOTER.format(last=count)


def seconds_for(ptxas, text, level, folder):
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as file:
        file.write(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [ptxas, "--gpu-name=sm_90a", f"-O{level}", path, "-o", os.path.join(folder, "kernel.cubin")]
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000, 8000], help="multiples of 16")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 3])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for level in arguments.levels:
                before = None
                for size in arguments.sizes:
                    seconds = seconds_for(arguments.ptxas, kernel(kind, size), level, folder)
                    row = {"kind": kind, "level": level, "accesses": size, "seconds": round(seconds, 2)}
                    print(json.dumps(row | ({"growth": round(seconds / before, 2)} if before else {})), flush=True)
                    before = seconds


main()
