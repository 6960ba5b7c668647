"""Runs a representative set of kernels under NVIDIA's compute-sanitizer, on a machine with a GPU; each tool must find nothing.

    python3 scripts/sanitize_gpu.py [--tools memcheck racecheck synccheck initcheck] [--jobs 8] [--limit 240] [--out $OUT]

The set is tests of this project that are small: one of each kind of exchange between threads, of memory access and of tensor-core product.
PyTorch's pool is switched off, so that an access beyond a tensor is one beyond an allocation.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# file -> expression of pytest's -k; each line is a process of its own.
SELECTION = [
    ("language/test_reductions.py", "test_reduce and (shape3 or shape0) and (float32 or int8)"),
    ("language/test_reductions.py", "test_scan or test_reduce_tuple or test_reduce_everything"),
    ("language/test_reductions.py", "test_sort or test_histogram or test_topk"),
    ("language/test_shapes.py", ""),
    ("language/test_memory.py", "test_dot or test_batched_dot"),
    ("language/test_memory.py", "test_atomics or test_spin_lock"),
    (
        "language/test_memory.py",
        "not test_dot and not test_batched_dot and not test_atomics and not test_spin_lock and not test_random",
    ),
    ("language/test_library.py", "not test_rand"),
    ("language/test_control_flow.py", ""),
    ("language/test_functions.py", ""),
    ("wild/test_attention.py", ""),
    ("wild/test_inference.py", ""),
    ("wild/test_training.py", ""),
    ("language/test_descriptors.py", "test_matmul and (float16 or 3)"),
    (
        "gpu/test_warp_specialize.py",
        "True and (test_product or test_persistent_product or test_attention or test_two_loops)",
    ),
    ("language/test_descriptors.py", "test_attention or test_unaligned_coordinates"),
    ("language/test_descriptors_made.py", "not test_updates"),
    ("language/test_dot.py", "test_stages or test_warps"),
    ("language/test_dot_types.py", "test_chains or test_under_conditions or test_of_one_with_itself"),
    ("language/test_clusters.py", ""),
    ("language/test_loop_options.py", "test_products or test_sums_over_loops or test_rows_of_a_persistent_kernel"),
    ("language/test_microscaled.py", "test_loops or test_packed_along_rows_and_columns"),
    ("gpu/test_overlap.py", "test_a_long_program_in_between or test_kernels_that_place_the_wait_themselves"),
    ("gpu/test_shared_memory.py", "test_fewer_rings or test_exchanges or test_operands"),
    ("launch/test_launch.py", "test_add"),
]
# Left out, since the tool reports what is none: where some warps wait at barrier 0 and others meet at barrier 1 before they come there too, racecheck
# (as of CUDA 13) no longer takes barrier 0 to order what lies before and behind it. A few lines of CUDA C++ show it (docs/decisions/0016).
LEFT_OUT = {("racecheck", "gpu/test_warp_specialize.py")}


def run(tool, file, expression, limit):
    command = [
        "compute-sanitizer",
        "--tool",
        tool,
        "--target-processes",
        "all",
        "--error-exitcode",
        "99",
        "--print-limit",
        "5",
    ]
    if tool == "memcheck":
        command += ["--padding", "64"]  # neighbours of an allocation are nobody's
    path = os.path.join(ROOT, "test", "python", file)
    command += [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--device",
        "cuda",
        path,
    ]
    if expression:
        command += ["-k", expression]
    begin = time.time()
    try:
        process = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            env={**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
        )
        text, code = process.stdout + process.stderr, process.returncode
    except subprocess.TimeoutExpired as expired:
        text = (expired.stdout or b"").decode(errors="replace") + (expired.stderr or b"").decode(errors="replace")
        code = None
    errors = sum(int(count) for count in re.findall(r"ERROR SUMMARY: (\d+) error", text))
    errors += sum(int(count) for count in re.findall(r"RACECHECK SUMMARY: (\d+) hazard", text))
    passed = re.search(r"(\d+) passed", text)
    if code is None:
        state = "took too long"
    elif errors or code != 0:
        state = f"{errors} errors, exit code {code}"
    else:
        state = "clean" if passed else "ran no test"
    return {"tool": tool, "name": f"{file} [{expression}]", "state": state, "passed": int(passed[1]) if passed else 0,
            "seconds": time.time() - begin, "text": text}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="+", default=["memcheck", "racecheck"])
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--limit", type=float, default=240, help="seconds of one process")
    parser.add_argument("--only", default="", help="only files whose name holds this")
    parser.add_argument("--out", default="")
    chosen = parser.parse_args()
    if not shutil.which("compute-sanitizer"):
        sys.exit("compute-sanitizer is not on the PATH")
    work = [
        (tool, *entry, chosen.limit)
        for tool in chosen.tools
        for entry in SELECTION
        if chosen.only in entry[0] and (tool, entry[0]) not in LEFT_OUT
    ]
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        results = list(pool.map(lambda item: run(*item), work))
    for result in results:
        print(
            f"{result['tool']:10} {result['state']:28} {result['passed']:5d} tests {result['seconds']:6.0f} s  {result['name']}"
        )
    bad = [result for result in results if result["state"] != "clean"]
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        with open(os.path.join(chosen.out, "sanitizer.txt"), "w") as file:
            for result in bad:
                found = [
                    line
                    for line in result["text"].splitlines()
                    if line.startswith("=========") or "FAILED" in line or line.startswith("E ")
                ]
                file.write(
                    f"===== {result['tool']} {result['name']}: {result['state']}\n" + "\n".join(found[:120]) + "\n\n"
                )
    print(f"{len(results) - len(bad)} of {len(results)} runs clean")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
