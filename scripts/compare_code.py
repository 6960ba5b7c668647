"""Whether a change of the GPU compiler leaves its code as it was: compiles many kernels to PTX and compares with what another commit made of them.

    compare_code.py save FOLDER      with the build of the one commit: collects kernels into FOLDER/ir, compiles them into FOLDER/ptx
    compare_code.py compare FOLDER   with the build of the other: compiles FOLDER/ir again; what differs goes to FOLDER/new and is listed

The kernels are those that tests and benchmarks launch (tensor IR, or GPU IR of Gluon, for sm_80, sm_90a and sm_100a each) and every module of the IR tests
of `compiler/gpu` and `compiler/llvm/nvidia`. What comes before the GPU passes is not compared: both builds get the same IR. Needs no GPU and runs no ptxas.
"""

import argparse
import collections
import concurrent.futures
import difflib
import hashlib
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURES = {"sm_80": 80, "sm_90a": 90, "sm_100a": 100}
# Tests launch some kernels hundreds of times, with each type and shape.
MOST_OF_A_NAME = 20
# Where the compiler has choices: dots, loops, descriptors, reductions, Gluon.
TESTS = """language/test_dot.py language/test_dot_types.py language/test_microscaled.py language/test_loads_ahead.py language/test_loop_options.py
    language/test_loop_counts.py language/test_descriptors.py language/test_descriptors_made.py language/test_clusters.py language/test_reductions.py
    language/test_movement.py language/test_control_flow.py language/test_tour.py gluon/test_run.py gluon/test_pipelines.py gluon/test_gluon_clusters.py wild
    gpu/test_warp_specialize.py gpu/test_transposed_dots.py gpu/test_softmax_loops.py gpu/test_shared_memory.py gpu/test_descriptor_code.py package/test_tutorials.py""".split()
# Those behind the assignment of layouts, for modules that have layouts already.
LATE_PASSES = """gpu-lower-dots gpu-pipeline-loops gpu-lower-descriptors gpu-order-copies gpu-make-tensor-maps tensor-simplify cse gpu-skip-masks
    gpu-factor-maxima cse gpu-resources""".split()


class Collector:
    """A plugin for pytest: keeps the IR of what is compiled, for every architecture."""

    def __init__(self, folder):
        from triton.compiler.sources import ASTSource, IRSource

        self.folder = folder
        self.kept = collections.Counter()
        for owner in (ASTSource, IRSource):
            self.wrap(owner)

    def wrap(self, owner):
        original = owner.compile_native

        def compile_native(source, options):
            if options.get("target") == "cuda" and source.ext in ("ttir", "ttgir"):
                for architecture in ARCHITECTURES:
                    self.keep(original, source, options, architecture)
            return original(source, options)

        owner.compile_native = compile_native

    def keep(self, compile_native, source, options, architecture):
        from devices import CompileOnlyDriver, target_of

        name = f"{re.sub(r'[^a-zA-Z0-9]', '_', source.name)}.{architecture}"
        self.kept[name] += 1
        if self.kept[name] > MOST_OF_A_NAME:
            return
        named = {"arch": architecture, "code_arch": architecture, "last_stage": source.ext}
        try:
            with CompileOnlyDriver.pretend(target_of(architecture)):
                text = dict(compile_native(source, {**options, **named}).stages)[source.ext]
        except Exception:  # not for this architecture: another test says so
            return
        text = text.decode() if isinstance(text, bytes) else text
        numbers = " ".join(
            f"{name.replace('_', '-')}={options[name]}" for name in ("num_warps", "num_ctas", "num_stages")
        )
        write_ir(self.folder, name, source.ext, f"// {numbers}\n{text}")


def write_ir(folder, name, extension, text):
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    (folder / f"{name}.{digest}.{extension}").write_text(text)


def collect_tests(folder, tests=TESTS):
    import pytest

    sys.path.insert(0, str(ROOT / "test/python"))
    paths = [str(ROOT / "test/python" / path) for path in tests]
    before = set(folder.iterdir())
    os.environ["DISABLE_PTXAS_OPT"] = "1"
    pytest.main(
        ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "--compile-only", "sm_90a", *paths],
        [Collector(folder)],
    )
    if before == set(folder.iterdir()):
        sys.exit("compare_code: none of the tests' kernels was kept")


