"""Layouts: which thread holds which element of a tensor, and where in memory an element of a buffer lies."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

CLASSES: dict[str, type[_Layout]]

class _Layout:
    @property
    def type(self) -> Any: ...
    def mangle(self) -> str: ...

class DistributedLayout(_Layout):
    @property
    def rank(self) -> int: ...

class SharedLayout(_Layout): ...

class AutoLayout(DistributedLayout):
    """The layout is inferred from those that the tensor meets."""

    @property
    def rank(self) -> int: ...

class CoalescedLayout(DistributedLayout):
    """The layout is inferred from the accesses to memory that the tensor takes part in."""

    @property
    def rank(self) -> int: ...

class BlockedLayout(DistributedLayout):
    """Each thread holds a block of elements, each warp a block of threads, each CTA a block of warps; `order[0]` is the fastest dimension."""

    size_per_thread: list[int]
    threads_per_warp: list[int]
    warps_per_cta: list[int]
    order: list[int]
    cga_layout: list[list[int]]
    def __init__(self, size_per_thread: list[int], threads_per_warp: list[int], warps_per_cta: list[int], order: list[int], cga_layout: list[list[int]] = []) -> None: ...
    @property
    def rank(self) -> int: ...

class SliceLayout(DistributedLayout):
    """What a reduction of `parent` over dimension `dim` leaves, and what `expand_dims` at `dim` takes."""

    dim: int
    parent: DistributedLayout
    def __init__(self, dim: int, parent: DistributedLayout) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def cga_layout(self) -> list[list[int]]: ...

class DistributedLinearLayout(DistributedLayout):
    """The map itself: which coordinates each bit of register, lane, warp and block adds."""

    reg_bases: list[list[int]]
    lane_bases: list[list[int]]
    warp_bases: list[list[int]]
    block_bases: list[list[int]]
    shape: list[int]
    def __init__(self, reg_bases: list[list[int]], lane_bases: list[list[int]], warp_bases: list[list[int]], block_bases: list[list[int]], shape: list[int]) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def cga_layout(self) -> list[list[int]]: ...

class NVMMADistributedLayout(DistributedLayout):
    """The accumulator of a tensor-core product: version [2, 0] is mma.sync, [3, 0] wgmma."""

    version: list[int]
    warps_per_cta: list[int]
    instr_shape: list[int]
    cga_layout: list[list[int]]
    def __init__(self, version: list[int], warps_per_cta: list[int], instr_shape: list[int], cga_layout: list[list[int]] = []) -> None: ...
    @property
    def rank(self) -> int: ...

class DotOperandLayout(DistributedLayout):
    """An operand of a product in registers: 0 is the left one, 1 the right."""

    operand_index: int
    parent: DistributedLayout
    k_width: int
    def __init__(self, operand_index: int, parent: DistributedLayout, k_width: int) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def cga_layout(self) -> list[list[int]]: ...

class SwizzledSharedLayout(SharedLayout):
    """Rows whose groups of `vec` elements are permuted by the row."""

    vec: int
    per_phase: int
    max_phase: int
    order: list[int]
    cga_layout: list[list[int]]
    def __init__(self, vec: int, per_phase: int, max_phase: int, order: list[int], cga_layout: list[list[int]] = []) -> None: ...
    @property
    def rank(self) -> int: ...

class NVMMASharedLayout(SharedLayout):
    """What TMA, wgmma and tcgen05 read and write."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int
    transposed: bool
    fp4_padded: bool
    cga_layout: list[list[int]]
    def __init__(self, swizzle_byte_width: int, element_bitwidth: int, rank: int = 2, transposed: bool = False, fp4_padded: bool = False, cga_layout: list[list[int]] = []) -> None: ...
    @staticmethod
    def get_default_for(block_shape: list[int], dtype: Any, transposed: bool = False, fp4_padded: bool = False, cga_layout: list[list[int]] = None) -> NVMMASharedLayout:
        """The widest swizzle that a buffer of this shape takes."""

