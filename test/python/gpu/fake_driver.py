"""The fake of a GPU's driver library (test/cuda) as tests steer it: what it was asked, its memory, and where it fails."""

import ctypes

import torch


class FakeDriver:
    """A library that knows the vendor's rules and runs nothing."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.fakeCudaTakeLog.restype = ctypes.c_char_p
        self.library.fakeCudaAllocate.restype = ctypes.c_uint64
        self.library.fakeCudaAllocate.argtypes = [ctypes.c_size_t]
        self.library.fakeCudaPin.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

    def log(self):
        """What it was asked since the last time, a line for each call."""
        return self.library.fakeCudaTakeLog().decode().splitlines()

    def fail(self, function, status):
        self.library.fakeCudaFail(function.encode(), status)

    def tensor(self, dtype=torch.float32, bytes=1024):
        return DeviceTensor(self.library.fakeCudaAllocate(bytes), dtype)


class DeviceTensor:
    """A tensor in the fake's memory."""

    def __init__(self, address, dtype):
        self.address, self.dtype = address, dtype

    def data_ptr(self):
        return self.address


def arguments_of(line):
    """The bytes of each argument of a launch, from its line in the log."""
    return [bytes.fromhex(argument) for argument in line.split("args=")[1].split(",")]