def collect_benchmarks():
    """The launches of benchmarks/gpu/speed.py, with tensors that have no memory; the collector is in place."""
    import torch
    from torch.overrides import TorchFunctionMode

    class WithoutDevice(TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), keywords=None):
            keywords = dict(keywords or {})
            if keywords.get("device") == "cuda":
                keywords["device"] = "meta"
            return function(*arguments, **keywords)

    sys.path.insert(0, str(ROOT / "benchmarks/gpu"))
    speed = runpy.run_path(str(ROOT / "benchmarks/gpu/speed.py"))["Speed"](False, "")

    def case(name, unit, amount, launches, *rest):
        for launch in launches.values():
            launch()

    speed.case = case
    with WithoutDevice():
        speed.all()
    assert torch.empty(0).device.type == "cpu"


def collect_modules(folder):
    """The modules of the IR tests; those without layouts for every architecture."""
    for path in sorted((ROOT / "compiler").rglob("*.mlir")):
        where = path.relative_to(ROOT / "compiler").as_posix()
        if not where.startswith(("gpu/", "llvm/nvidia/")):
            continue
        for index, text in enumerate(path.read_text().split("// -----")):
            name = f"{where[:-5].replace('/', '_')}_{index}"
            has_layouts = "#ttg" in text or "#ttng" in text
            target = re.search(r'ttg\.target = "cuda:(\d+)"', text)
            for architecture, capability in ARCHITECTURES.items():
                if has_layouts and capability != int(target.group(1) if target else 90):
                    continue
                numbers = "// num-warps=4 num-ctas=1 num-stages=3\n"
                write_ir(folder, f"{name}.{architecture}", "late" if has_layouts else "ttir", numbers + text)


def compile_ir(path, tools):
    """The PTX of one file, or None where it does not compile."""
    architecture = path.name.split(".")[-3]
    first, text = path.read_text().split("\n", 1)
    numbers = first.removeprefix("// ")
    if path.suffix == ".ttir":
        passes = [f"--gpu-pipeline=target=cuda:{ARCHITECTURES[architecture]} {numbers}", "--gpu-resources"]
    elif path.suffix == ".late":
        passes = [f"--{name}" for name in LATE_PASSES]
    else:
        passes = ["--gpu-resources"]
    lowered = subprocess.run([tools / "triton-opt", "-", *passes], input=text, capture_output=True, text=True)
    if lowered.returncode:
        return None
    code = subprocess.run(
        [tools / "triton-ptx", "-", "--arch", architecture], input=lowered.stdout, capture_output=True, text=True
    )
    return None if code.returncode else code.stdout


def compile_all(folder, only, every, jobs, tools):
    paths = [path for path in sorted((folder / "ir").iterdir()) if re.search(only, path.name)][::every]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(paths, pool.map(lambda path: compile_ir(path, tools), paths))


def save(folder, *how):
    for name in ("ir", "ptx"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    if not any((folder / "ir").iterdir()):
        collect_modules(folder / "ir")
        collect_tests(folder / "ir")
        from devices import compile_only_driver, target_of
        from triton.runtime import driver

        driver.set_active(compile_only_driver(target_of("sm_90a")))
        collect_benchmarks()
    count = 0
    for path, code in compile_all(folder, *how):
        if code is not None:
            (folder / "ptx" / f"{path.name}.ptx").write_text(code)
            count += 1
    print(f"{count} kernels saved")
    return 0


def compare(folder, *how):
    same, different = 0, []
    new = folder / "new"
    new.mkdir(exist_ok=True)
    for path, code in compile_all(folder, *how):
        name = f"{path.name}.ptx"
        before = folder / "ptx" / name
        (new / name).unlink(missing_ok=True)
        if not before.exists():
            continue
        if code == before.read_text():
            same += 1
            continue
        different.append(name)
        (new / name).write_text(code or "does not compile\n")
    for name in different:
        texts = [(folder / kind / name).read_text().splitlines() for kind in ("ptx", "new")]
        changes = sum(line[0] in "+-" for line in list(difflib.unified_diff(*texts, n=0))[2:])
        print(f"{changes:6} lines differ: {folder}/{{ptx,new}}/{name}")
    print(f"{same} the same, {len(different)} different")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["save", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only files whose name matches this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--tools",
        type=Path,
        default=Path(os.environ.get("TRITON_BUILD", ROOT / "build")) / "bin",
        help="where triton-opt and triton-ptx are",
    )
    given = parser.parse_args()
    sys.exit(
        {"save": save, "compare": compare}[given.what](
            given.folder.resolve(), given.only, given.every, given.jobs, given.tools
        )
    )


if __name__ == "__main__":
    main()
