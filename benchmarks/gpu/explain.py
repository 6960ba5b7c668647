"""What a kernel's loops should cost, by a model of the SM, beside what counters say of it.

    explain.py ROW [--configuration TEXT] [--target 90] [--counters]

ROW: rows of ways.py whose name holds it. Of every innermost loop it says how long one iteration of all warps of an SM keeps each pipe busy, in cycles: the
longest is what bounds the loop, if latency does not. The instructions are those of the machine (nvdisasm; it comes with CUDA and with Triton's wheel).
--target compiles alone, without a GPU. --counters runs the row under ncu: instructions and cycles of each pipe as counted stand beside those of the model, which knows
from the count of all instructions how often the longest loop ran. A pipe whose two figures differ has a wrong constant in PIPES.
"""

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUARTERS = 4  # of an SM: each issues one instruction in a cycle
REGISTERS, SHARED = 65536, 233472  # of an SM of compute capability 9.0
# Cycles that one instruction of a warp keeps a pipe of its quarter busy; the first that matches counts. Tensor cores: m64nNk16 takes N / 2 cycles of all quarters.
PIPES = (
    ("tensor", r"[HIQBD]GMMA\.64x(\d+)", lambda found: int(found[1]) / 2),
    ("tensor", r"[HIQ]MMA\.", lambda found: 6.5),  # mma.sync reaches 0.62 of wgmma's rate
    ("xu", r"MUFU|I2F|F2I|F2F|POPC|FLO|BREV", lambda found: 8),
    ("fma", r"FFMA|FMUL|FADD|HFMA2|HMUL2|HADD2", lambda found: 1),
    ("fma", r"IMAD", lambda found: 2),
    ("alu", r"(?!U)(LOP3|IADD|VIADD|SHF|SEL|FSEL|FMNMX|ISETP|FSETP|PRMT|LEA|IABS|F2FP|VABSDIFF|PLOP3|IMNMX|VIMNMX|MOV|SGXT|BMSK|CS2R)", lambda found: 2),
)  # fmt: skip
# Cycles of the path to shared memory and the first-level cache, which all quarters share: 128 bytes each.
SHARED_PATH = r"(LDS|STS|LDG|STG|LDGSTS|LDL|STL|LDSM|STSM|ATOMS|SHFL|RED|ATOMG)\b"
# A pipe's counters in ncu: instructions.
COUNTERS = {
    "issue": "sm__inst_executed.sum",
    "tensor": "sm__inst_executed_pipe_tensor.sum",
    "xu": "sm__inst_executed_pipe_xu.sum",
    "fma": "sm__inst_executed_pipe_fma.sum",
    "alu": "sm__inst_executed_pipe_alu.sum",
    "shared": "sm__inst_executed_pipe_lsu.sum",
}
OTHERS = {
    "cycles of an SM": "sm__cycles_active.avg",
    "cycles with tensor cores busy": "sm__pipe_tensor_cycles_active.avg",
    "bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "bytes from memory": "dram__bytes_read.sum",
    "bytes to memory": "dram__bytes_write.sum",
    "bytes through the L2 cache": "lts__t_bytes.sum",
}


def shared_cycles(instruction):
    width = re.search(r"\.(128|64)\b", instruction)
    moved = re.search(r"\.(\d)(?:;|\s|$)", instruction) if re.match(r"(LDSM|STSM)", instruction) else None
    return int(width[1]) // 32 if width else int(moved[1]) if moved else 1


def cost(instruction):
    """(pipe, cycles, whether all quarters share it)."""
    instruction = re.sub(r"^@\S+\s+", "", instruction)  # a guard
    for pipe, pattern, cycles in PIPES:
        if found := re.match(pattern, instruction):
            return pipe, cycles(found), False
    if re.match(SHARED_PATH, instruction):
        return "shared", shared_cycles(instruction), True
    return "other", 0, False


def find_disassembler():
    import importlib.util

    spec = importlib.util.find_spec("triton")
    beside = [Path(spec.origin).parent / "backends/nvidia/bin"] if spec else []
    installed = [Path(folder) / "triton/backends/nvidia/bin" for folder in sys.path]
    for folder in (*beside, *installed, Path("/usr/local/cuda/bin")):
        if (folder / "nvdisasm").exists():
            return str(folder / "nvdisasm")
    return shutil.which("nvdisasm")


def disassemble(cubin):
    tool = find_disassembler()
    if not tool:
        sys.exit("explain.py needs nvdisasm: in PATH, in /usr/local/cuda/bin or in an installed Triton")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout
    instructions, labels = [], {}
    for line in text.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(instructions)
        elif found := re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?);", line):
            instructions.append(found[1].strip())
    return instructions, labels


def successors(at, instructions, labels):
    """Indices of what may run behind an instruction. `(guard) BRA` falls through as well."""
    guarded, text = re.match(r"(@\S+\s+)?(.*)", instructions[at]).groups()
    jump = re.match(r"BRA.*`\((\.L_x_\d+)\)", text)
    targets = [labels[jump[1]]] if jump and jump[1] in labels else []
    ends = re.match(r"EXIT|BRA|RET", text) and not guarded and not re.match(r"BRA\.DIV|BRA U?P", text)
    return targets if ends else [*targets, at + 1]


