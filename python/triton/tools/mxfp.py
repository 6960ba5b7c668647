"""Microscaling formats on the host: 4-bit floats (e2m1) and their power-of-two scales (e8m0), for making and checking data."""

import torch

# The values of the eight codes without a sign: 1 mantissa bit, 2 exponent bits.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def fp8e8m0_to_float32(scale):
    """Scales of one byte as powers of two: 2^(byte - 127), NaN for 255."""
    codes = scale.view(torch.uint8)
    values = torch.exp2(codes.to(torch.float64) - 127).to(torch.float32)
    return torch.where(codes == 255, torch.full_like(values, float("nan")), values)


class _CodeTensor:
    """Numbers as codes, one per byte in `data`."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("either data or size is needed")
        self.device = device
        self.size = tuple(data.shape) if data is not None else tuple(size) if not isinstance(size, int) else (size,)
        self.data = None if data is None else self._from_float(data.to(device) if device else data)


class MXFP4Tensor(_CodeTensor):
    """Numbers of 4 bits, one code per byte in `data`; bit 3 is the sign."""

    def random(self):
        """Fills it with every code, uniformly."""
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        """The values as torch.float32."""
        assert dtype == torch.float32, f"e2m1 values become float32, not {dtype}"
        magnitudes = torch.tensor(_MAGNITUDES, device=self.data.device)[(self.data & 7).long()]
        return torch.where(self.data & 8 != 0, -magnitudes, magnitudes)

    def _from_float(self, values):
        """Rounds to the nearest code, ties to even; saturates, and takes NaN and infinities for the largest."""
        values = values.to(torch.float32)
        magnitude = torch.nan_to_num(values.abs(), nan=6.0, posinf=6.0).clamp(max=6.0)
        levels = torch.tensor(_MAGNITUDES, device=values.device)
        distance = (magnitude.unsqueeze(-1) - levels).abs()
        # Of two nearest codes the even one is the one with a zero mantissa bit.
        odd = torch.arange(8, device=values.device) & 1
        code = torch.argmin(distance * 16 + odd * 1e-6, dim=-1).to(torch.uint8)
        return code | (torch.signbit(values).to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Two codes per byte along `dim`, the first in the low nibble; an odd length is padded with zero."""
        data = self.data
        assert -data.dim() <= dim < data.dim(), f"there is no dimension {dim} of {data.dim()} to pack along"
        if data.shape[dim] % 2:
            padding = list(data.shape)
            padding[dim] = 1
            data = torch.cat([data, data.new_zeros(padding)], dim)
        low, high = (
            data.index_select(dim, torch.arange(first, data.shape[dim], 2, device=data.device)) for first in (0, 1)
        )
        return low | (high << 4)

    def unpack_packed_tensor(self, packed, dim, original_shape):
        """The codes in a packed tensor, one per byte."""
        pairs = torch.stack([packed & 0xF, packed >> 4], dim=dim % packed.dim() + 1)
        shape = list(packed.shape)
        shape[dim] *= 2
        return pairs.reshape(shape).narrow(dim, 0, original_shape[dim]).contiguous()


class MXScaleTensor(_CodeTensor):
    """Scales 2^(code - 127), one code per byte in `data`; 255 is NaN."""

    def random(self, low=None, high=None):
        """Fills it with scales between `low` and `high`; never NaN."""
        codes = [0 if low is None else self._code(low), 254 if high is None else self._code(high)]
        self.data = torch.randint(codes[0], codes[1] + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _code(value):
        return int(MXScaleTensor(torch.tensor([float(value)])).data[0])

    def to(self, dtype):
        """The values as torch.float32."""
        assert dtype == torch.float32, f"e8m0 values become float32, not {dtype}"
        return fp8e8m0_to_float32(self.data)

    def _from_float(self, values):
        """The power of two at or below; what has none becomes NaN."""
        values = values.to(torch.float32)
        good = (values > 0) & torch.isfinite(values)
        exponent = torch.floor(torch.log2(torch.where(good, values, torch.ones_like(values)).double()))
        code = (exponent + 127).clamp(0, 254).to(torch.uint8)
        return torch.where(good, code, torch.full_like(code, 255))
