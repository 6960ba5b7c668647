"""What the profiler is doing: programs ask before they do work that only a measurement needs."""

from dataclasses import dataclass


@dataclass
class ProfilerFlags:
    profiling_on: bool = False  # a session is there
    instrumentation_on: bool = False  # one of them is active in which kernels measure themselves
    command_line: bool = False  # the program runs under `proton`, which starts and ends the session


flags = ProfilerFlags()
