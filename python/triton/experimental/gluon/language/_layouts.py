"""Layouts: which thread holds which element of a tensor, and where in memory an element of a buffer lies.

They are values of the host: compared by value, printed as they are written, and usable as compile-time arguments. Which map each stands for is
decided by the compiler, which knows them under the same names.
"""

from __future__ import annotations

import dataclasses
import math

from ....language.constants import constexpr
from ....language.core import tuple as tl_tuple
from ....runtime.jit import constexpr_function


def _plain(value):
    """Without constexprs, sequences as lists."""
    while isinstance(value, constexpr):
        value = value.value
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, tl_tuple):
        return [_plain(element) for element in value.values]
    return value


def _hashable(value):
    return tuple(_hashable(element) for element in value) if isinstance(value, list) else value


def _text(value):
    """For symbol names: `[4, 1]` -> `4_1`, `[[0, 1], [2, 0]]` -> `0~1_2~0`."""
    if not isinstance(value, list):
        return str(value)
    return "_".join("~".join(map(str, element)) if isinstance(element, list) else str(element) for element in value)


def _is_power_of_two(number):
    return isinstance(number, int) and number > 0 and number & (number - 1) == 0


class _Layout:
    """What all layouts have in common."""

    def __post_init__(self):
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _plain(getattr(self, field.name)))
        self._check()

    def _check(self):
        pass

    def _fields(self):
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def __hash__(self):
        return hash((type(self).__name__, *map(_hashable, self._fields())))

    @property
    def type(self):
        from ....language.composite_types import constexpr_type

        return constexpr_type(self)


class DistributedLayout(_Layout):
    """Of tensors, which lie in the registers of threads."""

    @property
    def rank(self):
        raise NotImplementedError


class SharedLayout(_Layout):
    """Of buffers in shared memory."""


def _layout(cls):
    """A frozen dataclass; `_Layout` says how it hashes."""
    cls.__hash__ = _Layout.__hash__
    return dataclasses.dataclass(frozen=True, eq=True)(cls)


def _check_bases(name, bases, rank):
    for basis in bases:
        assert len(basis) == rank, f"{name} needs {rank} numbers in each basis, got {basis}"


@constexpr_function
def make_cga_layout(ctas_per_cga, cta_split_num, cta_order):
    """The `cga_layout` in which each dimension, in `cta_order`, is split between some CTAs, and the others hold copies."""
    rank = len(cta_order)
    assert len(ctas_per_cga) == len(cta_split_num) == rank, "make_cga_layout needs one number for each dimension"
    bases = []
    for along in cta_order:
        ctas, parts = ctas_per_cga[along], cta_split_num[along]
        assert _is_power_of_two(ctas) and _is_power_of_two(parts) and parts <= ctas, (
            f"{ctas} CTAs cannot share {parts} parts of dimension {along}"
        )
        split = [1 << bit for bit in range(parts.bit_length() - 1)]
        copies = [0] * (ctas.bit_length() - parts.bit_length())
        bases += [[step if dim == along else 0 for dim in range(rank)] for step in split + copies]
    return bases


@_layout
class AutoLayout(DistributedLayout):
    """The layout is inferred from those that the tensor meets."""

    @property
    def rank(self):
        raise ValueError("AutoLayout has no rank")

    def mangle(self):
        return "AL"


@_layout
class CoalescedLayout(DistributedLayout):
    """The layout is inferred from the accesses to memory that the tensor takes part in."""

    @property
    def rank(self):
        raise ValueError("CoalescedLayout has no rank")

    def mangle(self):
        return "CL"


@_layout
class BlockedLayout(DistributedLayout):
    """Each thread holds a block of elements, each warp a block of threads, each CTA a block of warps; `order[0]` is the fastest dimension."""

    size_per_thread: list[int]
    threads_per_warp: list[int]
    warps_per_cta: list[int]
    order: list[int]
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        rank = len(self.size_per_thread)
        for name in ("threads_per_warp", "warps_per_cta", "order"):
            assert len(getattr(self, name)) == rank, f"{name} needs {rank} numbers, got {getattr(self, name)}"
        object.__setattr__(self, "cga_layout", self.cga_layout or [])
        _check_bases("cga_layout", self.cga_layout, rank)

    @property
    def rank(self):
        return len(self.order)

    def mangle(self):
        return f"B{'_'.join(_text(field) for field in self._fields())}B"