class PaddedSharedLayout(SharedLayout):
    """A linear map with gaps: after every `interval` elements, `padding` unused ones."""

    interval_padding_pairs: list[list[int]]
    offset_bases: list[list[int]]
    block_bases: list[list[int]]
    shape: list[int]
    def __init__(self, interval_padding_pairs: list[list[int]], offset_bases: list[list[int]], block_bases: list[list[int]], shape: list[int]) -> None: ...
    @property
    def rank(self) -> int: ...
    @staticmethod
    def with_identity_for(interval_padding_pairs: list[list[int]], shape: list[int], order: list[int]) -> PaddedSharedLayout:
        """The identity over `shape`, `order[0]` fastest, with gaps."""

class SharedLinearLayout(SharedLayout):
    """The map itself: which coordinates each bit of the offset adds."""

    offset_bases: list[list[int]]
    block_bases: list[list[int]]
    alignment: int
    def __init__(self, offset_bases: list[list[int]], block_bases: list[list[int]] = [], alignment: int = 16) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def shape(self) -> list[int]: ...

class MBarrierLayout(SwizzledSharedLayout):
    """The layout of mbarriers: one int64 each."""

    vec: int
    per_phase: int
    max_phase: int
    order: list[int]
    cga_layout: list[list[int]]
    def __init__(self, cga_layout: list[list[int]] = None) -> None: ...
    @property
    def rank(self) -> int: ...
    @staticmethod
    def multicta(num_ctas: int, two_cta: bool = False) -> MBarrierLayout:
        """One barrier for each CTA of a cluster; with `two_cta`, for each pair of them."""

class TensorMemoryLayout(_Layout):
    """Blocks of `block` rows and columns; a column of elements takes `col_stride` columns of the memory."""

    block: tuple[int, int]
    col_stride: int
    cta_split_num: tuple[int, int] | None
    two_ctas: bool
    def __init__(self, block: tuple[int, int], col_stride: int, cta_split_num: tuple[int, int] | None = None, two_ctas: bool = False) -> None: ...
    @property
    def rank(self) -> int: ...

class TensorMemoryScalesLayout(_Layout):
    """8-bit scales of blocks, copied for each warp."""

    cta_split_num: tuple[int, int] | None
    def __init__(self, cta_split_num: tuple[int, int] | None = None) -> None: ...
    @property
    def rank(self) -> int: ...

class AMDMFMALayout(DistributedLayout):
    """The accumulator of mfma: version 1 is gfx908, 2 gfx90a, 3 gfx942, 4 gfx950."""

    version: int
    instr_shape: list[int]
    transposed: bool
    warps_per_cta: list[int]
    element_bitwidth: int | None
    tiles_per_warp: list[int] | None
    cga_layout: list[list[int]]
    def __init__(self, version: int, instr_shape: list[int], transposed: bool, warps_per_cta: list[int], element_bitwidth: int | None = None, tiles_per_warp: list[int] | None = None, cga_layout: list[list[int]] = []) -> None: ...
    @property
    def rank(self) -> int: ...

class AMDWMMALayout(DistributedLayout):
    """The accumulator of wmma: version 1 is RDNA3, 2 RDNA4, 3 gfx1250."""

    version: int
    transposed: bool
    warps_per_cta: list[int]
    instr_shape: list[int] | None
    tiles_per_warp: list[int] | None
    cga_layout: list[list[int]]
    def __init__(self, version: int, transposed: bool, warps_per_cta: list[int], instr_shape: list[int] | None = None, tiles_per_warp: list[int] | None = None, cga_layout: list[list[int]] = []) -> None: ...
    @property
    def rank(self) -> int: ...

def make_cga_layout(ctas_per_cga: list[int], cta_split_num: list[int], cta_order: list[int]) -> list:
    """The `cga_layout` in which each dimension, in `cta_order`, is split between some CTAs, and the others hold copies."""

def bases_per_dim(bases: list[list[int]], rank: int, skip_broadcast: bool = True) -> list:
    """How far the bases reach in each dimension: a basis doubles the first dimension that it moves in. One of zeros counts for nothing, or, without `skip_broadcast`, doubles the same dimension as the basis before it."""

def warps_per_cta(layout: DistributedLayout, shape: list[int]) -> list:
    """How many warps lie along each dimension of a tensor of `shape`; their product is the number of warps. Slices and operands answer for their parent."""
