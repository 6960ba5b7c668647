"""Kernels of a small model, compiled when it is built: two linear layers and a softmax."""

import triton
import triton.language as tl


@triton.jit
def linear(out, x, weight, bias, rows, columns, depth, RELU: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):  # fmt: skip
    """out = x @ weight.T + bias, all row-major; negative results become 0 on request."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, depth, DEPTH):
        k = start + tl.arange(0, DEPTH)
        left = tl.load(x + row[:, None] * depth + k, mask=(row[:, None] < rows) & (k < depth), other=0.0)
        right = tl.load(weight + column * depth + k[:, None], mask=(column < columns) & (k[:, None] < depth), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    total += tl.load(bias + column, mask=column < columns, other=0.0)
    if RELU:
        total = tl.maximum(total, 0.0)
    tl.store(out + row[:, None] * columns + column, total, mask=(row[:, None] < rows) & (column < columns))


@triton.jit
def softmax(out, x, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + column, mask=column < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + column, powers / tl.sum(powers, 0), mask=column < columns)