@_layout
class SliceLayout(DistributedLayout):
    """What a reduction of `parent` over dimension `dim` leaves, and what `expand_dims` at `dim` takes."""

    dim: int
    parent: DistributedLayout

    def _check(self):
        assert isinstance(self.parent, DistributedLayout), f"parent must be a layout of tensors, got {self.parent}"

    @property
    def rank(self):
        return self.parent.rank - 1

    @property
    def cga_layout(self):
        return [basis[: self.dim] + basis[self.dim + 1 :] for basis in self.parent.cga_layout]

    def mangle(self):
        return f"SL{self.dim}_{self.parent.mangle()}SL"


@_layout
class DistributedLinearLayout(DistributedLayout):
    """The map itself: which coordinates each bit of register, lane, warp and block adds."""

    reg_bases: list[list[int]]
    lane_bases: list[list[int]]
    warp_bases: list[list[int]]
    block_bases: list[list[int]]
    shape: list[int]

    def _check(self):
        for name in ("reg_bases", "lane_bases", "warp_bases", "block_bases"):
            _check_bases(name, getattr(self, name), len(self.shape))

    @property
    def rank(self):
        return len(self.shape)

    @property
    def cga_layout(self):
        return self.block_bases

    def mangle(self):
        return f"DLL{'_'.join(map(str, self._fields()))}DLL"


@_layout
class NVMMADistributedLayout(DistributedLayout):
    """The accumulator of a tensor-core product: version [2, 0] is mma.sync, [3, 0] wgmma."""

    version: list[int]
    warps_per_cta: list[int]
    instr_shape: list[int]
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        object.__setattr__(self, "cga_layout", self.cga_layout or [])
        _check_bases("cga_layout", self.cga_layout, self.rank)

    @property
    def rank(self):
        return len(self.warps_per_cta)

    def mangle(self):
        return f"MMA_{self.version}_{self.warps_per_cta}_{self.instr_shape}_{_text(self.cga_layout)}_MMA"


@_layout
class DotOperandLayout(DistributedLayout):
    """An operand of a product in registers: 0 is the left one, 1 the right."""

    operand_index: int
    parent: DistributedLayout
    k_width: int

    def _check(self):
        assert self.operand_index in (0, 1), f"operand_index must be 0 or 1, got {self.operand_index}"

    @property
    def rank(self):
        return self.parent.rank

    @property
    def cga_layout(self):
        k = self.rank - 1 if self.operand_index == 0 else self.rank - 2
        return [[0 if dim == k else step for dim, step in enumerate(basis)] for basis in self.parent.cga_layout]

    def mangle(self):
        return f"DO{self.operand_index}_{self.parent.mangle()}_{self.k_width}DO"


@_layout
class SwizzledSharedLayout(SharedLayout):
    """Rows whose groups of `vec` elements are permuted by the row."""

    vec: int
    per_phase: int
    max_phase: int
    order: list[int]
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        object.__setattr__(self, "cga_layout", self.cga_layout or [])
        _check_bases("cga_layout", self.cga_layout, len(self.order))

    @property
    def rank(self):
        return len(self.order)

    def mangle(self):
        return f"SSS_{'_'.join(_text(field) for field in self._fields())}_SSS"