def is_reached_without(head, at, instructions, labels):
    """Whether `at` can be reached from the entry on a way that does not lead through `head`: then a jump from there to `head` closes no loop."""
    seen, left = {head}, [0]
    while left:
        here = left.pop()
        if here in seen or here >= len(instructions):
            continue
        if here == at:
            return True
        seen.add(here)
        left += successors(here, instructions, labels)
    return False


def innermost_loops(instructions, labels):
    """(first, end) of loops, in order, of which none meets another: the shortest first. Waits, which are loops of a few instructions, are none; nor are
    the jumps back from waits that ptxas puts behind the code."""
    jumps = ((at, re.search(r"BRA.*`\((\.L_x_\d+)\)", text)) for at, text in enumerate(instructions))
    loops = [(labels[found[1]], at + 1) for at, found in jumps if found and labels.get(found[1], at + 1) <= at - 16]
    chosen = []
    for first, end in sorted(loops, key=lambda loop: loop[1] - loop[0]):
        if all(end <= other[0] or other[1] <= first for other in chosen) and not is_reached_without(first, end - 1, instructions, labels):  # fmt: skip
            chosen.append((first, end))
    return sorted(chosen)


def registers_of(cubin):
    """Of a thread: the largest REGCOUNT among the attributes of functions."""
    return max(
        int.from_bytes(count, "little") for count in re.findall(rb"\x04\x2f\x08\x00.{4}(.{4})", cubin, re.DOTALL)
    )


class Kernel:
    """A compiled kernel: its instructions, and what is resident on an SM."""

    def __init__(self, compiled, warps):
        self.instructions, self.labels = disassemble(compiled.asm["cubin"])
        self.loops = innermost_loops(self.instructions, self.labels)
        self.shared, self.warps = compiled.metadata.shared, warps
        self.registers = registers_of(compiled.asm["cubin"])

    def resident(self):
        by_shared = SHARED // (self.shared + 1024)
        by_registers = REGISTERS // (-(-self.registers // 8) * 8 * 32 * self.warps)
        return max(1, min(by_shared, by_registers, 64 // self.warps))

    def pipes(self, first, end):
        """pipe -> (instructions of a warp, cycles that all resident warps keep it busy)."""
        warps = self.warps * self.resident()
        counts, cycles = Counter({"issue": end - first}), Counter({"issue": (end - first) * warps / QUARTERS})
        for instruction in self.instructions[first:end]:
            pipe, busy, is_shared = cost(instruction)
            counts[pipe] += 1
            cycles[pipe] += busy * warps / (1 if is_shared else QUARTERS)
        return counts, cycles


def show(kernel, name):
    print(
        f"{name}: {kernel.registers} registers, {kernel.shared} bytes of shared memory, {kernel.warps} warps, {kernel.resident()} programs on an SM"
    )
    for first, end in kernel.loops:
        counts, cycles = kernel.pipes(first, end)
        longest = max(cycles, key=cycles.get)
        figures = ", ".join(f"{pipe} {cycles[pipe]:.0f}" for pipe in COUNTERS if cycles[pipe])
        print(f"  loop of {end - first} instructions: bound by {longest}; cycles of an iteration: {figures}")


def count(arguments):
    """metric -> value of the last kernel that this script launches under ncu."""
    command = ["ncu", "--csv", "--metrics", ",".join([*COUNTERS.values(), *OTHERS.values()])]
    text = subprocess.run(
        [*command, sys.executable, __file__, *arguments, "--run"], capture_output=True, text=True
    ).stdout
    lines = [line for line in text.splitlines() if line.startswith('"')]
    found = {row["Metric Name"]: float(row["Metric Value"].replace(",", "")) for row in csv.DictReader(lines)}
    if not found:
        sys.exit("ncu gave no counters: is it installed, and may this user read them?\n" + text[-500:])
    return found


def compare(kernel, counted):
    """Each pipe's instructions as counted and by the model: the longest loop runs as often as the count of all instructions says."""
    loop = max(kernel.loops, key=lambda each: each[1] - each[0], default=(0, len(kernel.instructions)))
    counts, _ = kernel.pipes(*loop)
    times = counted[COUNTERS["issue"]] / counts["issue"]
    print(f"  {'':8} {'model':>14} {'counted':>14}    all code as if it were this loop, run {times:.0f} times by warps")
    for pipe, metric in COUNTERS.items():
        print(f"  {pipe:8} {counts[pipe] * times:14.0f} {counted[metric]:14.0f}")
    for title, metric in OTHERS.items():
        print(f"  {title:32} {counted[metric]:14.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row")
    parser.add_argument("--configuration", default="")
    parser.add_argument("--target", type=int)
    parser.add_argument("--counters", action="store_true")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    import triton  # not before: find_disassembler looks for any
    import ways

    if given.target:
        triton.runtime.driver.set_active(ways.OnlyTarget(given.target))
    device = "cpu" if given.target else "cuda"
    rows = [
        row for make in ways.Rows(device, device == "cpu").tasks().values() for row in make() if given.row in row.name
    ]
    for row in rows:
        for configuration, launches in row.configurations.items():
            if given.configuration not in configuration:
                continue
            compiled = [launch.compile() if given.target else launch.run() for launch in launches]
            if given.run:
                continue
            for launch, each in zip(launches, compiled, strict=True):
                kernel = Kernel(each, launch.options.get("num_warps", 4))
                show(kernel, f"{row.name} {configuration}")
            if given.counters:
                compare(kernel, count([row.name, "--configuration", configuration]))


if __name__ == "__main__":
    main()
