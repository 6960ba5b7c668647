"""Element types: those of torch, and those that it lacks. Each equals torch's own where there is one."""

from __future__ import annotations

from dataclasses import dataclass

import torch


class _Type:
    def __eq__(self, other):
        if isinstance(other, torch.dtype):
            return _torch_dtypes.get(self) == other
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self).__name__, *vars(self).values()))


@dataclass(frozen=True, eq=False)
class IntegerType(_Type):
    bitwidth: int
    is_signed: bool = True


@dataclass(frozen=True, eq=False)
class FloatType(_Type):
    bitwidth_exponent: int
    bitwidth_mantissa: int
    is_signed: bool
    unsigned_zero: bool = False

    @property
    def bitwidth(self):
        return int(self.is_signed) + self.bitwidth_exponent + self.bitwidth_mantissa


DataType = IntegerType | FloatType

BIT = IntegerType(1, False)
UINT8 = IntegerType(8, False)
INT16 = IntegerType(16)
INT32 = IntegerType(32)
INT64 = IntegerType(64)
FP4 = FloatType(2, 1, True)
FP8_E4M3FN = FloatType(4, 3, True)
FP8_E4M3FNUZ = FloatType(4, 3, True, unsigned_zero=True)
FP8_E5M2 = FloatType(5, 2, True)
BF16 = FloatType(8, 7, True)
FP16 = FloatType(5, 10, True)
FP32 = FloatType(8, 23, True)
FP64 = FloatType(11, 52, True)

# What holds the elements of each: of several for one of torch's, the first is meant by it.
_TORCH_DTYPES = [
    (UINT8, torch.uint8), (FP4, torch.uint8), (BIT, torch.uint32), (INT16, torch.int16), (INT32, torch.int32), (INT64, torch.int64),
    (FP8_E4M3FN, torch.float8_e4m3fn), (FP8_E4M3FNUZ, torch.float8_e4m3fnuz), (FP8_E5M2, torch.float8_e5m2), (BF16, torch.bfloat16),
    (FP16, torch.float16), (FP32, torch.float32), (FP64, torch.float64),
]  # fmt: skip
_torch_dtypes = {ours: theirs for ours, theirs in _TORCH_DTYPES if ours.bitwidth == 8 * theirs.itemsize}


def dtype_to_torch_dtype(dtype):
    """The type of torch in which elements lie: several of them in one, where they are narrower."""
    if isinstance(dtype, torch.dtype):
        return dtype
    for ours, theirs in _TORCH_DTYPES:
        if ours == dtype:
            return theirs
    raise ValueError(f"torch has nothing to hold {dtype}")


def torch_dtype_to_dtype(dtype):
    """The type of ours that a type of torch is."""
    if not isinstance(dtype, torch.dtype):
        return dtype
    for ours, theirs in _TORCH_DTYPES:
        if theirs == dtype and ours.bitwidth == 8 * theirs.itemsize:
            return ours
    raise ValueError(f"{dtype} is no type of tensors here")


def bitwidth(dtype):
    """Bits per element of one of the types above, or of torch's."""
    return dtype.itemsize * 8 if isinstance(dtype, torch.dtype) else dtype.bitwidth