@_layout
class NVMMASharedLayout(SharedLayout):
    """What TMA, wgmma and tcgen05 read and write."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list[list[int]] = dataclasses.field(default_factory=list)

    def _check(self):
        assert self.element_bitwidth in (8, 16, 32, 64), f"element_bitwidth may not be {self.element_bitwidth}"
        assert self.swizzle_byte_width in (0, 32, 64, 128), f"swizzle_byte_width may not be {self.swizzle_byte_width}"
        object.__setattr__(self, "cga_layout", self.cga_layout or [])
        _check_bases("cga_layout", self.cga_layout, self.rank)

    @staticmethod
    @constexpr_function
    def get_default_for(block_shape, dtype, transposed=False, fp4_padded=False, cga_layout=None):
        """The widest swizzle that a buffer of this shape takes."""
        bases = cga_layout or []
        rank = len(block_shape)
        shape = [size // _cga_size(bases, dim) for dim, size in enumerate(block_shape)]
        if transposed:
            shape = shape[1:] + shape[:1]
        inner = shape[-1] * (2 if fp4_padded else 1) * dtype.primitive_bitwidth // 8
        swizzle = next((width for width in (128, 64, 32) if inner >= width and inner % width == 0), 0)
        if rank < 2 or math.prod(shape[:-1]) < 8:
            swizzle = 0
        return NVMMASharedLayout(swizzle, dtype.primitive_bitwidth, rank, transposed, fp4_padded, bases)

    def mangle(self):
        fields = (self.swizzle_byte_width, self.element_bitwidth, self.transposed, self.fp4_padded, self.cga_layout)
        return f"NVMMA_{'_'.join(map(_text, fields))}_NVMMA"


def _cga_size(bases, dim):
    """How many CTAs share dimension `dim`."""
    return 1 << sum(1 for basis in bases if basis[dim])


@_layout
class PaddedSharedLayout(SharedLayout):
    """A linear map with gaps: after every `interval` elements, `padding` unused ones."""

    interval_padding_pairs: list[list[int]]
    offset_bases: list[list[int]]
    block_bases: list[list[int]]
    shape: list[int]

    def _check(self):
        pairs = self.interval_padding_pairs
        assert pairs, "PaddedSharedLayout needs at least one pair of interval and padding"
        assert all(len(pair) == 2 for pair in pairs), f"a pair has an interval and a padding, got {pairs}"
        intervals = [pair[0] for pair in pairs]
        assert len(set(intervals)) == len(intervals), f"intervals must differ, got {intervals}"
        assert all(_is_power_of_two(number) for pair in pairs for number in pair), (
            f"intervals and paddings must be powers of two, got {pairs}"
        )
        for name in ("offset_bases", "block_bases"):
            _check_bases(name, getattr(self, name), len(self.shape))

    @staticmethod
    @constexpr_function
    def with_identity_for(interval_padding_pairs, shape, order):
        """The identity over `shape`, `order[0]` fastest, with gaps."""
        assert len(shape) == len(order), f"order {order} does not fit shape {shape}"
        assert all(map(_is_power_of_two, shape)), f"sizes must be powers of two, got {shape}"
        bases = [
            [1 << bit if dim == along else 0 for dim in range(len(shape))]
            for along in order
            for bit in range(shape[along].bit_length() - 1)
        ]
        return PaddedSharedLayout(interval_padding_pairs, bases, [], shape)

    @property
    def rank(self):
        return len(self.shape)

    def mangle(self):
        return f"PaddedShared_{'_'.join(map(str, self._fields()))}_PaddedShared"


@_layout
class SharedLinearLayout(SharedLayout):
    """The map itself: which coordinates each bit of the offset adds."""

    offset_bases: list[list[int]]
    block_bases: list[list[int]] = dataclasses.field(default_factory=list)
    alignment: int = 16

    def _check(self):
        assert self.offset_bases, "SharedLinearLayout needs offset_bases"
        object.__setattr__(self, "block_bases", self.block_bases or [])
        for name in ("offset_bases", "block_bases"):
            _check_bases(name, getattr(self, name), self.rank)
        assert _is_power_of_two(self.alignment), f"alignment must be a power of two, got {self.alignment}"

    @property
    def rank(self):
        return len(self.offset_bases[0])

    @property
    def shape(self):
        return [max([1] + [2 * basis[dim] for basis in self.offset_bases]) for dim in range(self.rank)]

    def mangle(self):
        return f"SharedLinear_{'_'.join(map(str, self._fields()))}_SharedLinear"
