"""Where the slices of a ragged tensor lie, and which tile of which slice each program of a kernel takes, for every height of tiles."""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from ..target_info import is_hip

_LOG2_SMALLEST = tl.constexpr(4)  # of the heights of tiles


@dataclass
class RaggedTensorMetadata:
    """All int32, for n slices.

    slice_sizes [n] rows; slice_offs [n + 1] where they begin, and their end; block_offs_data [heights, n + 1] the same counted in tiles;
    block_schedule_data [heights, tiles] each tile as (its number in the slice << 16) | slice, -1 behind the last.
    expected_slice_size: how many rows a slice will have, as far as one can tell; slice_sizes_divisibility: what all sizes are multiples of.
    """

    slice_sizes: torch.Tensor
    slice_offs: torch.Tensor
    block_offs_data: torch.Tensor
    block_schedule_data: torch.Tensor
    expected_slice_size: int | None = None
    slice_sizes_divisibility: int | None = None

    def __post_init__(self):
        for name in ("expected_slice_size", "slice_sizes_divisibility"):
            if getattr(self, name) is None:
                del self.__dict__[name]  # the class says so: instances hold tensors, and what is known
        heights = len(self.block_sizes())
        assert self.block_offs_data.shape[0] == heights, f"block_offs_data needs {heights} rows"
        assert self.block_schedule_data.shape[0] == heights, f"block_schedule_data needs {heights} rows"
        for tensor in (self.slice_sizes, self.slice_offs, self.block_offs_data, self.block_schedule_data):
            assert tensor.dtype == torch.int32, f"ragged metadata are int32, not {tensor.dtype}"

    @property
    def n_slices(self):
        return self.slice_sizes.shape[0]

    def block_offs(self, block_size):
        return self.block_offs_data[self.block_sizes().index(block_size)]

    def block_schedule(self, block_size):
        return self.block_schedule_data[self.block_sizes().index(block_size)]

    @staticmethod
    def block_sizes_log2():
        return range(4, 9) if is_hip() else range(4, 8)

    @staticmethod
    def block_sizes():
        return [2**log2 for log2 in RaggedTensorMetadata.block_sizes_log2()]

    @staticmethod
    def n_blocks(n_slices, n_total_rows, block_size):
        """At most so many tiles of `block_size` rows."""
        if n_total_rows <= n_slices:
            return n_total_rows
        return -(-max(n_total_rows - n_slices + 1, 0) // block_size) + n_slices - 1

    @staticmethod
    def max_n_blocks(n_slices, n_total_rows):
        return RaggedTensorMetadata.max_n_tiles(n_slices, n_total_rows)

    @staticmethod
    def max_n_tiles(n_slices, n_rows):
        """At most so many tiles of the smallest height."""
        if n_rows <= n_slices:
            return n_rows
        return n_slices - 1 - ((n_slices - n_rows - 1) // min(RaggedTensorMetadata.block_sizes()))


@triton.jit
def _find_offsets(Sizes, Offsets, BlockOffsets, stride, n, BLOCK: tl.constexpr):
    """Program 0 adds up rows; program 1 + i adds up tiles of the i-th height."""
    pid = tl.program_id(0)
    is_rows = pid == 0
    height = tl.where(is_rows, 1, 1 << (pid - 1 + _LOG2_SMALLEST))
    out = Offsets if is_rows else BlockOffsets + (pid - 1) * stride
    total = tl.zeros((), tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        counts = tl.cdiv(tl.load(Sizes + at, mask=at < n, other=0), height)
        tl.store(out + at, total + tl.cumsum(counts, 0) - counts, mask=at < n)
        total += tl.sum(counts, 0)
    tl.store(out + n, total)


@triton.jit
def _schedule_tiles(
    BlockOffsets, stride_offsets, Schedule, stride_schedule, n, n_tiles, STEPS: tl.constexpr, BLOCK: tl.constexpr
):
    """Each tile looks for its slice: the last one that begins at it or before."""
    offsets = BlockOffsets + tl.program_id(0) * stride_offsets
    tile = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.full((BLOCK,), 0, tl.int32) + n
    for _ in tl.static_range(STEPS):
        middle = (low + high) // 2
        begins_before = (middle < n) & (tl.load(offsets + middle) <= tile)
        is_open = low < high
        low = tl.where(is_open & begins_before, middle + 1, low)
        high = tl.where(is_open & ~begins_before, middle, high)
    slice_id = low - 1
    number = tile - tl.load(offsets + slice_id)
    word = tl.where(tile < tl.load(offsets + n), (number << 16) | slice_id, -1)
    tl.store(Schedule + tl.program_id(0) * stride_schedule + tile, word, mask=tile < n_tiles)


def make_ragged_tensor_metadata(slice_sizes, n_total_rows):
    """The metadata of slices of these sizes, which have at most `n_total_rows` rows together."""
    assert slice_sizes.ndim == 1, f"slice_sizes has one dimension, not {slice_sizes.ndim}"
    sizes = slice_sizes.to(torch.int32)
    n, device = sizes.shape[0], sizes.device
    heights = len(RaggedTensorMetadata.block_sizes())
    n_tiles = RaggedTensorMetadata.max_n_tiles(n, n_total_rows)
    offsets = torch.empty(n + 1, dtype=torch.int32, device=device)
    block_offsets = torch.empty((heights, n + 1), dtype=torch.int32, device=device)
    schedule = torch.empty((heights, n_tiles), dtype=torch.int32, device=device)
    _find_offsets[(1 + heights,)](sizes, offsets, block_offsets, block_offsets.stride(0), n, BLOCK=512)
    if n_tiles:
        block = 128
        _schedule_tiles[(heights, triton.cdiv(n_tiles, block))](
            block_offsets, block_offsets.stride(0), schedule, schedule.stride(0), n, n_tiles,
            STEPS=(n + 1).bit_length(), BLOCK=block,
        )  # fmt: skip
    return RaggedTensorMetadata(sizes, offsets, block_offsets, schedule)


def _offsets_torch(counts):
    zero = torch.zeros(1, dtype=torch.int32, device=counts.device)
    return torch.cat([zero, torch.cumsum(counts, 0, dtype=torch.int32)])


def make_ragged_tensor_metadata_torch(slice_sizes, n_total_rows):
    sizes = slice_sizes.to(torch.int32)
    n, device = sizes.shape[0], sizes.device
    n_tiles = RaggedTensorMetadata.max_n_tiles(n, n_total_rows)
    block_offsets, schedule = [], []
    for height in RaggedTensorMetadata.block_sizes():
        counts = (sizes + height - 1) // height
        block_offsets.append(_offsets_torch(counts))
        owners = torch.repeat_interleave(torch.arange(n, device=device), counts.long())
        numbers = torch.arange(owners.numel(), device=device) - block_offsets[-1][owners]
        row = torch.full((n_tiles,), -1, dtype=torch.int32, device=device)
        row[: owners.numel()] = ((numbers << 16) | owners).to(torch.int32)
        schedule.append(row)
    return RaggedTensorMetadata(sizes, _offsets_torch(sizes), torch.stack(block_offsets), torch.stack(schedule))


@triton.jit
def _keep(In, Out, n_in, n_out, Map, IS_SCHEDULE: tl.constexpr, PUT_COUNT: tl.constexpr, Counts, BLOCK: tl.constexpr):
    """Moves the entries of kept slices to the front, with -1 behind them; the first of those can become a count.

    Entry i of a schedule belongs to the slice in its low half, and gets its new number; entry i of other arrays belongs to slice i.
    """
    kept = tl.zeros((), tl.int32)
    for start in range(0, n_in, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(In + at, mask=at < n_in, other=-1)
        if IS_SCHEDULE:
            is_there = value != -1
            new = tl.load(Map + (value & 0xFFFF), mask=is_there, other=-1)
            value = (value & -65536) | (new & 0xFFFF)
        else:
            new = tl.load(Map + at, mask=at < n_in, other=-1)
        keeps = (new != -1) & (at < n_in)
        position = kept + tl.cumsum(keeps.to(tl.int32), 0) - 1
        tl.store(Out + position, value, mask=keeps)
        kept += tl.sum(keeps.to(tl.int32), 0)
    if IS_SCHEDULE:
        tl.store(Counts, kept)
    for start in range(0, n_out, BLOCK):
        at = start + tl.arange(0, BLOCK)
        rest = tl.full((BLOCK,), -1, tl.int32)
        if PUT_COUNT:
            rest = tl.where(at == kept, tl.load(Counts), rest)
        tl.store(Out + at, rest, mask=(at >= kept) & (at < n_out))


@triton.jit
def _remap_schedules(In, Out, stride_in, stride_out, n_tiles, Map, Counts, BLOCK: tl.constexpr):
    height = tl.program_id(0)
    _keep(
        In + height * stride_in, Out + height * stride_out, n_tiles, n_tiles, Map, True, False, Counts + height, BLOCK
    )


@triton.jit
def _remap_slices(
    Sizes, Offsets, BlockOffsets, stride, NewSizes, NewOffsets, NewBlockOffsets, new_stride, n, Map, Counts,
    BLOCK: tl.constexpr
):  # fmt: skip
    pid = tl.program_id(0)
    if pid == 0:
        _keep(Sizes, NewSizes, n, n, Map, False, False, Counts, BLOCK)
    elif pid == 1:
        _keep(Offsets, NewOffsets, n, n + 1, Map, False, False, Counts, BLOCK)
    else:
        old = BlockOffsets + (pid - 2) * stride
        new = NewBlockOffsets + (pid - 2) * new_stride
        _keep(old, new, n, n + 1, Map, False, True, Counts + pid - 2, BLOCK)


def remap_ragged_tensor_metadata(ragged_tensor_metadata, slice_map):
    """The metadata of some of the slices, whose rows stay where they are: `slice_map` has the new number of each, or -1."""
    meta = ragged_tensor_metadata
    assert slice_map.numel() == meta.n_slices, f"slice_map needs {meta.n_slices} entries, not {slice_map.numel()}"
    slice_map = slice_map.to(torch.int32).contiguous()
    heights, n_tiles = meta.block_schedule_data.shape
    sizes, offsets = torch.empty_like(meta.slice_sizes), torch.empty_like(meta.slice_offs)
    block_offsets, schedule = torch.empty_like(meta.block_offs_data), torch.empty_like(meta.block_schedule_data)
    counts = torch.empty(heights, dtype=torch.int32, device=sizes.device)
    _remap_schedules[(heights,)](
        meta.block_schedule_data, schedule, meta.block_schedule_data.stride(0), schedule.stride(0), n_tiles,
        slice_map, counts, BLOCK=512,
    )  # fmt: skip
    _remap_slices[(2 + heights,)](
        meta.slice_sizes, meta.slice_offs, meta.block_offs_data, meta.block_offs_data.stride(0),
        sizes, offsets, block_offsets, block_offsets.stride(0), meta.n_slices, slice_map, counts, BLOCK=512,
    )  # fmt: skip
    return RaggedTensorMetadata(sizes, offsets, block_offsets, schedule)


def remap_ragged_tensor_metadata_torch(ragged_tensor_metadata, slice_map):
    meta, slice_map = ragged_tensor_metadata, slice_map.to(torch.int32).reshape(-1)

    def compact(values, keeps):
        out = torch.full_like(values, -1)
        chosen = values[: keeps.numel()][keeps]
        out[: chosen.numel()] = chosen
        return out

    keeps = slice_map != -1
    block_offsets, schedule = [], []
    for offsets, tiles in zip(meta.block_offs_data, meta.block_schedule_data):
        new = torch.where(tiles == -1, -1, slice_map[(tiles & 0xFFFF).long().clamp(max=slice_map.numel() - 1)])
        mapped = torch.where(new == -1, -1, (tiles & -65536) | (new & 0xFFFF))
        schedule.append(compact(mapped, new != -1))
        row = compact(offsets, keeps)
        row[int(keeps.sum())] = int((new != -1).sum())
        block_offsets.append(row)
    return RaggedTensorMetadata(
        compact(meta.slice_sizes, keeps),
        compact(meta.slice_offs, keeps),
        torch.stack(block_offsets),
        torch.stack(schedule),
    )
