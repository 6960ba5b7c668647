"""What devices can do at most, by the figures that their vendors give. Operations are those of products of dense matrices."""

from __future__ import annotations

# Of devices that come in one size: operations of 8 bits per second (A100 80 GB: 312e12 of 16 bits, its narrowest; GeForce RTX 4090).
_CUDA_FLOPS8 = {"80": 2 * 312e12, "89": 330.3e12}
# Of the others: operations of 8 bits that a multiprocessor does in a cycle. Hopper's as NVIDIA states them for an H100 of 114 multiprocessors at 1755 MHz.
_CUDA_FLOPS8_PER_CYCLE = {"90": 1513e12 / (114 * 1755e6), "100": 16384, "103": 16384}
amd_fp8_flops_by_arch = {"gfx90a": 1024, "gfx942": 4096, "gfx950": 8192}
amd_bps_by_arch = {"gfx90a": 3.2e12, "gfx942": 5.3e12, "gfx950": 8.0e12}


def _of_device(flops8):
    return lambda width, **_: flops8 * 8 / width


def _of_multiprocessors(per_cycle):
    return lambda width, num_sms, clock_rate, **_: per_cycle * num_sms * clock_rate * 1e3 * 8 / width


flops_by_device = {
    "CUDA": {arch: _of_device(flops8) for arch, flops8 in _CUDA_FLOPS8.items()}
    | {arch: _of_multiprocessors(per_cycle) for arch, per_cycle in _CUDA_FLOPS8_PER_CYCLE.items()},
    "HIP": {arch: _of_multiprocessors(per_cycle) for arch, per_cycle in amd_fp8_flops_by_arch.items()},
}


def max_flops(device_type, arch, width, num_sms, clock_rate) -> float:
    """Operations per second on numbers of `width` bits; `clock_rate` in kHz."""
    if device_type not in flops_by_device:
        raise ValueError(f"Unsupported device type: {device_type}")
    if str(arch) not in flops_by_device[device_type]:
        raise ValueError(f"Unsupported architecture: {arch}")
    return flops_by_device[device_type][str(arch)](width, num_sms=num_sms, clock_rate=clock_rate)


def max_bps(device_type, arch, bus_width, memory_clock_rate) -> float:
    """Bytes per second; `bus_width` in bits, `memory_clock_rate` in kHz."""
    if device_type == "HIP":
        return amd_bps_by_arch[arch]
    return 2 * bus_width * memory_clock_rate * 1e3 / 8
