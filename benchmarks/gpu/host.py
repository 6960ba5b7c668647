"""Host time of the `triton` that this process imports, on the current GPU; prints rows as JSON. run.py starts it once for each figure and package.

host.py launch              of a launch
host.py compile KERNEL      one cold compile in this process, stage by stage
host.py start               the first launches of a new process: from the disk cache if an earlier process has filled it
host.py tune                a first call that chooses among 24 configurations of a matmul
"""

import argparse
import itertools
import time

import torch
from rows import say


def loop_of(call, **names):
    """A function that runs the expression so many times, as a program would write it: no lambda and no unpacking in between."""
    text = f"def loop(count):\n    for _ in repeat(None, count):\n        {call}\n"
    scope = {**names, "repeat": itertools.repeat}
    exec(text, scope)
    return scope["loop"]


def host_microseconds(loop, launches=200, rounds=25, is_held=False):
    """Of one call until it returns, the best of several bursts, each short enough for the queue. `is_held`: the GPU waits meanwhile, so it slows nothing down."""
    begin = time.perf_counter()
    while (
        time.perf_counter() - begin < 0.2
    ):  # clocks up, caches and predictors filled: the first case is like the others
        loop(20)
        torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        if is_held:
            torch.cuda._sleep(20_000_000)  # cycles: 10 ms
        begin = time.perf_counter_ns()
        loop(launches)
        times.append((time.perf_counter_ns() - begin) / launches / 1e3)
    torch.cuda.synchronize()
    return min(times)


def sustained_microseconds(loop, launches=10000):
    """Of one call when calls never end: the slower of the host and the GPU decides."""
    loop(launches // 10)
    torch.cuda.synchronize()
    begin = time.perf_counter_ns()
    loop(launches)
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - begin) / launches / 1e3


def say_launch(case, loop, **row):
    say(case=case, unit="us", value=host_microseconds(loop), **row)
    say(case=f"{case}, GPU held", unit="us", value=host_microseconds(loop, is_held=True), **row)
    say(case=f"{case}, sustained", unit="us", value=sustained_microseconds(loop), **row)


def time_bare_launches(name, compiled):
    """What the driver's call costs by itself: no launch is cheaper. Only our package can tell."""
    try:
        from triton._C.libtriton.cuda import time_launches
    except ImportError:
        return
    size = compiled.metadata.argument_bytes + 16 + 8 & ~7
    for handover, how in enumerate(
        ("cuLaunchKernelEx", "cuLaunchKernelEx, one buffer", "cuLaunchKernel", "cuLaunchKernelEx, programmatic")
    ):
        try:
            value = min(time_launches(compiled.function, 128, size, 200, handover) for _ in range(25))
            say(case=f"launch, {name} arguments, bare {how}", unit="us", value=value)
        except RuntimeError as problem:
            say(case=f"launch, {name} arguments, bare {how}", unit="us", value=None, note=str(problem))


def launch():
    from kernels import nineteen_arguments_kernel, seven_arguments_kernel

    x, y, z = (torch.empty(64, device="cuda") for _ in range(3))
    seven = "x, y, z, 1000, 2000, 3000, 128"
    nineteen = "x, y, z, x, y, z, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 128"
    for name, kernel, arguments in (("7", seven_arguments_kernel, seven), ("19", nineteen_arguments_kernel, nineteen)):
        names = {"kernel": kernel, "x": x, "y": y, "z": z, "grid": (1,)}
        say_launch(f"launch, {name} arguments", loop_of(f"kernel[grid]({arguments})", **names))
        turned = arguments.replace("x, y", "y, x", 1)
        value = host_microseconds(loop_of(f"kernel[grid]({arguments}); kernel[grid]({turned})", **names), 100) / 2
        say(case=f"launch, {name} arguments, two kinds in turn", unit="us", value=value)
        time_bare_launches(name, eval(f"kernel[grid]({arguments})", names))
    say_launch("launch, 7 arguments", loop_of("add(x, y, out=z)", add=torch.add, x=x, y=y, z=z), contender="torch")


def compile_once(which):
    """Cold: from the first look at a kernel to code loaded on the device."""
    import kernels
    import triton

    torch.empty(1, device="cuda")  # the context is not the compiler's
    f32 = [torch.empty(4096, device="cuda") for _ in range(3)]
    f16 = [tensor.half() for tensor in f32]
    arguments = {
        "add": (kernels.add_kernel, (*f32, 4096), {"BLOCK": 1024}),
        "softmax": (kernels.softmax_kernel, (*f32[:2], 4096, 4096, 4096), {"BLOCK": 4096, "num_warps": 8}),
        "matmul": (kernels.matmul_kernel, (*f16, *(4096,) * 4, 1, 4096, 1, 4096, 1), {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8}),
        "attention": (kernels.attention_kernel, (*f16, f16[0], 0.1, 4096, 128, 4096), {"BLOCK_M": 128, "BLOCK_N": 64, "HEAD": 128, "CAUSAL": True, "num_warps": 8}),
    }  # fmt: skip
    kernel, positional, options = arguments[which]
    stages = {}

    def listen(*, times, **_):
        stages["front end"] = times.ir_initialization / 1e3
        stages.update((name, microseconds / 1e3) for name, microseconds in times.lowering_stages)
        stages["store"] = times.store_results / 1e3

    triton.knobs.compilation.listener = listen
    begin = time.perf_counter()
    compiled = kernel.warmup(*positional, grid=(1,), **options)
    compiled._init_handles()
    total = (time.perf_counter() - begin) * 1e3
    say(
        case=f"cold compile, {which}",
        unit="ms",
        value=total,
        stages=stages,
        registers=compiled.n_regs,
        spills=compiled.n_spills,
    )


def start():
    torch.empty(1, device="cuda")  # the context is not the compiler's
    x = torch.ones(4096, device="cuda")
    torch.cuda.synchronize()
    begin = time.perf_counter()
    import triton  # noqa: F401

    imported = time.perf_counter()
    from kernels import add_kernel, softmax_kernel

    defined = time.perf_counter()
    add_kernel[(1,)](x, x, x, 1000, BLOCK=1024)
    first = time.perf_counter()
    softmax_kernel[(1,)](x, x, 4096, 4096, 4096, BLOCK=4096)
    second = time.perf_counter()
    torch.cuda.synchronize()
    for case, value in (
        ("import", imported - begin),
        ("first launch", first - defined),
        ("first launch of a second kernel", second - first),
    ):
        say(case=f"warm start, {case}", unit="ms", value=value * 1e3)


def tune():
    import triton
    from kernels import matmul_kernel

    configurations = [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=w, num_stages=s)
        for m, n in ((128, 256), (128, 128), (64, 256), (128, 64))
        for k, s in ((32, 4), (64, 3), (64, 4))
        for w in (4, 8)
    ]
    size = 4096
    a, b, c = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(3))
    tuned = triton.autotune(configs=configurations, key=["M", "N", "K"])(matmul_kernel)
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK_M"]) * triton.cdiv(size, meta["BLOCK_N"]),)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    tuned[grid](a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride())
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    say(
        case=f"tuning, {len(configurations)} configurations",
        unit="s",
        value=seconds,
        configuration=str(tuned.best_config),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["launch", "compile", "start", "tune"])
    parser.add_argument("kernel", nargs="?", help="of a compile")
    given = parser.parse_args()
    if given.what == "compile":
        compile_once(given.kernel)
    else:
        {"launch": launch, "start": start, "tune": tune}[given.what]()


if __name__ == "__main__":
    main()
