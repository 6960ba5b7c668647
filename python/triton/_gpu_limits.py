"""What a GPU could do at best, its clocks, and tests under cuda-memcheck. Users find all of it in `triton.testing`."""

import contextlib
import functools
import os

from ._utils import type_canonicalisation_dict
from .runtime.driver import driver as config


def nvsmi(attrs):
    """What `nvidia-smi --query-gpu` says about the GPUs: one integer per attribute and GPU."""
    import subprocess

    query = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"]
    return [
        int(field) for field in subprocess.check_output(query, text=True).replace("\n", ",").split(",") if field.strip()
    ]


def _gpu_properties(device, wanted):
    driver = config.active
    if driver.get_current_target().backend == "cpu":
        raise RuntimeError(f"{wanted} is known for GPUs only, and the active target is cpu")
    device = driver.get_current_device() if device is None else device
    return driver.utils.get_device_properties(device)


def get_dram_gbps(device=None):
    """Peak memory bandwidth in GB/s."""
    properties = _gpu_properties(device, "peak memory bandwidth")
    return properties["mem_clock_rate"] * properties["mem_bus_width"] * 2 / 1e6 / 8


def _peak_tflops(wanted, dtype, clock_rate, device, per_sub_core):
    import torch

    properties = _gpu_properties(device, wanted)
    sub_cores = properties["multiprocessor_count"] * 4
    major = torch.cuda.get_device_capability(device)[0]
    operations = per_sub_core(major).get(type_canonicalisation_dict.get(str(dtype).split(".")[-1]))
    if operations is None:
        raise RuntimeError("dtype not supported")
    return sub_cores * clock_rate * operations * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Peak of the tensor cores in TFLOPS at `clock_rate` kHz."""

    def per_sub_core(major):
        if major < 8:
            return {"fp16": 256}
        table = {"fp32": 256, "i32": 256, "fp16": 512, "bf16": 512, "i16": 512, "i8": 1024}
        return table | dict.fromkeys(("fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16"), 1024)

    return _peak_tflops("the peak of tensor cores", dtype, clock_rate, device, per_sub_core)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """Peak of the ordinary arithmetic units in TFLOPS at `clock_rate` kHz."""

    def per_sub_core(major):
        return {"fp32": 32, "fp16": 64} | ({"bf16": 64} if major >= 8 else {})

    return _peak_tflops("the peak of arithmetic units", dtype, clock_rate, device, per_sub_core)


def cuda_memcheck(**target_kwargs):
    """Decorates a test: where its arguments include these, it runs once more in a process under cuda-memcheck, which must find nothing."""

    def decorator(test):
        @functools.wraps(test)
        def checked(*args, **kwargs):
            import subprocess

            import psutil

            inside = psutil.Process(os.getppid()).name() == "cuda-memcheck"
            if inside or not target_kwargs.items() <= kwargs.items():
                return test(*args, **kwargs)
            assert "request" in kwargs, "a test under cuda_memcheck takes the fixture `request`"
            path = os.path.realpath(test.__globals__["__file__"])
            name = f"{path}::{test.__name__}[{kwargs['request'].node.callspec.id}]"
            # Memory from torch's pool would hide accesses beyond a tensor.
            environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
            run = subprocess.run(
                ["cuda-memcheck", "pytest", "-vs", name], capture_output=True, text=True, env=environment
            )
            assert run.returncode == 0, f"cuda-memcheck failed:\n{run.stdout}"
            assert "ERROR SUMMARY: 0 errors" in run.stdout, run.stdout
            return None

        return checked

    return decorator


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds the clocks of GPU 0 (MHz) while inside; gives what an A100 reaches at them: (TFLOPS in float16, GB/s)."""
    import subprocess

    def control(*arguments):
        subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])

    try:
        control("-pm", "1")
        control(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        control(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm_clock, memory_clock = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        assert abs(sm_clock - ref_sm_clock) < 10, f"the GPU runs at {sm_clock} MHz, asked for {ref_sm_clock}"
        assert abs(memory_clock - ref_mem_clock) < 10, (
            f"the memory runs at {memory_clock} MHz, asked for {ref_mem_clock}"
        )
        # 108 multiprocessors of 4 sub-cores with 256 fused multiply-adds a cycle; a bus of 640 bytes at double data rate.
        yield 2 * 108 * 4 * 256 * ref_sm_clock * 1e-6, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        control("-pm", "0")
        control("-rgc")
        control("-rmc")
