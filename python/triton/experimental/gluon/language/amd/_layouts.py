"""Accumulators of AMD's matrix instructions."""

from __future__ import annotations

import dataclasses

from .._layouts import DistributedLayout, _check_bases, _layout, _text


class _MatrixLayout(DistributedLayout):
    """What both families have in common: warps side by side, each with some tiles of an instruction's shape."""

    def _check(self):
        rank = len(self.warps_per_cta)
        object.__setattr__(self, "tiles_per_warp", self.tiles_per_warp or [1] * rank)
        object.__setattr__(self, "cga_layout", self.cga_layout or [])
        assert len(self.instr_shape) == 3, f"instr_shape must follow the (M, N, K) format, got {self.instr_shape}"
        assert len(self.tiles_per_warp) == rank, f"tiles_per_warp needs {rank} numbers, got {self.tiles_per_warp}"
        _check_bases("cga_layout", self.cga_layout, rank)

    @property
    def rank(self):
        return len(self.warps_per_cta)


@_layout
class AMDMFMALayout(_MatrixLayout):
    """The accumulator of mfma: version 1 is gfx908, 2 gfx90a, 3 gfx942, 4 gfx950."""

    version: int
    instr_shape: list[int]
    transposed: bool
    warps_per_cta: list[int]
    element_bitwidth: int | None = None
    tiles_per_warp: list[int] | None = None
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        if self.element_bitwidth is None:
            object.__setattr__(self, "element_bitwidth", 32)
        super()._check()
        assert 1 <= self.version <= 4, f"version must be in the [1, 4] range, got {self.version}"
        assert self.instr_shape[:2] in ([32, 32], [16, 16], [64, 4], [4, 64]), (
            f"invalid intrinsic shape {self.instr_shape}"
        )
        assert self.element_bitwidth in (32, 64), f"element bitwidth must be 32 or 64, got {self.element_bitwidth}"

    def mangle(self):
        return f"MFMA_{'_'.join(_text(field) for field in self._fields())}_MFMA"


@_layout
class AMDWMMALayout(_MatrixLayout):
    """The accumulator of wmma: version 1 is RDNA3, 2 RDNA4, 3 gfx1250."""

    version: int
    transposed: bool
    warps_per_cta: list[int]
    instr_shape: list[int] | None = None
    tiles_per_warp: list[int] | None = None
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        if self.instr_shape is None:
            object.__setattr__(self, "instr_shape", [16, 16, 16])
        super()._check()
        assert 1 <= self.version <= 3, f"version must be in the [1, 3] range, got {self.version}"

    def mangle(self):
        fields = (self.version, self.transposed, self.warps_per_cta, self.tiles_per_warp, self.instr_shape)
        return f"WMMA_{'_'.join(map(_text, (*fields, self.cga_layout)))}_WMMA"
